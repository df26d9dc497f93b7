use super::*;

/// What a session knows in these tests.
const KNOWN: [&str; 13] = [
    "Cargo.toml",
    "README.md",
    "a.py",
    "b.py",
    "main.go",
    "my file.py",
    "src/a.py",
    "src/b.py",
    "src/lib.rs",
    "src/web/app.ts",
    "src/web/style.css",
    "tests/test_a.py",
    "文.md",
];
const PYTHON: &str = "a.py|b.py|my file.py|src/a.py|src/b.py|tests/test_a.py";

fn changed(command: &str, cwd: &str) -> (String, Rest) {
    let known = KNOWN.iter().map(ToString::to_string).collect();
    let changes = changed_files(&Script::parse(command), cwd);
    let among = changes.among(&known);
    let all = among.len() == KNOWN.len();
    (if all { "all".to_owned() } else { among.join("|") }, changes.rest)
}

/// `?` behind the files: there may be others.
#[track_caller]
fn all(cases: &[(&str, &str)]) {
    for (command, expected) in cases {
        let (files, rest) = match expected.strip_suffix('?') {
            Some(files) => (files.trim_end(), Rest::Unknown),
            None => (*expected, Rest::Known),
        };
        assert_eq!(changed(command, ""), (files.to_owned(), rest), "{command}");
    }
}

#[test]
fn redirections() {
    all(&[
        ("echo x > a.py", "a.py"),
        ("echo x >> a.py", "a.py"),
        ("echo x>a.py", "a.py"),
        ("echo x >| a.py", "a.py"),
        ("> a.py", "a.py"),
        (": > a.py", "a.py"),
        ("echo x &> a.py", "a.py"),
        ("echo x >& a.py", "a.py"),
        ("echo x 2> a.py 1>b.py", "a.py|b.py"),
        ("echo x > 'my file.py'", "my file.py"),
        ("echo x > my\\ file.py", "my file.py"),
        ("echo x > \"my file.py\"", "my file.py"),
        ("echo x > 文.md", "文.md"),
        ("echo x > ./src//web/../a.py", "src/a.py"),
        ("echo 'a > a.py'", ""),
        ("echo \"a > a.py\"", ""),
        ("echo a \\> a.py", ""),
        ("echo x # > a.py", ""),
        ("echo x#y > a.py", "a.py"),
        ("cat a.py 2>/dev/null", ""),
        ("cat a.py > /dev/null 2>&1", ""),
        ("cat a.py >&2", ""),
        ("cat a.py 2>&1 1>&2", ""),
        ("cat a.py >&-", ""),
        ("cat < a.py", ""),
        ("[[ a > a.py ]] && true", ""),
        ("(( x > 3 )) && true", ""),
        ("echo $((1 > 0))", ""),
        ("echo x > ../a.py", ""),
        ("echo x > new.py", ""),
        ("echo x > $LOG", "?"),
        ("echo x > \"$DIR/web/app.ts\"", "src/web/app.ts"),
        ("echo x > src/${NAME}.py", "src/a.py|src/b.py"),
        ("echo x > {a,b}.py", "a.py|b.py|my file.py"),
        ("{ echo x; echo y; } > a.py", "a.py"),
        ("(echo x; echo y) > a.py", "a.py"),
        ("for x in 1 2; do echo $x; done > a.py", "a.py"),
    ]);
}

#[test]
fn here_documents() {
    all(&[
        ("cat > a.py <<'EOF'\nrm b.py\nx > src/a.py\nEOF", "a.py"),
        ("cat <<EOF > a.py\nx > b.py\nEOF\n", "a.py"),
        ("cat <<-EOF >> a.py\n\tx\n\tEOF\nrm b.py", "a.py|b.py"),
        ("cat <<EOF | tee a.py\nEOFX\nEOF\nrm b.py", "a.py|b.py"),
        ("cat > a.py << \"END OF IT\"\nEND OF\nEND OF IT\ncat b.py", "a.py"),
        ("cat <<A <<B\nrm a.py\nA\nrm a.py\nB\nrm b.py", "b.py"),
        ("cat > a.py <<'EOF'\nnever ends", "a.py"),
        ("cat <<< 'x > b.py' > a.py", "a.py"),
        ("cat > a.py <<'EOF' && cat > b.py <<'EOF'\nx\nEOF\ny\nEOF", "a.py|b.py"),
        ("python - <<'EOF'\nopen('a.py', 'w')\nEOF", "?"),
        ("bash <<'EOF'\nsed -i s/a/b/ a.py\nEOF", "a.py"),
        ("git commit -m \"$(cat <<'EOF'\nrm a.py\nEOF\n)\" && rm b.py", "b.py"),
    ]);
}

