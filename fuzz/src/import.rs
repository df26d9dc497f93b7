//! Recorded sessions: whatever stands in a file, what was read of it becomes a trace that replays.

use lookback_engine::{
    Context, ModelChoice, Recorder, Session, SessionSetup, WholeStep,
    trace::{NoBlobs, SessionId, Timestamp, TurnNo},
};
use lookback_replay::{
    import::{detect, importer, leave_out_arguments, parse_document},
    recording::{Format, Item, Recording},
};
use lookback_wire::Provider;

pub fn becomes_a_trace(format: Format, input: &[u8]) {
    let _ = detect(input);
    let mut recording = Recording::new(format);
    match importer(format) {
        Some(mut importer) => {
            for (number, line) in (1..).zip(input.split(|byte| *byte == b'\n')) {
                importer.line(number, line, &mut recording);
            }
            importer.finish(&mut recording);
        }
        None if parse_document(format, input, &mut recording).is_err() => return,
        None => {}
    }
    let count = |bytes: &[u8]| bytes.len().div_ceil(4) as u32;
    let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    let setup = SessionSetup::new(SessionId("fuzz00000000".into()));
    let mut recorder = Recorder::start(setup, &context).expect("nothing is in its way");
    let mut events = recorder.take_events();
    let mut ends = Vec::new();
    for mut item in recording.items {
        leave_out_arguments(&mut item);
        record(&mut recorder, item, &mut ends, &context);
        events.extend(recorder.take_events());
    }
    let session = Session::replay(events, &NoBlobs).expect("what was recorded here replays");
    // What fits nowhere is refused, and that is all.
    let _ = session.body(&NoBlobs);
}

fn record(recorder: &mut Recorder, item: Item, ends: &mut Vec<TurnNo>, context: &Context<'_>) {
    match item {
        Item::User(user) => ends.push(recorder.user_turn(user.text, user.origin, context).expect("it is recorded")),
        Item::Call(call) => {
            if let Some(model) = call.model {
                let choice = ModelChoice::new(&model, Provider::Chat, 200_000);
                recorder.model_changed(choice, context).expect("it is recorded");
            }
            let step = WholeStep { parts: call.parts, stop: call.stop, results: call.results, bill: None };
            ends.push(recorder.step(step, context).expect("it is recorded"));
        }
        Item::Compaction(_) => {}
        Item::Rewind { last } => {
            if let Some(turn) = last.and_then(|last| ends.get(last)).or(ends.first()) {
                // Some turns cannot be gone back to; importing says so and goes on.
                let _ = recorder.return_to(*turn, context);
            }
        }
    }
}
