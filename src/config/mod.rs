//! `config`: recipes, prompts, the slim context, criteria and the user's folders: text with its origin, read and checked.
//! Here a file that a person wrote becomes a value that cannot be wrong, or a fault that says what there is.
//! What never belongs here: what the values are used for, and anything that is written.

pub mod context;
pub mod criteria;
pub mod environment;
pub mod folders;
mod origin;
pub mod prompts;
pub mod recipe;
#[cfg(test)]
mod recipe_tests;
pub mod roster;
mod validate;

pub use crate::model::nearest::nearest;
pub use environment::Environment;
pub use folders::Folders;
pub use origin::{Origin, read_text, read_text_up_to};
