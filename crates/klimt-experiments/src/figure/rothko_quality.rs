//! What a sample costs in quality, and cuts that are undone (Figs. 22 to 28 of *Scalable Anonymization Algorithms for
//! Large Data Sets*).
//!
//! As in the paper, quality is the conditional entropy of a class label, or the error of a numeric target that is
//! estimated by the mean of its group.

use super::Context;
use super::claim::{At, Claim, Is, MUCH, NEAR, Of};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::rothko_io::GENERATED;
use super::sweep::Sweep;
use crate::Result;
use crate::engine::partitions::{entropy, squared_error};
use crate::engine::passes::{Passes, run, sampled};
use crate::number::{Measured, mean};
use crate::tables::{AGRAWAL, As, Want, quasi};
use klimt::generate::Parameters;
use klimt::table::{Role, Table};
use klimt_core::algorithm::rothko::{Method, RothkoLimits, Sampling};
use klimt_core::table::Column;

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment("rothko-22", "Entropy of C2 by sample and k", SMALL_EFFECT, |context| {
        quality(context, "agrawal", "C2")
    }),
    Figure::experiment("rothko-23", "Entropy of C7 by sample and k", SMALL_EFFECT, |context| {
        quality(context, "agrawal", "C7")
    }),
    Figure::experiment("rothko-24", "Entropy of the class of a census by sample and k", SMALL_EFFECT, |context| {
        quality(context, "census", "income")
    }),
    Figure::experiment("rothko-25", "Error of R7 by sample and k", SMALL_EFFECT, |context| {
        quality(context, "agrawal", "R7")
    }),
    Figure::experiment("rothko-26", "Error of R10 by sample and k", SMALL_EFFECT, |context| {
        quality(context, "agrawal", "R10")
    }),
    Figure::experiment("rothko-27", "Error of a number of a census by sample and k", SMALL_EFFECT, |context| {
        quality(context, "census", "wage")
    }),
    Figure::experiment(
        "rothko-28",
        "Cuts undone, with hypothesis tests and without",
        &[
            Claim::new(
                "The hypothesis tests provide for much cleaner execution (less pruning) than the naive approach.",
                Of::Ratio((1, WITHOUT), (1, WITH)),
                At::Every,
                Is::AtLeast(MUCH),
            )
            .reading("much"),
            Claim::new(
                "The incidence of pruning decreases with increased sample size,",
                Of::Ends((0, WITH)),
                At::Every,
                Is::Below(1.0),
            ),
            Claim::new(
                "and so does that of non-minimality.",
                Of::Ends((0, OPEN)),
                At::Every,
                Is::Below(1.0),
            ),
        ],
        pruning,
    ),
];

const SMALL_EFFECT: &[Claim] = &[
    Claim::new(
        "Increasing the sample size does lead to improvement in quality.",
        Of::Ends((1, MEAN)),
        At::Every,
        Is::Below(1.0),
    ),
    Claim::new(
        "For reasonably large sample sizes, the difference is very small.",
        Of::Range((2, MEAN)),
        At::Every,
        Is::AtMost(NEAR),
    )
    .reading("very small"),
    Claim::new(
        "In all of our experiments the sample size had a much smaller impact on quality than the anonymity parameter k.",
        Of::Ratio((3, BY_K), (3, BY_SAMPLE)),
        At::Every,
        Is::AtLeast(MUCH),
    )
    .reading("much"),
];

const MEAN: &str = "mean over all k";
const BY_K: &str = "by k";
const BY_SAMPLE: &str = "by the sample";
const WITH: &str = "cuts undone with tests";
const WITHOUT: &str = "cuts undone without";
const OPEN: &str = "runs that may not be minimal";

/// The quasi-identifiers of the census with their hierarchies.
const CENSUS: [&str; 7] = ["age", "sex", "race", "marital", "education", "workclass", "occupation"];

/// The limits of the paper for a sample of so many rows.
fn limits(sample: u64) -> RothkoLimits {
    // Rows are divided when the tree has a height of 8.
    RothkoLimits { memory_rows: Some(sample), frequency_groups: None, leaves: Some(256) }
}

