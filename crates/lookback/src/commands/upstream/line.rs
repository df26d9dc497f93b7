//! A request in one line, and all of them in one.

use lookback_models::script::Fault;
use lookback_upstream::Logged;
use lookback_wire::Provider;

use crate::screen;

pub(super) fn render_line(logged: &Logged) -> String {
    let place = logged.place.map_or_else(|| "-".to_owned(), |place| place.to_string());
    let mut line = format!("{:<10} {place:<14}", endpoint(logged.api));
    if let Some(usage) = &logged.counted {
        line +=
            &format!(" {} tokens, {} cached ", screen::short(usage.prompt()), screen::short(u64::from(usage.cached)));
    }
    line += &format!(" {}", logged.status);
    // A status says itself.
    if let Some(fault) = logged.fault.filter(|fault| !matches!(fault, Fault::Status { .. })) {
        line += &format!("  {fault}");
    }
    if let Some(refusal) = &logged.refusal {
        line += &format!("  {refusal}");
    }
    line
}

pub(super) fn render_summary(log: &[Logged]) -> String {
    let billed = log.iter().filter_map(|logged| logged.counted);
    let (tokens, cached) =
        billed.fold((0, 0), |(tokens, cached), usage| (tokens + usage.prompt(), cached + u64::from(usage.cached)));
    let refused = log.iter().filter(|logged| logged.refusal.is_some()).count();
    let share = (cached * 100).checked_div(tokens).unwrap_or_default();
    format!(
        "{}, {} tokens, {} cached ({share}%), {refused} refused",
        screen::counted(log.len() as u64, "request"),
        screen::short(tokens),
        screen::short(cached)
    )
}

/// The end of the path, which says more than the name of the API.
pub(super) fn endpoint(api: Provider) -> &'static str {
    match api {
        Provider::Anthropic => "messages",
        Provider::Chat | Provider::React => "chat",
        Provider::Responses => "responses",
    }
}
