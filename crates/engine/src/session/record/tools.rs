//! Recording tool calls and their complete results, and what they show of files and tests.

use bytes::Bytes;

use crate::{
    evidence::{
        lines::{NumberedLine, lines_in, split_lines},
        placing::{lacks_place, place},
        recognise::recognise,
        shell::{attribute, changed_files},
    },
    recall::observed_lines,
    session::{
        Context, Session, SessionError,
        index::{CallRecord, ToolTurn},
    },
    trace::{
        AssistantPart, BlobHash, EventBody, EventNo, Output, ResultData, Status, ToolKind, ToolResult, TurnNo,
        event::{FileChange, FileChanged, FileObserved, FollowedAnchor, Shown},
        result::{LineForm, ReadData, RunData, SearchData},
    },
    view::{
        TOKENS_PER_MESSAGE,
        large::{Candidate, Room, plan_results},
        result_text::{live_bytes, lossy},
    },
};

impl Session {
    /// A tool begins to run. Runs get their `cmd#N` here, in the order in which they begin.
    pub fn tool_call(&mut self, id: &str, kind: ToolKind, context: &Context<'_>) -> Result<(), SessionError> {
        let (turn, index) = self.open_call(id).ok_or_else(|| SessionError::NoSuchCall(id.to_owned()))?;
        if self.call_record(turn, index).is_some_and(|call| call.started) {
            return Err(SessionError::AlreadyStarted(id.to_owned()));
        }
        self.record_tool_call(turn, index, kind, context)
    }

    /// A tool ended. The last result of a step ends the step. A result for a call that was given up stays an event only.
    pub fn tool_result(&mut self, id: &str, result: ToolResult, context: &Context<'_>) -> Result<(), SessionError> {
        match self.open_call(id) {
            Some((turn, index)) => {
                self.record_result(turn, index, result, context)?;
                self.end_step_if_complete(turn, context)
            }
            None => self.record_late_result(id, result, context),
        }
    }

    /// The calls of the open step that still wait for a result, in order.
    pub fn waiting_calls(&self) -> Vec<&str> {
        let Some(step) = self.state.step.and_then(|turn| self.index.tool_turn(turn)) else { return Vec::new() };
        let waiting = step.calls.iter().filter(|call| call.result().is_none());
        waiting.filter_map(|call| self.call_id(step, call.part)).collect()
    }

    /// Records `interrupted` for what is missing of the open step, and ends it.
    pub(super) fn end_interrupted_step(&mut self, context: &Context<'_>) -> Result<(), SessionError> {
        let Some(turn) = self.state.step else { return Ok(()) };
        let calls = self.index.tool_turn(turn).map_or(0, |step| step.calls.len()) as u32;
        for index in 0..calls {
            let call = self.call_record(turn, index);
            if call.is_some_and(|call| call.result().is_none()) {
                let began = call.is_some_and(|call| call.started);
                let result = Box::new(if began { ToolResult::interrupted() } else { ToolResult::never_ran() });
                self.record(EventBody::ToolResult { turn, index, result }, context)?;
            }
        }
        self.end_step_if_complete(turn, context)
    }

    /// By the id that [`RecordedTurn`](super::RecordedTurn) gave.
    fn open_call(&self, id: &str) -> Option<(TurnNo, u32)> {
        let turn = self.state.step?;
        let step = self.index.tool_turn(turn)?;
        let index = step.calls.iter().position(|call| self.call_id(step, call.part) == Some(id))?;
        step.calls[index].result().is_none().then_some((turn, index as u32))
    }

    fn call_id(&self, step: &ToolTurn, part: u32) -> Option<&str> {
        let EventBody::AssistantTurn(assistant) = self.body_of(step.assistant) else { return None };
        match assistant.parts.get(part as usize)? {
            AssistantPart::Call { id, .. } => Some(id),
            _ => None,
        }
    }

    fn call_record(&self, turn: TurnNo, index: u32) -> Option<&CallRecord> {
        self.index.tool_turn(turn)?.calls.get(index as usize)
    }

    fn record_tool_call(
        &mut self,
        turn: TurnNo,
        index: u32,
        kind: ToolKind,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let cmd = (kind == ToolKind::Run).then(|| self.index.commands.len() as u32 + 1);
        self.record(EventBody::ToolCall { turn, index, kind, cmd }, context)
    }

