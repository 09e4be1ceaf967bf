//! What a sample costs in quality, and cuts that are undone (Figs. 22 to 28 of *Scalable Anonymization Algorithms for
//! Large Data Sets*).
//!
//! As in the paper, quality is the conditional entropy of a class label, or the error of a numeric target that is
//! estimated by the mean of its group.

use super::Context;
use super::data::{AGRAWAL, As, Want, column, generated, quasi};
use super::registry::Figure;
use super::rothko_io::sampled;
use super::sweep::Sweep;
use super::verdict::{Check, Outcome, mean, short};
use crate::rothko::engine::{Asked, run};
use crate::rothko::quality::{entropy, limits, squared_error};
use klimt::algorithm::rothko::{Method, Sampling};
use klimt::table::{Role, Table};
use klimt_io::generate::{Block, ColumnKind, Generator, Parameters, Skewed};

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "rothko-22",
        "Entropy of C2 by sample and k",
        SMALL_EFFECT,
        "C2 depends on two columns alone: with the cuts of the whole table entropy is nearly nothing for every k, so that k hardly matters, and a sample matters more",
        |context| quality(context, "agrawal", "C2"),
    ),
    Figure::experiment("rothko-23", "Entropy of C7 by sample and k", SMALL_EFFECT, "", |context| {
        quality(context, "agrawal", "C7")
    }),
    Figure::experiment(
        "rothko-24",
        "Entropy of the class of a census by sample and k",
        SMALL_EFFECT,
        "",
        |context| quality(context, "census", "income"),
    ),
    Figure::experiment("rothko-25", "Error of R7 by sample and k", SMALL_EFFECT, "", |context| {
        quality(context, "agrawal", "R7")
    }),
    Figure::experiment("rothko-26", "Error of R10 by sample and k", SMALL_EFFECT, "", |context| {
        quality(context, "agrawal", "R10")
    }),
    Figure::experiment(
        "rothko-27",
        "Error of a number of a census by sample and k",
        SMALL_EFFECT,
        "",
        |context| quality(context, "census", "wage"),
    ),
    Figure::experiment(
        "rothko-28",
        "Cuts undone, with hypothesis tests and without",
        "Hypothesis tests undo far fewer cuts than going by the sample alone, and larger samples undo fewer.",
        "",
        pruning,
    ),
];

const SMALL_EFFECT: &str = "A larger sample improves quality a little; for reasonably large samples the difference is very small, and much smaller than that between different k.";

/// The quasi-identifiers of the census with their hierarchies.
const CENSUS: [&str; 7] = ["age", "sex", "race", "marital", "education", "workclass", "occupation"];

fn table(generator: &str, rows: u64, seed: u64, target: &str) -> Result<Table, String> {
    let mut wants = match generator {
        "census" => quasi(&CENSUS, As::Tree(3)),
        _ => quasi(&AGRAWAL, As::Plain),
    };
    wants
        .iter_mut()
        .filter(|want| want.name == "age" && generator == "census")
        .for_each(|want| want.values = As::Plain);
    wants.push(Want::other(target, Role::Target));
    generated(generator, &Parameters::new(rows, seed), &wants)
}

/// Entropy in bits, or error, of one run.
fn of_run(table: &Table, k: u64, sample: u64, is_class: bool) -> Result<f64, String> {
    let k = k.to_string();
    let requirements = [("k", "", k.as_str())];
    let split = if is_class { "infogain" } else { "regression" };
    let asked =
        Asked { requirements: &requirements, split, method: sampled(Some(sample)), limits: limits(sample) };
    let target = table.columns().iter().position(|column| column.role == Role::Target).unwrap_or(0);
    let mut sum = 0.0;
    run(table, &asked, |table, groups| {
        sum += if is_class { entropy(table, groups, target) } else { squared_error(table, groups, target) };
    })?;
    let mean = sum / table.rows() as f64;
    Ok(if is_class { mean } else { mean.sqrt() })
}

