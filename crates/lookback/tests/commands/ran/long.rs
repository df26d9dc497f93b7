//! Sessions that are longer than their window: they end well, and folds change nothing of what was done.

use super::{Project, newest};

/// Reads, commands and edits that change a file a little each time.
fn steps(count: usize) -> String {
    let step = |number: usize| match number % 4 {
        0 => format!("{{ name = \"Read\", arguments = {{ path = \"notes/{}.md\" }} }}", number % 12),
        1 => format!(
            "{{ name = \"Bash\", arguments = {{ command = \"seq {} {}\" }} }}",
            number * 100,
            number * 100 + 300
        ),
        2 => {
            format!("{{ name = \"Write\", arguments = {{ path = \"out/{number}.txt\", content = \"{number}\\n\" }} }}")
        }
        _ => {
            format!("{{ name = \"Bash\", arguments = {{ command = \"echo {number} >> log.txt; tail -3 log.txt\" }} }}")
        }
    };
    let steps = (0..count).map(|number| format!("[[step]]\ncalls = [{}]\n\n", step(number)));
    steps.collect::<String>() + "[[step]]\ntext = \"All of it is done.\"\n"
}

fn project(window: u32, keep_steps: u32) -> Project {
    let project = Project::new();
    for number in 0..12 {
        project.write(&format!("notes/{number}.md"), format!("note {number} of berths and bookings\n").repeat(120));
    }
    project.write(
        ".lookback.toml",
        format!("[context.window]\ntokens = {window}\n[context.fold]\nkeep_steps = {keep_steps}\n"),
    );
    project
}

/// The files that the steps made, with what is in them.
fn made(project: &Project) -> Vec<(String, String)> {
    let mut names = vec!["log.txt".to_owned()];
    let folder = std::fs::read_dir(project.path().join("out")).expect("a folder");
    names.extend(folder.map(|entry| format!("out/{}", entry.expect("an entry").file_name().to_string_lossy())));
    names.sort();
    names.into_iter().map(|name| (name.clone(), project.read(&name))).collect()
}

/// How many folds there were, and the largest prompt.
fn folds_and_most(project: &Project) -> (usize, u64) {
    let trace = project.person.run(&["show", &newest(project), "--trace", "--json"]).out;
    let events = trace.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an event"));
    let (mut folds, mut most) = (0, 0);
    for event in events {
        let event = &event["event"];
        folds += usize::from(event.get("fold").is_some());
        let parts = ["uncached", "cached", "written"].map(|name| event["usage"][name].as_u64());
        most = most.max(parts.iter().flatten().sum());
    }
    (folds, most)
}

#[test]
fn a_hundred_and_twenty_steps_in_a_small_window_end_well_and_with_the_files_of_a_large_one() {
    let (small, large) = (project(32_000, 5), project(1_000_000, 1_000));
    for project in [&small, &large] {
        let said = project.run(&steps(120), &["do all of it"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        assert!(said.out.contains("All of it is done."), "{}", said.out);
    }
    let (folds, most) = folds_and_most(&small);
    assert!(folds >= 2, "{folds} folds");
    assert!(most > 8_000 && most < 32_000, "the largest prompt had {most} tokens");
    assert_eq!(folds_and_most(&large).0, 0, "every step is kept where there is room");
    assert_eq!(made(&small), made(&large));
}

#[test]
fn the_prompts_of_a_session_are_known_by_their_hash() {
    let hash = |language: &str| {
        let project = Project::new();
        project.write(".lookback.toml", format!("language = \"{language}\"\n"));
        let said = project.run("[[step]]\ntext = \"Done.\"\n", &["x"]);
        assert_eq!(said.code, Some(0), "{}", said.err);
        let trace = project.person.run(&["show", &newest(&project), "--trace", "--json"]).out;
        let first: serde_json::Value = serde_json::from_str(trace.lines().next().expect("a line")).expect("an event");
        let started = &first["event"]["session_started"];
        let tools = started["tools"].to_string();
        assert_eq!(tools.contains("相对于项目根目录"), language == "zh", "{tools}");
        started["prompts"].as_str().map(str::to_owned)
    };
    assert!(hash("en").is_some_and(|hash| hash.len() == 64));
    assert_eq!(hash("en"), hash("en"));
    assert_ne!(hash("en"), hash("zh"));
}

/// One task, one round: nothing but the model's own steps, one result larger than the other.
#[test]
fn a_session_in_one_round_folds_and_never_overflows() {
    let project = project(32_000, 5);
    let calls: Vec<String> = (0..12)
        .map(|number| format!("{{ name = \"Read\", arguments = {{ path = \"notes/{number}.md\" }} }}"))
        .collect();
    let mut script = String::new();
    for round in 0..18 {
        let chosen = &calls[round % 6 * 2..round % 6 * 2 + 2];
        script.push_str(&format!("[[step]]\ncalls = [{}]\n\n", chosen.join(", ")));
        script.push_str(&format!(
            "[[step]]\ncalls = [{{ name = \"Bash\", arguments = {{ command = \"seq {round}0000 {round}2500\" }} }}]\n\n"
        ));
    }
    script.push_str("[[step]]\ntext = \"Read.\"\n");
    let said = project.run(&script, &["read everything in one round"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let (folds, most) = folds_and_most(&project);
    assert!(folds > 0, "it folds: {}", said.err);
    assert!(most < 32_000, "the largest prompt had {most} tokens");
    assert!(!said.err.contains("too long"), "{}", said.err);
}
