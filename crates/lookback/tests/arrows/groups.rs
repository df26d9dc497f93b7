//! Which siblings use each other, directly or around, and where.

use std::collections::{BTreeMap, BTreeSet};

use super::methods::Methods;
use super::modules::Crate;

/// Siblings under one parent that reach each other.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) parent: String,
    members: BTreeSet<String>,
    /// Who uses whom, the first place where it does, and in how many.
    arrows: Vec<(String, String, String, usize)>,
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let members = self.members.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        writeln!(f, "{}: {} siblings in a circle: {members}", self.parent, self.members.len())?;
        for (from, to, place, places) in &self.arrows {
            writeln!(f, "    {from} -> {to}  {place} ({places})")?;
        }
        Ok(())
    }
}

type Arrows = BTreeMap<(String, String), (String, usize)>;

/// `from_below`: names of methods that the crates have which it uses.
pub(crate) fn groups(name: &str, read: &Crate, from_below: &BTreeSet<&str>) -> Vec<Group> {
    let mut parents: BTreeMap<String, Arrows> = BTreeMap::new();
    let methods = Methods::of_crate(read, from_below);
    for (index, module) in read.modules.iter().enumerate() {
        for (modules, line) in methods.uses(read, index) {
            let mut arrows = BTreeSet::new();
            for used in modules {
                let target = &read.modules[used].path;
                let shared = module.path.iter().zip(target).take_while(|(one, other)| one == other).count();
                // An ancestor's own items, or what lies below the module itself, are no sibling's.
                if let (Some(from), Some(to)) = (module.path.get(shared), target.get(shared)) {
                    arrows.insert(([&[name.to_owned()], &target[..shared]].concat().join("::"), from, to));
                }
            }
            for (parent, from, to) in arrows {
                let arrows = parents.entry(parent).or_default();
                let place = || (format!("{}:{line}", module.file.display()), 0);
                arrows.entry((from.clone(), to.clone())).or_insert_with(place).1 += 1;
            }
        }
    }
    parents.iter().flat_map(|(parent, arrows)| circles(parent, arrows)).collect()
}

fn circles(parent: &str, arrows: &Arrows) -> Vec<Group> {
    let reached = |start: &String| {
        let (mut found, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(from) = open.pop() {
            open.extend(arrows.keys().filter(|(one, to)| one == from && found.insert(to)).map(|(_, to)| to));
        }
        found
    };
    let reach: BTreeMap<_, _> = arrows.keys().map(|(from, _)| (from, reached(from))).collect();
    let mut groups: BTreeMap<BTreeSet<String>, Group> = BTreeMap::new();
    for (start, found) in &reach {
        let back = |other: &&String| reach.get(*other).is_some_and(|found| found.contains(*start));
        let members: BTreeSet<String> = found.iter().copied().filter(back).cloned().collect();
        if members.is_empty() {
            continue;
        }
        let inside = arrows.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
        let arrows = inside.map(|((from, to), (place, places))| (from.clone(), to.clone(), place.clone(), *places));
        let group = Group { parent: parent.to_owned(), members: members.clone(), arrows: arrows.collect() };
        groups.insert(members, group);
    }
    groups.into_values().collect()
}
