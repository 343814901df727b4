//! The permissions of a package that the system enforces, and those that are only observed.
//!
//! A process of its own alone is not a sandbox: whatever is not enforced here, a package can do with the rights of the user.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::conform::containment::files_of;
use crate::families::augmentor::manifest::AskedPermissions;
use crate::reason::Reason;
use crate::system::enclosure::{self, DEVICES, Enclosure, system_directories};
use crate::system::files::{self, Kind};
use crate::system::process::{self, Invocation};

use super::message::{ErrorMembers, ObservedUse};
use super::place::PackagePlace;

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
    /// The files to which the process is kept; without it, to none.
    #[serde(skip)]
    pub enclosure: Option<Enclosure>,
}

/// A permission that the package could overstep.
#[derive(Clone, Debug, Serialize)]
pub struct NotEnforced {
    pub permission: &'static str,
    pub reason: String,
}

/// The results of restricting this process, or the program that it starts, or why that is impossible.
#[derive(Clone, Debug)]
pub struct Restrictions {
    /// The network of this process was cut off.
    pub network: Result<(), Reason>,
    /// A program can be kept to files.
    pub files: Result<(), Reason>,
}

impl Restrictions {
    /// Finds out whether this system can keep a program to files.
    #[must_use]
    pub fn with_network(network: &Result<(), Reason>) -> Self {
        let files = enclosure::rehearse().files.map_err(Reason::of);
        Self { network: network.clone(), files }
    }
}

impl Containment {
    /// Returns the permissions that can be enforced for the package in `place`, which `program` runs.
    #[must_use]
    pub fn of(place: &PackagePlace, program: &Path, restrictions: &Restrictions) -> Self {
        let permissions = &place.manifest.permissions;
        let runtime = place.runtime.as_str();
        let mut found = Self::default();
        let model = (runtime == "node").then(|| PermissionModel::of(program));
        match (permissions.network.as_str(), &restrictions.network) {
            ("all", _) => {}
            ("none", Ok(())) => found.enforced.push("network"),
            ("none", Err(why)) => found.leave("network", why.to_string()),
            _ => found.leave(
                "network",
                "no system can distinguish https from other connections".to_owned(),
            ),
        }
        let model = match model {
            Some(Some(model)) => Ok(model),
            Some(None) => Err("this Node has no permission model"),
            None => Err("Python has no permission model"),
        };
        if permissions.filesystem != "read-write" {
            match (&model, &restrictions.files) {
                (_, Ok(())) | (Ok(_), _) => found.enforced.push("filesystem"),
                (Err(why), Err(system)) => found.leave("filesystem", format!("{why}; {system}")),
            }
            if restrictions.files.is_ok() {
                found.enclosure = Some(files_for(permissions, program, place));
            }
        }
        if !permissions.starts_programs() {
            match &model {
                Ok(_) => found.enforced.push("programs"),
                Err(why) => found.leave("programs", (*why).to_owned()),
            }
        }
        if let Ok(model) = model {
            found.options = model.options(permissions, &place.root);
        }
        found
    }

    fn leave(&mut self, permission: &'static str, reason: String) {
        self.not_enforced.push(NotEnforced { permission, reason });
    }

    /// The refusal that an exception is about: the package used a file that it did not declare, and the system refused it.
    #[must_use]
    pub fn refusal(
        &self,
        permissions: &AskedPermissions,
        error: &ErrorMembers,
        observed: &[ObservedUse],
    ) -> Option<ErrorMembers> {
        self.enclosure.as_ref()?;
        let is_denied = ["[Errno 13]", "EACCES"].iter().any(|word| error.message.contains(word));
        if error.code != "internal_error" || !is_denied {
            return None;
        }
        let used = observed.iter().find(|used| {
            !is_declared(permissions, used) && error.message.contains(used.target.as_str())
        })?;
        // The names that Node gives its permissions.
        let permission = match used.kind.as_str() {
            "fs.read" => "FileSystemRead",
            "fs.write" => "FileSystemWrite",
            _ => return None,
        };
        Some(ErrorMembers {
            code: "permission_denied".to_owned(),
            message: error.message.clone(),
            data: json!({"permission": permission, "resource": used.target}),
        })
    }

    /// True if the system enforces a permission.
    #[must_use]
    pub fn enforces(&self, permission: &str) -> bool {
        self.enforced.contains(&permission)
    }
}

/// The files that a package may use by its declaration, besides those that every program needs and its own directory for
/// temporary files.
fn files_for(permissions: &AskedPermissions, program: &Path, place: &PackagePlace) -> Enclosure {
    let root = place.root.as_path();
    let everything = || vec![PathBuf::from("/")];
    let mut readable = system_directories();
    readable.extend(files_of(program));
    readable.push(root.to_owned());
    readable.extend(modules_above(root));
    readable.extend(place.imported_from().map(PathBuf::from));
    if permissions.reads() {
        readable = everything();
    }
    Enclosure {
        readable,
        writable: DEVICES.iter().map(PathBuf::from).collect(),
        write_only: if permissions.writes() { everything() } else { Vec::new() },
        is_required: true,
    }
}

