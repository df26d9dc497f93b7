use serde_json::json;

use super::*;

fn rules(mode: Mode) -> Rules {
    Rules { mode, sandbox_is_whole: true, allowed: Vec::new(), tools: ToolName::ALL.into_iter().collect() }
}

fn run(rules: &Rules, command: &str) -> Permit {
    rules.permit(ToolName::Bash, &json!({ "command": command }), &AROUND)
}

const AROUND: Around<'static> =
    Around { is_own: &|path| path.starts_with("made"), is_there: &|path| ["f", "src/Makefile"].contains(&path) };

#[test]
fn what_cannot_be_taken_back_is_held_however_it_is_written() {
    let rules = rules(Mode::AutoEdit);
    for command in [
        "git reset --hard",
        "cd a && git reset --hard HEAD~1",
        "git clean -fd",
        "git push --force",
        "git push -f origin main",
        "git push --force-with-lease",
        "rm -r src",
        "rm -rf -- src",
        "X=1 rm -fr src",
        "true | xargs rm -r",
        "bash -c 'rm -r src'",
        "echo $(rm -r src)",
        "sh <<E\nrm -r src\nE",
        "if true; then rm -r src; fi",
        "/bin/rm -R src",
        "find . -name x -delete",
        "sudo git -C x reset --hard",
    ] {
        assert!(matches!(run(&rules, command), Permit::Asks(_)), "{command}");
    }
    for command in ["git status", "rm a.txt", "git push", "git reset src/a.py", "pytest -q | tail", "echo rm -r src"] {
        assert_eq!(run(&rules, command), Permit::Runs, "{command}");
    }
    assert_eq!(run(&Rules { mode: Mode::Full, ..rules }, "rm -r src"), Permit::Runs);
}

#[test]
fn every_part_must_be_allowed() {
    let mut rules = rules(Mode::AutoEdit);
    rules.sandbox_is_whole = false;
    rules.allowed = vec![vec!["git".into(), "status".into()], vec!["rm".into(), "-r".into(), "build".into()]];
    assert_eq!(run(&rules, "git status && rm -r build"), Permit::Runs);
    for command in ["git status | sh", "git status; curl x", "git status $(rm -r src)", "git stat", "git status 'x"] {
        assert!(matches!(run(&rules, command), Permit::Asks(_)), "{command}");
    }
}

/// Each of them destroyed something.
#[test]
fn no_disguise_hides_what_cannot_be_taken_back() {
    let rules = rules(Mode::AutoEdit);
    for command in [
        "eval 'rm -rf sub'",
        "eval rm -rf sub",
        "command rm -rf sub",
        "env /bin/rm -rf sub",
        "env -u X A=1 rm -rf sub",
        "env -S 'rm -rf sub'",
        "timeout 5 bash -c 'rm -rf sub'",
        "timeout -s KILL 5 rm -rf sub",
        "sh -ec 'rm -rf sub'",
        "bash -o pipefail -c 'rm -rf sub'",
        "echo rm -rf sub | sh",
        "echo rm -rf sub | { bash -s; }",
        "bash <<< 'rm -rf sub'",
        "bash <(echo rm -rf sub)",
        "bash < <(echo rm -rf sub)",
        "((rm -rf sub); true)",
        "echo $((rm -rf sub); true)",
        "echo ${x:-$(rm -rf sub)}",
        "((x = $(rm -rf sub)))",
        "\\rm -rf sub",
        "r''m sub \"-r\"",
        "rm$IFS-rf sub",
        "\"$bin/rm\" -rf sub",
        "source /dev/stdin <<< 'rm -rf sub'",
        "cat <<E\n$(rm -rf sub)\nE",
        "cat <<E\n`rm -rf sub`\nE",
        "find . -exec rm -rf {} +",
        "find src -type f -exec rm {} +",
        "fdfind . src -X rm",
        "mapfile -C 'rm -r src; :' -c 1 < f",
        "find . -execdir rm -r {} \\;",
        "find . -ok /bin/rm -r {} \\;",
        "find . -exec sh -c 'rm -r \"$1\"' _ {} \\;",
        "find sub -delete",
        "rm --recursiv sub",
        "rm --r sub",
        "X=-rf; rm $X sub",
        "X=-rf; rm \"$X\" sub",
        "rm \"$(echo -r)\" d",
        "rm \"`echo -r`\" d",
        "rm \"${x:--r}\" d",
        "X=$(echo -r); rm \"$X\" d",
        "X=-r; Y=\"$X\"; rm \"$Y\" d",
        "X=a-r; rm \"${X#a}\" d",
        "for x in -r; do rm \"$x\" d; done",
        "bash -c 'rm \"$1\" d' _ -r",
        "sudo --chdir x rm -r d",
        "rm -{r,f} sub",
        "rm {-r,sub}",
        "{rm,-rf,sub}",
        "$'\\x72m' -rf sub",
        "FOO+=x rm -rf sub",
        "function f { rm -rf sub; }; f",
        "f() { rm -rf sub; }; f",
        "(rm -rf sub)",
        "exec rm -rf sub",
        "nice rm -rf sub",
        "nice -n 5 rm -rf sub",
        "ionice -c 3 rm -rf sub",
        "setsid rm -rf sub",
        "stdbuf -oL rm -rf sub",
        "stdbuf -o L rm -rf sub",
        "doas rm -rf sub",
        "sudo --user root rm -rf sub",
        "busybox rm -rf sub",
        "nohup rm -rf sub",
        "builtin eval 'rm -rf sub'",
        "chroot / rm -rf sub",
        "unshare -r rm -rf sub",
        "time -p rm -r sub",
        "coproc rm -r sub",
        "coproc N { rm -r sub; }",
        "trap 'rm -rf sub' EXIT",
        "alias x='rm -rf'",
        "rm -rf .git",
        "rm .git/index",
        "rm -f -- ./sub/.git/HEAD",
        "ls | xargs rm",
        "ls | xargs -n 1 sh -c 'rm -r \"$0\"'",
        "ls | xargs -I{} sh -c '{}'",
        "ls | parallel 'rm -rf {}'",
        "ls | parallel rm -rf",
        "sh -c \"sh -c 'rm -rf sub'\"",
    ] {
        assert!(matches!(run(&rules, command), Permit::Asks(_)), "{command}");
    }
}

