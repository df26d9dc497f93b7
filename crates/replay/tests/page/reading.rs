//! The page taken apart: its text, its sections, its tags.

/// What a person reads: no markup, scripts, styles or pictures.
pub(crate) fn text_of(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let skipped = ["style", "script", "svg"].into_iter().find(|name| rest[1..].starts_with(name));
        let end = match skipped {
            Some(name) => {
                let end = format!("</{name}>");
                rest.find(&end).unwrap() + end.len()
            }
            None => rest.find('>').unwrap() + 1,
        };
        let block = ["<p", "<h", "</tr", "</li", "<dt", "<dd", "<summary", "<figcaption", "</th", "</td"];
        if block.iter().any(|tag| rest.starts_with(tag)) {
            text.push(if rest.starts_with("</t") && !rest.starts_with("</tr") { '|' } else { '\n' });
        }
        rest = &rest[end..];
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "|");
    lines.collect::<Vec<_>>().join("\n")
}

/// Between `<section id="NAME">` and its end.
pub(crate) fn section<'a>(page: &'a str, name: &str) -> &'a str {
    let start = page.find(&format!("<section id=\"{name}\">")).unwrap();
    let end = page[start..].find("</section>").unwrap();
    &page[start..start + end]
}

/// Every tag that opens is closed, in order, and every attribute is quoted.
pub(crate) fn check_tags(page: &str) {
    const VOID: [&str; 2] = ["meta", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let end = rest.find('>').unwrap();
        let tag = &rest[1..end];
        assert!(!tag.contains('<'), "{tag}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        rest = &rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "before {}", rest.chars().take(80).collect::<String>());
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
            if name == "style" || name == "script" {
                rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
            }
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}
