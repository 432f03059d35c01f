//! Who may do what: where a caller is, what it was granted, what each method needs, the decision,
//! and the record of it. Pure: the facts come from above, and nothing here looks anything up.
//!
//! [`state`](crate::state) reads the facts and keeps the grants; [`method`](crate::method) asks
//! before it runs a request, and once more right before bytes are typed.

mod access;
mod audit;
mod caller;
mod decide;
mod grants;
mod pane;
mod refusal;

pub use access::{Access, Kind, Needs, Target, rules};
pub use audit::{Audit, Event, Record};
pub use caller::{Look, PaneSide, Place, is_of_shell, place};
pub use decide::{InForce, Lack, Standing, TypingTarget, Whose, decide, decide_typing};
pub use grants::{Grant, Grants, NotGrants};
pub use pane::{PaneRights, Token};
pub use refusal::refusal;
