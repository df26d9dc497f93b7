use super::*;
use crate::evidence::lines::lines_in;

/// `path: number text | number text` for each file, as read back through the forms.
fn shown(command: &str, cwd: &str, output: &str) -> Vec<String> {
    let render = |attributed: Attributed| {
        let lines = lines_in(output.as_bytes(), &attributed.form, attributed.first_line);
        assert_eq!(lines.len(), attributed.line_count as usize, "{command}");
        assert_eq!(lines[0].0, attributed.first_line, "{command}");
        let lines: Vec<String> = lines.iter().map(|(number, text)| format!("{number} {text}")).collect();
        format!("{}: {}", attributed.path, lines.join(" | "))
    };
    attribute(&Script::parse(command), cwd, output.as_bytes()).into_iter().map(render).collect()
}

#[track_caller]
fn shows(command: &str, output: &str, expected: &[&str]) {
    assert_eq!(shown(command, "", output), expected, "{command}");
}

#[track_caller]
fn shows_nothing(command: &str, output: &str) {
    shows(command, output, &[]);
}

#[test]
fn cat() {
    shows("cat src/a.py", "x\n\ny\n", &["src/a.py: 1 x | 2  | 3 y"]);
    shows("cat ./src//a.py 2>/dev/null", "x\r\ny", &["src/a.py: 1 x | 2 y"]);
    shows("cat 'my file.py' 2>&1", "x\n", &["my file.py: 1 x"]);
    shows("cat my\\ file.py", "x\n", &["my file.py: 1 x"]);
    shows("cat -n a.py", "     1\tx\n     2\t\n", &["a.py: 1 x | 2 "]);
    shows_nothing("cat a.py", "");
    shows_nothing("cat a.py b.py", "x\n");
    shows_nothing("cat", "x\n");
    shows_nothing("cat -A a.py", "x$\n");
    shows_nothing("cat a.py", "cat: a.py: No such file or directory\n");
    shows_nothing("cat a.py 2>&1", "cat: a.py: Is a directory\n");
    shows_nothing("cat a.py", "bash: cat: command not found\n");
    shows_nothing("cat -n a.py", "     1\tx\nnoise\n");
    shows_nothing("cat -n a.py", "     2\tx\n");
}

#[test]
fn directories() {
    assert_eq!(shown("cat b.py", "src/web", "x\n"), ["src/web/b.py: 1 x"]);
    assert_eq!(shown("cat ../b.py", "src/web", "x\n"), ["src/b.py: 1 x"]);
    shows("cd src && cat a.py", "x\n", &["src/a.py: 1 x"]);
    shows("cd src && cd web && cat ../a.py", "x\n", &["src/a.py: 1 x"]);
    shows("cd 'a b' && rg -n x .", "./c.py:1:x\n", &["a b/c.py: 1 x"]);
    shows_nothing("cd /tmp && cat a.py", "x\n");
    shows_nothing("cd - && cat a.py", "x\n");
    shows_nothing("cd && cat a.py", "x\n");
    shows_nothing("cd .. && cat a.py", "x\n");
    shows_nothing("cat /etc/hosts", "x\n");
    shows_nothing("cat ../a.py", "x\n");
}

#[test]
fn after_commands_that_print_nothing() {
    shows("sed -i 's/a/b/' a.py && cat a.py", "b\n", &["a.py: 1 b"]);
    shows("cd src && mv a.py b.py && sed -n '2p' b.py", "x\n", &["src/b.py: 2 x"]);
    shows_nothing("mv -v a.py b.py && cat b.py", "renamed 'a.py' -> 'b.py'\nx\n");
    shows_nothing("sed -n 's/a/b/p' a.py && cat a.py", "b\nb\n");
    shows_nothing("sed -i 's/a/b/w /dev/stdout' a.py && cat a.py", "b\nb\n");
    shows_nothing("sed -i 's/a/b/' a.py | cat a.py && cat a.py", "b\nb\n");
}

