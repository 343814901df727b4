//! Rebuilds when an embedded file changes, which `include_dir` does not notice by itself.

fn main() {
    println!("cargo::rerun-if-changed=templates");
    println!("cargo::rerun-if-changed=contract");
    println!("cargo::rerun-if-changed=CHANGELOG.md");
}
