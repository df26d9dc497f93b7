//! The prompt files: the same placeholders in both languages, and the fields that the parser knows.

const STATE_UPDATE: [&str; 2] =
    [include_str!("../../../prompts/en/state_update.txt"), include_str!("../../../prompts/zh/state_update.txt")];
const TAIL_COMPACTION: [&str; 2] =
    [include_str!("../../../prompts/en/tail_compaction.txt"), include_str!("../../../prompts/zh/tail_compaction.txt")];
const ARCHIVE_SUMMARY: [&str; 2] =
    [include_str!("../../../prompts/en/archive_summary.txt"), include_str!("../../../prompts/zh/archive_summary.txt")];

/// Names in braces: what README.md of the folder documents.
fn placeholders(prompt: &str) -> Vec<&str> {
    let mut found: Vec<&str> = prompt
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
        .filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn both_languages_have_the_documented_placeholders() {
    let readme = include_str!("../../../prompts/README.md");
    for (prompts, expected) in [
        (STATE_UPDATE, vec!["board", "budget", "legend"]),
        (TAIL_COMPACTION, vec!["board", "budget", "delta_budget", "end_turn", "focus", "legend", "start_turn"]),
        (ARCHIVE_SUMMARY, vec!["cutoff_time", "files", "start_time", "turns"]),
    ] {
        for prompt in prompts {
            assert_eq!(placeholders(prompt), expected);
        }
        for name in expected {
            assert!(readme.contains(&format!("`{{{name}}}`")), "{name} is documented");
        }
    }
}

#[test]
fn seed_7_the_prompts_name_every_field() {
    let delta = ["task", "now", "goal_shift_reason", "facts", "anchors", "next_actions"];
    let block = ["replaces", "said", "notes"];
    for prompt in STATE_UPDATE {
        delta.iter().for_each(|field| assert!(prompt.contains(field), "{field}"));
    }
    for prompt in TAIL_COMPACTION {
        delta.iter().chain(&block).for_each(|field| assert!(prompt.contains(field), "{field}"));
    }
}

#[test]
fn seed_a5_the_summary_asks_for_what_a_model_may_choose() {
    for prompt in ARCHIVE_SUMMARY {
        ["task", "facts", "said", "notes"].iter().for_each(|field| assert!(prompt.contains(field), "{field}"));
    }
}

#[test]
fn a_repair_names_the_prompt_that_it_repairs() {
    for repair in [include_str!("../../../prompts/en/repair.txt"), include_str!("../../../prompts/zh/repair.txt")] {
        assert_eq!(placeholders(repair), ["name", "problem"]);
        assert!(repair.lines().next().is_some_and(|first| first.ends_with("/ {name}]")), "as the others begin");
    }
    for name in ["name", "problem"] {
        assert!(include_str!("../../../prompts/README.md").contains(&format!("`{{{name}}}`")), "{name} is documented");
    }
}
