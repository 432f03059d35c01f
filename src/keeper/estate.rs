//! What a keeper leaves to the one of another build that it executes in its own place: descriptors, which stay open
//! under their numbers, and a text in memory that says what each of them is. So there is no moment of an upgrade at
//! which a worker's death would be that of the panes: one process holds them throughout.
//!
//! The worker hands everything over as well, as to every new keeper; what it says is newer, and this is what the new
//! keeper goes on with when nobody says anything.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::kept::{Kept, KeptPanes};
use super::message::{FileIdentity, KeptPane, OsText};
use crate::sys::{self, SharedMemory};

/// The longest text that is read, in bytes: a thousand panes need a third of a mebibyte.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// All that a keeper needs to go on for another.
#[derive(Debug)]
pub struct Estate {
    /// The files of both sockets: protocol, control.
    pub sockets: [FileIdentity; 2],
    /// Links that go when the daemon stops: where they lie and where they point.
    pub links: Vec<(OsText, OsText)>,
    /// A stop was asked for.
    pub stopping: bool,
    /// Workers that this session had.
    pub before: u64,
    /// The session's lock, and the listening sockets: protocol, control.
    pub held: [OwnedFd; 3],
    /// The panes, and what else is to be collected.
    pub panes: KeptPanes,
}

/// Where an estate lies: the word on the new keeper's command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    descriptor: RawFd,
    /// Of the text, in bytes.
    length: NonZeroUsize,
}

/// An estate that is ready to be left.
#[derive(Debug)]
pub struct Packed<'a> {
    text: SharedMemory,
    length: NonZeroUsize,
    descriptors: Vec<BorrowedFd<'a>>,
}

/// What the text says.
#[derive(Serialize, Deserialize)]
struct Inventory {
    sockets: [FileIdentity; 2],
    links: Vec<(OsText, OsText)>,
    stopping: bool,
    before: u64,
    held: [RawFd; 3],
    panes: Vec<(KeptPane, Vec<RawFd>)>,
    children: Vec<i32>,
}

/// What a keeper that lives has to leave.
#[derive(Debug)]
pub struct Leaving<'a> {
    /// As in [`Estate`].
    pub sockets: [FileIdentity; 2],
    /// As in [`Estate`].
    pub links: Vec<(OsText, OsText)>,
    /// As in [`Estate`].
    pub stopping: bool,
    /// As in [`Estate`].
    pub before: u64,
    /// As in [`Estate`].
    pub held: [BorrowedFd<'a>; 3],
    /// As in [`Estate`].
    pub panes: &'a KeptPanes,
    /// The worker: a child that the next keeper has to collect.
    pub worker: Option<i32>,
}

impl<'a> Leaving<'a> {
    /// Writes down what there is.
    ///
    /// # Errors
    /// Memory or descriptors have run out.
    pub fn pack(self) -> io::Result<Packed<'a>> {
        let number = |descriptor: &BorrowedFd<'_>| descriptor.as_raw_fd();
        let mut descriptors = self.held.to_vec();
        let mut panes = Vec::new();
        for kept in self.panes.iter() {
            let own = kept.descriptors();
            panes.push((kept.pane.clone(), own.iter().map(number).collect()));
            descriptors.extend(own);
        }
        let children = self.panes.collected_later().iter().copied();
        let inventory = Inventory {
            sockets: self.sockets,
            links: self.links,
            stopping: self.stopping,
            before: self.before,
            held: self.held.each_ref().map(number),
            panes,
            children: children.chain(self.worker).collect(),
        };
        let written = serde_json::to_vec(&inventory)?;
        let length = NonZeroUsize::new(written.len()).ok_or(io::ErrorKind::InvalidData)?;
        let text = SharedMemory::create(length)?;
        text.copy_in(0, &written);
        Ok(Packed {
            text,
            length,
            descriptors,
        })
    }
}

impl Packed<'_> {
    /// Where it will lie for the program that is executed.
    pub fn place(&self) -> Left {
        Left {
            descriptor: self.text.descriptor().as_raw_fd(),
            length: self.length,
        }
    }

    /// Everything that has to stay open.
    pub fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        let mut descriptors = self.descriptors.clone();
        descriptors.push(self.text.descriptor());
        descriptors
    }
}

impl Left {
    /// Takes what the keeper before has left. To be called once, before anything else is opened.
    ///
    /// # Errors
    /// There is no such thing; then descriptors that were found already are closed.
    pub fn take(self) -> io::Result<Estate> {
        let descriptor = sys::take_inherited(self.descriptor)?;
        if self.length.get() > MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let memory = SharedMemory::open(descriptor, self.length)?;
        let mut text = vec![0; self.length.get()];
        memory.copy_out(0, &mut text);
        let inventory: Inventory = serde_json::from_slice(&text)?;
        let [lock, protocol, control] = inventory.held;
        let held = [
            sys::take_inherited(lock)?,
            sys::take_inherited(protocol)?,
            sys::take_inherited(control)?,
        ];
        let mut panes = KeptPanes::default();
        for (pane, numbers) in inventory.panes {
            let descriptors = numbers.into_iter().map(sys::take_inherited);
            panes.insert(Kept::received(
                pane,
                descriptors.collect::<io::Result<_>>()?,
            )?);
        }
        for child in inventory.children {
            panes.collect_later(child);
        }
        Ok(Estate {
            sockets: inventory.sockets,
            links: inventory.links,
            stopping: inventory.stopping,
            before: inventory.before,
            held,
            panes,
        })
    }
}

