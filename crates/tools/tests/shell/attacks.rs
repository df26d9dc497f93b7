//! Commands that try to get out. None succeeds: not by what they say, but by what is there afterwards.

use std::{
    fs,
    io::ErrorKind,
    net::{TcpListener, UdpSocket},
    os::{
        linux::net::SocketAddrExt,
        unix::{
            fs::PermissionsExt,
            net::{SocketAddr, UnixListener},
        },
    },
    path::Path,
    process::{Child, Command},
    time::Duration,
};

use lookback_tools::{Shell, ShellLimits, ShellSetup, sandbox::Limits};

use crate::place::{KEY, Place, code, processes_with, run, text};

/// Where the placeholders lead: `OUT` a folder beside the project, `HOME` the home directory, `PORT` a listening port,
/// `VICTIM` a process of the user's.
const WRITE_OUTSIDE: [&str; 16] = [
    "echo x > OUT/file",
    "echo x > OUT/new",
    "rm -f OUT/file",
    "mv OUT/file stolen",
    "ln -s OUT/file link; echo x > link",
    "ln OUT/file hard; echo x > hard",
    "mkdir OUT/folder",
    "truncate -s 0 OUT/file",
    "chmod 777 OUT/file",
    "touch -d 2001-01-01 OUT/file",
    "python3 -c \"open('OUT/file','w').write('x')\"",
    "cd .. && echo x > outside/file",
    "echo x > HOME/.bashrc; echo x > HOME/.ssh/authorized_keys",
    "echo x > /etc/lookback-was-here; echo x > /usr/local/bin/lookback-was-here; echo x > /var/tmp/lookback-was-here",
    "echo x > /tmp/lookback-was-here; echo x > /dev/shm/lookback-was-here; echo x > /run/lookback-was-here",
    "echo x > /proc/sys/kernel/lookback; echo x > /proc/1/root/OUT/file; echo x > /proc/self/cwd/../outside/file",
];

const READ_KEYS: [&str; 9] = [
    "cat HOME/.ssh/id_ed25519",
    "cat ~/.ssh/id_ed25519; cat HOME/.cargo/credentials.toml",
    "cat ../home/.ssh/id_ed25519",
    "ln -s ../home/.ssh/id_ed25519 link; cat link",
    "ln ../home/.ssh/id_ed25519 hard; cat hard",
    "cat /proc/1/root/HOME/.ssh/id_ed25519 /proc/self/root/HOME/.ssh/id_ed25519 /proc/1/cwd/../home/.ssh/id_ed25519",
    "tar c HOME | tar xO; grep -r very-secret HOME",
    "find / -xdev -name id_ed25519 -newer /proc/1/stat -exec cat {} + ; find HOME -type f -exec cat {} +",
    "umount -l HOME; umount HOME; cat HOME/.ssh/id_ed25519",
];

const REACH_OUT: [&str; 8] = [
    "echo x > /dev/tcp/127.0.0.1/PORT",
    "echo x > /dev/udp/127.0.0.1/PORT",
    "curl -m 2 http://localhost:PORT/ || wget -T 2 -t 1 http://127.0.0.1:PORT/",
    "python3 -c \"import socket; socket.create_connection(('127.0.0.1', PORT), 2)\"",
    "for ip in $(hostname -I) 10.0.2.2 172.17.0.1; do timeout 1 bash -c \"echo x > /dev/tcp/$ip/PORT\"; done",
    "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('\\0lookback-test-PORT')\"",
    "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('OUT/../tmp-socket')\"; nsenter -t 1 -n true",
    "python3 -c \"import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\" && echo x > HOME/../outside/file",
];

