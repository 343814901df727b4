//! Projects of a template without a contract: any language, any kind. They have a name and answers, and nothing else.

mod name;
mod scaffold;

use crate::contract::Family;
use crate::workflows::new::subject::SCAFFOLDERS;

/// Adds the projects to the one layer that makes them; they are no family, so no other layer knows them.
pub fn install() {
    SCAFFOLDERS.add(Family::NONE, &scaffold::PlainScaffolder);
}
