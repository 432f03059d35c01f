//! `[[notify.rule]]` and `[[notify.sink]]`: who is told of what, and where it is sent.

use std::fmt;

use toml::de::{DeTable, DeValue};

use super::keys::{Key, Kind, Literal, row};
use super::lists::Entry;
use super::read::Reading;
use super::slot::{Slot, Words, choice};
use super::values::Config;

/// Sinks that are there without an entry.
pub const BUILT_IN: [&str; 2] = ["desktop", "terminal"];

/// Who is told of what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notify {
    /// `[[notify.rule]]`
    pub rules: Vec<NotifyRule>,
    /// `[[notify.sink]]`
    pub sinks: Vec<NotifySink>,
}

/// One rule: everything it says has to be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifyRule {
    /// Labels or names of agents; empty means every agent.
    pub agents: Vec<String>,
    /// What happened; see [`NotifyRule::EVENTS`].
    pub on: Words,
    /// Whether it matters where the person looks.
    pub when: NotifyWhen,
    /// Local times between which it is silent, `22:00-07:00`; empty means never.
    pub quiet_hours: String,
    /// Messages that the rule lets through in any minute.
    pub per_minute: u64,
    /// Milliseconds that the state has to last.
    pub delay_ms: u64,
    /// Names of sinks.
    pub sinks: Vec<String>,
}

impl NotifyRule {
    /// What can happen.
    pub const EVENTS: &'static [&'static str] = &[
        "blocked", "done", "back", "working", "idle", "gone", "message",
    ];
}

choice! {
    /// Whether it matters where the person looks.
    NotifyWhen {
        /// It does not.
        #[default]
        Always = "always",
        /// Only of agents outside the active tab, as a finished one is done and not idle there.
        Unfocused = "unfocused",
        /// Only of agents whose pane no terminal is attached to.
        Unattached = "unattached",
    }
}

impl Default for NotifyRule {
    fn default() -> Self {
        let mut rule = Self {
            agents: Vec::new(),
            on: Words::of(Self::EVENTS),
            when: NotifyWhen::default(),
            quiet_hours: String::new(),
            per_minute: 0,
            delay_ms: 0,
            sinks: Vec::new(),
        };
        for key in Self::KEYS {
            key.reset(&mut rule);
        }
        rule
    }
}

impl Entry for NotifyRule {
    const KEYS: &'static [Key<Self>] = &[
        row!("on", Kind::Words, Literal::Text("blocked done"), Words: on,
            "What is told: an agent is blocked (waits for you), is done (finished what it worked at), comes back (works or is idle again after either), works, is idle, is gone (left its pane); or a message that was given to notification.show."),
        row!("agents", Kind::List, Literal::List(&[]), List: agents,
            "Only of these agents, by label (claude) or name. None: of every agent. Says nothing about messages."),
        row!("when", Kind::Choice, Literal::Text("always"), Choice: when,
            "always; unfocused: only of agents outside the active tab; unattached: only of agents whose pane is shown in no attached terminal."),
        row!("quiet_hours", Kind::Text, Literal::Text(""), Text: quiet_hours,
            "Local times between which the rule is silent, such as 22:00-07:00. What happens then is not told later."),
        // Sixty an hour would be a person's whole attention; a thousand a minute is a loop.
        row!("per_minute", Kind::Number(1..=1_000), Literal::Number(20), Number: per_minute,
            "How many messages the rule lets through in any minute. What is more is not told later."),
        // A minute later it is no news.
        row!("delay_ms", Kind::Number(0..=60_000), Literal::Number(0), Number: delay_ms,
            "Tell only what has lasted for so many milliseconds: an agent that goes on by itself within them is not told of."),
        row!("sinks", Kind::List, Literal::List(&[]), List: sinks,
            "Where it is sent: desktop, terminal, or the name of a [[notify.sink]]."),
    ];

    fn list(config: &mut Config) -> &mut Vec<Self> {
        &mut config.notify.rules
    }

    fn check(&self, _: &[Self]) -> Result<(), String> {
        if self.sinks.is_empty() {
            return Err("it needs sinks".to_owned());
        }
        if !self.quiet_hours.is_empty() && QuietHours::parse(&self.quiet_hours).is_none() {
            return Err("quiet_hours must be two times such as 22:00-07:00".to_owned());
        }
        Ok(())
    }
}

/// A part of every day, in minutes since midnight, its end not included. One that ends before it begins lasts over
/// midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietHours {
    from: u16,
    to: u16,
}

