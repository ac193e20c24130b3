//! The nearest known name to a mistyped one, for messages that say what there is.

/// Longer names are compared by their first characters only, so that a hostile name costs nothing.
const MAX_CHARS: usize = 80;

/// The candidate that a mistyped name most likely means: at most a third of its characters differ, case aside.
///
/// Candidates at the same distance keep their order: the first one wins.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(name);
    if folded.is_empty() {
        return None;
    }
    let allowed = match folded.chars().count() {
        1 => 0,
        count => (count / 3).max(1),
    };
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&folded, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A hint that names the nearest candidate first, then all of them: `did you mean `a`? There is: a, b`.
pub fn what_there_is<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let all: Vec<&str> = candidates.clone().into_iter().collect();
    let list = if all.is_empty() { "nothing".to_owned() } else { all.join(", ") };
    match nearest(name, candidates) {
        Some(near) => format!("did you mean `{near}`? There is: {list}"),
        None => format!("there is: {list}"),
    }
}

fn fold(name: &str) -> String {
    name.trim().chars().take(MAX_CHARS).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_a_stranger_finds_none() {
        let names = ["dimensions", "root", "finding_fields"];
        assert_eq!(nearest("dimension", names), Some("dimensions"));
        assert_eq!(nearest("Dimensoins", names), Some("dimensions"));
        assert_eq!(nearest("finding-fields", names), Some("finding_fields"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("dev", ["DEV", "dex"]), Some("DEV"));
        assert_eq!(nearest("mục tiêu", ["muc tieu", "mục tiêu 2"]), Some("muc tieu"));
    }

    #[test]
    fn short_names_do_not_match_everything() {
        assert_eq!(nearest("P9", ["SA", "QA"]), None);
        assert_eq!(nearest("P9", ["P0", "P1"]), Some("P0"));
        assert_eq!(nearest("x", ["y"]), None, "one character that differs is another name");
    }

    #[test]
    fn the_hint_lists_everything() {
        assert_eq!(what_there_is("rot", ["root", "name"]), "did you mean `root`? There is: root, name");
        assert_eq!(what_there_is("zzzz", ["root", "name"]), "there is: root, name");
    }

    #[test]
    fn an_endless_name_is_compared_by_its_beginning() {
        let long = "a".repeat(1_000_000);
        assert_eq!(nearest(&long, ["root"]), None);
    }
}
