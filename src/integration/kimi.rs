//! Kimi Code: its hooks are tables of its TOML configuration, ours between two marks.

use std::path::Path;

use super::Refusal;
use super::hooks::{command, script};
use super::plan::{self, Plan};
use super::target::{Target, Word};

pub(super) const SCRIPT: &str = "hooks/herdr-agent-state.sh";
pub(super) const CONFIG: &str = "config.toml";

/// Around our tables. Whatever is between them is ours.
const BEGIN: &str = "# >>> herdr integration, written by `herdr integration install kimi` >>>";
const END: &str = "# <<< herdr integration <<<";

/// What every version's marks begin with.
const BEGIN_MARK: &str = "# >>> herdr integration";
const END_MARK: &str = "# <<< herdr integration";

/// The tool that asks the person.
const ASKS: &str = "^AskUserQuestion$";
const ALL_OTHERS: &str = "^(?!AskUserQuestion$)";

/// Seconds that Kimi waits for a hook.
const TIMEOUT: u32 = 10;

/// Kimi's events, which tools they are for, and what they tell.
const EVENTS: &[(&str, &str, Word)] = &[
    ("SessionStart", "", Word::Session),
    ("UserPromptSubmit", "", Word::Working),
    ("PreToolUse", ALL_OTHERS, Word::Working),
    ("SubagentStart", "", Word::Working),
    ("PreCompact", "", Word::Working),
    ("PermissionResult", "", Word::Working),
    ("PostToolUse", ASKS, Word::Working),
    ("PostToolUseFailure", ASKS, Word::Working),
    ("PreToolUse", ASKS, Word::Blocked),
    ("PermissionRequest", "", Word::Blocked),
    ("Stop", "", Word::Idle),
    ("Interrupt", "", Word::Idle),
];

pub(super) fn plan_install(target: &Target, folder: &Path, plan: &mut Plan) -> Result<(), Refusal> {
    let script_path = folder.join(SCRIPT);
    let config = folder.join(CONFIG);
    let before = plan::text(&config)?;
    let (kept, _) = without_block(before.as_deref().unwrap_or_default(), &config)?;
    let text = with_block(&kept, &script_path);
    check(&text, &config)?;
    plan.script(script_path.clone(), script(target, ""));
    plan.say(format!(
        "installed kimi integration hook to {}",
        script_path.display()
    ));
    plan.say(format!("ensured kimi config at {}", config.display()));
    plan.settings(config, before, text);
    plan.say("requires kimi code 0.14.0 or newer".to_owned());
    Ok(())
}

pub(super) fn plan_removal(folder: &Path, plan: &mut Plan) -> Result<(), Refusal> {
    let script_path = folder.join(SCRIPT);
    let config = folder.join(CONFIG);
    let before = plan::text(&config)?;
    let (kept, found) = without_block(before.as_deref().unwrap_or_default(), &config)?;
    let shown = script_path.display().to_string();
    plan_line(plan, script_path, &shown);
    let path = config.display();
    plan.say(match found {
        true => format!("removed herdr kimi hook entries from {path}"),
        false => format!("no herdr kimi hook entries found in {path}"),
    });
    if found {
        plan.settings(config, before, kept);
    }
    Ok(())
}

/// The command lines of the hooks in the configuration.
///
/// # Errors
/// It cannot be read.
pub(super) fn registered(config: &Path) -> Result<Vec<String>, Refusal> {
    let text = plan::text(config)?.unwrap_or_default();
    check(&text, config)?;
    let document: toml_edit::DocumentMut = text.parse().unwrap_or_default();
    let hooks = document
        .get("hooks")
        .and_then(toml_edit::Item::as_array_of_tables);
    let commands = hooks
        .into_iter()
        .flatten()
        .filter_map(|hook| hook.get("command")?.as_str());
    Ok(commands.map(str::to_owned).collect())
}

fn plan_line(plan: &mut Plan, script: std::path::PathBuf, shown: &str) {
    let line = match plan.remove(script) {
        true => format!("removed kimi hook at {shown}"),
        false => format!("no kimi hook found at {shown}"),
    };
    plan.say(line);
}

