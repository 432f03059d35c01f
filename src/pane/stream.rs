//! Bytes of a PTY in, prints and dispatches out.
//!
//! Escape sequences are parsed by `vte`; text between them never gets there. Printable ASCII goes
//! to the grid a run at a time, and UTF-8 is decoded here, cut anywhere. That needs to know when
//! the parser is between sequences, and `vte` does not say; it is known because the parser is only
//! ever entered with an ESC and stopped right after a callback that returns it to its ground
//! state. The one sequence that ends without a callback is a malformed CSI; text after it goes
//! through the parser until its first printed character proves that it is in ground state again.

use vte::{Parser, Perform};

use super::checkpoint::{CheckpointError, Reader, Writer};
use super::dispatch::{self, Dispatch, Outcome, PARAMETERS_MAX};
use super::engine::Engine;
use super::utf8::{self, Decoded};

const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const ESC: u8 = 0x1b;
/// String terminator as one byte, which the parser knows within DCS only.
const ST: u8 = 0x9c;

/// Bytes of an operating system command. Titles and addresses are short; `vte` would keep
/// whatever comes.
const OSC_MAX: usize = 64 * 1024;

/// The same of one that sets a clipboard (OSC 52).
const CLIPBOARD_MAX: usize = 1024 * 1024;

/// Bytes given to the parser at once, so that an OSC is cut soon after its limit.
const SLICE: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between sequences, the parser too.
    Ground,
    /// The parser is, or may be, within a sequence.
    Sequence,
    /// The rest of a string that was too long is thrown away.
    Discard,
}

/// An operating system command that is being read.
#[derive(Debug, Clone, Copy, Default)]
struct Command {
    length: usize,
    start: [u8; 3],
}

impl Command {
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.start.get_mut(self.length) {
            *slot = byte;
        }
        self.length += 1;
    }

    fn is_too_long(&self) -> bool {
        self.length
            > if self.start == *b"52;" {
                CLIPBOARD_MAX
            } else {
                OSC_MAX
            }
    }
}

/// The parsing side of one terminal.
pub(super) struct Stream {
    parser: Parser,
    state: State,
    /// Start of a UTF-8 character whose rest has not come yet.
    partial: [u8; 4],
    partial_length: usize,
    /// The parser has just seen an ESC, and nothing that says what it begins.
    after_escape: bool,
    command: Option<Command>,
    /// The parser has collected a long command and would keep the memory.
    swollen: bool,
    /// What the parser was given since the latest ESC, while it is within a sequence: given to a
    /// new parser, it brings that to the same state. Of strings other than operating system
    /// commands, whose bytes the parser does not keep either, only the start.
    sequence: Vec<u8>,
}

impl Stream {
    pub(super) fn new() -> Stream {
        Stream {
            parser: Parser::new(),
            state: State::Ground,
            partial: [0; 4],
            partial_length: 0,
            after_escape: false,
            command: None,
            swollen: false,
            sequence: Vec::new(),
        }
    }

    /// Writes where in the stream this is.
    pub(super) fn save(&self, writer: &mut Writer) {
        writer.byte(match self.state {
            State::Ground => 0,
            State::Sequence => 1,
            State::Discard => 2,
        });
        writer.bytes(&self.partial[..self.partial_length]);
        writer.bytes(&self.sequence);
    }

    /// Reads what [`Stream::save`] wrote.
    pub(super) fn restore(reader: &mut Reader) -> Result<Stream, CheckpointError> {
        let mut stream = Stream::new();
        stream.state = match reader.byte()? {
            0 => State::Ground,
            1 => State::Sequence,
            2 => State::Discard,
            _ => return Err(CheckpointError::Damaged),
        };
        let partial = reader.bytes(stream.partial.len() - 1)?;
        if !partial.is_empty() && utf8::decode(partial) != Decoded::Incomplete {
            return Err(CheckpointError::Damaged);
        }
        stream.partial[..partial.len()].copy_from_slice(partial);
        stream.partial_length = partial.len();
        let sequence = reader.bytes(CLIPBOARD_MAX + SLICE)?;
        let fits = match stream.state {
            State::Sequence => sequence.first() == Some(&ESC),
            State::Ground | State::Discard => sequence.is_empty(),
        };
        if !fits {
            return Err(CheckpointError::Damaged);
        }
        // What its commands did they have done.
        stream.parser.advance(&mut Deaf, sequence);
        stream.watch(sequence);
        stream.remember(sequence);
        Ok(stream)
    }

