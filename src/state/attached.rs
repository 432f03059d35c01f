//! The terminals that people have attached to panes, and what reaches them beside a pane's picture:
//! bells, notifications, window titles, clipboards.
//!
//! Each terminal has a letter box of bounded size that its connection's thread empties when its
//! client takes something, so nobody who puts something in ever waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::printable::short_line;
use crate::store::Key;
use crate::sync::lock;
use crate::sys::Wake;
use crate::world::{PaneKey, TabId};

use super::{Live, Shared};

/// Characters of a notification's title and body that are shown (herdr 0.9.3, `notification.show`).
const TITLE_LIMIT: usize = 80;
const BODY_LIMIT: usize = 240;

/// Characters of a window's title that are kept: as many as of a program's own title.
const WINDOW_TITLE_LIMIT: usize = 256;

/// The store's word for the title that was set.
const WINDOW_TITLE: &str = "window_title";

/// Notifications that wait for one terminal. A terminal that has not taken these by the time the next
/// comes does not read, or is flooded; either way more of them help nobody.
const LETTERS_MAX: usize = 8;

/// All attached terminals. Its locks are innermost.
#[derive(Debug, Default)]
pub(super) struct Attached {
    /// How many are in `terminals`. Zero spares the panes' threads the lock.
    count: AtomicUsize,
    terminals: Mutex<Vec<Arc<Terminal>>>,
    /// What `client.window_title.set` said.
    window_title: Mutex<Option<Arc<str>>>,
}

/// One attached terminal.
#[derive(Debug)]
struct Terminal {
    /// The pane it shows.
    pane: PaneKey,
    /// The person attached it, rather than a process in some pane. Only then it stands for the person:
    /// what is told to the person comes here, and what it shows is seen.
    is_persons: bool,
    /// Notified when the first of the news comes in.
    wake: Arc<Wake>,
    news: Mutex<Option<News>>,
}

/// What has come for a terminal since the last time.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct News {
    /// It is to ring, once.
    pub bell: bool,
    /// The oldest first, at most eight.
    pub notifications: Vec<Arc<Notification>>,
    /// The latest.
    pub clipboard: Option<Arc<Clipboard>>,
    /// The title of its window may have to be another.
    pub retitled: bool,
}

/// A message to a person: printable, on one line each, not empty.
#[derive(Debug, PartialEq, Eq)]
pub struct Notification {
    /// At most 80 characters; may be empty if the body is not.
    pub title: String,
    /// At most 240 characters.
    pub body: String,
}

impl Notification {
    /// Cleans and cuts; none if nothing is left.
    fn new(title: &str, body: &str) -> Option<Notification> {
        let notification = Notification {
            title: short_line(title, TITLE_LIMIT),
            body: short_line(body, BODY_LIMIT),
        };
        let is_empty = notification.title.is_empty() && notification.body.is_empty();
        (!is_empty).then_some(notification)
    }
}

/// What a program wants to be in the clipboard.
#[derive(Debug, PartialEq, Eq)]
pub struct Clipboard {
    /// It is the primary selection rather than the clipboard.
    pub primary: bool,
    /// As the program gave it, at most 768 KiB.
    pub text: String,
}

impl Terminal {
    /// Puts something in; the answer is `put`'s.
    fn post<R>(&self, put: impl FnOnce(&mut News) -> R) -> R {
        let mut news = lock(&self.news);
        let is_first = news.is_none();
        let outcome = put(news.get_or_insert_default());
        drop(news);
        if is_first {
            self.wake.notify();
        }
        outcome
    }
}

impl Attached {
    /// Puts something in for every terminal that `chosen` picks; how often `put` said yes.
    fn post(
        &self,
        chosen: impl Fn(&Terminal) -> bool,
        mut put: impl FnMut(&mut News) -> bool,
    ) -> usize {
        if self.count.load(Ordering::Acquire) == 0 {
            return 0;
        }
        let terminals = lock(&self.terminals);
        let chosen = terminals.iter().filter(|terminal| chosen(terminal));
        chosen.filter(|terminal| terminal.post(&mut put)).count()
    }

    /// The program of a pane rang.
    pub(super) fn ring(&self, pane: PaneKey) {
        self.post(shows(pane), |news| {
            news.bell = true;
            true
        });
    }

    /// The program of a pane has something to tell.
    pub(super) fn notify(&self, pane: PaneKey, title: &str, body: &str) {
        if let Some(notification) = Notification::new(title, body).map(Arc::new) {
            self.post(shows(pane), |news| take_in(news, &notification));
        }
    }

    /// The program of a pane wants to set a clipboard: that of the person who looks.
    pub(super) fn set_clipboard(&self, pane: PaneKey, clipboard: Clipboard) {
        let clipboard = Arc::new(clipboard);
        let chosen = |terminal: &Terminal| terminal.is_persons && terminal.pane == pane;
        self.post(chosen, |news| {
            news.clipboard = Some(Arc::clone(&clipboard));
            true
        });
    }

