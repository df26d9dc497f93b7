//! What a person can type. Only shapes: nothing is opened or looked up here.

mod gateway;
mod run;

pub(crate) use gateway::{GatewayArguments, GatewayCommand, GatewayReportArguments, WithArguments};
pub(crate) use run::{ResumeArguments, RunArguments, RunOptions, UndoArguments};

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use clap::{
    ArgGroup, Args, Parser, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use clap_complete::Shell;
use lookback_engine::{
    card::Lifetime,
    trace::{Layout, TurnNo, decision::TurnRange},
};
use lookback_replay::strategy::{StrategyName, UnknownStrategy};
use lookback_upstream::Chunks;
use lookback_wire::Provider;

/// The context engine for coding agents.
///
/// Sessions are kept in one database, in the directory LOOKBACK_HOME; without it in XDG_DATA_HOME/lookback, and without
/// that in ~/.local/share/lookback. Settings are read from LOOKBACK_CONFIG; without it from lookback/config.toml in
/// XDG_CONFIG_HOME or ~/.config.
#[derive(Debug, Parser)]
#[command(name = "lookback", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the stored sessions, or remove some
    Sessions(SessionsArguments),
    /// Show what a session's model is sent, what the session knows, what happened, or what its calls reused
    Show(ShowArguments),
    /// Put one short block in the place of a session's older turns: every call after it costs less
    ///
    /// Takes the turns from the end of the last block (without one from the beginning) up to the newest steps, which stay
    /// as they are; where there is nothing to fold there, turns that were unfolded are folded again. Nothing is lost:
    /// every turn is kept as it was, `recall` finds it, and `unfold` puts it back.
    Fold(FoldArguments),
    /// Put the turns of a block back in its place
    Unfold(UnfoldArguments),
    /// Keep a text word for word, also when a block takes the place of its turn
    ///
    /// A turn (turn#12, user#3), lines of a file (file:src/a.py:L10-L20) or what a command printed (cmd#8). Where its turn
    /// is folded already, the next fold shows it.
    Pin(PinArguments),
    /// Take a pin back: blocks made from now on need not keep its text
    Unpin(PinArguments),
    /// Store recorded sessions of other agents, or what `show ID --trace --json` wrote
    ///
    /// Claude Code, Codex, SWE-agent, mini-swe-agent, opencode, pi, gemini-cli and Lookback's own traces are told apart by
    /// their content. With nothing named it looks where Claude Code, Codex and opencode keep theirs, and asks before it
    /// reads them. A session that has grown since it was imported is brought up to date, and keeps what was done to it
    /// here. What cannot be used of a file is skipped and counted.
    Import(ImportArguments),
    /// Say what recorded sessions would have cost, and forgotten, under other ways of showing them
    ///
    /// Takes files and folders of Claude Code, Codex, SWE-agent, mini-swe-agent, opencode, pi, gemini-cli and Lookback,
    /// plain or compressed, and stored sessions by their ids. With nothing named it looks where Claude Code, Codex and
    /// opencode keep theirs, and asks before it reads them; where there are none it replays a sample. Nothing is sent
    /// anywhere.
    Replay(ReplayArguments),
    /// Work on a task in the project of this folder
    ///
    /// Reads, runs and changes files until the task is done; older steps are folded as it goes. Only the answer is written to
    /// standard output. Ends with 0 when it is done, 1 on an error, 3 at a limit, 4 when something was not permitted, 130
    /// when it was cancelled.
    Run(Box<RunArguments>),
    /// Go on with a run that was stopped, killed or cancelled
    ///
    /// With its own model, unless another is named. What was running when it ended is told to the model as interrupted.
    Resume(Box<ResumeArguments>),
    /// Put the files back as they were before the last step of a run that changed any
    ///
    /// Shows the difference first and asks. Files that somebody else has changed since are left alone, and then nothing is
    /// put back.
    Undo(UndoArguments),
    /// The inside of the sandbox: started by `run` for each command
    #[command(name = "__inside", hide = true)]
    Inside { spec: String },
    /// Stand between another agent and its provider: record what passes, and fold it
    ///
    /// The agent's base URL points here, and its requests go on with its own key. In `observe` nothing is changed; in `fold`
    /// old messages are replaced by short blocks, the same bytes every time, so that the provider's cache keeps paying.
    Gateway(GatewayArguments),
    /// Run another agent through a gateway of its own, and say what folding saved or would have saved
    ///
    /// Its base URL is set for this process only; its login and its settings stay as they are, and no file of yours is
    /// written. What it says is recorded as a session.
    With(WithArguments),
    /// Give an agent behind the gateway its own details back: a server of the Model Context Protocol on standard input
    ///
    /// Its tools are `recall`, `search` and `board`; each reaches only the conversation whose id a block carries.
    Mcp,
    /// Bring back any detail, by pointer or by words
    Recall(RecallArguments),
    /// Say which settings hold and where they come from, and whether the model can be reached
    ///
    /// Shows the configuration, the model's card, its key and how it is reached. Nothing is sent without --send. Ends
    /// with 1 when something must be put right.
    Doctor(DoctorArguments),
    /// Write what a session's model said as a script that can be played again
    ///
    /// For bug reports: `upstream --script FILE` plays it to any agent. Thinking, text, calls, stops and usage are as they
    /// were; what a trace does not have, the file says. It holds what the session held, so read it before you pass it
    /// on.
    Record(RecordArguments),
    /// Be a provider that plays a script, for tests and for people who build agents
    ///
    /// Speaks Anthropic Messages, Chat Completions and Responses on this machine, refuses what providers refuse, bills by
    /// a model's card, and breaks where the script says so. See docs/upstream.md for the file.
    Upstream(UpstreamArguments),
    /// What people type first for `sessions rm`
    #[command(hide = true)]
    Rm {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        what: Vec<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// Which shell to complete for
        shell: Shell,
    },
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
    /// Only those of this agent: claude-code, codex, …
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Only those whose folder has this in its path
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,
    /// Only those whose title has this
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Only those whose last turn was in the last so much time: 30d, 12h, 2w
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) used_within: Option<jiff::SignedDuration>,
    /// Print one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// Remove sessions with everything that only they use; nothing else ever removes an event
    Rm(RemoveArguments),
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true).args(["ids", "older_than"])))]
pub(crate) struct RemoveArguments {
    /// Sessions, by the beginning of their ids. They are removed at once: whoever names them has chosen them
    #[arg(value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// All sessions not used or imported for so long: 30d, 12h, 2w. Shows them and asks
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) older_than: Option<jiff::SignedDuration>,
    #[command(flatten)]
    pub(crate) consent: RemoveConsent,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct RemoveConsent {
    /// Only show which sessions would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove what --older-than finds without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The session, by the beginning of its id
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) what: ShowWhat,
    /// Write the prompt as for this API: anthropic, chat, responses or react [default: the session's own]
    #[arg(long, value_name = "PROVIDER")]
    pub(crate) provider: Option<Provider>,
    /// Lay the view out so, only for this screen [default: as the session is]
    ///
    /// With --view: what the model would be sent. With --ledger: react writes every prompt of the session so, as
    /// --provider react does; chat and execute add what the next call would send if the layout changed now.
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    pub(crate) layout: Option<Layout>,
    /// Only these turns, of the view or of the trace: 40-60, 40- or 40
    #[arg(long, value_name = "TURNS", value_parser = parse_turns, conflicts_with_all = ["board", "ledger", "json"])]
    pub(crate) turns: Option<TurnRange>,
    /// Print JSON: the request as it is sent, the board, one event a line, or the ledger's lines
    #[arg(long)]
    pub(crate) json: bool,
    /// Write straight to the terminal instead of through PAGER
    #[arg(long)]
    pub(crate) no_pager: bool,
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct ShowWhat {
    /// Everything that happened, event by event
    #[arg(long)]
    pub(crate) trace: bool,
    /// What the model is sent (the default)
    #[arg(long)]
    pub(crate) view: bool,
    /// What the session knows, with its evidence: task, facts, open questions, next steps
    #[arg(long)]
    pub(crate) board: bool,
    /// For each call what was reused, what was not, and why
    #[arg(long)]
    pub(crate) ledger: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FoldArguments {
    /// The session, by the beginning of its id
    #[arg(value_name = "ID", required_unless_present = "schema")]
    pub(crate) id: Option<String>,
    /// Take what somebody else wrote instead of the rules: a file, or - for standard input
    ///
    /// JSON, as --schema describes it. It points at what happened, and the block says what stands there; what the session
    /// contradicts is refused and said.
    #[arg(long, value_name = "FILE")]
    pub(crate) by: Option<PathBuf>,
    /// Print the JSON schema of what --by takes, and do nothing else
    #[arg(long, exclusive = true)]
    pub(crate) schema: bool,
    /// Show the block, what the session would know (its board) and the price, and change nothing
    #[arg(long)]
    pub(crate) preview: bool,
    /// Only this closed span (a named stretch of turns), by its name or as NAME#N; what lies before it stays as it is
    #[arg(long, value_name = "SPAN")]
    pub(crate) span: Option<String>,
    /// What the block should keep most of, in your words
    #[arg(long, value_name = "TEXT")]
    pub(crate) focus: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PinArguments {
    /// The session, by the beginning of its id
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// What to keep: turn#12, user#3, file:src/a.py:L10-L20, cmd#8
    #[arg(value_name = "POINTER")]
    pub(crate) pointer: String,
    /// Print all pins as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UnfoldArguments {
    /// The session, by the beginning of its id
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The block's number, as `show` names it
    #[arg(value_name = "K")]
    pub(crate) block: u32,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Files, folders and opencode's database, plain or compressed (gz, zst); - for standard input [default: what is on this
    /// machine]
    #[arg(value_name = "FILE|DIR")]
    pub(crate) files: Vec<PathBuf>,
    /// Import what was found on this machine without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Say what became of every file, and what of it could not be used
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Files, folders, sessions by the beginning of their ids; - for standard input [default: what is on this machine]
    #[arg(value_name = "FILE|DIR|ID")]
    pub(crate) what: Vec<String>,
    /// Show these, and append, against which they are measured; without a name every one [default: append, what was
    /// paid, the best other, lookback, oracle]
    #[arg(long, value_name = "NAME,…", num_args = 0..=1, default_missing_value = "all", value_parser = strategies)]
    pub(crate) strategies: Option<Strategies>,
    /// Bill by these prices: a provider (anthropic, openai, deepseek, gemini, qwen), a model, or a file of cards
    /// (FILE.toml, FILE.toml:MODEL) [default: those of each session's own provider]
    #[arg(long, value_name = "CARD")]
    pub(crate) prices: Option<String>,
    /// How long cache entries live, where customers choose: 5m or 1h [default: as each file says]
    #[arg(long, value_name = "TIME", value_parser = lifetimes())]
    pub(crate) ttl: Option<Lifetime>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the page here [default: lookback-replay.html, or none with --json]
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Read what was found on this machine without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecallArguments {
    /// A pointer (file:src/a.py:L40-L55, cmd#12 exit=1, test#3, turn#41, user#2, gate#1, span#fix#1; ID/turn#41 in
    /// another session) or words to search for
    #[arg(value_name = "POINTER|QUERY", required = true, num_args = 1..)]
    pub(crate) what: Vec<String>,
    /// Only in this session [default: the newest for a pointer, all for words]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Show at most so many finds of a search
    #[arg(long, value_name = "NUMBER", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// The model, as PROVIDER/MODEL or by its bare name [default: LOOKBACK_MODEL, else the configuration's]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Reach the model here, at any server that speaks its API
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Reach it by this proxy, as in http://host:3128 or socks5h://host:1080
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Trust the certificates in this PEM file, beside the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Make one small request (at most 16 tokens of answer) and say what came back
    #[arg(long)]
    pub(crate) send: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The session, by the beginning of its id
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Write the script here [default: to standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct UpstreamArguments {
    /// What the model says, step by step
    #[arg(long, value_name = "FILE")]
    pub(crate) script: PathBuf,
    /// Where to listen, on this machine; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
    /// Refuse, cache and bill as this model does: a provider, a model, or a file of cards [default: the script's model, else
    /// the one that each request names]
    #[arg(long, value_name = "CARD")]
    pub(crate) model: Option<String>,
    /// How the bytes of an answer are cut: 1, odd or whole
    #[arg(long, value_name = "SIZE", default_value = "whole")]
    pub(crate) chunks: Chunks,
    /// Write every request with its bill here, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

/// Which strategies are run and shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Strategies {
    All,
    Named(Vec<StrategyName>),
}

fn strategies(names: &str) -> Result<Strategies, String> {
    let named = |names: &str| names.split(',').map(str::parse).collect::<Result<_, UnknownStrategy>>();
    match names {
        "all" => Ok(Strategies::All),
        // `--strategies FILE` is how people ask for all of them.
        names => named(names).map(Strategies::Named).map_err(|error| match Path::new(names).exists() {
            true => format!("that is a file or a folder: write --strategies all {names}"),
            false => error.to_string(),
        }),
    }
}

fn lifetimes() -> impl TypedValueParser<Value = Lifetime> {
    PossibleValuesParser::new(["5m", "1h"]).map(|name| match name.as_str() {
        "1h" => Lifetime::OneHour,
        _ => Lifetime::Usual,
    })
}

fn layouts() -> impl TypedValueParser<Value = Layout> {
    PossibleValuesParser::new(["chat", "react", "execute"]).map(|name| match name.as_str() {
        "react" => Layout::React,
        "execute" => Layout::Execute,
        _ => Layout::Chat,
    })
}

fn parse_turns(text: &str) -> Result<TurnRange, String> {
    let wrong = || format!("\"{text}\" names no turns: write 40-60, 40- or 40");
    let number = |text: &str| text.trim().trim_start_matches("turn#").parse().map(TurnNo).map_err(|_| wrong());
    let range = match text.split_once(['-', '–']) {
        None => TurnRange { first: number(text)?, last: number(text)? },
        Some((first, "")) => TurnRange { first: number(first)?, last: TurnNo(u32::MAX) },
        Some((first, last)) => TurnRange { first: number(first)?, last: number(last)? },
    };
    if range.first <= range.last { Ok(range) } else { Err(wrong()) }
}

fn parse_age(text: &str) -> Result<jiff::SignedDuration, String> {
    let wrong = || format!("\"{text}\" is no age: write a number and a unit, like 30d, 12h or 2w");
    let unit = text.chars().last().ok_or_else(wrong)?;
    let number: i64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    let hours = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 24 * 7,
        _ => return Err(wrong()),
    };
    let hours =
        number.checked_mul(hours).filter(|hours| (0..=i64::from(i32::MAX)).contains(hours)).ok_or_else(wrong)?;
    Ok(jiff::SignedDuration::from_hours(hours))
}
