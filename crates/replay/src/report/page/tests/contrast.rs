//! Holds the style sheet to what eyes need: text at 4.5 : 1 on whatever it stands on, in light and dark rooms, and
//! the lines of the pictures at 3 : 1 (WCAG 2.2, 1.4.3 and 1.4.11).

use std::collections::BTreeMap;

use super::STYLE;

type Colours = BTreeMap<String, [f64; 3]>;

/// `--name: #rrggbb;` of both rooms. What the dark one does not say is as in the light one.
fn rooms() -> [(&'static str, Colours); 2] {
    let (light, dark) = STYLE.split_once("@media (prefers-color-scheme: dark)").unwrap();
    let dark = &dark[..dark.find("\n}").unwrap()];
    let light = colours(light);
    let mut both = light.clone();
    both.extend(colours(dark));
    [("light", light), ("dark", both)]
}

fn colours(style: &str) -> Colours {
    let declared = style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.rsplit_once("--")?.1.split_once(": #")?;
        let channel = |at: usize| u8::from_str_radix(&value[at..at + 2], 16).unwrap();
        Some((name.to_owned(), [channel(0), channel(2), channel(4)].map(|channel| f64::from(channel) / 255.0)))
    });
    declared.collect()
}

fn luminance(colour: [f64; 3]) -> f64 {
    let linear = colour.map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn black_on_white_is_twenty_one() {
    assert!((contrast([0.0; 3], [1.0; 3]) - 21.0).abs() < 1e-9);
}

#[test]
fn text_can_be_read_in_both_rooms() {
    let pairs = [
        ("ink", "page"),
        ("ink", "card"),
        ("ink", "ours"),
        ("quiet", "page"),
        ("quiet", "card"),
        ("quiet", "ours"),
        ("accent", "page"),
    ];
    for (room, colours) in rooms() {
        for (text, ground) in pairs {
            let contrast = contrast(colours[text], colours[ground]);
            assert!(contrast >= 4.5, "{room}: {text} on {ground} is {contrast:.2}");
        }
    }
}

/// Marks have an outline in ink; lines have only their own colour.
#[test]
fn lines_can_be_seen_in_both_rooms() {
    for (room, colours) in rooms() {
        for line in ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"] {
            let contrast = contrast(colours[&format!("{line}l")], colours["page"]);
            assert!(contrast >= 3.0, "{room}: {line}l is {contrast:.2}");
        }
    }
}