impl QuietHours {
    /// Reads `22:00-07:00`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        let minute = |text: &str| {
            let (hour, minute) = text.trim().split_once(':')?;
            let two = |text: &str| {
                let digits =
                    matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
                digits.then(|| text.parse::<u16>().ok()).flatten()
            };
            let (hour, minute) = (two(hour)?, two(minute)?);
            (hour < 24 && minute < 60).then_some(hour * 60 + minute)
        };
        let hours = Self {
            from: minute(from)?,
            to: minute(to)?,
        };
        (hours.from != hours.to).then_some(hours)
    }

    /// Whether a minute of the day lies in them.
    #[must_use]
    pub fn contain(self, minute: u16) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }
}

/// Where messages are sent.
#[derive(Clone, PartialEq, Eq)]
pub struct NotifySink {
    /// What rules call it.
    pub name: String,
    /// What it is.
    pub kind: SinkKind,
    /// The address to post to; may hold a secret.
    pub url: String,
    /// The file that has the address instead.
    pub url_file: String,
    /// The variable of the daemon's environment that has it instead.
    pub url_env: String,
    /// What a webhook is sent.
    pub format: WebhookFormat,
    /// More headers, `Name: value`; may hold secrets.
    pub headers: Vec<String>,
    /// The file that has the secret for `secret_header`.
    pub secret_file: String,
    /// The variable of the daemon's environment that has it instead.
    pub secret_env: String,
    /// The header that carries the secret.
    pub secret_header: String,
    /// The program to run, and its arguments.
    pub command: Vec<String>,
    /// Milliseconds for one attempt.
    pub timeout_ms: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Milliseconds before the first of them; twice as many before each that follows.
    pub retry_ms: u64,
    /// Whether what got no answer is sent again.
    pub resend_unanswered: bool,
}

choice! {
    /// What a sink is.
    SinkKind {
        /// Something that takes an HTTP request.
        #[default]
        Webhook = "webhook",
        /// A topic of ntfy, or of something that speaks like it.
        Ntfy = "ntfy",
        /// A program.
        Command = "command",
    }
}

choice! {
    /// What a webhook is sent.
    WebhookFormat {
        /// An object.
        #[default]
        Json = "json",
        /// The text.
        Plain = "plain",
    }
}

impl Default for NotifySink {
    fn default() -> Self {
        let mut sink = Self {
            name: String::new(),
            kind: SinkKind::default(),
            url: String::new(),
            url_file: String::new(),
            url_env: String::new(),
            format: WebhookFormat::default(),
            headers: Vec::new(),
            secret_file: String::new(),
            secret_env: String::new(),
            secret_header: String::new(),
            command: Vec::new(),
            timeout_ms: 0,
            retries: 0,
            retry_ms: 0,
            resend_unanswered: false,
        };
        for key in Self::KEYS {
            key.reset(&mut sink);
        }
        sink
    }
}