fn table(context: &Context, generator: &str, rows: u64, seed: u64, target: &str) -> Result<Table> {
    let mut wants = match generator {
        "census" => quasi(&CENSUS, As::Tree(3)),
        _ => quasi(&AGRAWAL, As::Plain),
    };
    wants
        .iter_mut()
        .filter(|want| want.name == "age" && generator == "census")
        .for_each(|want| want.values = As::Plain);
    wants.push(Want::other(target, Role::Target));
    context.tables().generated(generator, &Parameters::new(rows, seed), &wants)?.table()
}

/// Entropy in bits, or error, of one run.
fn of_run(table: &Table, k: u64, sample: u64, is_class: bool) -> Result<f64> {
    let k = k.to_string();
    let requirements = [("k", "", k.as_str())];
    let split = if is_class { "infogain" } else { "regression" };
    let asked =
        Passes { requirements: &requirements, split, method: sampled(Some(sample)), limits: limits(sample) };
    let target = table.columns().iter().position(|column| column.role == Role::Target).unwrap_or(0);
    let mut sum = 0.0;
    run(table, &asked, |table, groups| {
        sum += if is_class { entropy(table, groups, target) } else { squared_error(table, groups, target) };
    })?;
    let mean = sum / table.rows() as f64;
    Ok(if is_class { mean } else { mean.sqrt() })
}

fn quality(context: &Context, generator: &str, target: &str) -> Result<Outcome> {
    let is_class = matches!(target, "C2" | "C7" | "income");
    let rows = context.rows(600, 20_000, 100_000);
    let sets = context.pick(1, 1, 3);
    let samples: Vec<u64> = context.pick(vec![4, 1], vec![20, 10, 4, 1], vec![40, 20, 10, 4, 1]);
    let samples: Vec<u64> = samples.iter().map(|part| rows / part).collect();
    let ks: Vec<u64> = context.pick(vec![5, 50], vec![10, 50, 250], vec![10, 50, 100, 500]);
    let names: Vec<String> = ks.iter().map(|k| format!("k = {k}")).collect();
    let measure = if is_class { "conditional entropy, bits" } else { "root mean squared error" };
    let tables: Result<Vec<Table>> =
        (1..=sets).map(|seed| table(context, generator, rows, seed, target)).collect();
    let tables = tables?;
    let sweep =
        Sweep::new(&format!("{target} by the size of the sample"), "rows of the sample", measure, &names);
    let sweep = sweep.run(&samples, |&sample| {
        let of_k = |&k: &u64| {
            let each: Result<Vec<f64>> =
                tables.iter().map(|table| of_run(table, k, sample, is_class)).collect();
            Ok(mean(&each?))
        };
        ks.iter().map(of_k).collect::<Result<Vec<f64>>>()
    })?;
    let data = if generator == "census" {
        "the generator census stands in for the Census database"
    } else {
        GENERATED
    };
    let sizes = vec![Size::new("rows", rows, 100_000), Size::new("data sets", sets, 10)];
    let mut panels = effects(&sweep)?;
    panels.insert(0, sweep);
    Ok(Outcome::new(panels, Run::new(data, sizes, "")))
}

/// What follows from a sweep over samples, the smallest first and the whole table last, with a series for each k: the mean
/// over all k by the sample, the same for a tenth of the rows and more, and how far the measure moves with k and with the
/// sample.
fn effects(sweep: &Sweep) -> Result<Vec<Sweep>> {
    let of_label =
        |at: usize| -> Vec<f64> { sweep.series.iter().map(|(_, values)| values[at].shown()).collect() };
    let spread = |values: &[f64]| {
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - values.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let panel = |title: &str| Sweep::new(title, &sweep.parameter, &sweep.measure, &[MEAN]);
    let (mut means, mut large) = (panel("Mean over all k"), panel("The same, from a tenth of the rows on"));
    let rows: f64 = sweep.labels.last().and_then(|label| label.parse().ok()).unwrap_or(f64::NAN);
    for (at, label) in sweep.labels.iter().enumerate() {
        means.push(label, vec![mean(&of_label(at))])?;
        if label.parse().is_ok_and(|sample: f64| sample >= 0.1 * rows) {
            large.push(label, vec![mean(&of_label(at))])?;
        }
    }
    let moved = |values: &[Measured]| spread(&values.iter().map(|value| value.shown()).collect::<Vec<_>>());
    let by_sample = sweep.series.iter().map(|(_, values)| moved(values)).fold(f64::NEG_INFINITY, f64::max);
    let by_k = (0..sweep.labels.len()).map(|at| spread(&of_label(at))).fold(f64::INFINITY, f64::min);
    let mut impact = Sweep::new("How far it moves", "with", &sweep.measure, &[BY_SAMPLE, BY_K]).bars();
    impact.push("sample at most, k at least", vec![by_sample, by_k])?;
    Ok(vec![means, large, impact])
}

/// One part of the figure: what is required of which column, and its parameters.
struct Case {
    title: &'static str,
    flag: &'static str,
    column: &'static str,
    parameters: &'static [&'static str],
    normal: bool,
}

