//! Multidimensional partitioning beside the best full-domain and single-dimensional generalizations (Figs. 10 to 14 of
//! *Multidimensional K-Anonymity*).
//!
//! Full-domain generalization is the basic hierarchical scheme (BHS) over binary trees, single-dimensional partitioning
//! the ordered scheme (OPS), both searched for their optimum without suppression; multidimensional partitioning is
//! Mondrian. What is compared is the discernibility of the release.

use super::Context;
use super::adult::EIGHT;
use super::data::{As, generated, quasi};
use super::engine::{Goal, bind, least, loss_of, mondrian, scheme, search};
use super::registry::Figure;
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean_ratio};
use klimt::algorithm::scheme::Scheme;
use klimt::table::Table;
use klimt_io::generate::Parameters;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "mondrian-10",
        "DM by k: five uniform attributes",
        "On uniform data greedy multidimensional partitioning loses less than the best single-dimensional and full-domain generalizations, for every k.",
        HALVES,
        uniform,
    ),
    Figure::experiment(
        "mondrian-11",
        "DM by k: five skewed attributes (sigma 0.2)",
        "On skewed data the same holds, and the difference is much larger than on uniform data.",
        HALVES,
        skewed,
    ),
    Figure::experiment(
        "mondrian-12",
        "DM by sigma: five skewed attributes, k = 10",
        "The more skewed the data, the larger is the advantage of multidimensional partitioning.",
        "where nearly all rows share a few tuples, which no model can divide, every model loses the same: the largest advantage lies just before",
        by_sigma,
    ),
    Figure::experiment(
        "mondrian-13",
        "DM by the number of attributes: skewed (sigma 0.2), k = 10",
        "More attributes make the rows sparser, so that the discernibility of all three models falls.",
        "where the search for the best single-dimensional generalization ended before it was proven, its result may be too high",
        by_attributes,
    ),
    Figure::experiment(
        "mondrian-14",
        "DM by k: Adult, eight attributes",
        "On Adult multidimensional partitioning is best, most of all for small k; for large k the models come closer.",
        HALVES,
        adult,
    ),
];

/// Why a greedy algorithm can lose more.
const HALVES: &str = "cuts at the median make groups of n/2, n/4, n/8, … rows: where the last of these above k lies far above it, the best grid comes closer to k";

const FULL: &str = "full-domain";
const SINGLE: &str = "single-dimensional";
const MULTI: &str = "multidimensional";
const NAMES: [&str; 3] = [FULL, SINGLE, MULTI];

/// One table as ordered columns and as hierarchies.
struct Both {
    ordered: Table,
    trees: Table,
}

/// How many of the searches for single-dimensional generalizations were proven optimal, and whether what is proven of the
/// others is still above the multidimensional partitioning.
#[derive(Default)]
struct Proofs {
    proven: usize,
    searched: usize,
    above: usize,
}

impl Proofs {
    fn told(&self) -> String {
        format!(
            "the best single-dimensional generalization was proven {} of {} times, and is proven to lose at least as much as the multidimensional one {} times",
            self.proven, self.searched, self.above
        )
    }
}

impl Both {
    fn generated(name: &str, parameters: &Parameters, attributes: usize) -> Result<Self, String> {
        let names: Vec<String> = (1..=attributes).map(|number| format!("X{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(Both {
            ordered: generated(name, parameters, &quasi(&names, As::Plain))?,
            trees: generated(name, parameters, &quasi(&names, As::Tree(2)))?,
        })
    }

    /// The discernibility of the three models.
    fn models(&self, k: u64, seconds: f64, proofs: &mut Proofs) -> Result<Vec<f64>, String> {
        let k_text = k.to_string();
        let asked = [("k", "", k_text.as_str())];
        let goal = Goal::least("dm", seconds);
        let best = |table: &Table, kind: Scheme| {
            let found = search(table, &bind(table, &asked)?, &scheme(table, kind), goal)?;
            let bound = least(&found);
            Ok::<_, String>((loss_of(table, found, k, "dm")?, bound))
        };
        let (full, _) = best(&self.trees, Scheme::Bhs)?;
        let (single, bound) = best(&self.ordered, Scheme::Ops)?;
        let multi = mondrian(&self.ordered, &bind(&self.ordered, &asked)?)?;
        let multi = loss_of(&self.ordered, multi, k, "dm")?;
        proofs.searched += 1;
        proofs.proven += usize::from(bound >= single);
        proofs.above += usize::from(bound >= multi);
        Ok(vec![full, single, multi])
    }
}

fn parameters(context: &Context, attributes: u32, sigma: Option<f64>) -> Parameters {
    let rows = context.pick(400, 10_000, 10_000);
    Parameters { attributes: Some(attributes), cardinality: Some(8), sigma, ..Parameters::new(rows, 1) }
}

fn ks(context: &Context) -> Vec<u64> {
    context.pick(vec![2, 10], vec![2, 10, 50, 100, 500], vec![2, 5, 10, 25, 50, 100, 250, 500, 1000])
}

fn by_k(context: &Context, title: &str, both: &Both, proofs: &mut Proofs) -> Result<Sweep, String> {
    let sweep = Sweep::new(title, "k", "discernibility", &NAMES).log();
    sweep.run(&ks(context), |&k| both.models(k, context.limit(), proofs))
}

fn multi_is_best(sweep: &Sweep) -> Vec<Check> {
    vec![
        Check::ordered("multidimensional DM is at most the single-dimensional one", sweep, MULTI, SINGLE),
        Check::ordered("and at most the full-domain one", sweep, MULTI, FULL),
    ]
}

