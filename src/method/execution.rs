//! `execution.*`: programs that a manager starts, each in a tab of its own, and what became of them.

use std::path::Path;

use crate::api::params::{
    AfterRevisionParams, ExecutionMode, ExecutionResumeParams, ExecutionStartParams,
    ExecutionTarget, SinceRevisionParams,
};
use crate::api::records::{ExecutionCommand, ExecutionRecord};
use crate::api::{ApiError, ResponseResult};
use crate::state::{Launch, TrackedLaunch};
use crate::sys;
use crate::turn::{self, Admitted, Capability, Measured, New, Spec};
use crate::world::{PaneKey, WorkspaceId};

use super::wait::wait_for_change;
use super::workspace::creation_failed;
use super::{Call, Ended, find, label};

/// The most words of a command (the fork's).
const WORDS: usize = 256;

/// The longest wait, in milliseconds (the fork's).
const LONGEST_WAIT: u64 = 300_000;

pub fn start(call: &Call<'_>, p: ExecutionStartParams) -> Result<ResponseResult, ApiError> {
    check_place(call, &p.cwd, p.label.as_deref())?;
    let (command, argv) = program(&p)?;
    let spec = Spec {
        cwd: p.cwd,
        workspace_id: p.workspace_id,
        label: p.label,
        command,
        native: None,
        text: None,
    };
    launch(call, (p.execution_id, None), spec, argv, None)
}

/// The program that is meant, as it is kept and as it is run.
fn program(p: &ExecutionStartParams) -> Result<(ExecutionCommand, Vec<String>), ApiError> {
    let invalid = |message: &str| ApiError::new("invalid_execution_command", message.to_owned());
    let argv = match (p.mode, &p.argv, p.shell, &p.text) {
        (ExecutionMode::Argv, Some(argv), None, None) => argv.clone(),
        (ExecutionMode::Shell, None, Some(shell), Some(text)) if !text.is_empty() => {
            vec![shell.to_string(), "-c".to_owned(), text.clone()]
        }
        (ExecutionMode::Argv, ..) => {
            return Err(invalid("mode argv takes argv, and neither shell nor text"));
        }
        (ExecutionMode::Shell, ..) => {
            return Err(invalid(
                "mode shell takes shell and a text that is not empty, and no argv",
            ));
        }
    };
    let right = (1..=WORDS).contains(&argv.len())
        && !argv[0].is_empty()
        && argv.iter().all(|word| !word.contains('\0'));
    if !right {
        return Err(invalid(
            "argv takes 1 to 256 words without NUL, the first of which is not empty",
        ));
    }
    let command = match (p.shell, &p.text) {
        (Some(shell), Some(text)) => ExecutionCommand::Shell {
            shell: shell.to_string(),
            text: text.clone(),
        },
        _ => ExecutionCommand::Argv { argv: argv.clone() },
    };
    Ok((command, argv))
}

pub fn resume(call: &Call<'_>, p: ExecutionResumeParams) -> Result<ResponseResult, ApiError> {
    check_place(call, &p.cwd, p.label.as_deref())?;
    let prepared = turn::prepare(&p)?;
    let spec = Spec {
        cwd: p.cwd,
        workspace_id: p.workspace_id,
        label: p.label,
        command: turn::shown(&p.native_launch),
        native: Some(p.native_launch),
        text: Some(p.text),
    };
    let named = (p.execution_id, Some(p.generation));
    launch(call, named, spec, prepared.argv, Some(prepared.executable))
}

fn check_place(call: &Call<'_>, cwd: &str, label: Option<&str>) -> Result<(), ApiError> {
    let path = Path::new(cwd);
    if !path.is_absolute() || !path.is_dir() {
        return Err(ApiError::new(
            "invalid_cwd",
            format!("cwd is no existing directory by its whole path: {cwd}"),
        ));
    }
    label::check(call, label)
}

