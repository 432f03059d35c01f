//! What waits to be written to a pane: a bounded queue that callers fill without ever waiting and
//! the pane's thread empties as fast as the program reads.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::paste;
use crate::sync::lock;

/// New input is refused while this much waits, in bytes, where nothing is configured. A program that
/// has not read a mebibyte is not listening, and a person who pastes more than that at once is rare.
pub const QUEUE_LIMIT: usize = 1024 * 1024;

/// One call may overrun the limit by this much, in bytes: the longest request line there is,
/// so that the answer depends only on what already waits.
pub const MAXIMAL_CALL: usize = 1024 * 1024;

/// Calls that may wait. Each takes memory besides its bytes, and a program that has not read this many keys
/// is not listening either.
const CALLS_LIMIT: usize = 16 * 1024;

/// Asked right before bytes are written, and again before more of them are when the program did not
/// take all at once: may they still go out? Called by the pane's thread with no lock held; not again
/// once it has said no.
pub type InputCheck = Box<dyn FnMut() -> bool + Send>;

/// Why input was not taken. Nothing of it was, or will be, written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendError {
    /// The program does not read, and as many bytes or calls as may wait for it do.
    QueueFull,
    /// The process has exited or the pane is being closed.
    Gone,
}

impl fmt::Display for SendError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            SendError::QueueFull => "input queue full",
            SendError::Gone => "the process is gone",
        })
    }
}

impl std::error::Error for SendError {}

/// The bytes of one call, which stay together.
pub(super) struct Input {
    bytes: Vec<u8>,
    written: usize,
    check: Option<InputCheck>,
}

impl Input {
    pub(super) fn new(bytes: Vec<u8>, check: Option<InputCheck>) -> Input {
        Input {
            bytes,
            written: 0,
            check,
        }
    }

    pub(super) fn remaining(&self) -> &[u8] {
        &self.bytes[self.written..]
    }

    /// Notes that `count` more bytes were written; true when that was the last of them.
    pub(super) fn advance(&mut self, count: usize) -> bool {
        self.written = self.bytes.len().min(self.written + count);
        self.written == self.bytes.len()
    }

    /// Whether the next bytes may be written. If not, what is left of them is only the end of a paste
    /// whose beginning was written, without which the program would take for pasted whatever is typed
    /// next. The answer is by how many bytes less remain.
    pub(super) fn ask(&mut self) -> Result<(), usize> {
        if self.check.as_mut().is_none_or(|check| check()) {
            return Ok(());
        }
        self.check = None;
        let before = self.remaining().len();
        self.bytes = if self.is_in_paste() {
            paste::END.as_bytes().to_vec()
        } else {
            Vec::new()
        };
        self.written = 0;
        Err(before.saturating_sub(self.bytes.len()))
    }

    /// Whether what was written ends within a paste.
    fn is_in_paste(&self) -> bool {
        let last = |bytes: &[u8], marker: &str| {
            let mut places = bytes.windows(marker.len());
            places.rposition(|place| place == marker.as_bytes())
        };
        // Its first byte is enough: the program waits for the others.
        let begun = self.bytes.len().min(self.written + paste::START.len() - 1);
        let begun = last(&self.bytes[..begun], paste::START);
        let ended = last(&self.bytes[..self.written], paste::END);
        begun > ended
    }
}

/// The queue of one pane.
pub(super) struct InputQueue {
    /// Bytes that may wait before new ones are refused.
    limit: AtomicUsize,
    /// Guards only the queue; nothing is called and no other lock taken under it.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    items: VecDeque<Input>,
    /// Bytes not yet written, also those of an item that was taken.
    waiting: usize,
    closed: bool,
    /// Something was refused because the queue was full, and nobody was told yet that it is not any
    /// more.
    refused: bool,
}

impl Default for InputQueue {
    fn default() -> InputQueue {
        InputQueue {
            limit: AtomicUsize::new(QUEUE_LIMIT),
            state: Mutex::default(),
        }
    }
}

impl InputQueue {
    /// Takes another limit of bytes; what waits above it stays.
    pub(super) fn set_limit(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Puts one call's bytes at the end.
    pub(super) fn push(&self, input: Input) -> Result<(), SendError> {
        let limit = self.limit.load(Ordering::Relaxed);
        let mut state = self.lock();
        let length = input.remaining().len();
        if state.closed {
            return Err(SendError::Gone);
        }
        if state.waiting >= limit
            || state.waiting + length > limit.saturating_add(MAXIMAL_CALL)
            || state.items.len() >= CALLS_LIMIT
        {
            state.refused = true;
            return Err(SendError::QueueFull);
        }
        if length > 0 {
            state.waiting += length;
            state.items.push_back(input);
        }
        Ok(())
    }

    /// Takes the oldest item; its bytes count as waiting until [`done`](InputQueue::done).
    pub(super) fn take(&self) -> Option<Input> {
        self.lock().items.pop_front()
    }

    /// Notes that `count` bytes of a taken item were written or given up. True if whoever was refused
    /// may come again: half of the queue is empty.
    #[must_use = "whoever was refused waits to be told"]
    pub(super) fn done(&self, count: usize) -> bool {
        let limit = self.limit.load(Ordering::Relaxed);
        let mut state = self.lock();
        state.waiting = state.waiting.saturating_sub(count);
        let has_room = state.waiting <= limit / 2 && state.items.len() <= CALLS_LIMIT / 2;
        has_room && std::mem::take(&mut state.refused)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().items.is_empty()
    }

    /// Drops what waits and refuses everything from now on.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.waiting = 0;
        // Checks may own anything; they are dropped after the lock.
        let dropped = std::mem::take(&mut state.items);
        drop(state);
        drop(dropped);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing under this lock can panic halfway through a change.
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bytes: &[u8]) -> Input {
        Input::new(bytes.to_vec(), None)
    }

