#!/usr/bin/env python3
"""How likely a model finds the recorded next command, under the full history, under none of it, and under our view.

    python3 bench/next_command.py BINARY URL OUT.jsonl TRAJECTORY… [--steps 20,24,28] [--views full,amnesia,last5,lookback]

TRAJECTORY is one of mini-swe-agent (plain or .zst), URL a llama.cpp server (`/tokenize`, `/completion`), OUT.jsonl takes a
line for each cut and view; what stands there already is not asked again. Each trajectory is cut behind each of the steps:
  full      system, task and all steps
  amnesia   system, task and the last step
  last5     system, task and the last five steps
  lookback  what `lookback import` and `lookback fold` leave: task, block, board, the last steps as they were
Every tool result is shown by its first 400 and last 200 characters, in all views alike, so that one core can read them.
The model is given the recorded command token by token and says how likely each is; what is not among the 1,000 likeliest
counts as the last of these. A cut's figure is the mean log-likelihood of the command's first 40 tokens, retention
(view - amnesia) / (full - amnesia) over the sums, its interval from 10,000 draws of cuts with replacement (seed 1).
"""

import argparse, json, os, random, subprocess, sys, tempfile, urllib.request

HEAD, TAIL, MOST, LISTED = 400, 200, 40, 1000


def load(path):
    raw = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout if path.endswith(".zst") else open(path, "rb").read()
    return json.loads(raw)


def ask(url, path, body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=3600) as answer:
        return json.load(answer)


def messages(binary, cut, fold):
    """The messages that our program would send for a cut trajectory."""
    with tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, "cut.traj.json")
        json.dump(cut, open(path, "w"))

        def run(*arguments):
            done = subprocess.run([binary, *arguments], capture_output=True, text=True, env={**os.environ, "LOOKBACK_HOME": home})
            if done.returncode:
                sys.exit(f"{' '.join(arguments)}: {done.stderr.strip()}")
            return done.stdout

        run("import", path)
        listed = json.loads(run("sessions", "--json"))
        session = (listed["sessions"] if isinstance(listed, dict) else listed)[0]["id"]
        if fold:
            run("fold", session)
        return json.loads(run("show", session, "--view", "--provider", "chat", "--json"))["messages"]


def command_of(call):
    return json.loads(call["function"]["arguments"]).get("command", "")


def render(messages):
    text = ""
    for message in messages:
        content = message.get("content") or ""
        content = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        role = message["role"]
        if role == "tool":
            role = "user"
            if len(content) > HEAD + TAIL:
                content = f"{content[:HEAD]}\n[...]\n{content[-TAIL:]}"
        for call in message.get("tool_calls") or []:
            content += f"\n```bash\n{command_of(call)}\n```"
        text += f"<|im_start|>{role}\n{content}<|im_end|>\n"
    return text + "<|im_start|>assistant\n```bash\n"


def views(binary, cut, wanted):
    full = messages(binary, cut, False)
    first = next(at for at, message in enumerate(full) if message["role"] == "assistant")
    starts = [at for at, message in enumerate(full) if message["role"] == "assistant"]
    made = {
        "full": lambda: full,
        "amnesia": lambda: full[:first] + full[starts[-1]:],
        "last5": lambda: full[:first] + full[starts[-5]:],
        "lookback": lambda: messages(binary, cut, True),
    }
    return {name: render(made[name]()) for name in wanted}


def likelihood(url, prompt, command):
    tokens = lambda text, special: ask(url, "/tokenize", {"content": text, "add_special": False, "parse_special": special})["tokens"]
    given, wanted = tokens(prompt, True), tokens(command, False)[:MOST]
    size, total = len(given), 0.0
    for token in wanted:
        answer = ask(url, "/completion", {"prompt": given, "n_predict": 1, "n_probs": LISTED, "cache_prompt": True, "temperature": 0})
        listed = answer["completion_probabilities"][0]["top_logprobs"]
        total += next((entry["logprob"] for entry in listed if entry["id"] == token), listed[-1]["logprob"])
        given.append(token)
    return total / len(wanted), size


def retention(cuts, view):
    gained = sum(cut[view]["mean"] - cut["amnesia"]["mean"] for cut in cuts)
    whole = sum(cut["full"]["mean"] - cut["amnesia"]["mean"] for cut in cuts)
    return gained / whole if whole else float("nan")


def report(rows):
    cuts = {}
    for row in rows:
        cuts.setdefault((row["trajectory"], row["step"]), {})[row["view"]] = row
    chance = random.Random(1)
    for view in sorted({row["view"] for row in rows} - {"full", "amnesia"}):
        whole = [cut for cut in cuts.values() if {"full", "amnesia", view} <= cut.keys()]
        if not whole:
            continue
        draws = sorted(retention(chance.choices(whole, k=len(whole)), view) for _ in range(10_000))
        share = sum(cut[view]["tokens"] for cut in whole) / sum(cut["full"]["tokens"] for cut in whole)
        print(f"{view}: {len(whole)} cuts of {len({cut['full']['trajectory'] for cut in whole})} trajectories, retention "
              f"{retention(whole, view):.2f} ({draws[250]:.2f} to {draws[9749]:.2f}), {share:.2f} of the tokens")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary"), parser.add_argument("url"), parser.add_argument("out"), parser.add_argument("trajectory", nargs="+")
    parser.add_argument("--steps", default="20,24,28"), parser.add_argument("--views", default="full,amnesia,last5,lookback")
    options = parser.parse_args()
    rows = [json.loads(line) for line in open(options.out)] if os.path.exists(options.out) else []
    known = {(row["trajectory"], row["step"], row["view"]) for row in rows}
    for path in options.trajectory:
        recorded, name = load(path), os.path.basename(path).split(".")[0]
        answers = [at for at, message in enumerate(recorded["messages"]) if message["role"] == "assistant"]
        # One view after another: the server keeps what the next cut's prompt begins with.
        for view in options.views.split(","):
            for step in map(int, options.steps.split(",")):
                calls = recorded["messages"][answers[step]].get("tool_calls") if step < len(answers) else None
                if not calls or (name, step, view) in known:
                    continue
                cut = {**recorded, "messages": recorded["messages"][:answers[step]]}
                prompt = views(os.path.abspath(options.binary), cut, [view])[view]
                mean, size = likelihood(options.url, prompt, command_of(calls[0]))
                rows.append({"trajectory": name, "step": step, "view": view, "tokens": size, "mean": mean})
                with open(options.out, "a") as out:
                    out.write(json.dumps(rows[-1]) + "\n")
                print(json.dumps(rows[-1]), flush=True)
    report(rows)


main()
