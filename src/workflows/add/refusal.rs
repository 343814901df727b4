//! Requests that cannot be met, as errors with their fixes.

use crate::report::{ErrorCode, Failure};

use super::blueprint::WishError;

/// The failure of a wish that is not a command.
#[must_use]
pub fn refused(error: &WishError) -> Failure {
    let hint = match error {
        WishError::Name(_) => "use a name such as `item publish`",
        WishError::UnknownVerb { .. } => "add `--mode readonly`, `write`, `full` or `admin`",
        WishError::Mode { .. } => {
            "change `--mode`, or choose a verb that describes the effect of the command"
        }
        WishError::Request(_) => {
            "`{id}` stands for the id of the target; other `{names}` become inputs"
        }
        WishError::Input(_) => "write them as in `--input title --input size?:number`",
        WishError::Inputs => "split the command",
        WishError::Summary => "shorten `--summary`",
    };
    Failure::new(ErrorCode::Validation, error.to_string()).hint(hint)
}