#[test]
fn sed() {
    shows("sed -n '40,42p' src/a.py", "x\ny\nz\n", &["src/a.py: 40 x | 41 y | 42 z"]);
    shows("sed -n 40,42p src/a.py", "x\n", &["src/a.py: 40 x"]);
    shows("sed -n '7p' a.py", "x\n", &["a.py: 7 x"]);
    shows("sed -n '9,3p' a.py", "x\n", &["a.py: 9 x"]);
    shows("sed -n '40,$p' a.py", "x\ny\n", &["a.py: 40 x | 41 y"]);
    shows("sed -n \"40,\\$p\" a.py", "x\n", &["a.py: 40 x"]);
    shows("sed -n -e '1,2p' -e '5,6p' a.py", "a\nb\ne\n", &["a.py: 1 a | 2 b", "a.py: 5 e"]);
    shows("sed -n '1,2p; 5p' a.py", "a\n", &["a.py: 1 a"]);
    shows("sed -ne '3p' a.py", "c\n", &["a.py: 3 c"]);
    shows("cat a.py | sed -n '3,4p'", "c\nd\n", &["a.py: 3 c | 4 d"]);
    shows_nothing("sed -n '1,2p' a.py", "a\nb\nc\n");
    shows_nothing("sed -n '5,6p;1,2p' a.py", "a\n");
    shows_nothing("sed -n '1,3p;2p' a.py", "a\n");
    shows_nothing("sed '1,2p' a.py", "a\n");
    shows_nothing("sed -n '/x/p' a.py", "a\n");
    shows_nothing("sed -n '0p' a.py", "a\n");
    shows_nothing("sed -n '1,2p' a.py b.py", "a\n");
    shows_nothing("sed -i -n '1,2p' a.py", "a\n");
    shows_nothing("sed -n '1,2p' a.py", "sed: can't read a.py: No such file or directory\n");
    // The shell puts a variable there.
    shows_nothing("sed -n \"40,$p\" a.py", "x\n");
}

#[test]
fn head_and_tail() {
    shows("head -n 2 a.py", "x\ny\n", &["a.py: 1 x | 2 y"]);
    shows("head -n2 a.py", "x\n", &["a.py: 1 x"]);
    shows("head -2 a.py", "x\n", &["a.py: 1 x"]);
    shows("head --lines=2 a.py", "x\n", &["a.py: 1 x"]);
    shows("head a.py", "x\n", &["a.py: 1 x"]);
    shows("cat a.py | head -n 2", "x\ny\n", &["a.py: 1 x | 2 y"]);
    shows("tail -n +30 a.py", "x\ny\n", &["a.py: 30 x | 31 y"]);
    shows("tail -n +30 a.py | head -n 2", "x\ny\n", &["a.py: 30 x | 31 y"]);
    shows("head -n 50 a.py | tail -n +49", "x\ny\n", &["a.py: 49 x | 50 y"]);
    shows_nothing("head -n 50 a.py | tail -n +49", "x\ny\nz\n");
    shows_nothing("head -n 50 a.py | tail -n +51", "x\n");
    shows_nothing("head a.py", &"x\n".repeat(11));
    shows_nothing("head -n -2 a.py", "x\n");
    shows_nothing("head -c 2 a.py", "x\n");
    shows_nothing("head -n 2 a.py b.py", "==> a.py <==\n");
    shows_nothing("tail -n 3 a.py", "x\n");
    shows_nothing("tail a.py", "x\n");
    shows_nothing("tail -f a.py", "x\n");
    shows_nothing("head -n 50 a.py | tail -5", "x\n");
}

#[test]
fn nl() {
    shows("nl -ba a.py", "     1\tx\n     2\t\n", &["a.py: 1 x | 2 "]);
    shows("nl -ba a.py | sed -n '40,41p'", "    40\tx\n    41\ty\n", &["a.py: 40 x | 41 y"]);
    shows("cat -n a.py | sed -n '4p;6p'", "     4\tx\n     6\ty\n", &["a.py: 4 x | 6 y"]);
    shows("cat a.py | nl -ba | head -n 1", "     1\tx\n", &["a.py: 1 x"]);
    shows("head -n 1 a.py | cat -n", "     1\tx\n", &["a.py: 1 x"]);
    shows_nothing("nl a.py", "     1\tx\n");
    shows_nothing("nl -ba a.py | sed -n '40,41p'", "     2\tx\n");
    shows_nothing("sed -n '40,41p' a.py | cat -n", "     1\tx\n");
}

#[test]
fn grep_in_one_file() {
    shows("grep -n 'def' a.py", "3:def f():\n12:def g(): # 4:5\n", &["a.py: 3 def f(): | 12 def g(): # 4:5"]);
    shows("grep -n \"a\\|b\" ./a.py 2>/dev/null", "3:a\n", &["a.py: 3 a"]);
    shows("grep -n x a.py -A 1", "3:x\n4-y\n--\n9:x\n10-\n", &["a.py: 3 x | 9 x", "a.py: 4 y | 10 "]);
    shows("grep -nE -B2 -e x a.py", "1-a\n2:x\n", &["a.py: 2 x", "a.py: 1 a"]);
    shows("grep -n x a.py | head -20", "3:x\n", &["a.py: 3 x"]);
    shows("grep -n x a.py | tail -n 1", "3:x\n", &["a.py: 3 x"]);
    shows("cat a.py | grep -n x", "3:x\n", &["a.py: 3 x"]);
    shows_nothing("grep x a.py", "3:x\n");
    shows_nothing("grep -n x a.py", "");
    shows_nothing("grep -n x a.py", "3:x\n2:y\n");
    shows_nothing("grep -n x a.py", "3:x\n[output cut]\n");
    shows_nothing("grep -no x a.py", "3:x\n");
    shows_nothing("grep -nc x a.py", "3\n");
    shows_nothing("grep -n x", "3:x\n");
    shows_nothing("grep -n x -", "3:x\n");
    shows_nothing("grep -n x a.py", "grep: a.py: No such file or directory\n");
    shows_nothing("tail -n +5 a.py | grep -n x", "3:x\n");
    shows_nothing("cat a.py | grep x", "x\n");
    shows_nothing("grep -n x a.py | grep -n y", "1:3:x\n");
    shows_nothing("grep -n x a.py | sort", "3:x\n");
}

