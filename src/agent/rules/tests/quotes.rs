//! An agent that talks about prompts, its own or another's, waits for nobody.

use super::*;

/// What agents are asked to talk about: the prompts of others, as they stand in documents.
const QUOTES: &[&str] = &[
    "Do you want to proceed?\n❯ 1. Yes\n  2. No\nEsc to cancel · Tab to amend",
    "Press enter to confirm or esc to cancel",
    "△ Permission required\n Allow once   Allow always   Reject",
    "Run this command?\n → Run (once) (y)\n   Skip (esc or n)",
    "Permission Required\n Allow   Allow for Session   Deny",
    "⠏ Waiting for user confirmation...\n › 1. Yes, allow once\n   2. No",
    "✻ Pondering… (4s · esc to interrupt)",
    "Cline needs permission\n[y] Approve   [n] Deny",
];

/// An agent's idle screen with the quote in its transcript: frame before, indent, frame after.
const FRAMES: &[(&str, &str, &str, &str)] = &[
    (
        "claude",
        "● The manual has this:\n",
        "    ",
        "\n● That is all.\n\n──────────────────────\n❯\n──────────────────────\n  ⏵⏵ auto",
    ),
    (
        "codex",
        "• The manual has this:\n\n",
        "    ",
        "\n\n• That is all.\n\n›\n\n  a-model · ~/garden",
    ),
    (
        "devin",
        " The manual has this:\n",
        "    ",
        "\n That is all.\n\n\n────────────\n❭ Ask Devin to build\n────────────\n Context: 3%\n",
    ),
    (
        "maki",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n❯ \n [BUILD] a-model",
    ),
    (
        "opencode",
        " The manual has this:\n",
        "    ",
        "\n That is all.\n┃\n╹▀▀▀▀▀▀\n  ctrl+p commands",
    ),
    (
        "amp",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n╭─ 8% of 272k ──╮\n│               │\n╰─ smart ─ ~/garden ╯",
    ),
    (
        "gemini",
        "✦ The manual has this:\n",
        "    ",
        "\n  That is all.\n\n > type here\n",
    ),
    (
        "kimi",
        "• The manual has this:\n",
        "    ",
        "\n• That is all.\n│ >          │\n context: 3%",
    ),
    (
        "grok",
        " The manual has this:\n",
        "    ",
        "\n That is all.\n│ ❯ │\n Shift+Tab:mode │ Ctrl+.:shortcuts",
    ),
    (
        "pi",
        " The manual has this:\n",
        "    ",
        "\n That is all.\n────────\n\n────────\n ~/garden",
    ),
    (
        "droid",
        " The manual has this:\n",
        "    ",
        "\n That is all.\n\n╭──────╮\n│ >    │\n╰──────╯\n ? for help",
    ),
    (
        "copilot",
        "● The manual has this:\n",
        "    ",
        "\n● That is all.\n\n❯ Type @ to mention files\n",
    ),
    (
        "qodercli",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n\n > type here\n",
    ),
    (
        "qwen",
        "✦ The manual has this:\n",
        "    ",
        "\n  That is all.\n\n >   Type your message or @path/to/file\n",
    ),
    (
        "agy",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n────────────\n>\n────────────\n? for shortcuts   0 tasks",
    ),
    (
        "cline",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n────────────\n❯ Ask anything...\n Plan / Act (Tab)",
    ),
    (
        "cursor",
        " The manual has this:\n",
        "    ",
        "\n That is all.\n\n → Add a follow-up\n   a-model",
    ),
    (
        "hermes",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n❯ \n",
    ),
    (
        "muse",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n\n❯ \n a-model · high · ~/garden",
    ),
    (
        "letta",
        "• The manual has this:\n",
        "    ",
        "\n• That is all.\n────────────\n›\n────────────\n",
    ),
    (
        "kiro",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n ask a question or describe a task ↵\n",
    ),
    (
        "crush",
        "The manual has this:\n",
        "    ",
        "\nThat is all.\n > Ready!\n\n / or ctrl+p commands · ctrl+c quit",
    ),
];

#[test]
fn a_quoted_prompt_is_text() {
    let mut fooled: Vec<String> = Vec::new();
    for (label, before, indent, after) in FRAMES {
        let manifest = shipped(label);
        for quote in QUOTES {
            let quoted: Vec<String> = quote
                .lines()
                .map(|line| format!("{indent}{line}"))
                .collect();
            let screen = format!("{before}{}{after}", quoted.join("\n"));
            let snapshot = Snapshot {
                screen: &screen,
                ..Snapshot::default()
            };
            let verdict = evaluate(kind(label), Some(manifest), &snapshot);
            let why = explain(Some(kind(label)), Some(manifest), &snapshot).matched_rule;
            if verdict.state != AgentState::Idle {
                fooled.push(format!("{label}: {why:?}\n{screen}"));
            }
        }
    }
    assert!(fooled.is_empty(), "{}", fooled.join("\n\n"));
}