const CASES: [Case; 4] = [
    Case {
        title: "k-anonymity",
        flag: "k",
        column: "",
        parameters: &["10", "100", "1000", "10000"],
        normal: false,
    },
    Case {
        title: "Recursive (1,l)-diversity of zipcode",
        flag: "l-diversity",
        column: "zipcode",
        parameters: &["recursive:1:2", "recursive:1:4", "recursive:1:6", "recursive:1:8"],
        normal: false,
    },
    Case {
        title: "Variance of a uniform salary",
        flag: "variance",
        column: "salary",
        parameters: &["1100000000", "1200000000", "1300000000"],
        normal: false,
    },
    Case {
        title: "Variance of a normal salary",
        flag: "variance",
        column: "salary",
        parameters: &["70000000", "80000000", "90000000"],
        normal: true,
    },
];

/// The people of the generator; their salaries are normal with a variance of 1.1e8 where that is asked for.
fn employees(context: &Context, case: &Case, rows: u64) -> Result<Table> {
    let mut wants = quasi(&AGRAWAL, As::Plain);
    wants.iter_mut().filter(|want| want.name == case.column).for_each(|want| want.role = Role::Sensitive);
    let table = context.tables().generated("agrawal", &Parameters::new(rows, 1), &wants)?.table()?;
    if !case.normal {
        return Ok(table);
    }
    // sigma is in halves of the domain: 10,488 of 65,000. The variance does not depend on where the domain begins.
    let (values, sigma) = (130_001, 10_488.0 / 65_000.5);
    let parameters = Parameters {
        attributes: Some(1),
        cardinality: Some(values),
        sigma: Some(sigma),
        ..Parameters::new(rows, 2)
    };
    let salaries = context.tables().generated("skewed", &parameters, &quasi(&["X1"], As::Plain))?.table()?;
    let mut columns = table.columns().to_vec();
    if let Some(salary) = columns.iter_mut().find(|column| column.name == "salary") {
        *salary = Column { data: salaries.columns()[0].data.clone(), ..salary.clone() };
    }
    Ok(Table::new(table.rows(), columns)?)
}

/// The cuts that were undone, and whether nothing is known of the result being minimal.
fn undone(table: &Table, case: &Case, parameters: &str, sample: u64, alpha: f64) -> Result<(f64, bool)> {
    let requirements = [(case.flag, case.column, parameters)];
    let method = Method::Sample(Sampling { alpha, rows: Some(sample), seed: 1 });
    let asked = Passes { requirements: &requirements, split: "median", method, limits: limits(sample) };
    let account = run(table, &asked, |_, _| {})?;
    Ok((account.pruned as f64, account.switched > 0))
}

fn pruning(context: &Context) -> Result<Outcome> {
    let rows = context.rows(800, 20_000, 100_000);
    let samples: Vec<u64> = context.pick(
        vec![100, 400],
        vec![100, 500, 2500],
        vec![100, 250, 500, 1000, 2500, 5000, 10_000, 25_000],
    );
    let mut totals = vec![[0.0; 3]; samples.len()];
    let mut panels = Vec::new();
    for case in &CASES {
        panels.push(undone_in(context, case, rows, &samples, &mut totals)?);
    }
    let mut by_sample =
        Sweep::new("All requirements together", "rows of the sample", "number", &[WITH, WITHOUT, OPEN]);
    let mut all =
        Sweep::new("All requirements and samples together", "samples", "number", &[WITH, WITHOUT]).bars();
    for (sample, line) in samples.iter().zip(&totals) {
        by_sample.push(sample, line.to_vec())?;
    }
    let sum = |at: usize| totals.iter().map(|line| line[at]).sum::<f64>();
    all.push("all", vec![sum(0), sum(1)])?;
    panels.splice(0..0, [by_sample, all]);
    Ok(Outcome::new(
        panels,
        Run::new(
            format!("{GENERATED}; normal salaries come from klimt generate skewed"),
            vec![Size::new("rows", rows, 100_000), Size::new("least sample", samples[0], 100)],
            "",
        ),
    ))
}

