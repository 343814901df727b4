//! `aos migrate --recursive`: one preview and one token for a whole fleet; each project is still changed on its own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::inputs::fleet as projects;
use crate::inputs::project::{Project, Slot};
use crate::plan::Digest;
use crate::report::answers::migrate::{MigrateAnswer, MigratedFleet};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::{clock, files};
use crate::visible::visible;
use crate::workflows::write_gate::FleetScope;
use crate::workflows::{Run, fleet};

use super::request::MigrateRequest;
use super::seam::MIGRATORS;
use super::{Consent, migrate_with, prepared_plan, without_rewrites};

/// Plans by project.
pub type FleetPlans = BTreeMap<PathBuf, Digest>;

/// Brings every project below `root` over.
///
/// # Errors
/// Returns an error if a project failed, or the token is not for these plans.
pub fn migrate_all(root: &Path, request: &MigrateRequest, run: &Run) -> Result<Outcome, Failure> {
    let of = |path: &Path| MigrateRequest { path: path.to_owned(), ..request.clone() };
    if let Some(token) = &request.write.confirm {
        let plans = plans(root, request)?;
        scope(root, &plans, |scope| scope.accept(token))?;
        let answer = |report| MigrateAnswer::Fleet(Box::new(MigratedFleet::of(report)));
        return fleet::over(root, false, run, answer, |path| match of_another_family(path) {
            Some(why) => Ok(fleet::nothing_to_do(why)),
            None => migrate_with(&of(path), run, Consent::Approved(&plans)),
        });
    }
    let seen = RefCell::new(FleetPlans::new());
    let answer = |report| MigrateAnswer::Fleet(Box::new(MigratedFleet::of(report)));
    let result = fleet::over(root, request.write.dry_run, run, answer, |path| {
        match of_another_family(path) {
            Some(why) => Ok(fleet::nothing_to_do(why)),
            None => migrate_with(&of(path), run, Consent::Asked(&seen)),
        }
    });
    let seen = seen.into_inner();
    if !request.write.dry_run || seen.is_empty() {
        return result;
    }
    let (token, expires) = scope(root, &seen, |scope| scope.offer())?;
    let expires = clock::iso8601(expires);
    match result {
        Ok(mut outcome) => {
            outcome.text.push(&visible!(
                "\nConfirm all with --confirm {} (until {})",
                token,
                expires
            ));
            if let Some(members) = outcome.data.as_object_mut() {
                members.insert("confirm_token".to_owned(), token.into());
                members.insert("expires_at".to_owned(), expires.into());
            }
            Ok(outcome)
        }
        Err(failure) if failure.code == ErrorCode::Interrupted => Err(failure),
        // The others can still be confirmed.
        Err(failure) => Err(failure.detail("confirm_token", token).detail("expires_at", expires)),
    }
}

/// Returns the reason why nothing is done in a valid project whose family has no rewrites.
fn of_another_family(path: &Path) -> Option<String> {
    let project = Project::open(path).ok()?;
    let is_other =
        MIGRATORS.of(project.family).is_none() && matches!(project.record, Slot::Good(_));
    is_other.then(|| without_rewrites(project.family))
}

/// The plans of all projects that have one.
fn plans(root: &Path, request: &MigrateRequest) -> Result<FleetPlans, Failure> {
    let mut plans = FleetPlans::new();
    for path in projects::discover(root)?.projects {
        if path != root && matches!(files::kind(&path), Ok(files::Kind::Symlink)) {
            continue;
        }
        match prepared_plan(&MigrateRequest { path, ..request.clone() }) {
            Ok((root, plan)) if !plan.is_empty() => {
                plans.insert(root, plan.digest());
            }
            Err(failure) if failure.code == ErrorCode::Interrupted => return Err(failure),
            // It fails again, with its reason, when its turn comes.
            _ => {}
        }
    }
    Ok(plans)
}

fn scope<T>(
    root: &Path,
    plans: &FleetPlans,
    act: impl FnOnce(&FleetScope<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let root = files::canonical(root).unwrap_or_else(|_| root.to_owned());
    let listed: Vec<String> =
        plans.iter().map(|(path, plan)| format!("{}\0{plan}\n", path.display())).collect();
    let plans = Digest::of(listed.concat().as_bytes());
    act(&FleetScope { command: "migrate", root: &root, plans })
}