#[test]
fn grep_in_several_files() {
    let output = "src/a.py:3:x: 1\nsrc/a.py:7:x\nsrc/b/c.py:1:x\n";
    shows("grep -rn x src", output, &["src/a.py: 3 x: 1 | 7 x", "src/b/c.py: 1 x"]);
    shows("grep -rn x src/ --include='*.py' | head -5", output, &["src/a.py: 3 x: 1 | 7 x", "src/b/c.py: 1 x"]);
    shows("grep -n x src/a.py src/b/c.py", output, &["src/a.py: 3 x: 1 | 7 x", "src/b/c.py: 1 x"]);
    shows("grep -Hn x src/a.py", "src/a.py:3:x\n", &["src/a.py: 3 x"]);
    shows("grep -rn x .", "./a.py:3:x\n", &["a.py: 3 x"]);
    shows("grep -rn x", "a.py:3:x\n", &["a.py: 3 x"]);
    shows("grep -rn x a.py", "3:x\n", &["a.py: 3 x"]);
    let noisy = "grep: src/k: Permission denied\nsrc/a.py:3:x\nBinary file src/b.pyc matches\n";
    shows("grep -rn x src 2>&1", noisy, &["src/a.py: 3 x"]);
    shows_nothing("grep -rn x src", "lib/a.py:3:x\n");
    shows_nothing("grep -rn x src", "src/a.py:3:x\n...\n");
    shows_nothing("grep -rhn x src", "3:x\n");
    shows_nothing("grep -rln x src", "src/a.py\n");
    shows_nothing("grep -rn x src --include=*.py", "src/a.py:3:x\n");
    shows_nothing("grep -rn x /usr/include", "/usr/include/a.h:3:x\n");
}

#[test]
fn context_lines_in_several_files() {
    let output = "src/a.py-2-w\nsrc/a.py:3:x\nsrc/a.py-4-  y:5: z\n--\nsrc/v-1-2.py-8-a\nsrc/v-1-2.py:9:x\n";
    shows("grep -rn -C1 x src", output, &["src/a.py: 2 w | 3 x | 4   y:5: z", "src/v-1-2.py: 8 a | 9 x"]);
    shows("grep -rn -B3 x src | head -2", "src/a.py-2-w\nsrc/a.py-3-v\n", &[]);
    let cut = "src/a.py-3-w\n--\nsrc/a.py:7:x\n--\nsrc/a.py-9-v\nsrc/a.py-10-u\n";
    shows("grep -rn -C1 x src | head -5", cut, &["src/a.py: 3 w | 7 x | 9 v | 10 u"]);
    shows("grep -rn x src", "src/v-1-2.py:9:x\n", &["src/v-1-2.py: 9 x"]);
    shows_nothing("grep -rn -C1 x src", "src/a.py:3:x\nsrc/a.py-5-y\n");
}

#[test]
fn rg() {
    shows("rg -n 'a|b' src", "src/a.py:3:a\n", &["src/a.py: 3 a"]);
    shows("rg -n x", "src/a.py:3:x\nb.py:1:x\n", &["src/a.py: 3 x", "b.py: 1 x"]);
    shows("rg -n x src/a.py", "3:x\n", &["src/a.py: 3 x"]);
    shows("rg -n -S -g '*.py' --hidden x a b", "a/c.py:3:x\nb:1:x\n", &["a/c.py: 3 x", "b: 1 x"]);
    shows("rg -nC 1 x src", "src/a.py-2-w\nsrc/a.py:3:x\n", &["src/a.py: 2 w | 3 x"]);
    shows("rg --line-number -e x -e y src | head -n 1", "src/a.py:3:x\n", &["src/a.py: 3 x"]);
    shows_nothing("rg x src", "src/a.py:x\n");
    shows_nothing("rg -n x", "3:x\n");
    shows_nothing("rg -n --heading x", "a.py\n3:x\n");
    shows_nothing("rg -no x src", "src/a.py:3:x\n");
    shows_nothing("rg --files src", "src/a.py\n");
    shows_nothing("rg -n --color always x src", "src/a.py:3:x\n");
    shows_nothing("rg -n x src", "bash: line 1: rg: command not found\n");
}

