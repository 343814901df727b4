//! Detects how the running program was installed from its path: the owner of the file must update it.
//!
//! Only the real path is used, never a recorded method. `detect` reads a few small files; `drive` runs the package
//! manager.

mod aftermath;
mod cargo;
mod command;
mod drive;
mod homebrew;
mod method;
mod node;
mod system;

use std::io;
use std::path::{Path, PathBuf};

use crate::system::files;
use method::is_file;

pub use aftermath::{Aftermath, Before};
pub use command::{ManagerCommand, quoted};
pub use drive::{DriveCause, DriveError, drive};
pub use method::{CrateSource, InstallMethod, Installation};

/// Why the path of the program is unknown.
#[derive(Debug, thiserror::Error)]
#[error("`{}` no longer exists: {source}", path.display())]
pub struct DetectError {
    path: PathBuf,
    source: io::Error,
}

impl Installation {
    /// The path that starts the installed program now; its package manager may have moved it.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        match &self.method {
            InstallMethod::Npm { prefix } if !is_file(&self.invoked) => node::launcher(prefix),
            _ => self.invoked.clone(),
        }
    }
}

/// Detects the owner of the program at `executable`, the path that the system reports.
///
/// # Errors
/// If the file no longer exists.
pub fn detect(executable: &Path) -> Result<Installation, DetectError> {
    let (executable, path) = located(executable)
        .map_err(|source| DetectError { path: executable.to_owned(), source })?;
    let (method, evidence) = system::by_place(&path)
        .or_else(|| homebrew::owner(&path))
        .or_else(|| node::owner(&path))
        .or_else(|| cargo::owner(&path))
        .or_else(|| system::by_environment(&path))
        .or_else(|| system::by_database(&path))
        .unwrap_or_else(|| {
            (InstallMethod::Standalone, format!("no package manager owns `{}`", path.display()))
        });
    let invoked = match method {
        InstallMethod::Homebrew { .. } => homebrew::link(&path).unwrap_or_else(|| path.clone()),
        _ if executable.is_absolute() => executable,
        _ => path.clone(),
    };
    Ok(Installation { method, executable: path, invoked, evidence })
}

/// The path by which the program was started, and its real path.
fn located(executable: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let (name, real) = match files::canonical(executable) {
        Ok(real) => (executable.to_owned(), real),
        Err(error) => {
            // Linux adds this suffix if the file of a running program was replaced. The new file is the relevant one.
            let name = executable.to_str().and_then(|text| text.strip_suffix(" (deleted)"));
            let name =
                name.map(PathBuf::from).filter(|_| cfg!(target_os = "linux")).ok_or(error)?;
            let real = files::canonical(&name)?;
            (name, real)
        }
    };
    let plain = real.to_str().map(without_verbatim_prefix).map(PathBuf::from);
    Ok((name, plain.unwrap_or(real)))
}

