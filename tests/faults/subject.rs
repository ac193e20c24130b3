//! What is reviewed under faults: a document, who reviews it, what stands at the target, and how an undisturbed run ends.

use super::bench::Bench;
use super::check;

/// The document's name; its findings go to [`TARGET`].
pub const DOCUMENT: &str = "notes.md";
/// The findings file beside the document.
pub const TARGET: &str = "notes.findings.yaml";
/// Where acknowledged events are written.
pub const EVENTS: &str = "events.jsonl";
/// Defers whatever a person would have to decide.
pub const DEFER: [&str; 3] = ["--defer-all", "after the holidays", "--defer-policy"];

/// A document with a contradiction, an open policy question, a placeholder, and things that are missing.
pub const NOTES: &str = "\
# Notes

Version: 1.2

## Scope
- Reading and deleting notes.

## Business Rules
- BR-01: A deleted note is kept for 30 days.
- BR-02: A deleted note is kept for 14 days.

## UC-01: Read a note
### Main Flow
1. The reader opens the note.
### Acceptance Criteria
- AC-01: The reader sees the note within 3 seconds, TBD.
### Open Questions
- Which security review does a private note need?

## UC-02: Delete a note
### Acceptance Criteria
- AC-02: The note is gone, see BR-09.
";

/// The document as it was one review earlier: one defect more, another one not yet there.
const NOTES_BEFORE: &str = "\
# Notes

Version: 1.1

## Scope
- Reading and deleting notes.

## Business Rules
- BR-01: A deleted note is kept for 30 days.

## UC-01: Read a note
### Main Flow
1. The reader opens the note.
### Acceptance Criteria
- AC-01: The reader sees the note within 3 seconds, TBD.
- AC-03: The reader sees the writer's name, TODO.
### Open Questions
- Which security review does a private note need?

## UC-02: Delete a note
### Acceptance Criteria
- AC-02: The note is gone, see BR-09.
";

/// A council with a retry (DEV), a hole (SA), duplicates across lenses and rounds, a conflict, and a policy question.
pub const COUNCIL: &str = r#"
schema: tamis.script/1
name: council
steps:
  - key: review/DEV/UC-01
    attempts:
      - fail: timeout
        reason: the line was busy
      - chunks: ["Reading AC-01. ", "Three seconds of what?"]
        tokens_in: 120
        tokens_out: 40
        findings:
          - severity: major
            section: "UC-01: Read a note > Acceptance Criteria"
            uc_id: UC-01
            quote: The reader sees the note within 3 seconds, TBD.
            finding: AC-01 leaves open from when the 3 seconds count.
            suggestion: Write in AC-01 that the 3 seconds count from opening the note.
  - key: review/SA/UC-01
    attempts:
      - fail: unavailable
        reason: nobody answered
  - key: review/PO/UC-01
    delay_ms: 30
    findings:
      - severity: critical
        section: "UC-01: Read a note > Acceptance Criteria"
        uc_id: UC-01
        quote: The reader sees the note within 3 seconds, TBD.
        finding: AC-01 leaves open from when the 3 seconds count.
        suggestion: Write in AC-01 that the 3 seconds count from opening the note, as BR-01 does for days.
      - severity: minor
        section: "UC-01: Read a note > Open Questions"
        uc_id: UC-01
        quote: Which security review does a private note need?
        finding: The question about the security review has no answer.
        suggestion: Name who answers it and by when.
        blocked_on: ["needs-security-decision: which review does a private note need?"]
  - key: review/DEV/PRD-global
    delay_ms: 10
    findings:
      - severity: critical
        section: Business Rules
        quote: A deleted note is kept for 14 days.
        finding: BR-01 keeps a deleted note for 30 days, BR-02 for 14.
        suggestion: Keep one of the two values.
        options: ["Keep 30 days in BR-01 and strike BR-02.", "Keep 14 days in BR-02 and strike BR-01."]
  - key: critic/1
    findings:
      - dimension: SA
        severity: major
        section: "UC-02: Delete a note > Acceptance Criteria"
        uc_id: UC-02
        quote: The note is gone, see BR-09.
        finding: AC-02 cites BR-09, which is not defined.
        suggestion: Define BR-09 or cite BR-01.
      - dimension: DEV
        severity: major
        section: "UC-01: Read a note > Acceptance Criteria"
        uc_id: UC-01
        quote: The reader sees the note within 3 seconds, TBD.
        finding: AC-01 leaves open from when the 3 seconds count.
        suggestion: Write in AC-01 that the 3 seconds count from opening the note.