    /// The program of a pane has named its window, or does so no more.
    pub(super) fn retitle(&self, pane: PaneKey) {
        self.post(shows(pane), |news| {
            news.retitled = true;
            true
        });
    }

    /// Whether any terminal shows the pane.
    pub(super) fn shows(&self, pane: PaneKey) -> bool {
        self.count.load(Ordering::Acquire) > 0
            && lock(&self.terminals)
                .iter()
                .any(|terminal| terminal.pane == pane)
    }
}

fn shows(pane: PaneKey) -> impl Fn(&Terminal) -> bool {
    move |terminal| terminal.pane == pane
}

/// False if there is no room.
fn take_in(news: &mut News, notification: &Arc<Notification>) -> bool {
    let has_room = news.notifications.len() < LETTERS_MAX;
    if has_room {
        news.notifications.push(Arc::clone(notification));
    }
    has_room
}

impl Shared {
    /// Sends a notification to every terminal that the person has attached, whichever pane it shows,
    /// and has it ring if `bell` says so. How many took it: none if none is attached, or if those
    /// that are have not taken earlier ones. Text is made printable, a title cut to 80 and a body to
    /// 240 characters; one that says nothing is taken by nobody. Returns at once and may be called
    /// under any lock.
    pub fn notify_attached(&self, title: &str, body: &str, bell: bool) -> usize {
        let Some(notification) = Notification::new(title, body).map(Arc::new) else {
            return 0;
        };
        self.attached.post(is_persons, |news| {
            let taken = take_in(news, &notification);
            news.bell |= bell && taken;
            taken
        })
    }

    /// How many terminals the person has attached.
    pub fn attached_terminals(&self) -> usize {
        let terminals = lock(&self.attached.terminals);
        terminals
            .iter()
            .filter(|terminal| is_persons(terminal))
            .count()
    }

    /// Has the windows of all attached terminals, and of those to come, show a title; without one,
    /// that of their pane. How many are attached. A title is made printable and cut to 256
    /// characters.
    pub fn set_window_title(&self, title: Option<&str>) -> usize {
        let title = title.map(window_title);
        let key = Key::Record(WINDOW_TITLE, String::new());
        self.store.put(key, title.clone());
        *lock(&self.attached.window_title) = title.map(Into::into);
        self.attached.post(is_persons, |news| {
            news.retitled = true;
            true
        })
    }

    /// Remembers the title that was set while another process of the daemon served the same panes.
    pub(super) fn restore_window_title(&self) {
        match self.store.records(WINDOW_TITLE) {
            Ok(records) => {
                let title = records.into_iter().next().map(|(_, title)| title.into());
                *lock(&self.attached.window_title) = title;
            }
            Err(error) => log::warn!("the title of windows is lost: {error}"),
        }
    }

    /// Has a terminal stand at a pane until the answer is dropped. `is_persons` says that the person
    /// attached it. `wake` is notified when there is news; the first is the title of its window.
    pub fn attach(&self, pane: PaneKey, is_persons: bool, wake: &Arc<Wake>) -> Attachment<'_> {
        let terminal = Arc::new(Terminal {
            pane,
            is_persons,
            wake: Arc::clone(wake),
            news: Mutex::new(Some(News {
                retitled: true,
                ..News::default()
            })),
        });
        {
            let mut terminals = lock(&self.attached.terminals);
            terminals.push(Arc::clone(&terminal));
            self.attached
                .count
                .store(terminals.len(), Ordering::Release);
        }
        if is_persons {
            let mut live = self.change();
            live.attended.push(pane);
            if let Some(tab) = live.world.pane(pane).map(crate::world::Pane::tab) {
                live.mark_tab_seen(tab, &self.deadlines);
            }
        }
        Attachment {
            shared: self,
            terminal,
        }
    }
}

fn is_persons(terminal: &Terminal) -> bool {
    terminal.is_persons
}

/// A window's title as it is kept; empty if nothing of it can be shown.
pub fn window_title(title: &str) -> String {
    short_line(title, WINDOW_TITLE_LIMIT)
}

/// A terminal's place at a pane.
#[derive(Debug)]
pub struct Attachment<'a> {
    shared: &'a Shared,
    terminal: Arc<Terminal>,
}

impl Attachment<'_> {
    /// Whether something has come since it was last taken.
    pub fn has_news(&self) -> bool {
        lock(&self.terminal.news).is_some()
    }

    /// Takes what has come.
    pub fn take_news(&self) -> News {
        lock(&self.terminal.news).take().unwrap_or_default()
    }

    /// The title that the window is to show instead of the pane's.
    pub fn window_title(&self) -> Option<Arc<str>> {
        let said = lock(&self.shared.attached.window_title).clone();
        said.filter(|_| self.terminal.is_persons)
    }
}

