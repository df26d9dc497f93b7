//! The sample that comes with Lookback: a project with three failing tests, and a recorded model that repairs it.

use std::{fs, path::Path, process::Command};

use super::Project;
use crate::person::Person;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/harbour");

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        match entry.file_type().expect("a kind").is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("a file")),
        }
    }
}

fn failing(project: &Project) -> String {
    let run =
        Command::new("python3").args(["-m", "unittest", "-q"]).current_dir(project.path()).output().expect("Python");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    said.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn the_sample_is_repaired_with_three_folds() {
    let project = Project::empty();
    copy(&Path::new(SAMPLE).join("project"), project.path());
    project.commit();
    assert_eq!(failing(&project), "FAILED (failures=3)");
    let model = format!("script:{SAMPLE}/fix.toml");
    let said = Person::said(
        project.command(&["run", "--model", &model, "Three tests fail. Find out why, and repair it."]).output(),
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert_eq!(said.err.matches("⤺ folded turns").count(), 3, "{}", said.err);
    assert!(said.err.contains("49 calls"), "{}", said.err);
    assert!(!said.out.contains('⟦'), "{}", said.out);
    assert_eq!(failing(&project), "OK");
}
