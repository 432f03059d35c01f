//! Which sinks get what: pure decisions over the rules of the configuration, with time passed in.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use crate::config::{NotifyRule, NotifyWhen, QuietHours};

use super::note::Transition;

/// What a rule's rate is counted over.
const MINUTE: Duration = Duration::from_secs(60);

/// What is to be done with something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ruling {
    /// Send it to these sinks, each after a while.
    Send(Vec<(String, Duration)>),
    /// Send it nowhere.
    Silent(Silence),
}

/// Why nothing is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Silence {
    /// No rule is about it.
    NoRule,
    /// A rule is, but not at this hour.
    Quiet,
    /// A rule is, but it has let through what it may.
    Rate,
}

/// The rules, and what each has let through of late.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    settings: NotifyRule,
    quiet: Option<QuietHours>,
    /// When it let something through, within the last minute.
    sent: VecDeque<Instant>,
}

impl Rules {
    pub(super) fn new(rules: Vec<NotifyRule>) -> Rules {
        let rule = |settings: NotifyRule| Rule {
            quiet: QuietHours::parse(&settings.quiet_hours),
            settings,
            sent: VecDeque::new(),
        };
        Rules(rules.into_iter().map(rule).collect())
    }

    /// Whether a rule sends to a sink.
    pub(super) fn name(&self, sink: &str) -> bool {
        self.0
            .iter()
            .any(|rule| rule.settings.sinks.iter().any(|name| name == sink))
    }

    /// Whether a rule is about messages.
    pub(super) fn take_messages(&self) -> bool {
        self.0
            .iter()
            .any(|rule| rule.settings.on.chosen().contains(&"message"))
    }

    /// What is to be done with an agent's change. `minute` is the minute of the local day, asked for
    /// only where a rule has quiet hours.
    pub(super) fn agent(
        &mut self,
        change: &Transition,
        now: Instant,
        minute: impl Fn() -> u16,
    ) -> Ruling {
        let events = change.events();
        self.decide(now, minute, |rule| {
            let said = &rule.agents;
            let named = |agent: &String| {
                *agent == change.agent || change.name.as_ref().is_some_and(|name| name == agent)
            };
            let looked_at = match rule.when {
                NotifyWhen::Always => false,
                NotifyWhen::Unfocused => change.in_front,
                NotifyWhen::Unattached => change.attached,
            };
            rule.on.chosen().iter().any(|on| events.contains(on))
                && (said.is_empty() || said.iter().any(named))
                && !looked_at
        })
    }

    /// What is to be done with a program's message.
    pub(super) fn message(&mut self, now: Instant, minute: impl Fn() -> u16) -> Ruling {
        self.decide(now, minute, |rule| rule.on.chosen().contains(&"message"))
    }

    fn decide(
        &mut self,
        now: Instant,
        minute: impl Fn() -> u16,
        is_about: impl Fn(&NotifyRule) -> bool,
    ) -> Ruling {
        let mut sinks: BTreeMap<String, Duration> = BTreeMap::new();
        let mut silence = Silence::NoRule;
        for rule in &mut self.0 {
            if !is_about(&rule.settings) {
                continue;
            }
            if rule.quiet.is_some_and(|hours| hours.contain(minute())) {
                silence = silence.max(Silence::Quiet);
                continue;
            }
            if !rule.take(now) {
                silence = silence.max(Silence::Rate);
                continue;
            }
            let delay = Duration::from_millis(rule.settings.delay_ms);
            for name in &rule.settings.sinks {
                // A sink gets it once, as early as any rule has it.
                let known = sinks.entry(name.clone()).or_insert(delay);
                *known = delay.min(*known);
            }
        }
        if sinks.is_empty() {
            Ruling::Silent(silence)
        } else {
            Ruling::Send(sinks.into_iter().collect())
        }
    }
}

