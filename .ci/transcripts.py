#!/usr/bin/env python3
"""Replay recorded exchanges with herdr against drover, and fail on any difference that has no reason.

usage: transcripts.py REFERENCE EXECUTABLE
       transcripts.py REFERENCE --replayed DIRECTORY

REFERENCE holds `transcripts/*.jsonl` (recordings of herdr) and `tools/transcripts.py` (which makes the same requests to
any executable). Each difference between the recording and the replay has a place: the case, and the path of a value in
its answer. `.ci/transcript_differences.txt` says which places may differ and names the row of `docs/differences.md` with
the reason. Exits 1 if a difference is not covered, 2 if it is called wrongly or the replay fails.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
RULES = HERE / "transcript_differences.txt"
REASONS = HERE.parent / "docs" / "differences.md"

# Families of requests that are replayed.
GROUPS = ["server", "workspace", "tab", "pane", "layout", "malformed", "events", "report",
    "integration", "agent", "worktree", "plugin"]

# The plugin that the group `plugin` links.
PLUGIN = """id = "example.smoke"
name = "Smoke Plugin"
version = "0.1.0"
min_herdr_version = "0.6.10"
description = "Portable plugin smoke fixture"
platforms = ["linux", "macos", "windows"]

[[actions]]
id = "workspace-list"
title = "List workspaces"
contexts = ["workspace"]
command = ["herdr", "workspace", "list"]

[[events]]
on = "worktree.created"
command = ["herdr", "plugin", "log", "list", "--plugin", "example.smoke"]