const WRITE_PROTECTED: [&str; 12] = [
    "echo evil > .git/hooks/pre-commit",
    "rm -rf .git/hooks; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
    "mv .git/hooks .git/old; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
    "mv .git elsewhere; cp -r elsewhere .git; echo evil > .git/hooks/pre-commit",
    "ln -sfn ../evil .git/hooks; mkdir evil; echo evil > evil/pre-commit; mv -T evil .git/hooks",
    "umount .git/hooks; umount -l .git; echo evil > .git/hooks/pre-commit",
    "unshare -Ur sh -c 'umount .git/hooks; mount -o remount,rw .git/hooks; echo evil > .git/hooks/pre-commit'",
    "mount -o remount,bind,rw .git/hooks; echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/*",
    "git config core.hooksPath evil; echo evil >> .git/config",
    "sed -i s/core/evil/ .git/config; cp .git/config c; echo evil >> c; mv -f c .git/config",
    "echo evil > .lookback.toml; rm -f .lookback.toml; echo evil >> .lookback.toml",
    "echo evil > e; mv -f e .lookback.toml; ln -sf e .lookback.toml; cp e .lookback.toml",
];

/// Each leaves a sleeper of `SLEEP` seconds behind, or ends the user's.
const LEAVE: [&str; 8] = [
    "setsid sleep SLEEP & disown",
    "nohup sleep SLEEP >/dev/null 2>&1 &",
    "(setsid setsid nohup sleep SLEEP >/dev/null 2>&1 &) &",
    "python3 -c \"import os\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\nos.execvp('sleep', ['sleep', 'SLEEP'])\"",
    "trap '' TERM HUP INT; sh -c \"trap '' TERM HUP; exec sleep SLEEP\" & exit 0",
    "systemd-run --user sleep SLEEP; echo 'sleep SLEEP' | at now; tmux new -d 'sleep SLEEP'",
    "kill -9 VICTIM; kill -9 -VICTIM; kill -9 -1",
    "strace -p VICTIM -o /dev/null & gdb -p VICTIM -batch -ex 'call (int)kill(VICTIM, 9)'; nsenter -t VICTIM -a kill -9 VICTIM",
];

struct Attacked {
    place: Place,
    shell: Shell,
    port: u16,
    victim: Child,
}

impl Attacked {
    fn new() -> Self {
        let place = Place::new();
        let git = Command::new("git").args(["init", "-q"]).current_dir(place.path("project")).status().unwrap();
        assert!(git.success());
        let victim = Command::new("sleep").arg("600").spawn().unwrap();
        Self { shell: place.shell(), place, port: 0, victim }
    }

    fn fill(&self, command: &str) -> String {
        command
            .replace("OUT", self.place.path("outside").to_str().unwrap())
            .replace("HOME", self.place.path("home").to_str().unwrap())
            .replace("PORT", &self.port.to_string())
            .replace("VICTIM", &self.victim.id().to_string())
    }

    /// All that must be as it was, in one text.
    fn state(&mut self) -> String {
        let read = |name: &str| fs::read_to_string(self.place.path(name)).unwrap_or_else(|error| error.to_string());
        let mode = fs::metadata(self.place.path("outside/file")).unwrap().permissions().mode();
        let modified = fs::metadata(self.place.path("outside/file")).unwrap().modified().unwrap();
        let list = |name: &str| {
            let mut names: Vec<_> =
                fs::read_dir(self.place.path(name)).unwrap().map(|one| one.unwrap().file_name()).collect();
            names.sort();
            format!("{names:?}")
        };
        let strays = ["/etc", "/usr/local/bin", "/var/tmp", "/tmp", "/dev/shm", "/run"];
        let strays = strays.map(|folder| Path::new(folder).join("lookback-was-here").exists());
        let (outside, home, ssh) = (list("outside"), list("home"), list("home/.ssh"));
        let hooks: String = fs::read_dir(self.place.path("project/.git/hooks"))
            .unwrap()
            .map(|one| {
                let path = one.unwrap().path();
                format!("{} {:o}\n", path.display(), path.metadata().unwrap().permissions().mode())
            })
            .filter(|line| !line.contains(".sample"))
            .collect();
        let files = ["outside/file", "project/.lookback.toml", "project/.git/config", "home/.ssh/id_ed25519"].map(read);
        let victim = self.victim.try_wait().unwrap();
        format!("{files:?} {mode:o} {modified:?} {outside} {home} {ssh} {hooks} {strays:?} {victim:?}")
    }

