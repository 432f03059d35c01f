const WORKING = ["busy", "active", "pending", "running", "retry", "streaming"];

// Sessions that another one has started, and which: they speak only when they need a person.
const parents = new Map();
const MOST_PARENTS = 1000;

function rootOf(id) {
  let root = id;
  for (let depth = 0; parents.has(root) && depth < 32; depth += 1) root = parents.get(root);
  return root;
}

function of(id) {
  return id ? { agent_session_id: id } : session;
}

function state(id, word, message) {
  session = of(id ? rootOf(id) : undefined);
  return reportState(word, message);
}

const statusOf = (status) => (typeof status === "string" ? status : status?.type);

async function event({ event }) {
  const properties = event?.properties ?? {};
  const info = properties.info ?? {};
  const id = properties.sessionID ?? info.id;
  if (info.id && info.parentID && parents.size < MOST_PARENTS) parents.set(info.id, info.parentID);
  const child = Boolean(id) && parents.has(id);
  switch (event?.type) {
    case "permission.asked":
    case "question.asked":
      state(id, "blocked", properties.title ?? properties.question);
      return;
    case "permission.replied":
    case "question.replied":
    case "question.rejected":
      state(id, "working");
      return;
    default:
  }
  if (child) return;
  switch (event?.type) {
    case "session.created":
    case "session.updated":
      if (id && session.agent_session_id !== id && NAMES_START) {
        reportSession({ agent_session_id: id }, "startup");
      } else if (id && session.agent_session_id === undefined) {
        reportSession({ agent_session_id: id });
      }
      break;
    case "session.status": {
      const status = statusOf(properties.status);
      if (WORKING.includes(status)) state(id, "working");
      else if (status === "idle") state(id, "idle");
      break;
    }
    case "session.idle":
      state(id, "idle");
      break;
    case "session.compacted":
      state(id, "working");
      break;
    case "session.error":
      state(id, "blocked", properties.error?.data?.message ?? properties.error?.name);
      break;
    default:
  }
}

const HerdrAgentState = async () => {
  if (!inPane) return {};
  const tool = async (input) => {
    if (!input?.sessionID || !parents.has(input.sessionID)) state(input?.sessionID, "working");
  };
  return {
    event,
    "chat.message": async (input) => {
      const id = input?.sessionID;
      if (id && parents.has(id)) return;
      if (id && session.agent_session_id !== id) reportSession({ agent_session_id: id });
      state(id, "working");
    },
    "tool.execute.before": tool,
    "tool.execute.after": tool,
  };
};

// Newer versions look for an id and a server in the default export, older ones call what is exported.
export default Object.assign(HerdrAgentState, { id: "herdr-agent-state", server: HerdrAgentState });
