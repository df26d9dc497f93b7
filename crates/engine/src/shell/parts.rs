//! Whether one command runs a part of what another runs, told by the keys of both.
//!
//! How a program chooses what it runs is not known here: more words choose less, but for those that only say how.

use super::{
    folder::{folder_of, keyed},
    programs::programs,
};

/// What stands between two commands of which the second runs where the first went well.
const CHAINED: &str = " && ";

/// `pytest tests/a.py -q` is a part of `pytest -q`, `cargo test` in a folder of `cargo test`, and `make lint` of
/// `make lint && make test`. Two that run the same are no parts of each other.
pub(crate) fn is_part_of(key: &str, wider: &str) -> bool {
    is_within_run(key, wider) && !is_within_run(wider, key)
}

fn is_within_run(key: &str, wider: &str) -> bool {
    let (inner, outer) = (folder_of(key), folder_of(wider));
    // Nearly all commands have nothing to do with one another, and their first words tell.
    let is_held = |part: &str| chain(wider).any(|whole| chooses_of(part, whole));
    lies_in(inner, outer) && chain(key).all(is_held) && (inner != outer || !choose_alike(key, wider))
}

/// Whether one command runs what another runs, or a part of that.
fn chooses_of(narrow: &str, wide: &str) -> bool {
    let mut words = choosing(narrow);
    choosing(narrow).next() == choosing(wide).next()
        && choosing(wide).all(|wanted| words.any(|have| is_within(have, wanted)))
}

/// The keys of the commands of a chain.
pub(crate) fn parts_of(key: &str) -> impl Iterator<Item = String> {
    let folder = folder_of(key);
    chain(key).map(move |part| keyed(part.to_owned(), folder))
}

/// The commands of a chain.
fn chain(key: &str) -> impl Iterator<Item = &str> {
    command_of(key).split(CHAINED)
}

fn command_of(key: &str) -> &str {
    key.strip_suffix(folder_of(key)).unwrap_or(key).trim_end()
}

fn lies_in(folder: &str, wider: &str) -> bool {
    wider.is_empty() && !folder.starts_with('/')
        || folder.strip_prefix(wider).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether two keys name folders of which neither lies in the other.
pub(crate) fn lie_apart(key: &str, other: &str) -> bool {
    let (one, other) = (folder_of(key), folder_of(other));
    !lies_in(one, other) && !lies_in(other, one)
}

/// Whether a key names a test, or a file or folder that it stands in, as what is to run.
pub(crate) fn names_test(key: &str, test: &str) -> bool {
    let words: Vec<&str> = command_of(key).split(' ').skip(1).collect();
    let leaves_out = |word: &&str| programs().leaves_out.has(word.split('=').next().unwrap_or(word));
    let is_named = |word: &&str| {
        let value = if word.starts_with('-') { word.split_once('=').map_or("", |(_, value)| value) } else { word };
        let name = value.trim_matches(['"', '\'', '^', '$']);
        let holds = || test.strip_prefix(name).is_some_and(|rest| rest.starts_with("::") || rest.starts_with('/'));
        !name.is_empty() && (test == name || holds() || test.rsplit([':', ' ', '/']).next() == Some(name))
    };
    !words.iter().any(leaves_out) && words.iter().any(is_named)
}

/// The words of a command that choose what is run.
fn choosing(command: &str) -> impl Iterator<Item = &str> {
    command.split(' ').filter(|word| !programs().says_how.has(word.split('=').next().unwrap_or(word)))
}

/// Whether two chains choose the same.
fn choose_alike(key: &str, other: &str) -> bool {
    let (mut one, mut two) = (chain(key), chain(other));
    loop {
        match (one.next(), two.next()) {
            (Some(one), Some(two)) if choosing(one).eq(choosing(two)) => {}
            (one, two) => return one.is_none() && two.is_none(),
        }
    }
}

fn is_within(word: &str, wider: &str) -> bool {
    let folder = wider.strip_suffix("...").unwrap_or(wider).trim_end_matches('/');
    word == wider
        || (!folder.is_empty()
            && !wider.starts_with('-')
            && word.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') || rest.starts_with("::")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_tests_of_the_same_runner_are_a_part() {
        for (key, wider) in [
            ("pytest tests/a.py -q", "pytest -q"),
            ("pytest tests/a.py::x", "pytest -q tests"),
            ("pytest -q --deselect tests/a.py::x", "pytest -q"),
            ("pytest -q -m 'not slow'", "pytest -q"),
            ("go test ./a -run X", "go test ./..."),
            ("cargo test x \ta", "cargo test \ta"),
            ("cargo test \ta", "cargo test"),
            ("make lint", "make lint && make test"),
            ("pytest tests/a.py && ruff check", "ruff check && pytest"),
        ] {
            assert!(is_part_of(key, wider) && !is_part_of(wider, key), "{key} / {wider}");
        }
        for (key, wider) in [
            ("pytest -q", "pytest -q"),
            ("make lint && make test", "make test && make lint"),
            ("pytest", "pytest -q"),
            ("pytest -x --tb=short", "pytest -q"),
            ("cargo test", "go test"),
            ("cargo test \tb", "cargo test \ta"),
            ("pytest tests2/a.py", "pytest tests"),
            ("make lint && make test", "make lint"),
            ("pytest tests/a.py && ruff check", "pytest"),
        ] {
            assert!(!is_part_of(key, wider), "{key} / {wider}");
        }
        assert!(lie_apart("x \ta", "x \tb") && !lie_apart("x \ta/b", "x \ta") && !lie_apart("x \ta", "x"));
        assert!(!lie_apart("npm test -w @a/b", "npm test -w @c/d"));
        assert_eq!(parts_of("a && b \tweb").collect::<Vec<_>>(), ["a \tweb", "b \tweb"]);
    }

    #[test]
    fn a_test_is_named_where_it_is_chosen() {
        let test = "tests/test_cart.py::test_total";
        for key in [
            "pytest tests/test_cart.py",
            "pytest -q tests/test_cart.py::test_total",
            "pytest -k test_total",
            "pytest tests",
        ] {
            assert!(names_test(key, test), "{key}");
        }
        for key in [
            "pytest -q",
            "pytest -q --deselect tests/test_cart.py::test_total",
            "pytest --ignore=tests",
            "pytest -k 'not test_total'",
        ] {
            assert!(!names_test(key, test), "{key}");
        }
        assert!(names_test("go test -run=^TestA$", "TestA"));
    }
}