/// Addresses and headers may be secrets, so they are not shown.
impl fmt::Debug for NotifySink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("NotifySink")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl Entry for NotifySink {
    const KEYS: &'static [Key<Self>] = &[
        row!("name", Kind::Text, Literal::Text(""), Text: name,
            "What rules call it."),
        row!("kind", Kind::Choice, Literal::Text("webhook"), Choice: kind,
            "webhook: an HTTP POST; ntfy: the same, as ntfy and its like take it; command: a program is run."),
        row!("url", Kind::Text, Literal::Text(""), Text: url,
            "The http or https address to post to; for ntfy with the topic, such as https://ntfy.sh/my-topic."),
        row!("url_file", Kind::Text, Literal::Text(""), Text: url_file,
            "The file that has the address instead, for one that is a secret. It is read at each message; a leading ~/ is the home directory."),
        row!("url_env", Kind::Text, Literal::Text(""), Text: url_env,
            "The variable of the daemon's environment that has the address instead."),
        row!("format", Kind::Choice, Literal::Text("json"), Choice: format,
            "What a webhook is sent: json (an object with id, event, title, body, text, agent, status, pane_id, workspace, at_ms) or plain (the text)."),
        row!("headers", Kind::List, Literal::List(&[]), List: headers,
            "More headers, each as \"Name: value\"."),
        row!("secret_file", Kind::Text, Literal::Text(""), Text: secret_file,
            "The file that has the token for secret_header, read at each message; a leading ~/ is the home directory."),
        row!("secret_env", Kind::Text, Literal::Text(""), Text: secret_env,
            "The variable of the daemon's environment that has the token instead."),
        row!("secret_header", Kind::Text, Literal::Text("Authorization"), Text: secret_header,
            "The header that carries it. In Authorization a token without a blank gets Bearer before it."),
        row!("command", Kind::List, Literal::List(&[]), List: command,
            "The program to run and its arguments, without a shell. It gets the object of a webhook on its standard input, and DROVER_NOTIFY_TITLE, _BODY, _EVENT, _AGENT, _STATUS, _PANE, _WORKSPACE and _ID in its environment."),
        // What takes longer has been forgotten by the person as well.
        row!("timeout_ms", Kind::Number(100..=60_000), Literal::Number(10_000), Number: timeout_ms,
            "Milliseconds that one attempt may take."),
        row!("retries", Kind::Number(0..=10), Literal::Number(4), Number: retries,
            "Attempts after one that failed and may succeed later: no connection, or an answer of 408, 425, 429 or 500 and above. A command is run once."),
        row!("retry_ms", Kind::Number(10..=60_000), Literal::Number(1_000), Number: retry_ms,
            "Milliseconds before the first of them, twice as many before each that follows, at most a minute; a server that names a time is given it."),
        row!("resend_unanswered", Kind::Flag, Literal::Flag(true), Flag: resend_unanswered,
            "Whether an attempt is made again when the server had the message and then closed the connection or stayed silent. It may have taken the message: every attempt has the same Idempotency-Key, by which it can know. false: such a message is not sent again."),
    ];

    fn list(config: &mut Config) -> &mut Vec<Self> {
        &mut config.notify.sinks
    }

    fn check(&self, before: &[Self]) -> Result<(), String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(fits) {
            return Err("it needs a name of letters, digits, -, _ and .".to_owned());
        }
        if BUILT_IN.contains(&self.name.as_str()) || before.iter().any(|o| o.name == self.name) {
            return Err(format!("there is a sink {} already", self.name));
        }
        if self.kind == SinkKind::Command {
            return match self.command.first() {
                Some(program) if !program.is_empty() => Ok(()),
                _ => Err(format!("sink {} needs a command", self.name)),
            };
        }
        let addresses = [&self.url, &self.url_file, &self.url_env];
        match addresses.iter().filter(|text| !text.is_empty()).count() {
            1 => {}
            0 => return Err(format!("sink {} needs a url", self.name)),
            _ => {
                return Err(format!(
                    "sink {} may have one of url, url_file and url_env",
                    self.name
                ));
            }
        }
        let http = |url: &str| url.starts_with("http://") || url.starts_with("https://");
        if !self.url.is_empty() && !http(&self.url) {
            return Err(format!(
                "the url of sink {} must be http or https",
                self.name
            ));
        }
        if !self.secret_file.is_empty() && !self.secret_env.is_empty() {
            return Err(format!(
                "sink {} may have one of secret_file and secret_env",
                self.name
            ));
        }
        let bad = self.headers.iter().position(|header| {
            header
                .split_once(':')
                .is_none_or(|(name, _)| name.trim().is_empty())
        });
        match bad {
            // The header itself may be a secret.
            Some(at) => Err(format!(
                "header {} of sink {} must be written \"Name: value\"",
                at + 1,
                self.name
            )),
            None => Ok(()),
        }
    }
}

