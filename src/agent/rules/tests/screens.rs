//! Screens of stand-in agents, composed here, and what each of them tells.

use super::*;

/// One moment of a stand-in: its title, its progress, its screen, and what it should be taken for.
struct Moment(&'static str, &'static str, &'static str, &'static str);

fn told(label: &str, moment: &Moment) -> String {
    let Moment(title, progress, screen, _) = moment;
    let snapshot = Snapshot {
        screen: screen.trim_start_matches('\n'),
        title,
        progress,
    };
    let verdict = evaluate(kind(label), Some(shipped(label)), &snapshot);
    let mut words = vec![if verdict.keep {
        "keep"
    } else {
        verdict.state.as_str()
    }];
    if verdict.visible_blocker || verdict.visible_idle {
        words.push("visible");
    }
    words.join(" ")
}

#[track_caller]
fn check(label: &str, moments: &[Moment]) {
    for moment in moments {
        assert_eq!(
            told(label, moment),
            moment.3,
            "{label}, title {:?}:\n{}",
            moment.0,
            moment.2
        );
    }
}

const CLAUDE_BOX: &str = "
● The parser reads 40 files a second now.

────────────────────────────────────────
❯ and what about the tests
────────────────────────────────────────
  ⏸ plan mode on (shift+tab to cycle)";

#[test]
fn claude() {
    check(
        "claude",
        &[
            Moment("✳ Speed", "4;0", CLAUDE_BOX, "idle"),
            Moment("◓ Speed", "", CLAUDE_BOX, "working"),
            Moment("⠂ Speed", "", CLAUDE_BOX, "working"),
            Moment(
                "bash",
                "",
                "
● Reading.

✶ Untangling threads… (esc to interrupt · 12s)
  ⎿ Next: count the cores

──────────────────── slow-parser ──
❯
──────────────────────────────────
  ⏵⏵ auto-accept",
                "working",
            ),
            Moment(
                "bash",
                "",
                "
● Read everything.

✽ Simmered for 2m 4s

──────────────────────────────────
❯
──────────────────────────────────",
                "idle",
            ),
            Moment(
                "bash",
                "",
                "
● The log says:
    ✽ Dreaming… (3s)
● So it was busy then.
──────────────────────────────────
❯
──────────────────────────────────",
                "idle",
            ),
            Moment(
                "bash",
                "",
                "
  Waiting for 2 background
  agents to finish

──────────────────────────────────
❯
──────────────────────────────────",
                "working",
            ),
            Moment(
                "bash",
                "",
                "
✻ Waiting for 0 background agents to finish
──────────────────────────────────
❯
──────────────────────────────────
  3 shells",
                "idle",
            ),
            Moment(
                "bash",
                "",
                "
──────────────────────────────────
❯
──────────────────────────────────
  ⏵⏵ accept edits on · esc to interrupt",
                "working",
            ),
            Moment(
                "✳ Clean",
                "4;3",
                "
● Removing the old build.
──────────────────────────────────
 Bash command

   make distclean

 Do you want to proceed?
   1. Yes
 ❯ 2. Yes, and don't ask again
   3. No, and say what to do instead

 Esc to cancel · ctrl+e to explain",
                "blocked visible",
            ),
            Moment(
                "✳ Colours",
                "",
                "
──────────────────────────────────
 ☐ Palette

 Which palette should the chart have?

 ❯ 1. Earth
   2. Sea
──────────────────────────────────
   3. Chat about this

 Enter to select · Tab/Arrow keys to navigate · Esc to cancel",
                "blocked visible",
            ),
            Moment(
                "claude",
                "",
                "
──────────────────────────────────
 Do you trust the files in this folder?

 /srv/garden

 ❯ 1. Yes, proceed
   2. No, exit

 Enter to confirm · Esc to cancel",
                "blocked visible",
            ),
            Moment(
                "claude",
                "",
                "
──────────────────────────────────
 Theme

 ❯ 1. Dark
   2. Light

 Enter to select · Esc to cancel",
                "keep",
            ),
            Moment(
                "zsh",
                "",
                "
✽ Brooding… (9s)
  and more
──────────────────────────────────
  Showing detailed transcript · ctrl+o to toggle",
                "keep",
            ),
            Moment(
                "✳ Done",
                "",
                "
 Do you want to proceed?
 ❯ 1. Yes
   2. No
 Esc to cancel · Tab to amend
──────────────────────────────────
❯
──────────────────────────────────",
                "idle",
            ),
        ],
    );
}