fn quality(context: &Context, generator: &str, target: &str) -> Result<Outcome, String> {
    let is_class = matches!(target, "C2" | "C7" | "income");
    let rows: u64 = context.pick(600, 20_000, 100_000);
    let sets = context.pick(1, 1, 2);
    let samples: Vec<u64> = context.pick(vec![4, 1], vec![20, 10, 4, 1], vec![40, 20, 10, 4, 1]);
    let samples: Vec<u64> = samples.iter().map(|part| rows / part).collect();
    let ks: Vec<u64> = context.pick(vec![5, 50], vec![10, 50, 250], vec![10, 50, 100, 500]);
    let names: Vec<String> = ks.iter().map(|k| format!("k = {k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let measure = if is_class { "conditional entropy, bits" } else { "root mean squared error" };
    let tables: Result<Vec<Table>, String> =
        (1..=sets).map(|seed| table(generator, rows, seed, target)).collect();
    let tables = tables?;
    let sweep =
        Sweep::new(&format!("{target} by the size of the sample"), "rows of the sample", measure, &names);
    let sweep = sweep.run(&samples, |&sample| {
        let of_k = |&k: &u64| {
            let each: Result<Vec<f64>, String> =
                tables.iter().map(|table| of_run(table, k, sample, is_class)).collect();
            Ok(mean(&each?))
        };
        ks.iter().map(of_k).collect()
    })?;
    let stands_in = if generator == "census" {
        "the generator census stands in for the Census database"
    } else {
        "generated as in the paper (klimt generate agrawal)"
    };
    Ok(Outcome {
        checks: small_effect(&sweep),
        panels: vec![sweep.into()],
        data: stands_in.to_string(),
        differs: format!("averages over {sets} tables of {rows} rows; the paper: 10 of 100,000"),
        untested: None,
    })
}

/// The checks of a sweep over samples, the smallest first and the whole table last, with a series for each k, ascending.
fn small_effect(sweep: &Sweep) -> Vec<Check> {
    let ends = |values: &[f64]| (values[0], values[values.len() - 1]);
    let series: Vec<&[f64]> = sweep.series.iter().map(|(_, values)| values.as_slice()).collect();
    let first: f64 = series.iter().map(|values| ends(values).0).sum();
    let last: f64 = series.iter().map(|values| ends(values).1).sum();
    // Half of the samples, the larger ones, are the reasonably large ones.
    let by_sample = |values: &&[f64]| {
        let large = &values[values.len() / 2..];
        let most = large.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - large.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let by_sample = series.iter().map(by_sample).fold(f64::NEG_INFINITY, f64::max);
    let by_k = (ends(series[series.len() - 1]).1 - ends(series[0]).1).abs();
    let what = "between large samples the measure differs by at most";
    let found =
        format!("{what} {}, between the least and the largest k by {}", short(by_sample), short(by_k));
    vec![
        Check::below(
            "sum over all k with the whole table, over that with the smallest sample",
            last / first,
            1.001,
        ),
        // Much smaller: less than half.
        Check::new(2.0 * by_sample < by_k, found),
    ]
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
fn employees(case: &Case, rows: u64) -> Result<Table, String> {
    let mut wants = quasi(&AGRAWAL, As::Plain);
    wants.iter_mut().filter(|want| want.name == case.column).for_each(|want| want.role = Role::Sensitive);
    let table = generated("agrawal", &Parameters::new(rows, 1), &wants)?;
    if !case.normal {
        return Ok(table);
    }
    // sigma is in halves of the domain: 10,488 of 65,000.
    let (values, sigma) = (130_001, 10_488.0 / 65_000.5);
    let parameters = Parameters {
        attributes: Some(1),
        cardinality: Some(values),
        sigma: Some(sigma),
        ..Parameters::new(rows, 2)
    };
    let generator = Skewed::new(&parameters).map_err(|e| e.to_string())?;
    let (mut block, mut salaries) = (Block::default(), Vec::new());
    for index in 0..generator.blocks() {
        generator.block(index, &mut block);
        salaries.extend(block.columns[0].values.iter().map(|value| 20_000 + value));
    }
    let mut columns = table.columns().to_vec();
    if let Some(salary) = columns.iter_mut().find(|column| column.name == "salary") {
        *salary = column(&Want::other("salary", Role::Sensitive), ColumnKind::Integer, &salaries)?;
    }
    Table::new(table.rows(), columns).map_err(|e| e.to_string())
}

/// The cuts that were undone, and whether nothing is known of the result being minimal.
fn undone(
    table: &Table,
    case: &Case,
    parameters: &str,
    sample: u64,
    alpha: f64,
) -> Result<(f64, bool), String> {
    let requirements = [(case.flag, case.column, parameters)];
    let method = Method::Sample(Sampling { alpha, rows: Some(sample), seed: 1 });
    let asked = Asked { requirements: &requirements, split: "median", method, limits: limits(sample) };
    let account = run(table, &asked, |_, _| {})?;
    Ok((account.pruned as f64, account.switched > 0))
}

fn pruning(context: &Context) -> Result<Outcome, String> {
    let rows: u64 = context.pick(800, 20_000, 100_000);
    let samples: Vec<u64> = match context.pick(0, 1, 2) {
        0 => vec![100, 400],
        1 => vec![100, 500, 2500],
        _ => vec![250, 500, 1000, 2500, 5000, 10_000, 25_000],
    };
    let (mut panels, mut by_sample) = (Vec::new(), vec![0.0; samples.len()]);
    let (mut with, mut without, mut switched) = (0.0, 0.0, vec![0.0; samples.len()]);
    for case in &CASES {
        let table = employees(case, rows)?;
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
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let sweep = Sweep::new(case.title, "rows of the sample", "cuts undone", &names);
        let mut at = 0;
        panels.push(
            sweep
                .run(&samples, |&sample| {
                    let mut line = Vec::new();
                    for parameters in &possible {
                        let (tested, not_minimal) = undone(&table, case, parameters, sample, 0.05)?;
                        let (naive, _) = undone(&table, case, parameters, sample, 1.0)?;
                        with += tested;
                        without += naive;
                        by_sample[at] += tested;
                        switched[at] += f64::from(not_minimal);
                        line.extend([tested, naive]);
                    }
                    at += 1;
                    Ok(line)
                })?
                .into(),
        );
    }
    Ok(Outcome {
        panels,
        checks: undone_checks(with, without, &by_sample, &switched),
        data: "generated as in the paper (klimt generate agrawal); normal salaries come from klimt generate skewed".to_string(),
        differs: format!("{rows} rows, samples from {} rows on; the paper: 100,000 and 100", samples[0]),
        untested: None,
    })
}

fn undone_checks(with: f64, without: f64, by_sample: &[f64], switched: &[f64]) -> Vec<Check> {
    vec![
        Check::below("cuts undone with tests, over those without", with / without, 0.5),
        Check::ends_lower("cuts undone with tests, from the smallest to the largest sample,", by_sample),
        Check::ends_lower(
            "runs in which a sample did not tell enough, from the smallest to the largest sample,",
            switched,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(lines: &[[f64; 2]]) -> Vec<bool> {
        let mut sweep = Sweep::new("", "sample", "entropy", &["k = 10", "k = 500"]);
        lines.iter().for_each(|line| sweep.push("", line.to_vec()).unwrap());
        small_effect(&sweep).iter().map(|check| check.holds).collect()
    }

    #[test]
    fn samples_matter_less_than_k() {
        assert_eq!(sweep(&[[0.32, 0.62], [0.31, 0.61], [0.30, 0.60]]), [true, true]);
        assert_eq!(
            sweep(&[[0.30, 0.60], [0.31, 0.61], [0.32, 0.62]]),
            [false, true],
            "larger samples are worse"
        );
        assert_eq!(sweep(&[[0.9, 0.62], [0.6, 0.61], [0.30, 0.60]]), [true, false], "samples matter as much");
    }

    #[test]
    fn tests_must_undo_less() {
        let holds = |checks: Vec<Check>| checks.iter().map(|check| check.holds).collect::<Vec<_>>();
        assert_eq!(holds(undone_checks(10.0, 100.0, &[9.0, 1.0], &[3.0, 0.0])), [true, true, true]);
        assert_eq!(holds(undone_checks(90.0, 100.0, &[1.0, 9.0], &[0.0, 3.0])), [false, false, false]);
    }

    #[test]
    fn normal_salaries_have_the_variance_of_the_paper() {
        let table = employees(&CASES[3], 20_000).unwrap();
        let (domain, codes) = table.columns()[0].coded().unwrap();
        let values: Vec<f64> = (0..table.rows()).map(|row| domain.position(codes.get(row)) as f64).collect();
        let centre = mean(&values);
        let variance = mean(&values.iter().map(|value| (value - centre).powi(2)).collect::<Vec<_>>());
        assert!((variance / 1.1e8 - 1.0).abs() < 0.05, "{variance}");
    }
}