[[panes]]
id = "board"
title = "Board"
command = ["herdr", "workspace", "list"]
"""

# Seconds for the replay. It takes about 60, nearly all of it waits that are part of the cases.
REPLAY_TIME = 600

# Differences shown; a broken daemon has hundreds.
SHOWN = 40

# What differs from run to run, and what stands in its place.
VOLATILE = [
    (re.compile(r"term_[0-9a-f]+"), "$TERM"),
    (re.compile(r'"(shell_pid|pid|foreground_process_group_id)":\d+'), r'"\1":0'),
    (re.compile(r'"(started|finished)_unix_ms":\d+'), r'"\1_unix_ms":0'),
    # A branch that nobody named is given two words and four digits by chance.
    (re.compile(r"worktree([-/])[a-z]+-[a-z]+-[0-9a-f]{4}"), r"worktree\1$NAME"),
]

POSITION = re.compile(r" at line \d+ column \d+")
VARIANTS = re.compile(r"(unknown variant `[^`]*`, expected ).*")
ABSENT = "(absent)"


def main(arguments):
    if len(arguments) == 2:
        reference, executable = arguments
        with tempfile.TemporaryDirectory(prefix="drover-replay-") as scratch:
            replayed = replay(Path(reference), Path(executable).resolve(), Path(scratch))
            return compare(Path(reference), replayed)
    if len(arguments) == 3 and arguments[1] == "--replayed":
        return compare(Path(arguments[0]), Path(arguments[2]))
    print(__doc__, file=sys.stderr)
    return 2


def replay(reference, executable, scratch):
    link = scratch / "herdr"
    link.symlink_to(executable)
    out = scratch / "out"
    plugin = scratch / "plugin"
    plugin.mkdir()
    (plugin / "herdr-plugin.toml").write_text(PLUGIN)
    command = [
        sys.executable, str(reference / "tools" / "transcripts.py"),
        "--bin", str(link), "--out", str(out), "--smoke-plugin", str(plugin),
        "--only", ",".join(GROUPS),
    ]
    environment = {
        **os.environ,
        "LAB_APP_DIR": "drover",
        "LAB_DIR": str(scratch / "lab"),
        # The reference is somebody else's folder.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    # A group of its own, so that a replay that hangs can be ended with all it has started.
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=REPLAY_TIME)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        print(f"the replay did not end within {REPLAY_TIME} s", file=sys.stderr)
        sys.exit(2)
    if process.returncode != 0:
        print(said, file=sys.stderr)
        print(f"the replay failed ({process.returncode})", file=sys.stderr)
        sys.exit(2)
    return out


def compare(reference, replayed):
    rules = read_rules()
    used, reasons, unexplained, cases = Counter(), Counter(), [], 0
    for group in GROUPS:
        recorded = read_cases(reference / "transcripts" / f"{group}.jsonl", None)
        ours = read_cases(replayed / f"{group}.jsonl", base_of(replayed, group))
        for case, theirs in recorded.items():
            cases += 1
            name = f"{group}/{case}"
            if case not in ours:
                unexplained.append((name, "", "recorded", "not replayed"))
                continue
            for path, before, after in differences_of(theirs, ours[case]):
                rule = next((rule for rule in rules if rule.covers(name, path)), None)
                if rule is None:
                    unexplained.append((name, path, before, after))
                else:
                    used[rule] += 1
                    reasons[rule.reason] += 1
    return report(cases, rules, used, reasons, unexplained)


def report(cases, rules, used, reasons, unexplained):
    """Prints what differs without a reason, and which rules are of no use; the exit code."""
    for name, path, before, after in unexplained[:SHOWN]:
        print(f"{name} {path}\n  herdr  {shown(before)}\n  drover {shown(after)}")
    if len(unexplained) > SHOWN:
        print(f"... and {len(unexplained) - SHOWN} more")
    for rule in rules:
        if rule not in used:
            print(f"note: nothing differs any more at `{rule.line}`", file=sys.stderr)
    counted = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    print(
        f"{cases} cases; {len(unexplained)} differences without a reason; with one: {counted}",
        file=sys.stderr,
    )
    return 1 if unexplained else 0


class Rule:
    def __init__(self, line):
        self.line = line
        case, path, self.reason = [field.strip() for field in line.split("|")]
        self.case, self.path = pattern(case), pattern(path)

    def covers(self, case, path):
        return bool(self.case.fullmatch(case) and self.path.fullmatch(path))


def pattern(glob):
    """A glob with `*` alone: brackets are common in paths and mean themselves."""
    return re.compile(".*".join(re.escape(part) for part in glob.split("*")), re.DOTALL)


def read_rules(file=RULES):
    lines = file.read_text(encoding="utf-8").splitlines()
    rules = [Rule(line) for line in lines if line.strip() and not line.startswith("#")]
    known = set(re.findall(r"^\| `([a-z-]+)` \|", REASONS.read_text(encoding="utf-8"), re.MULTILINE))
    for rule in rules:
        if rule.reason not in known:
            print(f"{file.name}: docs/differences.md has no row `{rule.reason}`", file=sys.stderr)
            sys.exit(2)
    return rules


def base_of(directory, group):
    """The throw-away directory of a replay, which answers mention."""
    meta = json.loads((directory / "meta.json").read_text(encoding="utf-8"))
    return meta["groups"][group]["base"]


def read_cases(file, base):
    cases = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if base:
            line = line.replace(base, "$BASE")
        case = json.loads(line)
        name, number = case["case"], 2
        while name in cases:
            name, number = f"{case['case']} #{number}", number + 1
        cases[name] = case
    return cases


def differences_of(theirs, ours):
    """Every difference of a case, as (path, recorded value, replayed value)."""
    found = []
    if theirs.get("closed") != ours.get("closed"):
        found.append(("(closed)", theirs.get("closed"), ours.get("closed")))
    before, after = parsed(theirs["response"]), parsed(ours["response"])
    values("", before, after, found)
    return found


def parsed(response):
    if isinstance(response, list):
        return [parsed(line) for line in response]
    if not isinstance(response, str):
        return response
    for volatile, stand_in in VOLATILE:
        response = volatile.sub(stand_in, response)
    try:
        return json.loads(response)
    except ValueError:
        return response


def values(path, before, after, found):
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            inner = f"{path}.{key}".lstrip(".")
            values(inner, before.get(key, ABSENT), after.get(key, ABSENT), found)
    elif isinstance(before, list) and isinstance(after, list):
        lists(path, before, after, found)
    elif before != after:
        found.append(((path or "(whole)") + kind_of(before, after), before, after))


def kind_of(before, after):
    """What a difference of two texts comes down to, if that can be told."""
    if isinstance(before, str) and isinstance(after, str):
        before, after = POSITION.sub("", before), POSITION.sub("", after)
        if before == after:
            return "(position)"
        if VARIANTS.sub(r"\1", before) == VARIANTS.sub(r"\1", after):
            return "(variants)"
    return ""


def lists(path, before, after, found):
    """Pairs the entries that are about the same thing, and compares each pair."""
    names = [name_of(entry) for entry in before], [name_of(entry) for entry in after]
    if None in names[0] + names[1]:
        if len(before) != len(after):
            found.append((f"{path}(length)", before, after))
        for left, right in zip(before, after):
            values(f"{path}[]", left, right, found)
        return
    left, right = list(before), list(after)
    common = Counter(names[0]) & Counter(names[1])
    kept = [in_common(side, common) for side in names]
    if kept[0] != kept[1]:
        found.append((f"{path}(order)", kept[0], kept[1]))
    for name in common.elements():
        one = take(left, name)
        candidates = [entry for entry in right if name_of(entry) == name]
        # Several events of one kind: those about the same thing, and of these the pair that differs least.
        other = min(candidates, key=lambda entry: (subject(entry) != subject(one), count(one, entry)))
        right.remove(other)
        values(f"{path}[]", one, other, found)
    found.extend((f"{path}[{name_of(entry)}]", entry, ABSENT) for entry in left)
    found.extend((f"{path}[{name_of(entry)}]", ABSENT, entry) for entry in right)


def name_of(entry):
    """What a list's entry is about: its event, its pane, its tab or its workspace."""
    if isinstance(entry, dict):
        for key in ("event", "pane_id", "tab_id", "workspace_id"):
            if isinstance(entry.get(key), str):
                return entry[key]
    return None


def subject(entry):
    """What an event's record is about, if it has one."""
    data = entry.get("data") or {}
    record = data.get("layout") or data.get("pane") or {}
    return record.get("tab_id"), record.get("pane_id")


def in_common(names, common):
    left, kept = Counter(common), []
    for name in names:
        if left[name]:
            left[name] -= 1
            kept.append(name)
    return kept


def take(entries, name):
    at = next(at for at, entry in enumerate(entries) if name_of(entry) == name)
    return entries.pop(at)


def count(before, after):
    found = []
    values("", before, after, found)
    return len(found)


def shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "..."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
