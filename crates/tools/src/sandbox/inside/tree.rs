//! The processes of a command, and the end of them all.

use std::{collections::BTreeMap, fs, process::Child, thread::sleep, time::Duration};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};

/// All that came of this process, by their numbers. Where `/proc` is the command's own, this process is not in it, and all
/// others are.
pub(super) fn processes() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    if fs::read_link("/proc/self").is_err() {
        return pids.collect();
    }
    let parents: BTreeMap<i32, i32> = pids.filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let own = std::process::id().cast_signed();
    let is_below = |pid: &i32| {
        let above = std::iter::successors(parents.get(pid), |above| parents.get(above));
        above.take(parents.len()).any(|above| *above == own)
    };
    parents.keys().copied().filter(is_below).collect()
}

/// Ends them. `init` takes its whole namespace with it; without one each is looked for, as long as there are any: who
/// left the group or lost its parent is still below this process, which takes in orphans.
pub(super) fn end(init: &mut Child) {
    let _ = init.kill();
    let _ = init.wait();
    if fs::read_link("/proc/self").is_err() {
        return;
    }
    for _ in 0..1000 {
        let left = processes();
        if left.is_empty() {
            return;
        }
        for pid in left.into_iter().filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        sleep(Duration::from_millis(2));
    }
}

/// Behind the name, which may hold anything, and the state.
fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// What it has of the machine's memory that no file stands behind, in bytes: its own, and what it shares with others.
pub(super) fn memory(pid: i32) -> u64 {
    sum_of(&format!("/proc/{pid}/status"), ["RssAnon:", "RssShmem:"]).unwrap_or_default()
}

/// The same with its part alone of what several share. The kernel counts page by page for that, and does not tell it of a
/// process that hides from others: then all of it counts.
pub(super) fn share_of_memory(pid: i32) -> u64 {
    sum_of(&format!("/proc/{pid}/smaps_rollup"), ["Pss_Anon:", "Pss_Shmem:"]).unwrap_or_else(|| memory(pid))
}

/// None where the file cannot be read, or says nothing of them.
fn sum_of(file: &str, names: [&str; 2]) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let lines = text.lines().filter(|line| names.iter().any(|name| line.starts_with(name)));
    let kilobytes = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.reduce(|sum, one| sum + one).map(|sum| sum << 10)
}
