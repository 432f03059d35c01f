//! State, session, clear and release reports: who may speak for a pane, and what they change.

use super::effect::{Effect, Effects, Outcome};
use super::error::AgentError;
use super::integration::{Integration, StateOrigin, is_native};
use super::kind::Kind;
use super::pane_agent::{Claim, Context, PaneAgent};
use super::resume::{self, ResumeCommand};
use super::session::{SessionReference, StartSource};
use super::status::AgentState;
use super::text::{self, MAX_NAME_BYTES};

/// A report of state (herdr 0.9.3, `pane.report_agent`).
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// Who reports; may be empty.
    pub source: &'a str,
    /// The agent's label or an alias of it.
    pub agent: &'a str,
    /// Its state.
    pub state: AgentState,
    /// Words for a person.
    pub message: Option<&'a str>,
    /// The source's sequence number.
    pub seq: Option<u64>,
    /// The agent's session by id.
    pub session_id: Option<&'a str>,
    /// The agent's session by path.
    pub session_path: Option<&'a str>,
    /// The command that opens the session again.
    pub resume_argv: Option<&'a [String]>,
}

/// A report of a session (herdr 0.9.3, `pane.report_agent_session`).
#[derive(Debug, Clone, Copy)]
pub struct SessionReport<'a> {
    /// Who reports.
    pub source: &'a str,
    /// The agent's label or an alias of it.
    pub agent: &'a str,
    /// The source's sequence number.
    pub seq: Option<u64>,
    /// The session by id.
    pub session_id: Option<&'a str>,
    /// The session by path.
    pub session_path: Option<&'a str>,
    /// Why the agent began it.
    pub start_source: Option<&'a str>,
    /// The command that opens it again.
    pub resume_argv: Option<&'a [String]>,
}

/// A request to drop the claim of a pane (herdr 0.9.3, `pane.clear_agent_authority`).
#[derive(Debug, Clone, Copy)]
pub struct Clear<'a> {
    /// Only the claim of this source, if given.
    pub source: Option<&'a str>,
    /// The sequence number, counted for the claim's source.
    pub seq: Option<u64>,
}

/// A report that an agent lets go of its pane (herdr 0.9.3, `pane.release_agent`).
#[derive(Debug, Clone, Copy)]
pub struct Release<'a> {
    /// Who reports.
    pub source: &'a str,
    /// The agent's label or an alias of it.
    pub agent: &'a str,
    /// The source's sequence number.
    pub seq: Option<u64>,
}

/// A sign of life that changes nothing (`pane.report_agent_heartbeat` of the fork that xcsh is made
/// for).
#[derive(Debug, Clone, Copy)]
pub struct Heartbeat<'a> {
    /// Who reports.
    pub source: &'a str,
    /// The agent's label or an alias of it.
    pub agent: &'a str,
    /// The source's sequence number.
    pub seq: Option<u64>,
}

/// Who reports: the pair that claims and sessions belong to.
#[derive(Clone, Copy)]
struct Reporter<'a> {
    source: &'a str,
    label: &'a str,
    kind: Option<Kind>,
    integration: Option<&'static Integration>,
}

impl<'a> Reporter<'a> {
    fn new(source: &'a str, agent: &'a str) -> Result<Reporter<'a>, AgentError> {
        let label = canonical_label(agent)?;
        if source.len() > MAX_NAME_BYTES {
            return Err(AgentError::NameTooLong);
        }
        Ok(Reporter {
            source,
            label,
            kind: Kind::find(label),
            integration: Integration::find(source, label),
        })
    }

    fn state_origin(&self) -> StateOrigin {
        self.integration
            .map_or(StateOrigin::Reports, |integration| integration.state)
    }

    fn session(&self, id: Option<&str>, path: Option<&str>) -> Option<SessionReference> {
        SessionReference::of_report(self.integration, id, path)
    }

    fn owns(&self, session: &SessionReference) -> bool {
        session.belongs_to(self.source, self.label)
    }

    fn is_native(&self) -> bool {
        is_native(self.source)
    }
}

/// What became of the main part of a report, as far as its resume command must know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It changed the pane.
    Applied,
    /// A later one came before it.
    Stale,
    /// It does not count here.
    Ignored,
}

/// The trimmed label, or the canonical one if it is an alias of a known agent.
pub(super) fn canonical_label(agent: &str) -> Result<&str, AgentError> {
    let label = agent.trim();
    if label.is_empty() {
        return Err(AgentError::EmptyLabel);
    }
    if label.len() > MAX_NAME_BYTES {
        return Err(AgentError::NameTooLong);
    }
    Ok(match Kind::find(label) {
        Some(kind) => kind.label(),
        None => label,
    })
}