"#;

/// A file at the target that tamis did not write.
const FOREIGN: &[u8] = b"mine: yes\nnotes:\n  - kept by hand\n";

/// One review to disturb.
pub struct Subject {
    /// Its name in reports.
    pub name: &'static str,
    /// What stands at the target before; `None` for nothing.
    pub old: Option<Vec<u8>>,
    /// Whether the old target has to be kept as a backup.
    pub keeps_old: bool,
    /// Exit code of an undisturbed run.
    pub code: i32,
    /// Findings file of an undisturbed run, without times and run id.
    pub findings: String,
    /// Folder of what all benches share, so that its paths are the same everywhere.
    shared: Bench,
    agent: Option<String>,
}

impl Subject {
    /// Offline, conflict and policy question deferred, nothing at the target.
    pub fn offline() -> Subject {
        Subject::new("offline", Bench::new(), None, None, false)
    }

    /// Offline, over an earlier findings file whose decisions are carried over.
    pub fn carried() -> Subject {
        let old = decided_before();
        let subject = Subject::new("carry-over", Bench::new(), None, Some(old), false);
        assert!(subject.findings.contains("carried:\n  -"), "a decision is carried over: {}", subject.findings);
        assert!(subject.findings.contains("carried_unmatched:\n  -"), "one matches nothing: {}", subject.findings);
        subject
    }

    /// A scripted council over a foreign file that has to be kept.
    pub fn council() -> Subject {
        let shared = Bench::new();
        let script = shared.write("council.yaml", COUNCIL);
        let agent = format!("script:{}", script.display());
        let subject = Subject::new("council", shared, Some(agent), Some(FOREIGN.to_vec()), true);
        assert_eq!(subject.code, 4, "it ends with a hole");
        subject
    }

    fn new(name: &'static str, shared: Bench, agent: Option<String>, old: Option<Vec<u8>>, keeps_old: bool) -> Subject {
        let mut subject = Subject { name, old, keeps_old, code: 0, findings: String::new(), shared, agent };
        let bench = subject.bench();
        let ran = bench.run(&subject.review());
        assert!([0, 4].contains(&ran.code), "{name}: {ran:?}");
        let written = bench.read(TARGET).expect("written");
        assert!(ran.err.contains("gate/settle: closed"), "{name}: something was deferred: {ran:?}");
        subject.code = ran.code;
        subject.findings = check::normalised(&written);
        check::ended(&subject, &bench, &ran);
        subject
    }

    /// A folder with the document and the old target.
    pub fn bench(&self) -> Bench {
        let bench = Bench::new();
        bench.write(DOCUMENT, NOTES);
        if let Some(old) = &self.old {
            bench.write(TARGET, old);
        }
        bench
    }

    /// Arguments of the review.
    pub fn review(&self) -> Vec<&str> {
        let mut args = vec!["review", DOCUMENT, "--headless"];
        if let Some(agent) = &self.agent {
            args.extend(["--agent", agent]);
        }
        args.extend(self.carry());
        args
    }

    /// Arguments of a resume of the newest open run.
    pub fn resume(&self) -> Vec<&str> {
        let mut args = vec!["resume", "--headless"];
        args.extend(self.carry());
        args
    }

    /// Arguments of a resume of a run.
    pub fn resume_of<'a>(&self, run: &'a str) -> Vec<&'a str> {
        let mut args = vec!["resume", run, "--headless"];
        args.extend(self.carry());
        args
    }

    /// Puts another script in place of the council's, at the same path.
    pub fn replace_script(&self, text: &str) {
        assert!(self.agent.is_some(), "{} has no script", self.name);
        self.shared.write("council.yaml", text);
    }

    fn carry(&self) -> Vec<&'static str> {
        let mut args = DEFER.to_vec();
        if self.keeps_old {
            args.push("--overwrite");
        }
        args
    }
}

/// A findings file of an earlier review whose findings a person has decided: some still stand, one is gone.
fn decided_before() -> Vec<u8> {
    let bench = Bench::new();
    bench.write(DOCUMENT, NOTES_BEFORE);
    let ran = bench.run(&["review", DOCUMENT, DEFER[0], DEFER[1], DEFER[2]]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let written = String::from_utf8(bench.read(TARGET).expect("written")).expect("text");
    // As a person decides in the file: the first is accepted, all others are rejected.
    let (first, rest) = written.split_once("status: pending\n").expect("a pending finding");
    let rest = rest.replace("status: pending\n", "status: rejected\n");
    format!("{first}status: accepted\n{rest}").into_bytes()
}