#[test]
fn edits_in_place() {
    all(&[
        ("sed -i 's/a/b/' src/a.py", "src/a.py"),
        ("sed -i.bak 's/a/b/g' src/a.py src/b.py", "src/a.py|src/b.py"),
        ("sed -i '' 's/a/b/' a.py", "a.py"),
        ("sed -i -e 's/a/b/' -e '3d' a.py", "a.py"),
        ("sed -Ei 's/(a)/\\1/' a.py", "a.py"),
        ("sed -n -i '1,3p' a.py", "a.py"),
        ("sed --in-place=.orig 's/x/y/' a.py", "a.py"),
        ("sed -i 's|/src/a.py|b.py|' README.md", "README.md"),
        ("sed -i \"3i\\\\    return 'x > b.py'\" a.py", "a.py"),
        ("sed -i '/x/{n;s/a/b/}' a.py; cat a.py", "a.py"),
        ("sed -i 's/a/b/' *.py", "a.py|b.py|my file.py"),
        ("sed -i 's/a/b/' src/*.py", "src/a.py|src/b.py"),
        ("sed -i 's/a/b/' src/?.py src/[!x]*.rs", "src/a.py|src/b.py|src/lib.rs"),
        ("sed -i 's/a/b/' **/*.py", "src/a.py|src/b.py|tests/test_a.py"),
        ("sed -i 's/a/b/' \"$F\"", "all"),
        ("sed -i 's/a/b/' $(git ls-files)", "all"),
        ("sed -n '1,3p' a.py", ""),
        ("sed 's/a/b/' a.py > b.py", "b.py"),
        ("sed 's/i/b/' -e i a.py", ""),
        ("perl -pi -e 's/a/b/' a.py b.py", "a.py|b.py"),
        ("perl -i.bak -pe 's/a/b/' a.py", "a.py"),
        ("perl -0777 -i -pe 's/a\\nb/c/' src/a.py", "src/a.py"),
        ("perl -ne 'print if /a/' a.py", "?"),
        ("gawk -i inplace '{print $1}' a.py", "a.py"),
        ("awk '{print $1 > 3}' a.py", ""),
        ("yq -i '.a = 1' Cargo.toml", "Cargo.toml"),
        ("ed -s a.py <<'EOF'\n1d\nw\nEOF", "a.py"),
        ("vim -es -c '%s/a/b/' -c wq a.py", "a.py"),
    ]);
}

#[test]
fn copies_moves_and_removals() {
    all(&[
        ("rm a.py", "a.py"),
        ("rm -rf src", "src/a.py|src/b.py|src/lib.rs|src/web/app.ts|src/web/style.css"),
        ("rm -f -- a.py", "a.py"),
        ("rm -rf src/web/", "src/web/app.ts|src/web/style.css"),
        ("rm \"$TMP\"", "?"),
        ("rm -rf /tmp/build node_modules target", ""),
        ("mv a.py b.py", "a.py|b.py"),
        ("mv a.py src/", "a.py|src/a.py"),
        ("mv a.py src", "a.py|src/a.py"),
        ("mv -t src a.py b.py", "a.py|b.py|src/a.py|src/b.py"),
        ("cp a.py b.py", "b.py"),
        ("cp a.py src/", "src/a.py"),
        ("cp /tmp/x.py a.py", "a.py"),
        ("cp *.py src/", "src/a.py|src/b.py"),
        ("cp -r other/. src/web", "src/web/app.ts|src/web/style.css"),
        ("cp a.py /tmp/", "a.py"),
        ("tee a.py b.py", "a.py|b.py"),
        ("echo x | tee -a a.py > /dev/null", "a.py"),
        ("sort -o a.py b.py", "a.py"),
        ("curl -s https://x.org/a.py -o a.py", "a.py"),
        ("dd if=/dev/zero of=a.py bs=1", "a.py"),
        ("truncate -s 0 a.py", "a.py"),
        ("touch a.py && chmod +x a.py && mkdir -p src", ""),
        ("dos2unix a.py", "a.py"),
    ]);
}

