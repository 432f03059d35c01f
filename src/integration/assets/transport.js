import net from "node:net";

const SOURCE = "@SOURCE@";
const AGENT = "@AGENT@";
const socketPath = process.env.HERDR_SOCKET_PATH;
const paneId = process.env.HERDR_PANE_ID;
const inPane = process.env.HERDR_ENV === "1" && Boolean(socketPath) && Boolean(paneId);

// Milliseconds for one request. The agent never waits for them, but one is sent after the other.
const LIMIT = 500;

// Numbers by the clock, in nanoseconds, so that a later run has later ones; each is used once.
let lastSeq = 0n;
function nextSeq() {
  const now = BigInt(Date.now()) * 1000000n;
  lastSeq = now > lastSeq ? now : lastSeq + 1n;
  return lastSeq;
}

function exchange(line) {
  return new Promise((resolve) => {
    let socket;
    const done = () => {
      clearTimeout(timer);
      if (socket) socket.destroy();
      resolve();
    };
    const timer = setTimeout(done, LIMIT);
    try {
      socket = net.createConnection(socketPath);
      socket.on("connect", () => socket.write(line));
      // An answer, an end or a failure: all that matters is that it is over.
      socket.on("data", done);
      socket.on("end", done);
      socket.on("error", done);
      socket.on("close", done);
    } catch {
      done();
    }
  });
}

let queue = Promise.resolve();

// Sends a request after all earlier ones, and ignores every failure. `numbered` requests count only
// if nothing later was sent before.
function send(method, params, numbered = true) {
  if (!inPane) return Promise.resolve();
  const id = `${SOURCE}:${Date.now()}:${Math.random().toString(36).slice(2)}`;
  let body = JSON.stringify({ pane_id: paneId, source: SOURCE, agent: AGENT, ...params });
  if (numbered) body = `${body.slice(0, -1)},"seq":${nextSeq()}}`;
  const line = `{"id":${JSON.stringify(id)},"method":"${method}","params":${body}}\n`;
  queue = queue.then(() => exchange(line));
  return queue;
}

// What is known of the session goes with every report.
let session = {};
let reported = "";

function reportSession(fields, startSource, numbered = true) {
  session = fields;
  const start = startSource ? { session_start_source: startSource } : {};
  return send("pane.report_agent_session", { ...fields, ...start }, numbered);
}

// Says how it stands, unless that was said last.
function reportState(state, message) {
  const said = JSON.stringify([state, message, session]);
  if (said === reported) return queue;
  reported = said;
  return send("pane.report_agent", { state, ...(message ? { message } : {}), ...session });
}

function release() {
  reported = "";
  return send("pane.release_agent", {});
}

