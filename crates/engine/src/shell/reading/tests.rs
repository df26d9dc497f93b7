use proptest::prelude::*;

use super::*;

fn read(command: &str) -> Reading {
    Reading::of(&Script::parse(command))
}

fn only_prints(command: &str) -> bool {
    read(command).purpose <= Purpose::Files
}

fn only_looks(command: &str) -> bool {
    read(command).purpose <= Purpose::Asks
}

fn claimed(command: &str) -> &str {
    read(command).claimed(command)
}

fn key(command: &str) -> String {
    read(command).key(command)
}

#[test]
fn what_a_command_is_for() {
    for (command, purpose) in [
        ("cat tests/test_a.py", Purpose::Looks),
        ("ls\nmake", Purpose::Builds),
        ("git log -3 && ls", Purpose::Asks),
        ("gh pr view 3", Purpose::Asks),
        ("gh pr merge 3", Purpose::Works),
        ("sort -o a b", Purpose::Files),
        ("find . -name x -delete", Purpose::Files),
        ("git commit -m 'make tests pass'", Purpose::Commits),
        ("pip install pytest", Purpose::Works),
        ("npm install jest", Purpose::Works),
        ("npm run build && npm test", Purpose::Tests),
        ("npm run test:unit | tail -5", Purpose::Tests),
        ("cd x && cargo +nightly clippy --all", Purpose::Builds),
        ("timeout 60 .venv/bin/python -m pytest -q", Purpose::Tests),
        ("python manage.py test app", Purpose::Tests),
        ("docker compose exec web pytest", Purpose::Tests),
        ("mvn -q clean test", Purpose::Tests),
        ("./run_tests.sh", Purpose::Tests),
        ("source env/bin/activate && ls", Purpose::Looks),
        ("source run.sh", Purpose::Works),
        ("yarn run test", Purpose::Tests),
        ("poetry run test", Purpose::Tests),
        ("uv run python -m pytest", Purpose::Tests),
        ("mise run lint", Purpose::Builds),
        ("bash ${ROOT}/hooks/check-x.sh", Purpose::Builds),
        ("test -f x && echo yes", Purpose::Files),
        ("make test", Purpose::Tests),
        ("make", Purpose::Builds),
        ("mise run test:ci", Purpose::Tests),
        ("mise exec -- golangci-lint run", Purpose::Builds),
        ("docker logs tests", Purpose::Works),
        ("docker compose logs tests", Purpose::Works),
        ("docker run --rm image cat tests/log", Purpose::Works),
        ("go run ./cmd/test", Purpose::Works),
        ("bash tests/show_log.sh", Purpose::Works),
        ("curl https://ci.example/tests", Purpose::Works),
        ("psql -c 'select * from tests'", Purpose::Works),
        ("python -c 'print(\"tests\")'", Purpose::Works),
        ("CI=1 go vet ./...", Purpose::Builds),
        ("python test_report.py", Purpose::Tests),
        ("npm run test:unit", Purpose::Tests),
        ("make -C tests all", Purpose::Builds),
        ("npx playwright test", Purpose::Tests),
        ("make clean all", Purpose::Builds),
        ("cargo test --no-run", Purpose::Builds),
        ("mvn package -DskipTests", Purpose::Builds),
        ("gradle build -x test", Purpose::Builds),
        ("npm run lint -- tests", Purpose::Builds),
    ] {
        assert_eq!(read(command).purpose, purpose, "{command}");
    }
}

#[test]
fn what_tests_and_builds_nothing_is_no_run() {
    for command in [
        "pytest --collect-only -q",
        "python -m pytest --co",
        "pytest --version",
        "pytest -h",
        "go test -list . ./...",
        "go test -list=.",
        "npx jest --listTests",
        "npm test -- --listTests",
        "cargo nextest list",
        "cargo test -- --list",
        "tox -l",
        "just --list test",
        "make -n test",
        "npm test --dry-run",
        "npx playwright install",
        "npm run tests-badge",
        "npm run test:report",
        "make test-data",
        "python make_test_data.py",
        "gcc --version",
        "tsc --version",
        "cargo build --help",
        "make clean",
        "npm run build:docs",
        "npx eslint --print-config x",
    ] {
        assert!(read(command).purpose < Purpose::Builds, "{command}: {:?}", read(command).purpose);
    }
}

