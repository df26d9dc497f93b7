//! Open files: a command has its three streams and nothing of ours or of whoever started us.

use std::{fs, os::fd::AsRawFd};

use crate::place::{KEY, Place, code, run, text};

/// Says on every open file that all went well, and closes what it can.
const SPEAKS_IN_OUR_NAME: &str = r#"python3 -c '
import os, socket
for number in range(3, 64):
    try:
        line = socket.socket(fileno=os.dup(number))
        line.send(b"{\"Ended\":{\"code\":0,\"stopped\":null,\"refused\":[]}}\n")
        line.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
'; exit 5"#;

#[test]
fn a_command_cannot_speak_for_its_supervisor() {
    let place = Place::new();
    let shell = place.shell();
    let result = run(&shell, SPEAKS_IN_OUR_NAME);
    assert_eq!(code(&result), Some(5), "{}", text(&result));
    assert_eq!(text(&run(&shell, "echo still here")), "still here\n");
}

#[test]
fn what_the_caller_has_open_is_closed() {
    let place = Place::new();
    let outside = fs::File::options().append(true).open(place.path("outside/file")).unwrap();
    let key = fs::File::open(place.path("home/.ssh/id_ed25519")).unwrap();
    // Unlike the files themselves these stay open in every program that is started.
    let (outside, key) = (rustix::io::dup(outside).unwrap(), rustix::io::dup(key).unwrap());
    let command = format!("echo x >&{}; cat <&{}", outside.as_raw_fd(), key.as_raw_fd());
    let result = run(&place.shell(), &command);
    assert!(!text(&result).contains(KEY) && code(&result) == Some(1), "{}", text(&result));
    assert_eq!(fs::read_to_string(place.path("outside/file")).unwrap(), "before");
    let listed = run(&place.shell(), "python3 -c \"import os; print(*sorted(map(int, os.listdir('/proc/self/fd'))))\"");
    assert_eq!(text(&listed), "0 1 2 3\n", "the last is the listing");
}
