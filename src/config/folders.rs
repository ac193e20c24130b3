//! The user's folders, as the platform names them.

use crate::model::fault::Fault;
use directories::ProjectDirs;
use std::path::{Path, PathBuf};

/// Where the user's configuration is read and where runs live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Configuration; `None` where the user has no home folder.
    pub config: Option<PathBuf>,
    /// State: runs with their journals.
    pub state: PathBuf,
}

impl Folders {
    /// The folders of this user (`XDG_CONFIG_HOME`, `XDG_STATE_HOME` and `HOME` are respected), the state folder
    /// replaced where one is given.
    ///
    /// # Errors
    /// A usage fault where neither is known: no home folder and no state folder given.
    pub fn find(state_dir: Option<&Path>) -> Result<Folders, Fault> {
        let dirs = ProjectDirs::from("", "", "tamis");
        let config = dirs.as_ref().map(|dirs| dirs.config_dir().to_owned());
        let state = match (state_dir, &dirs) {
            (Some(given), _) => given.to_owned(),
            // Platforms without a state folder of their own keep state beside local data.
            (None, Some(dirs)) => dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).to_owned(),
            (None, None) => {
                let what = "no home folder is known, so there is no place for the record of a run";
                return Err(Fault::usage(what, "set HOME, or give a folder with --state-dir"));
            }
        };
        Ok(Folders { config, state })
    }

    /// Where the user's own recipes are.
    pub fn recipes(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("recipes"))
    }

    /// Where the user's own prompts are.
    pub fn prompts(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("prompts"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_state_folder_is_taken_as_it_is() {
        let folders = Folders::find(Some(Path::new("/srv/runs"))).expect("folders");
        assert_eq!(folders.state, Path::new("/srv/runs"));
    }

    #[test]
    fn recipes_live_below_the_configuration() {
        let folders = Folders { config: Some("/c".into()), state: "/s".into() };
        assert_eq!(folders.recipes(), Some(PathBuf::from("/c/recipes")));
        assert_eq!(Folders { config: None, state: "/s".into() }.recipes(), None);
    }
}
