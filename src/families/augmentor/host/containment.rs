//! The permissions of a package that the system enforces, and those that are only observed.
//!
//! A process of its own is not a sandbox: whatever is not enforced here, a package can do with the rights of the user.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::families::augmentor::manifest::AskedPermissions;
use crate::reason::Reason;
use crate::system::files::{self, Kind};
use crate::system::process::{self, Invocation};

use super::message::ObservedUse;

/// How long Node may take to say which options it has.
const LIMIT: Duration = Duration::from_secs(20);

/// The permissions of a run: declared, enforced, and the reasons for what is not enforced.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Containment {
    pub enforced: Vec<&'static str>,
    /// Permission to reason.
    pub not_enforced: Vec<NotEnforced>,
    /// Options of Node that enforce something.
    #[serde(skip)]
    pub options: Vec<String>,
}

/// A permission that the package could overstep.
#[derive(Clone, Debug, Serialize)]
pub struct NotEnforced {
    pub permission: &'static str,
    pub reason: String,
}

impl Containment {
    /// Returns the permissions that can be enforced for a package. `network` says whether the network of this process
    /// was cut off, or why not.
    #[must_use]
    pub fn of(
        permissions: &AskedPermissions,
        runtime: &str,
        program: &Path,
        readable: &[&Path],
        network: &Result<(), Reason>,
    ) -> Self {
        let mut found = Self::default();
        let model = (runtime == "node").then(|| PermissionModel::of(program));
        match (permissions.network.as_str(), network) {
            ("all", _) => {}
            ("none", Ok(())) => found.enforced.push("network"),
            ("none", Err(why)) => found.leave("network", why.to_string()),
            _ => found.leave(
                "network",
                "no system can distinguish https from other connections".to_owned(),
            ),
        }
        match model {
            Some(Some(model)) => {
                if permissions.filesystem != "read-write" {
                    found.enforced.push("filesystem");
                }
                if !permissions.starts_programs() {
                    found.enforced.push("programs");
                }
                found.options = model.options(permissions, readable);
            }
            Some(None) => found.leave_files(permissions, "this Node has no permission model"),
            None => found.leave_files(permissions, "Python has no permission model"),
        }
        found
    }

    fn leave(&mut self, permission: &'static str, reason: String) {
        self.not_enforced.push(NotEnforced { permission, reason });
    }

    fn leave_files(&mut self, permissions: &AskedPermissions, why: &str) {
        if permissions.filesystem != "read-write" {
            self.leave("filesystem", why.to_owned());
        }
        if !permissions.starts_programs() {
            self.leave("programs", why.to_owned());
        }
    }

    /// True if the system enforces a permission.
    #[must_use]
    pub fn enforces(&self, permission: &str) -> bool {
        self.enforced.contains(&permission)
    }
}

/// The permission model of a Node.
struct PermissionModel {
    option: &'static str,
    /// The model covers the network too.
    has_network: bool,
}

impl PermissionModel {
    /// Returns the permission model of this Node; `None` if it is too old.
    fn of(node: &Path) -> Option<Self> {
        let accepts = |options: &[&str]| {
            let arguments: Vec<_> = options.iter().copied().chain(["--version"]).collect();
            let program = node.to_str().unwrap_or_default();
            let directory = Path::new(".");
            process::run(&Invocation {
                program,
                arguments: &arguments,
                directory,
                without: &[],
                limit: LIMIT,
            })
            .is_ok_and(|output| output.success)
        };
        if accepts(&["--permission"]) {
            return Some(Self {
                option: "--permission",
                has_network: accepts(&["--permission", "--allow-net"]),
            });
        }
        if accepts(&["--experimental-permission"]) {
            return Some(Self { option: "--experimental-permission", has_network: false });
        }
        None
    }

    fn options(&self, permissions: &AskedPermissions, readable: &[&Path]) -> Vec<String> {
        let mut options = vec![self.option.to_owned()];
        let mut allow = |option: &str| options.push(option.to_owned());
        for directory in readable {
            allow(&format!("--allow-fs-read={}/*", directory.display()));
            // Node looks for packages in every directory above.
            for above in directory.ancestors().skip(1) {
                let modules = above.join("node_modules");
                if matches!(files::kind(&modules), Ok(Kind::Directory)) {
                    allow(&format!("--allow-fs-read={}/*", modules.display()));
                }
            }
        }
        if permissions.reads() {
            allow("--allow-fs-read=*");
        }
        if permissions.writes() {
            allow("--allow-fs-write=*");
        }
        if permissions.starts_programs() {
            allow("--allow-child-process");
            // Node itself warns that a worker can get around its model.
            allow("--allow-worker");
        }
        if self.has_network && !permissions.has_no_network() {
            allow("--allow-net");
        }
        options
    }
}

/// True if the declaration of a package covers what was observed.
#[must_use]
pub fn is_declared(permissions: &AskedPermissions, observed: &ObservedUse) -> bool {
    match observed.kind.as_str() {
        "fs.read" => permissions.reads(),
        "fs.write" => permissions.writes(),
        "network" => match permissions.network.as_str() {
            "all" => true,
            "https" => observed.target.ends_with(":443"),
            _ => false,
        },
        "lookup" => !permissions.has_no_network(),
        "program" => permissions.starts_programs(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions(filesystem: &str, network: &str) -> AskedPermissions {
        AskedPermissions {
            filesystem: filesystem.into(),
            network: network.into(),
            secrets: Vec::new(),
        }
    }

    #[test]
    fn an_observation_is_held_against_the_declaration() {
        let seen =
            |kind: &str, target: &str| ObservedUse { kind: kind.into(), target: target.into() };
        for (filesystem, network, kind, target, wanted) in [
            ("none", "none", "fs.read", "/a", false),
            ("read", "none", "fs.read", "/a", true),
            ("read", "none", "fs.write", "/a", false),
            ("write", "none", "fs.read", "/a", false),
            ("none", "https", "network", "a:443", true),
            ("none", "https", "network", "a:80", false),
            ("none", "none", "lookup", "a", false),
            ("none", "https", "lookup", "a", true),
            ("read-write", "https", "program", "true", false),
            ("read-write", "all", "program", "true", true),
            ("none", "none", "dropped", "3", true),
        ] {
            let declared = is_declared(&permissions(filesystem, network), &seen(kind, target));
            assert_eq!(declared, wanted, "{filesystem} {network} {kind}");
        }
    }

    #[test]
    fn python_says_that_files_are_not_enforced() {
        let found = Containment::of(
            &permissions("none", "none"),
            "python",
            Path::new("python3"),
            &[],
            &Ok(()),
        );
        assert_eq!(found.enforced, ["network"]);
        let left: Vec<_> = found.not_enforced.iter().map(|left| left.permission).collect();
        assert_eq!(left, ["filesystem", "programs"]);
        let all = permissions("read-write", "all");
        let found = Containment::of(&all, "python", Path::new("python3"), &[], &Err("".into()));
        assert!(found.enforced.is_empty() && found.not_enforced.is_empty());
    }
}