#[test]
fn lists_subshells_and_directories() {
    all(&[
        ("cd src && sed -i s/a/b/ a.py", "src/a.py"),
        ("cd src; rm a.py; cd ..; rm b.py", "b.py|src/a.py"),
        ("(cd src && rm a.py) && rm b.py", "b.py|src/a.py"),
        ("cd src/web && rm ../a.py", "src/a.py"),
        ("cd src || exit 1\nrm a.py", "src/a.py"),
        ("ls && rm a.py || rm b.py", "a.py|b.py"),
        ("make & rm a.py", "a.py ?"),
        ("if [ -f a.py ]; then rm a.py; else rm b.py; fi", "a.py|b.py"),
        ("test -f x && { rm a.py; }", "a.py"),
        ("! rm a.py", "a.py"),
        ("for f in a.py src/*.rs; do sed -i s/a/b/ \"$f\"; done", "a.py|src/lib.rs"),
        ("FILES=\"a.py src/b.py\"; sed -i s/a/b/ $FILES", "a.py|src/b.py"),
        ("F=src/a.py && sed -i s/a/b/ ${F}", "src/a.py"),
        ("export D=src; rm $D/a.py", "src/a.py"),
        ("case $x in a) rm a.py ;; *) rm b.py ;; esac", "a.py|b.py ?"),
        ("bash -c 'cd src && rm a.py'; rm b.py", "b.py|src/a.py"),
        ("bash -lc \"sed -i 's/a/b/' a.py\"", "a.py"),
        ("eval 'rm a.py'", "a.py"),
        ("echo $(rm a.py) `rm b.py`", "a.py|b.py"),
        ("diff <(rm a.py) b.py", "a.py"),
        ("sudo -u root env A=1 timeout -k 5 10 nice -n 5 rm a.py", "a.py"),
        ("LC_ALL=C sed -i s/a/b/ a.py", "a.py"),
        ("/bin/rm a.py", "a.py"),
        ("cat a.py | grep x | sed 's/a/b/' | head -3", ""),
        ("f() { rm a.py; }; f", "a.py ?"),
        ("rm \\\n  a.py", "a.py"),
        ("cd /srv/app && sed -i s/a/b/ src/a.py", "src/a.py"),
        ("cd /srv/app/src && rm a.py", "a.py|src/a.py"),
        ("cd \"$ROOT\" && rm src/a.py", "src/a.py"),
        ("rm /srv/app/src/web/app.ts", "src/web/app.ts"),
        ("sed -i s/a/b/ /srv/app/src/a.py", "a.py|src/a.py"),
        ("rm ~/app/src/lib.rs", "src/lib.rs"),
        ("rm $PWD/src/lib.rs", "src/lib.rs"),
        ("cd /srv/app && git checkout .", "all"),
    ]);
    assert_eq!(changed("rm a.py ../b.py", "src").0, "b.py|src/a.py");
    assert_eq!(changed("rm app.ts", "./src//web/").0, "src/web/app.ts");
    assert_eq!(changed("rm src/lib.rs", "/tmp").0, "src/lib.rs", "where nobody knows the root");
    assert_eq!(changed_files(&Script::parse("cd src && rm ./x/../a.py"), "").paths, ["src/a.py"]);
}

