//! What a manifest may say, and which of its rules decides.

use proptest::prelude::*;

use super::*;

fn manifest(rules: &str) -> Manifest {
    Manifest::parse(&format!("id = \"claude\"\n{rules}")).unwrap()
}

fn verdict(rules: &str, screen: &str) -> Verdict {
    let snapshot = Snapshot {
        screen,
        title: "a title",
        progress: "4;3",
    };
    evaluate(kind("claude"), Some(&manifest(rules)), &snapshot)
}

/// Whether a rule with this gate matches.
fn matches(gate: &str, screen: &str) -> bool {
    let rules = format!("[[rules]]\nid = \"it\"\nstate = \"working\"\n{gate}");
    verdict(&rules, screen).state == AgentState::Working
}

#[track_caller]
fn refused(text: &str, why: &str) {
    let error = Manifest::parse(text).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
    assert!(!error.contains('\n'), "one line: {error}");
}

#[test]
fn all_of_a_gate_has_to_hold() {
    let screen = "Alpha beta\ngamma delta";
    assert!(matches("contains = [\"ALPHA\", \"gamma\"]", screen));
    assert!(!matches("contains = [\"alpha\", \"omega\"]", screen));
    assert!(matches("regex = ['beta\\s+gamma']", screen));
    assert!(
        !matches("regex = ['alpha']", screen),
        "patterns mind the case"
    );
    assert!(matches("line_regex = ['^gamma', 'beta$']", screen));
    assert!(!matches("line_regex = ['beta\\s+gamma']", screen));
    assert!(matches(
        "any = [{ contains = [\"x\"] }, { contains = [\"beta\"] }]",
        screen
    ));
    assert!(!matches(
        "any = [{ contains = [\"x\"] }, { contains = [\"y\"] }]",
        screen
    ));
    assert!(!matches(
        "contains = [\"beta\"]\nnot = [{ contains = [\"delta\"] }]",
        screen
    ));
    assert!(matches(
        "all = [{ contains = [\"beta\"] }, { any = [{ regex = ['delta'] }] }]",
        screen
    ));
}

