//! A person at a real terminal: the program sees one at its input and its errors, and gets what is typed there.

use std::{
    fs::{File, OpenOptions},
    io::{Read as _, Write as _},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

pub(crate) struct Terminal {
    child: Child,
    keys: File,
    seen: Arc<Mutex<String>>,
}

impl Terminal {
    /// Standard output stays a pipe, as in `answer=$(lookback …)`.
    pub(crate) fn start(mut command: Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("ours");
        unlockpt(&ours).expect("ours");
        let name = ptsname(&ours, Vec::new()).expect("a name").into_string().expect("text");
        let theirs: OwnedFd = OpenOptions::new().read(true).write(true).open(name).expect("its other end").into();
        let copy = theirs.try_clone().expect("a copy");
        let child = command.stdin(theirs).stderr(copy).stdout(Stdio::piped()).spawn().expect("it starts");
        // The copies in `command` would keep the terminal open.
        drop(command);
        let keys = File::from(ours);
        let (mut screen, seen) = (keys.try_clone().expect("a copy"), Arc::new(Mutex::new(String::new())));
        let shown = Arc::clone(&seen);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]).replace('\r', "");
                shown.lock().expect("whole").push_str(&text);
            }
        });
        Self { child, keys, seen }
    }

    /// What stands there since the last answer.
    pub(crate) fn seen(&self) -> String {
        self.seen.lock().expect("whole").clone()
    }

    /// Waits until these words stand there.
    pub(crate) fn wait_for(&self, words: &str) {
        let begun = Instant::now();
        while !self.seen().contains(words) {
            assert!(begun.elapsed() < Duration::from_secs(30), "no \"{words}\": {}", self.seen());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Answers the question with these words.
    pub(crate) fn answer(&mut self, question: &str, line: &str) {
        self.wait_for(question);
        self.seen.lock().expect("whole").clear();
        self.keys.write_all(format!("{line}\n").as_bytes()).expect("it takes keys");
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The code, standard output, and what stood on the terminal since the last answer.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        let mut out = String::new();
        self.child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
        let code = self.child.wait().expect("it ends").code();
        thread::sleep(Duration::from_millis(50));
        (code, out, self.seen())
    }
}
