//! Packages and calls as the answers of `aos augmentor`. Nothing is run here.

use serde_json::{Map, Value};

use crate::report::answers::augmentor as answers;
use crate::report::answers::augmentor::{
    AugmentorAgent, AugmentorCall, AugmentorCommand, AugmentorDescription, AugmentorFault,
    AugmentorPackage, AugmentorPermissions, AugmentorResult, AugmentorSecrets, AugmentorTool,
    DeclaredPermissions, UnenforcedPermission,
};

use super::host::containment;
use super::host::message::ObservedUse;
use super::host::outcome::CallError;
use super::host::package::{self, HostedPackage};
use super::host::place::PackagePlace;

/// A loaded package; `notes` say what happened when it was shut down.
pub fn described(package: &HostedPackage<'_>, notes: Vec<String>) -> AugmentorDescription {
    let (place, facts) = (&package.place, &package.facts);
    let mut identity = identity(place);
    identity.runtime_version = Some(facts.runtime_version.clone());
    AugmentorDescription {
        package: identity,
        caps: place.manifest.caps.clone(),
        permissions: permissions(package),
        secrets: secrets(place),
        commands: facts
            .commands
            .iter()
            .cloned()
            .map(|one| AugmentorCommand {
                name: one.name,
                description: one.description,
                schema: one.schema,
                is_async: one.is_async,
            })
            .collect(),
        agents: facts
            .agents
            .iter()
            .cloned()
            .map(|one| AugmentorAgent {
                id: one.id,
                description: one.description,
                schema: one.schema,
                is_async: one.is_async,
            })
            .collect(),
        tools: facts
            .tools
            .iter()
            .cloned()
            .map(|one| AugmentorTool {
                name: one.name,
                description: one.description,
                input_schema: one.input_schema,
            })
            .collect(),
        shutdown: facts.shutdown.clone(),
        warnings: place.warnings.clone(),
        notes,
    }
}

/// Returns the facts of a call, regardless of how it ended.
pub fn call(
    package: &HostedPackage<'_>,
    callee: Called,
    chunks: u64,
    notes: Vec<String>,
) -> AugmentorCall {
    let (command, agent) = match callee {
        Called::Command(name) => (Some(name), None),
        Called::Agent(id) => (None, Some(id)),
    };
    AugmentorCall {
        package: identity(&package.place),
        command,
        agent,
        chunks,
        permissions: permissions(package),
        secrets: secrets(&package.place),
        notes,
    }
}

/// The command or the agent of a call.
pub enum Called {
    Command(String),
    Agent(String),
}

/// A call that has a result.
pub fn result(
    call: AugmentorCall,
    value: Map<String, Value>,
    warnings: Vec<String>,
) -> AugmentorResult {
    AugmentorResult { call, result: value, error: None, warnings }
}

/// The error of a call.
pub fn fault(error: &CallError) -> AugmentorFault {
    let members = &error.error;
    AugmentorFault {
        code: members.code.clone(),
        message: members.message.clone(),
        data: members.data.clone(),
        origin: error.origin.as_str().to_owned(),
    }
}

fn identity(place: &PackagePlace) -> AugmentorPackage {
    AugmentorPackage {
        name: place.name().to_owned(),
        version: place.manifest.version.clone(),
        runtime: place.runtime.clone(),
        root: place.root.display().to_string(),
        found: place.found.clone(),
        runtime_version: None,
    }
}

/// Returns the declared, observed and enforced permissions. The package could have used a permission that is not
/// enforced without being observed.
fn permissions(package: &HostedPackage<'_>) -> AugmentorPermissions {
    let declared = &package.place.manifest.permissions;
    let is_undeclared = |observed: &&ObservedUse| !containment::is_declared(declared, observed);
    let access = |observed: &ObservedUse| answers::ObservedAccess {
        kind: observed.kind.clone(),
        target: observed.target.clone(),
    };
    let left = package.containment.not_enforced.iter();
    AugmentorPermissions {
        declared: DeclaredPermissions {
            filesystem: declared.filesystem.clone(),
            network: declared.network.clone(),
        },
        enforced: package.containment.enforced.iter().map(|&name| name.to_owned()).collect(),
        not_enforced: left
            .map(|left| UnenforcedPermission {
                permission: left.permission.to_owned(),
                reason: left.reason.clone(),
            })
            .collect(),
        observed: package.observed.iter().map(access).collect(),
        undeclared: package.observed.iter().filter(is_undeclared).map(access).collect(),
    }
}

/// Returns the names of the declared secrets that the package gets; never their values.
fn secrets(place: &PackagePlace) -> AugmentorSecrets {
    let (_, missing) = package::secrets(place);
    let names = &place.manifest.permissions.secrets;
    let given = names.iter().filter(|name| !missing.contains(name)).cloned().collect();
    AugmentorSecrets { given, missing }
}
