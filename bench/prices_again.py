#!/usr/bin/env python3
"""Computes the dollars of `lookback replay --json` again, from the recordings' own usage and the price cards.

    lookback replay FOLDER --json > report.json && python3 bench/prices_again.py report.json

It shares no code with the crates: calls and what was paid come from the files, each strategy's dollars and the estimate of
calls without a bill from the token sums of the report (of each card where a session's models have several), and both are
multiplied by `prices/*.toml`. It ends with 1 where one of them is more than 0.5% off.
Files that are compressed need `zstd`. Sessions of a store, and formats without bills, are compared by strategies alone.
"""

import argparse, glob, gzip, json, os, subprocess, sys, tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# No prompt is as long: such a bill is not believed.
LARGEST_BILL = 20_000_000
KINDS = ["uncached", "cached", "written_5m", "written_1h", "output"]


def cards():
    for path in sorted(glob.glob(os.path.join(ROOT, "prices", "*.toml"))):
        with open(path, "rb") as file:
            yield from tomllib.load(file).get("card", [])


CARDS = [card for card in cards() if "prices" in card]


def fits(pattern, name):
    """Whether a name fits a pattern with `*`, and by how many literal characters."""
    first, *rest = pattern.split("*")
    if not name.startswith(first) or (not rest and name != first):
        return None
    at = len(first)
    for number, piece in enumerate(rest):
        if number == len(rest) - 1:
            if not name.endswith(piece) or len(name) - len(piece) < at:
                return None
        else:
            found = name.find(piece, at)
            if found < 0:
                return None
            at = found + len(piece)
    return len(pattern.replace("*", ""))


def card_of(model):
    """The prices of the card that names a model most exactly, whoever passes it on."""
    model = model.split("/")[-1]
    region, maker, own = model.partition("anthropic.")
    model = own if maker and (not region or region.endswith(".")) else model
    best, prices = -1, None
    for card in CARDS:
        for pattern in card["models"]:
            length = fits(pattern, model)
            if length is not None and length >= best:
                best, prices = length, card["prices"]
    return prices


def dollars(prices, above, tokens):
    each = prices["long"] if above else prices
    hour = each.get("cache_write_1h", each["cache_write"])
    prices = [each["input"], each["cached_read"], each["cache_write"], hour, each["output"]]
    return sum(tokens[kind] * price for kind, price in zip(KINDS, prices)) / 1e6


def call_dollars(prices, tokens):
    prompt = sum(tokens[kind] for kind in KINDS[:4])
    return dollars(prices, "long" in prices and prompt > prices["long"]["above"], tokens)


