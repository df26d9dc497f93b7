//! Why settings cannot be used, in words for whoever made them.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Error)]
pub(crate) enum SettingsError {
    #[error("{file}, {problem}")]
    File { file: String, problem: FileProblem },
    #[error("LOOKBACK_LANGUAGE is \"{0}\": choose en or zh")]
    Language(String),
    #[error("a list of providers inside this program is damaged ({0}): install lookback again")]
    Damaged(String),
    #[error(
        "no card names the model {model}, so nobody knows where it is: name its provider, as in openrouter/{model} \
         (there are {}), or give a base URL",
        providers.join(", ")
    )]
    UnknownModel { model: String, providers: Vec<String> },
    #[error(
        "providers.{provider}.card is \"{card}\", and no card names that: write the name of a model or a server that one names"
    )]
    UnknownCard { provider: String, card: String },
    #[error("{model} runs on a server of your own: name it, as in ollama/{model}, or give its base URL")]
    NoServer { model: String },
}

/// What is wrong in a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{}{text}", line.map(|line| format!("line {line}: ")).unwrap_or_default(),
    field.as_ref().map(|field| format!("{field}: ")).unwrap_or_default())]
pub(crate) struct FileProblem {
    /// From 1.
    pub(crate) line: Option<usize>,
    /// As far as the line names one.
    pub(crate) field: Option<String>,
    pub(crate) text: String,
}