impl PaneAgent {
    /// Takes a state report. One that does not count changes nothing and is no error.
    pub fn report(&mut self, report: &Report<'_>, context: &mut Context<'_>) -> Outcome {
        let reporter = match Reporter::new(report.source, report.agent) {
            Ok(reporter) => reporter,
            Err(error) => return error.into(),
        };
        if let Some(Err(error)) = report.resume_argv.map(resume::check) {
            return error.into();
        }
        let session = reporter.session(report.session_id, report.session_path);
        let fate = match reporter.state_origin() {
            StateOrigin::Screen => match &session {
                Some(session) => self.take_session(reporter, session, None, report.seq),
                None => self.without_session(reporter, report.seq),
            },
            StateOrigin::IdentityOnly => Fate::Ignored,
            StateOrigin::Reports | StateOrigin::Lifecycle => {
                self.take_state(reporter, report, session.as_ref(), context)
            }
        };
        self.finish(
            reporter,
            fate,
            session.as_ref(),
            report.resume_argv,
            context,
        )
    }

    /// Takes a session report.
    pub fn report_session(
        &mut self,
        report: &SessionReport<'_>,
        context: &mut Context<'_>,
    ) -> Outcome {
        let reporter = match Reporter::new(report.source, report.agent) {
            Ok(reporter) => reporter,
            Err(error) => return error.into(),
        };
        if let Some(Err(error)) = report.resume_argv.map(resume::check) {
            return error.into();
        }
        let session = reporter.session(report.session_id, report.session_path);
        let start = report.start_source.and_then(StartSource::parse);
        let fate = match &session {
            Some(session) => self.take_session(reporter, session, start, report.seq),
            None => self.without_session(reporter, report.seq),
        };
        self.finish(
            reporter,
            fate,
            session.as_ref(),
            report.resume_argv,
            context,
        )
    }

    /// Takes a sign of life. It counts only from the claimant, and it renews the claim.
    pub fn heartbeat(&mut self, beat: &Heartbeat<'_>, context: &mut Context<'_>) -> Outcome {
        let reporter = match Reporter::new(beat.source, beat.agent) {
            Ok(reporter) => reporter,
            Err(error) => return error.into(),
        };
        if let Some(claim) = &mut self.claim
            && claim.belongs_to(reporter.source, reporter.label)
            && self
                .marks
                .accept(reporter.source, reporter.label, beat.seq, false)
        {
            claim.at = context.now;
            return Outcome::from(Effects {
                list: Vec::new(),
                changed: true,
            });
        }
        Outcome::default()
    }

    /// Drops the claim, its session and its resume command; the pane falls back to what is seen of
    /// its processes.
    pub fn clear_authority(&mut self, clear: &Clear<'_>, context: &mut Context<'_>) -> Effects {
        let Some(claim) = &self.claim else {
            return Effects::default();
        };
        if clear.source.is_some_and(|source| source != claim.source)
            || !self
                .marks
                .accept(&claim.source, &claim.label, clear.seq, false)
        {
            return Effects::default();
        }
        self.claim = None;
        self.stored_session = None;
        self.resume = None;
        self.conclude(context, None)
    }

    /// Takes a release. Official integrations do not release: their processes are watched. A
    /// native reporter's word ends its agent at once, and so does that of a full-lifecycle
    /// integration whose process was never seen, since nothing else would.
    pub fn release(&mut self, release: &Release<'_>, context: &mut Context<'_>) -> Outcome {
        let reporter = match Reporter::new(release.source, release.agent) {
            Ok(reporter) => reporter,
            Err(error) => return error.into(),
        };
        if !self.may_release(reporter)
            || !self
                .marks
                .accept(reporter.source, reporter.label, release.seq, true)
        {
            return Outcome::default();
        }
        let watched = self.detection.running() == reporter.kind && reporter.kind.is_some();
        if watched && !reporter.is_native() {
            self.claim = None;
            self.resume = None;
            return self.conclude(context, None).into();
        }
        if let Some(kind) = reporter.kind {
            self.suppress_detection(kind, context.now);
        }
        self.forget_agent(reporter.label, Some(reporter.source));
        let tokens = reporter.is_native() && self.forget_metadata(reporter.source);
        let released = Some(reporter.label.to_owned());
        self.conclude_release(released, tokens, context).into()
    }

    /// Ends a change that took an agent away, with the tokens that went along.
    pub(super) fn conclude_release(
        &mut self,
        released: Option<String>,
        tokens: bool,
        context: &mut Context<'_>,
    ) -> Effects {
        let mut effects = self.conclude(context, released);
        if tokens {
            effects.list.push(Effect::TokensChanged);
        }
        effects
    }

    fn may_release(&self, reporter: Reporter<'_>) -> bool {
        if reporter.integration.is_some() && !reporter.is_native() {
            let unwatched_lifecycle = reporter.state_origin() == StateOrigin::Lifecycle
                && self.detection.running() != reporter.kind;
            if !unwatched_lifecycle {
                return false;
            }
        }
        if let Some(claim) = &self.claim {
            return claim.belongs_to(reporter.source, reporter.label);
        }
        self.label() == Some(reporter.label)
            || self
                .stored_session
                .as_ref()
                .is_some_and(|session| reporter.owns(session))
    }

