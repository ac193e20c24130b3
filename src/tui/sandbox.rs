//! How much of the sandbox held, in words.

use crate::model::walls::Level;
use crate::text::Catalogue;

/// `files + ports`.
pub fn level(words: &Catalogue, level: Level) -> String {
    let id = match level {
        Level::None => "walls-none",
        Level::Files => "walls-files",
        Level::FilesAndPorts => "walls-files-and-ports",
        Level::Full => "walls-full",
    };
    words.say(id, &[])
}
