//! The deFinetti attack: who in a group has which value, learnt from all groups (Kifer, 2009).
//!
//! A group publishes the multiset of its sensitive values, and the attacker knows the quasi-identifiers of its people.
//! Which of them has which value is not published, but people of other groups tell: where smokers are in groups with
//! cancer, it is the smoker of this group who has it.
//!
//! The attack alternates. From who probably has which value it counts how many people of each code have each value,
//! N(v, s), and makes a naive Bayes classifier of these counts, as in `bayes.rs`. Then it assigns the values of each group
//! anew: the share a(b, s) of the value s in the person b is in proportion to the classifier's likelihood, fitted so that
//! every person has one value and every value of the group is given as often as it is published (iterated proportional
//! fitting). It begins with everybody having the values of their group in equal shares, and ends when the counts settle,
//! or after [`ROUNDS`] rounds. Nothing is drawn at random.
//!
//! Where the background has other people than the release, the values of a group are scaled to the people in its region;
//! somebody who is linked with several groups is shared among them by their rows.

use super::bayes::{ClassCounts, Classifier, GuessClasses};
use super::guess::Guess;
use super::link::TupleLinks;
use super::release::{AttackedRelease, Background};
use rayon::prelude::*;

/// The most rounds.
pub const ROUNDS: usize = 25;

/// The most steps of the fitting within a group, and how near is near enough.
const STEPS: usize = 12;
const NEAR: f64 = 1e-3;

/// The counts have settled where no more than this share of the people is counted otherwise than in the round before.
const SETTLED: f64 = 1e-3;

/// This many cells may be counted at once, over all parts of the groups that are counted side by side.
const MOST_CELLS: usize = 32 << 20;

/// Parts of the groups, at most.
const MOST_PARTS: usize = 8;

/// No likelihood is smaller than this share of the greatest.
const LEAST: f64 = 1e-12;

/// A tuple in a group, with how many people that is.
#[derive(Clone, Copy, Debug)]
struct GroupMember {
    tuple: u32,
    people: f64,
}

/// The groups with their people.
struct DefinettiGroups<'a> {
    release: &'a AttackedRelease,
    codes: &'a [u32],
    column: usize,
    classes: &'a GuessClasses,
    ends: Vec<usize>,
    members: Vec<GroupMember>,
}

/// The guess for every tuple; `None` where quasi-identifiers of people are not known, or too many groups hold them.
pub(super) fn definetti(
    release: &AttackedRelease,
    background: &Background,
    links: &TupleLinks,
    column: usize,
) -> Option<Vec<Guess>> {
    let codes = background.codes.as_deref().filter(|_| !release.rows.is_empty())?;
    let (ends, members) = members(release, background, links)?;
    let classes = GuessClasses::of(release, column);
    let groups = DefinettiGroups { release, codes, column, classes: &classes, ends, members };
    let mut counts = groups.count(None);
    let people: f64 = groups.members.iter().map(|member| member.people).sum();
    for _ in 0..ROUNDS {
        let next = groups.count(Some(&Classifier::new(&classes, &counts)));
        let moved = counts
            .iter()
            .zip(&next)
            .map(|(old, new)| old.iter().zip(new).map(|(old, new)| (old - new).abs()).sum::<f64>() / 2.0);
        let moved = moved.fold(0.0, f64::max);
        counts = next;
        if moved <= SETTLED * people {
            break;
        }
    }
    Some(groups.guesses(&Classifier::new(&classes, &counts), background.people.len()))
}

/// The people of each group.
fn members(
    release: &AttackedRelease,
    background: &Background,
    links: &TupleLinks,
) -> Option<(Vec<usize>, Vec<GroupMember>)> {
    let TupleLinks::Held(..) = links else { return None };
    let mut found: Vec<(u32, GroupMember)> = Vec::new();
    for (tuple, &people) in background.people.iter().enumerate() {
        links.with(background, tuple, |groups| {
            let rows = |&group: &u32| release.rows[group as usize] as f64;
            let all: f64 = groups.iter().map(rows).sum();
            found.extend(groups.iter().map(|group| {
                let people = people as f64 * rows(group) / all;
                (*group, GroupMember { tuple: tuple as u32, people })
            }));
        });
    }
    found.par_sort_by_key(|(group, member)| (*group, member.tuple));
    let mut ends = vec![0; release.rows.len() + 1];
    found.iter().for_each(|(group, _)| ends[*group as usize + 1] += 1);
    for group in 1..ends.len() {
        ends[group] += ends[group - 1];
    }
    Some((ends, found.into_iter().map(|(_, member)| member).collect()))
}

