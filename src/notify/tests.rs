//! The notifier as the daemon uses it, and what its files' tests share.

use std::sync::Mutex;
use std::sync::mpsc;

use super::*;
use crate::api::records::AgentStatus::{self, Blocked, Done, Working};
use crate::config::Config;

/// The agent of pane 7 goes from one state to another.
pub(super) fn change(from: AgentStatus, to: AgentStatus) -> Transition {
    Transition {
        pane: 7,
        pane_id: "w1:p1".to_owned(),
        workspace: "api".to_owned(),
        agent: "claude".to_owned(),
        name: None,
        display: None,
        from,
        to,
        left: false,
        asks: None,
        message: None,
        in_front: false,
        attached: false,
    }
}

struct Screens {
    shown: Mutex<mpsc::Sender<String>>,
    count: usize,
}

impl Terminals for Screens {
    fn show(&self, note: &Note) -> usize {
        lock(&self.shown).send(note.title.clone()).unwrap();
        self.count
    }
}

fn notifier(text: &str, screens: usize) -> (Notifier, mpsc::Receiver<String>) {
    let loaded = config::read(text, &Config::default());
    assert_eq!(loaded.diagnostics, []);
    let notifier = Notifier::new(&loaded.config, Store::nowhere());
    let (shown, titles) = mpsc::channel();
    notifier.show_in(Arc::new(Screens {
        shown: Mutex::new(shown),
        count: screens,
    }));
    (notifier, titles)
}

fn message(title: &str) -> Message {
    Message {
        title: title.to_owned(),
        ..Message::default()
    }
}

#[test]
fn without_a_rule_nobody_listens_and_a_message_is_not_shown() {
    let (notifier, _) = notifier("", 1);
    assert!(!notifier.listens());
    assert_eq!(notifier.message(&message("a")), Shown::Disabled);
}

#[test]
fn shown_is_said_only_of_what_a_sink_took() {
    let delivery = "ui.toast.delivery = 'terminal'";
    let (notifier, titles) = notifier(delivery, 0);
    assert_eq!(notifier.message(&message("a")), Shown::Nobody);
    assert_eq!(
        notifier.message(&message("b")),
        Shown::Nobody,
        "what nobody saw holds nothing back"
    );
    drop(notifier);
    let (notifier, more) = super::tests::notifier(delivery, 2);
    assert_eq!(notifier.message(&message("c")), Shown::Yes);
    assert_eq!(notifier.message(&message("d")), Shown::TooSoon);
    let got: Vec<String> = titles.try_iter().chain(more.try_iter()).collect();
    assert_eq!(got, ["a", "b", "c"]);
}

#[test]
fn a_setting_of_herdrs_alone_tells_of_agents_elsewhere() {
    let (notifier, titles) = notifier("ui.toast.delivery = 'terminal'", 1);
    assert!(notifier.listens());
    notifier.agent(&change(Working, Done));
    assert_eq!(titles.recv().unwrap(), "claude is done");
    let mut front = change(Working, Blocked);
    front.in_front = true;
    notifier.agent(&front);
    assert!(lock(&notifier.state).outboxes["terminal"].is_empty());
}

#[test]
fn a_sink_that_a_reload_leaves_alone_keeps_what_waits_in_it() {
    let text = |name: &str| {
        format!(
            "[[notify.rule]]\ndelay_ms = 60000\nsinks = ['{name}', 'terminal']\n\
             [[notify.sink]]\nname = '{name}'\nkind = 'command'\ncommand = ['true']\n"
        )
    };
    let (notifier, _) = notifier(&text("a"), 1);
    notifier.agent(&change(Working, Blocked));
    let waits = |name: &str| {
        let state = lock(&notifier.state);
        state
            .outboxes
            .get(name)
            .is_some_and(|outbox| !outbox.is_empty())
    };
    assert!(waits("a") && waits("terminal"));
    notifier.configure(&config::read(&text("a"), &Config::default()).config);
    assert!(waits("a") && waits("terminal"));
    notifier.configure(&config::read(&text("b"), &Config::default()).config);
    assert!(!waits("a") && waits("terminal"));
}

#[test]
fn a_test_goes_through_every_sink_and_says_which_are_used() {
    let text = "[[notify.rule]]\nsinks = ['a']\n\
                [[notify.sink]]\nname = 'a'\nkind = 'command'\ncommand = ['true']\n\
                [[notify.sink]]\nname = 'b'\nkind = 'command'\ncommand = ['false']\n";
    let (notifier, titles) = notifier(text, 1);
    let found = notifier.test(None).unwrap();
    let terminal = found.iter().find(|test| test.sink == "terminal").unwrap();
    assert_eq!(terminal.outcome.as_deref(), Ok("shown in one terminal"));
    assert_eq!(titles.recv().unwrap(), "drover can reach you");
    let a = &notifier.test(Some("a")).unwrap()[..];
    assert!(
        matches!(
            a,
            [Tested {
                used: true,
                outcome: Ok(_),
                kind: "command",
                ..
            }]
        ),
        "{a:?}"
    );
    let b = &notifier.test(Some("b")).unwrap()[0];
    assert_eq!(
        (b.used, b.outcome.clone()),
        (false, Err("false failed: exit code 1".to_owned()))
    );
    assert_eq!(notifier.test(Some("c")), None);
}