#[test]
fn lists_and_unknown_programs() {
    for command in [
        "cat a.py; cat b.py",
        "cat a.py && cat b.py",
        "cat a.py || true",
        "cat a.py\ncat b.py",
        "python a.py",
        "cat $F",
        "cat *.py",
        "cat $(f)",
        "cat a.py > b.py",
        "cat < a.py",
        "cat a.py | sort",
        "cat a.py | tac",
        "",
        "X=1 cat a.py",
        "echo x && cat a.py",
        "cat a.py &",
        "cat a.py |",
        "| cat a.py",
        "cat a.py | cat b.py",
        "git show HEAD:a.py",
        "time cat a.py",
        "cd src",
        "&&",
    ] {
        shows_nothing(command, "x\n");
    }
}

#[test]
fn several_readers_with_a_border_between_them() {
    let both = ["a.py: 1 x | 2 y", "b.py: 7 z"];
    shows("sed -n '1,2p' a.py && echo '== b ==' && sed -n '7,9p' b.py", "x\ny\n== b ==\nz\n", &both);
    shows("sed -n '1,9p' a.py; printf '\\n--- b\\n'; sed -n '7,9p' b.py", "x\ny\n\n--- b\nz\n", &both);
    shows("cat a.py; echo ---; ls; echo ---; sed -n 7p b.py", "x\ny\n---\nfile\n---\nz\n", &both);
    // Each printed all that it could: nobody was cut short.
    shows("sed -n '1,2p' a.py\nsed -n '7p' b.py", "x\ny\nz\n", &both);
    shows(
        "cd src && nl -ba a.py | sed -n '3,9p'; nl -ba a.py | sed -n '20,21p'",
        "     3\tx\n    20\ty\n",
        &["src/a.py: 3 x", "src/a.py: 20 y"],
    );
    // A file that ends early leaves the border open, and so does a text that stands there twice.
    shows_nothing("sed -n '1,5p' a.py; sed -n '7p' b.py", "x\ny\nz\n");
    shows_nothing("cat a.py; echo ---; cat b.py", "x\n---\ny\n---\nz\n");
    shows_nothing("cat a.py; echo; cat b.py", "x\n\nz\n");
    shows_nothing("nl -ba a.py | head -3; nl -ba b.py | sed -n '3,4p'", "     1\tx\n     2\ty\n     3\tz\n");
    shows_nothing("ls && sed -n '1,2p' a.py && sed -n '7p' b.py", "x\ny\nz\n");
    shows_nothing("cat a.py || cat b.py", "x\n");
}

#[test]
fn only_what_stands_there_literally_is_read() {
    for command in [
        "cat \"$F\"",
        "cat \"${F}\"",
        "cat `f`",
        "cat \"`f`\"",
        "cat a?.py",
        "cat [ab].py",
        "cat {a,b}",
        "cat ~/a",
        "cat a |& b",
        "cat a >> b",
        "cat a 2> b",
        "cat a 12>&1",
        "cat a '2'>&1",
        "cat a 1>&2",
        "! cat a",
        "(cat a)",
        "cat 'a",
        "cat \"a",
        "cat a\\",
        "cat <<E\nE",
        "cat \"10,$p\"",
        "cat a 2>&1x",
        "cat a &>/dev/null",
    ] {
        shows_nothing(command, "x\n");
    }
    shows("cat a#b 2>/dev/null", "x\n", &["a#b: 1 x"]);
    shows("cat \\\n a'b'\"c\"'' 2> /dev/null|head", "x\n", &["abc: 1 x"]);
}

proptest::proptest! {
    #[test]
    fn nothing_panics(
        command in "(cd a && )?(cat|nl -ba|head|tail|sed -n|grep -n|grep -rn|rg -n) [-a-z0-9,$+' |]{0,12}( \\| (head|sed -n 2,3p|cat -n|grep -n x))?",
        output in "([a0-9]{0,3}[:-][0-9]{0,2}[:-]?[a-z \t]{0,3}\n?|--\n){0,6}",
    ) {
        for attributed in attribute(&Script::parse(&command), "", output.as_bytes()) {
            let lines = lines_in(output.as_bytes(), &attributed.form, attributed.first_line);
            proptest::prop_assert_eq!(lines.len(), attributed.line_count as usize);
            proptest::prop_assert_eq!(lines[0].0, attributed.first_line);
        }
    }
}
