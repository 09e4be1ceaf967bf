//! Linkage: which published rows may be a person's.
//!
//! A person is linked with every group whose region holds what is known of them; the rows of these groups are the
//! *candidates*. Where regions overlap, a person is linked with several groups. Suppressed rows are no group: nobody is
//! linked with them.
//!
//! - Somebody with one candidate is *singled out*.
//! - The expected re-identifications, where everybody is known to be in the release, are the sum of 1 / candidates over all
//!   people: what picking a candidate at random finds. Where that is not known, a group of n rows whose region holds N
//!   people is shared among them, so that each is in it with the chance min(1, n/N): the sum is over
//!   min(1, Σ n/N) / candidates.
//! - A sensitive value is inferred *for certain* where all candidates share it, and *with confidence c* where more than the
//!   share c of them does.

use super::guess::Guess;
use super::release::{AttackedRelease, Background};
use crate::loss::Locator;
use crate::risk::Share;
use rayon::prelude::*;
use serde::Serialize;

/// More links than this are not held: that many overlapping regions leave little to learn from them.
const MOST_LINKS: usize = 50_000_000;

/// The people whom linkage identifies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Linkage {
    /// The people that the attacker knows of.
    pub people: u64,
    /// Those of whom a value lies outside of the release's domain.
    pub outside_domain: u64,
    /// Those whom no region holds.
    pub unmatched: u64,
    /// Those with one candidate.
    pub singled_out: u64,
    /// The people with fewer candidates than k; absent without a k.
    pub below_k: Option<u64>,
    /// The candidates of all who are linked.
    pub candidates: CandidateCounts,
    /// How many people are expected to be found where all of them are known to be in the release.
    pub expected_found: f64,
    /// How many people are expected to be found where that is not known.
    pub expected_found_if_unsure: f64,
}

/// How many candidates people have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CandidateCounts {
    /// The least number.
    pub least: u64,
    /// The number that half of the people do not exceed.
    pub median: u64,
    /// The average.
    pub average: f64,
    /// The greatest number.
    pub greatest: u64,
    /// The people by the number of their candidates; empty ranges are left out.
    pub ranges: Vec<CandidateRange>,
}

/// The people whose number of candidates lies in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CandidateRange {
    /// The least number.
    pub from: u64,
    /// The greatest number; absent in the last range.
    pub to: Option<u64>,
    /// The people.
    pub people: u64,
}

/// Where the ranges begin.
const RANGES: [u64; 10] = [1, 2, 3, 5, 10, 20, 50, 100, 1000, 10_000];

/// The groups with which each tuple is linked.
pub(super) enum TupleLinks {
    /// Each tuple is a group of its own.
    Own,
    /// Where the groups of each tuple end, and the groups.
    Held(Vec<usize>, Vec<u32>),
    /// Too many to be held; they are looked for again.
    Sought(Locator),
}

impl TupleLinks {
    /// Links the people with the groups.
    pub fn new(release: &AttackedRelease, background: &Background) -> Self {
        let Some(codes) = &background.codes else { return TupleLinks::Own };
        let axes = release.axes.len();
        let covered =
            |group: usize, axis: usize| release.axes[axis].reach(release.texts[axis][group]).clone();
        let locator = Locator::new(release.rows.len(), axes, covered);
        let (mut ends, mut groups) = (vec![0], Vec::new());
        for chunk in codes.chunks(axes.max(1) * 65536) {
            let find = |tuple: &[u32]| {
                let mut found = Vec::new();
                locator.find(tuple, &mut found);
                found
            };
            let found: Vec<Vec<u32>> = chunk.par_chunks(axes.max(1)).map(find).collect();
            for of_tuple in found {
                groups.extend(of_tuple);
                ends.push(groups.len());
            }
            if groups.len() > MOST_LINKS {
                return TupleLinks::Sought(locator);
            }
        }
        TupleLinks::Held(ends, groups)
    }

    /// Does something with the groups of a tuple.
    pub fn with<R>(&self, background: &Background, tuple: usize, work: impl FnOnce(&[u32]) -> R) -> R {
        match self {
            TupleLinks::Own => work(&[tuple as u32]),
            TupleLinks::Held(ends, groups) => work(&groups[ends[tuple]..ends[tuple + 1]]),
            TupleLinks::Sought(locator) => {
                let codes = background.codes.as_deref().unwrap_or_default();
                let axes = codes.len() / background.people.len().max(1);
                let mut found = Vec::new();
                locator.find(&codes[tuple * axes..(tuple + 1) * axes], &mut found);
                work(&found)
            }
        }
    }
}