    /// Whether the next byte is text or begins something, and is not part of a sequence.
    pub(super) fn is_between_sequences(&self) -> bool {
        self.state == State::Ground
    }

    /// Whether the next byte may complete a character.
    pub(super) fn is_within_character(&self) -> bool {
        self.partial_length > 0
    }

    /// Runs `bytes` through the engine.
    pub(super) fn advance(&mut self, engine: &mut Engine, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let used = match self.state {
                State::Ground => self.ground(engine, rest),
                State::Sequence => self.sequence(engine, rest),
                State::Discard => self.discard(rest),
            };
            rest = &rest[used..];
        }
    }

    /// Text and control characters up to the next ESC.
    fn ground(&mut self, engine: &mut Engine, bytes: &[u8]) -> usize {
        if self.partial_length > 0 {
            return self.complete_partial(engine, bytes);
        }
        let mut position = 0;
        while let Some(&byte) = bytes.get(position) {
            let rest = &bytes[position..];
            if matches!(byte, 0x20..=0x7e | 0xc2..) {
                let used = engine.print_straight(rest);
                if used > 0 {
                    position += used;
                    continue;
                }
            }
            match byte {
                ESC => {
                    let mut values = [0; PARAMETERS_MAX];
                    let Some(csi) = simple_csi(rest, &mut values) else {
                        self.state = State::Sequence;
                        return position;
                    };
                    let private: &[u8] = if csi.private { b"?" } else { b"" };
                    dispatch::csi(engine, &values[..csi.count], private, csi.action);
                    position += csi.length;
                }
                0x00..=0x1f => {
                    dispatch::control(engine, byte);
                    position += 1;
                }
                0x20..=0x7f => {
                    engine.print(char::from(byte));
                    position += 1;
                }
                0x80.. => match utf8::decode(rest) {
                    Decoded::Character(character, length) => {
                        print_decoded(engine, character);
                        position += length;
                    }
                    Decoded::Invalid(length) => {
                        print_invalid(engine, byte, length);
                        position += length;
                    }
                    Decoded::Incomplete => {
                        self.partial[..rest.len()].copy_from_slice(rest);
                        self.partial_length = rest.len();
                        return bytes.len();
                    }
                },
            }
        }
        bytes.len()
    }

    /// Adds bytes to the start of a character until it is one or cannot become one.
    fn complete_partial(&mut self, engine: &mut Engine, bytes: &[u8]) -> usize {
        for (used, &byte) in bytes.iter().enumerate() {
            self.partial[self.partial_length] = byte;
            match utf8::decode(&self.partial[..self.partial_length + 1]) {
                Decoded::Incomplete => self.partial_length += 1,
                Decoded::Character(character, _) => {
                    self.partial_length = 0;
                    print_decoded(engine, character);
                    return used + 1;
                }
                // What was there is broken; the byte that broke it starts something new.
                Decoded::Invalid(length) => {
                    self.partial_length = 0;
                    print_invalid(engine, self.partial[0], length);
                    return used;
                }
            }
        }
        bytes.len()
    }

    /// Bytes for the parser, up to where it is in ground state again.
    fn sequence(&mut self, engine: &mut Engine, bytes: &[u8]) -> usize {
        let bytes = &bytes[..bytes.len().min(SLICE)];
        let mut dispatch = Dispatch::new(engine);
        let used = self.parser.advance_until_terminated(&mut dispatch, bytes);
        let outcome = dispatch.outcome();
        let seen = &bytes[..used];
        match outcome {
            Outcome::Ground => self.return_to_ground(),
            Outcome::StringEnd if seen.last() == Some(&ST) => self.return_to_ground(),
            // The parser was in ground state and went through text up to an ESC, which it took
            // in, too, or up to the end, where it may hold the start of a character.
            Outcome::Printed if seen.last() != Some(&ESC) => {
                if used == bytes.len() && utf8::ends_within_character(seen) {
                    self.remember(seen);
                } else {
                    self.return_to_ground();
                }
            }
            Outcome::StringEnd | Outcome::Printed | Outcome::Within => {
                self.watch(seen);
                self.remember(seen);
                self.cut(engine);
            }
        }
        used
    }

    fn return_to_ground(&mut self) {
        self.state = State::Ground;
        self.after_escape = false;
        self.command = None;
        self.sequence.clear();
        if std::mem::take(&mut self.swollen) {
            self.parser = Parser::new();
            self.sequence = Vec::new();
        }
    }

    /// Keeps what the parser has seen for a checkpoint.
    fn remember(&mut self, seen: &[u8]) {
        let mut seen = seen;
        if let Some(escape) = seen.iter().rposition(|byte| *byte == ESC) {
            // From any state, an ESC begins anew.
            self.sequence.clear();
            seen = &seen[escape..];
        }
        if self.command.is_none() {
            seen = &seen[..seen.len().min(SLICE.saturating_sub(self.sequence.len()))];
        }
        self.sequence.extend_from_slice(seen);
    }

    /// Follows what the parser has seen as far as needed to know whether it collects a command.
    fn watch(&mut self, seen: &[u8]) {
        for &byte in seen {
            match (byte, &mut self.command) {
                (ESC, _) => {
                    self.after_escape = true;
                    self.command = None;
                }
                (_, Some(command)) => command.push(byte),
                // Controls are run and leave the parser where it is.
                (0x20..=0x7e, None) if self.after_escape => {
                    self.after_escape = false;
                    self.command = (byte == b']').then(Command::default);
                }
                _ => {}
            }
        }
        self.swollen |= self.command.is_some_and(|command| command.length > SLICE);
    }

    /// Ends a command that is too long.
    fn cut(&mut self, engine: &mut Engine) {
        let Some(command) = self.command else { return };
        if command.is_too_long() {
            let mut dispatch = Dispatch::deaf(engine);
            self.parser.advance(&mut dispatch, &[CAN]);
            self.return_to_ground();
            self.state = State::Discard;
        }
    }

    /// Throws away the rest of a string.
    fn discard(&mut self, bytes: &[u8]) -> usize {
        match bytes
            .iter()
            .position(|byte| matches!(*byte, BEL | CAN | SUB | ESC))
        {
            Some(end) if bytes[end] == ESC => {
                self.state = State::Sequence;
                end
            }
            Some(end) => {
                self.state = State::Ground;
                end + 1
            }
            None => bytes.len(),
        }
    }
}

