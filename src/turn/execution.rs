//! Executions: which are admitted, and what is known of each.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::api::ApiError;
use crate::api::records::{
    ExecutionCommand, ExecutionRecord, ExecutionState, NativeExecutable, NativeLaunch,
};

use super::GREATEST_GENERATION;
use super::action;
use super::capability::Verifier;
use super::digest::{hex, hex_sha256, sha256};
use super::rows::{Rows, gone, json, row};

/// Executions that are kept; those that may still run are kept beyond that.
const KEPT: usize = 1_024;

/// Ids of executions that are remembered after that, each with its greatest generation.
const SPENT: usize = 4_096;

/// The longest id that a manager may choose (the fork's).
const ID_BYTES: usize = 80;

const EXECUTION: &str = "execution";
const GONE: &str = "execution_expired";

/// The one producer of native executions.
pub(super) const NATIVE_PRODUCER: &str = "xcsh";

/// What is asked for: equal texts are the same thing asked for again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spec {
    pub cwd: String,
    pub workspace_id: Option<String>,
    pub label: Option<String>,
    pub command: ExecutionCommand,
    pub native: Option<NativeLaunch>,
    /// What a session is told first. It is in the digest and nowhere else.
    pub text: Option<String>,
}

/// An execution that is asked for.
#[derive(Debug, Clone)]
pub struct New {
    /// What the manager calls it.
    pub id: String,
    /// Of a native one.
    pub generation: Option<u64>,
    pub spec: Spec,
    pub executable: Option<NativeExecutable>,
    pub verifier: Verifier,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    pub record: ExecutionRecord,
    pub verifier: Verifier,
    /// SHA-256 of its [`Spec`].
    spec: String,
    /// The key of its pane, which unlike the id never means another one.
    #[serde(default)]
    pub pane: Option<u64>,
}

impl Execution {
    /// Its program is xcsh, opened by `execution.resume`.
    pub fn is_native(&self) -> bool {
        self.record.native_producer.is_some()
    }

    /// What its program is told it is.
    pub fn semantic_id(&self) -> &str {
        let record = &self.record;
        record
            .semantic_execution_id
            .as_deref()
            .unwrap_or(&record.execution_id)
    }

    /// 0 unless it is native.
    pub fn generation(&self) -> u64 {
        self.record.generation.unwrap_or_default()
    }
}

/// How a program ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct End {
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub signal_name: Option<String>,
    /// The status could not be learned.
    pub unknown: bool,
    /// Bytes that its terminal printed.
    pub printed: u64,
}

/// What came of asking for an execution.
#[derive(Debug, Clone, PartialEq)]
pub enum Admitted {
    /// It is claimed under this id: now start it.
    New(String),
    /// It was asked for before.
    Known(Box<ExecutionRecord>),
}

/// Every execution that is kept.
#[derive(Debug, Default)]
pub(super) struct Executions {
    revision: u64,
    all: BTreeMap<String, Execution>,
    spent: HashMap<String, u64>,
    spent_in_order: VecDeque<String>,
}

impl Executions {
    /// Takes in what was stored.
    pub(super) fn load(
        executions: Vec<(String, String)>,
        spent: Vec<(String, String)>,
    ) -> Result<Executions, String> {
        let mut loaded = Executions::default();
        for (id, body) in executions {
            let execution: Execution = serde_json::from_str(&body)
                .map_err(|error| format!("the execution {id}: {error}"))?;
            loaded.revision = loaded.revision.max(execution.record.revision);
            loaded.all.insert(id, execution);
        }
        let mut spent: Vec<(Spent, String)> = spent
            .into_iter()
            .map(|(id, body)| (serde_json::from_str(&body).unwrap_or_default(), id))
            .collect();
        spent.sort();
        for (one, id) in spent {
            loaded.revision = loaded.revision.max(one.revision);
            loaded.spent.insert(id.clone(), one.generation);
            loaded.spent_in_order.push_back(id);
        }
        Ok(loaded)
    }

    /// The greatest revision that was given.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn get(&self, record_id: &str) -> Option<&Execution> {
        self.all.get(record_id)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Execution> {
        self.all.values()
    }

    /// The execution that a producer says it is.
    pub(super) fn of_producer(&self, id: &str, generation: u64) -> Option<&Execution> {
        let native = self.all.get(&backend_id(id, generation));
        native
            .filter(|one| one.is_native() && one.semantic_id() == id)
            .or_else(|| {
                self.all
                    .get(id)
                    .filter(|one| !one.is_native() && generation == 0)
            })
    }