/// Claims an execution, starts its program, and gives the record. The same asked for again gives the record that is
/// there.
fn launch(
    call: &Call<'_>,
    (id, generation): (String, Option<u64>),
    spec: Spec,
    argv: Vec<String>,
    executable: Option<Measured>,
) -> Result<ResponseResult, ApiError> {
    let random = || sys::random_bytes().map_err(|error| ApiError::internal(error.to_string()));
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&random()?);
    bytes[16..].copy_from_slice(&random()?);
    let capability = Capability::new(bytes);
    let (workspace, cwd, tab_label) = (
        spec.workspace_id.clone(),
        spec.cwd.clone(),
        spec.label.clone(),
    );
    let new = New {
        id: id.clone(),
        generation,
        spec,
        executable: executable.as_ref().map(|measured| measured.record.clone()),
        verifier: capability.verifier(),
    };
    // The claim is durable before anything runs, so that no restart can start it a second time.
    let admitted = call
        .shared
        .change_ledger(|ledger, now, rows| ledger.admit(new, now, rows))?;
    let record_id = match admitted {
        Admitted::Known(execution) => {
            return Ok(ResponseResult::Execution {
                admitted: false,
                execution: *execution,
            });
        }
        Admitted::New(record_id) => record_id,
    };
    let launch = Launch {
        cwd: Some(cwd.into()),
        argv: Some(argv),
        created_by: call.creator(),
        tracked: Some(TrackedLaunch {
            execution_id: id,
            generation: generation.unwrap_or_default(),
            capability,
        }),
        ..Launch::default()
    };
    let started = open(
        call,
        &record_id,
        workspace.as_deref(),
        tab_label,
        &launch,
        executable,
    );
    if let Err(error) = started {
        let gap = format!("{}: {}", error.code, error.message);
        call.shared.change_ledger(|ledger, now, rows| {
            ledger.lost(&record_id, &gap, now, rows);
            Ok(())
        })?;
        return Err(error);
    }
    let execution = call
        .shared
        .change_ledger(|ledger, _, _| Ok(ledger.execution(&record_id)?.record.clone()))?;
    Ok(ResponseResult::Execution {
        admitted: true,
        execution,
    })
}

/// Starts the program in a new tab that nobody is led to.
fn open(
    call: &Call<'_>,
    record_id: &str,
    workspace: Option<&str>,
    tab_label: Option<String>,
    launch: &Launch,
    executable: Option<Measured>,
) -> Result<(), ApiError> {
    let workspace = chosen_workspace(call, workspace)?;
    if executable.is_some_and(|measured| !measured.is_unchanged()) {
        return Err(ApiError::new(
            "invalid_xcsh_executable",
            "the executable changed after it was measured",
        ));
    }
    call.shared
        .create_tab_with(workspace, (tab_label, false), launch, |live, key| {
            let (Some(place), Some(entry)) = (live.world.pane(key), live.pane(key)) else {
                return;
            };
            let ids = (key, place.id().to_string(), place.tab().to_string());
            let pid = entry.runtime.pane.shell_pid();
            call.shared.execution_started(record_id, ids, pid);
        })
        .map_err(|error| creation_failed(error, "execution_start_failed"))?;
    Ok(())
}

fn chosen_workspace(call: &Call<'_>, id: Option<&str>) -> Result<WorkspaceId, ApiError> {
    let live = call.shared.look();
    match id {
        Some(id) => find::workspace(&live, id),
        None => live
            .world
            .active_workspace()
            .ok_or_else(|| ApiError::new("workspace_not_found", "no active workspace")),
    }
}

pub fn get(call: &Call<'_>, p: ExecutionTarget) -> Result<ResponseResult, ApiError> {
    let (record, pane) = found(call, &p.execution_id)?;
    Ok(ResponseResult::Execution {
        admitted: false,
        execution: call.shared.with_output(record, pane),
    })
}

fn found(call: &Call<'_>, id: &str) -> Result<(ExecutionRecord, Option<u64>), ApiError> {
    call.shared.ledger(|ledger| {
        let execution = ledger.execution(id)?;
        Ok((execution.record.clone(), execution.pane))
    })
}

pub fn list(call: &Call<'_>, p: SinceRevisionParams) -> Result<ResponseResult, ApiError> {
    Ok(ResponseResult::ExecutionList {
        executions: call.shared.executions_after(p.since_revision),
    })
}

pub fn wait(call: &Call<'_>, p: AfterRevisionParams) -> Result<ResponseResult, Ended> {
    let revision = || call.shared.ledger(|ledger| ledger.execution_revision());
    wait_for_change(call, &p, LONGEST_WAIT, revision)?;
    Ok(ResponseResult::ExecutionList {
        executions: call.shared.executions_after(p.after_revision),
    })
}

/// Asks xcsh to end its turn, and leaves its program alone; any other program is ended.
pub fn cancel(call: &Call<'_>, p: ExecutionTarget) -> Result<ResponseResult, ApiError> {
    let execution = end(call, &p)?;
    Ok(ResponseResult::Execution {
        admitted: false,
        execution,
    })
}

/// See [`cancel`]; the record.
pub fn end(call: &Call<'_>, p: &ExecutionTarget) -> Result<ExecutionRecord, ApiError> {
    let execution = call
        .shared
        .change_ledger(|ledger, now, rows| ledger.cancel(&p.execution_id, now, rows))?;
    let (_, pane) = found(call, &execution.execution_id)?;
    if execution.native_producer.is_none() && execution.state.is_live() {
        let runtime = pane
            .map(PaneKey::new)
            .and_then(|key| Some(call.shared.look().pane(key)?.runtime.clone()));
        if let Some(runtime) = runtime {
            runtime.pane.close();
        }
    }
    Ok(execution)
}
