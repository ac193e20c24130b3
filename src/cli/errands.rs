//! Questions that a person carries without the workbench: each a file in one folder, the answers files of the same names in another.

use crate::agent::paste::{Courier, Errand, NotBrought};
use crate::model::fault::Fault;
use crate::run::BoxFuture;
use crate::tui::port::Input;
use std::collections::{BTreeSet, HashMap};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// What the files of answers may end in.
const ENDINGS: [&str; 3] = ["md", "txt", "json"];
/// Bytes of an answer at most.
const MOST_BYTES: u64 = 4 << 20;
/// Characters of a name that come from the step's key.
const MOST_CHARS: usize = 80;
/// Between what a person reads and what they carry.
const LINE: &str = "----------------------------------------------------------------------------------------";

/// Folders of questions and answers.
pub(super) struct FolderCourier {
    /// Where questions are laid that nobody has answered yet.
    questions: PathBuf,
    /// Where the person has put answers.
    given: Option<PathBuf>,
    /// Where the run keeps answers that it has taken in: they need not be given again.
    kept: PathBuf,
    /// The command that takes the answers in.
    command: String,
    asked: Mutex<BTreeSet<String>>,
}

impl FolderCourier {
    /// Of a run in that folder; questions go into `questions` where that is given, answers come out of `given`.
    pub fn of(run: &Path, questions: Option<&Path>, given: Option<&Path>, command: String) -> FolderCourier {
        FolderCourier {
            questions: questions.map_or_else(|| run.join("prompts"), Path::to_owned),
            given: given.map(Path::to_owned),
            kept: run.join("answers"),
            command,
            asked: Mutex::default(),
        }
    }

    fn answer(&self, errand: &Errand) -> Result<String, NotBrought> {
        if let Some(text) = self.found(errand)? {
            return Ok(text);
        }
        let name = file_name(errand);
        let question = self.questions.join(format!("{name}.md"));
        let text = format!("{}\n{LINE}\n\n{}\n", self.told(&name, errand), errand.text);
        write(&question, &text).map_err(|error| later(&error, &question))?;
        Err(NotBrought::Later(format!(
            "each is a file in {}; put each answer under the same name into one folder, then: {} --answers FOLDER",
            self.questions.display(),
            self.command
        )))
    }

    /// The answer that lies there already, given now or taken in before.
    fn found(&self, errand: &Errand) -> Result<Option<String>, NotBrought> {
        let name = file_name(errand);
        // Asked a second time by this process, what lies there was no good.
        if !self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone()) {
            return Ok(None);
        }
        for folder in self.given.iter().chain([&self.kept]) {
            for ending in ENDINGS {
                let path = folder.join(format!("{name}.{ending}"));
                let text = match read(&path) {
                    Ok(text) => text,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(later(&error, &path)),
                };
                // A file that is still empty is one that is not written yet.
                if !text.trim().is_empty() {
                    self.keep(&name, &text)?;
                    return Ok(Some(text));
                }
            }
        }
        Ok(None)
    }

    /// Keeps an answer with the run; its question need not be carried any more.
    fn keep(&self, name: &str, text: &str) -> Result<(), NotBrought> {
        let kept = self.kept.join(format!("{name}.md"));
        write(&kept, text).map_err(|error| later(&error, &kept))?;
        let _ = std::fs::remove_file(self.questions.join(format!("{name}.md")));
        Ok(())
    }

    /// What a person is told above the question.
    fn told(&self, name: &str, errand: &Errand) -> String {
        let chat = match errand.turn {
            1 => "Paste everything below the line into a new chat: reviewers do not see each other's answers.".to_owned(),
            _ => format!(
                "The answer before this one is not whole yet. In the same chat, paste this:\n\n{}\n\nOr paste everything below the line \
                 into a new chat.",
                errand.about
            ),
        };
        format!(
            "{chat}\nSave the whole answer as {name}.md in one folder for all answers, then: {} --answers FOLDER",
            self.command
        )
    }

    /// Files among the given answers that belong to no question so far, in words.
    ///
    /// # Errors
    /// The folder that was given cannot be read.
    pub fn unused(&self) -> Result<Option<String>, Fault> {
        let Some(given) = &self.given else { return Ok(None) };
        let entries =
            std::fs::read_dir(given).map_err(|error| Fault::io(given.display(), error, "give the folder of the answers"))?;
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked = |path: &Path| {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            asked.contains(stem) || self.kept.join(format!("{stem}.md")).exists()
        };
        let mut unused: Vec<String> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| !is_asked(path))
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        unused.sort();
        Ok((!unused.is_empty()).then(|| format!("answers to no question of this run: {}", unused.join(", "))))
    }
}

impl Courier for FolderCourier {
    fn carry<'a>(&'a self, errand: Errand, _: &'a CancellationToken) -> BoxFuture<'a, Result<String, NotBrought>> {
        Box::pin(async move { self.answer(&errand) })
    }
}

/// Questions that the person at the workbench carries.
pub(super) struct ScreenCourier {
    inputs: UnboundedSender<Input>,
    folders: FolderCourier,
    waiting: Mutex<HashMap<String, oneshot::Sender<String>>>,
}

impl ScreenCourier {
    /// For the screen behind these inputs; answers that lie in the folders already are not asked for.
    pub fn new(inputs: UnboundedSender<Input>, folders: FolderCourier) -> ScreenCourier {
        ScreenCourier { inputs, folders, waiting: Mutex::default() }
    }

