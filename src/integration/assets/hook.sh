#!/bin/sh
# HERDR_INTEGRATION_ID=@TARGET@
# HERDR_INTEGRATION_VERSION=@VERSION@
#
# Tells the terminal that this runs in how it stands with @TITLE@, which runs it at its events: the
# word for what happened is the argument, the event's JSON the input. `herdr integration install
# @TARGET@` writes this file anew, and `herdr integration uninstall @TARGET@` removes it: changes are
# lost.
@REPLY@
[ "${HERDR_ENV:-}" = 1 ] && [ -n "${HERDR_SOCKET_PATH:-}" ] && [ -n "${HERDR_PANE_ID:-}" ] || exit 0
[ -x "${HERDR_BIN_PATH:-}" ] || exit 0

# All of the input is taken, so that the agent is never left writing; a mebibyte of it is enough.
payload=$(head -c 1048576; cat >/dev/null) || exit 0

# In the background, and with its own short limit: the agent waits for nothing, and nothing fails it.
(printf '%s' "$payload" | "$HERDR_BIN_PATH" integration hook @TARGET@ "${1:-session}") </dev/null >/dev/null 2>&1 &
exit 0