    /// Decides whether a state report counts, in herdr's order: the sequence number comes last, so
    /// that a report refused for another reason does not use it up.
    fn take_state(
        &mut self,
        reporter: Reporter<'_>,
        report: &Report<'_>,
        session: Option<&SessionReference>,
        context: &Context<'_>,
    ) -> Fate {
        let just_exited = self
            .detection
            .exited()
            .is_some_and(|kind| Some(kind) == reporter.kind);
        if just_exited && !reporter.is_native() {
            return Fate::Ignored;
        }
        let other_running = match (self.detection.running(), reporter.kind) {
            (Some(running), Some(reported)) => running != reported,
            _ => false,
        };
        if other_running && !reporter.is_native() {
            return Fate::Ignored;
        }
        if self
            .session()
            .is_some_and(|current| !reporter.owns(current))
            && !self.may_take_over(reporter, session)
        {
            return Fate::Ignored;
        }
        if !self
            .marks
            .accept(reporter.source, reporter.label, report.seq, false)
        {
            return Fate::Stale;
        }
        self.drop_foreign_resume(reporter);
        self.claim = Some(Claim {
            source: reporter.source.to_owned(),
            label: reporter.label.to_owned(),
            state: report.state,
            message: report.message.and_then(text::message),
            session: session.cloned(),
            at: context.now,
            speaker: None,
        });
        self.stored_session = None;
        Fate::Applied
    }

    fn may_take_over(&self, reporter: Reporter<'_>, session: Option<&SessionReference>) -> bool {
        session.is_some()
            && reporter.integration.is_some_and(Integration::can_resume)
            && reporter.kind.is_some()
            && self.detection.running() == reporter.kind
    }

    /// Decides whether a session report counts and stores the reference.
    fn take_session(
        &mut self,
        reporter: Reporter<'_>,
        session: &SessionReference,
        start: Option<StartSource>,
        seq: Option<u64>,
    ) -> Fate {
        let Some(integration) = reporter.integration else {
            return Fate::Ignored;
        };
        if self
            .detection
            .exited()
            .is_some_and(|kind| Some(kind) == reporter.kind)
        {
            // The last word of a process that just ended.
            return Fate::Ignored;
        }
        let running = reporter.kind.is_some() && self.detection.running() == reporter.kind;
        let allowed = match self.session() {
            // A full-lifecycle integration anchors its session only when it says why it began.
            None => integration.state != StateOrigin::Lifecycle || start.is_some(),
            Some(current) if current == session => true,
            Some(current) if reporter.owns(current) => integration.replacement.allows(start),
            Some(_) => start.is_some() && running,
        };
        if !allowed {
            return Fate::Ignored;
        }
        if !self
            .marks
            .accept(reporter.source, reporter.label, seq, false)
        {
            return Fate::Stale;
        }
        if self.session() != Some(session) {
            self.starting = true;
        }
        match &mut self.claim {
            Some(claim) if claim.belongs_to(reporter.source, reporter.label) => {
                claim.session = Some(session.clone());
                self.stored_session = None;
            }
            Some(claim) => {
                // Another claimant's session ends here; its state stands until it reports again.
                claim.session = None;
                self.stored_session = Some(session.clone());
            }
            None => self.stored_session = Some(session.clone()),
        }
        Fate::Applied
    }

    /// A session report without a usable reference changes nothing and uses up no number, but its
    /// resume command still counts if the number is good.
    fn without_session(&self, reporter: Reporter<'_>, seq: Option<u64>) -> Fate {
        if self.marks.is_fresh(reporter.source, seq) {
            Fate::Ignored
        } else {
            Fate::Stale
        }
    }

    /// Ends a report: its resume command, then what there is to announce.
    fn finish(
        &mut self,
        reporter: Reporter<'_>,
        fate: Fate,
        session: Option<&SessionReference>,
        resume_argv: Option<&[String]>,
        context: &mut Context<'_>,
    ) -> Outcome {
        let mut changed = fate == Fate::Applied;
        let mut refusal = None;
        if let Some(argv) = resume_argv
            && fate != Fate::Stale
        {
            let current = session.is_none_or(|session| self.session() == Some(session));
            if current && self.holds(reporter) {
                self.resume = Some(ResumeCommand {
                    source: reporter.source.to_owned(),
                    label: reporter.label.to_owned(),
                    argv: argv.to_vec(),
                });
                changed = true;
            } else {
                refusal = Some(AgentError::ResumeNotAccepted);
            }
        }
        Outcome {
            effects: if changed {
                self.conclude(context, None)
            } else {
                Effects::default()
            },
            refusal,
        }
    }

    /// Whether the pane is the reporter's: it has the claim, or nobody has and its process is seen.
    fn holds(&self, reporter: Reporter<'_>) -> bool {
        match &self.claim {
            Some(claim) => claim.belongs_to(reporter.source, reporter.label),
            None => reporter.kind.is_some() && self.detection.running() == reporter.kind,
        }
    }

    fn drop_foreign_resume(&mut self, reporter: Reporter<'_>) {
        if self.resume.as_ref().is_some_and(|resume| {
            resume.source != reporter.source || resume.label != reporter.label
        }) {
            self.resume = None;
        }
    }
}