    fn record_result(
        &mut self,
        turn: TurnNo,
        index: u32,
        mut result: ToolResult,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let kind = result.data.kind();
        let (started, numbered) =
            self.call_record(turn, index).map_or((false, false), |call| (call.started, call.command.is_some()));
        // A result tells better than its announcement what kind of thing ran, and every run has a number.
        let unannounced = !started || (kind == ToolKind::Run && !numbered);
        if unannounced && result.status != Status::Interrupted {
            self.record_tool_call(turn, index, kind, context)?;
        }
        let text = result.text.bytes(context.blobs)?;
        let seen = matches!(result.status, Status::Success | Status::Partial);
        let source = self.next_event();
        self.place_edit(&mut result, context);
        let mut files = if seen { file_events(&result, &text, source) } else { Vec::new() };
        for event in &mut files {
            match event {
                EventBody::FileChanged(changed) => {
                    changed.anchors = self.follow_anchors(&changed.path, &result.data, turn, context)?.into();
                }
                EventBody::FileObserved(seen) if self.state.board.shows(&seen.path) => {
                    let lines = observed_lines(seen, &result.data, &text);
                    seen.anchors = self.state.board.follow_sight(&seen.path, &lines, turn).into();
                }
                _ => {}
            }
        }
        if let ResultData::Run(run) = &mut result.data {
            // A command that printed a file ran no tests, whatever the file says about tests.
            let report = if files.is_empty() { recognise(&run.command, &lossy(&text)) } else { None };
            run.tests = report.map(Box::new);
        }
        let todo = match &result.data {
            ResultData::Todo(todo) if seen => Some(todo.items.clone()),
            _ => None,
        };
        let unseen = self.changed_unseen(&result.data);
        self.record(EventBody::ToolResult { turn, index, result: Box::new(result) }, context)?;
        // A command shows what it prints after it has changed what it changes.
        for path in unseen {
            self.file_changed_outside(path, None, context)?;
        }
        for event in files {
            self.record(event, context)?;
        }
        match todo {
            Some(items) => self.todo(items, context),
            None => Ok(()),
        }
    }

    /// Where an edit changed its file, if its tool did not say.
    fn place_edit(&self, result: &mut ToolResult, context: &Context<'_>) {
        if let ResultData::Edit(edit) = &mut result.data
            && lacks_place(&edit.hunks)
        {
            edit.hunks = place(&edit.hunks, &self.known_lines(&edit.path, context.blobs));
        }
    }

    /// What an edit or a write did to the anchors of its file.
    fn follow_anchors(
        &self,
        path: &str,
        data: &ResultData,
        turn: TurnNo,
        context: &Context<'_>,
    ) -> Result<Vec<FollowedAnchor>, SessionError> {
        let board = &self.state.board;
        if !board.shows(path) {
            return Ok(Vec::new());
        }
        Ok(match data {
            ResultData::Edit(edit) => board.follow_edit(path, &edit.hunks, turn),
            ResultData::Write(write) if matches!(write.content, Output::Beyond(_)) => board.follow_unseen(path),
            ResultData::Write(write) => {
                let bytes = write.content.bytes(context.blobs)?;
                let lines: Vec<_> = split_lines(&bytes).map(String::from_utf8_lossy).collect();
                board.follow_write(path, &lines, turn)
            }
            _ => Vec::new(),
        })
    }

    /// The known files that a command changed without showing how. One that failed may have come so far.
    fn changed_unseen(&self, data: &ResultData) -> Vec<String> {
        let ResultData::Run(run) = data else { return Vec::new() };
        let changes = changed_files(&run.command, &run.cwd);
        changes.among(&self.index.current).into_iter().map(str::to_owned).collect()
    }

    /// Nobody sees its text, but what it did to files it did.
    fn record_late_result(
        &mut self,
        id: &str,
        mut result: ToolResult,
        context: &Context<'_>,
    ) -> Result<(), SessionError> {
        let unknown = || SessionError::NoSuchCall(id.to_owned());
        let (turn, index) = self.index.call(id).ok_or_else(unknown)?;
        let unseen = self.changed_unseen(&result.data);
        self.place_edit(&mut result, context);
        let did = matches!(result.status, Status::Success | Status::Partial);
        let mut changed = match &result.data {
            ResultData::Edit(_) | ResultData::Write(_) if did => file_events(&result, &[], self.next_event()),
            _ => Vec::new(),
        };
        for event in &mut changed {
            if let EventBody::FileChanged(changed) = event {
                changed.anchors = self.follow_anchors(&changed.path, &result.data, turn, context)?.into();
            }
        }
        self.record(EventBody::ToolResult { turn, index, result: Box::new(result) }, context)?;
        unseen.into_iter().try_for_each(|path| self.file_changed_outside(path, None, context))?;
        changed.into_iter().try_for_each(|event| self.record(event, context))
    }

    fn end_step_if_complete(&mut self, turn: TurnNo, context: &Context<'_>) -> Result<(), SessionError> {
        let Some(step) = self.index.tool_turn(turn) else { return Ok(()) };
        if step.calls.iter().any(|call| call.result().is_none()) {
            return Ok(());
        }
        let shown = self.plan_step(turn, step, context)?;
        self.record(EventBody::StepEnded { turn, shown }, context)
    }

