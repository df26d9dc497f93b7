//! What commands in the background printed is found again, however much it was.

use super::{Project, newest};

#[test]
fn all_that_a_background_command_printed_is_recalled_by_its_command_by_its_job_and_by_a_word() {
    let project = Project::new();
    let said = project.run(
        r#"
[[step]]
calls = [{ name = "Bash", arguments = { command = "echo FIRSTLINE; seq 100000; touch done", background = true } }]

[[step]]
calls = [{ name = "Bash", arguments = { command = "while [ ! -e done ]; do sleep 0.05; done; sleep 0.5" } }]

[[step]]
calls = [{ name = "Job", arguments = { id = "job-1", action = "read" } }]

[[step]]
calls = [{ name = "Recall", arguments = { pointer = "job-1" } }, { name = "Recall", arguments = { pointer = "job-1", offset = 99999999 } }]

[[step]]
text = "Done."
"#,
        &["count in the background"],
    );
    assert_eq!(said.code, Some(0), "{}", said.err);
    let id = newest(&project);
    let recalled = project.person.run(&["recall", "cmd#1", "--session", &id]).out;
    assert!(recalled.contains("FIRSTLINE\n1\n2\n") && recalled.contains("\n99999\n100000\n"), "{}", recalled.len());
    let ended = project.person.run(&["recall", "cmd#1 exit=0", "--session", &id]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let found = project.person.run(&["recall", "FIRSTLINE", "--json"]).out;
    assert!(found.contains("job_ended"), "{found}");
    let trace = project.person.run(&["show", &id, "--trace", "--json"]).out;
    let results: Vec<&str> = trace.lines().filter(|line| line.contains("\"tool_result\"")).collect();
    assert!(
        results[2].contains("bytes of before are not shown") && results[2].contains(r#""truncated":true"#),
        "{}",
        &results[2][results[2].len().saturating_sub(600)..]
    );
    assert!(results[3].contains("FIRSTLINE"), "{}", &results[3][..300]);
    let beyond = r#"{"code":"INVALID_PARAM","message":"offset 99999999 lies beyond the end"#;
    assert!(results[4].contains(beyond), "{}", results[4]);
}
