//! Projects of a template without a contract: any language, any kind. They have a name and answers, and nothing else.

mod name;
mod scaffold;

use crate::contract::Family;
use crate::workflows::new::subject::SCAFFOLDERS;

/// Registers the projects with the layer that creates them. They are not a family and have no other parts.
pub fn install() {
    SCAFFOLDERS.add(Family::NONE, &scaffold::PlainScaffolder);
}
