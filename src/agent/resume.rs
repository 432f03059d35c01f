//! The command with which a reporter's session can be opened again (herdr 0.9.2, `resume_argv`).

use serde::{Deserialize, Serialize};

use super::error::AgentError;

/// The most arguments, as the message says.
const MAX_ARGUMENTS: usize = 64;
/// The most bytes of all arguments together, as the message says.
const MAX_BYTES: usize = 8192;

/// A checked command and the reporter it came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ResumeCommand {
    pub(super) source: String,
    pub(super) label: String,
    pub(super) argv: Vec<String>,
}

/// Checks the form of a command, before anything of its report is applied. It is later typed into
/// a shell, hence no control characters and no quotes.
pub(super) fn check(argv: &[String]) -> Result<(), AgentError> {
    let refuse = |message| Err(AgentError::InvalidResumeArgv(message));
    let Some(command) = argv.first() else {
        return refuse("resume_argv must not be empty");
    };
    if argv.len() > MAX_ARGUMENTS {
        return refuse("resume_argv allows at most 64 arguments");
    }
    if argv.iter().map(String::len).sum::<usize>() > MAX_BYTES {
        return refuse("resume_argv allows at most 8192 bytes");
    }
    if argv.iter().any(|word| word.chars().any(char::is_control)) {
        return refuse("resume_argv must not contain control characters");
    }
    if argv.iter().any(|word| word.contains('\'')) {
        return refuse("resume_argv must not contain apostrophes");
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if command.is_empty() || command.starts_with('-') || !command.bytes().all(plain) {
        return refuse("resume_argv must start with a plain command name, not a path");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(argv: &[&str]) -> Option<String> {
        let argv: Vec<String> = argv.iter().map(|word| word.to_string()).collect();
        check(&argv).err().map(|error| {
            assert_eq!(error.code(), "invalid_resume_argv");
            error.message().into_owned()
        })
    }

    #[test]
    fn each_rule_has_its_message() {
        let not_plain = "resume_argv must start with a plain command name, not a path";
        let long = "x".repeat(8192);
        for (argv, expected) in [
            (&[][..], "resume_argv must not be empty"),
            (&["a"; 65], "resume_argv allows at most 64 arguments"),
            (&["a", &long], "resume_argv allows at most 8192 bytes"),
            (
                &["a", "b\n"],
                "resume_argv must not contain control characters",
            ),
            (&["a", "it's"], "resume_argv must not contain apostrophes"),
            (&["/bin/a"], not_plain),
            (&["./a"], not_plain),
            (&["-a"], not_plain),
            (&[""], not_plain),
            (&["a b"], not_plain),
        ] {
            assert_eq!(message(argv).as_deref(), Some(expected), "{argv:?}");
        }
    }

    #[test]
    fn rules_are_checked_in_order() {
        let message = message(&["/bin/a", "it's", "\u{7}"]);
        assert_eq!(
            message.as_deref(),
            Some("resume_argv must not contain control characters")
        );
    }

    #[test]
    fn a_plain_command_passes() {
        assert_eq!(message(&["my-agent_2.0", "--resume", "s 1", "a\"b"]), None);
        assert_eq!(message(&["a"; 64]), None);
    }
}
