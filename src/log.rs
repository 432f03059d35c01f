//! The daemon's log: one line a record, to stderr or to a file of bounded size.
//!
//! Built on the `log` facade. Clients that make one request never set it up: a hook must not pay for it, and its
//! stderr belongs to the error it may have to report. What is logged are facts about the program; texts typed, screen
//! contents and environment values are nobody's to write down, so no call site passes them.

use std::fmt::Write as _;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use log::{Level, LevelFilter, Log, Metadata, Record};
use nix::fcntl::{Flock, FlockArg};

/// The size at which the file is put aside, in bytes: the cap herdr 0.9.3 has for its own. With the one file that is
/// kept aside a log takes at most twice this.
const MAX_FILE_BYTES: u64 = 5 * 1024 * 1024;

/// The longest line, in bytes. A message may quote something that came over a socket.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// Where records go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The terminal, or whoever reads stderr: the daemon in the foreground.
    Stderr,
    /// A file, appended to; at 5 MiB it is renamed to the same name with `.1` and begun anew.
    File(PathBuf),
}

/// Sets up the log of this process. Only the first call in a process has an effect.
///
/// # Errors
/// The file cannot be opened.
pub fn start(destination: &Destination, level: LevelFilter) -> io::Result<()> {
    let sink = match destination {
        Destination::Stderr => Sink::Stderr,
        Destination::File(path) => Sink::File(CappedFile::open(path, MAX_FILE_BYTES)?),
    };
    let logger = LOGGER.get_or_init(|| Logger {
        sink: Mutex::new(sink),
    });
    if log::set_logger(logger).is_ok() {
        log::set_max_level(level);
    }
    Ok(())
}

/// The level from `DROVER_LOG`, else `HERDR_LOG`, else info.
///
/// A value is a level (`off error warn info debug trace`), or a filter as herdr takes it (`herdr=debug,other=info`), of
/// which the first level counts. A value that has none counts as not set.
#[must_use]
pub fn level(drover_log: Option<&str>, herdr_log: Option<&str>) -> LevelFilter {
    let parse = |value: &str| {
        value.split(',').find_map(|directive| {
            let word = directive.rsplit('=').next().unwrap_or(directive);
            word.trim().parse::<LevelFilter>().ok()
        })
    };
    drover_log
        .and_then(parse)
        .or_else(|| herdr_log.and_then(parse))
        .unwrap_or(LevelFilter::Info)
}

/// The level from this process's environment; see [`level`].
#[must_use]
pub fn level_from_environment() -> LevelFilter {
    let variable = |name| std::env::var(name).ok();
    level(
        variable("DROVER_LOG").as_deref(),
        variable("HERDR_LOG").as_deref(),
    )
}

static LOGGER: OnceLock<Logger> = OnceLock::new();

struct Logger {
    /// Guards the destination, so that lines do not mix. Taken last of all locks: nothing is locked while it is held.
    sink: Mutex<Sink>,
}

enum Sink {
    Stderr,
    File(CappedFile),
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level() && !is_of_requests(metadata.target())
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = line(
            SystemTime::now(),
            record.level(),
            record.target(),
            &record.args().to_string(),
        );
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        // A log that cannot be written has nowhere to say so, and must not stop what it describes.
        let _ = match &mut *sink {
            Sink::Stderr => io::stderr().lock().write_all(line.as_bytes()),
            Sink::File(file) => file.write(line.as_bytes()),
        };
    }

    fn flush(&self) {}
}

/// Whether a record comes from the libraries that make requests to other machines. They log addresses and headers,
/// which may be secrets, and nothing that the records about a request do not say as well.
fn is_of_requests(target: &str) -> bool {
    ["ureq", "rustls"]
        .iter()
        .any(|library| target.starts_with(library))
}

/// One record as a line: UTC time with milliseconds, level, where it comes from, what it says. Control characters are
/// written as escapes, so that nothing quoted can begin a line of its own or drive a terminal.
fn line(time: SystemTime, level: Level, target: &str, message: &str) -> String {
    let mut line = String::with_capacity(message.len() + 64);
    // Writing to a String cannot fail.
    let _ = write!(line, "{} {level:<5} {target}: ", timestamp(time));
    for character in message.chars() {
        if line.len() >= MAX_LINE_BYTES {
            line.push_str("...");
            break;
        }
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line.push('\n');
    line
}

/// RFC 3339 in UTC with milliseconds. Times before 1970 read as 1970.
#[must_use]
pub fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (year, month, day) = civil_date(since.as_secs() / 86_400);
    let second = since.as_secs() % 86_400;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60,
        since.subsec_millis()
    )
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar.
fn civil_date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, which puts the leap day last; 719,468 days lie between 0000-03-01 and 1970-01-01.
    let days = days + 719_468;
    let era = days / 146_097; // 400 years
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

/// A file that is put aside when it grows past a size. Both halves of a daemon append to it, and either may put it
/// aside, so each looks before it writes whether the file by that name is still the one it has.
struct CappedFile {
    path: PathBuf,
    file: File,
    identity: (u64, u64),
    cap: u64,
}

