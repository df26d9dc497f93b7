//! Lookback's own traces: whatever somebody wrote into one, it is refused or replays, and a fold of it holds.

use lookback_engine::{
    Context, Session,
    trace::{Event, NoBlobs, Timestamp, upgrade::TraceReader},
};

pub fn is_refused_or_replays(input: &[u8]) {
    let mut reader = TraceReader::default();
    let lines = input.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let Ok(events) = lines.map(|line| reader.event(line)).collect::<Result<Vec<Event>, _>>() else { return };
    let count = |bytes: &[u8]| bytes.len().div_ceil(4) as u32;
    let context = Context { now: Timestamp(0), count: &count, blobs: &NoBlobs };
    let Ok(checked) = Session::replay_checked(events, &context) else { return };
    let mut session = checked.session;
    let _ = session.body(&NoBlobs);
    if checked.doubted.is_none()
        && let Ok(draft) = session.draft_fold(None, &context)
        && session.fold_by_rules(&draft, &context).is_ok()
    {
        let folded = Session::replay_checked(session.trace().to_vec(), &context).expect("it was made here");
        assert_eq!(folded.doubted, None);
    }
}
