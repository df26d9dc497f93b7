#!/usr/bin/env python3
"""What a gateway adds: bench/gateway.py BINARY [--seconds N]

Non-streaming chat completions against one static upstream (nginx), small bodies and bodies of 400 kB: directly, through nginx as a proxy (the
floor), through `lookback gateway` in observe, and in fold with 20 standing folds. One in flight for p50 and p99, 16 for requests a second;
resident memory afterwards; and how far the trace on the disk is behind the end of an answer. All in one run, on one machine. Needs nginx
and wrk (Debian's packages). With --litellm PROGRAM and --portkey SCRIPT these gateways stand beside it, in the same run.
"""
import argparse, http.client, json, os, re, shutil, signal, socket, sqlite3, subprocess, sys, tempfile, time

REPLY = json.dumps({"id": "c", "object": "chat.completion", "model": "bench", "choices": [{"index": 0, "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "ok"}}], "usage": {"prompt_tokens": 10, "completion_tokens": 1}})


UPSTREAM = ""  # Portkey is told by headers where requests go; they are sent to all


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait(p, seconds=10):
    for _ in range(seconds * 20):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", p)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit(f"nothing listens on {p}")


def nginx(folder, name, body):
    conf = os.path.join(folder, f"{name}.conf")
    with open(conf, "w") as f:
        f.write(f"daemon off; worker_processes 1; pid {folder}/{name}.pid; error_log {folder}/{name}.log;\n"
                f"events {{ worker_connections 512; }}\nhttp {{ access_log off; client_max_body_size 64m; client_body_buffer_size 1m; "
                f"keepalive_requests 1000000; client_body_temp_path {folder}/{name}-body; proxy_temp_path {folder}/{name}-proxy; "
                f"fastcgi_temp_path {folder}/{name}-f; uwsgi_temp_path {folder}/{name}-u; scgi_temp_path {folder}/{name}-s;\n{body}\n}}\n")
    return subprocess.Popen(["nginx", "-c", conf, "-e", os.path.join(folder, f"{name}.log")])


def message(i):
    return [{"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{i}", "type": "function",
             "function": {"name": "bash", "arguments": json.dumps({"command": f"cat part{i}.txt"})}}]},
            {"role": "tool", "tool_call_id": f"call_{i}", "content": f"{i} " + "the quick brown fox jumps over the lazy dog\n" * 40}]


def body(steps):
    messages = [{"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": "read everything"}]
    for i in range(steps):
        messages += message(i)
    tool = {"type": "function", "function": {"name": "bash", "description": "runs", "parameters": {"type": "object"}}}
    return json.dumps({"model": "bench", "messages": messages, "tools": [tool]})


def lua(folder, name, text):
    path = os.path.join(folder, f"{name}.lua")
    with open(path, "w") as f:
        f.write('wrk.method="POST"\nwrk.headers["content-type"]="application/json"\nwrk.headers["authorization"]="Bearer bench"\n'
                f'local f=io.open("{folder}/{name}.json"); wrk.body=f:read("*a"); f:close()\n')
    with open(os.path.join(folder, f"{name}.json"), "w") as f:
        f.write(text)
    return path


def wrk(url, script, connections, seconds):
    out = subprocess.run(["wrk", "-H", "x-portkey-provider: openai", "-H", f"x-portkey-custom-host: {UPSTREAM}/v1", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script, url], capture_output=True, text=True).stdout
    unit = {"us": 1, "ms": 1e3, "s": 1e6}
    at = lambda share: (lambda m: float(m[1]) * unit[m[2]])(re.search(rf"{share}%\s+([\d.]+)(us|ms|s)", out))
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    return at(50), at(99), float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), int(bad[1]) if bad else 0


def resident(process):
    text = open(f"/proc/{process.pid}/status").read()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def post(p, text):
    c = http.client.HTTPConnection("127.0.0.1", p)
    c.request("POST", "/v1/chat/completions", text, {"content-type": "application/json", "authorization": "Bearer bench"})
    c.getresponse().read()


def make_folds(p, steps):
    """A conversation that grows step by step, as a client's does, until its blocks stand."""
    for i in range(1, steps + 1):
        post(p, body(i))
        time.sleep(0.03)


def behind(p, home, steps):
    """Milliseconds from the end of an answer until another process reads it from the store, at one request in flight"""
    database = sqlite3.connect(f"file:{home}/lookback.db?mode=ro", uri=True, isolation_level=None)
    newest = lambda: database.execute("SELECT count(*) FROM events").fetchone()[0]
    lags, seen = [], newest()
    for i in range(1, steps + 1):
        post(p, body(i).replace("read everything", "and now slowly"))
        ended, quiet = time.perf_counter(), 0
        # An answer is two events, its text and its bill, and what the request brought came before them.
        while quiet < 50 and time.perf_counter() - ended < 2:
            now = newest()
            if now > seen:
                seen, last, quiet = now, time.perf_counter(), 0
            quiet += 1
            time.sleep(0.0005)
        lags.append((last - ended) * 1000)
    lags.sort()
    return lags[len(lags) // 2], lags[int(len(lags) * 0.99)], lags[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--litellm")
    parser.add_argument("--portkey")
    a = parser.parse_args()
    missing = [tool for tool in ("nginx", "wrk") if not shutil.which(tool)]
    if missing:
        raise SystemExit(f"SKIPPED: {', '.join(missing)} missing (apt-get install nginx-light wrk)")
    folder, started, homes = tempfile.mkdtemp(prefix="gateway-bench-"), [], {}
    try:
        up, proxy = port(), port()
        global UPSTREAM
        UPSTREAM = f"http://127.0.0.1:{up}"
        started.append(nginx(folder, "upstream", f"server {{ listen 127.0.0.1:{up}; location / {{ "
                             f"default_type application/json; return 200 '{REPLY}'; }} }}"))
        wait(up)
        started.append(nginx(folder, "proxy", f"upstream u {{ server 127.0.0.1:{up}; keepalive 32; }} server {{ listen 127.0.0.1:{proxy}; location / {{ "
                             f"proxy_pass http://u; proxy_http_version 1.1; proxy_set_header Connection ''; }} }}"))
        wait(proxy)
        ways = [("upstream alone", up, None), ("nginx as proxy", proxy, started[-1])]
        if a.portkey:
            p = port()
            started.append(subprocess.Popen(["node", a.portkey, f"--port={p}", "--headless"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            wait(p)
            ways.append(("Portkey's gateway", p, started[-1]))
        if a.litellm:
            p, settings = port(), os.path.join(folder, "litellm.yaml")
            with open(settings, "w") as f:
                f.write(f"model_list: [{{model_name: bench, litellm_params: {{model: openai/bench, api_base: 'http://127.0.0.1:{up}/v1', api_key: bench}}}}]\n")
            started.append(subprocess.Popen([a.litellm, "--config", settings, "--port", str(p), "--host", "127.0.0.1", "--num_workers", "1"],
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}))
            wait(p, 60)
            ways.append(("LiteLLM, 1 worker", p, started[-1]))
        for mode in ("observe", "fold"):
            p, home = port(), os.path.join(folder, mode)
            os.makedirs(home)
            g = subprocess.Popen([a.binary, "gateway", "--listen", f"127.0.0.1:{p}", "--upstream", f"http://127.0.0.1:{up}", "--mode", mode],
                                 env={**os.environ, "LOOKBACK_HOME": home, "XDG_CONFIG_HOME": home, "LOOKBACK_LOG": "off"}, stdout=subprocess.DEVNULL)
            started.append(g)
            wait(p)
            ways.append((f"lookback, {mode}", p, g))
            homes[mode] = home
        make_folds(ways[-1][1], 220)
        small, large = lua(folder, "small", body(1)), lua(folder, "large", body(220))
        print(f"bodies: {os.path.getsize(folder + '/small.json')} and {os.path.getsize(folder + '/large.json')} bytes; {a.seconds} s each; µs\n")
        print("| | small, p50 | p99 | requests/s at 16 | 400 kB, p50 | p99 | requests/s at 16 | resident MB |\n|---|---:|---:|---:|---:|---:|---:|---:|")
        for name, p, process in ways:
            row = []
            for script in (small, large):
                url = f"http://127.0.0.1:{p}/v1/chat/completions"
                p50, p99, _, bad = wrk(url, script, 1, a.seconds)
                _, _, rate, more = wrk(url, script, 16, a.seconds)
                row += [f"{p50:.0f}", f"{p99:.0f}", f"{rate:.0f}" + (" (errors!)" if bad or more else "")]
            print(f"| {name} | {' | '.join(row)} | {f'{resident(process):.0f}' if process else ''} |", flush=True)
        print("\ntrace on the disk behind the end of an answer, ms (p50, p99, most): %.1f, %.1f, %.1f" % behind(ways[-2][1], homes["observe"], 200))
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGINT if process.args[0] == a.binary else signal.SIGTERM)
        for process in started:
            process.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