/// Links everybody; `k` is what numbers of candidates are compared with.
pub(super) fn linkage(
    release: &AttackedRelease,
    background: &Background,
    links: &TupleLinks,
    k: Option<u64>,
) -> Linkage {
    let tuples = background.people.len();
    let mut sharing = vec![0u64; release.rows.len()];
    for (tuple, &people) in background.people.iter().enumerate() {
        links.with(background, tuple, |groups| {
            groups.iter().for_each(|&group| sharing[group as usize] += people);
        });
    }
    let share = |&group: &u32| release.rows[group as usize] as f64 / sharing[group as usize] as f64;
    let of_tuple = |tuple: usize| {
        links.with(background, tuple, |groups| {
            let candidates: u64 = groups.iter().map(|&group| release.rows[group as usize]).sum();
            (candidates, groups.iter().map(share).sum::<f64>().min(1.0))
        })
    };
    let found: Vec<(u64, f64)> = (0..tuples).into_par_iter().map(of_tuple).collect();
    let mut numbers: Vec<(u64, u64)> = Vec::new();
    let (mut unmatched, mut expected, mut unsure) = (0, 0.0, 0.0);
    for (&(candidates, chance), &people) in found.iter().zip(&background.people) {
        if candidates == 0 {
            unmatched += people;
            continue;
        }
        numbers.push((candidates, people));
        expected += people as f64 / candidates as f64;
        unsure += people as f64 * chance / candidates as f64;
    }
    let fewer = |limit: u64| numbers.iter().filter(|(n, _)| *n < limit).map(|(_, people)| people).sum();
    Linkage {
        people: background.people.iter().sum(),
        outside_domain: background.elsewhere,
        unmatched,
        singled_out: fewer(2),
        below_k: k.map(fewer),
        expected_found: expected,
        expected_found_if_unsure: unsure,
        candidates: CandidateCounts::of(numbers),
    }
}

impl CandidateCounts {
    /// Of numbers of candidates, each with how many people have it.
    fn of(mut numbers: Vec<(u64, u64)>) -> Self {
        numbers.sort_unstable();
        let people: u64 = numbers.iter().map(|(_, people)| people).sum();
        let (Some(&(least, _)), Some(&(greatest, _))) = (numbers.first(), numbers.last()) else {
            return CandidateCounts::default();
        };
        let sum: u128 = numbers.iter().map(|&(n, people)| u128::from(n) * u128::from(people)).sum();
        let mut up_to = 0;
        let half = numbers.iter().find(|(_, more)| {
            up_to += more;
            up_to * 2 >= people
        });
        let median = half.map_or(greatest, |(n, _)| *n);
        let range = |at: usize| {
            let (from, to) = (RANGES[at], RANGES.get(at + 1).map(|next| next - 1));
            let within = numbers.iter().filter(|(n, _)| from <= *n && to.is_none_or(|to| *n <= to));
            CandidateRange { from, to, people: within.map(|(_, people)| people).sum() }
        };
        let ranges = (0..RANGES.len()).map(range).filter(|range| range.people > 0).collect();
        CandidateCounts { least, median, average: sum as f64 / people as f64, greatest, ranges }
    }
}

/// Guesses a sensitive column by the commonest values among the candidates of a tuple.
pub(super) fn by_candidates(
    release: &AttackedRelease,
    column: usize,
    groups: &[u32],
    limit: Share,
) -> Option<(Guess, InferenceFlags)> {
    let sensitive = &release.sensitive[column];
    let merged: Vec<(u32, u64)>;
    let counts = match *groups {
        [] => return None,
        [group] => sensitive.of_group(group as usize),
        _ => {
            let mut all: Vec<(u32, u64)> =
                groups.iter().flat_map(|&group| sensitive.of_group(group as usize).iter().copied()).collect();
            all.sort_unstable();
            let joined = all.chunk_by(|a, b| a.0 == b.0);
            merged = joined.map(|same| (same[0].0, same.iter().map(|(_, rows)| rows).sum())).collect();
            &merged
        }
    };
    let rows: u64 = counts.iter().map(|(_, rows)| rows).sum();
    let most = counts.iter().map(|(_, rows)| *rows).max()?;
    let values = counts.iter().filter(|(_, rows)| *rows == most).map(|(value, _)| *value).collect();
    let inferred = InferenceFlags { certain: most == rows, confident: limit.exceeded_by(most, rows) };
    Some((Guess { values, chance: most as f64 / rows as f64 }, inferred))
}

/// Whether a sensitive value is inferred.
#[derive(Clone, Copy, Debug)]
pub(super) struct InferenceFlags {
    /// All candidates share it.
    pub certain: bool,
    /// More than the given share of them does.
    pub confident: bool,
}
