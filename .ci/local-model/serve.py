"""The server process: llama.cpp's own HTTP server, told to be predictable. Started by local_model.py, which waits for
the file `ready`; needs nothing of it but the arguments."""

import argparse
import fcntl
import json
import os
import signal
import sys
import threading
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("package", "weights", "folder", "template"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--model")
    for name in ("port", "context", "threads"):
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--attached", action="store_true")
    options = parser.parse_args()

    # Held until this process dies, however it dies.
    pid = open(options.folder / "pid", "w")
    pid.write(str(os.getpid()))
    pid.flush()
    fcntl.flock(pid, fcntl.LOCK_EX)

    def leave(*_) -> None:
        for name in ("ready", "log", "pid"):
            (options.folder / name).unlink(missing_ok=True)
        if not any(options.folder.iterdir()):
            options.folder.rmdir()
        # The server's own threads have nothing to save, and would be waited for.
        os._exit(0)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    if options.attached:
        threading.Thread(target=leave_with_input, daemon=True).start()

    server = serve(options)
    half = options.folder / "ready.half"
    half.write_text(json.dumps({"url": f"{server.listening_address}/v1"}))
    half.rename(options.folder / "ready")
    while True:
        signal.pause()


def leave_with_input() -> None:
    try:
        sys.stdin.buffer.read()
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


def serve(options):
    sys.path.insert(0, str(options.package))
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(options.weights)
    settings.model_alias = {options.model}
    settings.hostnames, settings.port = ["127.0.0.1"], options.port
    settings.n_gpu_layers = 0
    settings.n_ctx = options.context
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = options.threads
    # One slot with its prompt cache and no second cache in RAM: the cached tokens that the server reports are then the
    # common beginning of this prompt and the one before, and nothing else.
    settings.n_parallel, settings.cache_prompt, settings.cache_ram_mib = 1, True, 0
    # Neither may repair a changed prompt behind our back: shifting drops the oldest tokens of a full context, reuse moves
    # the cache of equal pieces to other positions.
    settings.ctx_shift, settings.n_cache_reuse = False, 0
    settings.ui = False
    # The default lets every web page in the user's browser read the answers.
    settings.cors_origins, settings.cors_origins_explicit = "http://127.0.0.1", True
    if options.template:
        settings.chat_template = options.template.read_text()
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    main()
