//! Names beside marks, placed so that they cover neither each other nor a mark.

/// A rectangle in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Where a name stands, and how its text is anchored there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Placed {
    pub x: f64,
    pub y: f64,
    pub anchor: &'static str,
    /// Far enough from its mark to need a line to it.
    pub far: bool,
}

/// Places taken so far, inside a frame.
pub(super) struct Labels {
    frame: Area,
    taken: Vec<Area>,
}

/// Of a letter at the size of the pictures' text; generous, so that a wider font does not overlap either.
const LETTER_WIDTH: f64 = 6.9;
pub(super) const LINE_HEIGHT: f64 = 14.0;

impl Area {
    pub(super) fn around(x: f64, y: f64, half: f64) -> Self {
        Self { left: x - half, top: y - half, right: x + half, bottom: y + half }
    }

    fn shared(&self, other: &Self) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }

    fn outside(&self, frame: &Self) -> f64 {
        let beyond =
            [frame.left - self.left, self.right - frame.right, frame.top - self.top, self.bottom - frame.bottom];
        beyond.into_iter().map(|by| by.max(0.0)).sum()
    }
}

impl Labels {
    pub(super) fn new(frame: Area) -> Self {
        Self { frame, taken: Vec::new() }
    }

    pub(super) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// The nearest place around a point that is free; where none is, the one that covers least. Lines stand below each
    /// other, the first one at the place that comes back.
    pub(super) fn place(&mut self, x: f64, y: f64, lines: &[&str]) -> Placed {
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let width = longest as f64 * LETTER_WIDTH;
        let below = LINE_HEIGHT * lines.len().saturating_sub(1) as f64;
        let mut best: Option<(f64, Placed, Area)> = None;
        for distance in [11.0, 20.0, 32.0, 46.0, 62.0, 80.0] {
            for (right, down, anchor) in AROUND {
                // A block beside its mark is centred on it, one above ends there.
                let raised = if down < 0.0 {
                    below
                } else if down == 0.0 {
                    below / 2.0
                } else {
                    0.0
                };
                let top = y + down * distance - raised;
                let at = Placed { x: x + right * distance, y: top, anchor, far: distance > 20.0 };
                let area = area_of(&at, width, below);
                let covered: f64 = self.taken.iter().map(|taken| taken.shared(&area)).sum();
                let cost = covered + 1e3 * area.outside(&self.frame);
                if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                    best = Some((cost, at, area));
                }
                if cost == 0.0 {
                    break;
                }
            }
            if best.as_ref().is_some_and(|(least, ..)| *least == 0.0) {
                break;
            }
        }
        match best {
            Some((_, placed, area)) => {
                self.taken.push(area);
                placed
            }
            // The lists above are not empty.
            None => Placed { x, y, anchor: "start", far: false },
        }
    }
}

const AROUND: [(f64, f64, &str); 10] = [
    (1.0, 0.0, "start"),
    (-1.0, 0.0, "end"),
    (0.0, 1.25, "middle"),
    (0.0, -1.25, "middle"),
    (0.8, 1.0, "start"),
    (0.8, -1.0, "start"),
    (-0.8, 1.0, "end"),
    (-0.8, -1.0, "end"),
    (0.2, 1.6, "start"),
    (-0.2, 1.6, "end"),
];

fn area_of(at: &Placed, width: f64, below: f64) -> Area {
    let left = match at.anchor {
        "start" => at.x,
        "end" => at.x - width,
        _ => at.x - width / 2.0,
    };
    Area { left, top: at.y - LINE_HEIGHT / 2.0, right: left + width, bottom: at.y + below + LINE_HEIGHT / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_marks_on_one_spot_do_not_cover_each_other() {
        let mut labels = Labels::new(Area { left: 0.0, top: 0.0, right: 400.0, bottom: 300.0 });
        labels.take(Area::around(200.0, 150.0, 7.0));
        let names: [&[&str]; 4] =
            [&["append", "settle", "clear-tools"], &["mask"], &["mask-batched"], &["head-summary"]];
        for lines in names {
            labels.place(200.0, 150.0, lines);
        }
        assert_eq!(labels.taken[1].bottom - labels.taken[1].top, 3.0 * LINE_HEIGHT);
        for (place, one) in labels.taken.iter().enumerate() {
            for other in &labels.taken[place + 1..] {
                assert_eq!(one.shared(other), 0.0);
            }
        }
    }
}