/// `C:\x` for `\\?\C:\x`, which Windows returns and few programs accept.
fn without_verbatim_prefix(path: &str) -> &str {
    let inner = path.strip_prefix(r"\\?\");
    inner.filter(|inner| inner.as_bytes().get(1) == Some(&b':')).unwrap_or(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::files::Mode;

    /// A directory with files in it; a text that begins with `#!` is a program.
    struct Tree {
        place: tempfile::TempDir,
    }

    impl Tree {
        fn new(files: &[(&str, &str)]) -> Self {
            let tree = Self { place: tempfile::tempdir().unwrap() };
            for (name, text) in files {
                tree.add(name, text);
            }
            tree
        }

        fn path(&self, name: &str) -> PathBuf {
            files::canonical(self.place.path()).unwrap().join(name)
        }

        fn add(&self, name: &str, text: &str) {
            let path = self.path(name);
            files::create_private_directory(path.parent().unwrap()).unwrap();
            let mode = if text.starts_with("#!") { Mode::Executable } else { Mode::Plain };
            files::write_new(&path, text.as_bytes(), mode).unwrap();
        }

        fn link(&self, name: &str, to: &str) {
            let path = self.path(name);
            files::create_private_directory(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(self.path(to), path).unwrap();
        }

        fn detect(&self, name: &str) -> Installation {
            detect(&self.path(name)).unwrap()
        }
    }

    const PROGRAM: &str = "#!/bin/sh\necho aos 0.1.0\n";
    const OURS: &str = r#"{"name": "@argentaios/aos-linux-x64-gnu", "version": "0.1.0"}"#;
    const NESTED: &str = "node_modules/@argentaios/aos/node_modules/@argentaios/aos-linux-x64-gnu";

    /// A package of ours below `place`, and what `detect` says about the program in it.
    fn package(place: &str, more: &[(&str, &str)]) -> (Tree, Installation) {
        let program = format!("{place}/bin/aos");
        let manifest = format!("{place}/package.json");
        let tree = Tree::new(&[(&program, PROGRAM), (&manifest, OURS)]);
        for (name, text) in more {
            tree.add(name, text);
        }
        let found = tree.detect(&program);
        (tree, found)
    }

    fn command_of(installation: &Installation) -> String {
        match &installation.method {
            InstallMethod::Managed { command, .. } => command.clone().unwrap_or_default(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn npm_owns_a_program_in_the_modules_of_its_prefix() {
        for place in ["lib/node_modules/@argentaios/aos-linux-x64-gnu", &format!("lib/{NESTED}")] {
            let (tree, found) = package(&format!("prefix/{place}"), &[]);
            assert_eq!(found.method, InstallMethod::Npm { prefix: tree.path("prefix") }, "{place}");
        }
        // The prefix of a Node.js that a manager of versions has put there is that of its npm.
        for prefix in [".nvm/versions/node/v22.1.0", "mise/installs/node/22.1.0"] {
            let (tree, found) = package(&format!("{prefix}/lib/{NESTED}"), &[]);
            assert_eq!(found.method, InstallMethod::Npm { prefix: tree.path(prefix) });
        }
        // Home directories and users are called anything.
        let (tree, found) = package(&format!("home/yarn/pnpm/lib/{NESTED}"), &[]);
        assert_eq!(found.method, InstallMethod::Npm { prefix: tree.path("home/yarn/pnpm") });
    }

    #[test]
    fn other_package_managers_own_the_programs_in_their_stores() {
        const PACKAGE: &str = "node_modules/@argentaios/aos-linux-x64-gnu";
        for (place, manager, command) in [
            ("pnpm/global/5/.pnpm/x/P", "pnpm", "pnpm add --global @argentaios/aos@latest"),
            ("pnpm/store/v10/links/x/P", "pnpm", "pnpm add --global @argentaios/aos@latest"),
            (".bun/install/global/P", "bun", "bun add --global @argentaios/aos@latest"),
            (".config/yarn/global/P", "yarn", "yarn global add @argentaios/aos@latest"),
            ("Yarn/Data/global/P", "yarn", "yarn global add @argentaios/aos@latest"),
            (
                ".volta/tools/image/packages/@argentaios/aos/lib/P",
                "volta",
                "volta install @argentaios/aos@latest",
            ),
            (".npm/_npx/0123/P", "npx", "npx --yes @argentaios/aos@latest"),
            ("bunx-0-@argentaios/P", "bunx", "bunx @argentaios/aos@latest"),
            ("pnpm/dlx/0123/P", "pnpm-dlx", "pnpm dlx @argentaios/aos@latest"),
            ("xfs-01/dlx-23/P", "yarn-dlx", "yarn dlx @argentaios/aos@latest"),
        ] {
            let (_tree, found) = package(&place.replace('P', PACKAGE), &[]);
            assert_eq!(found.method.name(), manager, "{place}");
            assert_eq!(command_of(&found), command, "{place}");
        }
    }

    #[test]
    fn a_project_keeps_its_own_packages() {
        const PACKAGE: &str = "node_modules/@argentaios/aos-linux-x64-gnu";
        for (place, file, manager, words) in [
            ("app", "package-lock.json", "npm-project", "npm --prefix {} install"),
            ("app", "yarn.lock", "yarn-project", "yarn --cwd {} add"),
            ("app", "bun.lock", "bun-project", "bun --cwd {} add"),
            ("app", "pnpm-lock.yaml", "pnpm-project", "pnpm --dir {} add"),
            // A project that is called like the directory of a prefix.
            ("app/lib", "package-lock.json", "npm-project", "npm --prefix {} install"),
        ] {
            let more = [format!("{place}/package.json"), format!("{place}/{file}")];
            let more: Vec<_> = more.iter().map(|name| (name.as_str(), "{}")).collect();
            let (tree, found) = package(&format!("{place}/{PACKAGE}"), &more);
            assert_eq!(found.method.name(), manager, "{place} {file}");
            let project = tree.path(place).display().to_string();
            let expected = format!("{} @argentaios/aos@latest", words.replace("{}", &project));
            assert_eq!(command_of(&found), expected, "{place} {file}");
        }
        let place = format!("app/node_modules/.pnpm/x/{PACKAGE}");
        let (tree, found) = package(&place, &[("app/package.json", "{}")]);
        assert_eq!(found.method.name(), "pnpm-project");
        assert!(command_of(&found).contains(&tree.path("app").display().to_string()));
    }

    #[test]
    fn a_foreign_package_is_no_evidence_of_npm() {
        for manifest in [
            r#"{"name": "@argentaios/aosx"}"#,
            r#"{"name": "aos"}"#,
            r#"{"name": "@argentaios/aos", "name": "x"}"#,
            r#"{"name": ["@argentaios/aos"]}"#,
            "",
        ] {
            let tree = Tree::new(&[
                ("lib/node_modules/x/bin/aos", PROGRAM),
                ("lib/node_modules/x/package.json", manifest),
            ]);
            let found = tree.detect("lib/node_modules/x/bin/aos");
            assert_eq!(found.method, InstallMethod::Standalone, "{manifest}");
        }
    }

    #[test]
    fn homebrew_owns_every_program_in_its_cellar() {
        let receipt = r#"{"source": {"tap": "argentaios/tap"}}"#;
        let keg = "brew/Cellar/aos/0.1.0";
        // A formula may install the package of npm.
        let inner = format!("{keg}/libexec/lib/{NESTED}");
        let tree = Tree::new(&[
            (&format!("{keg}/bin/aos"), PROGRAM),
            (&format!("{keg}/INSTALL_RECEIPT.json"), receipt),
            (&format!("{inner}/bin/aos"), PROGRAM),
            (&format!("{inner}/package.json"), OURS),
        ]);
        let expected = InstallMethod::Homebrew {
            prefix: tree.path("brew"),
            formula: "argentaios/tap/aos".to_owned(),
            is_cask: false,
        };
        for name in [format!("{keg}/bin/aos"), format!("{inner}/bin/aos")] {
            assert_eq!(tree.detect(&name).method, expected, "{name}");
        }
        // A formula that is not linked into the prefix still has its own link.
        assert_eq!(tree.detect(&format!("{keg}/bin/aos")).invoked, tree.path("brew/bin/aos"));
        tree.link("brew/opt/aos", keg);
        assert_eq!(
            tree.detect(&format!("{keg}/bin/aos")).invoked,
            tree.path("brew/opt/aos/bin/aos")
        );
    }

    #[test]
    fn a_receipt_cannot_put_words_into_a_command() {
        for (tap, formula) in [
            ("argentaios/tap", "argentaios/tap/aos"),
            ("homebrew/core", "aos"),
            ("--force/x", "aos"),
            ("a b/c", "aos"),
            ("a/b/c", "aos"),
            ("", "aos"),
        ] {
            let receipt = format!(r#"{{"source": {{"tap": "{tap}"}}}}"#);
            let tree = Tree::new(&[
                ("Cellar/aos/1/bin/aos", PROGRAM),
                ("Cellar/aos/1/INSTALL_RECEIPT.json", &receipt),
            ]);
            match tree.detect("Cellar/aos/1/bin/aos").method {
                InstallMethod::Homebrew { formula: found, .. } => {
                    assert_eq!(found, formula, "{tap}")
                }
                other => panic!("{other:?}"),
            }
        }
        let tree = Tree::new(&[("Cellar/--x/1/bin/aos", PROGRAM)]);
        assert_eq!(tree.detect("Cellar/--x/1/bin/aos").method, InstallMethod::Standalone);
    }

    #[test]
    fn a_cask_is_told_from_a_formula() {
        let tree = Tree::new(&[
            ("brew/Caskroom/aos/0.1.0/aos", PROGRAM),
            (
                "brew/Caskroom/aos/.metadata/INSTALL_RECEIPT.json",
                r#"{"source": {"tap": "argentaios/tap"}}"#,
            ),
        ]);
        let found = tree.detect("brew/Caskroom/aos/0.1.0/aos");
        let expected = InstallMethod::Homebrew {
            prefix: tree.path("brew"),
            formula: "argentaios/tap/aos".to_owned(),
            is_cask: true,
        };
        assert_eq!(found.method, expected);
        assert_eq!(found.invoked, tree.path("brew/bin/aos"));
    }

    #[test]
    fn packages_in_the_node_of_homebrew_belong_to_npm() {
        let prefix = "brew/Cellar/node@22/22.1.0";
        let (tree, found) = package(&format!("{prefix}/lib/{NESTED}"), &[]);
        assert_eq!(found.method, InstallMethod::Npm { prefix: tree.path(prefix) });
    }

    #[test]
    fn a_store_that_nobody_may_change_goes_before_npm() {
        let (_tree, found) = package(&format!("nix/store/0123-aos/lib/{NESTED}"), &[]);
        assert_eq!(found.method.name(), "nix");
        let (_tree, found) = package(&format!("mise/installs/npm-aos/0.1.0/lib/{NESTED}"), &[]);
        assert_eq!(found.method.name(), "mise");
    }

    #[test]
    fn cargo_owns_what_its_record_names_and_only_our_source_is_driven() {
        const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
        for (source, name, command) in [
            ("git+https://github.com/ArgentAIOS/aos?tag=v0.1.0#0123", "cargo", ""),
            ("git+https://github.com/argentaios/aos.git#0123", "cargo", ""),
            ("git+ssh://git@github.com/ArgentAIOS/aos.git#0123", "cargo", ""),
            (CRATES_IO, "cargo", ""),
            (
                "git+https://github.com/else/aos#0",
                "cargo-git",
                "--git https://github.com/else/aos aos",
            ),
            (
                "git+https://github.com/ArgentAIOS/aos-x#0",
                "cargo-git",
                "--git https://github.com/ArgentAIOS/aos-x aos",
            ),
            ("git+https://evil/;$(x)#0", "cargo-git", "--git 'https://evil/;$(x)' aos"),
            (
                "registry+https://crates.corp/index",
                "cargo-registry",
                "--index https://crates.corp/index aos",
            ),
            (
                "sparse+https://crates.corp/",
                "cargo-registry",
                "--index sparse+https://crates.corp/ aos",
            ),
            ("path+file:///src/aos", "cargo-path", "cargo install --locked --path ."),
        ] {
            let record =
                format!(r#"{{"installs": {{"aos 0.1.0 ({source})": {{"bins": ["aos"]}}}}}}"#);
            let tree = Tree::new(&[("root/bin/aos", PROGRAM), ("root/.crates2.json", &record)]);
            let found = tree.detect("root/bin/aos");
            assert_eq!(found.method.name(), name, "{source}");
            if !command.is_empty() {
                assert!(command_of(&found).ends_with(command), "{source}: {}", command_of(&found));
            }
        }
    }

    #[test]
    fn a_record_elsewhere_or_of_another_program_proves_nothing() {
        let record = |program: &str| {
            format!(r#"{{"installs": {{"aos 0.1.0 (path+x)": {{"bins": ["{program}"]}}}}}}"#)
        };
        for (place, record) in [
            ("root/bin/aos", record("aos-other")),
            ("root/sbin/aos", record("aos")),
            ("root/bin/deeper/aos", record("aos")),
        ] {
            let tree = Tree::new(&[(place, PROGRAM), ("root/.crates2.json", &record)]);
            assert_eq!(tree.detect(place).method, InstallMethod::Standalone, "{place}");
        }
    }

    #[test]
    fn a_program_that_nobody_owns_is_ours_to_replace_also_beside_packages_of_npm() {
        // `~/.local` as the prefix of npm does not make a program in its `bin` one of npm's.
        let tree = Tree::new(&[
            (".local/bin/aos", PROGRAM),
            (
                ".local/lib/node_modules/@argentaios/aos/package.json",
                r#"{"name": "@argentaios/aos"}"#,
            ),
        ]);
        let found = tree.detect(".local/bin/aos");
        assert_eq!(found.method, InstallMethod::Standalone);
        assert!(found.evidence.contains(".local/bin/aos"), "{}", found.evidence);
    }

    #[test]
    fn a_link_is_resolved_and_kept_as_the_name_it_was_started_by() {
        let tree = Tree::new(&[("opt/aos/aos", PROGRAM)]);
        tree.link("bin/aos", "opt/aos/aos");
        let found = tree.detect("bin/aos");
        assert_eq!(found.executable, tree.path("opt/aos/aos"));
        assert_eq!(found.invoked, tree.path("bin/aos"));
    }

    #[test]
    fn a_program_that_was_replaced_while_it_ran_is_found_by_its_old_name() {
        let tree = Tree::new(&[("bin/aos", PROGRAM)]);
        let gone = detect(&tree.path("bin/aos (deleted)"));
        if cfg!(target_os = "linux") {
            assert_eq!(gone.unwrap().executable, tree.path("bin/aos"));
        }
        let error = detect(&tree.path("bin/other (deleted)")).unwrap_err();
        assert!(error.to_string().contains("other (deleted)"), "{error}");
        // A name that only looks like it.
        tree.add("bin/real (deleted)", PROGRAM);
        assert_eq!(tree.detect("bin/real (deleted)").executable, tree.path("bin/real (deleted)"));
    }

    #[test]
    fn names_of_windows_are_given_as_programs_take_them() {
        for (path, expected) in [
            (r"\\?\C:\npm\node_modules", r"C:\npm\node_modules"),
            (r"\\?\UNC\server\share", r"\\?\UNC\server\share"),
            (r"C:\npm", r"C:\npm"),
            ("/usr/bin", "/usr/bin"),
        ] {
            assert_eq!(without_verbatim_prefix(path), expected);
        }
    }

    #[test]
    fn the_aftermath_of_a_manager_is_judged_by_bytes_and_version() {
        let tree = Tree::new(&[("bin/aos", PROGRAM)]);
        let installation = tree.detect("bin/aos");
        let running = semver::Version::new(0, 1, 0);
        let before = Before::look(&installation, &running);
        assert_eq!(before.compared(&installation), Aftermath::Untouched);
        let replaced = |text: &str| {
            files::remove_file(&tree.path("bin/aos")).unwrap();
            tree.add("bin/aos", text);
            before.compared(&installation)
        };
        let newer = semver::Version::new(1, 2, 3);
        assert_eq!(replaced("#!/bin/sh\necho aos 1.2.3\n"), Aftermath::Replaced(newer));
        assert_eq!(replaced("#!/bin/sh\n\necho aos 0.1.0\n"), Aftermath::Untouched);
        assert_eq!(replaced("#!/bin/sh\nexit 1\n"), Aftermath::Unknown);
        files::remove_file(&tree.path("bin/aos")).unwrap();
        assert_eq!(before.compared(&installation), Aftermath::Unknown);
    }

    #[test]
    fn a_package_that_npm_has_moved_is_started_through_its_launcher() {
        let (tree, found) = package(&format!("prefix/lib/{NESTED}"), &[]);
        assert_eq!(found.program(), found.invoked);
        files::remove_file(&found.executable).unwrap();
        assert_eq!(found.program(), tree.path("prefix/bin/aos"));
    }
}
