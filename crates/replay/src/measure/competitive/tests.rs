use lookback_engine::{
    cache::{CacheRule, Covers},
    card::{
        Alternation, CacheKey, CacheKnowledge, CacheMarks, Card, Constrained, Lifetime, OutputLimit, Prices, Rates,
        Support, SystemMessages, Tail, ThinkingHabit, TokenPrices, UsageInStream,
    },
    planner::{Limits, Warmth, block_budget},
};
use lookback_wire::Provider;

use super::{
    bill::Fold,
    steps::{StepCall, Steps},
    *,
};

const CARDS: [Rates; 3] = [
    Rates { read: 0.1, write: 1.25, output: 5.0 },
    Rates { read: 0.1, write: 1.25, output: 6.0 },
    Rates { read: 0.02, write: 1.0, output: 4.0 },
];

fn tariff(rates: Rates) -> simulate::Tariff {
    let prices = Prices {
        date: "2026-11".into(),
        source: "a test".into(),
        lent_by: None,
        usual: TokenPrices {
            input: 1.0,
            cached_read: rates.read,
            cache_write: rates.write,
            cache_write_1h: None,
            output: rates.output,
        },
        long: None,
    };
    let card = Card {
        provider: "test".into(),
        models: vec!["*".into()],
        api: Provider::Chat,
        window: 200_000,
        max_output: 10_000,
        thinking: ThinkingHabit::Keep,
        tail: Tail::Free,
        alternation: Alternation::Free,
        images: Support::No,
        tool_calling: Support::Yes,
        usage_in_stream: UsageInStream::Always,
        cache: CacheRule::Prefix { unit: 1, minimum: 0, covers: Covers::Prompt },
        cache_rule: CacheKnowledge::Understood,
        lifetime_ms: Some(300_000),
        cache_marks: CacheMarks::None,
        cache_key: CacheKey::None,
        output_limit: OutputLimit::MaxTokens,
        constrained: Constrained::None,
        system: SystemMessages::First,
        request: Default::default(),
        prices: Some(prices),
    };
    simulate::Tariff::new(card, Lifetime::Usual, rates)
}

/// One step of a made-up session.
#[derive(Debug, Clone, Copy, Default)]
struct Made {
    /// What a person says before the call.
    user: u64,
    answer: u64,
    results: u64,
    pause: bool,
}

fn steps(base: u64, covers: Covers, made: &[Made]) -> Steps {
    let mut steps = Steps { base: base as f64, factor: 1.0, ends: vec![0], calls: Vec::new(), output: 0 };
    let mut total = 0;
    for step in made {
        total += step.user;
        let cold = step.pause || steps.calls.is_empty();
        let held = if covers == Covers::PromptAndAnswer { total + step.answer } else { total };
        steps.calls.push(StepCall { sent: total, held, warmth: if cold { Warmth::Cold } else { Warmth::Warm } });
        total += step.answer + step.results;
        steps.ends.push(total);
        steps.output += step.answer;
    }
    steps
}

fn even(count: usize, tokens: u64) -> Vec<Made> {
    vec![Made { results: tokens, ..Made::default() }; count]
}

fn limits(keep_steps: u32, block: u64) -> Limits {
    Limits { keep_steps, block_least: block, block_most: block, ..Limits::default() }
}

fn configuration(fold: Limits) -> Configuration {
    Configuration { fold, ..Configuration::default() }
}

/// The view before each call part by part, without anything being taken apart: what the formulas of [`bill`] must give.
fn literal_bill(steps: &Steps, rates: &Rates, bill: &Bill<'_>, folds: &[Fold]) -> f64 {
    let (mut before_seam, mut seam, mut cost) = (steps.base, 0, rates.output * steps.output as f64);
    for (number, call) in steps.calls.iter().enumerate() {
        let mut read = before_seam;
        let mut all = before_seam + (call.sent - steps.ends[seam]) as f64;
        match folds.iter().find(|fold| fold.call == number) {
            Some(fold) => {
                before_seam += bill.block(steps.ends[fold.cut] - steps.ends[seam]);
                seam = fold.cut;
                all = before_seam + (call.sent - steps.ends[seam]) as f64;
            }
            None if number > 0 => read += (steps.calls[number - 1].held - steps.ends[seam]) as f64,
            None => {}
        }
        if call.warmth == Warmth::Cold {
            read = 0.0;
        }
        cost += rates.read * read + rates.write * (all - read);
    }
    cost
}

