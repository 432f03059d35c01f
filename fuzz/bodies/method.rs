//! Every method through the daemon's own dispatch, with parameters that are nearly right, on a real state.

use std::sync::LazyLock;

use drover::api::envelope::Request;
use drover::api::method::ALL;
use drover::method::PROTOCOL;
use serde_json::json;

use super::entropy::Entropy;
use super::house::House;
use super::parameters::Parameters;

/// Requests to one state: what one leaves behind is what the next ones meet.
const REQUESTS: usize = 24;

/// Methods that do something outside the state and its panes: programs, repositories and files of the person who runs
/// this. Only their parameters are read.
const OUTSIDE: [&str; 11] = [
    "server.",
    "command.",
    "worktree.",
    "integration.",
    "plugin.",
    "product_announcement.",
    "release_notes.",
    "pane.edit_scrollback",
    "pane.link.activate",
    "popup.",
    "execution.",
];

/// # Panics
/// An answer is not the one line that answers its request, or the daemon says that it is at fault.
pub fn run(bytes: &[u8]) {
    static PARAMETERS: LazyLock<Vec<Parameters>> =
        LazyLock::new(|| ALL.iter().map(Parameters::of).collect());
    let mut entropy = Entropy::new(bytes);
    let house = House::new();
    for number in 0..REQUESTS {
        if entropy.is_empty() {
            break;
        }
        let index = entropy.below(ALL.len());
        let params = PARAMETERS[index].make(&mut entropy);
        let line = json!({ "id": number.to_string(), "method": ALL[index].name, "params": params });
        let caller = if entropy.once_in(4) {
            house.inside()
        } else {
            house.outside()
        };
        house.answer(&line.to_string(), &caller, may_run, &PROTOCOL);
    }
}

/// Whether a request does nothing outside the state.
pub fn may_run(request: &Request<'_>) -> bool {
    !OUTSIDE
        .iter()
        .any(|outside| request.method.name.starts_with(outside))
}
