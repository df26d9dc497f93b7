//! What the check sees and what it lets pass, on crates of a few lines.

use std::collections::BTreeMap;
use std::path::Path;

use super::groups::groups;
use super::modules::Crate;

fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let files: BTreeMap<_, _> = files.iter().copied().collect();
    let source = |file: &Path| files.get(file.to_str()?).map(|text| (*text).to_owned());
    let from_below = ["of_below"].into();
    groups("x", &Crate::read(Path::new("lib.rs"), &source), &from_below).iter().map(ToString::to_string).collect()
}

#[test]
fn directly_and_around() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b; mod c; pub fn own() {}"),
        ("a.rs", "use crate::{own, b::{self, B}};"),
        ("b.rs", "fn f() {\n    let c = super::c::C;\n}"),
        ("c.rs", "mod d; pub struct C;"),
        ("c/d.rs", "#[serde(with = \"crate::a\")] struct D;"),
    ]);
    assert_eq!(
        found,
        [
            "x: 3 siblings in a circle: a b c\n    a -> b  a.rs:1 (2)\n    b -> c  b.rs:2 (1)\n    c -> a  c/d.rs:1 (1)\n"
        ]
    );
}

#[test]
fn through_what_a_parent_hands_on() {
    let named = [("lib.rs", "mod p;"), ("p.rs", "mod a; mod b; pub use a::A; use b::*;"), ("p/a.rs", "pub struct A;")];
    for (a, b) in [
        ("use super::b; pub struct A;", "use super::A;"),
        ("use super::B; pub struct A;", "fn f() { crate::p::A::new() } pub struct B;"),
        ("use super::*; pub struct A(B);", "use crate::p; pub struct B(p::A);"),
        ("pub struct A; fn f() { use super::B as C; }", "use super::*; pub struct B(A);"),
    ] {
        let found = circles(&[named[0], named[1], ("p/a.rs", a), ("p/b.rs", b)]);
        assert_eq!(found.len(), 1, "{a} / {b}");
        assert!(found[0].starts_with("x::p: 2 siblings in a circle: a b\n"), "{found:?}");
    }
}

#[test]
fn what_is_no_arrow() {
    let found = circles(&[
        ("lib.rs", "mod a; mod b; fn own() {} #[cfg(test)] mod sample;"),
        ("a.rs", "use super::b; use super::own; mod c; use c::C; pub(crate) mod e { use super::C; }"),
        ("a/c.rs", "use super::own; use crate::a; pub struct C;"),
        ("sample.rs", "use crate::b;"),
        (
            "b.rs",
            "// crate::a\n/* /* */ crate::a */ const T: &str = \"crate::a::X\"; const R: &str = r#\"\" crate::a\"#;
             fn f<'a>(a: &'a str) -> char { a.a(); '\"' }
             #[cfg(test)] use crate::a::{C}; #[cfg(test)] mod tests { use crate::a; }
             #[cfg(test)] #[allow(x)] pub(crate) fn g() { crate::a::f() }",
        ),
    ]);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn by_methods() {
    let crates = |b: &str| {
        circles(&[
            ("lib.rs", "mod a; mod b; mod t; pub struct T; pub struct U;"),
            ("a.rs", "use crate::b::B; pub struct A; impl A { pub fn own(&self) {} pub fn get() {} pub fn of_below() {} fn hidden() {} }
                      impl crate::T { pub(crate) fn of_t() {} }"),
            ("t.rs", "pub trait Trait { fn own_of_trait(&self); } pub struct Two; impl Two { pub fn twice() {} }
                      impl crate::U { pub fn of_t() {} pub fn twice() {} }"),
            ("b.rs", &format!("pub struct B; use crate::{{T, U}}; {b}")),
        ])
    };
    for circle in [
        "fn f(a: impl Fn()) { a.own() }",
        "fn f() { g.a\n.own::<u8>(1) }",
        "fn f() { [1].map(T::of_t) }",
        "impl T { fn f(&self) -> impl Sized { if x { self.of_t() } } }",
        "impl<'a> Iterator for T { fn f() { Self::of_t() } }",
    ] {
        assert_eq!(crates(circle).len(), 1, "{circle}");
    }
    for none in [
        "fn f(a: X) { a.get(); a.of_below(); a.hidden(); a.own_of_trait(); a.twice(); a.own; a.of_t() }",
        "impl U { fn f(&self) { self.of_t(); Self::of_t(); U::of_t() } }",
        "impl Trait for B { fn own(&self) {} } fn f() { a.own() }",
    ] {
        assert_eq!(crates(none), Vec::<String>::new(), "{none}");
    }
}
