#!/usr/bin/env python3
"""What memory large and hostile recordings take: bench/large.py PROGRAM [WORD…]

Writes recordings of every format in 30, 60 and 240 MB and in several shapes, plain and as gzip, has the program `import` and `replay` each,
and prints the most memory that it took, how it ended and what it said of what it left out. Ends with 1 where one took more than 512 MB,
more than --seconds, or ended by a signal. Words choose: names of formats and shapes. Needs 1 GB of room under --directory.
"""
import argparse, gzip, json, os, shutil, sqlite3, subprocess, sys, tempfile, threading, time

WORDS = "the quick brown fox jumps over the lazy dog\n"
DAY = "2026-05-01T10:00:00.000Z"
USAGE = {"input_tokens": 9, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 9000, "output_tokens": 30}


# What formats call the tools that look for something and that change a file; the others have a shell.
TOOLS = {"claude": ("Bash", "Grep", "Edit"), "pi": ("bash", "grep", "edit"), "opencode": ("bash", "grep", "edit"), "gemini": ("run_shell_command", "search_file_content", "replace")}


def tool(maker, arguments):
    """The one that would have such arguments."""
    return TOOLS[maker][1 if "pattern" in arguments else 2 if "new_string" in arguments else 0]


def claude(number, text, calls, arguments):
    parts = [{"type": "tool_use", "id": f"c{number}_{at}", "name": tool("claude", arguments), "input": arguments} for at in range(calls)]
    results = [{"type": "tool_result", "tool_use_id": f"c{number}_{at}", "content": text} for at in range(calls)]
    line = lambda kind, message: {"parentUuid": None, "sessionId": "s", "cwd": "/w", "uuid": f"{kind}{number}", "timestamp": DAY, "type": kind, "message": message}
    yield line("assistant", {"id": f"m{number}", "role": "assistant", "model": "claude-sonnet-4-6", "content": parts or [{"type": "text", "text": text}], "usage": USAGE})
    if results:
        yield line("user", {"role": "user", "content": results})


def codex(number, text, calls, arguments):
    line = lambda payload: {"timestamp": DAY, "type": "response_item", "payload": payload}
    for at in range(calls):
        yield line({"type": "function_call", "name": "shell", "call_id": f"c{number}_{at}", "arguments": json.dumps(arguments)})
        yield line({"type": "function_call_output", "call_id": f"c{number}_{at}", "output": text})
    if not calls:
        yield line({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})


def pi(number, text, calls, arguments):
    line = lambda message: {"type": "message", "id": f"a{number}", "parentId": f"a{number - 1}", "timestamp": DAY, "message": message}
    parts = [{"type": "toolCall", "id": f"c{number}_{at}", "name": tool("pi", arguments), "arguments": arguments} for at in range(calls)]
    yield line({"role": "assistant", "content": parts or [{"type": "text", "text": text}], "model": "claude-sonnet-4-6", "usage": {"input": 9, "output": 3, "cacheRead": 0, "cacheWrite": 0}})
    for at in range(calls):
        yield line({"role": "toolResult", "toolCallId": f"c{number}_{at}", "toolName": "bash", "content": [{"type": "text", "text": text}]})


def opencode(number, text, calls, arguments):
    part = lambda at: {"type": "tool", "tool": tool("opencode", arguments), "callID": f"c{number}_{at}", "state": {"status": "completed", "input": arguments, "output": text}}
    yield {"info": {"id": f"msg_{number:09}", "role": "assistant", "modelID": "claude-sonnet-4-6", "providerID": "anthropic", "tokens": {"input": 9, "output": 3, "cache": {"read": 0, "write": 0}}},
           "parts": [part(at) for at in range(calls)] or [{"type": "text", "text": text}]}


def mini(number, text, calls, arguments):
    call = lambda at: {"id": f"c{number}_{at}", "type": "function", "function": {"name": "bash", "arguments": json.dumps(arguments)}}
    yield {"role": "assistant", "content": "" if calls else text, "tool_calls": [call(at) for at in range(calls)], "extra": {"response": {"usage": {"prompt_tokens": 9, "completion_tokens": 3}}}}
    for at in range(calls):
        yield {"role": "tool", "tool_call_id": f"c{number}_{at}", "content": text}


