//! The operations of commands that a project has, found again in a new description.

use super::ids::RequestKey;
use super::model::Endpoint;

/// A command that a project has of an operation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct KnownCommand {
    pub id: String,
    pub operation_id: String,
}

/// Returns the present location of an operation: the method and path that it had, or that of the same operationId or of
/// the same path with other names of parameters.
#[must_use]
pub fn moved(endpoints: &[Endpoint], key: &RequestKey, operation_id: &str) -> Option<RequestKey> {
    let (method, path) = key;
    let keys = |is_same: &dyn Fn(&Endpoint) -> bool| {
        let mut found = endpoints.iter().filter(|one| one.method == *method && is_same(one));
        let first = found.next().map(|one| (one.method.clone(), one.path.clone()));
        first.filter(|_| found.next().is_none())
    };
    keys(&|one| one.path == *path)
        .or_else(|| keys(&|one| !operation_id.is_empty() && one.operation_id == operation_id))
        .or_else(|| keys(&|one| unnamed(&one.path) == unnamed(path)))
}

/// A path without the names of its parameters.
fn unnamed(path: &str) -> String {
    let mut parts = path.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shorter, part| {
        shorter + "{}" + part.split_once('}').map_or("", |(_, rest)| rest)
    })
}
