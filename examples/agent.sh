#!/bin/sh
# A scripted agent: it reports what it does to the host of its pane, as a real agent does. Copy it freely.
#
# All it needs is three variables that every pane of drover has: HERDR_ENV=1, HERDR_BIN_PATH (what to run as
# `herdr`) and HERDR_PANE_ID (which pane this is). Without them it works the same and reports nothing.
set -u

source=example-agent # who reports; one name for each program that does
agent=example        # what people see

# Numbers grow with every report, over restarts too: a late report is then dropped and cannot undo a newer one.
seq=$(date +%s)000

report() { # report STATE [MESSAGE]
    [ "${HERDR_ENV:-}" = 1 ] || return 0
    seq=$((seq + 1))
    # A host that cannot be told must never stop the agent.
    "$HERDR_BIN_PATH" pane report-agent "$HERDR_PANE_ID" --source "$source" --agent "$agent" \
        --state "$1" --seq "$seq" ${2:+--message "$2"} 2>/dev/null || :
}

release() {
    [ "${HERDR_ENV:-}" = 1 ] || return 0
    seq=$((seq + 1))
    "$HERDR_BIN_PATH" pane release-agent "$HERDR_PANE_ID" --source "$source" --agent "$agent" \
        --seq "$seq" 2>/dev/null || :
}

trap release EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

allowed() { # allowed QUESTION: a person decides
    report blocked "Permission: $1"
    printf '%s? [y/n] ' "$1"
    read -r answer && [ "$answer" = y ]
}

report idle
while printf 'task> ' && read -r task; do
    [ -n "$task" ] || continue
    report working
    sleep 1 # reading and thinking
    if allowed "run the tests of $task"; then
        report working
        sleep 1 # running them
        echo "$task: done"
    else
        echo "$task: left alone"
    fi
    report idle
done
