//! Descriptions of APIs (OpenAPI 3.x, Swagger 2.0): read within bounds, and turned into commands with ids and modes.
//!
//! Texts and names of a description are data: nothing is fetched, nothing becomes code. It knows no family and writes
//! no file.

mod actions;
mod alternatives;
mod auth;
mod bodies;
mod called;
mod commands;
mod document;
mod fields;
mod ids;
mod implied;
mod model;
mod modes;
mod moved;
mod paging;
mod parameters;
mod patterns;
mod reading;
mod replies;
mod samples;
mod schema;
mod secrets;
mod selection;
mod servers;
mod styles;
mod swagger;
mod text;
mod wishes;
mod words;
pub mod written;
mod yaml;
mod yaml_flow;

pub use auth::{ApiCredentials, CredentialForm, FurtherCredential};
pub use commands::{ApiCommand, ApiPlan, LeftOut, MAX_UNASKED, plan};
pub use document::{DescriptionError, MAX_BYTES};
pub use fields::{ApiField, KeptOptions};
pub use ids::RequestKey;
pub use model::{
    ApiDescription, ApiInput, ApiPaging, Endpoint, InputKind, InputPlace, ListForm, ReplyForm,
    ReplyKind,
};
pub use moved::{KnownCommand, moved};
pub use reading::read;
pub use text::{MAX_SUMMARY, sentence};
pub use wishes::{ApiWishes, WishFault};
pub use words::{folded, plural};

/// Longest id where no tool says another length.
const ID_LENGTH: usize = 54;

/// The ids of all operations, in their order; `kept` are those that a project has.
#[must_use]
pub fn ids(
    api: &ApiDescription,
    kept: &std::collections::BTreeMap<RequestKey, String>,
) -> Vec<String> {
    ids::assign(&api.endpoints, kept, ID_LENGTH).into_iter().map(|assigned| assigned.id).collect()
}
