//! A column of a table: its type, its counts, and its role, given or suggested.

use super::evidence::Evidence;
use super::screen::{Refusal, refusal};
use super::suggestion::Suggestion;
use klimt_core::table::{Column, ColumnData, Domain, Role, ValueType};
use klimt_io::column::marker;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts of a column, and its role. It holds no value.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub r#type: String,
    /// How many different values it has.
    pub distinct: usize,
    /// How many rows have none.
    pub missing: usize,
    /// The role that it was given, or that is suggested.
    pub role: Role,
    /// Whether the role is only suggested.
    pub suggested: bool,
    /// Why the role is suggested, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it is a key of people that repeats: it tells which rows are one person's.
    pub is_person: bool,
    /// Texts that are known to stand for a missing value, such as `NA`, and are not named as such yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub markers: Vec<String>,
    /// Whether such markers are all that keeps its values from being numbers or dates.
    #[serde(skip)]
    pub(crate) is_marked: bool,
    /// Why it would be refused in other roles, for those in which it would be.
    #[serde(skip)]
    refused: Vec<Refusal>,
    /// Forms of its values, the most common first: `x` for a letter, `9` for a digit.
    #[serde(skip)]
    masks: Vec<String>,
    /// How many equally common values would be as diverse: the exponential of the entropy.
    pub effective: f64,
    /// How many rows have a value in this column that no other row has; missing is a value.
    pub unique_alone: usize,
    /// How many rows are told apart by this column and the other quasi-identifiers, and would not be without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adds_unique: Option<u64>,
    /// Of a sensitive column: the share of rows whose value is certain to an attacker who knows their
    /// quasi-identifiers, as all rows with the same tuple have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certain: Option<f64>,
}

impl ColumnProfile {
    /// The profile of a column, with the role that it was given or that is suggested.
    pub(super) fn of(
        column: &Column,
        evidence: &Evidence,
        given: Option<Role>,
        suggestion: Suggestion,
    ) -> Self {
        let counts = Counts::of(column);
        let is_text = column.coded().is_some_and(|(domain, _)| domain.value_type() == ValueType::Text);
        ColumnProfile {
            name: column.name.clone(),
            r#type: counts.value_type.to_string(),
            distinct: counts.distinct,
            missing: counts.missing,
            role: given.unwrap_or(suggestion.role),
            suggested: given.is_none(),
            reason: given.is_none().then_some(suggestion.reason),
            is_person: suggestion.is_person,
            markers: column.coded().map_or(Vec::new(), |(domain, _)| markers(domain)),
            is_marked: is_text && evidence.is_marked,
            refused: Role::ALL.into_iter().filter_map(|role| refusal(evidence, role)).collect(),
            masks: masks(&evidence.values),
            effective: counts.effective,
            unique_alone: counts.alone,
            adds_unique: None,
            certain: None,
        }
    }
}

impl ColumnProfile {
    /// Why a run would refuse the column in a role, unless it is accepted; `None` where it would not.
    pub fn refused_as(&self, role: Role) -> Option<&str> {
        self.refused.iter().find(|refused| refused.role == role).map(|refused| refused.reason.as_str())
    }

    /// The three most common forms of its values, with `x` for every letter and `9` for every digit: a preview without values.
    pub fn masks(&self) -> &[String] {
        &self.masks
    }

    /// Gives it a role that somebody has chosen.
    pub fn choose(&mut self, role: Role) {
        (self.role, self.suggested) = (role, false);
        self.reason = None;
    }
}

/// The most common forms of values.
fn masks(values: &[String]) -> Vec<String> {
    const SHOWN: usize = 3;
    const LONGEST: usize = 40;
    let mask = |value: &String| -> String {
        let hidden = |letter: char| match letter {
            letter if letter.is_numeric() => '9',
            letter if letter.is_ascii_punctuation() || letter == ' ' => letter,
            _ => 'x',
        };
        value.chars().take(LONGEST).map(hidden).collect()
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    // A form without letters and digits would be a value.
    let masks = values.iter().map(mask).filter(|mask| mask.contains(['x', '9']));
    masks.for_each(|mask| *counts.entry(mask).or_default() += 1);
    let mut masks: Vec<(String, usize)> = counts.into_iter().collect();
    masks.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    masks.into_iter().take(SHOWN).map(|(mask, _)| mask).collect()
}

/// What is counted in a column.
struct Counts {
    value_type: &'static str,
    distinct: usize,
    missing: usize,
    alone: usize,
    effective: f64,
}

impl Counts {
    /// The type, and how many values are different, missing, alone, and as diverse.
    fn of(column: &Column) -> Self {
        let ColumnData::Coded { domain, codes } = &column.data else {
            return Counts { value_type: "text", distinct: 0, missing: 0, alone: 0, effective: 0.0 };
        };
        let mut rows = vec![0u32; domain.cardinality()];
        codes.for_each(|code| rows[code as usize] += 1);
        let missing = domain.missing_code().map_or(0, |code| rows[code as usize]);
        let held = || rows.iter().take(domain.value_count()).filter(|&&rows| rows > 0);
        let total = (codes.len() - missing as usize) as f64;
        let share = |rows: &u32| f64::from(*rows) / total;
        let entropy: f64 = held().map(share).map(|share| -share * share.ln()).sum();
        Counts {
            value_type: domain.value_type().name(),
            distinct: held().count(),
            missing: missing as usize,
            alone: rows.iter().filter(|&&rows| rows == 1).count(),
            effective: if total > 0.0 { entropy.exp() } else { 0.0 },
        }
    }
}

/// The known markers of missing values among the texts of a domain.
fn markers(domain: &Domain) -> Vec<String> {
    let texts = || (0..domain.value_count() as u32).map(|code| domain.text(code));
    match domain.value_type() {
        ValueType::Text => texts().filter(|text| marker(text.as_bytes()).is_some()).collect(),
        _ => Vec::new(),
    }
}
