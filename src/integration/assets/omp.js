// Milliseconds: between the end of a turn and its being told, in case the next begins at once; and
// the same after a failure that the agent tries again by itself.
const SETTLES = 250;
const RETRIES = 2500;

const RETRYABLE = /overload|rate.?limit|\b5\d\d\b|timed? ?out|timeout|connection|ECONN|network/i;

let timer;
let ended = false;

function later(milliseconds, act) {
  clearTimeout(timer);
  timer = setTimeout(act, milliseconds);
}

function now(state, message) {
  clearTimeout(timer);
  timer = undefined;
  return reportState(state, message);
}

function sessionOf(ctx) {
  const manager = ctx?.sessionManager;
  const path = manager?.getSessionFile?.();
  const id = manager?.getSessionId?.();
  return {
    ...(path ? { agent_session_path: path } : {}),
    ...(id ? { agent_session_id: id } : {}),
  };
}

function failedForNow(messages) {
  const last = (messages ?? []).filter((message) => message?.role === "assistant").pop();
  return last?.stopReason === "error" && RETRYABLE.test(String(last.errorMessage ?? ""));
}

export default function (omp) {
  if (!inPane) return;
  let shown = false;

  const begin = (startSource, ctx) => {
    ended = false;
    reportSession(sessionOf(ctx), startSource);
    now("idle");
  };
  omp.on("session_start", (event, ctx) => {
    // Runs without a screen are no session that anybody talks to.
    shown = Boolean(ctx?.hasUI);
    if (shown) begin(event?.reason ?? "startup", ctx);
  });
  omp.on("session_switch", (event, ctx) => {
    if (shown) begin(event?.reason ?? "resume", ctx);
  });
  omp.on("agent_start", () => {
    ended = false;
    if (shown) now("working");
  });
  omp.on("tool_approval_requested", (event) => {
    if (shown) now("blocked", event?.reason ?? event?.toolName);
  });
  omp.on("tool_approval_resolved", () => {
    if (shown) now("working");
  });
  omp.on("tool_execution_start", (event) => {
    if (!shown || event?.toolName !== "ask") return;
    now("blocked", event.args?.questions?.[0]?.question);
  });
  omp.on("tool_execution_end", (event) => {
    if (shown && event?.toolName === "ask") now("working");
  });
  omp.on("agent_end", (event) => {
    if (!shown || ended) return;
    ended = true;
    if (failedForNow(event?.messages)) {
      later(RETRIES, () => now("blocked", "the provider failed, and nothing was tried again"));
    } else {
      later(SETTLES, () => now("idle"));
    }
  });
  omp.on("session_shutdown", () => {
    clearTimeout(timer);
    return shown ? release() : undefined;
  });
}