/// The directories in which Node looks for packages: one in every directory above.
fn modules_above(root: &Path) -> impl Iterator<Item = PathBuf> {
    let all = root.ancestors().skip(1).map(|above| above.join("node_modules"));
    all.filter(|modules| matches!(files::kind(modules), Ok(Kind::Directory)))
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

    fn options(&self, permissions: &AskedPermissions, root: &Path) -> Vec<String> {
        let mut options = vec![self.option.to_owned()];
        let mut allow = |option: &str| options.push(option.to_owned());
        for directory in modules_above(root).chain([root.to_owned()]) {
            allow(&format!("--allow-fs-read={}/*", directory.display()));
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
    use crate::families::augmentor::manifest::AugmentorManifest;

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

    fn of_python(permissions: &AskedPermissions, files: Result<(), Reason>) -> Containment {
        of_place(&place(permissions), files)
    }

    fn place(permissions: &AskedPermissions) -> PackagePlace {
        let permissions = permissions.clone();
        PackagePlace {
            root: "/p".into(),
            runtime: "python".into(),
            manifest: AugmentorManifest { permissions, ..AugmentorManifest::default() },
            ..PackagePlace::default()
        }
    }

    fn of_place(place: &PackagePlace, files: Result<(), Reason>) -> Containment {
        Containment::of(place, Path::new("python3"), &Restrictions { network: Ok(()), files })
    }

    #[test]
    fn an_installed_package_reads_the_directory_that_it_is_imported_from() {
        let mut place = place(&permissions("none", "none"));
        for (above, paths, reads) in [
            ("/v/site-packages", vec!["src", "."], false),
            ("/v/site-packages", vec![".."], true),
            ("/home/me/src", vec![".."], false),
            ("/home/me", vec![".."], false),
        ] {
            place.root = Path::new(above).join("sample");
            place.paths = paths.into_iter().map(str::to_owned).collect();
            let files = of_place(&place, Ok(())).enclosure.expect("an enclosure");
            assert_eq!(files.readable.contains(&PathBuf::from(above)), reads, "{above}");
        }
    }

    fn left(found: &Containment) -> Vec<(&str, &str)> {
        found.not_enforced.iter().map(|left| (left.permission, left.reason.as_str())).collect()
    }

    #[test]
    fn python_is_kept_to_files_where_the_system_can_do_it() {
        let found = of_python(&permissions("none", "none"), Ok(()));
        assert_eq!(found.enforced, ["network", "filesystem"]);
        assert_eq!(left(&found), [("programs", "Python has no permission model")]);
        let files = found.enclosure.expect("an enclosure");
        assert!(files.readable.contains(&PathBuf::from("/p")) && files.write_only.is_empty());
        let found = of_python(&permissions("none", "none"), Err("there is no Landlock".into()));
        assert_eq!(found.enforced, ["network"]);
        assert_eq!(found.enclosure, None);
        let why = "Python has no permission model";
        let both = format!("{why}; there is no Landlock");
        assert_eq!(left(&found), [("filesystem", both.as_str()), ("programs", why)]);
    }

    #[test]
    fn a_refused_file_is_a_denied_permission_if_it_was_not_declared() {
        let error = |message: &str| ErrorMembers {
            code: "internal_error".into(),
            message: message.into(),
            data: json!({"type": "PermissionError"}),
        };
        let denied = error("[Errno 13] Permission denied: '/a/b'");
        let seen = |target: &str| [ObservedUse { kind: "fs.read".into(), target: target.into() }];
        let none = permissions("none", "none");
        let found = of_python(&none, Ok(()));
        let refusal = found.refusal(&none, &denied, &seen("/a/b")).expect("a refusal");
        assert_eq!(refusal.code, "permission_denied");
        assert_eq!(refusal.data, json!({"permission": "FileSystemRead", "resource": "/a/b"}));
        assert_eq!(found.refusal(&none, &denied, &seen("/other")), None);
        assert_eq!(found.refusal(&none, &error("no such file: '/a/b'"), &seen("/a/b")), None);
        let read = permissions("read", "none");
        let kept = of_python(&read, Ok(()));
        assert_eq!(kept.refusal(&read, &denied, &seen("/a/b")), None);
        let free = of_python(&none, Err("there is no Landlock".into()));
        assert_eq!(free.refusal(&none, &denied, &seen("/a/b")), None);
    }

    #[test]
    fn what_is_declared_is_allowed() {
        let root = PathBuf::from("/");
        for (filesystem, reads, writes) in
            [("none", false, false), ("read", true, false), ("write", false, true)]
        {
            let found = of_python(&permissions(filesystem, "none"), Ok(()));
            let files = found.enclosure.expect("an enclosure");
            assert_eq!(files.readable.contains(&root), reads, "{filesystem}");
            assert_eq!(files.write_only.contains(&root), writes, "{filesystem}");
        }
        let found = of_python(&permissions("read-write", "all"), Ok(()));
        assert!(found.enforced.is_empty() && found.not_enforced.is_empty());
        assert_eq!(found.enclosure, None);
    }
}
