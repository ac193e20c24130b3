//! The offline reviewer on whole documents.

use tamis::document::Document;
use tamis::lint::{review, rules};
use tamis::model::context::SlimContext;
use tamis::text::Catalogue;

#[test]
fn every_rule_fires_on_its_failing_examples_and_stays_quiet_on_the_others() {
    let mut wrong = Vec::new();
    for rule in rules() {
        for example in rule.examples {
            let fires = |text: &str| {
                let doc = Document::parse(text.to_owned());
                review(&doc, &SlimContext::default(), &Catalogue::new(example.lang)).iter().any(|hit| hit.rule == rule.id)
            };
            if !fires(example.fails) {
                wrong.push(format!("{} {} stays quiet on\n{}", rule.id, example.lang, example.fails));
            }
            if fires(example.passes) {
                wrong.push(format!("{} {} fires on\n{}", rule.id, example.lang, example.passes));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
