//! The metadata of a workspace: tokens only.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::error::{AgentError, MetadataHolder};
use super::tokens::{MetadataLimits, TokenStore, TokenUpdate, parse_source, parse_ttl};

/// A report of workspace metadata (herdr 0.9.3, `workspace.report_metadata`).
#[derive(Debug, Clone, Default)]
pub struct WorkspaceMetadata<'a> {
    /// Who reports: `[A-Za-z0-9:._-]`, at most 80 characters.
    pub source: &'a str,
    /// Keys to set, or to clear where the value is missing: one at least.
    pub tokens: Vec<(&'a str, Option<&'a str>)>,
    /// The source's own sequence number.
    pub seq: Option<u64>,
    /// Milliseconds until these keys expire, 1 to 86,400,000.
    pub ttl_ms: Option<u64>,
    /// How much of it is taken.
    pub limits: MetadataLimits,
}

/// The tokens of one workspace. A worker that takes over keeps them; a cold start does not.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WorkspaceTokens(TokenStore);

impl WorkspaceTokens {
    /// The tokens in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter()
    }

    /// Takes a report. True if a value changed or got an expiry; false also for a stale report.
    ///
    /// # Errors
    /// The first broken rule: source, tokens, time to live, then the limits of the workspace.
    pub fn report(
        &mut self,
        report: &WorkspaceMetadata<'_>,
        now: Instant,
    ) -> Result<bool, AgentError> {
        let source = parse_source(report.source)?;
        if report.tokens.is_empty() {
            return Err(AgentError::TokenCount(None));
        }
        let update = TokenUpdate::parse(&report.tokens, &report.limits)?;
        let ttl = parse_ttl(report.ttl_ms)?;
        if self.0.is_stale(source, report.seq) {
            return Ok(false);
        }
        self.0.check_limits(
            MetadataHolder::Workspace,
            source,
            report.seq,
            &update,
            &report.limits,
        )?;
        let expires = ttl.map(|ttl| now + ttl);
        Ok(self.0.apply(source, report.seq, update, expires))
    }

    /// The next time at which a token expires.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.0.next_deadline()
    }

    /// Removes what has expired. True if there was any.
    pub fn expire(&mut self, now: Instant) -> bool {
        self.0.expire(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn report<'a>(tokens: &[(&'a str, Option<&'a str>)]) -> WorkspaceMetadata<'a> {
        WorkspaceMetadata {
            source: "ci",
            tokens: tokens.to_vec(),
            ..WorkspaceMetadata::default()
        }
    }

    fn shown(tokens: &WorkspaceTokens) -> Vec<(&str, &str)> {
        tokens.iter().collect()
    }

    #[test]
    fn any_source_may_overwrite_and_delete_any_key() {
        let now = Instant::now();
        let mut tokens = WorkspaceTokens::default();
        assert_eq!(
            tokens.report(&report(&[("phase", Some(" plan "))]), now),
            Ok(true)
        );
        assert_eq!(
            tokens.report(&report(&[("phase", Some("plan"))]), now),
            Ok(false)
        );
        let mut other = report(&[("phase", Some("build")), ("x", Some("1"))]);
        other.source = "other";
        assert_eq!(tokens.report(&other, now), Ok(true));
        assert_eq!(shown(&tokens), [("phase", "build"), ("x", "1")]);
        let clear = report(&[("phase", None), ("x", Some("\u{7} "))]);
        assert_eq!(tokens.report(&clear, now), Ok(true));
        assert_eq!(tokens.report(&clear, now), Ok(false));
        assert!(shown(&tokens).is_empty());
    }

    #[test]
    fn tokens_expire_and_a_new_expiry_counts_as_a_change() {
        let now = Instant::now();
        let mut tokens = WorkspaceTokens::default();
        let mut short = report(&[("a", Some("1"))]);
        short.ttl_ms = Some(500);
        assert_eq!(tokens.report(&short, now), Ok(true));
        assert_eq!(tokens.report(&short, now), Ok(true));
        let deadline = tokens.next_deadline().unwrap();
        assert_eq!(deadline, now + Duration::from_millis(500));
        assert!(!tokens.expire(deadline - Duration::from_millis(1)));
        assert!(tokens.expire(deadline));
        assert_eq!(tokens.next_deadline(), None);
        tokens.report(&short, now).unwrap();
        assert_eq!(tokens.report(&report(&[("a", Some("1"))]), now), Ok(false));
        assert_eq!(tokens.next_deadline(), None, "it no longer expires");
    }

    #[test]
    fn rules_are_checked_in_order_with_their_messages() {
        let now = Instant::now();
        let mut tokens = WorkspaceTokens::default();
        let mut refuse = |change: &dyn Fn(&mut WorkspaceMetadata<'_>)| {
            let mut report = report(&[("a", Some("1"))]);
            change(&mut report);
            let error = tokens.report(&report, now).unwrap_err();
            (error.code(), error.message().into_owned())
        };
        let long = "x".repeat(81);
        let source = "invalid_metadata_source";
        let token = "invalid_metadata_token";
        assert_eq!(
            refuse(&|report| report.source = " "),
            (source, "metadata source must not be empty".into())
        );
        let mut case = report(&[]);
        case.source = &long;
        assert_eq!(
            WorkspaceTokens::default()
                .report(&case, now)
                .unwrap_err()
                .message(),
            "metadata source must be 80 characters or fewer"
        );
        assert_eq!(
            refuse(&|report| report.source = "a b"),
            (
                source,
                "metadata source may contain only ASCII letters, digits, colon, dot, underscore, \
                 and hyphen"
                    .into()
            )
        );
        assert_eq!(
            refuse(&|report| report.tokens.clear()),
            (token, "missing token to set or clear".into())
        );
        assert_eq!(
            refuse(&|report| report.tokens = vec![("a", None); 17]),
            (
                token,
                "a metadata report may update at most 16 tokens".into()
            )
        );
        for key in ["", "a b", "é", "abcdefghijklmnopqrstuvwxyz0123456"] {
            let error = WorkspaceTokens::default()
                .report(&report(&[(key, None)]), now)
                .unwrap_err();
            assert_eq!(
                error.message(),
                format!("invalid metadata token key: {key}")
            );
        }
        assert_eq!(
            refuse(&|report| report.ttl_ms = Some(0)),
            (
                "invalid_metadata_ttl",
                "metadata ttl_ms must be at least 1".into()
            )
        );
        assert_eq!(
            refuse(&|report| report.ttl_ms = Some(86_400_001)),
            (
                "invalid_metadata_ttl",
                "metadata ttl_ms must be 86400000 or less".into()
            )
        );
    }

    #[test]
    fn a_workspace_carries_at_most_32_tokens_and_32_sequenced_sources() {
        let now = Instant::now();
        let mut tokens = WorkspaceTokens::default();
        for number in 0..32 {
            let source = format!("s{number}");
            let key = format!("k{number}");
            let report = WorkspaceMetadata {
                source: &source,
                tokens: vec![(&key, Some("x"))],
                seq: Some(1),
                ..WorkspaceMetadata::default()
            };
            assert_eq!(tokens.report(&report, now), Ok(true));
        }
        let error = tokens
            .report(&report(&[("one-more", Some("x"))]), now)
            .unwrap_err();
        assert_eq!(error.code(), "metadata_token_limit");
        assert_eq!(
            error.message(),
            "workspace metadata may contain at most 32 tokens"
        );
        let mut sequenced = report(&[("k0", Some("y"))]);
        sequenced.seq = Some(1);
        let error = tokens.report(&sequenced, now).unwrap_err();
        assert_eq!(error.code(), "metadata_sequence_source_limit");
        assert_eq!(
            error.message(),
            "workspace metadata may track at most 32 sequenced sources"
        );
        sequenced.seq = None;
        assert_eq!(tokens.report(&sequenced, now), Ok(true));
    }

    #[test]
    fn limits_that_have_become_narrower_leave_what_there_is_and_take_no_more() {
        let now = Instant::now();
        let mut tokens = WorkspaceTokens::default();
        let all = [("a", Some("1")), ("b", Some("2")), ("c", Some("3"))];
        tokens.report(&report(&all), now).unwrap();
        let mut narrow = |entries: &[(&'static str, Option<&'static str>)]| {
            let mut report = report(entries);
            report.limits.tokens = 2;
            report.limits.updates = 2;
            report.limits.shown = 4;
            tokens.report(&report, now)
        };
        assert_eq!(narrow(&[("a", Some("longer"))]), Ok(true));
        assert_eq!(
            narrow(&[("d", Some("4"))]),
            Err(AgentError::TokenLimit(MetadataHolder::Workspace, 2))
        );
        assert_eq!(narrow(&all), Err(AgentError::TokenCount(Some(2))));
        assert_eq!(narrow(&[("b", None), ("c", None)]), Ok(true));
        assert_eq!(narrow(&[("d", Some("4"))]), Ok(true));
        assert_eq!(shown(&tokens), [("a", "long"), ("d", "4")]);
    }

    #[test]
    fn a_stale_number_is_ignored_and_none_is_always_taken() {
        let now = Instant::now();
        let mut tokens = WorkspaceTokens::default();
        let mut numbered = report(&[("a", Some("1"))]);
        numbered.seq = Some(5);
        assert_eq!(tokens.report(&numbered, now), Ok(true));
        numbered.tokens = vec![("a", Some("2"))];
        assert_eq!(tokens.report(&numbered, now), Ok(false));
        assert_eq!(shown(&tokens), [("a", "1")]);
        numbered.seq = None;
        assert_eq!(tokens.report(&numbered, now), Ok(true));
    }
}