#[test]
fn what_one_program_finds_and_another_changes() {
    all(&[
        ("find . -name '*.py' -exec sed -i 's/a/b/' {} +", PYTHON),
        ("find src -name \"*.py\" -exec sed -i 's/a/b/' {} \\;", "src/a.py|src/b.py"),
        ("find src -type f -name '*.rs' | xargs sed -i 's/a/b/'", "src/lib.rs"),
        ("find . -path ./x -prune -o -name '*.ts' -print0 | xargs -0 perl -pi -e 's/a/b/'", "src/web/app.ts"),
        ("find . ! -name '*.py' -exec sed -i s/a/b/ {} +", "all"),
        ("find src/web -delete", "src/web/app.ts|src/web/style.css"),
        ("find . -name '*.py'", ""),
        ("find src -exec sh -c 'sed -i s/a/b/ {}' \\;", "all"),
        ("grep -rl foo src/web | xargs sed -i 's/foo/bar/g'", "src/web/app.ts|src/web/style.css"),
        ("grep -rl --include='*.py' foo src | sort | xargs -n 1 sed -i 's/foo/bar/g'", "src/a.py|src/b.py"),
        ("rg -l foo | xargs -I {} sed -i 's/foo/bar/' {}", "all"),
        ("git ls-files '*.py' | xargs black", PYTHON),
        ("git grep -l foo | xargs sed -i s/foo/bar/", "all"),
        ("cat list.txt | xargs sed -i s/a/b/", "all"),
        ("cat list.txt | xargs rm", "?"),
        ("echo a.py b.py | xargs rm", "a.py|b.py"),
        ("find src/web -type f | while read -r f; do sed -i s/a/b/ \"$f\"; done", "src/web/app.ts|src/web/style.css"),
        ("ls | xargs -n1 cat", ""),
    ]);
}

#[test]
fn version_control() {
    all(&[
        ("git status && git log --oneline -5 && git diff HEAD~1 -- a.py && git add -A && git commit -m 'rm a.py'", ""),
        ("git --no-pager diff | head", ""),
        ("git checkout -- a.py", "a.py"),
        ("git checkout HEAD~1 -- src", "src/a.py|src/b.py|src/lib.rs|src/web/app.ts|src/web/style.css"),
        ("git checkout a.py", "a.py"),
        ("git checkout HEAD a.py b.py", "a.py|b.py"),
        ("git checkout .", "all"),
        ("git checkout main", "all"),
        ("git checkout -", "all"),
        ("git checkout -b feature/x", ""),
        ("git checkout -b feature/x origin/main", "all"),
        ("git checkout -- '*.ts'", "src/web/app.ts"),
        ("git -C src checkout -- a.py", "src/a.py"),
        ("git switch main", "all"),
        ("git switch -c new", ""),
        ("git restore src/a.py", "src/a.py"),
        ("git restore --staged src/a.py", ""),
        ("git reset --hard HEAD~1", "all"),
        ("git reset HEAD a.py", ""),
        ("git stash", "all"),
        ("git stash pop", "all"),
        ("git stash list", ""),
        ("git stash push -- a.py", "a.py"),
        ("git merge main", "all"),
        ("git merge-base main HEAD", ""),
        ("git pull --rebase && git cherry-pick abc", "all"),
        ("git rm a.py && git mv b.py src/", "a.py|b.py|src/b.py"),
        ("git rm --cached a.py", ""),
        ("git clean -fdn", ""),
        ("git show HEAD:a.py > a.py", "a.py"),
        ("git apply --check x.patch", ""),
        ("git apply x.patch", "all"),
        ("git frobnicate", "?"),
    ]);
}

#[test]
fn patches() {
    let diff = "--- a/src/a.py\t2026-01-01\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\n";
    let update = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Delete File: b.py\n*** End Patch";
    all(&[
        ("patch -p1 < x.patch", "all"),
        ("patch -p1 --dry-run < x.patch", ""),
        ("patch a.py x.patch", "a.py"),
        ("patch -d src/web -p1 -i x.patch", "src/web/app.ts|src/web/style.css"),
        (&format!("patch -p1 <<'EOF'\n{diff}EOF"), "src/a.py"),
        (&format!("patch <<'EOF'\n{diff}EOF"), "a.py|src/a.py"),
        (&format!("git apply <<'EOF'\n{diff}EOF"), "src/a.py"),
        (&format!("cat <<'EOF' | git apply -\n{diff}EOF"), "src/a.py"),
        (&format!("apply_patch <<'EOF'\n{update}\nEOF"), "b.py|src/a.py"),
        (&format!("apply_patch '{update}'"), "b.py|src/a.py"),
    ]);
}

