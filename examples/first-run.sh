#!/bin/sh
# drover in one minute: build it, start the daemon, watch a scripted agent work, answer its question from outside.
#
#   sh examples/first-run.sh
#
# It can be run again, and beside a daemon that is up already: it only adds a workspace called "first-run".
# DROVER=path uses an executable that is built already.
set -eu

cd "$(dirname "$0")/.."
patience=30000 # milliseconds for any one step; each takes a second or two

say() { printf '\n== %s\n' "$*"; }
fail() {
    printf 'first-run: %s\n' "$*" >&2
    exit 1
}

if [ -z "${DROVER:-}" ]; then
    command -v cargo >/dev/null ||
        fail "cargo is missing; install Rust (https://rustup.rs), then run this again"
    say "cargo build --release"
    cargo build --release
    DROVER=${CARGO_TARGET_DIR:-target}/release/drover
fi
[ -x "$DROVER" ] || fail "$DROVER is not there, or cannot be run"

scratch=$(mktemp -d)
watching=
finish() {
    [ -z "$watching" ] || kill "$watching" 2>/dev/null || :
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

# The same executable is herdr's command line when it is called by that name.
"$DROVER" links "$scratch" >/dev/null
drover() { "$DROVER" "$@"; }
# The session is named, so that this means drover's own daemon even inside a pane of another.
herdr() { "$scratch/herdr" --session default "$@"; }

say "drover up"
drover up

# One that an earlier run left behind makes room.
drover ps | awk -F '\t' '$2 == "first-run" { print $1 }' |
    while read -r old; do herdr pane close "$old" >/dev/null; done

pane=$(herdr workspace create --label first-run --cwd "$PWD" |
    sed -n 's/.*"root_pane":{[^}]*"pane_id":"\([^"]*\)".*/\1/p')
[ -n "$pane" ] || fail "the answer to 'herdr workspace create' names no pane"

mkfifo "$scratch/news"
# Not through the function above: the number has to be the program's own.
"$DROVER" ps --watch >"$scratch/news" &
watching=$!
exec 3<"$scratch/news"

# Prints the agent's transitions up to the one that is named. The wait before it has the time limit.
transition() {
    herdr agent wait "$pane" --until "$1" --timeout "$patience" >/dev/null ||
        fail "the agent did not become $1; see '$DROVER herdr pane read $pane'"
    while IFS= read -r line <&3; do
        case $line in "$pane	"*) ;; *) continue ;; esac
        # Agent, status, and what it is blocked on.
        printf '%s\n' "$line" | awk -F '\t' '{ printf "   %s  %s  %s\n", $3, $4, $5 }'
        [ "$(printf '%s\n' "$line" | cut -f 4)" != "$1" ] || return 0
    done
    fail "the daemon stopped"
}

say "the scripted agent starts in pane $pane (herdr pane run), and reports by itself"
herdr pane run "$pane" "sh examples/agent.sh"
herdr pane wait-output "$pane" --match 'task>' --timeout "$patience" >/dev/null ||
    fail "the agent did not start; see '$DROVER herdr pane read $pane'"
transition idle

say "it gets a task, and asks for permission"
herdr pane run "$pane" "parser"
transition blocked

say "the answer comes from outside (herdr pane send-keys $pane y enter)"
herdr pane send-keys "$pane" y enter
# Its tab is not the one in front, so its result waits to be seen: "done". In front it would be "idle".
transition done

say "herdr pane list"
herdr pane list
say "herdr agent list"
herdr agent list
say "drover ps"
drover ps

cat <<END

It works. The agent waits for another task; look further:
  $DROVER ps --watch                     every agent as it changes
  $DROVER herdr pane read $pane          what its pane shows
  $DROVER herdr pane run $pane lexer     another task (then: pane send-keys $pane n enter)
  $DROVER --help, $DROVER herdr --help   all commands
Stop the daemon, and everything in its panes:
  $DROVER down
END