def swe(number, text, calls, arguments):
    yield {"role": "assistant", "content": f"I run it.\n```\n{json.dumps(arguments)}\n```" if calls else text, "action": json.dumps(arguments) if calls else "", "agent": "primary"}
    yield {"role": "user", "content": text, "agent": "primary"}


def gemini(number, text, calls, arguments):
    call = lambda at: {"id": f"c{at}", "name": tool("gemini", arguments), "args": arguments, "result": [{"functionResponse": {"response": {"output": text}}}]}
    yield {"id": str(number), "timestamp": DAY, "type": "gemini", "content": "" if calls else text, "model": "gemini-3-pro", "tokens": {"input": 9, "output": 3, "cached": 0}, "toolCalls": [call(at) for at in range(calls)]}


def asked(parts):
    return json.dumps(parts)[1:-1]


# By name: what writes messages, what stands before and behind them, and between two.
FORMATS = {
    "claude-code": (claude, asked([{"sessionId": "s", "cwd": "/w", "version": "2.1.0", "uuid": "u0", "parentUuid": None, "timestamp": DAY, "type": "user", "message": {"role": "user", "content": "why?"}}]) + "\n", "\n", "\n"),
    "codex": (codex, asked([{"timestamp": DAY, "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}}]) + "\n" + asked([{"timestamp": DAY, "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "why?"}]}}]) + "\n", "\n", "\n"),
    "pi": (pi, asked([{"type": "session", "version": 3, "id": "s", "timestamp": DAY, "cwd": "/w"}]) + "\n" + asked([{"type": "message", "id": "a-1", "parentId": None, "timestamp": DAY, "message": {"role": "user", "content": [{"type": "text", "text": "why?"}]}}]) + "\n", "\n", "\n"),
    "opencode": (opencode, '{"info":{"id":"ses_1","directory":"/w"},"messages":[' + asked([{"info": {"id": "msg_0", "role": "user"}, "parts": [{"type": "text", "text": "why?"}]}]) + ",", ",", "]}"),
    "opencode.db": (opencode, "", "", ""),
    "mini-swe-agent": (mini, '{"info":{"mini_version":"2.2.7","config":{"model":{"model_name":"deepseek/deepseek-chat"}}},"messages":[' + asked([{"role": "user", "content": "why?"}]) + ",", ",", '],"trajectory_format":"mini-swe-agent-1.1"}'),
    "swe-agent": (swe, '{"environment":"swe_main","trajectory":[],"history":[' + asked([{"role": "user", "content": "why?"}]) + ",", ",", '],"info":{"model_stats":{}}}'),
    "gemini-cli": (gemini, '{"sessionId":"s","projectHash":"a","startTime":"%s","kind":"main","messages":[' % DAY + asked([{"id": "0", "timestamp": DAY, "type": "user", "content": [{"text": "why?"}]}]) + ",", ",", "]}"),
}


