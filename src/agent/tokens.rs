//! Metadata tokens: short values under keys that any source may set, with an optional expiry.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::{AgentError, MetadataHolder};
use super::text;
use crate::config;

/// How much metadata one pane or workspace takes (`[limits]`). Its default is what herdr 0.9.3 takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataLimits {
    /// Keys that one report may set or clear.
    pub updates: usize,
    /// Keys that one holder carries.
    pub tokens: usize,
    /// Sources that number their token reports.
    pub sources: usize,
    /// Characters of a text that is shown; the rest is cut.
    pub shown: usize,
}

impl Default for MetadataLimits {
    fn default() -> MetadataLimits {
        MetadataLimits {
            updates: 16,
            tokens: 32,
            sources: 32,
            shown: 80,
        }
    }
}

/// The most sources that number reports without tokens. herdr has no limit; the least recently
/// used goes first.
const MAX_OTHER_SOURCES: usize = 64;
/// The longest key, in bytes.
const MAX_KEY: usize = 32;
/// The longest metadata source, in characters, as the message says.
const MAX_SOURCE: usize = 80;
/// The longest time to live, as the message says.
const MAX_TTL_MS: u64 = 86_400_000;

impl From<&config::Limits> for MetadataLimits {
    fn from(limits: &config::Limits) -> MetadataLimits {
        let number = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        MetadataLimits {
            updates: number(limits.tokens_per_report),
            tokens: number(limits.tokens),
            sources: number(limits.token_sources),
            shown: number(limits.title_chars),
        }
    }
}

/// Whether a token may have this name.
pub(super) fn is_token_key(key: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !key.is_empty() && key.len() <= MAX_KEY && key.bytes().all(plain)
}

/// Checked changes of tokens; a missing value clears its key.
#[derive(Debug, Clone, Default)]
pub(super) struct TokenUpdate(BTreeMap<String, Option<String>>);

