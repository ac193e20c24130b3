//! Where a path that a project's file names leads: into the project, or out of it, and whether its words say so.

use std::path::{Component, Path, PathBuf};

/// Where a path of the file leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leads {
    /// Into the project, to nothing that usually holds secrets.
    Inside,
    /// Out of it or to secrets, and its words say so.
    Outside,
    /// Out of it or to secrets, and its words do not say so: a link of the project decides.
    Hidden,
}

/// Where a path leads. A document to compare with would be sent to whoever reviews.
pub(super) fn leads(path: &Path, root: &Path) -> Leads {
    // What the folders around the project are called says nothing of it.
    let secret = |path: &Path| holds_secrets(path.strip_prefix(root).unwrap_or(path));
    if is_inside(path, root) && !secret(path) && !secret(&path.canonicalize().unwrap_or_default()) {
        return Leads::Inside;
    }
    let words = plain(path);
    let real = real_of(path);
    let said = match words.starts_with(root) {
        // A secret of the project by its name, and not a link to somewhere else.
        true => secret(&words) && real.is_some_and(|real| real == words),
        false => real.is_some() && real == real_of(&words),
    };
    if said { Leads::Outside } else { Leads::Hidden }
}

/// A path by its words alone: `.` and `..` worked out, no link followed.
pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
        plain
    })
}

/// A path with its links followed as far as it is there, as the system follows them: `link/..` is around where the link leads.
/// `None` for a link that leads nowhere, which may lead anywhere tomorrow.
fn real_of(path: &Path) -> Option<PathBuf> {
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let rest = path.strip_prefix(there).ok()?;
    Some(there.canonicalize().ok()?.components().chain(rest.components()).collect())
}

/// Whether a path names what usually holds secrets.
fn holds_secrets(path: &Path) -> bool {
    let names = path.components().filter_map(|part| part.as_os_str().to_str());
    names.map(str::to_ascii_lowercase).any(|name| {
        name.starts_with(".env")
            || [".git", ".ssh", ".aws", ".gnupg", ".netrc", ".npmrc"].contains(&name.as_str())
            || name.starts_with("id_")
            || [".pem", ".key", ".p12", ".pfx"].iter().any(|ending| name.ends_with(ending))
    })
}

/// Whether a path, links followed, is inside of a folder. What is not there yet counts where its folder is.
fn is_inside(path: &Path, root: &Path) -> bool {
    if path.components().any(|part| part == Component::ParentDir) && path.canonicalize().is_err() {
        return false;
    }
    // A link that leads nowhere may lead anywhere tomorrow.
    let there = path.ancestors().find(|above| above.symlink_metadata().is_ok());
    there.and_then(|above| above.canonicalize().ok()).is_some_and(|real| real.starts_with(root))
}
