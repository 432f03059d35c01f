//! What the list shows and what keys do to it: pure.

use serde_json::Value;

use super::super::control;

/// Characters of an answer, at most: a line, not a text.
const ANSWER_LIMIT: usize = 2_000;

/// One agent. Texts are safe to print; empty stands for what is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Agent {
    pub(super) pane: String,
    pub(super) workspace: String,
    pub(super) agent: String,
    pub(super) name: String,
    pub(super) status: String,
    pub(super) blocked_kind: String,
    /// Its own word for its status.
    pub(super) phase: String,
    /// In milliseconds since 1970.
    pub(super) since: i64,
    pub(super) message: String,
    pub(super) title: String,
    pub(super) focused: bool,
    pub(super) muted: bool,
}

impl Agent {
    fn of(row: &Value) -> Agent {
        let text = |name: &str| control::text(&row[name]);
        Agent {
            pane: text("pane_id"),
            workspace: text("workspace"),
            agent: text("agent"),
            name: text("name"),
            status: text("status"),
            blocked_kind: text("blocked_kind"),
            phase: text("phase"),
            since: row["since_ms"].as_i64().unwrap_or_default(),
            message: text("message"),
            title: text("title"),
            focused: row["focused"] == true,
            muted: row["muted"] == true,
        }
    }

    /// The smaller, the more it needs somebody.
    fn rank(&self) -> usize {
        let order = ["blocked", "done", "working", "idle"];
        let found = order.iter().position(|status| *status == self.status);
        found.unwrap_or(order.len())
    }

    pub(super) fn called(&self) -> String {
        match (self.name.as_str(), self.agent.as_str()) {
            ("", "") => "-".to_owned(),
            ("", agent) => agent.to_owned(),
            (name, "") => name.to_owned(),
            (name, agent) => format!("{agent} ({name})"),
        }
    }
}

/// What the person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    First,
    Last,
    Enter,
    Escape,
    Backspace,
    /// Takes back the whole line.
    Erase,
    /// Ctrl-C, Ctrl-D: away from here.
    Interrupt,
    Character(char),
}

/// What is to be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Nothing,
    Quit,
    Focus(String),
    Attach(String),
    Mute(String, bool),
    /// Type a line and Enter into a pane.
    Answer(String, String),
}

/// Everything that is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Model {
    /// The most urgent first.
    pub(super) agents: Vec<Agent>,
    /// The pane of the selected one.
    pub(super) selected: Option<String>,
    /// The last lines of its pane.
    pub(super) preview: Vec<String>,
    /// The line that is being written, to whom.
    pub(super) answer: Option<(String, String)>,
    /// What there is to say about the last thing that was done.
    pub(super) note: String,
}

impl Model {
    /// Takes the agents as they are now. The selected one stays so wherever it stands, and where it
    /// has gone, the one that needs somebody most takes its place.
    pub(super) fn take_agents(&mut self, rows: &Value) {
        let rows = rows.as_array().map_or(&[][..], Vec::as_slice);
        self.agents = rows.iter().map(Agent::of).collect();
        self.agents.sort_by_key(|agent| (agent.rank(), agent.since));
        if self.position().is_none() {
            self.selected = self.agents.first().map(|agent| agent.pane.clone());
            self.preview.clear();
        }
        if let Some((pane, _)) = &self.answer
            && !self.agents.iter().any(|agent| agent.pane == *pane)
        {
            self.note = format!("{pane} has no agent any more");
            self.answer = None;
        }
    }

    /// Takes the last lines of the selected pane.
    pub(super) fn take_preview(&mut self, preview: &Value) {
        if preview["pane_id"].as_str() == self.selected.as_deref() {
            let text = preview["text"].as_str().unwrap_or_default();
            self.preview = crate::command::printable::lines(text)
                .lines()
                .map(str::to_owned)
                .collect();
        }
    }

    /// Where the selected one stands.
    pub(super) fn position(&self) -> Option<usize> {
        let selected = self.selected.as_deref()?;
        self.agents.iter().position(|agent| agent.pane == selected)
    }

    pub(super) fn key(&mut self, key: Key) -> Action {
        if key == Key::Interrupt {
            return Action::Quit;
        }
        if self.answer.is_some() {
            return self.edit(key);
        }
        self.note.clear();
        let last = self.agents.len().saturating_sub(1);
        let at = self.position().unwrap_or_default();
        match key {
            Key::Up | Key::Character('k') => self.select(at.saturating_sub(1)),
            Key::Down | Key::Character('j') => self.select((at + 1).min(last)),
            Key::First | Key::Character('g') => self.select(0),
            Key::Last | Key::Character('G') => self.select(last),
            Key::Character('q') => return Action::Quit,
            _ => {}
        }
        let Some(agent) = self.position().map(|at| &self.agents[at]) else {
            return Action::Nothing;
        };
        let pane = agent.pane.clone();
        match key {
            Key::Character('f') => Action::Focus(pane),
            Key::Character('a') => Action::Attach(pane),
            Key::Character('m') => Action::Mute(pane, !agent.muted),
            Key::Enter | Key::Character('r') => {
                self.answer = Some((pane, String::new()));
                Action::Nothing
            }
            _ => Action::Nothing,
        }
    }

    fn select(&mut self, at: usize) {
        let pane = self.agents.get(at).map(|agent| agent.pane.clone());
        if pane != self.selected {
            self.selected = pane;
            self.preview.clear();
        }
    }

