//! The modules of a crate, what each names, and where a path ends. Follows imports and re-exports. Of types it knows their
//! names alone: whose method `.name(` calls is told by [`super::methods`], as far as names tell it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::blocks::{Call, Impl, begins_item, is_call};
use super::tokens::{Token, closing, is, is_word, tokens};

type Words = Vec<String>;

#[derive(Debug, Default)]
pub(crate) struct Module {
    /// From the crate's root, which is empty.
    pub(crate) path: Words,
    pub(crate) file: PathBuf,
    /// Every path that stands in the module, with its line.
    pub(crate) named: Vec<(Words, usize)>,
    pub(crate) blocks: Vec<Impl>,
    pub(crate) calls: Vec<Call>,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    imports: Vec<(String, Words)>,
    globs: Vec<Words>,
}

#[derive(Debug, Default)]
pub(crate) struct Crate {
    pub(crate) modules: Vec<Module>,
}

/// Where a path leads: the modules it goes through, and whether its end was found.
struct Way {
    through: Vec<usize>,
    end: End,
}

enum End {
    Module(usize),
    /// In which module it is defined, its name, and what follows it.
    Item(usize, Words),
    Nowhere,
}

impl Crate {
    /// Reads a crate from its `lib.rs` or `main.rs` on, by its `mod` lines.
    pub(crate) fn read(root: &Path, source: &dyn Fn(&Path) -> Option<String>) -> Self {
        let mut read = Self::default();
        let text = source(root).unwrap_or_default();
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        read.module(None, "", root, &folder, &tokens(&text), source);
        read
    }

    fn module(
        &mut self,
        parent: Option<usize>,
        name: &str,
        file: &Path,
        folder: &Path,
        tokens: &[Token<'_>],
        source: &dyn Fn(&Path) -> Option<String>,
    ) -> usize {
        let this = self.modules.len();
        let path =
            parent.map_or(Vec::new(), |parent| [self.modules[parent].path.as_slice(), &[name.to_owned()]].concat());
        self.modules.push(Module { path, file: file.to_owned(), parent, ..Module::default() });
        let (mut at, mut depth, mut block_end) = (0, 0_usize, 0);
        while at < tokens.len() {
            let token = tokens[at];
            match token.text {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "mod" if is(tokens, at + 2, ";") || is(tokens, at + 2, "{") => {
                    let name = tokens[at + 1].text;
                    let below = folder.join(name);
                    let child = if is(tokens, at + 2, "{") {
                        let end = closing(tokens, at + 2);
                        let inside = &tokens[at + 3..end - 1];
                        at = end - 1;
                        Some(self.module(Some(this), name, file, &below, inside, source))
                    } else {
                        let files = [folder.join(format!("{name}.rs")), below.join("mod.rs")];
                        let found = files.into_iter().find_map(|file| Some((source(&file)?, file)));
                        at += 2;
                        found.map(|(text, file)| {
                            self.module(Some(this), name, &file, &below, &self::tokens(&text), source)
                        })
                    };
                    self.modules[this].children.extend(child.map(|child| (name.to_owned(), child)));
                }
                "use" if !is(tokens, at + 1, "<") => {
                    at = self.modules[this].import(tokens, at + 1, &[], depth == 0);
                }
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static" if depth == 0 => {
                    self.modules[this].items.extend(tokens.get(at + 1).map(|name| name.text.to_owned()));
                }
                "impl" | "trait" if depth == 0 && begins_item(tokens, at) => {
                    let (block, end) = Impl::read(tokens, at, this, parent);
                    block_end = end;
                    self.modules[this].blocks.push(block);
                }
                "Self" if at < block_end && is(tokens, at + 1, "::") => {
                    let module = &mut self.modules[this];
                    let by_self = Some(module.blocks.len() - 1);
                    module.calls.push(Call { name: tokens[at + 2].text.to_owned(), by_self, line: token.line });
                    at += 2;
                }
                "." if is_call(tokens, at + 1) => {
                    let inside =
                        at < block_end && at > 0 && is(tokens, at - 1, "self") && !is(tokens, at.wrapping_sub(2), ".");
                    let module = &mut self.modules[this];
                    let by_self = inside.then(|| module.blocks.len() - 1);
                    module.calls.push(Call { name: tokens[at + 1].text.to_owned(), by_self, line: token.line });
                }
                "macro_rules" if depth == 0 => {
                    self.modules[this].items.extend(tokens.get(at + 2).map(|name| name.text.to_owned()));
                }
                _ => at = self.modules[this].path_at(tokens, at),
            }
            at += 1;
        }
        this
    }

    /// The modules that `words`, written in `from`, go through, and where they end, if that is an item: its module, its
    /// name and what stands behind it.
    pub(crate) fn used(&self, from: usize, words: &[String]) -> (Vec<usize>, Option<(usize, Words)>) {
        let way = self.way(from, words, &mut BTreeSet::new());
        match way.end {
            // A single word that is a module is a variable of that name.
            End::Module(_) if words.len() == 1 => (Vec::new(), None),
            End::Item(home, rest) => (way.through, Some((home, rest))),
            _ => (way.through, None),
        }
    }