impl Rule {
    /// Counts one message; false if there were too many within the last minute.
    fn take(&mut self, now: Instant) -> bool {
        let old = |at: &Instant| now.saturating_duration_since(*at) >= MINUTE;
        while self.sent.front().is_some_and(old) {
            self.sent.pop_front();
        }
        let most = usize::try_from(self.settings.per_minute).unwrap_or(usize::MAX);
        if self.sent.len() >= most {
            return false;
        }
        self.sent.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::records::AgentStatus::{Blocked, Done, Idle, Working};
    use crate::config::{self, Config};
    use crate::notify::tests::change;

    fn rules(text: &str) -> Rules {
        let loaded = config::read(text, &Config::default());
        assert_eq!(loaded.diagnostics, []);
        Rules::new(loaded.config.notify.rules)
    }

    fn noon() -> u16 {
        12 * 60
    }

    fn sent(ruling: Ruling) -> Vec<String> {
        match ruling {
            Ruling::Send(sinks) => sinks.into_iter().map(|(name, _)| name).collect(),
            Ruling::Silent(_) => Vec::new(),
        }
    }

    #[test]
    fn a_rule_is_about_its_agents_and_its_events_only() {
        let mut rules = rules(
            "[[notify.rule]]\nagents = ['claude', 'ann']\non = 'blocked'\nsinks = ['desktop']\n\
             [[notify.rule]]\non = 'done'\nsinks = ['terminal']\n",
        );
        let now = Instant::now();
        let mut to = |agent: &str, name: Option<&str>, from, to| {
            let mut change = change(from, to);
            change.agent = agent.to_owned();
            change.name = name.map(str::to_owned);
            sent(rules.agent(&change, now, noon))
        };
        assert_eq!(to("claude", None, Working, Blocked), ["desktop"]);
        assert_eq!(to("codex", Some("ann"), Working, Blocked), ["desktop"]);
        assert!(to("codex", None, Working, Blocked).is_empty());
        assert_eq!(to("codex", None, Working, Done), ["terminal"]);
        assert!(to("claude", None, Blocked, Working).is_empty());
        assert_eq!(
            rules.message(now, noon),
            Ruling::Silent(Silence::NoRule),
            "messages are no agent's state"
        );
    }

    #[test]
    fn where_the_person_looks_matters_where_a_rule_says_so() {
        let mut rules = rules(
            "[[notify.rule]]\nwhen = 'unfocused'\nsinks = ['desktop']\n\
             [[notify.rule]]\nwhen = 'unattached'\nsinks = ['terminal']\n",
        );
        let now = Instant::now();
        let mut to = |in_front, attached| {
            let mut change = change(Working, Idle);
            (change.in_front, change.attached) = (in_front, attached);
            sent(rules.agent(&change, now, noon))
        };
        assert_eq!(to(false, false), ["desktop", "terminal"]);
        assert_eq!(to(true, false), ["terminal"]);
        assert_eq!(to(false, true), ["desktop"]);
        assert!(to(true, true).is_empty());
    }

    #[test]
    fn quiet_hours_and_the_rate_are_told_apart_and_a_sink_gets_a_thing_once() {
        let text = "[[notify.rule]]\non = ['blocked', 'message']\nquiet_hours = '22:00-07:00'\n\
                    per_minute = 2\ndelay_ms = 500\nsinks = ['desktop', 'desktop']\n\
                    [[notify.rule]]\nsinks = ['desktop']\n";
        let mut rules = rules(text);
        let start = Instant::now();
        assert_eq!(
            rules.message(start, || 23 * 60),
            Ruling::Silent(Silence::Quiet)
        );
        let blocked = change(Working, Blocked);
        let at_once = Ruling::Send(vec![("desktop".to_owned(), Duration::ZERO)]);
        assert_eq!(
            rules.agent(&blocked, start, noon),
            at_once,
            "by either rule"
        );
        let later = Ruling::Send(vec![("desktop".to_owned(), Duration::from_millis(500))]);
        assert_eq!(rules.message(start + Duration::from_secs(1), noon), later);
        let full = start + Duration::from_secs(59);
        assert_eq!(rules.message(full, noon), Ruling::Silent(Silence::Rate));
        assert_eq!(rules.message(start + MINUTE, noon), later, "a minute later");
    }

    proptest::proptest! {
        #[test]
        fn no_minute_ever_has_more_than_its_rate(
            gaps in proptest::collection::vec(0_u64..20_000, 1..200), most in 1_u64..20
        ) {
            let mut rules = rules(&format!("[[notify.rule]]\nper_minute = {most}\nsinks = ['desktop']\n"));
            let start = Instant::now();
            let mut now = start;
            let mut times = Vec::new();
            for gap in gaps {
                now += Duration::from_millis(gap);
                if rules.agent(&change(Working, Blocked), now, noon) != Ruling::Silent(Silence::Rate) {
                    times.push(now);
                }
            }
            for at in &times {
                let within = times.iter().filter(|other| **other >= *at && **other < *at + MINUTE);
                proptest::prop_assert!(within.count() as u64 <= most);
            }
        }
    }
}
