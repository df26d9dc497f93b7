//! A time of the trace as people write it. The engine has no calendar among its dependencies, and this needs no more.

use crate::trace::Timestamp;

const MINUTE: i64 = 60_000;
const MINUTES_PER_DAY: i64 = 24 * 60;

/// `2026-11-15 09:30`, in UTC.
pub(crate) fn render_utc(at: Timestamp) -> String {
    let minutes = at.0.div_euclid(MINUTE);
    let (days, minute) = (minutes.div_euclid(MINUTES_PER_DAY), minutes.rem_euclid(MINUTES_PER_DAY));
    let (year, month, day) = civil_date(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minute / 60, minute % 60)
}

/// The Gregorian date of a day counted from 1970-01-01. Years are taken to begin in March, so that the leap day ends
/// them; then the days before a month are a straight line, and 400 years always have the same length.
fn civil_date(days: i64) -> (i64, i64, i64) {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    /// From 0000-03-01 to 1970-01-01.
    const BEFORE_1970: i64 = 719_468;
    let days = days + BEFORE_1970;
    let (era, day_of_era) = (days.div_euclid(DAYS_IN_400_YEARS), days.rem_euclid(DAYS_IN_400_YEARS));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00"),
            (-1, "1969-12-31 23:59"),
            (951_827_696, "2000-02-29 12:34"),
            (1_078_012_800, "2004-02-29 00:00"),
            (1_763_200_000, "2025-11-15 09:46"),
            (1_794_735_000, "2026-11-15 09:30"),
            (4_107_542_399, "2100-02-28 23:59"),
            (4_107_542_400, "2100-03-01 00:00"),
        ] {
            assert_eq!(render_utc(Timestamp(seconds * 1_000)), text);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let is_leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..200_000 {
            assert_eq!(civil_date(days), (year, month, day));
            let length = match month {
                2 => 28 + i64::from(is_leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > length {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    #[test]
    fn a_clock_that_is_far_off_breaks_nothing() {
        render_utc(Timestamp(i64::MAX));
        render_utc(Timestamp(i64::MIN));
    }
}
