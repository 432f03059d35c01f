//! Questions to the terminal: what a program chose is never in the answer, because the next reader of the answer may
//! be a shell that takes it for typing.

use drover::pane::{Note, Screen, Size};

use super::bodies::replies;

/// What an attacker would like to have typed.
const COMMAND: &str = "rm -rf ~";

fn answers(stream: &str) -> String {
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 100);
    screen.feed(stream.as_bytes());
    let answers = screen.take_replies();
    replies::check(&answers);
    String::from_utf8(answers).expect("text")
}

#[test]
fn no_question_is_answered_with_text_of_the_programs_choice() {
    let hex: String = COMMAND.bytes().map(|byte| format!("{byte:02x}")).collect();
    for question in [
        // Titles, and questions after them.
        format!("\x1b]0;{COMMAND}\r\n\x07\x1b[21t\x1b[20t"),
        format!("\x1b]2;{COMMAND}\x1b\\\x1b[22;0t\x1b[23;0t\x1b[21t"),
        format!("\x1b]l{COMMAND}\x1b\\\x1b]L{COMMAND}\x1b\\\x1b[20t"),
        // Settings and capabilities by names of its own.
        format!("\x1bP$q{COMMAND}\r\x1b\\"),
        format!("\x1bP+q{hex}\x1b\\"),
        format!("\x1bP+q{hex};0d0a;544e\x1b\\"),
        format!("\x1bP+q{COMMAND}\x1b\\"),
        // Colours, clipboards, links, fonts, files.
        format!("\x1b]4;1;{COMMAND}\x07\x1b]4;1;?\x07"),
        format!("\x1b]10;{COMMAND}\x07\x1b]10;?\x07"),
        "\x1b]52;c;cm0gLXJmIH4=\x07\x1b]52;c;?\x07".to_owned(),
        format!("\x1b]8;;{COMMAND}\x07x\x1b]8;;\x07"),
        format!("\x1b]50;{COMMAND}\x07\x1b]50;?\x07"),
        format!("\x1b]1337;ReportVariable={COMMAND}\x07"),
        // Answerback, user-defined keys, checksums and reports of what is on the screen.
        format!("{COMMAND}\x05\x1b[c\x1bZ\x1b[5i\x1b[0c"),
        format!("\x1bP0;1|17/{hex}\x1b\\\x1b[?26n"),
        format!("{COMMAND}\x1b[1;1;1;1;1;9*y\x1b[1$w\x1b[2$w"),
        format!(
            "\x1b_G i=1;{COMMAND}\x1b\\\x1b_{COMMAND}\x1b\\\x1b^{COMMAND}\x1b\\\x1bX{COMMAND}\x1b\\"
        ),
    ] {
        let answered = answers(&question);
        let lower = answered.to_lowercase();
        assert!(
            !answered.contains("rm") && !lower.contains(&hex[..8]),
            "{question:?} -> {answered:?}"
        );
        assert!(
            !answered.contains(['\r', '\n']),
            "{question:?} -> {answered:?}"
        );
    }
}

#[test]
fn honest_questions_are_answered() {
    for (question, answer) in [
        ("\x1b[5n", "\x1b[0n"),
        ("ab\x1b[6n", "\x1b[1;3R"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1bP$qr\x1b\\", "\x1bP1$r1;24r\x1b\\"),
        (
            "\x1bP+q544e\x1b\\",
            "\x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\",
        ),
    ] {
        assert_eq!(answers(question), answer, "{question:?}");
    }
}

#[test]
fn a_clipboard_is_only_ever_written_and_never_told() {
    let mut screen = Screen::new(Size { cols: 80, rows: 24 }, 100);
    screen.feed(b"\x1b]52;c;c2VjcmV0\x07\x1b]52;c;?\x07");
    assert_eq!(screen.take_replies(), b"");
    let text = "secret".to_owned();
    assert_eq!(
        screen.take_notes(),
        [Note::ClipboardWrite {
            primary: false,
            text
        }]
    );
}
