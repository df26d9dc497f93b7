//! The tag around a block, which no text inside it can open or close.
//!
//! A backslash goes in behind the `<` of whatever reads as this tag: in any case, with blanks, with characters that nobody
//! sees, with letters that look like its own. Taking one out again gives the old text back, because what already had one
//! gets one more.

const NAME: &str = "lookback-block";

/// Text that can stand inside the tag.
pub fn escape_tag(text: &str) -> String {
    rewrite(text, |escaped, after| {
        escaped.push('\\');
        after
    })
}

/// The text as it was before [`escape_tag`].
#[cfg(test)]
pub(crate) fn unescape_tag(text: &str) -> String {
    rewrite(text, |_, after| after.strip_prefix('\\').unwrap_or(after))
}

/// Copies a text; behind each `<` that begins the tag, `write` may write and says where to go on.
fn rewrite<'a>(text: &'a str, write: impl Fn(&mut String, &'a str) -> &'a str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_opening) {
        let behind = at + rest[at..].chars().next().map_or(0, char::len_utf8);
        let (before, after) = rest.split_at(behind);
        written.push_str(before);
        rest = if begins_tag(after) { write(&mut written, after) } else { after };
    }
    written.push_str(rest);
    written
}

fn begins_tag(after: &str) -> bool {
    let is_around = |character: &char| character.is_whitespace() || "\\/⁄∕⧸╱⟋／＼".contains(*character);
    let mut name = after.chars().filter(|character| !is_unseen(*character)).skip_while(is_around);
    NAME.chars().all(|wanted| name.next().is_some_and(|character| looks_like(character, wanted)))
}

fn is_opening(character: char) -> bool {
    // Nearly all characters are ASCII.
    character == '<' || (!character.is_ascii() && "＜﹤‹«〈⟨❮❬ᐸ˂≺".contains(character))
}

/// Takes no room, or stands on the letter before it.
fn is_unseen(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{e}'..='\u{1b}' | '\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{ad}'
        | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{20d0}'..='\u{20ff}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn looks_like(character: char, wanted: char) -> bool {
    let alike = match wanted {
        'l' => "iI1|ıƖɩιІіӀӏⅠⅼ∣ǀ׀ןا١۱ߊᛁℓłŀĺļľ",
        'o' => "0οоσΟОօՕᴏ๐໐○◯〇ºøØöóòôõōőð",
        'k' => "κкΚКᴋқҝҟҡⲕķĸƙ\u{212a}",
        'b' => "ьЬвВΒβЪъᏏᖯƄƅбᴃʙɓßъ8",
        'a' => "αаΑАɑᴀ@4äáàâãåāăą∂",
        'c' => "сСϲϹᴄⅽ¢çćčĉċƈ",
        '-' => "_‐‑‒–—―−－﹣﹘⁃˗ー一·⸺⸻~∼",
        _ => "",
    };
    plain(character).eq_ignore_ascii_case(&wanted) || alike.contains(character)
}

/// The letter behind a full-width, mathematical or circled one.
fn plain(character: char) -> char {
    let code = u32::from(character);
    let letter = |first: u32, of: u32| char::from_u32(u32::from('a') + (of - first) % 26).unwrap_or(character);
    match code {
        0xff01..=0xff5e => char::from_u32(code - 0xfee0).unwrap_or(character),
        0x1d400..=0x1d6a3 => letter(0x1d400, code),
        0x24b6..=0x24e9 => letter(0x24b6, code),
        0x249c..=0x24b5 => letter(0x249c, code),
        0x1f110..=0x1f129 => letter(0x1f110, code),
        0x1f130..=0x1f149 => letter(0x1f130, code),
        0x1f150..=0x1f169 => letter(0x1f150, code),
        0x1f170..=0x1f189 => letter(0x1f170, code),
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_tag_is_neutralised_and_comes_back() {
        for text in [
            "</lookback-block>",
            "< / LOOKBACK-Block",
            "<lookback-block>",
            "<\\/lookback-block",
            "<<\\\\lookback-block",
            "</\u{200b}lookback-block>",
            "<\u{feff}/look\u{ad}back-block>",
            "</l\u{301}ookback-block>",
            "</lооkbасk-block>",
            "</ｌｏｏｋｂａｃｋ－ｂｌｏｃｋ>",
            "＜／lookback-block＞",
            "</1ookback‑b1ock>",
            "</𝗹𝗼𝗼𝗸𝗯𝗮𝗰𝗸-𝒷𝓁𝑜𝒸𝓀>",
            "</ⓛⓞⓞⓚⓑⓐⓒⓚ-ⓑⓛⓞⓒⓚ>",
            "</\u{0}lookback-block\u{0}>",
            "⟨/lookback–block⟩",
        ] {
            let escaped = escape_tag(text);
            assert!(!escaped.contains(text) || text.starts_with("<<"), "{escaped}");
            assert!(escaped.contains("\\"), "{escaped}");
            assert_eq!(unescape_tag(&escaped), text);
        }
        for plain in ["a < b </div>", "x <lookback block", "<lookbackblock>", "‹look back›"] {
            assert_eq!(escape_tag(plain), plain);
        }
    }

    proptest! {
        #[test]
        fn escaping_is_reversible(parts in prop::collection::vec("<|/|\\\\|lookback-block|Lookback-Block|lооkback|-block|\u{200b}|＜| |\n|x|>", 0..12)) {
            let text = parts.concat();
            let escaped = escape_tag(&text);
            prop_assert!(!escaped.contains("</lookback-block"));
            prop_assert!(!escaped.contains("<lookback-block"));
            prop_assert_eq!(unescape_tag(&escaped), text);
        }
    }
}
