//! Naive Bayes: the sensitive value from what the release says about each quasi-identifier by itself (Cormode, 2011).
//!
//! The rows of a group are spread evenly over the codes of its region, one quasi-identifier at a time, which gives how many
//! rows N(v, s) with the sensitive value s a code v has. For somebody with the codes v₁ … v_d the value s is as likely as
//! p(s) · Π p(s | vᵢ) / p(s), where p(s) is the share of s in the release and
//! p(s | v) = (N(v, s) + p(s)) / (Σ N(v, ·) + 1): one row is added to every code, with the values of the whole release, so
//! that a code that is hardly published says nothing. Where all groups have the distribution of the whole, every p(s | v)
//! is p(s) and nothing is learnt.
//!
//! The attacker need not find the person's group: this is what the release teaches about people like them.
//!
//! The commonest values are distinguished, up to [`MOST_VALUES`]; the rarer ones share what is left and are never guessed.

use super::guess::Guess;
use super::release::{AttackedRelease, Background};
use crate::statistics::Extent;
use rayon::prelude::*;

/// The most sensitive values that are distinguished.
pub(super) const MOST_VALUES: usize = 64;

/// A table of counts has at most this many cells, where fewer distinguished values can help.
const MOST_CELLS: usize = 32 << 20;

/// The sensitive values that are distinguished, and all others as one.
#[derive(Clone, Debug)]
pub(super) struct GuessClasses {
    /// How many values can be guessed.
    pub guessed: usize,
    /// The share of each class in the release; the last is that of all others, where there are any.
    pub shares: Vec<f64>,
}

impl GuessClasses {
    /// The values of a sensitive column.
    pub fn of(release: &AttackedRelease, column: usize) -> Self {
        let totals = &release.sensitive[column].totals;
        let codes: usize = release.axes.iter().map(|axis| axis.codes()).sum();
        let room = (MOST_CELLS / codes.max(1)).clamp(2, MOST_VALUES);
        let guessed = totals.len().min(room);
        let rows = totals.iter().sum::<u64>() as f64;
        let rest: u64 = totals[guessed..].iter().sum();
        let rest = (rest > 0).then_some(rest);
        let shares = totals[..guessed].iter().copied().chain(rest).map(|count| count as f64 / rows).collect();
        GuessClasses { guessed, shares }
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.shares.len()
    }

    /// The class of a value.
    pub fn class(&self, value: u32) -> usize {
        (value as usize).min(self.guessed)
    }

    /// The likeliest value by what each class has, all but their scale.
    pub fn guess(&self, chances: &[f64]) -> Guess {
        let (own, rest) = chances.split_at(self.guessed);
        let chances: Vec<(u32, f64)> = (0..).zip(own.iter().copied()).collect();
        Guess::likeliest(&chances, rest.iter().sum())
    }
}

/// How many rows of each class a code has, axis by axis and code by code.
pub(super) type ClassCounts = Vec<Vec<f64>>;

/// The rows of every group, spread evenly over the codes of its region.
pub(super) fn spread(release: &AttackedRelease, column: usize, classes: &GuessClasses) -> ClassCounts {
    let (sensitive, width) = (&release.sensitive[column], classes.len());
    let of_axis = |at: usize| {
        let (axis, texts) = (&release.axes[at], &release.texts[at]);
        // What each different text has, before it is spread.
        let mut of_text = vec![0.0; axis.reaches().len() * width];
        for (group, &text) in texts.iter().enumerate() {
            for &(value, rows) in sensitive.of_group(group) {
                of_text[text as usize * width + classes.class(value)] += rows as f64;
            }
        }
        spread_texts(axis.reaches(), axis.codes(), &of_text, width)
    };
    (0..release.axes.len()).into_par_iter().map(of_axis).collect()
}

fn spread_texts(reaches: &[Extent], codes: usize, of_text: &[f64], width: usize) -> Vec<f64> {
    let mut counts = vec![0.0; codes * width];
    // Where the rows of wide intervals begin and end; what begins and ends at the same places cancels exactly.
    let mut steps = vec![0.0; (codes + 1) * width];
    let mut wide = false;
    for (reach, rows) in reaches.iter().zip(of_text.chunks(width)) {
        let length = reach.len() as f64;
        match reach {
            Extent::Interval { lo, hi } if hi - lo > 3 => {
                wide = true;
                for (class, rows) in rows.iter().enumerate() {
                    steps[*lo as usize * width + class] += rows / length;
                    steps[(*hi as usize + 1) * width + class] -= rows / length;
                }
            }
            few => few.codes().iter().for_each(|&code| {
                let into = &mut counts[code as usize * width..(code as usize + 1) * width];
                into.iter_mut().zip(rows).for_each(|(into, rows)| *into += rows / length);
            }),
        }
    }
    if wide {
        let mut running = vec![0.0; width];
        for (into, step) in counts.chunks_mut(width).zip(steps.chunks(width)) {
            for ((into, step), running) in into.iter_mut().zip(step).zip(&mut running) {
                *running += step;
                // What rounding leaves of nothing is nothing.
                *into += running.max(0.0);
            }
        }
    }
    counts
}