impl fmt::Display for Left {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{},{}", self.descriptor, self.length)
    }
}

impl FromStr for Left {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Left, Self::Err> {
        let parse = || {
            let (descriptor, length) = text.split_once(',')?;
            Some(Left {
                descriptor: descriptor.parse().ok()?,
                length: length.parse().ok()?,
            })
        };
        parse().ok_or("not a descriptor and a length")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::{AsFd, IntoRawFd};
    use std::path::Path;

    fn null() -> OwnedFd {
        OwnedFd::from(File::open("/dev/null").unwrap())
    }

    fn kept(pane: u64, parts: usize) -> Kept {
        let record = KeptPane {
            pane,
            // No process has this number.
            pid: i32::MAX,
            started: Some(7),
            terminal: 3,
            directory: OsText::from(Path::new("/")),
            exit: None,
        };
        Kept::received(record, (0..parts).map(|_| null()).collect()).unwrap()
    }

    #[test]
    fn what_is_left_is_found_again_under_its_numbers() {
        let mut panes = KeptPanes::default();
        panes.insert(kept(1, 2));
        panes.insert(kept(9, 3));
        panes.collect_later(i32::MAX);
        let held = [null(), null(), null()];
        let links = vec![(OsText::from(Path::new("/a")), OsText::from(Path::new("b")))];
        let packed = Leaving {
            sockets: [FileIdentity(1, 2), FileIdentity(3, 4)],
            links: links.clone(),
            stopping: true,
            before: 5,
            held: held.each_ref().map(AsFd::as_fd),
            panes: &panes,
            worker: Some(i32::MAX - 1),
        }
        .pack()
        .unwrap();
        assert_eq!(packed.descriptors().len(), 3 + 5 + 1);
        // Another program would own these numbers alone; here the test gives them up one by one.
        let place: Left = packed.place().to_string().parse().unwrap();
        assert_eq!(place, packed.place());
        let mut numbers = packed.descriptors();
        numbers.sort_by_key(AsRawFd::as_raw_fd);
        let duplicates: Vec<(RawFd, OwnedFd)> = numbers
            .iter()
            .map(|fd| (fd.as_raw_fd(), fd.try_clone_to_owned().unwrap()))
            .collect();
        let before: Vec<RawFd> = duplicates.iter().map(|(number, _)| *number).collect();
        let of = |number: RawFd| {
            let (_, duplicate) = duplicates.iter().find(|(n, _)| *n == number).unwrap();
            duplicate.try_clone().unwrap().into_raw_fd()
        };
        // The same text, with the numbers of duplicates that nobody else owns.
        let mut text = vec![0; place.length.get()];
        packed.text.copy_out(0, &mut text);
        let mut inventory: Inventory = serde_json::from_slice(&text).unwrap();
        inventory.held = inventory.held.map(of);
        for (_, parts) in &mut inventory.panes {
            *parts = parts.iter().map(|number| of(*number)).collect();
        }
        let written = serde_json::to_vec(&inventory).unwrap();
        let length = NonZeroUsize::new(written.len()).unwrap();
        let memory = SharedMemory::create(length).unwrap();
        memory.copy_in(0, &written);
        let descriptor = memory
            .descriptor()
            .try_clone_to_owned()
            .unwrap()
            .into_raw_fd();
        let estate = Left { descriptor, length }.take().unwrap();
        assert_eq!(before.len(), 9);
        assert_eq!(estate.sockets, [FileIdentity(1, 2), FileIdentity(3, 4)]);
        assert_eq!(estate.links, links);
        assert!(estate.stopping);
        assert_eq!(estate.before, 5);
        let found: Vec<(u64, usize)> = estate
            .panes
            .iter()
            .map(|kept| (kept.pane.pane, kept.descriptors().len()))
            .collect();
        assert_eq!(found, [(1, 2), (9, 3)]);
        assert_eq!(estate.panes.collected_later(), [i32::MAX, i32::MAX - 1]);
    }

    #[test]
    fn what_is_no_estate_is_an_error() {
        for word in ["", "3", "3,", ",3", "3,0", "3,-1", "x,1", "3,4,5"] {
            assert!(word.parse::<Left>().is_err(), "{word}");
        }
        let length = NonZeroUsize::new(4096).unwrap();
        let memory = SharedMemory::create(length).unwrap();
        let duplicate = memory.descriptor().try_clone_to_owned().unwrap();
        let descriptor = duplicate.into_raw_fd();
        assert!(Left { descriptor, length }.take().is_err(), "zeros");
        let descriptor = null().into_raw_fd();
        assert!(Left { descriptor, length }.take().is_err(), "no memory");
        let descriptor = RawFd::MAX;
        assert!(
            Left { descriptor, length }.take().is_err(),
            "nothing is open"
        );
    }
}
