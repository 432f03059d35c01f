#!/usr/bin/env python3
"""Run the recorded calls of herdr's command line with drover, and fail on any difference that has no reason.

usage: cli_transcripts.py REFERENCE EXECUTABLE [--keep FILE]

REFERENCE holds `transcripts/cli.jsonl`: calls of herdr 0.8.2 with what they printed and how they ended. They are made
again in the order of the recording, on a stage that is set as it was then. Each difference has a place: the case, and
`exit`, or a path in what a stream held. `.ci/cli_transcript_differences.txt` says which places may differ and names the
row of `docs/differences.md` with the reason. `--keep` writes what drover answered, in the recording's format. Exits 1
if a difference is not covered, 2 if it is called wrongly or the calls cannot be made.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

# The folder is under version control.
sys.dont_write_bytecode = True
import transcripts

HERE = Path(__file__).resolve().parent
RULES = HERE / "cli_transcript_differences.txt"

# Seconds for a call. Those that wait for something say for how long themselves, 10 s at most.
CALL_TIME = 20
# Seconds that a stream is watched, which never ends by itself. Its first frame comes at once.
STREAM_TIME = 1.5
# Seconds in which a server has to answer.
START_TIME = 20

# What differs from run to run, and what stands in its place.
VOLATILE = transcripts.VOLATILE + [
    (re.compile(r"keybind-v2-\d+"), "keybind-v2-0"),
    (re.compile(r'"(started_unix_ms|finished_unix_ms|installed_unix_ms)":\d+'), r'"\1":0'),
]

CONFIG = '[authority]\nreports = "same-user"\n'

# An agent that says what it does, called by the name of one that is known.
AGENT = """#!/bin/sh
say() { herdr pane report-agent "$HERDR_PANE_ID" --source custom:fake-pi --agent pi --state "$1" >/dev/null; }
HERDR_AGENT=pi
export HERDR_AGENT
say idle
while read -r prompt; do say working; echo "got: $prompt"; say idle; done
"""

# The recorded plugin, by what the answers tell of it.
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
placement = "overlay"
command = ["herdr", "workspace", "list"]
"""


