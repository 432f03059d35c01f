//! The configuration file: keys, defaults, diagnostics.
//!
//! One table, [`keys::KEYS`], says of every key its name, its kind, its default and what it does. The reader, the
//! default file (`herdr --default-config`) and the reference page are made from it. A mistake in the file costs only
//! the key it is in: everything else is used, and the mistake is named with its line and column.

mod keys;
mod lists;
mod notify;
mod print;
mod read;
mod reset;
mod slot;
mod values;

pub use keys::{KEYS, Key, Kind, Literal};
pub use lists::{LISTS, List, Row};
pub use notify::{
    BUILT_IN, Notify, NotifyRule, NotifySink, NotifyWhen, QuietHours, SinkKind, WebhookFormat,
};
pub use print::{default_file, reference_page};
pub use read::{Diagnostic, Loaded, Status, file_text, load, read};
pub use reset::without;
pub use slot::Words;
pub use values::{
    Agents, Authority, Config, Experimental, HerdrProtocol, Limits, PaneAuthority,
    ProcessDetection, ReportAuthority, Server, ShellMode, SocketLocation, Terminal, ToastDelivery,
    Ui,
};
