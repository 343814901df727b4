//! Rebuilds when an embedded file changes, which `include_dir` does not notice by itself, and refuses a template
//! folder with files that a tool left there. Copies the runtimes without the caches that their tests leave.

#![expect(clippy::disallowed_methods, reason = "a build script looks at the source tree")]

fn main() {
    println!("cargo::rerun-if-changed=templates");
    println!("cargo::rerun-if-changed=contract");
    println!("cargo::rerun-if-changed=skills");
    println!("cargo::rerun-if-changed=CHANGELOG.md");
    // Which archive of a release is for this program.
    println!("cargo::rustc-env=AOS_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    refuse_leftovers(std::path::Path::new("templates"));
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let target = std::path::Path::new(&out).join("runtime");
    let _ = std::fs::remove_dir_all(&target);
    if let Err(error) = copy(std::path::Path::new("runtime"), &target) {
        println!("cargo::error=the runtimes cannot be copied: {error}");
    }
}

/// Copies a directory; skips hidden files, the fixtures of tests, and the caches and builds of Python, Node and linters.
fn copy(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    println!("cargo::rerun-if-changed={}", from.display());
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.')
            || entry.path() == std::path::Path::new("runtime/fixtures")
            || matches!(name.as_str(), "__pycache__" | "node_modules" | "build" | "dist")
            || name.ends_with(".pyc")
            || name.ends_with(".egg-info")
        {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            println!("cargo::rerun-if-changed={}", entry.path().display());
            std::fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// A template spells a hidden file `dot_name`, so whatever is really hidden is not part of it.
fn refuse_leftovers(directory: &std::path::Path) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "__pycache__" {
            println!(
                "cargo::error=`{}` does not belong into a template; delete it",
                entry.path().display()
            );
        }
        if entry.path().is_dir() {
            refuse_leftovers(&entry.path());
        }
    }
}