impl Reading<'_> {
    /// What can only be said once everything was read: that rules name sinks that are there.
    pub(super) fn check_lists(&mut self, table: &DeTable<'_>) {
        let Some(DeValue::Table(notify)) = table.get("notify").map(|value| value.get_ref()) else {
            return;
        };
        let Some(DeValue::Array(rules)) = notify.get("rule").map(|value| value.get_ref()) else {
            return;
        };
        let mut unknown = Vec::new();
        for rule in rules {
            let Some(DeValue::Array(sinks)) = rule
                .get_ref()
                .as_table()
                .and_then(|rule| rule.get("sinks"))
                .map(|sinks| sinks.get_ref())
            else {
                continue;
            };
            for sink in sinks {
                let Some(name) = sink.get_ref().as_str() else {
                    continue;
                };
                let there = BUILT_IN.contains(&name)
                    || self
                        .config
                        .notify
                        .sinks
                        .iter()
                        .any(|sink| sink.name == name);
                if !there {
                    let message = format!(
                        "there is no [[notify.sink]] with the name {name:?}; nothing is sent there"
                    );
                    unknown.push((sink.span().start, message));
                }
            }
        }
        for (at, message) in unknown {
            self.complain(at, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let loaded = read(text, &Config::default());
        loaded.diagnostics.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rules_and_sinks_are_read_in_their_order_with_their_defaults() {
        let text = "[[notify.rule]]\nagents = ['claude', 'ann']\non = ['blocked', 'message']\nsinks = ['phone', 'desktop']\n\
                    [[notify.rule]]\non = 'done'\nwhen = 'unfocused'\nquiet_hours = '22:00-7:30'\nsinks = ['terminal']\n\
                    [[notify.sink]]\nname = 'phone'\nkind = 'ntfy'\nurl = 'https://ntfy.sh/x'\n";
        let loaded = read(text, &Config::default());
        assert_eq!(loaded.diagnostics, []);
        let notify = loaded.config.notify;
        assert_eq!(notify.rules[0].agents, ["claude", "ann"]);
        assert_eq!(notify.rules[0].on.chosen(), ["blocked", "message"]);
        assert_eq!(notify.rules[0].per_minute, 20);
        assert_eq!(notify.rules[1].when, NotifyWhen::Unfocused);
        assert_eq!(notify.sinks[0].kind, SinkKind::Ntfy);
        assert_eq!(notify.sinks[0].secret_header, "Authorization");
        assert_eq!(NotifyRule::default().on.chosen(), ["blocked", "done"]);
    }

    #[test]
    fn an_entry_with_a_mistake_is_left_out_whole_and_the_mistake_is_named() {
        let text = "[[notify.rule]]\nsinks = ['desktop']\nagent = 'x'\n[[notify.rule]]\nsinks = ['nowhere']\n\
                    [[notify.rule]]\nquiet_hours = 'nights'\nsinks = ['desktop']\n[[notify.sink]]\nname = 'a b'\n\
                    [[notify.sink]]\nname = 'hook'\nurl = 'ftp://x'\n";
        let loaded = read(text, &Config::default());
        assert_eq!(loaded.config.notify.rules.len(), 1);
        assert_eq!(loaded.config.notify.sinks, []);
        assert_eq!(
            complaints(text),
            [
                "unknown key agent of [[notify.rule]]; ignoring this entry (line 3, column 1)",
                "there is no [[notify.sink]] with the name \"nowhere\"; nothing is sent there (line 5, column 10)",
                "invalid [[notify.rule]]: quiet_hours must be two times such as 22:00-07:00; ignoring it (line 6, column 1)",
                "invalid [[notify.sink]]: it needs a name of letters, digits, -, _ and .; ignoring it (line 9, column 1)",
                "invalid [[notify.sink]]: the url of sink hook must be http or https; ignoring it (line 11, column 1)",
            ]
        );
        assert!(complaints("notify.rule = 3")[0].contains("must be written [[notify.rule]]"));
        assert!(complaints("[notify]\nrules = []")[0].contains("unknown config key notify.rules"));
    }

    #[test]
    fn no_complaint_repeats_an_address_or_a_header() {
        let secret = "s3cr3t";
        let text = format!(
            "[[notify.sink]]\nname = 'a'\nurl = 'gopher://{secret}'\n[[notify.sink]]\nname = 'b'\nurl = 'http://x/{secret}'\n\
             headers = ['{secret}']\n[[notify.sink]]\nname = 'c'\nurl = 'http://{secret}'\nurl_env = '{secret}'\n"
        );
        let said = complaints(&text);
        assert_eq!(said.len(), 3);
        assert!(said.iter().all(|line| !line.contains(secret)), "{said:?}");
        let ok = format!(
            "[[notify.sink]]\nname = 'b'\nurl = 'http://x/{secret}'\nheaders = ['X: {secret}']"
        );
        let loaded = read(&ok, &Config::default());
        assert_eq!(loaded.diagnostics, []);
        assert!(!format!("{:?}", loaded.config).contains(secret));
    }

    #[test]
    fn quiet_hours_may_last_over_midnight() {
        let night = QuietHours::parse("22:00-07:30").unwrap();
        assert!(night.contain(22 * 60) && night.contain(0) && night.contain(7 * 60 + 29));
        assert!(!night.contain(7 * 60 + 30) && !night.contain(21 * 60 + 59));
        let noon = QuietHours::parse("12:00 - 13:00").unwrap();
        assert!(noon.contain(12 * 60) && !noon.contain(13 * 60));
        for odd in [
            "",
            "22:00",
            "22:00-22:00",
            "24:00-01:00",
            "1:60-2:00",
            "a:b-c:d",
            "+1:00-2:00",
        ] {
            assert_eq!(QuietHours::parse(odd), None, "{odd}");
        }
    }
}
