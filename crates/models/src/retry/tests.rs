use proptest::prelude::*;

use super::*;

const MINUTE: Duration = Duration::from_secs(60);

fn pause(tried: u32, again: Again, asked: Asked) -> Option<Duration> {
    plan_pause(&Retries::default(), tried, again, asked, 1.0)
}

#[test]
fn pauses_double_up_to_the_cap_and_end_after_the_last_try() {
    let pauses: Vec<_> = (1..=5).map(|tried| pause(tried, Again::Later, Asked::Nothing)).collect();
    let seconds = |s| Some(Duration::from_secs_f64(s));
    assert_eq!(pauses, [seconds(0.5), seconds(1.0), seconds(2.0), seconds(4.0), None]);

    let many = Retries { tries: u32::MAX, ..Retries::default() };
    assert_eq!(plan_pause(&many, 1_000, Again::Later, Asked::Nothing, 1.0), Some(many.cap));
}

#[test]
fn what_cannot_succeed_is_not_tried_again() {
    assert_eq!(pause(1, Again::Never, Asked::Nothing), None);
    assert_eq!(pause(1, Again::Never, Asked::Wait(MINUTE)), None);
    assert_eq!(pause(1, Again::Later, Asked::Stop), None);
    assert!(pause(1, Again::Once, Asked::Nothing).is_some());
    assert_eq!(pause(2, Again::Once, Asked::Nothing), None);
}

#[test]
fn a_demand_is_honoured_and_a_too_long_one_ends_it() {
    assert_eq!(plan_pause(&Retries::default(), 1, Again::Later, Asked::Wait(MINUTE), 0.0), Some(MINUTE));
    assert!(pause(1, Again::Later, Asked::Wait(5 * MINUTE)).is_some());
    assert_eq!(pause(1, Again::Later, Asked::Wait(5 * MINUTE + Duration::from_millis(1))), None);
}

#[test]
fn a_hint_is_no_reason_to_wait_for_minutes() {
    assert_eq!(pause(1, Again::Later, Asked::Hint(Duration::from_secs(2))), Some(Duration::from_secs(2)));
    assert_eq!(pause(1, Again::Later, Asked::Hint(60 * MINUTE)), Some(Duration::from_secs(30)));
}

proptest! {
    #[test]
    fn no_pause_is_shorter_than_demanded_or_longer_than_allowed(
        tried in 1u32..40, chance in 0.0f64..=1.0, demanded in proptest::option::of(0u64..400_000),
    ) {
        let retries = Retries { tries: 50, ..Retries::default() };
        let asked = demanded.map_or(Asked::Nothing, |ms| Asked::Wait(Duration::from_millis(ms)));
        let pause = plan_pause(&retries, tried, Again::Later, asked, chance);
        match asked {
            Asked::Wait(wait) if wait > retries.longest_asked => prop_assert_eq!(pause, None),
            Asked::Wait(wait) => prop_assert!(pause.is_some_and(|p| wait <= p && p <= wait + retries.base)),
            _ => prop_assert!(pause.is_some_and(|p| p <= retries.cap)),
        }
    }
}
