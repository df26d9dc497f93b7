//! The middle of some figures and how far they spread.

/// Median and quartiles, by linear interpolation between neighbours: of 1, 2, 4, 8 the quartiles are 1.75, 3 and 5.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quartiles {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Quartiles {
    /// None where no value is a number: a session without a single need has no recall.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        Some(Self { low: at(&values, 0.25), median: at(&values, 0.5), high: at(&values, 0.75) })
    }
}

/// `sorted` is not empty.
fn at(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours() {
        assert_eq!(Quartiles::of([8.0, 1.0, 4.0, 2.0]), Some(Quartiles { low: 1.75, median: 3.0, high: 5.0 }));
        assert_eq!(Quartiles::of([7.0]), Some(Quartiles { low: 7.0, median: 7.0, high: 7.0 }));
    }

    #[test]
    fn what_is_no_number_does_not_count() {
        assert_eq!(Quartiles::of([f64::NAN]), None);
        assert_eq!(Quartiles::of([f64::NAN, 3.0]).map(|quartiles| quartiles.median), Some(3.0));
    }
}