#[test]
fn codex() {
    check(
        "codex",
        &[
            Moment(
                "garden",
                "",
                "
• Read the beds
  └ rows.txt

• Counting seeds (1m 02s • esc to interrupt)

› water them
  and weed

  a-model · ~/garden",
                "working",
            ),
            Moment(
                "garden",
                "",
                "
◦ Counting (3s • es…

• Queued follow-up inputs
  ↳ then stop

›

  a-model",
                "working",
            ),
            Moment(
                "garden",
                "",
                "
• Counting seeds (14s • esc to interrupt)
■ Conversation interrupted

›

  a-model · ~/garden",
                "idle",
            ),
            Moment(
                "garden",
                "",
                "
• Counting seeds (14s • esc to interrupt)

• There are forty.

› how sure (12s • esc to interrupt) are you
  a-model",
                "idle",
            ),
            Moment("⠼ garden", "", "› \n\n  a-model", "working"),
            Moment("[ ! ] Action Required", "", "› \n\n  a-model", "blocked"),
            Moment(
                "garden",
                "",
                "
• Running
  Would you like to run this?
  $ rm seeds.txt

› 1. Yes, proceed (y)
  2. No, and tell it what to do (esc)

  Press enter to confirm or esc to cancel",
                "blocked visible",
            ),
            Moment("garden", "", "loading tools\n", "keep"),
            Moment(
                "garden",
                "",
                "
 / TRANSCRIPT /
 old text
 ↑/↓ to scroll   pgup/pgdn to page   home/end to jump
 q to quit   esc to edit prev",
                "keep",
            ),
            Moment(
                "",
                "",
                "
> You are in /srv/garden

  Do you trust the contents of this
  directory?

› 1. Yes, continue
  2. No, quit",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn gemini() {
    check(
        "gemini",
        &[
            Moment("◇  Ready (garden)", "", "\n > \n", "idle visible"),
            Moment("✦  Digging", "", "\n > \n", "working"),
            Moment(
                "Gemini CLI (garden)",
                "",
                "\n ⠧ Digging a hole (esc to cancel, 4s)\n\n > \n",
                "working",
            ),
            Moment(
                "Gemini CLI (garden)",
                "",
                "
 │ Allow execution of: 'spade'?
 │ ● 1. Yes, allow once
 │   2. No, suggest changes (esc to cancel)
 ⠏ Waiting for user confirmation...",
                "blocked visible",
            ),
            Moment("✋  Action Required (garden)", "", "\n > \n", "blocked"),
            Moment(
                "Gemini CLI (garden)",
                "",
                "
✦ The manual says (esc to cancel, soon) somewhere.
 > type here",
                "idle",
            ),
        ],
    );
}

#[test]
fn cursor() {
    check(
        "cursor",
        &[
            Moment(
                "",
                "",
                "\n → Add a follow-up\n   a-model · Run Everything\n",
                "idle",
            ),
            Moment(
                "",
                "",
                "\n ⬢ Reading 3 files  1.2k tokens\n\n → Add a follow-up      ctrl+c to stop\n",
                "working",
            ),
            Moment("", "", "\n ⠞⠆ Composing\n\n → Add a follow-up\n", "working"),
            Moment(
                "",
                "",
                "
 Run this command?
 Not in allowlist: spade --deep
  → Run (once) (y)
    Add to allowlist (tab)
    Skip (esc or n)",
                "blocked visible",
            ),
            Moment(
                "",
                "",
                "\n I pressed (y) once.\n → Add a follow-up\n",
                "idle",
            ),
            Moment(
                "",
                "",
                "\n → Add a follow-up\n  0 background tasks\n",
                "idle",
            ),
        ],
    );
}

#[test]
fn devin() {
    check(
        "devin",
        &[
            Moment(
                "",
                "",
                "\n⣿⣿⣿ hello\n────────────\n❭ Ask Devin to build something\n────────────\n Context: 3%",
                "idle visible",
            ),
            Moment(
                "",
                "",
                "\n Running tools  14s (esc to interrupt)\n────────────\n❭ Guide Devin while it works\n────────────\n",
                "working",
            ),
            Moment(
                "",
                "",
                "
 Write file bed.txt
 1 Yes (Approve once)
 2 Yes (Approve for this session)
 3 No

 ↑↓ select   ↵ confirm   esc cancel",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn agy() {
    check(
        "agy",
        &[
            Moment(
                "",
                "",
                "\n────────────\n>\n────────────\n? for shortcuts   0 tasks",
                "idle visible",
            ),
            Moment(
                "",
                "",
                "\n⣷ Search the shed\n────────────\n>\n────────────\n esc to cancel",
                "working",
            ),
            Moment(
                "",
                "",
                "
Requesting permission for: spade
 $ spade --deep
 Do you want to proceed?
 > 1. Yes
   2. No",
                "blocked visible",
            ),
            Moment(
                "",
                "",
                "\n● Shed(door) done\n────────────\n>\n────────────\n? for shortcuts · 2 tasks",
                "working",
            ),
        ],
    );
}

#[test]
fn cline() {
    check(
        "cline",
        &[
            Moment(
                "",
                "",
                "\n────────────\n❯ Ask anything...\n Plan / Act (Tab)",
                "idle",
            ),
            Moment(
                "",
                "",
                "\n⠸ Digging (esc to cancel)\n────────────\n❯\n Plan / Act (Tab)",
                "working",
            ),
            Moment(
                "",
                "",
                "
Cline needs permission
 spade --deep
 [y] Approve   [n] Deny",
                "blocked visible",
            ),
            Moment(
                "",
                "",
                "\n[thinking] about digging\n────────────\n❯\n Plan / Act (Tab)",
                "idle",
            ),
        ],
    );
}

#[test]
fn copilot() {
    check(
        "copilot",
        &[
            Moment(
                "",
                "",
                "\n❯ Type @ to mention files\n Remaining requests: 80%",
                "idle",
            ),
            Moment(
                "",
                "",
                "\n◉ Digging (Esc to cancel · 1.1 KiB)\n\n❯ \n",
                "working",
            ),
            Moment("", "", "\n○ Digging  esc interrupt\n❯ \n", "working"),
            Moment(
                "",
                "",
                "
╭──────────────────────╮
│ Allow access to /srv?  │
│ ❯ 1. Yes               │
│   2. No (Esc)          │
╰──────────────────────╯
 ↑↓ to navigate · enter to select · esc to cancel",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn kiro() {
    check(
        "kiro",
        &[
            Moment(
                "kiro: garden",
                "",
                "\n ask a question or describe a task ↵\n",
                "idle visible",
            ),
            Moment(
                "◑ kiro: garden",
                "",
                "\n ask a question or describe a task ↵\n",
                "working",
            ),
            Moment(
                "",
                "4;3",
                "\n ask a question or describe a task ↵\n",
                "working",
            ),
            Moment(
                "",
                "",
                "\n Kiro is working · type to queue a message\n",
                "working",
            ),
            Moment(
                "kiro: garden",
                "",
                "
 shell requires approval
 ❯ Yes, single permission
   Trust, always allow
   No (Tab to edit)
 ESC to close",
                "blocked visible",
            ),
            Moment(
                "",
                "",
                "\n ● 1 MCP failure\n ask a question or describe a task ↵\n",
                "idle visible",
            ),
        ],
    );
}

#[test]
fn droid() {
    check(
        "droid",
        &[
            Moment(
                "",
                "",
                "\n╭──────╮\n│ >    │\n╰──────╯\n ? for help",
                "idle",
            ),
            Moment(
                "",
                "",
                "\n ⠴ Thinking... (Press ESC to stop)\n╭──────╮\n│ >    │\n╰──────╯\n ? for help",
                "working",
            ),
            Moment(
                "",
                "",
                "
 EXECUTE (spade --deep, impact: high)
 > Yes, allow
   No, cancel
 ↑↓ to navigate · Enter to select · Esc to cancel",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn amp() {
    check(
        "amp",
        &[
            Moment(
                "Beds - amp - garden",
                "",
                "\n╭─ 8% of 272k ──╮\n│               │\n╰─ smart ─ ~/garden ╯",
                "idle visible",
            ),
            Moment(
                "⠋ Beds - amp - garden",
                "",
                "\n╭─ 8% of 272k ──╮\n│               │\n╰─ smart ─ ~/garden ╯",
                "working",
            ),
            Moment(
                "",
                "",
                "\n╭─ 8% of 272k ──╮\n│               │\n╰─ smart ─ streaming ╯",
                "working",
            ),
            Moment(
                "",
                "",
                "
Run this command?
 spade --deep
 ▸ Approve
   Allow All for This Session
   Deny with feedback",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn grok() {
    check(
        "grok",
        &[
            Moment(
                "beds - grok",
                "4;1;-1",
                "\n│ ❯ │\n Shift+Tab:mode │ Ctrl+.:shortcuts",
                "idle visible",
            ),
            Moment(
                "beds - grok",
                "",
                "\n Digging 4s [stop]\n│ ❯ │\n Shift+Tab:mode │ Esc:cancel",
                "working",
            ),
            Moment(
                "beds - grok",
                "",
                "\n 1 command still running\n\n│ ❯ │\n Shift+Tab:mode",
                "working",
            ),
            Moment(
                "beds - grok",
                "",
                "
┃ Run spade --deep
┃ 1 (●) Yes, proceed
┃ 2 (○) No
 1/2:select │ Ctrl+c:cancel │ Ctrl+o:yolo",
                "blocked visible",
            ),
            Moment("⚠ Action Required", "", "\n│ ❯ │\n", "blocked"),
            Moment(
                "beds - grok",
                "",
                "\n I said Yes, proceed yesterday.\n│ ❯ │\n Shift+Tab:mode",
                "idle visible",
            ),
        ],
    );
}

#[test]
fn hermes() {
    check(
        "hermes",
        &[
            Moment("✓ beds", "", "\n❯ \n", "idle visible"),
            Moment("⏳ beds", "", "\n❯ \n", "working"),
            Moment("⚠\u{fe0f} beds", "", "\n❯ \n", "blocked visible"),
            Moment(
                "",
                "",
                "\n Deny\n Allow once\n msg=interrupt · /queue\n",
                "working",
            ),
            Moment(
                "",
                "",
                "
 Dangerous command: spade --deep
 ❯ Allow once
   Allow for this session
   Deny
 ↑/↓ to select, Enter to confirm",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn qodercli_and_qwen() {
    check(
        "qodercli",
        &[
            Moment("", "", "\n │ > Type a message │\n", "idle"),
            Moment(
                "",
                "",
                "\n ⠹ Digging (esc to cancel, 9s)\n\n │ > │\n",
                "working",
            ),
            Moment(
                "",
                "",
                "\n ● 1. Yes, allow once\n   2. No\n ⠏ Waiting for user confirmation...\n",
                "blocked visible",
            ),
        ],
    );
    check(
        "qwen",
        &[
            Moment(
                "garden",
                "",
                "\n >   Type your message or @path/to/file\n",
                "idle",
            ),
            Moment(
                "◐ garden",
                "",
                "\n >   Type your message or @path/to/file\n",
                "working",
            ),
            Moment(
                "✳ garden",
                "",
                "\n >   Type your message or @path/to/file\n",
                "blocked",
            ),
            Moment(
                "",
                "4;3",
                "\n >   Type your message or @path/to/file\n",
                "working",
            ),
            Moment(
                "",
                "",
                "\n ⠙ Je creuse\n (1m 2s · esc to cancel)\n\n >   Tapez\n",
                "working",
            ),
            Moment(
                "◐ garden",
                "",
                "
 Commande shell
 › 1. Oui, une fois
   2. Non
 ↑/↓: choisir · Enter: valider
 >   Tapez",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn maki_and_letta() {
    check(
        "maki",
        &[
            Moment("", "", "\n❯ \n [BUILD] a-model", "idle visible"),
            Moment("", "", "\n❯ \n ⠋⠙ [PLAN] a-model", "working"),
            Moment(
                "",
                "",
                "\n Permission required: spade\n y allow   n deny   a always\n",
                "blocked visible",
            ),
            Moment("", "", "\n❯ queue another prompt\n a-mod", "working"),
        ],
    );
    check(
        "letta",
        &[
            Moment("letta", "", "\n────────────\n›\n────────────\n", "idle"),
            Moment(
                "letta",
                "",
                "\n────────────\n› dig a ho\n────────────\n",
                "keep",
            ),
            Moment(
                "⠹ letta",
                "",
                "\n────────────\n› dig\n────────────\n",
                "working",
            ),
            Moment(
                "letta",
                "4;3",
                "\n────────────\n›\n────────────\n",
                "blocked",
            ),
            Moment(
                "letta",
                "",
                "\n✻ Thinking…\n• Forty.\n────────────\n› Try \"dig\"\n────────────\n",
                "idle",
            ),
            Moment(
                "letta",
                "",
                "\n Fern is thinking… (esc to interrupt · 3s)\n────────────\n›\n────────────\n",
                "working",
            ),
            Moment(
                "letta",
                "",
                "\n Run this command?\n ❯ Yes\n   No\n Enter to select · Esc to cancel\n",
                "blocked visible",
            ),
        ],
    );
}

#[test]
fn muse() {
    check(
        "muse",
        &[
            Moment(
                "garden",
                "",
                "\n◆ Worked for 41s\n\n❯ \n a-model · high · ~/garden",
                "idle",
            ),
            Moment("⠧ garden", "", "\n❯ \n", "working"),
            Moment(
                "garden",
                "",
                "\n◇ Digging (41s · esc to interrupt)\n\n⟩ \n",
                "working",
            ),
            Moment(
                "⠧ garden",
                "",
                "\n Which bed?\n ❯ The left\n Enter to select · Tab for an optional note · Esc to interrupt\n",
                "blocked visible",
            ),
            Moment(
                "⠧ garden",
                "",
                "\n Settings\n enter confirm   esc go back\n",
                "keep",
            ),
        ],
    );
}

#[test]
fn those_that_report_by_themselves() {
    check(
        "opencode",
        &[
            Moment(
                "OC | Beds",
                "",
                "\n┃ \n╹▀▀▀▀▀▀▀▀\n  ctrl+t variants  ctrl+p commands",
                "idle visible",
            ),
            Moment(
                "OC | Beds",
                "",
                "\n┃ \n╹▀▀▀▀▀▀▀▀\n ⬝⬝■■■■⬝⬝  esc interrupt   ctrl+p commands",
                "working",
            ),
            Moment(
                "OC | Beds",
                "",
                "\n ⬝■■■■⬝  esc interrupt\n┃ △ Permission required\n┃   # Digging\n┃ Allow once   Allow always   Reject",
                "blocked visible",
            ),
            Moment("OpenCode", "", "\n loading\n", "keep"),
        ],
    );
    check(
        "kilo",
        &[
            Moment("", "", "\n┃ Ask anything... \n", "idle visible"),
            Moment("", "", "\n ■■■⬝⬝ esc interrupt\n", "working"),
            Moment("", "", "\n △ Permission required\n", "blocked visible"),
        ],
    );
    check(
        "kimi",
        &[
            Moment(
                "",
                "",
                "\n• A 🌘 stands for dusk.\n│ >          │\n context: 3%",
                "idle",
            ),
            Moment("", "", "\n 🌘\n│ >          │\n context: 3%", "working"),
            Moment(
                "",
                "",
                "\n ⠼ Using Shell (spade)\n│ >          │\n context: 3%",
                "working",
            ),
            Moment(
                "",
                "",
                "\n▶ Run this command?\n  spade --deep\n❯ 1 approve once\n  3 reject\n ▲/▼ select  1/2/3/4 choose  ↵ confirm",
                "blocked visible",
            ),
        ],
    );
    check(
        "pi",
        &[
            Moment(
                "π - garden",
                "",
                "\n────────\n\n────────\n ~/garden",
                "idle",
            ),
            Moment(
                "π - garden",
                "",
                "\n⠏ Working...\n────────\n\n────────\n",
                "working",
            ),
            Moment(
                "π - garden",
                "",
                "\n─── ⠏ Working ────────\n\n────────\n",
                "working",
            ),
        ],
    );
    check(
        "omp",
        &[
            Moment("π > beds", "", "\n ~/garden\n", "idle"),
            Moment("π ⠧ beds", "", "\n ~/garden\n", "working"),
            Moment(
                "π > beds",
                "",
                "\n ⠧ Digging deeper ⟦esc⟧\n ~/garden\n",
                "working",
            ),
            Moment(
                "π ⠧ beds",
                "",
                "\n ▸ Approve\n   Deny\n ↑↓ navigate  enter select  esc cancel\n",
                "blocked visible",
            ),
        ],
    );
    check(
        "crush",
        &[
            Moment(
                "crush ~/garden",
                "",
                "\n > Ready for instructions\n\n / or ctrl+p commands · ctrl+c quit",
                "idle visible",
            ),
            Moment(
                "crush ~/garden",
                "",
                "\n ::: Brrrrr...\n\n esc cancel · ctrl+c quit",
                "working",
            ),
            Moment(
                "crush ~/garden",
                "",
                "\n ╱ Permission Required ╱╱╱\n Tool Bash\n   Allow   Allow for Session   Deny\n",
                "blocked visible",
            ),
        ],
    );
    check(
        "xcsh",
        &[
            Moment("", "", "\n⠋ Working...\n", "working"),
            Moment("", "", "\n>\n", "idle"),
        ],
    );
}