    fn plan_step(&self, turn: TurnNo, step: &ToolTurn, context: &Context<'_>) -> Result<Box<[Shown]>, SessionError> {
        let results: Vec<&ToolResult> =
            (0..step.calls.len()).filter_map(|index| Some(self.result_of(step, index)?.1)).collect();
        let texts =
            results.iter().map(|result| live_bytes(result, context.blobs)).collect::<Result<Vec<Bytes>, _>>()?;
        let candidates: Vec<Candidate<'_>> = texts
            .iter()
            .enumerate()
            .map(|(index, bytes)| Candidate { bytes, pointer: self.result_pointer(turn, index) })
            .collect();
        let used = self.view().tokens() + u64::from(self.state.model.reserve) + u64::from(TOKENS_PER_MESSAGE);
        let free = u64::from(self.state.model.window).saturating_sub(used) as u32;
        let room = Room { window: self.state.model.window, free };
        let mut test = self.index.tests.len() as u32;
        Ok(plan_results(&candidates, room, &self.configuration.results, context.count)
            .into_iter()
            .zip(results)
            .map(|(admitted, result)| {
                let is_test = matches!(&result.data, ResultData::Run(run) if run.tests.is_some());
                test += u32::from(is_test);
                Shown { tokens: admitted.tokens, cut: admitted.cut, test: is_test.then_some(test) }
            })
            .collect())
    }
}

/// What a result shows of files, as events that stand behind it.
pub(in crate::session) fn file_events(result: &ToolResult, text: &[u8], source: EventNo) -> Vec<EventBody> {
    match &result.data {
        ResultData::Read(read) => read_event(read, text, source).into_iter().collect(),
        ResultData::Search(search) => search_events(search, source),
        ResultData::Edit(edit) => vec![changed(&edit.path, FileChange::Edited { source })],
        ResultData::Write(write) => vec![changed(&write.path, FileChange::Written { source })],
        ResultData::Run(run) if shows_all_it_printed(result, run) => attribute(&run.command, &run.cwd, text)
            .into_iter()
            .filter_map(|seen| {
                let lines = lines_in(text, &seen.form, seen.first_line);
                let first = lines.first()?.0;
                Some(observation(&seen.path, first, texts(&lines), Some(seen.form.clone()), source))
            })
            .collect(),
        ResultData::Run(_) | ResultData::List(_) | ResultData::Todo(_) | ResultData::Other(_) => Vec::new(),
    }
}

/// Only then can lines be counted: of a cut, failed or killed command nobody knows which lines are the file's.
fn shows_all_it_printed(result: &ToolResult, run: &RunData) -> bool {
    let ended_well = !run.timed_out && run.exit_code.is_none_or(|code| code == 0);
    result.status == Status::Success && ended_well && !matches!(result.text, Output::Beyond(_))
}

fn read_event(read: &ReadData, text: &[u8], source: EventNo) -> Option<EventBody> {
    let lines = lines_in(text, &read.form, read.first_line);
    let whole = read.first_line <= 1 && read.total_lines == Some(lines.len() as u32);
    let first = lines.first().map(|(number, _)| *number).or(whole.then_some(1))?;
    let EventBody::FileObserved(seen) = observation(&read.path, first, texts(&lines), Some(read.form.clone()), source)
    else {
        return None;
    };
    Some(EventBody::FileObserved(Box::new(FileObserved { mtime: read.mtime, whole, ..*seen })))
}

fn search_events(search: &SearchData, source: EventNo) -> Vec<EventBody> {
    let mut paths: Vec<&str> = search.matches.iter().map(|found| found.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    let event = |path: &str| {
        let matches = || search.matches.iter().filter(|found| found.path == path);
        let first = matches().map(|found| found.line).min().unwrap_or(1);
        observation(path, first, matches().map(|found| found.text.as_str()), None, source)
    };
    paths.into_iter().map(event).collect()
}

fn texts<'a>(lines: &'a [NumberedLine<'_>]) -> impl Iterator<Item = &'a str> {
    lines.iter().map(|(_, line)| line.as_ref())
}

fn observation<'a>(
    path: &str,
    first_line: u32,
    lines: impl Iterator<Item = &'a str>,
    form: Option<LineForm>,
    source: EventNo,
) -> EventBody {
    let lines: Vec<&str> = lines.collect();
    EventBody::FileObserved(Box::new(FileObserved {
        path: path.to_owned(),
        first_line,
        line_count: lines.len() as u32,
        source,
        form,
        mtime: None,
        whole: false,
        hash: BlobHash::of(lines.join("\n").as_bytes()),
        anchors: Box::default(),
    }))
}

fn changed(path: &str, change: FileChange) -> EventBody {
    EventBody::FileChanged(Box::new(FileChanged { path: path.to_owned(), change, anchors: Box::default() }))
}
