//! Rebuilds when an embedded file changes, which `include_dir` does not notice by itself, and refuses a template
//! folder with files that a tool left there.

#![expect(clippy::disallowed_methods, reason = "a build script looks at the source tree")]

fn main() {
    println!("cargo::rerun-if-changed=templates");
    println!("cargo::rerun-if-changed=contract");
    println!("cargo::rerun-if-changed=skills");
    println!("cargo::rerun-if-changed=CHANGELOG.md");
    // Which archive of a release is for this program.
    println!("cargo::rustc-env=AOS_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    refuse_leftovers(std::path::Path::new("templates"));
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