    /// An answer has been brought; `false` where nobody waits for it.
    pub fn bring(&self, step: &str, text: String) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(step);
        waiting.is_some_and(|waiting| waiting.send(text).is_ok())
    }
}

impl Courier for ScreenCourier {
    fn carry<'a>(&'a self, errand: Errand, cancel: &'a CancellationToken) -> BoxFuture<'a, Result<String, NotBrought>> {
        Box::pin(async move {
            if let Some(text) = self.folders.found(&errand)? {
                return Ok(text);
            }
            let (brings, brought) = oneshot::channel();
            let Errand { key: step, text, about, .. } = errand;
            self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(step.clone(), brings);
            // Nobody sees it where the screen has closed, and then nobody waits either.
            let _ = self.inputs.send(Input::Errand { step: step.clone(), text, about });
            match cancel.run_until_cancelled(brought).await {
                Some(Ok(text)) => Ok(text),
                Some(Err(_)) | None => {
                    self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&step);
                    let _ = self.inputs.send(Input::ErrandGone { step });
                    Err(NotBrought::Cancelled)
                }
            }
        })
    }
}

fn later(error: &io::Error, path: &Path) -> NotBrought {
    NotBrought::Later(format!("{}: {error}", path.display()))
}

/// Nobody carries anything here.
pub(super) struct NoCourier;

impl Courier for NoCourier {
    fn carry<'a>(&'a self, _: Errand, _: &'a CancellationToken) -> BoxFuture<'a, Result<String, NotBrought>> {
        Box::pin(async { Err(NotBrought::Later("nobody carries questions here: use `tamis review`".to_owned())) })
    }
}

/// A name that any system takes, and that tells questions apart: letters and digits of the key, and where those are not all of it
/// a few of its hash.
fn file_name(errand: &Errand) -> String {
    let plain: String = errand.key.chars().map(|c| if c.is_alphanumeric() || "-._".contains(c) { c } else { '_' }).collect();
    let cut: String = plain.chars().take(MOST_CHARS).collect();
    let hash = &blake3::hash(errand.key.as_bytes()).to_hex()[..6];
    let turn = if errand.turn > 1 { format!("-{}", errand.turn) } else { String::new() };
    format!("{cut}-{hash}{turn}")
}

/// A regular file of reasonable size; nothing else is opened and waited for.
fn read(path: &Path) -> io::Result<String> {
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("no regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(format!("more than {} MiB", MOST_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("not UTF-8"))
}

/// For its owner alone: it holds the document's text.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errand(key: &str, turn: u32) -> Errand {
        Errand { key: key.to_owned(), turn, text: "the question".to_owned(), about: String::new() }
    }

    #[test]
    fn names_are_plain_and_tell_questions_apart() {
        let keys = [
            "review/DEV/UC-01@4aeb8c",
            "review/DEV/UC/01@4aeb8c",
            "review/DEV/Quy tắc nghiệp vụ",
            "critic/1",
            "../../etc/passwd",
        ];
        let names: BTreeSet<String> =
            keys.iter().flat_map(|key| [file_name(&errand(key, 1)), file_name(&errand(key, 2))]).collect();
        assert_eq!(names.len(), 2 * keys.len());
        assert!(names.iter().all(|name| !name.contains(['/', ' ', '@'])), "{names:?}");
        assert!(file_name(&errand(&"x/".repeat(500), 1)).len() < 100);
    }

    #[test]
    fn a_question_lies_there_until_its_answer_does_and_the_answer_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let given = folder.path().join("given");
        std::fs::create_dir(&given).expect("a folder");
        let folders = || FolderCourier::of(&folder.path().join("run"), None, Some(&given), "tamis resume R".to_owned());
        let name = file_name(&errand("critic/1", 1));
        let question = folder.path().join("run/prompts").join(format!("{name}.md"));
        assert!(matches!(folders().answer(&errand("critic/1", 1)), Err(NotBrought::Later(_))));
        assert!(std::fs::read_to_string(&question).expect("there").ends_with("the question\n"));
        std::fs::write(given.join(format!("{name}.json")), "  \n").expect("written");
        assert!(folders().answer(&errand("critic/1", 1)).is_err(), "an empty file is no answer");
        std::fs::write(given.join(format!("{name}.json")), "[]").expect("written");
        std::fs::write(given.join("notes.md"), "of mine").expect("written");
        let taking = folders();
        assert_eq!(taking.answer(&errand("critic/1", 1)).as_deref(), Ok("[]"));
        assert!(!question.exists());
        assert_eq!(taking.unused().expect("read").as_deref(), Some("answers to no question of this run: notes.md"));
        std::fs::remove_dir_all(&given).expect("removed");
        let kept = FolderCourier::of(&folder.path().join("run"), None, None, String::new());
        assert_eq!(kept.answer(&errand("critic/1", 1)).as_deref(), Ok("[]"));
    }

    #[test]
    fn what_is_no_file_of_words_is_said_and_never_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = file_name(&errand("critic/1", 1));
        let path = folder.path().join(format!("{name}.md"));
        let why =
            || match FolderCourier::of(folder.path(), None, Some(folder.path()), String::new()).answer(&errand("critic/1", 1)) {
                Err(NotBrought::Later(why)) => why,
                other => panic!("{other:?}"),
            };
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).expect("a pipe");
        assert!(why().contains("no regular file"));
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, [0xff, 0xfe]).expect("written");
        assert!(why().contains("not UTF-8"));
        std::fs::write(&path, vec![b'x'; MOST_BYTES as usize + 1]).expect("written");
        assert!(why().contains("more than"));
    }
}