impl CappedFile {
    fn open(path: &Path, cap: u64) -> io::Result<Self> {
        let file = append(path)?;
        let found = file.metadata()?;
        Ok(Self {
            path: path.to_owned(),
            file,
            identity: (found.dev(), found.ino()),
            cap,
        })
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.follow()?;
        let size = self.file.metadata()?.len();
        if size > 0 && size + line.len() as u64 > self.cap {
            self.put_aside(line.len() as u64)?;
        }
        // One write each, so that lines of two processes do not mix.
        self.file.write_all(line)
    }

    /// Opens the file again if it was put aside by the other process, or taken away with its directory.
    fn follow(&mut self) -> io::Result<()> {
        let same = std::fs::metadata(&self.path)
            .is_ok_and(|found| (found.dev(), found.ino()) == self.identity);
        if !same {
            if let Some(directory) = self.path.parent() {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(directory)?;
            }
            *self = Self::open(&self.path, self.cap)?;
        }
        Ok(())
    }

    /// Puts the file aside, unless the other process did so while this one waited to.
    fn put_aside(&mut self, more: u64) -> io::Result<()> {
        loop {
            let waited_for = self.identity;
            let _one_at_a_time = Flock::lock(self.file.try_clone()?, FlockArg::LockExclusive)
                .map_err(|(_, error)| error)?;
            self.follow()?;
            if self.file.metadata()?.len() + more <= self.cap {
                return Ok(());
            }
            // The lock is on the file of before: the other process may have one on this, and be about to put it aside.
            if self.identity != waited_for {
                continue;
            }
            let mut aside = self.path.clone().into_os_string();
            aside.push(".1");
            std::fs::rename(&self.path, aside)?;
            return self.follow();
        }
    }
}

/// Opens for appending, private to the user: a log names directories and programs.
fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_comes_from_drovers_variable_then_herdrs_then_is_info() {
        assert_eq!(level(None, None), LevelFilter::Info);
        assert_eq!(level(Some("debug"), Some("error")), LevelFilter::Debug);
        assert_eq!(
            level(None, Some("herdr=trace,mio=warn")),
            LevelFilter::Trace
        );
        assert_eq!(level(Some("nonsense"), Some("WARN")), LevelFilter::Warn);
        assert_eq!(level(Some("off"), None), LevelFilter::Off);
    }

    #[test]
    fn a_line_has_utc_time_level_and_place() {
        let time = UNIX_EPOCH + Duration::from_millis(1_709_164_799_007);
        assert_eq!(
            line(time, Level::Warn, "drover::pane", "gone"),
            "2024-02-28T23:59:59.007Z WARN  drover::pane: gone\n"
        );
    }

    #[test]
    fn dates_are_right_around_leap_days_and_year_ends() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (364, (1970, 12, 31)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(civil_date(days), date, "day {days}");
        }
    }

    #[test]
    fn a_quoted_text_can_neither_break_the_line_nor_drive_a_terminal() {
        let line = line(UNIX_EPOCH, Level::Info, "t", "a\nb\x1b[2Jc\u{9b}");
        assert_eq!(line.matches('\n').count(), 1);
        assert!(line.ends_with("a\\nb\\u{1b}[2Jc\\u{9b}\n"), "{line}");
    }

    #[test]
    fn a_line_is_bounded() {
        let line = line(UNIX_EPOCH, Level::Info, "t", &"\0".repeat(1_000_000));
        assert!(line.len() < MAX_LINE_BYTES + 16, "{}", line.len());
    }

    #[test]
    fn a_full_file_is_put_aside_once_and_the_log_goes_on() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("drover.log");
        std::fs::write(&path, "earlier\n").expect("written");
        let mut file = CappedFile::open(&path, 20).expect("opened");
        for line in ["0123456789\n", "second one\n", "the third.\n"] {
            file.write(line.as_bytes()).expect("written");
        }
        assert_eq!(
            std::fs::read_to_string(&path).expect("read"),
            "the third.\n"
        );
        let aside = std::fs::read_to_string(directory.path().join("drover.log.1")).expect("read");
        assert_eq!(aside, "second one\n");
    }

    #[test]
    fn two_processes_write_one_log_whoever_puts_it_aside() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("drover.log");
        let mut one = CappedFile::open(&path, 30).expect("opened");
        let mut other = CappedFile::open(&path, 30).expect("opened");
        for line in ["one says a\n", "one says b\n", "one says c\n"] {
            one.write(line.as_bytes()).expect("written");
        }
        other.write(b"other says d\n").expect("written");
        one.write(b"e\n").expect("written");
        let read = |path: &Path| std::fs::read_to_string(path).expect("read");
        assert_eq!(read(&path), "one says c\nother says d\ne\n");
        let aside = directory.path().join("drover.log.1");
        assert_eq!(read(&aside), "one says a\none says b\n");
    }

    #[test]
    fn a_log_whose_directory_was_taken_away_is_made_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("below").join("drover.log");
        std::fs::create_dir(path.parent().expect("a parent")).expect("made");
        let mut file = CappedFile::open(&path, 1000).expect("opened");
        std::fs::remove_dir_all(path.parent().expect("a parent")).expect("removed");
        file.write(b"after\n").expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "after\n");
    }
}