/// How much more the single-dimensional model loses, at each value.
fn advantage(sweep: &Sweep) -> Vec<f64> {
    sweep.of(SINGLE).iter().zip(sweep.of(MULTI)).map(|(single, multi)| single / multi).collect()
}

fn outcome(context: &Context, sweeps: Vec<Sweep>, checks: Vec<Check>, proofs: &Proofs) -> Outcome {
    let rows = parameters(context, 1, None).rows;
    Outcome {
        panels: sweeps.into_iter().map(Into::into).collect(),
        checks,
        data: format!("generated as in the paper: {rows} rows, 8 values per attribute"),
        differs: format!("searches end after {} s; {}", context.limit(), proofs.told()),
        untested: None,
    }
}

fn uniform(context: &Context) -> Result<Outcome, String> {
    let both = Both::generated("uniform", &parameters(context, 5, None), 5)?;
    let mut proofs = Proofs::default();
    let sweep = by_k(context, "Uniform, five attributes", &both, &mut proofs)?;
    let checks = multi_is_best(&sweep);
    Ok(outcome(context, vec![sweep], checks, &proofs))
}

fn skewed(context: &Context) -> Result<Outcome, String> {
    let mut proofs = Proofs::default();
    let both = Both::generated("skewed", &parameters(context, 5, Some(0.2)), 5)?;
    let skewed = by_k(context, "Skewed, five attributes, sigma 0.2", &both, &mut proofs)?;
    let both = Both::generated("uniform", &parameters(context, 5, None), 5)?;
    let even = by_k(context, "Uniform, to compare with", &both, &mut proofs)?;
    let mut checks = multi_is_best(&skewed);
    let ratio = |sweep: &Sweep| mean_ratio(sweep.of(SINGLE), sweep.of(MULTI));
    checks.push(Check::less(
        "mean advantage over single-dimensional, uniform beside skewed",
        ratio(&even),
        ratio(&skewed),
    ));
    Ok(outcome(context, vec![skewed, even], checks, &proofs))
}

fn by_sigma(context: &Context) -> Result<Outcome, String> {
    let mut proofs = Proofs::default();
    let sigmas = context.pick(
        vec![0.2, 1.0],
        vec![0.1, 0.2, 0.3, 0.5, 1.0],
        vec![0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0],
    );
    let sweep = Sweep::new("Skewed, five attributes, k = 10", "sigma", "discernibility", &NAMES).log();
    let sweep = sweep.run(&sigmas, |&sigma| {
        let both = Both::generated("skewed", &parameters(context, 5, Some(sigma)), 5)?;
        both.models(10, context.limit(), &mut proofs)
    })?;
    let mut checks = multi_is_best(&sweep);
    let advantage = advantage(&sweep);
    checks.push(Check::ends_lower(
        "single-dimensional over multidimensional DM, from the most to the least skewed,",
        &advantage,
    ));
    let most = advantage.iter().copied().fold(f64::NAN, f64::max);
    let skewed: Vec<f64> =
        sigmas.iter().zip(&advantage).filter(|(sigma, _)| **sigma <= 0.3).map(|(_, ratio)| *ratio).collect();
    let most_skewed = skewed.iter().copied().fold(f64::NAN, f64::max);
    checks.push(Check::above("the largest advantage, among sigma of at most 0.3", most_skewed, most));
    Ok(outcome(context, vec![sweep], checks, &proofs))
}

fn by_attributes(context: &Context) -> Result<Outcome, String> {
    let mut proofs = Proofs::default();
    let many = context.pick(vec![2, 3], vec![2, 3, 4, 5, 6], vec![2, 3, 4, 5, 6, 7, 8]);
    let sweep = Sweep::new("Skewed, sigma 0.2, k = 10", "attributes", "discernibility", &NAMES).log();
    let sweep = sweep.run(&many, |&attributes| {
        let both =
            Both::generated("skewed", &parameters(context, attributes, Some(0.2)), attributes as usize)?;
        both.models(10, context.limit(), &mut proofs)
    })?;
    let falls = NAMES.map(|name| Check::falls(&format!("{name} DM"), sweep.of(name), 0.0));
    Ok(outcome(context, vec![sweep], falls.to_vec(), &proofs))
}

fn adult(context: &Context) -> Result<Outcome, String> {
    let mut proofs = Proofs::default();
    let adult = context.adult();
    let mut trees = quasi(&EIGHT, As::Tree(3));
    trees.iter_mut().filter(|want| want.name == "age").for_each(|want| want.values = As::Intervals);
    let both = Both { ordered: adult.table(&quasi(&EIGHT, As::Ordered))?, trees: adult.table(&trees)? };
    let sweep = by_k(context, "Adult, eight attributes", &both, &mut proofs)?;
    let mut checks = multi_is_best(&sweep);
    checks.push(Check::ends_lower(
        "single-dimensional over multidimensional DM, from the least to the largest k,",
        &advantage(&sweep),
    ));
    Ok(Outcome { data: adult.described(), ..outcome(context, vec![sweep], checks, &proofs) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_is_beaten_once_is_not_best() {
        let mut sweep = Sweep::new("", "k", "dm", &NAMES);
        sweep.push(2, vec![9.0, 5.0, 4.0]).unwrap();
        sweep.push(5, vec![9.0, 6.0, 6.0]).unwrap();
        assert!(multi_is_best(&sweep).iter().all(|check| check.holds));
        assert_eq!(advantage(&sweep), [1.25, 1.0]);
        sweep.push(10, vec![9.0, 6.0, 7.0]).unwrap();
        assert_eq!(multi_is_best(&sweep).iter().map(|check| check.holds).collect::<Vec<_>>(), [false, true]);
    }
}