    #[test]
    fn calls_come_out_whole_and_in_order() {
        let queue = InputQueue::default();
        queue.push(input(b"first")).unwrap();
        queue.push(input(b"")).unwrap();
        queue.push(input(b"second")).unwrap();
        assert_eq!(queue.take().unwrap().remaining(), b"first");
        assert_eq!(queue.take().unwrap().remaining(), b"second");
        assert!(queue.take().is_none());
    }

    #[test]
    fn a_partly_written_call_goes_on_where_it_stopped() {
        let mut input = input(b"abcdef");
        assert!(!input.advance(2));
        assert_eq!(input.remaining(), b"cdef");
        assert!(input.advance(4));
    }

    #[test]
    fn whoever_was_refused_is_told_once_that_there_is_room() {
        let queue = InputQueue::default();
        queue.push(input(&vec![b'x'; QUEUE_LIMIT])).unwrap();
        let taken = queue.take().unwrap().remaining().len();
        assert!(!queue.done(taken / 4), "nobody was refused");
        queue.push(input(&vec![b'x'; taken / 4])).unwrap();
        assert_eq!(queue.push(input(b"z")), Err(SendError::QueueFull));
        assert!(!queue.done(taken / 4), "too little room");
        assert!(queue.done(taken / 4));
        assert!(!queue.done(taken / 4), "that was said");
    }

    #[test]
    fn a_full_queue_takes_nothing_until_bytes_are_written() {
        let queue = InputQueue::default();
        queue.push(input(&vec![b'x'; QUEUE_LIMIT - 1])).unwrap();
        queue.push(input(&vec![b'y'; MAXIMAL_CALL])).unwrap();
        assert_eq!(queue.push(input(b"z")), Err(SendError::QueueFull));
        // Taken is not written: it still counts.
        let taken = queue.take().unwrap();
        assert_eq!(queue.push(input(b"z")), Err(SendError::QueueFull));
        assert!(!queue.done(taken.remaining().len()));
        assert_eq!(queue.push(input(b"z")), Err(SendError::QueueFull));
        assert!(!queue.done(1));
        assert_eq!(queue.push(input(b"z")), Ok(()));
    }

    #[test]
    fn the_limit_of_bytes_can_be_another() {
        let queue = InputQueue::default();
        queue.set_limit(4);
        queue.push(input(b"xyz")).unwrap();
        queue.push(input(b"four")).unwrap();
        assert_eq!(queue.push(input(b"x")), Err(SendError::QueueFull));
        queue.set_limit(8);
        assert_eq!(queue.push(input(b"x")), Ok(()));
    }

    #[test]
    fn a_great_many_short_calls_fill_the_queue_too() {
        let queue = InputQueue::default();
        for _ in 0..CALLS_LIMIT {
            queue.push(input(b"x")).unwrap();
        }
        assert_eq!(queue.push(input(b"x")), Err(SendError::QueueFull));
        queue.take().unwrap();
        assert_eq!(queue.push(input(b"x")), Ok(()));
    }

    #[test]
    fn one_call_beyond_all_limits_is_refused() {
        let queue = InputQueue::default();
        let huge = vec![b'x'; QUEUE_LIMIT + MAXIMAL_CALL + 1];
        assert_eq!(queue.push(input(&huge)), Err(SendError::QueueFull));
        assert!(queue.is_empty());
    }

    #[test]
    fn a_closed_queue_is_empty_and_stays_so() {
        let queue = InputQueue::default();
        queue.push(input(b"late")).unwrap();
        queue.close();
        assert!(queue.take().is_none());
        assert_eq!(queue.push(input(b"later")), Err(SendError::Gone));
    }

    /// Input whose check says yes so many times.
    fn allowed(bytes: &[u8], mut times: u32) -> Input {
        let check = move || {
            times = times.checked_sub(1).expect("it was not asked after a no");
            times > 0
        };
        Input::new(bytes.to_vec(), Some(Box::new(check)))
    }

    #[test]
    fn what_may_not_be_written_any_more_is_given_up() {
        let mut input = allowed(b"abcdef", 3);
        assert_eq!(input.ask(), Ok(()));
        input.advance(2);
        assert_eq!(input.ask(), Ok(()));
        input.advance(1);
        assert_eq!(input.ask(), Err(3));
        assert_eq!(input.remaining(), b"");
        assert_eq!(input.ask(), Ok(()), "it is not asked again");
    }

    #[test]
    fn a_paste_that_has_begun_is_ended_when_the_rest_is_given_up() {
        let whole = b"\x1b[200~text\x1b[201~";
        let end = paste::END.as_bytes();
        for before in ["", "keys"] {
            let bytes = [before.as_bytes(), whole, b"keys"].concat();
            for written in 0..bytes.len() {
                let mut input = allowed(&bytes, 1);
                input.advance(written);
                let is_open = (before.len() + 1..before.len() + whole.len()).contains(&written);
                let left = if is_open { end } else { b"" };
                let less = (bytes.len() - written).saturating_sub(left.len());
                assert_eq!(input.ask(), Err(less), "{written}");
                assert_eq!(input.remaining(), left, "{written}");
            }
        }
    }
}
