//! What a terminal may answer to a program: sequences that no shell takes for a command.
//!
//! A program whose output is shown (a file that somebody prints) chooses the question, and the shell that runs next
//! reads the answer as if it had been typed. So an answer may not contain a newline, nor text of the program's choice.

/// The rest after one permitted answer at the front; none if there is none.
fn after_one(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(b"\x1b")?;
    let (&kind, rest) = rest.split_first()?;
    match kind {
        // A control sequence: numbers, then what they are.
        b'[' => {
            let end = rest.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
            let fine = rest[..end].iter().all(|byte| {
                matches!(
                    byte,
                    b'0'..=b'9' | b';' | b':' | b'?' | b'>' | b'<' | b'=' | b'$' | b' ' | b'"'
                )
            });
            fine.then(|| &rest[end + 1..])
        }
        // A device control string: settings, capabilities in hexadecimal, the terminal's name.
        b'P' => {
            let end = rest.windows(2).position(|pair| pair == b"\x1b\\")?;
            let body = &rest[..end];
            let named = body.starts_with(b">|drover(");
            let setting = body.starts_with(b"1$r") || body == b"0$r" || body.starts_with(b"!|0");
            let capability = body.strip_prefix(b"1+r").or(body.strip_prefix(b"0+r"));
            let hexadecimal = |text: &[u8]| {
                text.iter()
                    .all(|byte| byte.is_ascii_hexdigit() || *byte == b'=')
            };
            let harmless = body
                .iter()
                .all(|byte| byte.is_ascii_graphic() || *byte == b' ');
            let fine = harmless
                && body.len() < 128
                && (named || setting || capability.is_some_and(hexadecimal));
            fine.then(|| &rest[end + 2..])
        }
        // A colour.
        b']' => {
            let end = rest.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
            let fine = rest[..end].iter().all(|byte| {
                byte.is_ascii_hexdigit() || matches!(byte, b';' | b':' | b'/' | b'r' | b'g' | b'b')
            });
            let rest = &rest[end..];
            let rest = rest
                .strip_prefix(b"\x07")
                .or(rest.strip_prefix(b"\x1b\\"))?;
            fine.then_some(rest)
        }
        _ => None,
    }
}

/// # Panics
/// Something else than permitted answers is in there.
pub fn check(replies: &[u8]) {
    let mut rest = replies;
    while !rest.is_empty() {
        rest = after_one(rest).unwrap_or_else(|| {
            panic!(
                "an answer that no terminal gives: {:?}",
                String::from_utf8_lossy(&rest[..rest.len().min(200)])
            )
        });
    }
}
