//! Managers that aos never runs: of the system, of versions, of other languages.

use std::path::Path;
use std::time::Duration;

use crate::system::process::{self, Invocation};
use crate::system::search_path;

use super::command::quoted;
use super::{InstallMethod, Owner, parts};

/// Longest time that a question to a package database may take.
const LIMIT: Duration = Duration::from_secs(5);

/// Names that follow each other in a path, the manager they tell of, and the command of a person.
const PLACES: [(&[&str], &str, Option<&str>); 16] = [
    (&["nix", "store"], "nix", Some("nix profile upgrade aos")),
    (&["gnu", "store"], "guix", Some("guix upgrade aos")),
    (&["snap"], "snap", Some("sudo snap refresh aos")),
    (&["scoop", "apps"], "scoop", Some("scoop update aos")),
    (&["chocolatey", "lib"], "chocolatey", Some("choco upgrade aos")),
    (&["WinGet", "Packages"], "winget", Some("winget upgrade aos")),
    (&["WindowsApps"], "windows-store", None),
    (&["mise", "installs"], "mise", Some("mise upgrade aos")),
    (&[".asdf", "installs"], "asdf", Some("asdf install aos latest")),
    (&["uv", "tools"], "uv", Some("uv tool upgrade aos")),
    (&["pipx", "venvs"], "pipx", Some("pipx upgrade aos")),
    (&["site-packages"], "pip", Some("pip install --upgrade aos")),
    (&["conda-meta"], "conda", Some("conda update aos")),
    (&["flatpak", "app"], "flatpak", Some("flatpak update")),
    (&["aqua-proxy"], "aqua", Some("aqua update")),
    (&[".proto", "tools"], "proto", Some("proto install aos")),
];

/// By the directories that such managers keep for themselves.
pub(super) fn by_place(path: &Path) -> Option<Owner> {
    let parts = parts(path);
    let (names, manager, command) = PLACES.iter().find(|(names, ..)| {
        parts.windows(names.len()).any(|window| {
            window.iter().zip(*names).all(|(part, name)| part.eq_ignore_ascii_case(name))
        })
    })?;
    let evidence = format!("`{}` lies below `{}`", path.display(), names.join("/"));
    let command = command.map(str::to_owned);
    Some((InstallMethod::Managed { manager, command }, evidence))
}

/// By the packages of the system, which are asked only about files in its own directories.
pub(super) fn by_database(path: &Path) -> Option<Owner> {
    // A Python or conda environment around the program.
    if let Some(prefix) = path.parent().and_then(Path::parent)
        && crate::system::files::names(&prefix.join("conda-meta")).is_ok()
    {
        let command =
            format!("conda update --prefix {} aos", quoted(&prefix.display().to_string()));
        let evidence = format!("`{}` is a conda environment", prefix.display());
        return Some((
            InstallMethod::Managed { manager: "conda", command: Some(command) },
            evidence,
        ));
    }
    let system = ["/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/games", "/opt"];
    if !system.iter().any(|directory| path.starts_with(directory)) {
        return None;
    }
    let file = path.to_str()?;
    let questions: [(&str, &[&str], &str); 5] = [
        ("dpkg-query", &["-S", file], "sudo apt-get install --only-upgrade aos"),
        ("rpm", &["-qf", file], "sudo dnf upgrade aos"),
        ("apk", &["info", "--who-owns", file], "sudo apk upgrade aos"),
        ("pacman", &["-Qo", file], "sudo pacman -S aos"),
        ("xbps-query", &["-o", file], "sudo xbps-install -u aos"),
    ];
    questions.iter().find_map(|(program, arguments, command)| {
        let owner = asked(&search_path::find(program)?, arguments)?;
        let manager = if *program == "dpkg-query" { "dpkg" } else { program };
        let evidence = format!("{manager} says: {owner}");
        Some((InstallMethod::Managed { manager, command: Some((*command).to_owned()) }, evidence))
    })
}

/// The first line of the answer, when the database knows the file.
fn asked(program: &Path, arguments: &[&str]) -> Option<String> {
    let program = program.to_str()?;
    let directory = Path::new("/");
    let invocation = Invocation { program, arguments, directory, without: &[], limit: LIMIT };
    let output = process::run(&invocation).ok().filter(|output| output.success)?;
    let line: String = output.stdout.lines().next()?.chars().take(200).collect();
    Some(line.escape_debug().to_string())
}