fn with_block(kept: &str, script: &Path) -> String {
    let break_ = if kept.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines = vec![BEGIN.to_owned()];
    for (event, matcher, word) in EVENTS {
        lines.push("[[hooks]]".to_owned());
        lines.push(format!("event = \"{event}\""));
        if !matcher.is_empty() {
            lines.push(format!("matcher = '{matcher}'"));
        }
        let command = toml_edit::Value::from(command(script, *word));
        lines.push(format!("command = {}", command.to_string().trim()));
        lines.push(format!("timeout = {TIMEOUT}"));
        lines.push(String::new());
    }
    lines.pop();
    lines.push(END.to_owned());
    let mut text = kept.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text += break_;
    }
    if !text.trim().is_empty() {
        text += break_;
    }
    for line in lines {
        text += &line;
        text += break_;
    }
    text
}

/// The text without our block, and whether there was one.
fn without_block(text: &str, path: &Path) -> Result<(String, bool), Refusal> {
    let mut kept: Vec<&str> = Vec::new();
    let (mut inside, mut found) = (None, false);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let trimmed = line.trim_start();
        if inside.is_some() {
            if trimmed.starts_with(END_MARK) {
                inside = None;
            }
        } else if trimmed.starts_with(BEGIN_MARK) {
            (inside, found) = (Some(number + 1), true);
            // The empty line that came with it.
            if kept.last().is_some_and(|last| last.trim().is_empty()) {
                kept.pop();
            }
        } else {
            kept.push(line);
        }
    }
    match inside {
        // Whatever follows may be the person's.
        Some(line) => Err(Refusal(format!(
            "kimi config at {} cannot be understood: line {line}, column 1: the herdr block that begins here has no end. nothing was changed",
            path.display()
        ))),
        None => Ok((kept.concat(), found)),
    }
}

/// Whether it is still a configuration, with our tables in it.
fn check(text: &str, path: &Path) -> Result<(), Refusal> {
    let Err(error) = text.parse::<toml_edit::DocumentMut>() else {
        return Ok(());
    };
    let start = error.span().map_or(0, |span| span.start);
    let ours = text.find(BEGIN).is_some_and(|begin| begin < start);
    let why = match ours {
        true => "its hooks are no tables, [[hooks]]".to_owned(),
        false => plan::toml_mistake(text, &error),
    };
    let path = path.display();
    Err(Refusal(format!(
        "kimi config at {path} cannot be read: {why}. nothing was changed"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_goes_in_and_out_and_all_else_stays() {
        let script = Path::new("/home/it's/hooks/x.sh");
        let path = Path::new("config.toml");
        for text in [
            "",
            "# mine\nmodel = \"k\"  # best\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"true\"\n",
            "a = 1\r\n",
            "a = 1",
        ] {
            let with = with_block(text, script);
            check(&with, path).unwrap();
            let value: toml::Table = toml::from_str(&with).unwrap();
            let hooks = value["hooks"].as_array().unwrap();
            let ours: Vec<_> = hooks
                .iter()
                .filter(|hook| hook["command"].as_str() != Some("true"))
                .collect();
            assert_eq!(ours.len(), 12);
            assert_eq!(
                ours[0]["command"].as_str(),
                Some(r"sh '/home/it'\''s/hooks/x.sh' session")
            );
            let (kept, found) = without_block(&with, path).unwrap();
            assert!(found);
            assert_eq!(kept.trim_end(), text.trim_end());
            assert_eq!(with_block(&kept, script), with, "idempotent");
            let (again, found) = without_block(&kept, path).unwrap();
            assert!(!found && again == kept);
        }
    }

    #[test]
    fn what_cannot_be_understood_is_refused_with_its_place() {
        let path = Path::new("/c.toml");
        let said = without_block("a = 1\n# >>> herdr integration >>>\nb = 2\n", path);
        assert!(said.unwrap_err().to_string().contains("line 2, column 1"));
        let script = Path::new("/x.sh");
        let said = check(&with_block("a = 1\nb = = 2\n", script), path);
        assert!(said.unwrap_err().to_string().contains("line 2, column 5"));
        let said = check(&with_block("hooks = []\n", script), path);
        assert!(said.unwrap_err().to_string().contains("no tables"));
    }
}
