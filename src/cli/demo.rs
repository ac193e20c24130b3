//! `tamis demo`: a bundled document before a bundled council that answers at its own pace, labelled as what it is.

use super::args::{AgentArgs, CarryArgs, DemoArgs, PlanArgs, ReviewArgs};
use super::session::{self, Exit};
use super::{out, workbench};
use crate::config::Folders;
use crate::model::fault::Fault;
use crate::model::lang::Lang;
use std::path::Path;

/// A document and the answers of its council.
struct Bundle {
    document: &'static str,
    council: &'static str,
}

const CONTEXT: &str = include_str!("../../examples/context.yaml");

fn bundle(lang: Lang) -> Bundle {
    match lang {
        Lang::En => {
            Bundle { document: include_str!("../../examples/prd-en.md"), council: include_str!("../../examples/council.yaml") }
        }
        Lang::Vi => {
            Bundle { document: include_str!("../../examples/prd-vi.md"), council: include_str!("../../examples/council-vi.yaml") }
        }
        Lang::Zh => {
            Bundle { document: include_str!("../../examples/prd-zh.md"), council: include_str!("../../examples/council-zh.yaml") }
        }
    }
}

/// `tamis demo`.
///
/// # Errors
/// The folder for it cannot be written, and whatever ends a review early.
pub fn demo(args: &DemoArgs) -> Result<Exit, Fault> {
    let lang = args.lang.as_deref().and_then(Lang::from_code).unwrap_or_default();
    let bundle = bundle(lang);
    let folder = tempfile::Builder::new().prefix("tamis-demo-").tempdir();
    let folder =
        folder.map_err(|error| Fault::io("a folder for the demo", error, "free some space in the temporary folder"))?.keep();
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| Fault::io(path.display(), error, "free some space"))?;
        Ok::<_, Fault>(path)
    };
    let file = put("prd.md", bundle.document)?;
    put("context.yaml", CONTEXT)?;
    let council = put("council.yaml", &labelled(bundle.council))?;
    let carry =
        CarryArgs { headless: args.headless, state_dir: args.state_dir.clone(), look: args.look.clone(), ..CarryArgs::default() };
    // Without a screen nobody decides.
    let sits = !args.headless && workbench::Seat::find(&args.look, &Folders::find(args.state_dir.as_deref())?)?.is_ok();
    let defer_all = (!sits).then(|| "the demo decides nothing".to_owned());
    let carry = CarryArgs { defer_policy: defer_all.is_some(), defer_all, ..carry };
    out::notice(&format!(
        "demo: the answers are scripted and bundled with tamis; no model is asked, nothing is sent. Its files are in {}",
        folder.display()
    ));
    session::review(&ReviewArgs { file, plan: plan(&folder), agents: agents(&council), carry })
}

fn plan(folder: &Path) -> PlanArgs {
    PlanArgs { replicas: Some(1), context: Some(folder.join("context.yaml")), ..PlanArgs::default() }
}

fn agents(council: &Path) -> AgentArgs {
    let script = Some(format!("script:{}", council.display()));
    AgentArgs { agent: script, critic: None, arbiter: None }
}

/// The council under a name that says what it is.
fn labelled(council: &str) -> String {
    let lines = council.lines().map(|line| if line.starts_with("name:") { "name: \"demo, scripted\"" } else { line });
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Script;
    use crate::run::{Agent, NoLiveText};
    use std::sync::Arc;

    #[test]
    fn every_language_has_a_council_that_says_what_it_is() {
        for lang in Lang::ALL {
            let script = Script::read(&labelled(bundle(lang).council), "x", Arc::new(NoLiveText)).expect("a script");
            assert_eq!(script.name(), "demo, scripted", "{lang}");
        }
    }
}
