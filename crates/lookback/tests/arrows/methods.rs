//! Whose method a call means, as far as names tell it.
//!
//! `self.name(` and `Self::name` in an `impl` of a type, and `Type::name`, mean that type's own method. Any other `.name(`
//! means the one method of that name that may be called there, if there is just one, no trait of the crate has it, and
//! neither std nor a crate of the workspace that lies below has a method of that name.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::Crate;

type Type = (usize, String);

#[derive(Debug, Default)]
pub(crate) struct Methods {
    of_types: BTreeMap<Type, BTreeMap<String, usize>>,
    by_name: BTreeMap<String, Vec<Method>>,
}

#[derive(Debug)]
struct Method {
    home: usize,
    seen_by: Option<usize>,
    of_a_trait: bool,
}

/// Names that std's types have, of methods that crates here define, too.
#[rustfmt::skip]
pub(crate) const OF_STD: [&str; 56] = [
    "add", "all", "append", "bytes", "chain", "code", "components", "contains", "count", "create", "end", "entries",
    "exists", "expect", "extend", "field", "file", "find", "finish", "flush", "get", "hash", "id", "index",
    "is_empty", "iter", "join", "kind", "len", "line", "lines", "matches", "max", "name", "next", "open", "output",
    "parent", "path", "peek", "position", "push", "read", "remove", "replace", "send", "set", "size", "split",
    "status", "take", "then", "truncate", "wait", "with", "write",
];

impl Methods {
    /// Of a crate that can call methods of these names on what comes from the crates below it, too.
    pub(crate) fn of_crate(read: &Crate, from_below: &BTreeSet<&str>) -> Self {
        let mut found = Self::default();
        for (home, module) in read.modules.iter().enumerate() {
            for block in &module.blocks {
                let of = type_at(read, home, &block.of);
                for (name, seen_by) in &block.methods {
                    let method = Method { home, seen_by: *seen_by, of_a_trait: block.of_a_trait };
                    found.by_name.entry(name.clone()).or_default().push(method);
                    if let Some(of) = &of {
                        found.of_types.entry(of.clone()).or_default().insert(name.clone(), home);
                    }
                }
            }
        }
        found.by_name.retain(|name, _| !OF_STD.contains(&name.as_str()) && !from_below.contains(name.as_str()));
        found
    }

    /// Where what stands in the module `from` leads: the modules, and the line that leads there.
    pub(crate) fn uses(&self, read: &Crate, from: usize) -> Vec<(Vec<usize>, usize)> {
        let module = &read.modules[from];
        let named = module.named.iter().map(|(words, line)| {
            let (mut through, end) = read.used(from, words);
            if let Some((home, rest)) = end
                && let [of, method, ..] = rest.as_slice()
            {
                through.extend(self.own(home, of, method));
            }
            (through, *line)
        });
        let calls = module.calls.iter().map(|call| {
            let method = match call.by_self {
                Some(block) => {
                    type_at(read, from, &module.blocks[block].of).and_then(|(home, of)| self.own(home, &of, &call.name))
                }
                None => self.only(&call.name, &read.with_parents(from)),
            };
            (method.into_iter().collect(), call.line)
        });
        named.chain(calls).collect()
    }

    /// The module that has a type's own method.
    fn own(&self, home: usize, of: &str, name: &str) -> Option<usize> {
        self.of_types.get(&(home, of.to_owned()))?.get(name).copied()
    }

    /// The module of the only method of this name that may be called in one of these modules: one and all above it.
    fn only(&self, name: &str, caller: &[usize]) -> Option<usize> {
        let seen = |method: &&Method| method.seen_by.is_none_or(|above| caller.contains(&above));
        let mut seen = self.by_name.get(name)?.iter().filter(seen);
        seen.next().filter(|only| seen.next().is_none() && !only.of_a_trait).map(|only| only.home)
    }
}

/// Where a type is defined, and its name there.
fn type_at(read: &Crate, from: usize, words: &[String]) -> Option<Type> {
    let (home, rest) = read.used(from, words).1?;
    Some((home, rest.into_iter().next()?))
}
