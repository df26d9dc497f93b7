//! What another program does: messages with pictures, and folds that are asked for after its answers.

use lookback_engine::{
    session::{FoldNeed, GuestFold},
    trace::{CamePart, Image, NoBlobs, Origin, TurnNo, start::ClientRecall},
};

use lookback_wire::Role;

use super::Driver;
use crate::operations::Guest;

impl Driver<'_> {
    /// Some of a person's turns come with a picture.
    pub(super) fn say_with_picture(&mut self, text: &str) {
        let mut parts = vec![CamePart::Text(text.to_owned())];
        if text.len() % 4 == 1 {
            parts.push(CamePart::Image(Image { media_type: "image/png".into(), bytes: "PNG".into() }));
        }
        let turn = self.session.user_parts(parts, None, Origin::Person, &self.context()).expect("the session is idle");
        self.remember(turn, text.as_bytes());
    }

    pub(super) fn has_something_to_answer(&self) -> bool {
        let last = self.session.view().entries().last();
        last.is_some_and(|entry| self.session.message(entry, &NoBlobs).is_ok_and(|it| it.role != Role::Assistant))
    }

    pub(super) fn fold_guest(&mut self, need: FoldNeed) {
        if self.setting.guest != Some(Guest::Folds) {
            return;
        }
        // Some messages go on behind a turn.
        let joined = (0..self.session.turns()).filter(|turn| turn % 11 == 7).map(TurnNo).collect();
        let asked = GuestFold { joined: &joined, recall: ClientRecall::Absent, need };
        let reports = self.session.tidy_guest(&asked, &self.context()).expect("no call is under way");
        for report in reports {
            assert!(!joined.contains(&report.range.last), "a fold ends inside of a message");
        }
    }
}