#[test]
fn git_is_held_where_it_throws_away() {
    let rules = rules(Mode::AutoEdit);
    for command in [
        "git rm -rf sub",
        "git checkout HEAD a.txt",
        "git checkout -- x",
        "git checkout a.txt",
        "git checkout .",
        "git checkout -f main",
        "git restore a.txt",
        "git restore --staged --worktree a.txt",
        "git switch -f main",
        "git switch --discard-changes main",
        "git -c alias.x='reset --hard' x",
        "git -c core.hooksPath=x commit",
        "git clean -fd -e -n",
        "git clean -fde -n",
        "git push origin +main",
        "git push --mirror",
        "git push origin --delete main",
        "git push origin :main",
        "git read-tree --reset -u HEAD",
        "git checkout-index -af",
        "git branch -d -f x",
        "git branch -D x",
        "git stash drop",
        "git stash clear",
        "git reflog expire --all",
        "git gc --prune=now",
        "git update-ref -d refs/heads/x",
        "git filter-branch --all",
        "git worktree remove -f x",
        "git reset --har",
        "git submodule foreach 'git reset --hard'",
        "git bisect run rm -rf sub",
        "git rebase -x 'rm -rf sub' main",
        "git config alias.x 'reset --hard'",
        "X=--hard; git reset $X",
        "git reset \"$(printf -- --hard)\"",
        "git reset \"`echo --hard`\"",
        "git clean -n \"$(echo -f)\" -e",
        "git restore --staged \"$(echo -W)\" a",
        "bash -c 'git reset \"$0\"' --hard",
        "bash -c 'git reset \"$@\"' _ --hard",
        "git push origin \"$(echo +main)\"",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='reset --hard' git x",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='reset --hard'; git x",
        "env GIT_CONFIG_GLOBAL=x git y",
        "GIT_EDITOR='rm -r src' git commit",
        "git checkout f",
        "git checkout -q f",
        "cd src && git checkout Makefile",
        "git -C src checkout Makefile",
    ] {
        assert!(matches!(run(&rules, command), Permit::Asks(_)), "{command}");
    }
}

#[test]
fn a_program_that_is_not_in_the_text_is_held_as_such() {
    let rules = rules(Mode::AutoEdit);
    for command in ["$g reset --hard", "$(echo rm) -r sub", "git $x", "nohup $x", "bash -c \"$x\"", "curl x | sh"] {
        let Permit::Asks(reason) = run(&rules, command) else { panic!("{command}") };
        assert!(reason.starts_with("a command that is put together when it runs"), "{command}: {reason}");
    }
    // Made to be read without end.
    for part in ["env eval ", "find -exec ", "git bisect run ", "env git bisect run "] {
        assert!(matches!(run(&rules, &part.repeat(2000)), Permit::Asks(_)), "{part}");
    }
    assert!(matches!(run(&rules, &"x".repeat(600 << 10)), Permit::Asks(_)));
}

