//! `config`: recipes, the slim context, criteria, settings, keys and the user's folders: text with its origin, checked.
//! Here a file that a person wrote becomes a value that cannot be wrong, or a fault that says what there is.
//! What never belongs here: what the values are used for, and anything that is written but what the user trusts.

pub mod agents;
mod base_url;
pub mod context;
pub mod criteria;
pub mod environment;
pub mod folders;
mod headers;
pub mod keys;
mod leads;
pub mod money;
mod origin;
pub mod presets;
pub mod programs;
mod programs_file;
pub mod project;
pub mod prompts;
pub mod proxy;
pub mod recipe;
#[cfg(test)]
mod recipe_tests;
pub mod roster;
pub mod secrets;
pub mod settings;
mod settings_file;
pub mod store;
pub mod trust;
mod validate;
pub mod variables;

pub use crate::model::nearest::nearest;
pub use environment::Environment;
pub use folders::Folders;
pub use origin::{Origin, read_text, read_text_up_to};
pub use settings::{Flags, Settings};
pub use store::Store;
pub use variables::Variables;