    /// The newest generation that a manager calls by this id.
    pub(super) fn newest(&self, semantic_id: &str) -> Option<&Execution> {
        self.all
            .values()
            .filter(|one| one.semantic_id() == semantic_id)
            .max_by_key(|one| one.generation())
    }

    /// Changes one, and notes that in revision and rows.
    pub(super) fn change(
        &mut self,
        record_id: &str,
        rows: &mut Rows,
        change: impl FnOnce(&mut Execution),
    ) -> Option<ExecutionRecord> {
        let execution = self.all.get_mut(record_id)?;
        change(execution);
        self.revision += 1;
        execution.record.revision = self.revision;
        rows.push(row(EXECUTION, record_id, execution));
        Some(execution.record.clone())
    }

    /// Claims an execution, so that nobody else starts it. An older generation that runs is asked to cancel its turn;
    /// its program is left alone.
    ///
    /// # Errors
    /// The fork's, all about an id that was used before.
    pub(super) fn admit(
        &mut self,
        new: New,
        now: u64,
        rows: &mut Rows,
    ) -> Result<Admitted, ApiError> {
        check_id(&new.id)?;
        let spec = hex_sha256(json(&new.spec).as_bytes());
        let id = match new.generation {
            Some(generation) => {
                let id = backend_id(&new.id, generation);
                if let Some(known) = self.check_native(&new, generation, &id, &spec)? {
                    return Ok(Admitted::Known(Box::new(known)));
                }
                self.supersede(&new.id, &id, now, rows);
                id
            }
            None => {
                if let Some(known) = self.check_ordinary(&new.id, &spec)? {
                    return Ok(Admitted::Known(Box::new(known)));
                }
                new.id.clone()
            }
        };
        let execution = claimed(new, &id, spec, now);
        self.all.insert(id.clone(), execution);
        self.change(&id, rows, |_| ());
        self.expire_oldest(rows);
        Ok(Admitted::New(id))
    }

    fn check_native(
        &self,
        new: &New,
        generation: u64,
        id: &str,
        spec: &str,
    ) -> Result<Option<ExecutionRecord>, ApiError> {
        if generation > GREATEST_GENERATION {
            return Err(ApiError::new(
                "invalid_execution_generation",
                format!("a generation is at most {GREATEST_GENERATION}"),
            ));
        }
        if self.all.get(&new.id).is_some_and(|one| !one.is_native()) {
            return Err(namespace_conflict(&new.id));
        }
        if let Some(known) = self.all.get(id) {
            if known.semantic_id() != new.id || known.generation() != generation {
                return Err(ApiError::new(
                    "execution_backend_id_conflict",
                    format!("{id} is another execution; choose another id"),
                ));
            }
            if known.spec == *spec {
                return Ok(Some(known.record.clone()));
            }
            return Err(ApiError::new(
                "execution_generation_conflict",
                format!(
                    "generation {generation} of {} was asked for before, and differently",
                    new.id
                ),
            ));
        }
        let kept = self.newest(&new.id).map(Execution::generation);
        let spent = self.spent.get(&new.id).copied();
        match kept.max(spent) {
            Some(greatest) if generation < greatest => Err(ApiError::new(
                "execution_generation_stale",
                format!("{} is at generation {greatest} already", new.id),
            )),
            Some(greatest) if generation == greatest => Err(expired(&new.id)),
            _ => Ok(None),
        }
    }

    fn check_ordinary(&self, id: &str, spec: &str) -> Result<Option<ExecutionRecord>, ApiError> {
        if let Some(known) = self.all.get(id) {
            if known.is_native() {
                return Err(namespace_conflict(id));
            }
            if known.spec == *spec {
                return Ok(Some(known.record.clone()));
            }
            return Err(ApiError::new(
                "execution_id_conflict",
                format!("{id} was asked for before, and differently; choose another id"),
            ));
        }
        if self.newest(id).is_some() {
            return Err(namespace_conflict(id));
        }
        if self.spent.contains_key(id) {
            return Err(expired(id));
        }
        Ok(None)
    }

    fn supersede(&mut self, semantic_id: &str, by: &str, now: u64, rows: &mut Rows) {
        let older: Vec<String> = self
            .all
            .iter()
            .filter(|(_, one)| one.semantic_id() == semantic_id && one.record.state.is_live())
            .map(|(id, _)| id.clone())
            .collect();
        for id in older {
            self.change(&id, rows, |one| {
                one.record.superseded_by_backend_execution_id = Some(by.to_owned());
                ask_to_cancel(one, now);
            });
        }
    }

