//! The gain of an attacker who intersects several releases over one who has one: candidates alone and
//! together.

use super::{
    candidates::{Candidates, Sets},
    linked::LinkedRows,
};
use hashbrown::HashMap;
use serde::Serialize;

/// The attack on the rows that appear in two or more releases.
///
/// *Alone* is the result from the newest release of a row: its group there. *Together* is the result from all
/// releases in which it appears: its candidates, with their values in that newest release.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IntersectionAttack {
    /// The rows that appear in two or more releases.
    pub rows: u64,
    /// The average number of their candidates alone.
    pub candidates_alone: f64,
    /// And together.
    pub candidates_together: f64,
    /// Those with one candidate alone.
    pub singled_out_alone: u64,
    /// And together.
    pub singled_out_together: u64,
    /// The results for each sensitive column.
    pub sensitive: Vec<SensitiveAttack>,
}

/// The results for a sensitive column of the linked rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SensitiveAttack {
    /// The name of the column.
    pub column: String,
    /// The share of the rows that have the commonest value of their newest release: what guessing it achieves.
    pub base_rate: f64,
    /// The rows whose candidates all share a value, alone.
    pub certain_alone: u64,
    /// And together.
    pub certain_together: u64,
    /// The share of the rows for which the commonest value of the candidates is the true one, alone. Where several are
    /// equally common, one of them at random.
    pub right_alone: f64,
    /// And together.
    pub right_together: f64,
    /// The gain of intersecting over the base rate: `right_together` less `base_rate`.
    pub gain: f64,
}

/// Sums over rows.
#[derive(Clone, Default)]
struct AttackSums {
    certain: [u64; 2],
    right: [f64; 2],
    base: f64,
}

/// Intersects the releases.
pub(super) fn intersect(linked: &LinkedRows, columns: &[String]) -> IntersectionAttack {
    let mut found = IntersectionAttack::default();
    let (mut candidates, mut sizes) = (Candidates::new(linked), [0u64; 2]);
    let mut sums = vec![AttackSums::default(); columns.len()];
    let bases: Vec<Vec<Vec<u32>>> = (0..linked.files.len())
        .map(|file| (0..columns.len()).map(|c| base(linked, file, c)).collect())
        .collect();
    for rows in linked.by_releases().chunk_by(|&a, &b| linked.mask(a) == linked.mask(b)) {
        let mask = linked.mask(rows[0]);
        let sets = candidates.of(mask, rows);
        found.rows += rows.len() as u64;
        for (class, size) in sets.judged() {
            let hidden = sets.hidden[class as usize];
            sizes[1] += size * hidden;
            found.singled_out_together += if size == 1 { hidden } else { 0 };
        }
        for &row in rows {
            let alone = linked.files[sets.file].rows_of(linked.group(row, sets.file)).len() as u64;
            sizes[0] += alone;
            found.singled_out_alone += u64::from(alone == 1);
        }
        for (column, sums) in sums.iter_mut().enumerate() {
            learn(linked, &sets, rows, column, &bases[sets.file][column], sums);
        }
    }
    let share = |part: f64| if found.rows == 0 { 0.0 } else { part / found.rows as f64 };
    [found.candidates_alone, found.candidates_together] = sizes.map(|sum| share(sum as f64));
    let learnt = |(name, sums): (&String, AttackSums)| SensitiveAttack {
        column: name.clone(),
        base_rate: share(sums.base),
        certain_alone: sums.certain[0],
        certain_together: sums.certain[1],
        right_alone: share(sums.right[0]),
        right_together: share(sums.right[1]),
        gain: share(sums.right[1] - sums.base),
    };
    found.sensitive = columns.iter().zip(sums).map(learnt).collect();
    found
}

/// How often each value occurs in each set of rows.
type Histograms = HashMap<u32, HashMap<u32, u64>>;

/// Adds what is learnt of the rows that appear in the same releases.
fn learn(linked: &LinkedRows, sets: &Sets, rows: &[u32], column: usize, base: &[u32], sums: &mut AttackSums) {
    let value = |row: u32| linked.value(row, sets.file, column);
    let mut together = Histograms::new();
    let mut class_of: HashMap<u32, u32> = HashMap::with_capacity(sets.rows.len());
    for (&row, &class) in sets.rows.iter().zip(&sets.classes) {
        *together.entry(class).or_default().entry(value(row)).or_default() += 1;
        class_of.insert(row, class);
    }
    let mut alone = Histograms::new();
    for &row in rows {
        let group = linked.group(row, sets.file);
        alone.entry(group).or_insert_with(|| {
            let mut counts = HashMap::new();
            linked.files[sets.file]
                .rows_of(group)
                .iter()
                .for_each(|&row| *counts.entry(value(row)).or_default() += 1);
            counts
        });
    }
    let told = |counts: &HashMap<u32, u64>| (counts.len() == 1, commonest(counts));
    let alone: HashMap<u32, (bool, Vec<u32>)> =
        alone.iter().map(|(group, counts)| (*group, told(counts))).collect();
    let together: HashMap<u32, (bool, Vec<u32>)> =
        together.iter().map(|(class, counts)| (*class, told(counts))).collect();
    let right = |guess: &[u32], row: u32| {
        if guess.contains(&value(row)) { 1.0 / guess.len() as f64 } else { 0.0 }
    };
    for &row in rows {
        let found = [
            alone.get(&linked.group(row, sets.file)),
            class_of.get(&row).and_then(|class| together.get(class)),
        ];
        for (at, found) in found.into_iter().enumerate() {
            if let Some((certain, guess)) = found {
                sums.certain[at] += u64::from(*certain);
                sums.right[at] += right(guess, row);
            }
        }
        sums.base += right(base, row);
    }
}

/// The commonest values of a release.
fn base(linked: &LinkedRows, file: usize, column: usize) -> Vec<u32> {
    let mut whole = HashMap::new();
    let members = linked.files[file].members.iter();
    members.for_each(|&row| *whole.entry(linked.value(row, file, column)).or_default() += 1);
    commonest(&whole)
}

/// The values that occur most often.
fn commonest(counts: &HashMap<u32, u64>) -> Vec<u32> {
    let most = counts.values().max().copied().unwrap_or(0);
    let mut values: Vec<u32> =
        counts.iter().filter(|(_, rows)| **rows == most).map(|(value, _)| *value).collect();
    values.sort_unstable();
    values
}
