//! Scenes: bundled reviews on a tape, and the model as it stands at a moment of one of them.

use crate::common::{Case, News, Ops, ScriptedHuman, recipe};
use crate::stage::{Stage, council, example};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tamis::cli::summary::{SummaryOf, summary};
use tamis::files::findings::{Coverage, FindingsFile, Run, render};
use tamis::model::estimate::{Destination, Estimate, Span};
use tamis::model::event::Kind;
use tamis::model::gate::{GateRecord, Op};
use tamis::model::lang::Lang;
use tamis::model::outcome::ReviewOutcome;
use tamis::model::recipe::Granularity;
use tamis::run::{GateSubject, Written};
use tamis::text::Catalogue;
use tamis::tui::model::SETTLE;
use tamis::tui::port::{Ended, Input, Preview};

/// A bundled document with the council that reviews it.
pub struct Scene {
    lang: Lang,
    name: &'static str,
    document: String,
    steps: String,
}

impl Scene {
    /// The bundled example in a language.
    pub fn of(lang: Lang) -> Scene {
        let (name, script) = match lang {
            Lang::En => ("prd-en.md", "council.yaml"),
            Lang::Vi => ("prd-vi.md", "council-vi.yaml"),
            Lang::Zh => ("prd-zh.md", "council-zh.yaml"),
        };
        Scene { lang, name, document: example(name), steps: council(script) }
    }

    fn case(&self) -> Case {
        Case::with(&self.document, &self.steps, recipe("refine-prd"), Granularity::PerUc).ticking()
    }

    /// What happens until nobody is at this gate.
    fn news(&self, gate: &str) -> Vec<(u64, News)> {
        let human = ScriptedHuman { away: vec![gate.to_owned()], ..ScriptedHuman::default() };
        let case = self.case().human(human);
        // The fault that says that nobody is there is what was wished for.
        let _ = block_on(async {
            case.begin().await;
            case.run().await
        });
        case.tape.news()
    }

    fn play(&self, news: &[(u64, News)], goes_on: impl Fn(u64, &News) -> bool) -> Stage {
        let mut stage = Stage::on(&self.document, self.lang, Vec::new());
        stage.model.given = self.name.to_owned();
        for (ms, news) in news {
            if !goes_on(*ms, news) {
                break;
            }
            stage.ms = *ms;
            match news.clone() {
                // The person is here: the process never paused.
                News::Event(event) if event.kind == Kind::RunPaused => {}
                News::Event(event) => drop(stage.input(Input::Event(event))),
                News::Text(step, attempt, text) => stage.model.outputs.entry(step).or_default().add(attempt, &text, *ms),
            }
        }
        stage.after(0);
        stage
    }

    /// Before anything is sent to models, with prices that are made up.
    pub fn before_sending(&self) -> Stage {
        let span = |least, most| Span { least, most };
        let to = |server: &str, model: &str| Destination { server: server.to_owned(), models: vec![model.to_owned()] };
        let estimate = Estimate {
            agents: 12,
            calls: span(14, 128),
            arbiter: span(0, 68),
            tokens_in: span(64_872, 746_668),
            tokens_out: span(112, 1_048_576),
            cost_micros: Some(span(21_400, 3_120_000)),
            currency: "USD".to_owned(),
            destinations: vec![to("http://127.0.0.1:8080", "qwen3-8b"), to("https://api.anthropic.com", "claude-sonnet-4-5")],
            too_long: Vec::new(),
        };
        let mut stage = Stage::on(&self.document, self.lang, Vec::new());
        stage.model.given = self.name.to_owned();
        let one_model = vec![("critic".to_owned(), "arbiter".to_owned())];
        stage.input(Input::Sending { estimate: Box::new(estimate), file: self.name.to_owned(), one_model });
        stage
    }

    /// At a moment of the fan-out, in milliseconds since the review began.
    pub fn at(&self, moment: u64) -> Stage {
        let mut stage = self.play(&self.news(SETTLE), |ms, _| ms <= moment);
        let rest = moment.saturating_sub(stage.ms);
        stage.after(rest);
        stage
    }