#[test]
fn the_highest_priority_decides_and_of_equals_the_first() {
    let rules = r#"
[[rules]]
id = "low"
state = "idle"
visible_idle = true
contains = ["x"]
[[rules]]
id = "first"
state = "blocked"
priority = 5
visible_blocker = true
contains = ["x"]
[[rules]]
id = "second"
state = "working"
priority = 5
contains = ["x"]
[[rules]]
id = "highest"
state = "working"
priority = 9
contains = ["y"]
"#;
    let found = verdict(rules, "x");
    assert_eq!(
        (found.state, found.visible_blocker),
        (AgentState::Blocked, true)
    );
    let snapshot = Snapshot {
        screen: "x",
        ..Snapshot::default()
    };
    let why = explain(Some(kind("claude")), Some(&manifest(rules)), &snapshot);
    let why = serde_json::to_value(why).unwrap();
    assert_eq!(why["matched_rule"]["id"], "first");
    assert_eq!(why["fallback_reason"], serde_json::Value::Null);
    let matched: Vec<_> = why["evaluated_rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["matched"])
        .collect();
    assert_eq!(matched, [true, true, true, false]);
    assert_eq!(why["evaluated_rules"][3]["evidence"]["contains"][0], "y");
    assert_eq!(why["evaluated_rules"][3]["evidence"]["region_bytes"], 1);
}

#[test]
fn without_a_match_a_known_agent_is_idle_and_codex_keeps_its_state() {
    let nothing = Snapshot::default();
    let rules = manifest("[[rules]]\nid = \"it\"\nstate = \"working\"\ncontains = [\"x\"]\n");
    let of = |label: &str| evaluate(kind(label), Some(&rules), &nothing);
    assert_eq!(
        (of("claude").state, of("claude").keep),
        (AgentState::Idle, false)
    );
    assert!(!of("claude").visible_idle);
    assert_eq!(
        (of("codex").state, of("codex").keep),
        (AgentState::Unknown, true)
    );
    assert!(evaluate(kind("mastracode"), None, &nothing).keep);
    let reason = |label, rules| explain(label, rules, &nothing).fallback_reason;
    assert_eq!(
        reason(Some(kind("claude")), Some(&rules)),
        Some("default_known_agent_idle_fallback")
    );
    assert_eq!(reason(None, None), Some("unknown_agent"));
}

#[test]
fn a_long_region_is_shown_in_part() {
    let long = "ä".repeat(300);
    let rules = manifest("[[rules]]\nid = \"it\"\nstate = \"working\"\ncontains = [\"x\"]\n");
    let snapshot = Snapshot {
        screen: &long,
        ..Snapshot::default()
    };
    let why = serde_json::to_value(explain(None, Some(&rules), &snapshot)).unwrap();
    let evidence = &why["evaluated_rules"][0]["evidence"];
    assert_eq!(evidence["region_bytes"], 600);
    assert_eq!(evidence["region_preview"], "ä".repeat(240) + "...");
}

#[test]
fn what_herdr_does_not_take_is_refused_in_one_line() {
    let rule = "[[rules]]\nid = \"it\"\nstate = \"working\"\n";
    let good = "contains = [\"x\"]\n";
    refused("", "missing field `id`");
    refused("id = \"claude\"\n", "missing field `rules`");
    refused("id = \"claude\"\nrules = []\n", "at least one rule");
    refused(
        &format!("id = \"\"\n{rule}{good}"),
        "`id` must not be empty",
    );
    refused(
        &format!("id = \"claude\"\nextra = 1\n{rule}{good}"),
        "line 2: unknown field `extra`",
    );
    refused(
        &format!("id = \"claude\"\nversion = \"new\"\n{rule}{good}"),
        "dotted numbers",
    );
    refused(
        &format!("id = \"claude\"\nmin_engine_version = 4\n{rule}{good}"),
        "engine 4",
    );
    let of = |body: &str| format!("id = \"claude\"\n{rule}{body}");
    refused(&of("contain = [\"x\"]\n"), "unknown field `contain`");
    refused(
        &of("any = [{ contains = [\"x\"], region = \"osc_title\" }]\n"),
        "unknown field `region`",
    );
    refused(
        &of("region = \"middle\"\ncontains = [\"x\"]\n"),
        "rule it: unknown region middle",
    );
    refused(&of(""), "every gate needs");
    refused(&of("not = [{ contains = [\"x\"] }]\n"), "every gate needs");
    refused(&of("contains = [\"x\"]\nnot = [{}]\n"), "every gate needs");
    refused(&of("contains = [\"\"]\n"), "a matcher is empty");
    refused(&of("regex = ['(']\n"), "rule it: bad pattern");
    refused(&of("regex = ['(?:a{1000}){1000}']\n"), "bad pattern");
    refused(
        &of("skip_state_update = true\ncontains = [\"x\"]\n"),
        "skip_state_update",
    );
    refused(
        "id = \"claude\"\n[[rules]]\nid = \"it\"\nstate = \"done\"\ncontains = [\"x\"]\n",
        "unknown variant `done`",
    );
    refused(
        &format!(
            "id = \"claude\"\nmin_engine_version = 2\n{rule}region = \"top_non_empty_lines(2)\"\n{good}"
        ),
        "needs min_engine_version = 3",
    );
}

#[test]
fn size_has_its_limits() {
    let rule = |body: &str| format!("[[rules]]\nid = \"it\"\nstate = \"working\"\n{body}\n");
    let file = |rules: &str| format!("id = \"claude\"\n{rules}");
    let one = rule("contains = [\"x\"]");
    assert!(Manifest::parse(&file(&one.repeat(128))).is_ok());
    refused(&file(&one.repeat(129)), "more than 128 rules");
    let list = |count: usize| vec!["\"x\""; count].join(",");
    assert!(Manifest::parse(&file(&rule(&format!("contains = [{}]", list(32))))).is_ok());
    refused(
        &file(&rule(&format!("contains = [{}]", list(33)))),
        "more than 32 matchers",
    );
    refused(
        &file(&rule(&format!("contains = [{}]", list(32))).repeat(33)),
        "more than 1024 matchers",
    );
    let gates = vec!["{ contains = [\"x\"] }"; 512].join(",");
    refused(
        &file(&rule(&format!("any = [{gates}]"))),
        "more than 512 gates",
    );
    let long = "x".repeat(512);
    assert!(Manifest::parse(&file(&rule(&format!("contains = [\"{long}\"]")))).is_ok());
    refused(
        &file(&rule(&format!("contains = [\"{long}x\"]"))),
        "more than 512 characters",
    );
    let nested = |depth: usize| {
        let mut gate = "contains = [\"x\"]".to_owned();
        for _ in 0..depth {
            gate = format!("all = [{{ {gate} }}]");
        }
        file(&rule(&gate))
    };
    assert!(Manifest::parse(&nested(8)).is_ok());
    refused(&nested(9), "deep");
    // Deeper than the TOML reader goes.
    refused(&nested(100), "recurse");
    refused(&"#".repeat(256 * 1024 + 1), "bytes");
}

proptest! {
    /// Whatever a screen, a title or a file holds, evaluation ends, and an explanation never
    /// contradicts it.
    #[test]
    fn explanation_and_verdict_agree_on_every_screen(
        at in 0_usize..BUNDLE.len(),
        lines in prop::collection::vec("[ -~›•■─❯✻⠋△│0-9\\p{L}]{0,40}", 0..30),
        title in "[ -~⠋◐✳]{0,20}",
    ) {
        let (label, manifest) = &SHIPPED[at];
        let screen = lines.join("\n");
        let snapshot = Snapshot { screen: &screen, title: &title, progress: "4;0" };
        let verdict = evaluate(kind(label), Some(manifest), &snapshot);
        let why = explain(Some(kind(label)), Some(manifest), &snapshot);
        prop_assert_eq!(verdict.state.as_str(), why.state);
        prop_assert_eq!(verdict.keep, why.skip_state_update);
        prop_assert_eq!(verdict.fallback.map(Fallback::reason), why.fallback_reason);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[ -~\n\\[\\]{}=\"]{0,400}") {
        let _ = Manifest::parse(&text);
    }
}
