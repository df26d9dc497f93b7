//! What reaches the terminal: tables that fit, numbers with units, and no control character from a trace.
//!
//! People read a [`Screen`]; programs and pipes that want the bytes themselves get them from [`bytes`].

mod asking;
mod colour;
mod numbers;
mod pager;
mod table;
mod visible;
mod waiting;

use std::{
    fmt,
    io::{self, BufWriter, IsTerminal, Write},
};

pub(crate) use asking::{ask, can_ask, typed};
pub(crate) use numbers::{age, counted, exact, short, time};
pub(crate) use pager::{begin_paging, end_paging};
pub(crate) use table::{
    columns, columns_or_endless, write_facts, write_line, write_marked_table, write_table, write_wrapped_table,
};
pub(crate) use visible::{one_line, visible};
pub(crate) use waiting::announce;

/// Text for people's eyes. `write!` and `writeln!` are the only ways in and make everything visible, so no string of a
/// trace can command the terminal because somebody forgot.
pub(crate) struct Screen<W>(W);

impl<W: Write> Screen<W> {
    pub(crate) fn write_fmt(&mut self, text: fmt::Arguments<'_>) -> io::Result<()> {
        self.0.write_all(visible(&text.to_string()).as_bytes())
    }

    /// The same in the colour of what a reader looks for, where there are colours.
    pub(crate) fn write_marked(&mut self, line: &str) -> io::Result<()> {
        match colour::is_on() {
            true => writeln!(self.0, "{}{}{}", colour::MARKED, visible(line), colour::PLAIN),
            false => writeln!(self, "{line}"),
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard output for people.
pub(crate) fn screen() -> Screen<BufWriter<Box<dyn Write>>> {
    Screen(bytes())
}

/// A whole text for people.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    let mut out = screen();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Standard output for programs: nothing is changed. Or the pager, where there is one.
pub(crate) fn bytes() -> BufWriter<Box<dyn Write>> {
    BufWriter::new(pager::input().unwrap_or_else(|| Box::new(io::stdout().lock())))
}

/// One value for programs, on lines that people can read, too.
pub(crate) fn show_json(value: &serde_json::Value) -> anyhow::Result<()> {
    let mut out = bytes();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(out.flush()?)
}

/// One value for programs, on one line.
pub(crate) fn show_json_line(value: &serde_json::Value) -> anyhow::Result<()> {
    let mut out = bytes();
    writeln!(out, "{value}")?;
    Ok(out.flush()?)
}

/// One line, and a line for each cause that says something new.
pub(crate) fn complain(error: &anyhow::Error) {
    let mut said = error.to_string();
    let mut text = format!("error: {said}");
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            text.push_str(&format!("\n       {cause}"));
            said = cause;
        }
    }
    remark(&text);
}

/// Side remarks: they must not end up in a pipe. On a terminal they break between words.
pub(crate) fn remark(text: &str) {
    let mut lines = text.split('\n').flat_map(table::broken_for_errors);
    // If even standard error is closed, there is nobody left to tell.
    let _ = lines.try_for_each(|line| writeln!(Screen(io::stderr()), "{line}"));
}

pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// `lookback show … | head` ends early, and that is no error.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let writing = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let writing_json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        writing.or(writing_json) == Some(io::ErrorKind::BrokenPipe)
    })
}