    /// Lets the oldest go beyond what is kept, but none that may run.
    fn expire_oldest(&mut self, rows: &mut Rows) {
        while self.all.len() > KEPT {
            let ended = self
                .all
                .iter()
                .filter(|(_, one)| !one.record.state.is_live());
            let Some((id, one)) = ended.min_by_key(|(_, one)| one.record.revision) else {
                return;
            };
            let (id, semantic_id, generation) =
                (id.clone(), one.semantic_id().to_owned(), one.generation());
            self.all.remove(&id);
            rows.push(gone(EXECUTION, &id));
            self.remember_spent(semantic_id, generation, rows);
        }
    }

    fn remember_spent(&mut self, id: String, generation: u64, rows: &mut Rows) {
        let before = self.spent.get(&id).copied();
        let spent = Spent {
            revision: self.revision,
            generation: before.unwrap_or_default().max(generation),
        };
        rows.push(row(GONE, &id, &spent));
        if before.is_none() {
            self.spent_in_order.push_back(id.clone());
        }
        self.spent.insert(id, spent.generation);
        if self.spent_in_order.len() > SPENT
            && let Some(oldest) = self.spent_in_order.pop_front()
        {
            self.spent.remove(&oldest);
            rows.push(gone(GONE, &oldest));
        }
    }

    /// The kinds of its rows in the store.
    pub(super) const KINDS: [&'static str; 2] = [EXECUTION, GONE];
}

/// An id whose execution is not kept any more.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Spent {
    revision: u64,
    generation: u64,
}

/// Asks the turn of a native execution to end; its program goes on.
pub(super) fn ask_to_cancel(execution: &mut Execution, now: u64) {
    let record = &mut execution.record;
    record.cancel_requested = true;
    if let Some(backend) = &record.backend_execution_id
        && record.cancel_action.is_none()
    {
        record.cancel_action = Some(action::requested(backend, now));
    }
}

/// The id of a native execution's record (the fork's).
pub(super) fn backend_id(semantic_id: &str, generation: u64) -> String {
    let name = format!("xcsh\0{semantic_id}\0{generation}");
    format!("xcsh-{}", hex(&sha256(name.as_bytes())[..12]))
}

fn claimed(new: New, id: &str, spec: String, now: u64) -> Execution {
    let native = new.generation.is_some();
    let told = new.generation.unwrap_or_default().to_string();
    Execution {
        verifier: new.verifier,
        spec,
        pane: None,
        record: ExecutionRecord {
            execution_id: id.to_owned(),
            workspace_id: new.spec.workspace_id,
            backend_execution_id: native.then(|| id.to_owned()),
            semantic_execution_id: native.then(|| new.id.clone()),
            generation: new.generation,
            native_producer: native.then(|| NATIVE_PRODUCER.to_owned()),
            native_executable: new.executable,
            producer_session_id: new
                .spec
                .native
                .as_ref()
                .map(|launch| launch.session_header.id.clone()),
            native_launch: new.spec.native,
            native_registration: None,
            injected_env: BTreeMap::from([
                ("HERDR_EXECUTION_ID".to_owned(), new.id),
                ("HERDR_EXECUTION_GENERATION".to_owned(), told),
            ]),
            superseded_by_backend_execution_id: None,
            cwd: new.spec.cwd,
            command: new.spec.command,
            state: ExecutionState::Starting,
            revision: 0,
            admitted_at_unix_ms: now,
            started_at_unix_ms: None,
            finished_at_unix_ms: None,
            pid: None,
            pane_id: None,
            tab_id: None,
            exit_code: None,
            signal: None,
            signal_name: None,
            cancel_requested: false,
            stdout_bytes: 0,
            stderr_bytes: 0,
            stdout_tail: String::new(),
            stderr_tail: String::new(),
            output_truncated: false,
            output_complete: false,
            evidence_gap: None,
            cancel_action: None,
        },
    }
}

fn check_id(id: &str) -> Result<(), ApiError> {
    let fits = !id.is_empty() && id.len() <= ID_BYTES;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if fits && id.bytes().all(plain) {
        return Ok(());
    }
    Err(ApiError::new(
        "invalid_execution_id",
        format!("an execution_id takes 1 to {ID_BYTES} of letters, digits, '.', '_' and '-'"),
    ))
}

fn namespace_conflict(id: &str) -> ApiError {
    ApiError::new(
        "execution_namespace_conflict",
        format!("{id} names an execution of the other kind; choose another id"),
    )
}

fn expired(id: &str) -> ApiError {
    ApiError::new(
        "execution_expired",
        format!("{id} was used before, and its record is gone; choose another id or generation"),
    )
}