/// Hears nothing.
struct Deaf;

impl Perform for Deaf {}

/// A control sequence without subparameters and intermediates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SimpleCsi {
    /// It begins with a question mark.
    private: bool,
    count: usize,
    action: char,
    length: usize,
}

/// Reads `ESC [ N ; … X` or `ESC [ ? N ; … X` at the start of `bytes`, if it is all there, and puts
/// its parameters in `values`. These are nearly all sequences there are, and reading them at once
/// is much faster than byte by byte; everything else is left to the parser, and nothing is read
/// here that the parser would read differently.
#[inline]
fn simple_csi(bytes: &[u8], values: &mut [u16; PARAMETERS_MAX]) -> Option<SimpleCsi> {
    if bytes.get(1) != Some(&b'[') {
        return None;
    }
    let private = bytes.get(2) == Some(&b'?');
    let mut position = if private { 3 } else { 2 };
    let mut count = 0;
    let mut value = 0_u16;
    // Which byte is a digit cannot be guessed in colours, so only the end of it all is a branch.
    loop {
        let byte = *bytes.get(position)?;
        position += 1;
        let digit = byte.wrapping_sub(b'0');
        if digit > b';' - b'0' {
            break;
        }
        let (is_digit, ends) = (digit < 10, byte == b';');
        if !(is_digit | ends) {
            return None;
        }
        let more = value.saturating_mul(10).saturating_add(digit.into());
        *values.get_mut(count)? = value;
        count += usize::from(ends);
        value = if ends { 0 } else { more };
    }
    let action = bytes[position - 1];
    *values.get_mut(count)? = value;
    matches!(action, 0x40..=0x7e).then_some(SimpleCsi {
        private,
        count: count + 1,
        action: char::from(action),
        length: position,
    })
}

fn print_decoded(engine: &mut Engine, character: char) {
    // C1 controls in UTF-8 are run by no terminal that agents meet.
    if !matches!(character, '\u{80}'..='\u{9f}') {
        engine.print(character);
    }
}

fn print_invalid(engine: &mut Engine, first: u8, length: usize) {
    // A lone byte in the C1 range is a control, which is ignored, rather than broken text.
    if length > 1 || first > 0x9f {
        engine.print(char::REPLACEMENT_CHARACTER);
    }
}
