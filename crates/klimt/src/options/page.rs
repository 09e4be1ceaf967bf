//! The table as a page of the docs.

use super::{Effect, OPTIONS, OptionEntry};
use klimt_core::registry::{AlgorithmKind, PARTITIONERS};
use klimt_core::{Choice, Words};

/// The page `docs/options.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Which option has an effect with which algorithm\n\n\
         This page is made from the table by which `klimt anonymize` checks its options (`crates/klimt/src/options/`);\n\
         a test compares the two. Flags and keys of a spec are checked alike.\n\n\
         - yes: the option has an effect.\n\
         - (yes): it has an effect under a condition, which is below the table. Where the condition does not hold, the option\n  \
           is refused with exit code 2.\n\
         - no: the algorithm cannot do it, or makes nothing of it. The option is refused with exit code 2.\n\n\
         `--algorithm auto` takes what mondrian or rothko-s takes. An option that has no effect on a table, whatever the\n\
         algorithm, gets a note; the last column says what it needs. Options that are not listed, the requirements among\n\
         them, have an effect with every algorithm.\n\n",
    );
    text.push_str(&format!("| option | {} | needs |\n", PARTITIONERS.map(AlgorithmKind::name).join(" | ")));
    text.push_str(&format!("|---|{}---|\n", "---|".repeat(PARTITIONERS.len())));
    let listed = || OPTIONS.iter().filter(|option| is_listed(option));
    for option in listed() {
        let cells = PARTITIONERS.map(|algorithm| match whole(option).effect(algorithm) {
            Effect::Foreign | Effect::Refused(_) | Effect::NeedsAllRows(_) => "no",
            _ => cell(option, algorithm),
        });
        let needs = option.on_table.map_or("", |need| need.text);
        text.push_str(&format!("| `{}` | {} | {needs} |\n", option.shown(), cells.join(" | ")));
    }
    text.push_str("\n## Conditions and reasons\n\n");
    listed().for_each(|option| reasons(option, &mut text));
    Words::Flags.render(&text)
}

/// The entry about all values of an option: what it refuses is refused for some values too.
fn whole(option: &'static OptionEntry) -> &'static OptionEntry {
    OPTIONS.iter().find(|other| other.flag == option.flag && other.value.is_none()).unwrap_or(option)
}

fn cell(option: &OptionEntry, algorithm: AlgorithmKind) -> &'static str {
    match option.effect(algorithm) {
        Effect::Always => "yes",
        Effect::Beside(_) | Effect::Unless(_) => "(yes)",
        Effect::Foreign | Effect::Refused(_) | Effect::NeedsAllRows(_) => "no",
    }
}

fn is_listed(option: &OptionEntry) -> bool {
    let everywhere = option.effects.iter().all(|effect| matches!(effect, Effect::Always));
    !everywhere || option.on_table.is_some()
}

/// Every reason of an option once, with the algorithms that it is about.
fn reasons(option: &OptionEntry, text: &mut String) {
    let said = |algorithm: AlgorithmKind| match option.effect(algorithm) {
        Effect::Always | Effect::Foreign => None,
        Effect::Refused(why) | Effect::NeedsAllRows(why) => Some(format!("no, {why}")),
        Effect::Beside(need) => Some(format!("beside {}", need.text)),
        Effect::Unless(need) => Some(format!("refused where it meets this: {}", need.text)),
    };
    let mut seen: Vec<(String, Vec<&str>)> = Vec::new();
    for algorithm in PARTITIONERS {
        let Some(why) = said(algorithm) else { continue };
        match seen.iter_mut().find(|(other, _)| *other == why) {
            Some((_, algorithms)) => algorithms.push(algorithm.name()),
            None => seen.push((why, vec![algorithm.name()])),
        }
    }
    for (why, algorithms) in seen {
        text.push_str(&format!("- `{}` with {}: {why}\n", option.shown(), algorithms.join(", ")));
    }
}
