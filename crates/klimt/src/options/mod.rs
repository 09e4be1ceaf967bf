//! For front ends: which option has an effect with which algorithm. One table, from which refusals, notes and a page of the docs are made.
//!
//! An option that can have no effect with the chosen algorithm, whatever the data, is refused before any work; one that
//! has none on this table gets a note. `auto` counts as every algorithm that it may choose.

mod conditions;
mod page;
mod table;

pub use page::page;
pub use table::OPTIONS;

use crate::settings::Settings;
use klimt_core::Choice;
use klimt_core::registry::{AlgorithmKind, PARTITIONERS};
use klimt_core::table::Table;
use klimt_core::words;

/// What an option does to an algorithm.
#[derive(Clone, Copy)]
pub enum Effect {
    /// It has an effect.
    Always,
    /// It is an option of other algorithms.
    Foreign,
    /// It asks for something that the algorithm cannot do, for this reason.
    Refused(&'static str),
    /// It needs all rows at once, which the algorithm does not have: the reason.
    NeedsAllRows(&'static str),
    /// It has an effect only beside another option.
    Beside(&'static Need),
    /// It has an effect unless another option forbids it.
    Unless(&'static Need),
}

/// What an option needs of other options, or must not meet there.
pub struct Need {
    /// The other option, or the reason why it forbids this one.
    pub text: &'static str,
    holds: fn(&Settings) -> bool,
}

/// What an option needs of a table to have an effect on it.
pub struct TableNeed {
    /// What it needs.
    pub text: &'static str,
    /// Why it has no effect on a table, where it has none.
    lacks: fn(&Settings, &Seen<'_>) -> Option<String>,
}

/// An option, or some values of it, and what it has an effect on.
pub struct OptionEntry {
    /// The long flag, without its dashes.
    pub flag: &'static str,
    /// Which values of it the entry is about, where it is not about all.
    pub value: Option<&'static str>,
    /// The key of the spec that says the same.
    pub key: Key,
    /// What it does to each algorithm, in the order of [`PARTITIONERS`].
    pub effects: [Effect; 8],
    /// What it needs of a table.
    pub on_table: Option<&'static TableNeed>,
    given: fn(&Settings) -> bool,
}

/// Where a spec says what a flag says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Nowhere.
    None,
    /// Under the name of the flag.
    Spec,
    /// Under the name of the flag, of a column.
    Column,
    /// Both.
    Either,
    /// As the role of a column.
    Role,
}

/// What is known once the table has been read.
pub struct Seen<'a> {
    /// Its columns; rows are not looked at.
    pub table: &'a Table,
    /// Whether it is in memory.
    pub in_memory: bool,
    /// Whether it was read from text.
    pub is_text: bool,
}

impl OptionEntry {
    /// The option with the values that this is about, for a message.
    fn shown(&self) -> String {
        match self.value {
            Some(value) => words::option_is(self.flag, value),
            None => words::option(self.flag),
        }
    }

    /// What it does to an algorithm.
    pub fn effect(&self, algorithm: AlgorithmKind) -> Effect {
        self.effects[place(algorithm)]
    }

    /// Why it is refused with an algorithm, where it is.
    fn refusal(&self, asked: &Settings, algorithm: AlgorithmKind) -> Option<String> {
        match self.effect(algorithm) {
            Effect::Always => None,
            Effect::Foreign => Some(format!("{} is for {}", self.shown(), self.users())),
            Effect::Beside(need) if !(need.holds)(asked) => {
                Some(format!("{} is for {}", self.shown(), self.users()))
            }
            Effect::Unless(need) if (need.holds)(asked) => Some(format!("{}: {}", self.shown(), need.text)),
            Effect::Refused(why) | Effect::NeedsAllRows(why) => Some(format!("{}: {why}", self.shown())),
            Effect::Beside(_) | Effect::Unless(_) => None,
        }
    }

    /// Whom it has an effect on: the algorithms, and what else it can stand beside.
    fn users(&self) -> String {
        let always = |algorithm: &&AlgorithmKind| {
            matches!(self.effect(**algorithm), Effect::Always | Effect::Unless(_))
        };
        let names: Vec<&str> = PARTITIONERS.iter().filter(always).map(|algorithm| algorithm.name()).collect();
        let mut users = Vec::new();
        if let [first @ .., last] = &names[..] {
            let first = if first.is_empty() { String::new() } else { format!("{} or ", first.join(", ")) };
            users.push(words::option_is("algorithm", format!("{first}{last}")));
        }
        for algorithm in PARTITIONERS {
            if let Effect::Beside(need) = self.effect(algorithm)
                && !users.iter().any(|user| user == need.text)
            {
                users.push(need.text.to_string());
            }
        }
        users.join(" or ")
    }
}

/// The place of an algorithm in the table.
const fn place(algorithm: AlgorithmKind) -> usize {
    algorithm as usize - 1
}

impl Settings {
    /// The algorithms that a run may come to.
    pub fn algorithms(&self) -> Vec<AlgorithmKind> {
        match self.is_auto() {
            true => vec![AlgorithmKind::Mondrian, AlgorithmKind::RothkoS],
            false => vec![self.algorithm()],
        }
    }
}

/// The options that are given though they can have no effect, or ask for what cannot be done: a problem each.
pub fn refusals(asked: &Settings) -> Vec<String> {
    let mut algorithms = asked.algorithms();
    // What needs all rows leaves nothing to choose but an algorithm in memory.
    if asked.is_auto() && !needing_all_rows(asked).is_empty() {
        algorithms.retain(|algorithm| *algorithm != AlgorithmKind::RothkoS);
    }
    let given = OPTIONS.iter().filter(|option| (option.given)(asked));
    let refused = given.filter_map(|option| {
        let mut each = algorithms.iter().map(|&algorithm| option.refusal(asked, algorithm));
        // One algorithm that takes it is enough.
        let first = each.next().flatten()?;
        each.all(|refused| refused.is_some()).then_some(first)
    });
    refused.collect()
}

/// The options that are given and need all rows of a table in memory: a problem each.
pub fn needing_all_rows(asked: &Settings) -> Vec<String> {
    let given = OPTIONS.iter().filter(|option| (option.given)(asked));
    let needing = given.filter_map(|option| match option.effect(AlgorithmKind::RothkoS) {
        Effect::NeedsAllRows(why) => Some(format!("{}: {why}", option.shown())),
        _ => None,
    });
    needing.collect()
}

/// Whether an option can have an effect with what is asked for.
pub fn applies(flag: &str, asked: &Settings) -> bool {
    let mut entries = OPTIONS.iter().filter(|option| option.flag == flag && option.value.is_none());
    let takes = |option: &OptionEntry| {
        asked.algorithms().iter().any(|&algorithm| option.refusal(asked, algorithm).is_none())
    };
    entries.all(takes)
}

/// The options that are given though they have no effect on this table: a sentence each.
pub fn idle(asked: &Settings, seen: &Seen<'_>) -> Vec<String> {
    let given = OPTIONS.iter().filter(|option| (option.given)(asked));
    let idle = given.filter_map(|option| {
        let why = option.on_table.and_then(|need| (need.lacks)(asked, seen))?;
        Some(format!("{} has no effect: {why}", option.shown()))
    });
    idle.collect()
}
