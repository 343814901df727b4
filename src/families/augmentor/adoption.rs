//! The outputs of an augmentor that aos did not create.

use crate::contract::ProjectFiles;
use crate::generate::record_spec::SpecSection;
use crate::inputs::adoption::{Adopter, Findings};

pub struct AugmentorAdopter;

/// Names of generated modules, with the generator that writes them.
const MODULES: &[(&str, &str)] = &[
    ("contract_gen.py", "python"),
    ("contract_gen.js", "javascript"),
    ("contract_gen.mjs", "javascript"),
];

impl Adopter for AugmentorAdopter {
    fn outputs(&self, repository: &ProjectFiles, _spec: &mut SpecSection, found: &mut Findings) {
        for path in repository.files.keys() {
            let name = path.rsplit('/').next().unwrap_or(path);
            let foreign = ["node_modules/", "dist/", "vendor/", "tests/"];
            let known = MODULES.iter().find(|(known, _)| *known == name);
            if let Some((_, generator)) = known
                && !foreign.iter().any(|part| path.contains(part))
            {
                let reason = format!("aos generates `{path}` from now on, because the file exists");
                found.at(generator, path, reason);
            }
        }
        if found.outputs.is_empty() {
            found.note(
                "aos generates no module of the interface; to change that, declare the files under [outputs] in aos.toml, then run `aos gen`"
                    .to_owned(),
            );
        }
    }
}