#[test]
fn formatters() {
    all(&[
        ("black .", PYTHON),
        ("black src/a.py", "src/a.py"),
        ("black --check .", ""),
        ("python -m black src", "src/a.py|src/b.py"),
        ("poetry run isort src tests", "src/a.py|src/b.py|tests/test_a.py"),
        ("ruff format", PYTHON),
        ("ruff check .", ""),
        ("ruff check --fix src", "src/a.py|src/b.py"),
        ("uv run ruff format src", "src/a.py|src/b.py"),
        ("cargo fmt", "src/lib.rs"),
        ("cargo fmt --all -- --check", ""),
        ("cargo +nightly fmt", "src/lib.rs"),
        ("cargo clippy --fix --allow-dirty", "src/lib.rs"),
        ("rustfmt src/lib.rs", "src/lib.rs"),
        ("gofmt -w main.go", "main.go"),
        ("gofmt -l .", ""),
        ("go fmt ./...", "main.go"),
        ("npx prettier --write 'src/**/*.ts'", "src/web/app.ts"),
        ("npx prettier --check src", ""),
        ("npx eslint --fix src", "src/web/app.ts"),
        ("clang-format -i src/lib.rs", "src/lib.rs"),
    ]);
}

#[test]
fn what_runs_code_of_the_project_is_not_knowable() {
    all(&[
        ("python script.py", "?"),
        ("python -c \"open('a.py','w')\"", "?"),
        ("node build.js", "?"),
        ("make", "?"),
        ("npm install", "?"),
        ("npm run format", "?"),
        ("cargo build", "?"),
        ("./run.sh a.py", "?"),
        ("$CMD a.py", "?"),
        ("pytest -q tests/test_a.py", ""),
        ("python -m pytest -x 2>&1 | tail -20", ""),
        ("cargo test -p engine -- --nocapture", ""),
        ("go test ./... && npm test", ""),
        ("grep -rn 'rm a.py' src; ls -la; cat a.py; head -5 b.py", ""),
        ("", ""),
        ("   \n\n", ""),
    ]);
}

#[test]
fn a_long_command_takes_no_longer_than_its_length() {
    let known: BTreeSet<String> = (0..10_000).map(|number| format!("src/dir{}/f{number}.py", number % 100)).collect();
    for command in [
        "rm ".to_owned() + &"/a".repeat(50_000),
        "cd ".to_owned() + &"a/".repeat(50_000) + "; " + &"(x; ".repeat(20_000),
        "F=a; ".to_owned() + &"F=$F$F; ".repeat(200) + "rm $F",
        "for f in ".to_owned() + &"a b c ".repeat(20_000) + "; do rm " + &"$f ".repeat(20_000) + "; done",
        "$(".repeat(50_000),
        "`".repeat(50_001),
        "\"$(".repeat(20_000),
        "sudo ".repeat(50_000) + "rm a.py",
        "find . -exec ".repeat(5_000) + "rm {}",
        "bash -c '".repeat(5_000),
        "rm ".to_owned() + &"*a".repeat(30_000),
        "((".repeat(50_000),
        "${".repeat(50_000),
        "{".repeat(50_000),
        "<<E ".repeat(20_000),
        "[".repeat(100_000),
        "for f in ".to_owned() + &("a".repeat(4_000) + " ").repeat(250) + "; do rm " + &"$f ".repeat(20_000) + "; done",
        "rm ".to_owned() + &"a.py ".repeat(100_000),
    ] {
        changed_files(&Script::parse(&command), "").among(&known);
    }
}

proptest::proptest! {
    #[test]
    fn nothing_panics(command in "\\PC{0,60}", cwd in "[a./]{0,6}") {
        changed(&command, &cwd);
    }

    #[test]
    fn nor_does_anything_that_looks_like_a_script(
        command in "((sed -i|cd|rm|git checkout|git apply|patch|perl -pi|find|xargs|for f in|read|bash -c|mv|cp -r|tee|black|env|timeout) ?|[a-c./ ]|[\"'`\\\\$(){}\\[\\]<>|&;#*?~!=,\n-]|<<E|\nE\n|\\$\\(|\\$f|EOF){0,24}",
    ) {
        changed(&command, "src");
    }

    /// A quoted name is the name, whatever stands in it.
    #[test]
    fn quoted_names(name in "[a-z$`*?\\[\\]{}()<>|&;#! \"\\\\-]{1,12}") {
        let changes = changed_files(&Script::parse(&format!("echo x > './{name}'")), "");
        proptest::prop_assert_eq!(changes, Changes { paths: vec![name], ..Changes::default() });
    }
}
