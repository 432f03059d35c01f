// Milliseconds between two looks at which session is shown: there is no event for it.
const INTERVAL = 100;

// Milliseconds after which it is said again, in case the first word came before the agent was seen.
const AGAIN = [100, 400, 1000];

const HerdrSession = async (api) => {
  if (!inPane) return;
  let shown;
  let repeats = [];
  const look = () => {
    const route = api?.route?.current;
    const id = route?.name === "session" ? route.params?.sessionID : undefined;
    if (!id || id === shown) return;
    shown = id;
    repeats.forEach(clearTimeout);
    // Without a number: it says what is on the screen, whatever was reported meanwhile.
    const say = () => reportSession({ agent_session_id: id }, "select", false);
    say();
    repeats = AGAIN.map((milliseconds) => {
      const timer = setTimeout(() => id === shown && say(), milliseconds);
      timer.unref?.();
      return timer;
    });
  };
  const timer = setInterval(look, INTERVAL);
  timer.unref?.();
  look();
};

export default Object.assign(HerdrSession, { id: "herdr-tui-session", tui: HerdrSession });