class Stage:
    """Directories of one run, and the servers in them."""

    def __init__(self, base, executable):
        self.base = base
        for name in ["home", "config/drover", "state", "runtime", "tmp", "work", "bin"]:
            (base / name).mkdir(parents=True)
        (base / "runtime").chmod(0o700)
        for folder, name in [("bin", "herdr"), ("bin", "drover")]:
            (base / folder / name).symlink_to(executable)
        self.servers = []
        self.environment = {
            "PATH": f"{base}/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": f"{base}/home",
            "XDG_CONFIG_HOME": f"{base}/config",
            "XDG_STATE_HOME": f"{base}/state",
            "XDG_RUNTIME_DIR": f"{base}/runtime",
            "TMPDIR": f"{base}/tmp",
            "SHELL": "/bin/sh",
            "PS1": "$ ",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "HERDR_SOCKET_PATH": f"{base}/h.sock",
        }
        self.configure(CONFIG)

    def configure(self, text):
        (self.base / "config/drover/config.toml").write_text(text, encoding="utf-8")

    def call(self, words, extra, without, limit):
        """One call: what it printed on each stream, and its exit code or why it has none."""
        environment = {**self.environment, **extra}
        for name in without:
            del environment[name]
        process = subprocess.Popen(
            [str(self.base / "bin/herdr"), *words], env=environment, cwd=self.base / "work",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            streams, code = process.communicate(timeout=limit), process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            streams, code = process.communicate(), f"killed after {limit}s"
        return [self.seen(stream.decode("utf-8", "replace")) for stream in streams] + [code]

    def seen(self, text):
        """A text with this run's directories named as in the recording."""
        return text.replace(str(self.base), "$BASE")

    def serve(self, words, without):
        environment = {key: value for key, value in self.environment.items() if key not in without}
        server = subprocess.Popen(
            [str(self.base / "bin/herdr"), *words, "server"], env=environment, cwd=self.base / "work",
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.servers.append(server)
        end = time.monotonic() + START_TIME
        while "not running" in self.call([*words, "status", "server"], {}, without, CALL_TIME)[0]:
            if time.monotonic() > end:
                sys.exit("the server does not answer")
            time.sleep(0.05)

    def repository(self):
        """A repository with one commit, as the recording has it."""
        repository = self.base / "work/repo"
        repository.mkdir()
        (repository / "f").write_text("x", encoding="utf-8")
        for words in [
            ["init", "-q", "-b", "main"],
            ["add", "."],
            ["-c", "user.name=A", "-c", "user.email=a@example.invalid", "commit", "-qm", "i"],
        ]:
            subprocess.run(["git", "-C", str(repository), *words], check=True, env=self.environment)

    def end(self):
        for server in self.servers:
            server.send_signal(signal.SIGTERM)
        for server in self.servers:
            try:
                server.wait(CALL_TIME)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def set_local(stage, case):
    """What the configuration and the files are before a call that needs no server."""
    texts = {
        "config check (bad values)": "[ui]\nsidebar_width='x'\n[nosuch]\n[keys]\nzoom='zzz+q'\n",
        "config check (syntax error)": "= bad\n",
        "config reset-keys": CONFIG + "[keys]\nzoom = 'prefix+q'\n",
        "channel show": CONFIG,
    }
    if case in texts:
        stage.configure(texts[case])
    if case.startswith("agent explain --file") and "screen.txt" in case:
        (stage.base / "work/screen.txt").write_text("> hello\n\n  Working...\n", encoding="utf-8")


def set_server(stage, case):
    """What happens before a call while a server runs; beside the calls there are only pauses for its panes."""
    if not stage.servers:
        agent = stage.base / "bin/pi"
        agent.write_text(AGENT, encoding="utf-8")
        agent.chmod(0o755)
        stage.configure(CONFIG)
        stage.serve([], [])
        stage.repository()
    if case == "plugin link $BASE/work/plug":
        plugin = stage.base / "work/plug"
        plugin.mkdir()
        (plugin / "herdr-plugin.toml").write_text(PLUGIN, encoding="utf-8")
    if case == "integration install pi":
        (stage.base / "home/.pi/agent").mkdir(parents=True, exist_ok=True)
    if case in ["pane run w1:p1 echo run-$((2+3))", "pane read w1:p1"]:
        time.sleep(0.3)


def set_session(stage, case):
    if case == "list (nothing)":
        return
    if not stage.servers:
        for words in [[], ["--session", "work"]]:
            stage.serve(words, ["HERDR_SOCKET_PATH"])


SETTINGS = {"local": set_local, "server": set_server, "session": set_session}


def replay(recorded, executable, scratch):
    """The recorded calls once more; gives each with the answers of now."""
    stages, answered = {}, []
    try:
        for case in recorded:
            # Named sessions begin anew.
            name = "session" if case["group"] == "session" else "first"
            if name not in stages:
                stages[name] = Stage(scratch / name, executable)
            stage = stages[name]
            group, label = case["case"].split("/", 1)
            if case["group"] in SETTINGS:
                SETTINGS[case["group"]](stage, label if group == case["group"] else "")
            into = lambda text: text.replace("$BASE", str(stage.base))
            extra = {key: into(value) for key, value in case.get("env", {}).items()}
            limit = STREAM_TIME if "stream" in case.get("note", "") else CALL_TIME
            words = [into(word) for word in case["argv"][1:]]
            stdout, stderr, code = stage.call(words, extra, case.get("env_unset", []), limit)
            answered.append({**case, "stdout": stdout, "stderr": stderr, "exit": code})
    finally:
        for stage in stages.values():
            stage.end()
    return answered


def differences_of(theirs, ours):
    """Every difference of a call, as (path, recorded value, value of now)."""
    found = []
    if theirs["exit"] != ours["exit"]:
        found.append(("exit", theirs["exit"], ours["exit"]))
    for stream in ["stdout", "stderr"]:
        size = theirs.get(f"{stream}_bytes")
        if size is not None:
            # The text was left out of the recording: whether there was any is all there is to compare.
            if bool(size) != bool(ours[stream]):
                found.append((f"{stream}(presence)", f"{size} bytes", ours[stream]))
            continue
        before, after = parsed(theirs[stream]), parsed(ours[stream])
        if isinstance(before, str) and isinstance(after, str):
            if before != after:
                found.append((stream + kind_of(before, after), before, after))
        else:
            transcripts.values(stream, before, after, found)
    return found


def parsed(text):
    """The JSON that a stream held, or its text."""
    for volatile, stand_in in VOLATILE:
        text = volatile.sub(stand_in, text)
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, (dict, list)) else text


def kind_of(before, after):
    """What a difference of two texts comes down to, if that can be told."""
    if not before or not after:
        return "(presence)"
    if after.startswith("usage: herdr") and before.startswith("usage: herdr"):
        return "(usage)"
    if before.split("\n")[0] == after.split("\n")[0]:
        return "(after the first line)"
    return "(text)"


def read_cases(file):
    counted, cases = Counter(), []
    for line in file.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        counted[case["case"]] += 1
        number = counted[case["case"]]
        case["name"] = case["case"] if number == 1 else f"{case['case']} #{number}"
        cases.append(case)
    return cases


def main(arguments):
    keep = None
    if len(arguments) == 4 and arguments[2] == "--keep":
        keep = Path(arguments[3])
        arguments = arguments[:2]
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    recorded = read_cases(Path(arguments[0]) / "transcripts/cli.jsonl")
    executable = Path(arguments[1]).resolve()
    scratch = Path(tempfile.mkdtemp(prefix="drover-cli-"))
    try:
        answered = replay(recorded, executable, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if keep:
        lines = [json.dumps(case, ensure_ascii=False) + "\n" for case in answered]
        keep.write_text("".join(lines), encoding="utf-8")
    return compare(recorded, answered)


def compare(recorded, answered):
    rules = transcripts.read_rules(RULES)
    used, reasons, unexplained = Counter(), Counter(), []
    for theirs, ours in zip(recorded, answered):
        for path, before, after in differences_of(theirs, ours):
            rule = next((rule for rule in rules if rule.covers(theirs["name"], path)), None)
            if rule is None:
                unexplained.append((theirs["name"], path, before, after))
            else:
                used[rule] += 1
                reasons[rule.reason] += 1
    return transcripts.report(len(recorded), rules, used, reasons, unexplained)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
