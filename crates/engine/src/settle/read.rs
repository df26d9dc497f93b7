//! The history form of a read: the range that was read, with line numbers (docs/seeds.md A3).
//!
//! Lines that the text shows in another form than the tool declared are not guessed at: they count as left out.

use super::{SettleLimits, object::Object, shorten};
use crate::{evidence::lines::lines_in, trace::result::ReadData};

pub(super) fn settle_read(read: &ReadData, text: &[u8], limits: &SettleLimits) -> String {
    let lines = lines_in(text, &read.form, read.first_line);
    let present = lines.len().max(read.line_count as usize);
    let kept = lines.len().min(limits.read_lines);

    let mut data = Object::new();
    data.field("path", shorten::shorten(&read.path, limits.characters));
    if read.line_count > 0 {
        let last = read.first_line.saturating_add(read.line_count - 1);
        data.field("lines", format!("{}-{last}", read.first_line));
    }
    if let Some(total) = read.total_lines {
        data.field("total_lines", total);
    }
    // A7: "Read 结果进入 history（含 mtime）".
    if let Some(mtime) = read.mtime {
        data.field("mtime", mtime);
    }
    data.mark("truncated", read.truncated);
    if kept > 0 {
        data.field("content", shorten::render_numbered(lines.into_iter().take(kept), limits.characters));
    }
    data.left_out("lines_left_out", present - kept);
    data.end()
}
