//! A misspelt name, and the known one that was probably meant.
//!
//! The parser says what it expected; this only picks from it.

/// From this similarity on, one name is taken for a misspelling of the other.
const ALIKE: f64 = 0.8;

/// What a parser complains of, in words for a person.
pub(super) fn plain(message: &str) -> String {
    let message = message.trim().replace('\n', "; ");
    let named = |kind: &str| {
        let (name, expected) = message.strip_prefix(kind)?.split_once('`')?;
        // Names stand in backticks: every second piece.
        let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        Some((name, known))
    };
    if let Some((name, known)) = named("unknown field `") {
        return match nearest(name, &known) {
            Some(nearest) => format!("`{name}` is not known here: do you mean `{nearest}`?"),
            None => format!("`{name}` is not known here; known are {}", known.join(", ")),
        };
    }
    match named("unknown variant `") {
        Some((name, known)) => format!("\"{name}\" is not possible here: choose {}", known.join(", ")),
        None => message,
    }
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let alike = known.iter().map(|known| (strsim::jaro_winkler(name, known), *known));
    alike.filter(|(alike, _)| *alike >= ALIKE).max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_and_all_where_none_is_near() {
        for (message, said) in [
            (
                "unknown field `modle`, expected one of `model`, `cards`",
                "`modle` is not known here: do you mean `model`?",
            ),
            ("unknown field `zzz`, expected `model` or `cards`", "`zzz` is not known here; known are model, cards"),
            ("unknown variant `fr`, expected `en` or `zh`", "\"fr\" is not possible here: choose en, zh"),
            ("invalid type: integer `3`, expected a string\n", "invalid type: integer `3`, expected a string"),
        ] {
            assert_eq!(plain(message), said);
        }
    }
}
