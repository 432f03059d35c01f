// How many say that a person is waited for, and that something runs in the background.
let blockers = 0;
let blockerLabel;
let background = 0;
let running = false;

function show() {
  if (blockers > 0) return reportState("blocked", blockerLabel);
  return reportState(running || background > 0 ? "working" : "idle");
}

function sessionOf(ctx) {
  const manager = ctx.sessionManager;
  const path = manager?.getSessionFile?.();
  const id = manager?.getSessionId?.();
  return {
    ...(path ? { agent_session_path: path } : {}),
    ...(id ? { agent_session_id: id } : {}),
  };
}

export default function (pi) {
  if (!inPane) return;
  // Runs without a screen are no session that anybody talks to.
  const shown = (ctx) => ctx?.mode === undefined || ctx.mode === "tui";

  pi.on("session_start", (event, ctx) => {
    if (!shown(ctx)) return;
    blockers = 0;
    background = 0;
    running = ctx.isIdle?.() === false;
    reportSession(sessionOf(ctx), event?.reason);
    show();
  });
  pi.on("agent_start", (_event, ctx) => {
    if (!shown(ctx)) return;
    running = true;
    // The session's file may exist only now.
    const now = sessionOf(ctx);
    if (JSON.stringify(now) !== JSON.stringify(session)) reportSession(now);
    show();
  });
  pi.on("agent_settled", (_event, ctx) => {
    if (!shown(ctx) || ctx.isIdle?.() === false) return;
    running = false;
    show();
  });
  pi.on("session_shutdown", (_event, ctx) => (shown(ctx) ? release() : undefined));

  const counted = (change) => (data) => {
    change(data?.active ? 1 : -1, data);
    show();
  };
  pi.events?.on?.("herdr:blocked", counted((step, data) => {
    blockers = Math.max(0, blockers + step);
    blockerLabel = blockers > 0 ? (data?.label ?? blockerLabel) : undefined;
  }));
  for (const name of ["herdr:busy", "herdr:working"]) {
    pi.events?.on?.(name, counted((step) => {
      background = Math.max(0, background + step);
    }));
  }
}
