//! Metadata reports of a pane: presentation and tokens (herdr 0.9.3, `pane.report_metadata`).

use std::collections::BTreeMap;

use super::effect::{Effect, Effects};
use super::error::{AgentError, MetadataHolder};
use super::kind::Kind;
use super::pane_agent::{Context, PaneAgent};
use super::presentation::{Presentation, RecordUpdate};
use super::report::canonical_label;
use super::status::Status;
use super::text;
use super::tokens::{MetadataLimits, TokenUpdate, parse_source, parse_ttl};

/// A report of metadata.
#[derive(Debug, Clone, Default)]
pub struct MetadataReport<'a> {
    /// Who reports: `[A-Za-z0-9:._-]`, at most 80 characters.
    pub source: &'a str,
    /// Show the presentation only while the pane has this label.
    pub agent: Option<&'a str>,
    /// Show the presentation only while this source holds the pane.
    pub applies_to_source: Option<&'a str>,
    /// A title for what the agent does.
    pub title: Option<&'a str>,
    /// A name to show instead of the label.
    pub display_agent: Option<&'a str>,
    /// Words to show instead of statuses, by status.
    pub state_labels: Vec<(&'a str, &'a str)>,
    /// Take the source's title away.
    pub clear_title: bool,
    /// Take the source's display name away.
    pub clear_display_agent: bool,
    /// Take the source's status words away.
    pub clear_state_labels: bool,
    /// Keys to set, or to clear where the value is missing.
    pub tokens: Vec<(&'a str, Option<&'a str>)>,
    /// The source's sequence number.
    pub seq: Option<u64>,
    /// Milliseconds until the report runs out, 1 to 86,400,000.
    pub ttl_ms: Option<u64>,
    /// How much of it is taken.
    pub limits: MetadataLimits,
}

impl MetadataReport<'_> {
    fn state_labels(&self) -> Result<BTreeMap<&'static str, String>, AgentError> {
        let mut words = BTreeMap::new();
        for (key, word) in &self.state_labels {
            let status =
                Status::parse(key).ok_or_else(|| AgentError::StateLabel((*key).to_owned()))?;
            if let Some(word) = text::shown(word, self.limits.shown) {
                words.insert(status.as_str(), word);
            }
        }
        Ok(words)
    }

    fn clears(&self) -> bool {
        self.clear_title || self.clear_display_agent || self.clear_state_labels
    }
}

impl PaneAgent {
    /// Takes a metadata report.
    ///
    /// # Errors
    /// The first broken rule, in herdr's order: guard label, source, tokens, time to live, guard
    /// source, status words, contradictions, emptiness, and at last the limits of the pane.
    pub fn report_metadata(
        &mut self,
        report: &MetadataReport<'_>,
        context: &mut Context<'_>,
    ) -> Result<Effects, AgentError> {
        let guard_label = report.agent.map(canonical_label).transpose()?;
        let source = parse_source(report.source)?;
        let tokens = TokenUpdate::parse(&report.tokens, &report.limits)?;
        let ttl = parse_ttl(report.ttl_ms)?;
        let guard_source = report.applies_to_source.map(parse_source).transpose()?;
        let shown = |text| text::shown(text, report.limits.shown);
        let set = Presentation {
            title: report.title.and_then(shown),
            display_agent: report.display_agent.and_then(shown),
            state_labels: report.state_labels()?,
        };
        if (report.clear_title && set.title.is_some())
            || (report.clear_display_agent && set.display_agent.is_some())
            || (report.clear_state_labels && !set.state_labels.is_empty())
        {
            return Err(AgentError::MetadataRequest(
                "cannot set and clear the same metadata field",
            ));
        }
        if set == Presentation::default() && !report.clears() && tokens.is_empty() {
            return Err(AgentError::MetadataRequest(
                "missing metadata field to set or clear",
            ));
        }
        let late = guard_label
            .and_then(Kind::find)
            .is_some_and(|kind| self.detection.exited() == Some(kind));
        let overtaken = report
            .seq
            .is_some_and(|seq| self.marks.overtakes_metadata(source, seq));
        if late || overtaken || self.tokens.is_stale(source, report.seq) {
            return Ok(Effects::default());
        }
        self.tokens.check_limits(
            MetadataHolder::Pane,
            source,
            report.seq,
            &tokens,
            &report.limits,
        )?;

        let expires = ttl.map(|ttl| context.now + ttl);
        let tokens_changed = self.tokens.apply(source, report.seq, tokens, expires);
        let update = RecordUpdate {
            set,
            clear_title: report.clear_title,
            clear_display_agent: report.clear_display_agent,
            clear_state_labels: report.clear_state_labels,
            guard_label: guard_label.map(str::to_owned),
            guard_source: guard_source.map(str::to_owned),
            expires,
        };
        self.records.update(source, update);
        let mut effects = self.conclude(context, None);
        if tokens_changed {
            effects.list.push(Effect::TokensChanged);
        }
        Ok(effects)
    }
}