impl Drop for Attachment<'_> {
    fn drop(&mut self) {
        {
            let mut terminals = lock(&self.shared.attached.terminals);
            terminals.retain(|other| !Arc::ptr_eq(other, &self.terminal));
            let count = &self.shared.attached.count;
            count.store(terminals.len(), Ordering::Release);
        }
        if self.terminal.is_persons {
            let mut live = self.shared.look();
            let place = live
                .attended
                .iter()
                .position(|pane| *pane == self.terminal.pane);
            if let Some(place) = place {
                live.attended.swap_remove(place);
            }
        }
    }
}

impl Live {
    /// Whether an attached terminal of the person shows this pane or another of its tab.
    pub(super) fn is_attended(&self, key: PaneKey) -> bool {
        if self.attended.is_empty() {
            return false;
        }
        let tab = |key| self.world.pane(key).map(crate::world::Pane::tab);
        let wanted: Option<TabId> = tab(key);
        wanted.is_some() && self.attended.iter().any(|pane| tab(*pane) == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::House;
    use super::*;

    fn wake() -> Arc<Wake> {
        Arc::new(Wake::new().unwrap())
    }

    /// Takes what an attachment begins with.
    fn attach(house: &House, pane: PaneKey, is_persons: bool) -> Attachment<'_> {
        let attachment = house.shared.attach(pane, is_persons, &wake());
        assert!(attachment.take_news().retitled);
        attachment
    }

    #[test]
    fn a_notification_reaches_all_terminals_of_the_person_and_nobody_else() {
        let house = House::new();
        let pane = house.workspace();
        assert_eq!(house.shared.notify_attached("t", "b", false), 0);
        let (one, other) = (attach(&house, pane, true), attach(&house, pane, true));
        let process = attach(&house, pane, false);
        assert_eq!(house.shared.attached_terminals(), 2);
        assert_eq!(
            house
                .shared
                .notify_attached("\u{1b}]t\n", " b\u{202e}", true),
            2
        );
        for attachment in [&one, &other] {
            let news = attachment.take_news();
            assert!(news.bell && !news.retitled);
            assert_eq!(
                (
                    news.notifications[0].title.as_str(),
                    news.notifications[0].body.as_str()
                ),
                ("]t", "b")
            );
        }
        assert!(!process.has_news());
        drop(other);
        assert_eq!(house.shared.notify_attached("t", "", false), 1);
        assert_eq!(house.shared.notify_attached("\u{7}", "\n", false), 0);
    }

    #[test]
    fn a_terminal_that_takes_nothing_is_owed_no_more_than_a_few() {
        let house = House::new();
        let pane = house.workspace();
        let attachment = attach(&house, pane, true);
        let taken = (0..100).map(|_| house.shared.notify_attached("t", "", false));
        assert_eq!(taken.sum::<usize>(), LETTERS_MAX);
        assert_eq!(attachment.take_news().notifications.len(), LETTERS_MAX);
        assert_eq!(house.shared.notify_attached("t", "", false), 1);
    }

    #[test]
    fn what_a_program_says_reaches_only_who_looks_at_its_pane() {
        let house = House::new();
        let pane = house.workspace();
        let beside = house.split(pane);
        let (here, there) = (attach(&house, pane, true), attach(&house, beside, true));
        let process = attach(&house, pane, false);
        let attached = &house.shared.attached;
        attached.ring(pane);
        attached.ring(pane);
        attached.notify(pane, "", "done");
        attached.retitle(pane);
        let clipboard = Clipboard {
            primary: false,
            text: "x".to_owned(),
        };
        attached.set_clipboard(pane, clipboard);
        let news = here.take_news();
        assert!(news.bell && news.retitled && news.clipboard.is_some());
        assert_eq!(news.notifications.len(), 1);
        assert!(!there.has_news());
        let news = process.take_news();
        assert!(news.bell && news.clipboard.is_none());
        assert_eq!(here.take_news(), News::default());
    }

    #[test]
    fn a_window_title_is_remembered_for_who_attaches_later() {
        let house = House::new();
        let pane = house.workspace();
        assert_eq!(house.shared.set_window_title(Some("a\u{7} title")), 0);
        let attachment = attach(&house, pane, true);
        assert_eq!(attachment.window_title().as_deref(), Some("a title"));
        assert_eq!(house.shared.set_window_title(None), 1);
        assert!(attachment.take_news().retitled);
        assert_eq!(attachment.window_title(), None);
    }

    #[test]
    fn the_tab_of_an_attached_pane_is_attended_while_it_is_attached() {
        let house = House::new();
        let pane = house.workspace();
        let beside = house.split(pane);
        let elsewhere = house.workspace();
        let first = attach(&house, pane, true);
        let second = attach(&house, pane, true);
        let process = attach(&house, elsewhere, false);
        let attended = |key| house.shared.look().is_attended(key);
        assert!(attended(pane) && attended(beside) && !attended(elsewhere));
        drop(first);
        assert!(attended(beside));
        drop(second);
        drop(process);
        assert!(!attended(beside));
        assert!(!house.shared.attached.shows(pane));
    }
}