/// Every way to fold, each billed in full.
fn cheapest_of_all(bill: &Bill<'_>, rates: &Rates, folds: &mut Vec<Fold>, from: usize) -> f64 {
    let mut least = literal_bill(bill.steps, rates, bill, folds);
    let seam = folds.last().map_or(0, |fold| fold.cut);
    for call in from..bill.steps.calls.len() {
        for cut in seam + 1..=bill.foldable_steps(call) {
            folds.push(Fold { call, cut });
            least = least.min(cheapest_of_all(bill, rates, folds, call + 1));
            folds.pop();
        }
    }
    least
}

/// Numbers that look random and are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn session(&mut self, calls: usize) -> Vec<Made> {
        let step = |numbers: &mut Self| Made {
            user: if numbers.below(4) == 0 { numbers.below(800) } else { 0 },
            answer: 20 + numbers.below(600),
            results: if numbers.below(3) == 0 { numbers.below(30_000) } else { numbers.below(2_000) },
            pause: numbers.below(6) == 0,
        };
        (0..calls).map(|_| step(self)).collect()
    }
}

#[test]
fn the_worked_example() {
    let rates = Rates { read: 0.1, write: 1.0, output: 5.0 };
    let steps = steps(1_000, Covers::Prompt, &even(5, 2_000));
    let found = compare(&steps, &tariff(rates), &configuration(limits(1, 500)));
    assert_eq!((found.planner_bill, found.best_bill), (10_600.0, 10_350.0));
    assert_eq!((found.planner_rent_and_folds, found.best_rent_and_folds), (1_200.0, 950.0));
    assert_eq!((found.planner_folds, found.best_folds), (0, 1));
    assert!((found.ratio - 1.024).abs() < 0.000_2);
    let tariff = tariff(rates);
    assert_eq!(find_best(&Bill::new(&steps, &tariff, &limits(1, 500))).folds, [Fold { call: 3, cut: 2 }]);
}

#[test]
fn the_best_is_the_cheapest_of_all_ways_to_fold() {
    let mut numbers = Numbers(5);
    let mut folded = 0;
    for round in 0..240 {
        let covers = if round % 2 == 0 { Covers::Prompt } else { Covers::PromptAndAnswer };
        let made = numbers.session(2 + round % 7);
        let steps = steps(2_000, covers, &made);
        let limits = Limits {
            keep_steps: 1 + (round % 3) as u32,
            block_least: 50 + numbers.below(500),
            block_most: 700,
            block_share: numbers.below(50) as f64 / 100.0,
            ..Limits::default()
        };
        let tariff = tariff(CARDS[round % 3]);
        let bill = Bill::new(&steps, &tariff, &limits);
        let best = find_best(&bill);
        let all = cheapest_of_all(&bill, &tariff.rates, &mut Vec::new(), 1);
        let whole = bill.whole(best.rent_and_folds);
        assert!((whole - all).abs() < 1e-6 * all, "session {round}: {whole} found, {all} is possible");
        assert!((literal_bill(&steps, &tariff.rates, &bill, &best.folds) - all).abs() < 1e-6 * all);
        folded += best.folds.len();
    }
    assert!(folded > 100, "folds were worth it: {folded}");
}

/// Long enough for windows to move over many seams; cubic on purpose.
#[test]
fn the_windows_find_what_looking_at_every_seam_finds() {
    let mut numbers = Numbers(17);
    for round in 0..6 {
        let steps = steps(10_000, Covers::Prompt, &numbers.session(90));
        let limits = Limits { keep_steps: 1 + round % 5, ..Limits::default() };
        let tariff = tariff(CARDS[round as usize % 3]);
        let bill = Bill::new(&steps, &tariff, &limits);
        let mut values = vec![0.0];
        for call in 1..steps.calls.len() {
            let value = |seam: usize| {
                let held = values.get(seam).map(|value| value + bill.rent(call, seam));
                let sources = values.iter().enumerate().take(seam);
                let folds = sources.map(|(source, value)| value + bill.fold(Fold { call, cut: seam }, source));
                folds.chain(held).fold(f64::INFINITY, f64::min)
            };
            values = (0..=bill.foldable_steps(call)).map(value).collect();
        }
        let plain = values.into_iter().fold(f64::INFINITY, f64::min);
        let best = find_best(&bill).rent_and_folds;
        assert!((best - plain).abs() < 1e-6 * plain.max(1.0), "{best} found, {plain} by looking at every seam");
    }
}

