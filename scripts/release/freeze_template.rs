//! Freezes the current version of templates: `cargo run --example freeze_template -- NAME...` writes each archive to
//! `templates/NAME/released/` and its digest to `templates/releases.toml`.

#![expect(
    clippy::disallowed_methods,
    reason = "a tool of maintainers that writes to this repository"
)]

use std::error::Error;
use std::path::Path;

use aos::inputs::{embedded, template, template_archive};
use aos::plan::Digest;

fn main() -> Result<(), Box<dyn Error>> {
    aos::families::install();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    let list = root.join(embedded::TEMPLATE_RELEASES);
    for name in std::env::args().skip(1) {
        let found = template::find(&name)?.ok_or_else(|| format!("there is no template {name}"))?;
        let info = embedded::template_text(&name).ok_or("it is not in the binary")?;
        let version = &found.info.version;
        let mut known: toml_edit::DocumentMut = std::fs::read_to_string(&list)?.parse()?;
        if known.get(&name).and_then(|versions| versions.get(version)).is_some() {
            return Err(format!("{name} {version} is released; raise its version").into());
        }
        let archive = template_archive::pack(&found, info)?;
        let place = root.join(format!("{name}/released/{version}.tar.gz"));
        std::fs::create_dir_all(place.parent().ok_or("no directory")?)?;
        std::fs::write(&place, &archive)?;
        known[name.as_str()].or_insert(toml_edit::table())[version.as_str()] =
            toml_edit::value(Digest::of(&archive).to_string());
        std::fs::write(&list, known.to_string())?;
        println!("{name} {version}: {} bytes", archive.len());
    }
    Ok(())
}
