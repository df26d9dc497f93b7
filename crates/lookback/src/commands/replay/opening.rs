//! How a replay begins: what was paid, what it would have been with Lookback, agent by agent, and what a reader must know
//! to believe it.

use std::io::{self, Write};

use lookback_replay::report::{
    Report,
    money::{Money, sentence},
    numbers::dollars,
};

use crate::screen::{self, Screen};

pub(super) fn write<W: Write>(out: &mut Screen<W>, report: &Report, width: usize) -> io::Result<()> {
    let said = sentence(report);
    let mut paragraph = |text: &str| screen::write_wrapped_table(out, &[vec![text.to_owned()]], &[], width);
    paragraph(&said.paid)?;
    said.lookback.iter().try_for_each(|text| paragraph(text))?;
    let agents = Money::by_agent(report);
    if agents.len() > 1 {
        writeln!(out)?;
        write_agents(out, &agents, width)?;
    }
    let mut paragraph = |text: &str| screen::write_wrapped_table(out, &[vec![text.to_owned()]], &[], width);
    said.remarks.iter().try_for_each(|text| paragraph(text))?;
    writeln!(out)
}

fn write_agents<W: Write>(
    out: &mut Screen<W>,
    agents: &[(lookback_replay::recording::Format, Money)],
    width: usize,
) -> io::Result<()> {
    let is_partial = agents.iter().any(|(_, money)| money.is_partial());
    let heading = match width {
        80.. => ["agent", "calls", "paid", "whole", "with Lookback", "", "look-ups in 100"],
        _ => ["agent", "calls", "paid", "whole", "Lookback", "", "look-ups"],
    };
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(agents.iter().map(|(format, money)| {
        let (paid, whole) = (dollars(money.paid), dollars(money.whole));
        vec![
            format!("{}{}", format.label(), if money.not_understood > 0 { "*" } else { "" }),
            screen::exact(money.calls),
            if money.is_about() { format!("~{paid}") } else { paid },
            whole,
            money.lookback.map_or_else(|| "–".to_owned(), dollars),
            money.share().map_or_else(String::new, |share| format!("{:.0}%", share * 100.0)),
            format!("{:.0}", money.look_ups_in_100()),
        ]
    }));
    if !is_partial {
        rows.iter_mut().for_each(|row| drop(row.remove(3)));
    }
    // Where there is no room, what was paid and what it would have been matters more.
    let widest = |column: usize| rows.iter().filter_map(|row| Some(row.get(column)?.chars().count() + 2)).max();
    if width < 80 && (0..rows[0].len()).filter_map(widest).sum::<usize>() > width + 1 {
        rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    let right: Vec<usize> = (1..rows[0].len()).collect();
    screen::write_table(out, &rows, &right, width)
}