#[test]
fn everyday_commands_run() {
    let rules = rules(Mode::AutoEdit);
    for command in [
        "git status",
        "git checkout -b x",
        "git checkout -b x origin/main",
        "git checkout main",
        "git switch -c x",
        "git restore --staged a",
        "git commit -am 'rm -rf sub'",
        "git -C sub log --oneline | head -5",
        "git push",
        "git push -u origin \"$(git branch --show-current)\"",
        "git stash",
        "git stash pop",
        "git checkout my-branch",
        "git config user.name \"$(whoami)\"",
        "tmp=$(mktemp); make > \"$tmp\"; rm -f \"$tmp\"",
        "rm \"$(pwd)/a.o\"",
        "for f in *.c; do o=\"${f%.c}.o\"; rm \"$o\"; done",
        "GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME='it is' git commit -m x",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=x git log",
        "git clean -n",
        "git clean -nd -e x",
        "git branch -d x",
        "git rm --cached a.txt",
        "rm a.txt",
        "rm -f *.o",
        "for f in *.tmp; do rm \"$f\"; done",
        "find . -name x",
        "find . -exec grep y {} +",
        "find \"$dir\" -name '*.py' | xargs grep x",
        "ls | xargs grep x",
        "timeout 5 pytest",
        "FOO=1 make",
        "for f in *.py; do python3 \"$f\"; done",
        "for t in tests/*.sh; do bash \"$t\"; done",
        "cd x && cargo build | tail",
        "bash script.sh",
        "cat x | bash script.sh",
        "bash --version",
        "command -v bash",
        "sudo apt install zsh",
        "python3 - <<E\nprint('rm -rf sub')\nE",
        "python3 - <<'E'\nf((x*2), y, ((\"it's\", 1), $z), `${a.map(`$b`)}`)\nE",
        "cat > x.sh <<'E'\nrm -rf \"$1\"\n$(rm -rf sub)\nE",
        "cat <<E\n$(date)\nE",
        "sh -c 'pytest -q'",
        "bash -c \"cd $dir && pytest\"",
        "bash <<'E'\nset -e\npytest -q\nE",
        "case $1 in\n a|b) make;;\n *) make test;;\nesac",
        "a=(\"$x\" y); echo \"${a[@]}\"",
        "if [ -f x ]; then echo $((1 + 2)); else [[ $x == y ]] && make; fi",
        "while read -r line; do echo \"$line\"; done < x",
        "trap 'kill $pid' EXIT; make & pid=$!",
        "grep -rn 'rm -rf' . 2>&1 | sort > x",
        "sed -i 's/$x/y/' a.py && awk -F$'\\t' '{print $1}' b",
        "time make -j \"$(nproc)\"",
        "nice -n $N make",
        "while read -r f; do echo \"$f\"; done < <(git ls-files)",
        "[[ $x =~ ^(a|b)$ ]] && echo ${x:-$(date)} ${#a[@]} $(( (1 + 2) * 3 ))",
        "for ((i = 0; i < 3; i++)); do echo $i; done; ((i++)); a+=(x)",
        "\"$VENV/bin/python\" -m pytest && $HOME/.cargo/bin/cargo test && ~/x/run",
        "ls | xargs",
        "env A='it is' python3 -c \"print('x y', \\\"it's\\\")\"",
        "source .venv/bin/activate && export X=$(pwd) && python3 -m pytest",
        "",
    ] {
        assert_eq!(run(&rules, command), Permit::Runs, "{command}");
    }
}

#[test]
fn an_allowance_says_all_that_is_lost_and_nothing_that_is_written() {
    let mut rules = rules(Mode::AutoEdit);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    rules.sandbox_is_whole = false;
    rules.allowed =
        vec![Vec::new(), vec![String::new()], vec![" ".into()], words("rm -r build"), words("make"), words("bash")];
    for command in ["rm -r build", "make", "make -j 2 test", "make 2>&1", "make > /dev/null", "bash x.sh"] {
        assert_eq!(run(&rules, command), Permit::Runs, "{command}");
    }
    for command in [
        "rm -r build sub",
        "rm -r",
        "ls",
        "''",
        "make > x",
        "make < ${x:-$(rm -r sub)}",
        "make; ((rm -r sub); true)",
        "make >> x",
        "make <<E\n$(rm -r sub)\nE",
        "bash -c 'rm -r sub'",
        "bash <<E\nrm -r sub\nE",
        "bash <<< 'rm -r sub'",
        "$x",
    ] {
        assert!(matches!(run(&rules, command), Permit::Asks(_)), "{command}");
    }
}

#[test]
fn modes_say_what_runs_by_itself() {
    let write = |mode| rules(mode).permit(ToolName::Write, &json!({}), &AROUND);
    assert!(matches!(write(Mode::ReadOnly), Permit::Never(_)));
    assert!(matches!(write(Mode::Ask), Permit::Asks(_)));
    assert_eq!(write(Mode::AutoEdit), Permit::Runs);
    assert!(matches!(run(&rules(Mode::ReadOnly), "ls"), Permit::Never(_)));
    assert!(matches!(run(&rules(Mode::Ask), "ls"), Permit::Asks(_)));
    assert_eq!(rules(Mode::ReadOnly).permit(ToolName::Read, &json!({}), &AROUND), Permit::Runs);
    assert!("yolo".parse::<Mode>().is_err());
}
