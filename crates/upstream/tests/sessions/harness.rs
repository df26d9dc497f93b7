//! A session that is driven by a script behind a real server. Tools do not run: their results are made up, the same in
//! every run. Time is what the test says, for both sides.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use lookback_engine::{
    Context, Session, SessionSetup,
    card::{Card, Cards, Lifetime, Support},
    report::FoldReport,
    trace::{Blobs, Layout, NoBlobs, Origin, ResultData, SessionId, Timestamp, ToolResult, result::RunData},
};
use lookback_models::{
    Client, Endpoint, Model, Progress, Retries, Timeouts,
    driving::{CallError, Called, Cancel, Canceller, KeepError, Surroundings, call},
    script::Script,
};
use lookback_upstream::{Chunks, Logged, Running, Upstream, UpstreamOptions, count_o200k};
use lookback_wire::{Provider, ToolSpec};

const FILES: [&str; 7] = [
    include_str!("../../../../prices/anthropic.toml"),
    include_str!("../../../../prices/deepseek.toml"),
    include_str!("../../../../prices/gemini.toml"),
    include_str!("../../../../prices/local.toml"),
    include_str!("../../../../prices/openai-old.toml"),
    include_str!("../../../../prices/openai.toml"),
    include_str!("../../../../prices/qwen.toml"),
];

pub(crate) fn cards() -> Cards {
    let mut cards = Cards::default();
    FILES.iter().for_each(|file| cards.add(Cards::parse(file).expect("cards")));
    cards
}

pub(crate) fn card(model: &str) -> Card {
    cards().find(model).unwrap_or_else(|| panic!("no card for {model}")).clone()
}

/// What a test sets; the rest is usual.
pub(crate) struct Setting {
    pub(crate) model: &'static str,
    /// None: the card's own.
    pub(crate) api: Option<Provider>,
    pub(crate) script: String,
    pub(crate) chunks: Chunks,
    /// What the session believes of its window; none: as the card says.
    pub(crate) window: Option<u32>,
    pub(crate) idle: Duration,
}

impl Setting {
    pub(crate) fn new(model: &'static str, script: String) -> Self {
        Self { model, api: None, script, chunks: Chunks::Whole, window: None, idle: Duration::from_secs(20) }
    }
}

pub(crate) struct Driven {
    pub(crate) session: Session,
    pub(crate) upstream: Running,
    pub(crate) model: Model,
    pub(crate) outside: Outside,
    pub(crate) cancel: Cancel,
    pub(crate) canceller: Canceller,
}

/// The test's clock, counter and store.
pub(crate) struct Outside {
    now: Arc<AtomicI64>,
    /// Events that were kept, and how many requests would have gone out before they were.
    pub(crate) kept: usize,
    pub(crate) seen: Vec<Progress>,
    /// Cancels when so many deltas have come.
    pub(crate) cancel_after: Option<usize>,
    canceller: Option<Canceller>,
}

impl Surroundings for Outside {
    fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }

    fn count(&self, bytes: &[u8]) -> u32 {
        count_o200k(bytes)
    }

    fn blobs(&self) -> &dyn Blobs {
        &NoBlobs
    }

    fn keep(&mut self, session: &mut Session) -> Result<(), KeepError> {
        self.kept = session.trace().len();
        Ok(())
    }

    fn watch(&mut self, progress: &Progress) {
        self.seen.push(progress.clone());
        let deltas = self.seen.iter().filter(|seen| matches!(seen, Progress::Delta(_))).count();
        if self.cancel_after == Some(deltas)
            && let Some(canceller) = &self.canceller
        {
            canceller.cancel();
        }
    }
}

const START: i64 = 1_763_200_000_000;

impl Driven {
    pub(crate) async fn start(setting: Setting) -> Self {
        let script = Script::parse(&setting.script).unwrap_or_else(|error| panic!("{error}\n{}", setting.script));
        let now = Arc::new(AtomicI64::new(START));
        let clock = Arc::clone(&now);
        let options = UpstreamOptions {
            card: Some(card(setting.model)),
            chunks: setting.chunks,
            clock: Arc::new(move || clock.load(Ordering::SeqCst)),
            ..UpstreamOptions::new("test", script, cards())
        };
        let upstream = Upstream::start(options).await.expect("a free port");
        let card = card(setting.model);
        let api = setting.api.unwrap_or(card.api);
        let card = card.spoken_by(api);
        let endpoint = Endpoint {
            timeouts: Timeouts { idle: setting.idle, first_byte: setting.idle, ..Timeouts::default() },
            retries: Retries { base: Duration::from_millis(1), ..Retries::default() },
            ..Endpoint::new(api, upstream.base_url())
        };
        let model = Model::Http(Client::new(endpoint).expect("an endpoint"));
        let outside = Outside { now, kept: 0, seen: Vec::new(), cancel_after: None, canceller: None };
        let session = start_session(&setting, &card, api, &outside);
        let (canceller, cancel) = Canceller::new();
        Self { session, upstream, model, outside, cancel, canceller }
    }