/// The evidence of the codes of each axis for the classes, as logarithms.
pub(super) struct Classifier {
    classes: GuessClasses,
    priors: Vec<f64>,
    /// ln p(s | v) − ln p(s), axis by axis and feature by feature.
    evidence: Vec<Vec<f64>>,
}

impl Classifier {
    /// Of counts whose features are the codes.
    pub fn new(classes: &GuessClasses, counts: &ClassCounts) -> Self {
        let width = classes.len();
        let of_code = |rows: &[f64]| {
            let all = rows.iter().sum::<f64>() + 1.0;
            let evidence = |(rows, share): (&f64, &f64)| ((rows + share) / all / share).ln();
            rows.iter().zip(&classes.shares).map(evidence).collect::<Vec<f64>>()
        };
        let of_axis = |counts: &Vec<f64>| counts.chunks(width).flat_map(of_code).collect();
        Classifier {
            priors: classes.shares.iter().map(|share| share.ln()).collect(),
            evidence: counts.par_iter().map(of_axis).collect(),
            classes: classes.clone(),
        }
    }

    /// Of counts whose features are the published texts: what their codes have together.
    pub fn of_texts(release: &AttackedRelease, classes: &GuessClasses, counts: &ClassCounts) -> Self {
        let width = classes.len();
        let of_axis = |(axis, counts): (usize, &Vec<f64>)| {
            let mut before = vec![0.0; counts.len() + width];
            for at in 0..counts.len() {
                before[at + width] = before[at] + counts[at];
            }
            let row = |code: u32, class: usize| before[code as usize * width + class];
            let sum = |reach: &Extent, class: usize| match reach {
                Extent::Interval { lo, hi } => row(hi + 1, class) - row(*lo, class),
                set => set.codes().iter().map(|&code| counts[code as usize * width + class]).sum(),
            };
            let reaches = release.axes[axis].reaches().iter();
            reaches.flat_map(|reach| (0..width).map(move |class| sum(reach, class))).collect()
        };
        let together: ClassCounts = counts.par_iter().enumerate().map(of_axis).collect();
        Classifier::new(classes, &together)
    }

    /// Writes the logarithm of what is in favour of each class, for the features of every axis.
    pub fn score(&self, features: impl Iterator<Item = u32>, scores: &mut [f64]) {
        let width = scores.len();
        scores.copy_from_slice(&self.priors);
        for (evidence, feature) in self.evidence.iter().zip(features) {
            let of_feature = &evidence[feature as usize * width..(feature as usize + 1) * width];
            scores.iter_mut().zip(of_feature).for_each(|(score, evidence)| *score += evidence);
        }
    }

    /// The likeliest value.
    pub fn guess(&self, features: impl Iterator<Item = u32>) -> Guess {
        let mut scores = vec![0.0; self.classes.len()];
        self.score(features, &mut scores);
        to_chances(&mut scores);
        self.classes.guess(&scores)
    }
}

/// From logarithms to numbers of which the greatest is 1.
pub(super) fn to_chances(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter_mut().for_each(|score| *score = (*score - most).exp());
}

/// The guess of naive Bayes for every tuple.
pub(super) fn naive_bayes<'a>(
    release: &'a AttackedRelease,
    background: &'a Background,
    column: usize,
) -> impl Fn(usize) -> Guess + Sync + 'a {
    let classes = GuessClasses::of(release, column);
    let counts = spread(release, column, &classes);
    let classifier = match background.codes {
        Some(_) => Classifier::new(&classes, &counts),
        None => Classifier::of_texts(release, &classes, &counts),
    };
    move |tuple: usize| match &background.codes {
        Some(codes) => {
            let axes = release.axes.len();
            classifier.guess(codes[tuple * axes..(tuple + 1) * axes].iter().copied())
        }
        None => classifier.guess(release.texts.iter().map(|texts| texts[tuple])),
    }
}
