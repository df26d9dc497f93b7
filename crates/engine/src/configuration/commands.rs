//! How far a shell command is looked into when it is recorded. Bounds, not settings: no command that a person or a model
//! writes comes near them, and what lies beyond is taken for unknown. Ours throughout.

/// Substitutions inside substitutions. Four are already unreadable.
pub(crate) const SUBSTITUTIONS_DEEP: u32 = 16;

/// Characters in which a bracket's end is looked for: looking further for each of many brackets would take too long.
pub(crate) const LONGEST_CLASS: usize = 64;

/// Scripts in scripts, and programs that run programs: `sh -c "xargs env …"` is three.
pub(crate) const COMMANDS_DEEP: u32 = 12;

/// Elements of a pattern: no file name is longer.
pub(crate) const LONGEST_PATTERN: usize = 128;

/// Directories inside directories: no project nests deeper.
pub(crate) const DIRECTORIES_DEEP: usize = 64;

/// Values of a variable. Beyond this and the next two a command names too much to be worth telling apart.
pub(crate) const MOST_VALUES: usize = 256;
pub(crate) const MOST_CHANGES: usize = 4096;
pub(crate) const LONGEST_VALUE: usize = 4096;

/// Operands that tell what a task runner runs: `npm run -w web test` needs four.
pub(crate) const TELLING_OPERANDS: usize = 4;

/// Bytes of a command that is read: a hundred times what people and models write. A word takes hundreds of bytes in memory.
pub(crate) const LONGEST_SCRIPT: usize = 512 << 10;