/// The cuts undone under a kind of requirement; adds them up by sample: with tests, without, and runs that may not be
/// minimal.
fn undone_in(
    context: &Context,
    case: &Case,
    rows: u64,
    samples: &[u64],
    totals: &mut [[f64; 3]],
) -> Result<Sweep> {
    let table = employees(context, case, rows)?;
    let possible: Vec<&str> = case
        .parameters
        .iter()
        .copied()
        .filter(|text| text.parse().map_or(true, |k: u64| case.flag != "k" || k < rows))
        .collect();
    let last = |text: &str| match text.rsplit(':').next().unwrap_or(text).parse::<f64>() {
        Ok(number) if number >= 1e6 => format!("{number:e}"),
        Ok(number) => number.to_string(),
        Err(_) => text.to_string(),
    };
    let names: Vec<String> = possible
        .iter()
        .flat_map(|text| [format!("{}, with tests", last(text)), format!("{}, without", last(text))])
        .collect();
    let mut totals = totals.iter_mut();
    Sweep::new(case.title, "rows of the sample", "cuts undone", &names).run(samples, |&sample| {
        let (mut line, mut sums) = (Vec::new(), [0.0; 3]);
        for parameters in &possible {
            let (tested, not_minimal) = undone(&table, case, parameters, sample, 0.05)?;
            let (naive, _) = undone(&table, case, parameters, sample, 1.0)?;
            line.extend([tested, naive]);
            sums = [sums[0] + tested, sums[1] + naive, sums[2] + f64::from(not_minimal)];
        }
        if let Some(total) = totals.next() {
            (0..3).for_each(|at| total[at] += sums[at]);
        }
        Ok(line)
    })
}

#[cfg(test)]
mod tests {
    use super::super::claim::Verdict;
    use super::*;

    fn judged(lines: &[[f64; 2]]) -> Vec<Verdict> {
        let mut sweep = Sweep::new("", "sample", "entropy", &["k = 10", "k = 500"]);
        let sizes = [100, 500, 1000];
        lines.iter().zip(sizes).for_each(|(line, size)| sweep.push(size, line.to_vec()).unwrap());
        let mut panels = effects(&sweep).unwrap();
        panels.insert(0, sweep);
        let panels: Vec<&Sweep> = panels.iter().collect();
        SMALL_EFFECT.iter().map(|claim| claim.judge(&panels).verdict).collect()
    }

    #[test]
    fn samples_matter_less_than_k() {
        use Verdict::{DoesNotHold, Holds};
        assert_eq!(judged(&[[0.32, 0.62], [0.31, 0.61], [0.30, 0.60]]), [Holds; 3]);
        assert_eq!(judged(&[[0.30, 0.60], [0.31, 0.61], [0.32, 0.62]]), [DoesNotHold, Holds, Holds]);
        assert_eq!(judged(&[[0.9, 0.62], [0.6, 0.61], [0.30, 0.60]]), [Holds, DoesNotHold, DoesNotHold]);
    }

    #[test]
    fn normal_salaries_have_the_variance_of_the_paper() {
        let (_folder, context) = Context::tiny();
        let table = employees(&context, &CASES[3], 20_000).unwrap();
        let (domain, codes) =
            table.columns().iter().find(|column| column.name == "salary").unwrap().coded().unwrap();
        let values: Vec<f64> = (0..table.rows()).map(|row| domain.position(codes.get(row)) as f64).collect();
        let centre = mean(&values);
        let variance = mean(&values.iter().map(|value| (value - centre).powi(2)).collect::<Vec<_>>());
        assert!((variance / 1.1e8 - 1.0).abs() < 0.05, "{variance}");
    }
}