def content(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode("utf8", "replace")
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return file.read().decode("utf8", "replace")


def lines(text):
    for line in text.split("\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def bill(uncached, cached, written, hour, output):
    return dict(zip(KINDS, [uncached, cached, written - hour, hour, output]))


# Responses of Claude Code that a file before was billed for, and which: a fork begins with a copy.
SEEN = {}


def claude_code(text):
    """One bill for each response: the usage on its last line. Sub-agents and what the client made up are no calls."""
    last, file = {}, object()
    for line in lines(text):
        message = line.get("message")
        if line.get("type") != "assistant" or line.get("isSidechain") or not isinstance(message, dict):
            continue
        if message.get("model") == "<synthetic>" or line.get("isApiErrorMessage"):
            continue
        last[message.get("id") or line.get("uuid")] = (message.get("model"), message.get("usage") or {})
    for response, (model, usage) in last.items():
        of = lambda key: usage.get(key) or 0
        prompt = of("input_tokens") + of("cache_read_input_tokens") + of("cache_creation_input_tokens")
        if SEEN.setdefault((response, prompt), file) is not file:
            continue
        hour = (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens") or 0
        written = of("cache_creation_input_tokens")
        yield model, bill(of("input_tokens"), of("cache_read_input_tokens"), written, hour, of("output_tokens"))


def codex(text):
    """A bill for each token count that adds to the running total; the model is that of the turn."""
    model, total = None, None
    for line in lines(text):
        payload = line.get("payload") or {}
        if line.get("type") == "turn_context":
            model = payload.get("model") or model
        if payload.get("type") != "token_count" or not payload.get("info"):
            continue
        usage, now = payload["info"].get("last_token_usage"), payload["info"].get("total_token_usage")
        if not usage or not usage.get("input_tokens") or (now and now == total):
            continue
        total = now
        cached, written = usage.get("cached_input_tokens") or 0, usage.get("cache_write_input_tokens") or 0
        yield model, bill(usage["input_tokens"] - cached - written, cached, written, 0, usage.get("output_tokens") or 0)


def opencode(text):
    for message in json.loads(text).get("messages", []):
        info = message["info"]
        tokens = info.get("tokens") or {}
        cache = tokens.get("cache") or {}
        output = (tokens.get("output") or 0) + (tokens.get("reasoning") or 0)
        if info.get("role") == "assistant":
            yield info.get("modelID"), bill(tokens.get("input") or 0, cache.get("read") or 0, cache.get("write") or 0, 0, output)


def pi(text):
    for line in lines(text):
        message = line.get("message") or {}
        usage = message.get("usage") or {}
        of = lambda key: usage.get(key) or 0
        if message.get("role") == "assistant":
            yield message.get("model"), bill(of("input"), of("cacheRead"), of("cacheWrite"), 0, of("output"))


def gemini_cli(text):
    for message in json.loads(text).get("messages", []):
        tokens = message.get("tokens") or {}
        of = lambda key: tokens.get(key) or 0
        if message.get("type") == "gemini":
            uncached = of("input") - of("cached") + of("tool")
            yield message.get("model"), bill(uncached, of("cached"), 0, 0, of("output") + of("thoughts"))


def mini_swe_agent(text):
    trajectory = json.loads(text)
    model = trajectory["info"]["config"]["model"]["model_name"]
    for message in trajectory.get("messages", []):
        usage = ((message.get("extra") or {}).get("response") or {}).get("usage") or {}
        if message.get("role") == "assistant":
            prompt, cached = usage.get("prompt_tokens") or 0, (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
            cached = cached if cached is not None else usage.get("prompt_cache_hit_tokens") or 0
            yield model, bill(prompt - cached, cached, 0, 0, usage.get("completion_tokens") or 0)


READERS = {
    "claude-code": claude_code,
    "codex": codex,
    "opencode": opencode,
    "pi": pi,
    "gemini-cli": gemini_cli,
    "mini-swe-agent": mini_swe_agent,
}


def paid(session):
    """Calls with a bill and their dollars, from the file alone; none where it cannot be read here."""
    reader, path = READERS.get(session["format"]), session["file"]
    if reader is None or not os.path.isfile(path):
        return None
    otherwise = card_of(session["card"]["models"][0])
    bills = [(model, tokens) for model, tokens in reader(content(path)) if 0 < sum(tokens.values()) <= LARGEST_BILL]
    own = lambda model: otherwise if session["card"]["chosen"] else (model and card_of(model)) or otherwise
    return len(bills), sum(call_dollars(own(model), tokens) for model, tokens in bills)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("report", help="what `lookback replay --json` printed")
    arguments.add_argument("--within", type=float, default=0.005)
    arguments = arguments.parse_args()
    with open(arguments.report) as file:
        sessions = json.load(file)["sessions"]
    worst, wrong, compared = 0.0, [], 0

    def compare(what, reported, again):
        nonlocal worst, compared
        compared += 1
        off = abs(reported - again) / again if again else abs(reported)
        worst = max(worst, off)
        if off > arguments.within:
            wrong.append(f"{what}: {reported} reported, {again} computed ({off:.2%} off)")

    for session in sessions:
        name, prices = session["file"], card_of(session["card"]["models"][0])
        again = paid(session)
        if again and again[0]:
            reported = session["paid"] or {"calls": 0}
            compare(f"{name}: billed calls", reported["calls"], again[0])
            compare(f"{name}: paid_usd", session["paid_usd"] or 0.0, again[1])
        elif session["paid_usd"] is not None and again is not None:
            wrong.append(f"{name}: paid_usd is {session['paid_usd']}, and the file has no bill")
        # Which calls have no bill follows from those that have: a billed summary is no call of the session.
        estimated = session.get("estimated") or {"calls": 0, "tokens": {}}
        if again and session["calls"] - again[0] > estimated["calls"]:
            wrong.append(f"{name}: {again[0]} of {session['calls']} calls are billed, {estimated['calls']} estimated")
        parts = [(card_of(card), part) for card, part in estimated["tokens"].items()]
        sums = sum(dollars(card, int(above), tokens) for card, part in parts for above, tokens in part.items())
        compare(f"{name}: estimated_usd", session.get("estimated_usd") or 0.0, sums)
        for strategy, figures in session["strategies"].items():
            # By the card of each call's model where there are several, else by the session's.
            parts = [(card_of(card), part) for card, part in figures.get("by_card", {}).items()] or [(prices, figures)]
            spent = lambda key: [(card, int(above), tokens) for card, part in parts for above, tokens in part[key].items()]
            sums = lambda key: sum(dollars(*each) for each in spent(key))
            compare(f"{name}: {strategy}: cost_usd", figures["cost_usd"], sums("tokens"))
            repaired = sums("tokens") + sums("repair_tokens")
            compare(f"{name}: {strategy}: repaired_usd", figures["repaired_usd"], repaired)
    for line in wrong:
        print(line)
    total = sum(session["paid_usd"] or 0.0 for session in sessions)
    calls = sum(session["calls"] for session in sessions)
    print(f"{len(sessions)} sessions, {calls} calls, {total:.2f} dollars paid: {compared} figures compared, ", end="")
    print(f"{len(wrong)} off by more than {arguments.within:.1%}, the largest by {worst:.3%}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
