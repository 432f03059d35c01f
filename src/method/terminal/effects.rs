//! What an attached terminal gets beside the picture: the modes of its input, and what has come for
//! it, such as bells and titles.

use std::time::{Duration, Instant};

use crate::api::terminal_stream::{Clipboard, Effect, Notification, encoded};
use crate::pane::{Modes, Pane, input_modes};
use crate::state::{Attachment, window_title};

/// Least time between two deliveries. A spinner in a title turns as fast, and nobody hears a bell
/// more often.
const NEWS_TIME: Duration = Duration::from_millis(100);

pub(super) struct Effects<'a> {
    attachment: Attachment<'a>,
    /// The modes of input that the terminal has.
    modes: Modes,
    /// What it was told about the wheel.
    wheel: Option<bool>,
    /// What it was told about its title; empty is its own.
    title: String,
    next_news: Instant,
}

impl<'a> Effects<'a> {
    /// For a fresh terminal.
    pub(super) fn new(attachment: Attachment<'a>) -> Effects<'a> {
        Effects {
            attachment,
            modes: Modes::fresh(),
            wheel: None,
            title: String::new(),
            next_news: Instant::now(),
        }
    }

    /// What gives the terminal the modes by which the program wants its input, if it has others.
    pub(super) fn of_modes(&mut self, modes: &Modes) -> Option<Effect> {
        let bytes = input_modes(&self.modes, modes);
        let wheel = modes.leaves_wheel();
        if bytes.is_empty() && self.wheel == Some(wheel) {
            return None;
        }
        self.modes = *modes;
        self.wheel = Some(wheel);
        Some(Effect {
            bytes: encoded(&bytes),
            ..self.effect()
        })
    }

    /// What has come, if it is anything to the terminal.
    ///
    /// # Errors
    /// Something has come that has to wait until then.
    pub(super) fn of_news(&mut self, pane: &Pane, now: Instant) -> Result<Option<Effect>, Instant> {
        // It knows nothing of the wheel before it knows the modes.
        if self.wheel.is_none() || !self.attachment.has_news() {
            return Ok(None);
        }
        if now < self.next_news {
            return Err(self.next_news);
        }
        let news = self.attachment.take_news();
        let clipboard = news.clipboard.map(|clipboard| Clipboard {
            primary: clipboard.primary,
            text: clipboard.text.clone(),
        });
        let notifications = news.notifications.iter().map(|one| Notification {
            body: one.body.clone(),
            title: one.title.clone(),
        });
        let title = news.retitled.then(|| self.retitled(pane)).flatten();
        let effect = Effect {
            bell: news.bell,
            clipboard,
            notifications: notifications.collect(),
            title,
            ..self.effect()
        };
        if effect == self.effect() {
            return Ok(None);
        }
        self.next_news = now + NEWS_TIME;
        Ok(Some(effect))
    }

    /// The title of the window, if it is another than the terminal was told.
    fn retitled(&mut self, pane: &Pane) -> Option<String> {
        let title = match self.attachment.window_title() {
            Some(title) => title.to_string(),
            None => window_title(pane.screen().title().unwrap_or_default()),
        };
        if title == self.title {
            return None;
        }
        self.title.clone_from(&title);
        Some(title)
    }

    /// An effect that does nothing.
    fn effect(&self) -> Effect {
        Effect {
            wheel: self.wheel.unwrap_or(false),
            ..Effect::default()
        }
    }
}