#[test]
fn the_planner_is_billed_for_what_it_did_and_never_below_the_best() {
    let mut numbers = Numbers(99);
    for round in 0..60 {
        let steps = steps(15_000, Covers::Prompt, &numbers.session(30 + round));
        let tariff = tariff(CARDS[round % 3]);
        let bill = Bill::new(&steps, &tariff, &Limits::default());
        let run = run_planner(&bill, &planner::Tariff::new(tariff.rates));
        let literal = literal_bill(&steps, &tariff.rates, &bill, &run.folds);
        assert!((bill.whole(run.rent_and_folds) - literal).abs() < 1e-6 * literal);
        assert!(run.rent_and_folds >= find_best(&bill).rent_and_folds - 1e-6);
        assert!(run.folds.iter().all(|fold| fold.cut <= bill.foldable_steps(fold.call)));
    }
}

#[test]
fn a_block_has_the_size_that_the_engine_gives_it() {
    let steps = steps(0, Covers::Prompt, &even(1, 1));
    for limits in [Limits::default(), limits(5, 1_500)] {
        let tariff = tariff(CARDS[0]);
        let bill = Bill::new(&steps, &tariff, &limits);
        for foldable in (0..100_000).step_by(37) {
            let engine = block_budget(foldable, &limits).min(foldable) as f64;
            let off = bill.block(foldable) - engine;
            assert!((0.0..1.0).contains(&off), "{foldable} tokens: {engine} in the engine, {off} more here");
        }
    }
}

#[test]
fn at_a_pause_the_best_folds_what_it_can() {
    let mut made = even(20, 3_000);
    made[12].pause = true;
    let steps = steps(10_000, Covers::Prompt, &made);
    let tariff = tariff(CARDS[0]);
    let bill = Bill::new(&steps, &tariff, &Limits::default());
    assert!(find_best(&bill).folds.contains(&Fold { call: 12, cut: 7 }));
    assert!(run_planner(&bill, &planner::Tariff::new(tariff.rates)).folds.contains(&Fold { call: 12, cut: 7 }));
}

/// What each step of a made-up session is, by its number.
type Shape = Box<dyn Fn(usize) -> Made>;

/// Steady growth, bursts, pauses, at every length: the promise of rent or buy.
#[test]
fn the_planner_pays_at_most_twice_the_best() {
    let steady = |tokens: u64| move |_: usize| Made { answer: 150, results: tokens, ..Made::default() };
    let bursts = |every: usize, large: u64| {
        move |number: usize| Made {
            answer: 150,
            results: if number.is_multiple_of(every) { large } else { 300 },
            ..Made::default()
        }
    };
    let pauses = |every: usize| {
        move |number: usize| Made { answer: 150, results: 2_500, pause: number.is_multiple_of(every), user: 40 }
    };
    let shapes: Vec<(&str, Shape)> = vec![
        ("steady 300", Box::new(steady(300))),
        ("steady 2,000", Box::new(steady(2_000))),
        ("steady 12,000", Box::new(steady(12_000))),
        ("bursts of 30,000", Box::new(bursts(15, 30_000))),
        ("bursts of 8,000", Box::new(bursts(4, 8_000))),
        ("one burst", Box::new(bursts(usize::MAX, 60_000))),
        ("pauses", Box::new(pauses(9))),
        ("many pauses", Box::new(pauses(2))),
    ];
    for (name, shape) in &shapes {
        for calls in [2, 7, 8, 12, 25, 60, 150] {
            for (base, rates) in [0, 1_000, 20_000].into_iter().flat_map(|base| CARDS.map(|rates| (base, rates))) {
                let made: Vec<Made> = (0..calls).map(shape).collect();
                let found = compare(&steps(base, Covers::Prompt, &made), &tariff(rates), &Configuration::default());
                assert!((1.0 - 1e-9..=2.0).contains(&found.ratio), "{name}, {calls} calls, base {base}: {found:?}");
            }
        }
    }
}

/// Blocks add up where nothing is archived: the longer and thinner a session, the more the planner's many folds cost.
#[test]
fn a_long_session_of_small_steps_stays_below_twice_the_best() {
    let steps = steps(20_000, Covers::Prompt, &even(800, 300));
    let found = compare(&steps, &tariff(CARDS[0]), &Configuration::default());
    assert!((1.0..=1.5).contains(&found.ratio), "{found:?}");
}