    fn attack(&mut self, command: &str) {
        let before = self.state();
        let filled = self.fill(command);
        let result = run(&self.shell, &filled);
        assert_eq!(before, self.state(), "{command}\n{}", text(&result));
        assert!(!text(&result).contains(KEY), "{command}\n{}", text(&result));
        assert!(!text(&result).contains("DENIED"), "it must have run: {}", text(&result));
    }
}

impl Drop for Attacked {
    fn drop(&mut self) {
        self.victim.kill().unwrap();
        self.victim.wait().unwrap();
    }
}

#[test]
fn nothing_outside_is_written() {
    let mut attacked = Attacked::new();
    for command in WRITE_OUTSIDE {
        attacked.attack(command);
    }
}

#[test]
fn no_key_is_read() {
    let mut attacked = Attacked::new();
    for command in READ_KEYS {
        attacked.attack(command);
    }
    let tools = run(&attacked.shell, &attacked.fill("cat HOME/.cargo/registry/cached; touch HOME/.cargo/registry/new"));
    assert!(text(&tools).starts_with("cached") && code(&tools) == Some(1), "readable, not writable: {}", text(&tools));
}

#[test]
fn the_network_is_not_reached() {
    let mut attacked = Attacked::new();
    let tcp = TcpListener::bind("0.0.0.0:0").unwrap();
    attacked.port = tcp.local_addr().unwrap().port();
    let udp = UdpSocket::bind(("0.0.0.0", attacked.port)).unwrap();
    let name = SocketAddr::from_abstract_name(format!("lookback-test-{}", attacked.port)).unwrap();
    let hidden = UnixListener::bind_addr(&name).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    hidden.set_nonblocking(true).unwrap();
    for command in REACH_OUT {
        attacked.attack(command);
        assert_eq!(tcp.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{command}");
        assert_eq!(hidden.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "{command}");
        assert_eq!(udp.recv(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock, "{command}");
    }
    let own = "python3 -m http.server 8099 --bind 127.0.0.1 >/dev/null 2>&1 & \
               for i in $(seq 50); do sleep 0.1; (echo > /dev/tcp/127.0.0.1/8099) 2>/dev/null && echo own && break; done";
    assert_eq!(text(&run(&attacked.shell, own)).trim(), "own", "its own loopback works");
}

#[test]
fn programs_that_listen_on_a_path_are_not_reached() {
    let place = Place::new();
    // Neither in home nor in temp, which are covered.
    let path = place.path("outside/daemon.sock");
    let daemon = UnixListener::bind(&path).unwrap();
    daemon.set_nonblocking(true).unwrap();
    let connect = format!("python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{}')\"", path.display());
    let setup = place.setup();
    let mut policy = setup.policy.clone();
    policy.network = true;
    for shell in [place.shell(), Shell::new(ShellSetup { policy, ..setup })] {
        run(&shell, &connect);
        assert_eq!(daemon.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

#[test]
fn with_the_network_allowed_it_is_reached() {
    let place = Place::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let setup = place.setup();
    let mut policy = setup.policy.clone();
    policy.network = true;
    let shell = Shell::new(ShellSetup { policy, ..setup });
    let result = run(&shell, &format!("echo x > /dev/tcp/127.0.0.1/{}", tcp.local_addr().unwrap().port()));
    assert_eq!(code(&result), Some(0), "{}", text(&result));
    tcp.set_nonblocking(true).unwrap();
    tcp.accept().unwrap();
    let name = SocketAddr::from_abstract_name(format!("lookback-open-{}", std::process::id())).unwrap();
    let hidden = UnixListener::bind_addr(&name).unwrap();
    hidden.set_nonblocking(true).unwrap();
    let abstract_socket = "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('\\0lookback-open-PID')\"";
    run(&shell, &abstract_socket.replace("PID", &std::process::id().to_string()));
    assert_eq!(hidden.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn hooks_and_configuration_stay_as_they_are() {
    let mut attacked = Attacked::new();
    for command in WRITE_PROTECTED {
        attacked.attack(command);
    }
}

#[test]
fn what_is_not_there_yet_gets_another_name() {
    let place = Place::new();
    fs::remove_file(place.path("project/.lookback.toml")).unwrap();
    let shell = place.shell();
    let result = run(&shell, "echo 'base_url = 1' > .lookback.toml; git init -q; echo evil > .git/hooks/pre-commit");
    assert!(!place.path("project/.lookback.toml").exists() && !place.path("project/.git/hooks/pre-commit").exists());
    assert!(text(&result).contains(".lookback.toml.refused"), "{}", text(&result));
    assert_eq!(fs::read_to_string(place.path("project/.lookback.toml.refused")).unwrap(), "base_url = 1\n");
}

#[test]
fn nobody_stays_behind() {
    let mut attacked = Attacked::new();
    for (number, command) in LEAVE.iter().enumerate() {
        let time = format!("98{number}{}", std::process::id());
        attacked.attack(&command.replace("SLEEP", &time));
        assert_eq!(processes_with(&[&time]), [0_u32; 0], "{command}");
    }
}

#[test]
fn forks_memory_and_files_without_end_are_stopped() {
    let place = Place::new();
    let inside = Limits { processes: 40, memory: 512 << 20, file_size: 8 << 20, ..Limits::default() };
    let limits = ShellLimits { inside, ..ShellLimits::default() };
    let shell = Shell::new(ShellSetup { limits, ..place.setup() });
    // None is really without end: were nothing to stop them, the machine would live.
    for bomb in [
        "f() { [ $1 -gt 0 ] && { f $(($1 - 1)) | f $(($1 - 1)) & }; sleep 60; }; f 9",
        "for i in $(seq 500); do sleep 60 & done; wait",
        "python3 -c \"import os, time\nfor i in range(1000):\n    if os.fork() == 0: os.setsid(); time.sleep(60)\ntime.sleep(60)\"",
    ] {
        let result = run(&shell, bomb);
        let said = text(&result);
        // The kernel's own limit may be faster than the supervisor.
        let is_stopped = said.starts_with("EXECUTION_ERROR") && said.contains("at most 40");
        assert!(is_stopped || said.contains("temporarily unavailable"), "{bomb}: {said}");
    }
    let many = "for i in 1 2 3 4; do python3 -c \"import time; x = bytearray(200 << 20); time.sleep(60)\" & done; wait";
    assert!(text(&run(&shell, many)).contains("of memory, at most 512"));
    let shared = "python3 -c \"import mmap, time\nheld = [mmap.mmap(-1, 200 << 20) for _ in range(4)]\nfor one in held:\n    for at in range(0, len(one), 4096): one[at] = 1\ntime.sleep(60)\"";
    assert!(text(&run(&shell, shared)).contains("of memory, at most 512"));
    assert_eq!(code(&run(&shell, "python3 -c 'bytearray(1 << 30)'")), Some(1), "one alone is refused it");
    run(&shell, "head -c 100M /dev/zero > big");
    assert_eq!(fs::metadata(place.path("project/big")).unwrap().len(), 8 << 20);
}

#[test]
fn a_disk_that_fills_up_is_seen() {
    let place = Place::new();
    let disk = tempfile::tempdir_in("/dev/shm").unwrap();
    let free = rustix::fs::statvfs(disk.path()).unwrap();
    let kept = free.f_bavail * free.f_frsize - (200 << 20);
    let limits = ShellLimits { inside: Limits { free_space: kept, ..Limits::default() }, ..ShellLimits::default() };
    let mut setup = ShellSetup { limits, ..place.setup() };
    setup.policy.root = disk.path().canonicalize().unwrap();
    let began = std::time::Instant::now();
    let result = run(&Shell::new(setup), "for i in $(seq 1000); do head -c 16M /dev/zero > $i; sleep 0.01; done");
    assert!(text(&result).contains("are left on a disk"), "{}", text(&result));
    assert!(began.elapsed() < Duration::from_secs(10));
}
