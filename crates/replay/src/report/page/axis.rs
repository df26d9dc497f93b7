//! From figures to places in a picture, and the round numbers along its edges.

use super::html::{escape, put};

/// Two renderings of each picture: text stays as large on a phone as on a desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Desk,
    Phone,
}

impl Size {
    /// Both renderings; empty where there is nothing to draw.
    pub(super) fn both(render: impl Fn(Self) -> Option<String>) -> String {
        [Self::Desk, Self::Phone].into_iter().filter_map(render).collect()
    }

    pub(super) fn width(self) -> f64 {
        if self == Self::Desk { 860.0 } else { 330.0 }
    }

    /// The style sheet shows one of the two. `words` say what it shows to whoever cannot see it.
    pub(super) fn picture(self, height: f64, words: &str, svg: &str) -> String {
        let (class, width) = (if self == Self::Desk { "desk" } else { "phone" }, self.width());
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n{svg}</svg>\n",
            escape(words)
        )
    }
}

/// A stretch of figures laid over a stretch of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub low: f64,
    pub high: f64,
    pub start: f64,
    pub end: f64,
    pub scale: AxisScale,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisScale {
    Even,
    /// Equal factors are equally far apart.
    Factors,
}

impl Axis {
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = match self.scale {
            AxisScale::Even => (value - self.low) / (self.high - self.low),
            AxisScale::Factors => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.start + (self.end - self.start) * share.clamp(0.0, 1.0)
    }

    /// Drawn below a picture of which this is the lower edge.
    pub(super) fn draw_title(&self, svg: &mut String, down: f64, title: &str) {
        let middle = (self.start + self.end) / 2.0;
        put!(svg, "<text class=\"axis\" x=\"{middle:.1}\" y=\"{down:.1}\" text-anchor=\"middle\">{title}</text>\n");
    }

    /// A line across a picture of which this is the lower edge, with a number at its left.
    pub(super) fn draw_level(&self, svg: &mut String, at: f64, number: &str) {
        let (start, end, left) = (self.start, self.end, self.start - 6.0);
        put!(svg, "<line class=\"grid\" x1=\"{start:.1}\" x2=\"{end:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        put!(
            svg,
            "<text class=\"tick\" x=\"{left:.1}\" y=\"{at:.1}\" dy=\".35em\" text-anchor=\"end\">{number}</text>\n"
        );
    }

    /// Round numbers, at most about `most` of them.
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        match self.scale {
            AxisScale::Even => even_ticks(self.low, self.high, most),
            AxisScale::Factors => {
                const FACTORS: [f64; 14] = [0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 50.0];
                let inside = FACTORS.iter().copied().filter(|tick| (self.low..=self.high).contains(tick));
                let ticks: Vec<f64> = inside.collect();
                // One, append itself, must stay.
                let keep = ticks.len().div_ceil(most.max(1)).max(1);
                let one = ticks.iter().position(|tick| *tick == 1.0).unwrap_or(0);
                ticks.into_iter().enumerate().filter(|(at, _)| at.abs_diff(one) % keep == 0).map(|(_, t)| t).collect()
            }
        }
    }
}

fn even_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let step = round_step((high - low) / most.max(1) as f64);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|number| number as f64 * step).collect()
}

/// The next of 1, 2, 5, 10… at or above.
pub(super) fn round_step(step: f64) -> f64 {
    if step <= 0.0 || !step.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis { low: 0.0, high: 187_000.0, start: 0.0, end: 100.0, scale: AxisScale::Even };
        assert_eq!(axis.ticks(4), [0.0, 50_000.0, 100_000.0, 150_000.0]);
        assert_eq!(axis.place(93_500.0), 50.0);
        let factors = Axis { low: 0.25, high: 4.0, start: 0.0, end: 100.0, scale: AxisScale::Factors };
        assert_eq!(factors.place(1.0), 50.0);
        assert!(factors.ticks(4).contains(&1.0));
    }
}
