//! Package managers that aos never runs: system packages, version managers, other languages.
//!
//! Queries package databases with a time limit, and changes nothing.

use std::path::Path;
use std::time::Duration;

use crate::system::process::{self, Invocation, ProcessError};
use crate::system::{files, search_path};
use crate::visible::excerpt;

use super::command::quoted;
use super::method::{InstallMethod, Owner, parts};

/// Time limit for a query of a package database.
const LIMIT: Duration = Duration::from_secs(10);

/// Consecutive components of a path (`/` for its start), the package manager that they indicate, and the command for
/// the user.
const PLACES: &[(&[&str], &str, Option<&str>)] = &[
    (&["nix", "store"], "nix", Some("nix profile upgrade aos")),
    (&["gnu", "store"], "guix", Some("guix upgrade aos")),
    // Not `~/snap`, where snaps store the files of their users.
    (&["/", "snap"], "snap", Some("sudo snap refresh aos")),
    (&["/", "var", "lib", "snapd", "snap"], "snap", Some("sudo snap refresh aos")),
    (&["/", "opt", "local"], "macports", Some("sudo port upgrade aos")),
    (&["scoop", "apps"], "scoop", Some("scoop update aos")),
    (&["chocolatey", "lib"], "chocolatey", Some("choco upgrade aos")),
    (&["WinGet", "Packages"], "winget", Some("winget upgrade aos")),
    (&["WindowsApps"], "windows-store", None),
    (&["mise", "installs"], "mise", Some("mise upgrade aos")),
    (&[".asdf", "installs"], "asdf", Some("asdf install aos latest")),
    (&["uv", "tools"], "uv", Some("uv tool upgrade aos")),
    (&["pipx", "venvs"], "pipx", Some("pipx upgrade aos")),
    (&["site-packages"], "pip", Some("pip install --upgrade aos")),
    (&["flatpak", "app"], "flatpak", Some("flatpak update")),
    (&["aquaproj-aqua", "pkgs"], "aqua", Some("aqua update")),
    (&["aqua-proxy"], "aqua", Some("aqua update")),
    (&[".proto", "tools"], "proto", Some("proto install aos")),
];

/// Detection by the directories that belong to these managers.
pub(super) fn by_place(path: &Path) -> Option<Owner> {
    let parts = parts(path);
    let inside_bundle = parts
        .windows(2)
        .any(|pair| pair[0].to_ascii_lowercase().ends_with(".app") && pair[1] == "Contents");
    if inside_bundle {
        // Its signature covers every file in it.
        let evidence = format!("`{}` is part of an application", path.display());
        return Some((managed("application", None), evidence));
    }
    let (names, manager, command) =
        PLACES.iter().find(|(names, ..)| is_below(&parts, names, |tool| !installs_others(tool)))?;
    let evidence = format!("`{}` is in `{}`", path.display(), names.join("/").replace("//", "/"));
    Some((managed(manager, *command), evidence))
}

/// True if `names` are consecutive in a path, followed by a component for which `holds` is true.
fn is_below(parts: &[&str], names: &[&str], holds: impl Fn(&str) -> bool) -> bool {
    parts.windows(names.len() + 1).any(|window| {
        let fits = window.iter().zip(names).all(|(part, name)| part.eq_ignore_ascii_case(name));
        fits && window.last().is_some_and(|tool| holds(tool))
    })
}

/// A tool that a version manager installed and that has its own package manager, which owns what it installed.
fn installs_others(tool: &str) -> bool {
    tool.starts_with("node") || tool == "rust"
}

fn managed(manager: &'static str, command: Option<&str>) -> InstallMethod {
    InstallMethod::Managed { manager, command: command.map(str::to_owned) }
}

/// Detection by the packages of the conda environment that contains the program.
pub(super) fn by_environment(path: &Path) -> Option<Owner> {
    let prefix = path.parent()?.parent()?;
    // The environment is not enough: anyone can put a program into its `bin`.
    let record = files::names(&prefix.join("conda-meta")).ok()?.into_iter().find(|name| {
        name.to_str().is_some_and(|name| name.starts_with("aos-") && name.ends_with(".json"))
    })?;
    let command = format!("conda update --prefix {} aos", quoted(&prefix.display().to_string()));
    let evidence = format!("`{}` has `{}`", prefix.display(), record.to_string_lossy());
    Some((managed("conda", Some(&command)), evidence))
}

/// Detection by system packages, which are queried only for files in system directories.
pub(super) fn by_database(path: &Path) -> Option<Owner> {
    let system = ["/usr", "/bin", "/sbin", "/opt"].iter().any(|place| path.starts_with(place));
    if !system || path.starts_with("/usr/local") {
        return None;
    }
    let file = path.to_str()?;
    let questions: [(&str, &str, &[&str], &str); 5] = [
        ("dpkg", "dpkg-query", &["-S", file], "sudo apt-get install --only-upgrade aos"),
        ("rpm", "rpm", &["-qf", file], "sudo dnf upgrade aos"),
        ("apk", "apk", &["info", "--who-owns", file], "sudo apk upgrade aos"),
        ("pacman", "pacman", &["-Qo", file], "sudo pacman -S aos"),
        ("xbps", "xbps-query", &["-o", file], "sudo xbps-install -u aos"),
    ];
    let mut silent = None;
    for (manager, program, arguments, command) in questions {
        let Some(program) = search_path::find(program) else { continue };
        match asked(&program, arguments) {
            OwnerReply::Owned(owner) => {
                let evidence = format!("{manager} says: {owner}");
                return Some((managed(manager, Some(command)), evidence));
            }
            OwnerReply::Unowned => {}
            OwnerReply::Silence => silent = Some(manager),
        }
    }
    // A file that may belong to a package is not overwritten.
    let manager = silent?;
    let evidence = format!("{manager} did not report whether it owns `{}`", path.display());
    Some((managed("unknown", None), evidence))
}

