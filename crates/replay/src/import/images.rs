//! What stands in a turn for something that is not text.
//!
//! Replay compares texts, so a picture is its kind and its size, as a person would note it.

/// `[image: image/png, 123,456 bytes]`, from the length of its base64 form.
pub(super) fn describe_base64(what: &str, media_type: &str, data: &str) -> String {
    let padding = data.bytes().rev().take(2).take_while(|byte| *byte == b'=').count();
    describe_size(what, media_type, (data.len() / 4 * 3).saturating_sub(padding))
}

pub(super) fn describe_size(what: &str, media_type: &str, bytes: usize) -> String {
    let digits = bytes.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("[{what}: {media_type}, {grouped} bytes]")
}

/// `[image: https://…]`; one that holds its data itself is described by its size.
pub(super) fn describe_url(what: &str, url: &str) -> String {
    match url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((media_type, data)) => describe_base64(what, media_type, data),
        None => format!("[{what}: {url}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_their_kind_and_size() {
        assert_eq!(describe_base64("image", "image/png", "aGFsbG8="), "[image: image/png, 5 bytes]");
        assert_eq!(describe_size("image", "image/png", 1_234_567), "[image: image/png, 1,234,567 bytes]");
        assert_eq!(describe_size("document", "application/pdf", 123), "[document: application/pdf, 123 bytes]");
        assert_eq!(describe_url("image", "data:image/gif;base64,aGFsbG8="), "[image: image/gif, 5 bytes]");
        assert_eq!(describe_url("image", "https://example.com/a.png"), "[image: https://example.com/a.png]");
    }
}