    fn edit(&mut self, key: Key) -> Action {
        let Some((pane, mut line)) = self.answer.take() else {
            return Action::Nothing;
        };
        match key {
            Key::Enter => return Action::Answer(pane, line),
            Key::Escape => return Action::Nothing,
            Key::Backspace => {
                line.pop();
            }
            Key::Erase => line.clear(),
            Key::Character(character) if line.chars().count() < ANSWER_LIMIT => {
                line.push(character);
            }
            _ => {}
        }
        self.answer = Some((pane, line));
        Action::Nothing
    }
}

/// Turns what a terminal sends into keys. What is cut off at the end of a piece is lost, which a person
/// who types never sees.
pub(super) fn keys(bytes: &[u8]) -> Vec<Key> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_ref();
    let mut keys = Vec::new();
    while let Some(character) = rest.chars().next() {
        if let Some(after) = rest
            .strip_prefix("\x1b[")
            .or_else(|| rest.strip_prefix("\x1bO"))
        {
            // Parameters and intermediates, then the byte that says what it is.
            let end = after.find(|c: char| ('@'..='~').contains(&c));
            let (sequence, following) = match end {
                Some(end) => after.split_at(end + 1),
                None => (after, ""),
            };
            keys.extend(match sequence {
                "A" => Some(Key::Up),
                "B" => Some(Key::Down),
                "H" | "1~" => Some(Key::First),
                "F" | "4~" => Some(Key::Last),
                _ => None,
            });
            rest = following;
            continue;
        }
        rest = &rest[character.len_utf8()..];
        keys.extend(match character {
            '\r' | '\n' => Some(Key::Enter),
            '\x1b' => Some(Key::Escape),
            '\x7f' | '\x08' => Some(Key::Backspace),
            '\x15' => Some(Key::Erase),
            '\x03' | '\x04' => Some(Key::Interrupt),
            other if crate::command::printable::is_printable(other) => Some(Key::Character(other)),
            _ => None,
        });
    }
    keys
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in super::super) fn three() -> Model {
        let mut model = Model::default();
        model.take_agents(&json!([
            { "pane_id": "w1:p1", "workspace": "api", "agent": "claude", "status": "working", "phase": "thinking", "since_ms": 1_000,
              "title": "fix the bug" },
            { "pane_id": "w1:p2", "workspace": "api", "agent": "codex", "name": "ann", "status": "blocked",
              "blocked_kind": "approval", "since_ms": 90_000, "message": "run rm?" },
            { "pane_id": "w2:p1", "workspace": "web", "agent": "crush", "status": "done", "since_ms": 30_000 },
        ]));
        model
    }

    fn typed(model: &mut Model, text: &str) -> Vec<Action> {
        let actions = keys(text.as_bytes()).into_iter().map(|key| model.key(key));
        actions
            .filter(|action| *action != Action::Nothing)
            .collect()
    }

    #[test]
    fn who_waits_comes_first_and_the_selected_one_stays_selected() {
        let mut model = three();
        let order: Vec<&str> = model.agents.iter().map(|a| a.pane.as_str()).collect();
        assert_eq!(order, ["w1:p2", "w2:p1", "w1:p1"]);
        assert_eq!(model.selected.as_deref(), Some("w1:p2"));
        typed(&mut model, "jj\x1b[B");
        assert_eq!(model.selected.as_deref(), Some("w1:p1"));
        model.take_agents(&json!([
            { "pane_id": "w1:p1", "status": "blocked" }, { "pane_id": "w1:p2", "status": "idle" },
        ]));
        assert_eq!(
            (model.selected.as_deref(), model.position()),
            (Some("w1:p1"), Some(0))
        );
        model.take_agents(&json!([{ "pane_id": "w1:p2", "status": "idle" }]));
        assert_eq!(model.selected.as_deref(), Some("w1:p2"));
        model.take_agents(&Value::Null);
        assert_eq!(model.selected, None);
        assert_eq!(typed(&mut model, "jkfmr\r\x1b[A"), []);
    }

    #[test]
    fn a_line_goes_to_whom_it_was_begun_for_and_keys_are_letters_in_it() {
        let mut model = three();
        assert_eq!(typed(&mut model, "rqué\x7f\x7fit"), []);
        assert_eq!(model.answer, Some(("w1:p2".to_owned(), "qit".to_owned())));
        let sent = Action::Answer("w1:p2".to_owned(), "yes, please".to_owned());
        assert_eq!(typed(&mut model, "\x15yes, please\r"), [sent]);
        assert_eq!(model.answer, None);
        typed(&mut model, "\rno\x1b");
        assert_eq!(model.answer, None, "taken back");
        typed(&mut model, "r");
        model.take_agents(&json!([]));
        assert_eq!(model.answer, None);
        assert!(model.note.contains("w1:p2"));
    }

    #[test]
    fn keys_act_on_the_selected_one() {
        let mut model = three();
        let pane = "w1:p2".to_owned();
        assert_eq!(
            typed(&mut model, "fam"),
            [
                Action::Focus(pane.clone()),
                Action::Attach(pane.clone()),
                Action::Mute(pane, true)
            ]
        );
        assert_eq!(typed(&mut model, "q\x03"), [Action::Quit, Action::Quit]);
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_typed_nothing_that_drives_a_terminal_gets_into_an_answer(
            bytes in proptest::collection::vec(0_u8..255, 0..200)
        ) {
            let mut model = three();
            model.key(Key::Enter);
            for key in keys(&bytes) {
                if let Action::Answer(_, line) = model.key(key) {
                    proptest::prop_assert!(!line.chars().any(char::is_control));
                }
            }
        }
    }
}
