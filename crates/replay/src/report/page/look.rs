//! How each strategy looks in every picture: a colour, a shape and a way of drawing its line.
//!
//! The colours are those of Okabe and Ito, which people with any kind of colour blindness can tell apart; shape, dashes
//! and a name beside each mark say the same again for whoever sees none. Strategies that are kin share a colour.

use super::html::put;

/// The outline of a mark, corner by corner, from its middle: right and down by turns.
type Outline = &'static [f64];

const SQUARE: Outline = &[-0.8, -0.8, 0.8, -0.8, 0.8, 0.8, -0.8, 0.8];
const UP: Outline = &[0.0, -1.0, 0.95, 0.75, -0.95, 0.75];
const DOWN: Outline = &[0.0, 1.0, 0.95, -0.75, -0.95, -0.75];
const RIGHT: Outline = &[1.0, 0.0, -0.75, 0.95, -0.75, -0.95];
const LEFT: Outline = &[-1.0, 0.0, 0.75, 0.95, 0.75, -0.95];
const TALL: Outline = &[-0.45, -1.0, 0.45, -1.0, 0.45, 1.0, -0.45, 1.0];
const BOW: Outline = &[-1.0, -0.8, 0.0, 0.0, 1.0, -0.8, 1.0, 0.8, 0.0, 0.0, -1.0, 0.8];
const DIAMOND: Outline = &[0.0, -1.1, 1.1, 0.0, 0.0, 1.1, -1.1, 0.0];
const HEXAGON: Outline = &[0.5, -0.9, 1.0, 0.0, 0.5, 0.9, -0.5, 0.9, -1.0, 0.0, -0.5, -0.9];
const FLAT: Outline = &[-1.0, -0.5, 1.0, -0.5, 1.0, 0.5, -1.0, 0.5];
const CROSS: Outline = &[
    0.0, -0.4, 0.6, -1.0, 1.0, -0.6, 0.4, 0.0, 1.0, 0.6, 0.6, 1.0, 0.0, 0.4, -0.6, 1.0, -1.0, 0.6, -0.4, 0.0, -1.0,
    -0.6, -0.6, -1.0,
];
const PLUS: Outline = &[
    -0.35, -1.0, 0.35, -1.0, 0.35, -0.35, 1.0, -0.35, 1.0, 0.35, 0.35, 0.35, 0.35, 1.0, -0.35, 1.0, -0.35, 0.35, -1.0,
    0.35, -1.0, -0.35, -0.35, -0.35,
];
const STAR: Outline = &[
    0.0, -1.35, 0.36, -0.49, 1.28, -0.42, 0.58, 0.19, 0.79, 1.09, 0.0, 0.61, -0.79, 1.09, -0.58, 0.19, -1.28, -0.42,
    -0.36, -0.49,
];

/// The class that carries the colour (`style.css` gives it one for light and one for dark rooms), and the outline; none: a
/// circle.
fn look(strategy: &str) -> (&'static str, Option<Outline>) {
    match strategy {
        "append" => ("s-append", None),
        "head-summary" => ("s-head-summary", Some(SQUARE)),
        "anthropic-compact" => ("s-head-summary", Some(LEFT)),
        "codex-compact" => ("s-head-summary", Some(TALL)),
        "mask" => ("s-mask", Some(UP)),
        "mask-batched" => ("s-mask-batched", Some(DOWN)),
        "mask-batched-10" => ("s-mask-batched", Some(RIGHT)),
        "clear-tools" => ("s-clear-tools", Some(CROSS)),
        "anthropic-clear" => ("s-clear-tools", Some(BOW)),
        "settle" => ("s-settle", Some(PLUS)),
        "lookback" => ("s-lookback", Some(STAR)),
        "lookback-fixed" => ("s-lookback-fixed", Some(DIAMOND)),
        "oracle" => ("s-oracle", Some(HEXAGON)),
        _ => ("s-other", Some(FLAT)),
    }
}

pub(super) fn class(strategy: &str) -> &'static str {
    look(strategy).0
}

/// How its line is drawn.
pub(super) fn dashes(strategy: &str) -> &'static str {
    match strategy {
        "append" => "7 4",
        "lookback" => "none",
        _ => "2 3",
    }
}

/// A mark around a point, as large as `size` in every direction.
pub(super) fn shape(strategy: &str, x: f64, y: f64, size: f64) -> String {
    let Some(outline) = look(strategy).1 else {
        return format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.1}\"/>", size * 0.9);
    };
    let mut points = String::new();
    for corner in outline.chunks_exact(2) {
        put!(points, "{:.1},{:.1} ", x + corner[0] * size, y + corner[1] * size);
    }
    format!("<polygon points=\"{}\"/>", points.trim_end())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::strategy::StrategyName;

    #[test]
    fn every_strategy_has_a_shape_of_its_own_and_a_colour_in_the_style_sheet() {
        let shapes: BTreeSet<String> =
            StrategyName::ALL.iter().map(|strategy| shape(strategy.name(), 0.0, 0.0, 5.0)).collect();
        assert_eq!(shapes.len(), StrategyName::ALL.len());
        for strategy in StrategyName::ALL {
            let class = class(strategy.name());
            assert_ne!(class, "s-other");
            assert!(crate::report::page::STYLE.contains(&format!(".{class} {{")), "{class}");
        }
    }
}
