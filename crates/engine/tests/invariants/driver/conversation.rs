//! What is said and done: turns, calls, answers, steps with their results.

use lookback_engine::{
    NewPart, SessionError,
    session::FoldNeed,
    trace::{
        EventNo, Origin, Output, ResultData, Stop, ToolKind, ToolResult, TurnNo,
        event::{Interruption, Usage},
    },
};
use lookback_wire::{Seal, TokenUsage};
use serde_json::Value;

use super::{Driver, results};
use crate::operations::{CallPlan, Guest, StepPlan, TextPlan, Tool};

impl Driver<'_> {
    pub(super) fn say(&mut self, text: &str, origin: Origin) {
        let turn = self.session.user_turn(text, origin, &self.context()).expect("the session is idle");
        self.remember(turn, text.as_bytes());
    }

    pub(super) fn remember(&mut self, turn: TurnNo, bytes: &[u8]) {
        let last = EventNo(self.session.next_event().0 - 1);
        self.went_in.entry(turn).or_default().push((last, bytes.to_vec()));
    }

    /// Starts a call, if need be after a user turn that gives the model something to answer.
    pub(super) fn call(&mut self) -> bool {
        let context = self.context();
        if self.setting.guest.is_some() && !self.has_something_to_answer() {
            // A client asks for nothing else.
            self.say("go on", Origin::Person);
        }
        let mut started = self.session.start_call(&context);
        if started == Err(SessionError::NothingToAnswer) {
            self.say("go on", Origin::Person);
            started = self.session.start_call(&context);
        }
        match started {
            Ok(_) => {
                self.tally.note_call(&self.session);
                self.watch.sent(&self.session, self.counted.get());
                true
            }
            Err(SessionError::WindowExceeded(_)) => {
                self.tally.exceeded += 1;
                self.watch.refused(&self.session);
                false
            }
            Err(error) => panic!("an idle session must start a call: {error}"),
        }
    }

    pub(super) fn call_and_answer(&mut self, text: &str, stop: Stop) {
        if self.call() {
            self.answer(vec![NewPart::Text(text.to_owned())], stop);
        }
    }

    fn answer(&mut self, parts: Vec<NewPart>, stop: Stop) -> Vec<String> {
        let said: Vec<Vec<u8>> = parts
            .iter()
            .map(|part| match part {
                NewPart::Text(text) | NewPart::Thinking { text, .. } => text.clone().into_bytes(),
                NewPart::Call { arguments, .. } | NewPart::UnfinishedCall { arguments, .. } => {
                    arguments.clone().into_bytes()
                }
                NewPart::Native { raw, .. } => raw.clone().into_bytes(),
            })
            .collect();
        let more = if self.setting.guest == Some(Guest::Watches) { 7 } else { 0 };
        let billed = self.session.view().tokens() as u32 * (self.setting.billed + more) / 100;
        let recorded = self.session.assistant_turn(parts, stop, &self.context()).expect("a call is open");
        said.iter().for_each(|bytes| self.remember(recorded.turn, bytes));
        let cached = billed / 2;
        let billed = TokenUsage { uncached: billed - cached, cached, output: 4, ..TokenUsage::default() };
        let usage = Usage { call: self.session.last_call(), billed };
        self.session.usage(usage, &self.context()).expect("usage");
        recorded.calls
    }

    pub(super) fn step(&mut self, plan: &StepPlan) {
        // A guest's model has no Board.
        let own = StepPlan { board: plan.board.filter(|_| self.setting.guest.is_none()), ..plan.clone() };
        let plan = &own;
        if !self.call() {
            return;
        }
        let ids = self.answer(self.parts(plan), plan.stop);
        self.fold_guest(FoldNeed::WhatPays);
        let turn = TurnNo(self.session.turns() - 1);
        let (board, ids) = if plan.board.is_some() { ids.split_at(ids.len().min(1)) } else { ids.split_at(0) };
        if let (Some(text), Some(id)) = (&plan.board, board.first()) {
            self.write_board(*text, id, turn);
        }
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|place| (*place as u64 + 1).wrapping_mul(plan.order | 1).rotate_left(17));
        for (done, place) in order.into_iter().enumerate() {
            if plan.interrupted_after == Some(done) {
                self.session.interrupt(Interruption::Cancelled, &self.context()).expect("it can be interrupted");
            }
            if plan.order.is_multiple_of(3) {
                // Given up calls and calls that were announced before are no longer to be started.
                let kind = [ToolKind::Run, ToolKind::Other][place % 2];
                let _ = self.session.tool_call(&ids[place], kind, &self.context());
            }
            self.finish_call(&plan.calls[place], &ids[place], turn);
        }
    }

    fn parts(&self, plan: &StepPlan) -> Vec<NewPart> {
        let call_number = self.session.last_call();
        let mut parts = Vec::new();
        if let Some((text, signed)) = &plan.thinking {
            let seal = match (signed, plan.order % 4) {
                (false, _) => Seal::None,
                (true, 0) => Seal::Signature("c2ln".into()),
                (true, 1) => Seal::Redacted("cmVk".into()),
                (true, 2) => Seal::Encrypted { id: Some("rs_1".into()), content: "Z0E=".into() },
                (true, _) => Seal::Plain,
            };
            parts.push(NewPart::Thinking { text: text.clone(), seal });
        }
        parts.push(NewPart::Text(plan.text.clone()));
        if plan.board.is_some() {
            let id = format!("board_{call_number}");
            parts.push(NewPart::Call { id, name: "Board".into(), arguments: "{}".into() });
        }
        for (place, call) in plan.calls.iter().enumerate() {
            let id = match plan.repeats_ids {
                true => format!("call_{place}"),
                false => format!("toolu_{call_number}_{place}"),
            };
            let name = ["Tool", "mcp.files/read", "读", ""][call.output.len() % 4];
            parts.push(NewPart::Call { id, name: name.into(), arguments: call.arguments.clone() });
        }
        if plan.unfinished && plan.stop.is_interrupted() {
            parts.push(NewPart::UnfinishedCall { id: "cut".into(), name: "Tool".into(), arguments: "{\"pa".into() });
        }
        parts
    }

    /// The model writes a delta itself: the tool's result says what became of it.
    fn write_board(&mut self, text: TextPlan, id: &str, turn: TurnNo) {
        let waits = self.session.waiting_calls().contains(&id);
        let said = match waits.then(|| self.delta(text)).flatten() {
            Some(report) => report.to_string(),
            None => "refused".into(),
        };
        let result = ToolResult::success(said.clone(), ResultData::Other(Value::Null));
        self.session.tool_result(id, result, &self.context()).expect("the call is known");
        self.remember(turn, said.as_bytes());
    }

    fn finish_call(&mut self, call: &CallPlan, id: &str, turn: TurnNo) {
        let (result, after) = match call.tool {
            Tool::Wild(kind) => (results::wild(kind, call), None),
            Tool::Known(tool, seed) => self.file.use_tool(tool, seed),
        };
        let result = if call.fails { results::failed(result) } else { result };
        let Output::Inline(text) = result.text.clone() else { panic!("outputs are small") };
        if let Some(lines) = after.filter(|_| !call.fails) {
            self.set_known_file(lines);
        }
        self.session.tool_result(id, result, &self.context()).expect("the call is known");
        self.remember(turn, &text);
    }
}
