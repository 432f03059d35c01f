//! The one action there is, to cancel a turn: asked for once, acknowledged at a safe point within its time, settled by
//! the turn's end. Nothing is ever killed for it.

use crate::api::ApiError;
use crate::api::records::{AgentTurnAction, AgentTurnActionState};

/// Its name and number, of which there is one for each execution.
pub(super) const ID: &str = "cancel";
pub(super) const REVISION: u64 = 1;

/// Milliseconds that a producer has to get to a safe point: as long as xcsh itself waits.
pub const SAFE_POINT_MS: u64 = 30_000;

/// Asks for it.
pub(super) fn requested(backend_execution_id: &str, now: u64) -> AgentTurnAction {
    AgentTurnAction {
        backend_execution_id: backend_execution_id.to_owned(),
        action_id: ID.to_owned(),
        action_revision: REVISION,
        state: AgentTurnActionState::Requested,
        requested_at_unix_ms: now,
        acknowledged_at_unix_ms: None,
        turn_id: None,
        timed_out_at_unix_ms: None,
        settled_at_unix_ms: None,
    }
}

/// When its time is over; none if that does not matter any more.
pub(super) fn deadline(action: &AgentTurnAction) -> Option<u64> {
    let waits = action.state == AgentTurnActionState::Requested;
    // Later than this is too late, at this it is not.
    waits.then(|| {
        action
            .requested_at_unix_ms
            .saturating_add(SAFE_POINT_MS + 1)
    })
}

/// Notes that its time is over, if it is. True if that is news.
pub(super) fn expire(action: &mut AgentTurnAction, now: u64) -> bool {
    let over = deadline(action).is_some_and(|deadline| deadline <= now);
    if over {
        action.state = AgentTurnActionState::TimedOut;
        action.timed_out_at_unix_ms = Some(now);
    }
    over
}

/// The turn has stopped at a safe point. True if that is news; the same once more is not, however late.
///
/// # Errors
/// Its time is over.
pub(super) fn acknowledge(
    action: &mut AgentTurnAction,
    turn_id: &str,
    now: u64,
) -> Result<bool, ApiError> {
    match action.state {
        AgentTurnActionState::SafePoint => Ok(false),
        AgentTurnActionState::TimedOut => Err(ApiError::new(
            "agent_turn_action_safe_point_timeout",
            format!(
                "no safe point was acknowledged within {} s, so the turn is not to be cancelled",
                SAFE_POINT_MS / 1_000
            ),
        )),
        AgentTurnActionState::Requested => {
            action.state = AgentTurnActionState::SafePoint;
            action.acknowledged_at_unix_ms = Some(now);
            action.turn_id = Some(turn_id.to_owned());
            Ok(true)
        }
    }
}

/// Whether this turn may end as cancelled.
///
/// # Errors
/// Nobody asked for it, or the turn has not stopped at a safe point.
pub(super) fn allows_cancelled(
    action: Option<&AgentTurnAction>,
    turn_id: &str,
) -> Result<(), ApiError> {
    let Some(action) = action else {
        return Err(ApiError::new(
            "agent_turn_native_cancel_not_requested",
            "nobody asked to cancel this turn; report it as interrupted",
        ));
    };
    if action.state == AgentTurnActionState::SafePoint && action.turn_id.as_deref() == Some(turn_id)
    {
        return Ok(());
    }
    Err(ApiError::new(
        "agent_turn_native_cancel_not_at_authenticated_safe_point",
        "this turn did not acknowledge a safe point; report it as interrupted",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use AgentTurnActionState::*;

    #[test]
    fn a_safe_point_is_acknowledged_once_and_the_same_again_is_no_news() {
        let mut action = requested("xcsh-1", 1_000);
        assert_eq!(acknowledge(&mut action, "t", 1_300), Ok(true));
        assert_eq!(acknowledge(&mut action, "t", 90_000), Ok(false));
        assert_eq!(action.acknowledged_at_unix_ms, Some(1_300));
        assert!(!expire(&mut action, u64::MAX));
        assert_eq!(allows_cancelled(Some(&action), "t"), Ok(()));
        let other = allows_cancelled(Some(&action), "u").unwrap_err();
        assert!(other.code.ends_with("not_at_authenticated_safe_point"));
    }

    #[test]
    fn thirty_seconds_are_in_time_and_more_never_come_back() {
        let mut action = requested("xcsh-1", 1_000);
        assert!(!expire(&mut action, 31_000));
        assert!(expire(&mut action, 31_001) && action.state == TimedOut);
        assert!(!expire(&mut action, 99_000));
        let late = acknowledge(&mut action, "t", 31_001).unwrap_err();
        assert_eq!(late.code, "agent_turn_action_safe_point_timeout");
        assert!(allows_cancelled(Some(&action), "t").is_err());
        assert_eq!(action.timed_out_at_unix_ms, Some(31_001));
    }

    #[test]
    fn without_a_request_nothing_may_be_cancelled() {
        let refused = allows_cancelled(None, "t").unwrap_err();
        assert_eq!(refused.code, "agent_turn_native_cancel_not_requested");
        let asked = requested("xcsh-1", 0);
        assert_eq!(asked.state, Requested);
        assert!(allows_cancelled(Some(&asked), "t").is_err());
    }
}