impl TokenUpdate {
    pub(super) fn parse(
        entries: &[(&str, Option<&str>)],
        limits: &MetadataLimits,
    ) -> Result<TokenUpdate, AgentError> {
        if entries.len() > limits.updates {
            return Err(AgentError::TokenCount(Some(limits.updates)));
        }
        let mut update = BTreeMap::new();
        for (key, value) in entries {
            if !is_token_key(key) {
                return Err(AgentError::TokenKey((*key).to_owned()));
            }
            let value = value.and_then(|value| text::shown(value, limits.shown));
            update.insert((*key).to_owned(), value);
        }
        Ok(TokenUpdate(update))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Checks the source of a metadata report and trims it.
pub(super) fn parse_source(source: &str) -> Result<&str, AgentError> {
    let source = source.trim();
    let plain =
        |symbol: char| symbol.is_ascii_alphanumeric() || matches!(symbol, ':' | '.' | '_' | '-');
    Err(AgentError::MetadataSource(if source.is_empty() {
        "metadata source must not be empty"
    } else if source.chars().count() > MAX_SOURCE {
        "metadata source must be 80 characters or fewer"
    } else if !source.chars().all(plain) {
        "metadata source may contain only ASCII letters, digits, colon, dot, underscore, and hyphen"
    } else {
        return Ok(source);
    }))
}

/// Checks a time to live in milliseconds, 1 to 86,400,000.
pub(super) fn parse_ttl(ttl_ms: Option<u64>) -> Result<Option<Duration>, AgentError> {
    match ttl_ms {
        Some(0) => Err(AgentError::MetadataTtl(
            "metadata ttl_ms must be at least 1",
        )),
        Some(ttl) if ttl > MAX_TTL_MS => Err(AgentError::MetadataTtl(
            "metadata ttl_ms must be 86400000 or less",
        )),
        ttl => Ok(ttl.map(Duration::from_millis)),
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Token {
    value: String,
    #[serde(default, with = "crate::timeline::optional")]
    expires: Option<Instant>,
    source: String,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Mark {
    seq: u64,
    with_tokens: bool,
    raised: u64,
}

/// The tokens of one pane or workspace and the sequence marks of its metadata reports.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct TokenStore {
    tokens: BTreeMap<String, Token>,
    marks: BTreeMap<String, Mark>,
    raises: u64,
}

impl TokenStore {
    /// The tokens in the order of their keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tokens
            .iter()
            .map(|(key, token)| (key.as_str(), token.value.as_str()))
    }

    /// Whether a metadata report is overtaken by a later one of its source. Without a number it
    /// never is.
    pub(super) fn is_stale(&self, source: &str, seq: Option<u64>) -> bool {
        seq.is_some_and(|seq| self.marks.get(source).is_some_and(|mark| seq <= mark.seq))
    }

    /// Whether the update would exceed a limit of the holder.
    pub(super) fn check_limits(
        &self,
        holder: MetadataHolder,
        source: &str,
        seq: Option<u64>,
        update: &TokenUpdate,
        limits: &MetadataLimits,
    ) -> Result<(), AgentError> {
        let mut count = self.tokens.len();
        for (key, value) in &update.0 {
            match (self.tokens.contains_key(key), value) {
                (false, Some(_)) => count += 1,
                (true, None) => count -= 1,
                _ => {}
            }
        }
        // It may have more already, from when it was allowed more.
        if count > limits.tokens.max(self.tokens.len()) {
            return Err(AgentError::TokenLimit(holder, limits.tokens));
        }
        let counted = |mark: &&Mark| mark.with_tokens;
        if seq.is_some()
            && !update.is_empty()
            && !self.marks.get(source).is_some_and(|mark| mark.with_tokens)
            && self.marks.values().filter(counted).count() >= limits.sources
        {
            return Err(AgentError::SequenceSourceLimit(holder, limits.sources));
        }
        Ok(())
    }

    /// Applies a checked update and takes its number. True if a value changed or got an expiry.
    pub(super) fn apply(
        &mut self,
        source: &str,
        seq: Option<u64>,
        update: TokenUpdate,
        expires: Option<Instant>,
    ) -> bool {
        if let Some(seq) = seq {
            self.raise(source, seq, !update.is_empty());
        }
        let mut changed = false;
        for (key, value) in update.0 {
            changed |= match value {
                None => self.tokens.remove(&key).is_some(),
                Some(value) => {
                    let same = self
                        .tokens
                        .get(&key)
                        .is_some_and(|token| token.value == value);
                    let token = Token {
                        value,
                        expires,
                        source: source.to_owned(),
                    };
                    self.tokens.insert(key, token);
                    !same || expires.is_some()
                }
            };
        }
        changed
    }

    /// Removes the tokens that a source set last. True if there were any.
    pub(super) fn forget_source(&mut self, source: &str) -> bool {
        let before = self.tokens.len();
        self.tokens.retain(|_, token| token.source != source);
        self.tokens.len() != before
    }

    /// The next time at which a token expires.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.tokens.values().filter_map(|token| token.expires).min()
    }

    /// Removes what has expired. True if there was any.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let before = self.tokens.len();
        self.tokens
            .retain(|_, token| token.expires.is_none_or(|expires| expires > now));
        self.tokens.len() != before
    }

    fn raise(&mut self, source: &str, seq: u64, with_tokens: bool) {
        self.raises += 1;
        let mark = self.marks.entry(source.to_owned()).or_insert(Mark {
            seq,
            with_tokens,
            raised: self.raises,
        });
        mark.seq = seq;
        mark.with_tokens |= with_tokens;
        mark.raised = self.raises;
        let others = self.marks.iter().filter(|(_, mark)| !mark.with_tokens);
        if others.clone().count() > MAX_OTHER_SOURCES
            && let Some(oldest) = others
                .min_by_key(|(_, mark)| mark.raised)
                .map(|(source, _)| source.clone())
        {
            self.marks.remove(&oldest);
        }
    }
}
