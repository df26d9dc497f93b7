use std::time::Duration;

use lookback_wire::{Delta, Provider, Reply, ReplyContent, ReplyStop, Seal, TokenUsage};
use tokio::time::Instant;

use super::{Billing, ScriptModel};
use crate::{
    Answering, ErrorKind, ModelError, Progress, Request,
    script::{Player, Script},
};

#[derive(Debug)]
struct Ten;

impl Billing for Ten {
    fn bill(&mut self, _: &Request, reply: &mut Reply) -> Result<TokenUsage, ModelError> {
        for part in &mut reply.parts {
            if let ReplyContent::Thinking { seal, .. } = &mut part.content {
                *seal = Seal::Signature("sealed".into());
            }
        }
        Ok(TokenUsage { uncached: 10, output: 1, ..TokenUsage::default() })
    }
}

fn send(script: &str) -> Answering {
    let script = Script::parse(script).expect("a script");
    let model = ScriptModel::new(Player::new("fix.toml", script), Some(Box::new(Ten)));
    model.send(Request { api: Provider::Chat, body: br#"{"messages":[{"role":"user","content":"go"}]}"#.to_vec() })
}

/// All that happens, and the error at the end where there is one.
async fn watch(answering: &mut Answering) -> (Vec<Progress>, Option<ModelError>) {
    let mut seen = Vec::new();
    loop {
        match answering.next().await {
            Ok(Some(progress)) => seen.push(progress),
            Ok(None) => return (seen, None),
            Err(error) => {
                assert_eq!(answering.next().await, Ok(None), "after an error comes none");
                return (seen, Some(error));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_step_is_said_piece_by_piece_at_its_pace() {
    let mut answering = send(
        "[[step]]\nthinking = \"Hm, so.\"\ntext = \"Look at it.\"\ncalls = [{ name = \"Read\" }]\nfirst_byte_ms = 300\npiece_ms = 20\n",
    );
    let began = Instant::now();
    let (seen, error) = watch(&mut answering).await;
    assert_eq!(error, None);
    let deltas = [
        Delta::Thinking("Hm, ".into()),
        Delta::Thinking("so.".into()),
        Delta::Text("Look ".into()),
        Delta::Text("at ".into()),
        Delta::Text("it.".into()),
        Delta::Call { name: "Read".into() },
    ];
    assert_eq!(seen, deltas.map(Progress::Delta));
    assert_eq!(began.elapsed(), Duration::from_millis(300 + 5 * 20));
    let reply = answering.into_reply();
    let contents: Vec<ReplyContent> = reply.parts.into_iter().map(|part| part.content).collect();
    assert_eq!(
        contents,
        [
            ReplyContent::Thinking { text: "Hm, so.".into(), seal: Seal::Signature("sealed".into()) },
            ReplyContent::Text("Look at it.".into()),
            ReplyContent::Call { id: "step-1-1".into(), name: "Read".into(), arguments: "{}".into() },
        ]
    );
    assert_eq!((reply.stop, reply.usage.map(|usage| usage.uncached)), (ReplyStop::End, Some(10)));
}

#[tokio::test(start_paused = true)]
async fn faults_before_content_are_said_and_tried_again() {
    let mut answering =
        send("[[step]]\ntext = \"Done.\"\nfaults = [\"429 retry-after=7\", \"529\", \"cut\", \"stall\"]\n");
    let began = Instant::now();
    let (seen, error) = watch(&mut answering).await;
    // A stall is tried once more only, and this was the fourth try.
    assert_eq!(error.map(|error| error.kind), Some(ErrorKind::TimedOut));
    let said: Vec<String> = seen
        .iter()
        .map(|progress| match progress {
            Progress::Retrying { attempt, wait, because } => format!("{attempt} {wait:?} {because}"),
            Progress::Delta(delta) => format!("{delta:?}"),
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    2 7s the script says so: 429 retry-after=7
    3 0ns the script says so: 529
    4 0ns the script says so: cut
    ");
    assert_eq!(began.elapsed(), Duration::from_secs(7));
}

#[tokio::test]
async fn a_stream_that_breaks_after_content_is_not_tried_again() {
    for fault in ["cut after=3", "stall after=3"] {
        let mut answering = send(&format!("[[step]]\ntext = \"Look at it.\"\nfaults = [\"{fault}\"]\n"));
        let (seen, error) = watch(&mut answering).await;
        assert_eq!(seen, [Progress::Delta(Delta::Text("Loo".into()))]);
        assert_eq!(error.map(|error| error.kind), Some(ErrorKind::CutStream));
        let reply = answering.into_reply();
        assert_eq!(reply.parts[0].content, ReplyContent::Text("Loo".into()));
        assert_eq!((reply.stop, reply.usage), (ReplyStop::Cut, None));
    }
}

#[tokio::test]
async fn errors_have_their_kinds() {
    for (fault, kind) in [
        ("401", ErrorKind::BadKey),
        ("404", ErrorKind::NoSuchModel),
        ("400", ErrorKind::BadRequest),
        ("wrong-json", ErrorKind::Nonsense),
        ("overflow", ErrorKind::PromptTooLong { sent: None, limit: None }),
        ("refuse-thinking", ErrorKind::RefusedThinking),
    ] {
        let mut answering = send(&format!("[[step]]\ntext = \"x\"\nfaults = [\"{fault}\"]\n"));
        assert_eq!(watch(&mut answering).await.1.map(|error| error.kind), Some(kind), "{fault}");
    }
    let (seen, error) = watch(&mut send("")).await;
    assert_eq!(seen, []);
    let message = error.map(|error| error.message).unwrap_or_default();
    assert_eq!(message, "fix.toml ends with step 0, and this conversation asks for step 1: add a [[step]] to it");
}

#[tokio::test]
async fn the_files_own_usage_wins() {
    let mut answering = send("[[step]]\ntext = \"x\"\nusage = { cached = 7, output = 3 }\n");
    watch(&mut answering).await;
    let usage = TokenUsage { cached: 7, output: 3, ..TokenUsage::default() };
    assert_eq!(answering.into_reply().usage, Some(usage));
}