    /// Where an agent's retries are spent and nobody has said yet what is to become of it.
    pub fn at_hole(&self) -> Stage {
        let spent = |news: &News| matches!(news, News::Event(event) if event.kind == Kind::HoleAccepted);
        self.play(&self.news(SETTLE), |_, news| !spent(news))
    }

    /// Waiting at a gate.
    pub fn at_gate(&self, gate: &str) -> Stage {
        let mut stage = self.play(&self.news(gate), |_, _| true);
        stage.input(Input::Desk { gate: gate.to_owned() });
        // A hint goes with the next key, and whoever is at a gate has pressed some.
        stage.keys("ctrl-l");
        stage
    }

    /// Waiting where findings are settled.
    pub fn settling(&self) -> Stage {
        self.at_gate(SETTLE)
    }

    /// What the review comes to with these decisions, by the pipeline itself.
    fn outcome(&self, ops: &[Op]) -> ReviewOutcome {
        let record = |op: &Op| GateRecord { op: op.clone(), by: "An".to_owned(), at: String::new() };
        let records: Vec<GateRecord> = ops.iter().map(record).collect();
        let outcome = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&outcome);
        let look = move |subject: &GateSubject| {
            if let GateSubject::Settle(settling) = subject {
                *keep.lock().expect("not poisoned") = Some(settling.outcome(&records, "2026-01-02T03:10:00.000Z"));
            }
            Vec::new()
        };
        let ops = vec![(SETTLE.to_owned(), Box::new(look) as Ops)];
        let case = self.case().human(ScriptedHuman { ops, ..ScriptedHuman::default() });
        // The fault that says what is open belongs to a gate that was left; a preview is of one that is not.
        let _ = block_on(case.run());
        outcome.lock().expect("not poisoned").take().expect("the gate of settling")
    }

    fn file(&self, outcome: &ReviewOutcome) -> String {
        let file = FindingsFile {
            source: self.name.to_owned(),
            version: "0.8".to_owned(),
            applied_to_version: String::new(),
            generated_at: outcome.generated_at.clone(),
            status: Default::default(),
            findings: outcome.findings.clone(),
            recommendation: outcome.recommendation.clone(),
            convergence: outcome.convergence.clone(),
            coverage: Coverage::of(outcome),
            dropped: outcome.dropped.clone(),
            carried: Vec::new(),
            carried_unmatched: Vec::new(),
            run: Run { recipe: "refine-prd".to_owned(), lang: self.lang.code().to_owned(), ..Run::default() },
            extra: BTreeMap::new(),
        };
        render(&file, &recipe("refine-prd"))
    }

    /// Tells the screen what would be written with its decisions, over a file in which `before` was decided.
    pub fn preview(&self, stage: &mut Stage, before: Option<Vec<Op>>) {
        let outcome = self.outcome(&stage.ops());
        let text = self.file(&outcome);
        let there = before.map(|ops| self.file(&self.outcome(&ops)));
        let path = self.name.replace(".md", ".findings.yaml");
        stage.input(Input::Preview(Preview { path, there, text, outcome: Some(Box::new(outcome)), ..Preview::default() }));
    }

    /// Writes: how the run ends with the decisions that are left.
    pub fn write(&self, stage: &mut Stage, keys: &str) {
        let outcome = self.outcome(&stage.ops());
        let path = self.name.replace(".md", ".findings.yaml");
        let written = Written { path: path.clone(), hash: String::new(), backup: None };
        let of = SummaryOf {
            recipe: "refine-prd",
            file: self.name,
            waves: 1,
            only: None,
            offline: false,
            currency: "USD".to_owned(),
            written: &written,
        };
        let text = summary(&outcome, &of, &Catalogue::new(self.lang));
        stage.ending = Ended { summary: text.lines().map(str::to_owned).collect(), written: Some(path), fault: None };
        stage.keys(keys);
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    runtime.block_on(work)
}