#[test]
fn commands_that_look_are_known_from_those_that_do() {
    for command in [
        "ls -la src",
        "cat a | head -3",
        "git log --oneline",
        "grep -rn 'a|b>c' . 2>/dev/null",
        "sed -n 1,9p a",
        "find . -exec grep x {} \\; | xargs cat 2>&1",
    ] {
        assert!(only_looks(command), "{command}");
    }
    for command in [
        "git commit -m x",
        "cat > a.py <<'EOF'\nx\nEOF",
        "sed -i s/a/b/ x",
        "rm -r build",
        "go test ./...",
        "echo x > y",
    ] {
        assert!(!only_looks(command), "{command}");
    }
}

#[test]
fn the_way_to_a_directory_is_no_part_of_a_command() {
    assert_eq!(claimed("cd /repo/web && npm test"), "npm test");
    assert_eq!(claimed("cd a; export X=1 && cargo build 2>&1"), "cargo build 2>&1");
    assert_eq!(claimed("cd a"), "cd a");
    assert_eq!(claimed("python -c 'a; b'"), "python -c 'a; b'");
}

#[test]
fn how_much_is_shown_makes_no_other_command() {
    assert_eq!(key("cd x && pytest -q 2>&1 | tail -20"), key("pytest  -q"));
    assert_ne!(key("pytest -q a.py"), key("pytest -q"));
}

#[test]
fn printers() {
    for command in [
        "echo '=== 1 failed in 0.1s ==='",
        "cd web && cat test.log | tail -n 40",
        "LANG=C /usr/bin/grep -rn 'a\\|b' . 2>/dev/null | head; ls *.py",
        "git -C web --no-pager log -p -1 -- $F | less",
        "sed -n '1,20p' a.py; awk -F: '/a|b/ || $1 > 3 {print $2}' b.txt",
        "if [ -f log ]; then cat log; else echo none; fi",
        "for f in a b; do echo \"$f\"; jq . $f; done",
        "{ cat a; ! grep b c; } > d; (tail d)",
        "find . -name '*.log' -print0 | xargs -0 cat",
        "bash -lc \"cat log | tail -5\"",
        "cat <<'EOF'\n2 passed in 0.1s\nEOF",
        "env",
        "X=1",
    ] {
        assert!(only_prints(command), "{command}");
    }
}

#[test]
fn others() {
    for command in [
        "",
        "# pytest",
        "pytest",
        "make test",
        "./run.sh > log 2>&1; tail log",
        "npm t",
        "bash -lc \"pytest\"",
        "bash run.sh",
        "bash <<EOF\npytest\nEOF",
        "cd x && pytest | tail -5",
        "X=1 env Y=2 pytest",
        "echo start && (cd web; npx jest)",
        "echo \"$(pytest)\"",
        "cat <(pytest)",
        "cat log | sh",
        "echo pytest | xargs -I{} sh -c {}",
        "echo a | xargs -r pytest",
        "find . -name 'test_*' -exec python {} ;",
        "awk 'BEGIN { system(\"pytest\") }'",
        "awk -f run.awk",
        "git commit -m x",
        "git bisect run pytest",
        "git -c alias.log=!pytest log",
        "for f in a b; do pytest $f; done",
        "cat() { pytest; }; cat",
        "./cat log",
        "$RUN",
        "echo 'unbalanced",
        "timeout 60 pytest",
    ] {
        assert!(!only_prints(command), "{command}");
    }
}

proptest! {
    #[test]
    fn a_command_between_printers_is_found(
        before in "((cat a|echo 'b'|X=1 ls|cd c|git log -1) ?(;|&&|\\||\\|\\||\n|&) ?){0,4}",
        after in "( ?(;|&&|\\||\\|\\||\n|&) ?(tail -5|grep \"x\"|true)){0,3}",
    ) {
        let command = format!("{before}pytest -q{after}");
        prop_assert!(!only_prints(&command));
        let command = format!("{before}cat d{after}");
        prop_assert!(only_prints(&command));
    }

    #[test]
    fn nothing_panics(text in "(cat|bash -c|git|<<|[a<>'\"\\\\$(){};|&# \n\té-]){0,30}") {
        only_prints(&text);
    }
}

#[test]
fn each_command_of_a_script_has_a_purpose() {
    let read = |command: &str| purposes(&Script::parse(command));
    assert_eq!(
        read("mise run lint && mise run test | tail"),
        [(Purpose::Builds, Joint::And), (Purpose::Tests, Joint::Pipe), (Purpose::Looks, Joint::Semicolon)]
    );
    assert_eq!(
        read("bash -lc 'cd x && go vet ./...'"),
        [(Purpose::Looks, Joint::And), (Purpose::Builds, Joint::Semicolon)]
    );
}
