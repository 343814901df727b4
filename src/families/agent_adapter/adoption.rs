//! The outputs of an adapter that aos did not create.

use crate::contract::ProjectFiles;
use crate::generate::record_spec::SpecSection;
use crate::inputs::adoption::{Adopter, Findings};

pub struct AdapterAdopter;

impl Adopter for AdapterAdopter {
    fn outputs(&self, repository: &ProjectFiles, _spec: &mut SpecSection, found: &mut Findings) {
        let modules = repository.files.keys().filter(|path| {
            path.ends_with("/contract_gen.go")
                && !path.contains("/runtime/")
                && !path.contains("vendor/")
        });
        for path in modules {
            let reason = format!("aos generates `{path}` from now on, because the file exists");
            found.at("go", path, reason);
        }
        if found.outputs.is_empty() {
            found.note(
                "aos generates no package of facts; to change that, declare the file under [outputs] in aos.toml, then run `aos gen`"
                    .to_owned(),
            );
        }
    }
}