def shaped(make, shape, size):
    """Messages of about that many bytes together."""
    if shape == "ordinary":
        each, of = 4_400, lambda number: make(number, WORDS * 90, 1, {"command": f"cat {number}"})
    elif shape == "tiny":  # as many messages as fit
        each, of = None, lambda number: make(number, "a", 0, {})
    elif shape == "calls":  # as many calls as one message may have, again and again
        each, of = None, lambda number: make(number, "", 9_000, {})
    elif shape == "text":  # one of everything
        yield from make(1, WORDS * (size // 44), 0, {})
        return
    elif shape == "values":
        yield from make(1, "a", 1, {"a": [{}] * (size // 4)})
        return
    elif shape == "found":  # lines of a search, each of which is told apart
        found = "/w/a:\n" + "  Line 1: b\n" * (size // 14) if make is opencode else "a:1:b\n" * (size // 7)
        yield from make(1, found, 1, {"command": "grep -rn b .", "pattern": "b", "path": "."})
        return
    elif shape == "edits":  # lines of a file, the same
        before, after = "\n" * (size // 8), "a\n" * (size // 8)
        names = ["old_string", "oldString", "oldText"], ["new_string", "newString", "newText"]
        one = {"claude": 0, "pi": 2, "opencode": 1}.get(make.__name__, 0)
        yield from make(1, "ok", 1, {"file_path": "/w/a", "filePath": "/w/a", "path": "/w/a", "new_string": "", names[0][one]: before, names[1][one]: after, "command": "sed -i s/x/y/ a"})
        return
    elif shape == "within":  # arguments below the bound, again and again
        each, of = None, lambda number: make(number, "a", 1, {"a": [0] * 90_000})
    number = written = 0
    while written < size:
        number += 1
        messages = list(of(number))
        written += each or sum(len(json.dumps(message)) + 1 for message in messages)
        yield from messages


def write(path, name, shape, size):
    make, before, between, behind = FORMATS[name]
    if name == "opencode.db":
        with sqlite3.connect(path) as base:
            base.executescript("CREATE TABLE session (id, parent_id, directory, time_updated); CREATE TABLE message (id, session_id, time_created, data);"
                               "CREATE TABLE part (id, message_id, data); INSERT INTO session VALUES ('ses_1', NULL, '/w', 1);")
            user = {"info": {"id": "msg_0", "role": "user"}, "parts": [{"type": "text", "text": "why?"}]}
            part = 0
            for at, message in enumerate([user, *shaped(make, shape, size)]):
                base.execute("INSERT INTO message VALUES (?, 'ses_1', ?, ?)", (message["info"]["id"], at, json.dumps(message["info"])))
                for each in message["parts"]:
                    part += 1
                    base.execute("INSERT INTO part VALUES (?, ?, ?)", (f"prt_{part:09}", message["info"]["id"], json.dumps(each)))
        base.close()
        return
    with open(path, "w") as file:
        file.write(before)
        for at, message in enumerate(shaped(make, shape, size)):
            file.write((between if at else "") + json.dumps(message, separators=(",", ":")))
        file.write(behind)


def run(program, home, command, path, seconds):
    begun = time.time()
    with open(os.path.join(home, "said"), "w+") as said:
        environment = {**os.environ, "LOOKBACK_HOME": home, "XDG_CONFIG_HOME": home}
        child = subprocess.Popen([program, command, path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, env=environment, cwd=home)
        watch = threading.Timer(seconds, child.kill)
        watch.start()
        _, status, used = os.wait4(child.pid, 0)
        watch.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        lines = said.read().replace(path, "FILE").strip().splitlines()
    return used.ru_maxrss / 1024, time.time() - begun, child.returncode, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--directory")
    parser.add_argument("--seconds", type=int, default=300)
    arguments = parser.parse_args()
    program, bad, most = os.path.abspath(arguments.program), 0, {}
    print("| recording | MB | command | MiB | s | ended | said |\n|---|---:|---|---:|---:|---|---|")
    for name in FORMATS:
        for shape in ["ordinary", "tiny", "calls", "text", "values", "found", "edits", "within"]:
            if not all(word in (name, shape) for word in arguments.words):
                continue
            for size in [30, 60, 240]:
                with tempfile.TemporaryDirectory(dir=arguments.directory) as home:
                    path = os.path.join(home, "recording")
                    # By a process of its own: a child's figure begins with what its parent holds.
                    if (writer := os.fork()) == 0:
                        write(path, name, shape, size * 1_000_000)
                        os._exit(0)
                    assert os.waitpid(writer, 0)[1] == 0, "the recording could not be written"
                    if size == 240 and name != "opencode.db":  # what a small file can become
                        with open(path, "rb") as plain, gzip.open(path + ".gz", "wb", 1) as packed:
                            shutil.copyfileobj(plain, packed)
                        os.remove(path)
                        path += ".gz"
                    for command in ["import", "replay"]:
                        mebibytes, took, code, lines = run(program, home, command, path, arguments.seconds)
                        ended = {0: "well", 1: "with an error"}.get(code, f"badly, {code}")
                        bad += mebibytes > 512 or code not in (0, 1)
                        most[command] = max(most.get(command, 0), mebibytes)
                        said = " · ".join(line.strip() for line in lines[-3:])
                        how = f"{name}, {shape}" + (", gzip" if path.endswith(".gz") else "")
                        print(f"| {how} | {size} | {command} | {mebibytes:.0f} | {took:.1f} | {ended} | {said[:200]} |", flush=True)
    print("\nthe most: " + ", ".join(f"{command} {figure:.0f} MiB" for command, figure in most.items()) + f"; {bad} above 512 MiB or ended badly")
    sys.exit(bad > 0)


main()
