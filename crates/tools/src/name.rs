//! The tools, in the one order in which they are declared from the first request on: a prompt's beginning stays as it is.

use lookback_engine::trace::ToolKind;

/// A tool by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are what models know")]
pub enum ToolName {
    Ls,
    Glob,
    Grep,
    Read,
    Edit,
    MultiEdit,
    Write,
    Bash,
    Job,
    TodoWrite,
    Board,
    Recall,
}

impl ToolName {
    /// In the order of declaration.
    pub const ALL: [Self; 12] = [
        Self::Ls,
        Self::Glob,
        Self::Grep,
        Self::Read,
        Self::Edit,
        Self::MultiEdit,
        Self::Write,
        Self::Bash,
        Self::Job,
        Self::TodoWrite,
        Self::Board,
        Self::Recall,
    ];

    /// As models call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ls => "LS",
            Self::Glob => "Glob",
            Self::Grep => "Grep",
            Self::Read => "Read",
            Self::Edit => "Edit",
            Self::MultiEdit => "MultiEdit",
            Self::Write => "Write",
            Self::Bash => "Bash",
            Self::Job => "Job",
            Self::TodoWrite => "TodoWrite",
            Self::Board => "Board",
            Self::Recall => "Recall",
        }
    }

    /// None for a name that is no tool's.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// What the engine records it as.
    pub fn kind(self) -> ToolKind {
        match self {
            Self::Ls | Self::Glob => ToolKind::List,
            Self::Grep => ToolKind::Search,
            Self::Read => ToolKind::Read,
            Self::Edit | Self::MultiEdit => ToolKind::Edit,
            Self::Write => ToolKind::Write,
            Self::Bash => ToolKind::Run,
            Self::TodoWrite => ToolKind::Todo,
            Self::Job | Self::Board | Self::Recall => ToolKind::Other,
        }
    }

    /// Whether it changes nothing, so that several may run at once.
    pub fn only_reads(self) -> bool {
        matches!(self, Self::Ls | Self::Glob | Self::Grep | Self::Read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_tools() {
        assert!(ToolName::ALL.iter().all(|tool| ToolName::find(tool.name()) == Some(*tool)));
        assert_eq!(ToolName::find("ls"), None);
    }
}