    /// A module and all above it.
    pub(crate) fn with_parents(&self, from: usize) -> Vec<usize> {
        std::iter::successors(Some(from), |at| self.modules[*at].parent).collect()
    }

    /// The names of all methods, and whether another crate may call them.
    pub(crate) fn methods(&self) -> impl Iterator<Item = (&str, bool)> {
        let methods = self.modules.iter().flat_map(|module| &module.blocks).flat_map(|block| &block.methods);
        methods.map(|(name, seen_by)| (name.as_str(), seen_by.is_none()))
    }

    fn way(&self, from: usize, words: &[String], seen: &mut BTreeSet<(usize, Words)>) -> Way {
        let (mut at, mut rest, mut through) = (from, words, Vec::new());
        let nowhere = |through| Way { through, end: End::Nowhere };
        // `use bytes::bytes` of another crate would otherwise be looked for without end.
        if !seen.insert((from, words.to_vec())) || seen.len() > 64 {
            return nowhere(through);
        }
        while let Some((first, behind)) = rest.split_first() {
            match first.as_str() {
                "crate" => at = 0,
                "super" => match self.modules[at].parent {
                    Some(parent) => at = parent,
                    None => return nowhere(through),
                },
                "self" => {}
                _ => break,
            }
            rest = behind;
        }
        while let Some((name, behind)) = rest.split_first() {
            let module = &self.modules[at];
            let child = module.children.get(name);
            let imported = module.imports.iter().filter(|(bound, _)| bound == name);
            if let Some(child) = child {
                through.push(*child);
                if !behind.is_empty() || (!module.items.contains(name) && imported.clone().next().is_none()) {
                    (at, rest) = (*child, behind);
                    continue;
                }
            }
            if module.items.contains(name) {
                return Way { through, end: End::Item(at, rest.to_vec()) };
            }
            let by_name = imported.map(|(_, target)| (at, [target, behind].concat())).collect::<Vec<_>>();
            let by_glob = module.globs.iter().filter_map(|glob| match self.way(at, glob, seen).end {
                End::Module(target) => Some((target, rest.to_vec())),
                _ => None,
            });
            for (start, words) in by_name.into_iter().chain(by_glob.collect::<Vec<_>>()) {
                let way = self.way(start, &words, seen);
                if !matches!(way.end, End::Nowhere) {
                    through.extend(way.through);
                    return Way { through: [vec![start], through].concat(), end: way.end };
                }
            }
            return nowhere(through);
        }
        Way { through, end: End::Module(at) }
    }
}

impl Module {
    /// Reads the tree of a `use` line and gives the place of its last token.
    fn import(&mut self, tokens: &[Token<'_>], mut at: usize, before: &[&str], binds: bool) -> usize {
        let mut words = before.to_vec();
        let line = tokens[at].line;
        loop {
            match tokens[at].text {
                "{" => {
                    at += 1;
                    while !is(tokens, at, "}") {
                        at = self.import(tokens, at, &words, binds) + 1;
                        at += usize::from(is(tokens, at, ","));
                    }
                    return at;
                }
                "*" => break,
                // From another crate.
                "::" => words.push("::"),
                word => words.push(word),
            }
            if !is(tokens, at + 1, "::") {
                break;
            }
            at += 2;
        }
        let glob = tokens[at].text == "*";
        if words.len() > 1 && words.last() == Some(&"self") {
            words.pop();
        }
        let mut bound = words.last().copied().unwrap_or_default();
        if is(tokens, at + 1, "as") {
            at += 2;
            bound = tokens[at].text;
        }
        let path: Words = words.iter().map(|word| (*word).to_owned()).collect();
        match (binds, glob) {
            (true, true) => self.globs.push(path.clone()),
            (true, false) => self.imports.push((bound.to_owned(), path.clone())),
            (false, _) => {}
        }
        self.named.push((path, line));
        at
    }

    /// Reads the path at `at`, if there is one, and gives the place of its last token.
    fn path_at(&mut self, tokens: &[Token<'_>], mut at: usize) -> usize {
        let first = tokens[at];
        if let Some(path) = first.text.strip_prefix('"') {
            // `#[serde(with = "a::b")]` names a path too.
            if at > 1 && tokens[at - 1].text == "=" && NAMES_A_PATH.contains(&tokens[at - 2].text) {
                let path = path.trim_end_matches('"').split("::").map(str::to_owned).collect();
                self.named.push((path, first.line));
            }
            return at;
        }
        let behind_a_dot = at > 0 && matches!(tokens[at - 1].text, "." | "::");
        if behind_a_dot || !is_word(first.text) {
            return at;
        }
        let mut words = vec![first.text.to_owned()];
        while is(tokens, at + 1, "::") && tokens.get(at + 2).is_some_and(|next| is_word(next.text)) {
            words.push(tokens[at + 2].text.to_owned());
            at += 2;
        }
        // A single small word is a function that came with a `*`, or else a variable.
        let called = is(tokens, at + 1, "(") || is(tokens, at + 1, "!");
        if words.len() > 1 || called || first.text.starts_with(char::is_uppercase) {
            self.named.push((words, first.line));
        }
        at
    }
}

const NAMES_A_PATH: [&str; 5] = ["with", "serialize_with", "deserialize_with", "default", "skip_serializing_if"];