impl DefinettiGroups<'_> {
    fn tuple(&self, member: &GroupMember) -> &[u32] {
        let axes = self.release.axes.len();
        &self.codes[member.tuple as usize * axes..(member.tuple as usize + 1) * axes]
    }

    /// How many people of each code have each value, where values are assigned by a classifier, or evenly.
    ///
    /// Groups are counted in parts side by side; how many parts does not depend on the threads.
    fn count(&self, by: Option<&Classifier>) -> ClassCounts {
        let width = self.classes.len();
        let sizes = || self.release.axes.iter().map(|axis| axis.codes() * width);
        let parts = (MOST_CELLS / sizes().sum::<usize>().max(1)).clamp(1, MOST_PARTS);
        let groups = self.release.rows.len();
        let count_part = |part: usize| {
            let mut counts: ClassCounts = sizes().map(|size| vec![0.0; size]).collect();
            let mut fit = Fit::default();
            for group in groups * part / parts..groups * (part + 1) / parts {
                let members = self.assign(group, by, &mut fit);
                for (member, shares) in members.iter().zip(fit.shares.chunks(fit.values.len().max(1))) {
                    for (counts, &code) in counts.iter_mut().zip(self.tuple(member)) {
                        for (&(class, _), share) in fit.values.iter().zip(shares) {
                            counts[code as usize * width + class] += share;
                        }
                    }
                }
            }
            counts
        };
        let parts: Vec<ClassCounts> = (0..parts).into_par_iter().map(count_part).collect();
        let add = |mut all: ClassCounts, more: ClassCounts| {
            for (all, more) in all.iter_mut().zip(more) {
                all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
            }
            all
        };
        parts.into_iter().reduce(add).unwrap_or_default()
    }

    /// Assigns the values of a group to its people: how many people of each have each value.
    fn assign(&self, group: usize, by: Option<&Classifier>, fit: &mut Fit) -> &[GroupMember] {
        let members = &self.members[self.ends[group]..self.ends[group + 1]];
        let people: f64 = members.iter().map(|member| member.people).sum();
        let scale = people / self.release.rows[group] as f64;
        fit.values.clear();
        for &(value, rows) in self.release.sensitive[self.column].of_group(group) {
            let (class, rows) = (self.classes.class(value), rows as f64 * scale);
            match fit.values.last_mut() {
                Some((last, sum)) if *last == class => *sum += rows,
                _ => fit.values.push((class, rows)),
            }
        }
        let (values, scores) = (&fit.values, &mut fit.scores);
        scores.resize(self.classes.len(), 0.0);
        fit.shares.clear();
        for member in members {
            match by {
                None => fit.shares.extend(values.iter().map(|(_, rows)| rows * member.people / people)),
                Some(classifier) => {
                    classifier.score(self.tuple(member).iter().copied(), scores);
                    let own = || values.iter().map(|(class, _)| scores[*class]);
                    let most = own().fold(f64::NEG_INFINITY, f64::max);
                    fit.shares.extend(own().map(|score| (score - most).exp().max(LEAST)));
                }
            }
        }
        if by.is_some() {
            fit.run(members);
        }
        members
    }

    /// The likeliest value of every tuple.
    fn guesses(&self, classifier: &Classifier, tuples: usize) -> Vec<Guess> {
        const RUN: usize = 1024;
        let groups = self.release.rows.len();
        let of_run = |run: usize| {
            let (mut fit, mut found) = (Fit::default(), Vec::new());
            for group in run * RUN..groups.min((run + 1) * RUN) {
                let members = self.assign(group, Some(classifier), &mut fit);
                for (member, shares) in members.iter().zip(fit.shares.chunks(fit.values.len().max(1))) {
                    let own = fit.values.iter().zip(shares);
                    found.extend(own.map(|(&(class, _), &share)| (member.tuple, class as u32, share)));
                }
            }
            found
        };
        let runs: Vec<Vec<(u32, u32, f64)>> = (0..groups.div_ceil(RUN)).into_par_iter().map(of_run).collect();
        let mut all = runs.concat();
        all.par_sort_by_key(|&(tuple, class, _)| (tuple, class));
        let mut guesses = vec![Guess { values: Vec::new(), chance: 0.0 }; tuples];
        let mut chances = vec![0.0; self.classes.len()];
        for of_tuple in all.chunk_by(|a, b| a.0 == b.0) {
            chances.fill(0.0);
            of_tuple.iter().for_each(|&(_, class, share)| chances[class as usize] += share);
            guesses[of_tuple[0].0 as usize] = self.classes.guess(&chances);
        }
        guesses
    }
}

/// The values of a group, and their shares in its people.
#[derive(Default)]
struct Fit {
    /// The classes of the group with how many people have each.
    values: Vec<(usize, f64)>,
    /// How many people of each tuple have each class, tuple by tuple.
    shares: Vec<f64>,
    scores: Vec<f64>,
}

impl Fit {
    /// Scales the shares until every person has one value and every value is given as often as it occurs.
    fn run(&mut self, members: &[GroupMember]) {
        let width = self.values.len();
        if width == 0 || members.is_empty() {
            return;
        }
        let mut sums = vec![0.0; width];
        for _ in 0..STEPS {
            sums.fill(0.0);
            for (member, shares) in members.iter().zip(self.shares.chunks_mut(width)) {
                let factor = member.people / shares.iter().sum::<f64>();
                for (share, sum) in shares.iter_mut().zip(&mut sums) {
                    *share *= factor;
                    *sum += *share;
                }
            }
            let off = self.values.iter().zip(&sums).map(|((_, rows), sum)| (rows - sum).abs() / rows);
            if off.fold(0.0, f64::max) <= NEAR {
                return;
            }
            for shares in self.shares.chunks_mut(width) {
                for ((share, (_, rows)), sum) in shares.iter_mut().zip(&self.values).zip(&sums) {
                    *share *= rows / sum;
                }
            }
        }
    }
}