/// The response of a package database for a file.
#[derive(Debug, Eq, PartialEq)]
enum OwnerReply {
    /// Its first line.
    Owned(String),
    Unowned,
    Silence,
}

fn asked(program: &Path, arguments: &[&str]) -> OwnerReply {
    let Some(program) = program.to_str() else { return OwnerReply::Silence };
    let directory = Path::new("/");
    let invocation = Invocation { program, arguments, directory, without: &[], limit: LIMIT };
    match process::run(&invocation) {
        Ok(output) if output.success => {
            let line = output.stdout.lines().next().unwrap_or_default();
            let line: String = line.chars().take(200).collect();
            OwnerReply::Owned(excerpt(&line, 200))
        }
        Ok(_) | Err(ProcessError::NotFound { .. }) => OwnerReply::Unowned,
        Err(_) => OwnerReply::Silence,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn manager(path: &str) -> Option<&'static str> {
        by_place(Path::new(path)).map(|(method, _)| method.name())
    }

    #[test]
    fn a_manager_is_known_by_the_directory_it_keeps() {
        for (path, expected) in [
            ("/nix/store/0123-aos-0.1.0/bin/aos", Some("nix")),
            ("/home/me/.local/share/nix/root/nix/store/0123-aos/bin/aos", Some("nix")),
            ("/gnu/store/0123-aos-0.1.0/bin/aos", Some("guix")),
            ("/snap/aos/12/bin/aos", Some("snap")),
            ("/var/lib/snapd/snap/aos/12/bin/aos", Some("snap")),
            ("/opt/local/bin/aos", Some("macports")),
            ("/home/me/.local/share/mise/installs/ubi-aos/0.1.0/aos", Some("mise")),
            (
                "/home/me/.local/share/mise/installs/npm-aos/0.1.0/lib/node_modules/x/aos",
                Some("mise"),
            ),
            ("/home/me/.asdf/installs/aos/0.1.0/bin/aos", Some("asdf")),
            ("/home/me/.local/share/uv/tools/aos/bin/aos", Some("uv")),
            ("/home/me/.local/share/pipx/venvs/aos/bin/aos", Some("pipx")),
            ("/var/lib/flatpak/app/x/current/active/files/bin/aos", Some("flatpak")),
            ("/home/me/.local/share/aquaproj-aqua/pkgs/x/aos", Some("aqua")),
            ("/home/me/.proto/tools/aos/0.1.0/aos", Some("proto")),
            ("/Applications/ArgentOS.app/Contents/Resources/bin/aos", Some("application")),
        ] {
            assert_eq!(manager(path), expected, "{path}");
        }
    }

    #[test]
    fn a_similar_name_is_not_a_package_manager() {
        for path in [
            "/usr/local/bin/aos",
            "/home/me/.local/bin/aos",
            "/home/me/snap/code/common/.local/bin/aos",
            "/home/me/opt/local/bin/aos",
            "/home/me/store/nix/aos",
            "/home/me/my.app/bin/aos",
            "/home/scoop/bin/aos",
            // npm or cargo installed these.
            "/home/me/.local/share/mise/installs/node/22.1.0/lib/node_modules/x/aos",
            "/home/me/.asdf/installs/nodejs/22.1.0/lib/node_modules/x/aos",
            "/home/me/.asdf/installs/rust/1.95.0/bin/aos",
        ] {
            assert_eq!(manager(path), None, "{path}");
        }
    }

    #[test]
    fn a_package_database_that_does_not_respond_is_not_a_negative_answer() {
        assert_eq!(asked(Path::new("/bin/sh"), &["-c", "exit 1"]), OwnerReply::Unowned);
        assert_eq!(
            asked(Path::new("/bin/sh"), &["-c", "echo 'aos: /usr/bin/aos'; echo more"]),
            OwnerReply::Owned("aos: /usr/bin/aos".to_owned())
        );
        // A directory is not a program.
        assert_eq!(asked(Path::new("/bin"), &[]), OwnerReply::Silence);
        assert_eq!(asked(Path::new("/nowhere/dpkg-query"), &[]), OwnerReply::Unowned);
    }

    #[test]
    fn a_database_is_asked_about_files_of_the_system_only() {
        for path in ["/usr/local/bin/aos", "/home/me/bin/aos", "/usr/local/sbin/aos"] {
            assert_eq!(by_database(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn a_conda_environment_owns_what_its_records_name() {
        let place = tempfile::tempdir().unwrap();
        let meta = place.path().join("conda-meta");
        files::create_directory(&meta).unwrap();
        let write = |name: &str| {
            files::write_new(&meta.join(name), b"{}", files::Mode::Plain).unwrap();
        };
        let program = place.path().join("bin/aos");
        write("python-3.13.0-0.json");
        assert_eq!(by_environment(&program), None);
        write("aos-0.1.0-0.json");
        assert_eq!(by_environment(&program).unwrap().0.name(), "conda");
    }
}
