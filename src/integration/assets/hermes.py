import os
import subprocess
import threading
import time

# Seconds for one report; nothing waits for it.
LIMIT = 0.5

# Where a person sits at a terminal. Elsewhere Hermes answers for a chat.
LOCAL = {"cli", "tui", "local", "terminal", ""}

_told = None


def _report(session_id, start):
    command = [
        os.environ["HERDR_BIN_PATH"],
        "pane",
        "report-agent-session",
        os.environ["HERDR_PANE_ID"],
        "--source",
        "@SOURCE@",
        "--agent",
        "hermes",
        "--agent-session-id",
        session_id,
        "--seq",
        str(time.time_ns()),
        "--session-start-source",
        start,
    ]
    try:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LIMIT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        pass


def _tell(start):
    def hook(*_args, session_id=None, platform="", **_more):
        global _told
        try:
            if not session_id or str(platform or "").lower() not in LOCAL:
                return
            # Every turn asks; only another session is news.
            if start == "resume" and session_id == _told:
                return
            _told = session_id
            threading.Thread(target=_report, args=(str(session_id), start), daemon=True).start()
        except Exception:  # A hook never fails its agent.
            pass

    return hook


def register(ctx):
    needed = ("HERDR_SOCKET_PATH", "HERDR_PANE_ID", "HERDR_BIN_PATH")
    if os.environ.get("HERDR_ENV") != "1" or not all(os.environ.get(name) for name in needed):
        return
    ctx.register_hook("on_session_start", _tell("startup"))
    ctx.register_hook("on_session_reset", _tell("new"))
    ctx.register_hook("pre_llm_call", _tell("resume"))
