//! Speed of the parts a review is made of. Run by hand: `cargo bench --locked`; figures that move go into CHANGELOG.md.

use std::fmt::Write as _;
use tamis::document::Document;
use tamis::lint;
use tamis::model::lang::Lang;
use tamis::text::Catalogue;

fn main() {
    divan::main();
}

/// A requirement document of about `lines` lines: use cases with criteria, rules in tables, weak words here and there.
fn document(lines: usize) -> String {
    let actors = ["The courier", "The recipient", "The operator", "The service desk"];
    let acts = ["opens the locker", "gets a new code", "sees the state of the parcel", "is told why it was refused"];
    let tails = ["within 3 days", "if possible", "as described in BR-{n}", "before the locker closes", "in a suitable way"];
    let mut text = String::from("# Parcel lockers\n\n## Glossary\n- **parcel**: what is sent\n\n");
    let mut written = 5;
    let mut unit = 0;
    while written < lines {
        unit += 1;
        let _ = write!(text, "## UC-{unit:03}: Use case {unit}\n\n### Acceptance Criteria\n\n");
        for n in 0..6 {
            let tail = tails[(unit + n) % tails.len()].replace("{n}", &format!("{unit:03}{}", n % 3));
            let _ = writeln!(text, "- AC-{n}: {} {} {tail}.", actors[n % 4], acts[(unit + n) % 4]);
        }
        let _ = write!(text, "\n### Business Rules\n\n| ID | Rule |\n|---|---|\n");
        for n in 0..3 {
            let _ = writeln!(text, "| BR-{unit:03}{n} | {} {} for at most {} days. |", actors[n], acts[(unit + n) % 4], n + 2);
        }
        text.push('\n');
        written += 19;
    }
    text
}

#[divan::bench(args = [300, 3_000, 100_000])]
fn outline(bencher: divan::Bencher, lines: usize) {
    let text = document(lines);
    bencher.bench(|| Document::parse(divan::black_box(text.clone())));
}

#[divan::bench(args = [300, 3_000, 100_000])]
fn rules_offline(bencher: divan::Bencher, lines: usize) {
    let document = Document::parse(document(lines));
    let (context, words) = (Default::default(), Catalogue::new(Lang::En));
    bencher.bench(|| lint::review(divan::black_box(&document), &context, &words));
}