    pub(crate) fn with<T>(&mut self, what: impl FnOnce(&mut Session, &Context<'_>) -> T) -> T {
        let count = |bytes: &[u8]| self.outside.count(bytes);
        what(&mut self.session, &Context { now: self.outside.now(), count: &count, blobs: &NoBlobs })
    }

    pub(crate) fn user(&mut self, text: &str) {
        self.with(|session, context| session.user_turn(text, Origin::Person, context)).expect("idle");
    }

    pub(crate) async fn call(&mut self) -> Result<Called, CallError> {
        self.pass(1_000);
        call(&mut self.session, &self.model, &mut self.cancel, &mut self.outside).await
    }

    /// A call and made-up results for what it calls.
    pub(crate) async fn step(&mut self) -> Called {
        let called = self.call().await.unwrap_or_else(|error| panic!("call {}: {error}", self.session.last_call().0));
        let ids = called.turn.calls.clone();
        for (index, id) in ids.iter().enumerate() {
            let result = result(called.call.0, index);
            self.with(|session, context| session.tool_result(id, result, context)).expect("the call waits");
        }
        called
    }

    /// Folds all but the newest steps by rules.
    pub(crate) fn fold(&mut self) -> FoldReport {
        self.with(|session, context| {
            let draft = session.draft_fold(None, context).expect("enough to fold");
            session.fold_by_rules(&draft, context).expect("it is shorter")
        })
    }

    pub(crate) fn pass(&self, milliseconds: i64) {
        self.outside.now.fetch_add(milliseconds, Ordering::SeqCst);
    }

    /// The next call is cancelled after so many deltas.
    pub(crate) fn cancel_after(&mut self, deltas: usize) {
        let (canceller, cancel) = Canceller::new();
        self.outside.seen.clear();
        self.outside.cancel_after = Some(deltas);
        self.outside.canceller = Some(canceller);
        self.cancel = cancel;
    }

    pub(crate) fn log(&self) -> Vec<Logged> {
        self.upstream.log()
    }

    /// Requests that the upstream refused, with its words.
    pub(crate) fn refusals(&self) -> Vec<String> {
        self.log().into_iter().filter(|logged| logged.fault.is_none()).filter_map(|logged| logged.refusal).collect()
    }
}

fn start_session(setting: &Setting, card: &Card, api: Provider, outside: &Outside) -> Session {
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: format!("{name} does what its name says, and says what it did."),
        parameters: r#"{"type":"object","properties":{"what":{"type":"string"}}}"#.into(),
    };
    let setup = SessionSetup {
        // Above the largest minimum of any cache rule.
        system: words(7, 5_000),
        tools: ["Bash", "Read"].map(tool).into(),
        provider: api,
        model: setting.model.into(),
        window: setting.window.unwrap_or(card.window),
        max_output: Some(card.max_output.min(setting.window.unwrap_or(card.window) / 8)),
        layout: if card.tool_calling == Support::No { Layout::React } else { Layout::Chat },
        alternation: card.alternation,
        plain_thinking: card.plain_thinking(),
        tokenizer: "o200k".into(),
        ..SessionSetup::new(SessionId("driven000000".into()))
    };
    let count = |bytes: &[u8]| outside.count(bytes);
    let context = Context { now: outside.now(), count: &count, blobs: &NoBlobs };
    let mut session = Session::start(setup, &context).expect("it starts");
    session.use_card(card.clone(), Lifetime::Usual);
    session
}

fn result(call: u32, index: usize) -> ToolResult {
    let output = words(u64::from(call) * 31 + index as u64, 300);
    let data = RunData { command: format!("make part{call}"), exit_code: Some(0), ..RunData::default() };
    ToolResult::success(output, ResultData::Run(data))
}

/// Text that no other seed gives.
pub(crate) fn words(seed: u64, count: usize) -> String {
    const WORDS: [&str; 16] = [
        "ledger", "balance", "account", "entry", "report", "cash", "total", "month", "prefix", "exact", "sum", "line",
        "value", "check", "open", "close",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = format!("text {seed}:");
    for place in 0..count {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text += if place % 12 == 11 { "\n" } else { " " };
        text += WORDS[(state % 16) as usize];
    }
    text
}

/// So many steps: thinking, words, one call or two. Every twentieth ends a round.
pub(crate) fn script(steps: usize, thinks: Thinks) -> String {
    let mut script = String::new();
    for step in 1..=steps {
        script += "[[step]]\n";
        if thinks == Thinks::Yes {
            script += &format!("thinking = \"I consider part {step}.\"\n");
        }
        script += &format!("text = \"Now part {step}.\"\n");
        if step % 20 != 0 {
            let call = |what: &str| format!("{{ name = \"Bash\", arguments = {{ what = \"{what} {step}\" }} }}");
            let calls = if step % 3 == 0 { vec![call("make"), call("test")] } else { vec![call("make")] };
            script += &format!("calls = [{}]\n", calls.join(", "));
        }
    }
    script
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinks {
    Yes,
    No,
}
