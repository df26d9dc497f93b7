//! Text from outside, made harmless for a terminal and honest for a reader.

use unicode_width::UnicodeWidthStr;

/// Escape sequences and other control characters become visible signs; so do characters that hide, reorder or break text.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(visible_character).collect()
}

fn visible_character(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        // Invisible: the soft hyphen, spaces and joiners without width, marks of byte order, tags.
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}' => '\u{fffd}',
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' => '\u{fffd}',
        // They turn the direction of the text around them.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' => '\u{fffd}',
        // Line breaks that only some programs know.
        '\u{2028}' | '\u{2029}' => '\u{fffd}',
        _ => character,
    }
}

/// The same on one line of at most `width` columns.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let flat = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.width() <= width {
        return flat;
    }
    let mut short = String::new();
    // Marks without a width of their own could go on for ever: nobody writes more than a few on a letter.
    for character in flat.chars().take(8 * width) {
        short.push(character);
        // Measured as a whole, because some characters change the width of the one before.
        if short.width() + 1 > width {
            short.pop();
            break;
        }
    }
    if width > 0 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_cannot_reach_the_terminal() {
        assert_eq!(visible("\u{1b}[2Jgone\u{7}\u{202e}x\n"), "␛[2Jgone␇\u{fffd}x\n");
        assert_eq!(one_line("a\n  b\tc", 3), "a …");
    }

    #[test]
    fn nothing_hides_or_turns_text() {
        for hidden in
            "\u{ad}\u{61c}\u{200b}\u{200f}\u{2028}\u{2029}\u{202a}\u{2066}\u{2069}\u{feff}\u{e0001}\u{e007f}\u{9b}"
                .chars()
        {
            assert_eq!(visible(&hidden.to_string()), "\u{fffd}", "{hidden:?}");
        }
        let ordinary = "回望 é e\u{301} ❤\u{fe0f} ␛ →\t\n";
        assert_eq!(visible(ordinary), ordinary);
    }

    #[test]
    fn one_line_keeps_to_its_width() {
        let zalgo = format!("a{}", "\u{301}".repeat(10_000));
        for text in
            ["余额不对的原因", "a余b额c", "❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}", "plain text", &format!("{zalgo}bcd")]
        {
            for width in 0..12 {
                let line = one_line(text, width);
                assert!(line.width() <= width, "{} in {width}", line.width());
            }
        }
        assert_eq!(one_line("余额不对", 6), "余额…");
        assert_eq!(one_line("余额不对", 8), "余额不对");
    }
}
