//! What a sample costs: cuts that are undone (Fig. 28), and entropy and error by the size of the sample (Figs. 22, 23, 25
//! and 26).

use super::engine::{Asked, read, run};
use crate::tables::Places;
use klimt_core::algorithm::rothko::{Method, RothkoLimits, Sampling};
use klimt_core::partition::Partitioning;
use klimt_core::table::{Role, Table};

/// As in the paper.
const ROWS: u64 = 100_000;
const SAMPLES: [u64; 8] = [100, 250, 500, 1000, 2500, 5000, 10_000, 25_000];

/// The limits of the paper for a sample of so many rows.
pub fn limits(sample: u64) -> RothkoLimits {
    // Rows are divided when the tree has a height of 8.
    RothkoLimits { memory_rows: Some(sample), frequency_groups: None, leaves: Some(256) }
}

/// What is required in one column of the figure.
struct Case {
    what: &'static str,
    flag: &'static str,
    /// The sensitive column.
    column: &'static str,
    parameters: &'static [&'static str],
}

const CASES: [Case; 3] = [
    Case { what: "k-anonymity, k", flag: "k", column: "", parameters: &["10", "100", "1000", "10000"] },
    Case {
        what: "recursive (1,l)-diversity of zipcode, l",
        flag: "l-diversity",
        column: "zipcode",
        parameters: &["recursive:1:2", "recursive:1:4", "recursive:1:6", "recursive:1:8"],
    },
    Case {
        what: "variance of salary (uniform), v",
        flag: "variance",
        column: "salary",
        parameters: &["1100000000", "1200000000", "1300000000"],
    },
];

/// Cuts undone, with the hypothesis tests and, in parentheses, without; x where Rothko-T had to go on.
pub fn pruning(places: &Places) -> Result<(), String> {
    for case in &CASES {
        let roles: &[_] = if case.column.is_empty() { &[] } else { &[(case.column, Role::Sensitive)] };
        let table = read(&places.agrawal(ROWS)?, roles)?;
        println!("\nCuts undone (without the tests), {} (Fig. 28)", case.what);
        print!("{:>8}", "sample");
        case.parameters.iter().for_each(|text| print!(" {:>16}", text.rsplit(':').next().unwrap_or(text)));
        println!();
        for sample in SAMPLES {
            print!("{sample:>8}");
            for parameters in case.parameters {
                let undone = |alpha: f64| -> Result<String, String> {
                    let requirements = [(case.flag, case.column, *parameters)];
                    let asked = Asked {
                        requirements: &requirements,
                        split: "median",
                        method: Method::Sample(Sampling { alpha, rows: Some(sample), seed: 1 }),
                        limits: limits(sample),
                    };
                    let account = run(&table, &asked, |_, _| {})?;
                    Ok(format!("{}{}", account.pruned, if account.switched > 0 { "x" } else { "" }))
                };
                print!(" {:>16}", format!("{} ({})", undone(0.05)?, undone(1.0)?));
            }
            println!();
        }
    }
    Ok(())
}

/// The conditional entropy of a label in bits, times the rows of a part.
pub fn entropy(table: &Table, groups: &Partitioning, label: usize) -> f64 {
    let Some((domain, codes)) = table.columns()[label].coded() else { return f64::NAN };
    let of_group = |group: usize| {
        let rows = groups.rows(group);
        let mut counts = vec![0u64; domain.cardinality()];
        rows.iter().for_each(|&row| counts[codes.get(row as usize) as usize] += 1);
        let all = rows.len() as f64;
        counts.iter().filter(|&&c| c > 0).map(|&c| -(c as f64) * (c as f64 / all).log2()).sum::<f64>()
    };
    (0..groups.groups()).map(of_group).sum()
}

/// The sum of squared distances of a target from the means of its groups.
pub fn squared_error(table: &Table, groups: &Partitioning, target: usize) -> f64 {
    let Some((domain, codes)) = table.columns()[target].coded() else { return f64::NAN };
    let unit = 10f64.powi(domain.scale() as i32);
    let of_group = |group: usize| {
        let value = |&row: &u32| domain.position(codes.get(row as usize)) as f64 / unit;
        let rows = groups.rows(group);
        let mean = rows.iter().map(value).sum::<f64>() / rows.len() as f64;
        rows.iter().map(|row| (value(row) - mean).powi(2)).sum::<f64>()
    };
    (0..groups.groups()).map(of_group).sum()
}

/// Entropy of the class labels and error of the numeric targets by the size of the sample and k.
pub fn quality(places: &Places) -> Result<(), String> {
    for (target, split, figure) in
        [("C2", "infogain", 22), ("C7", "infogain", 23), ("R7", "regression", 25), ("R10", "regression", 26)]
    {
        let table = read(&places.agrawal(ROWS)?, &[(target, Role::Target)])?;
        let column = table.columns().iter().position(|column| column.name == target).unwrap_or(0);
        let what =
            if split == "infogain" { "conditional entropy in bits" } else { "root mean squared error" };
        println!("\n{target}, {split}: {what} by sample, rows below (Fig. {figure})");
        print!("{:>8}", "k");
        let samples = [1000, 2500, 5000, 10_000, 25_000, ROWS];
        samples.iter().for_each(|sample| print!(" {sample:>10}"));
        println!();
        for k in ["10", "50", "100", "500"] {
            print!("{k:>8}");
            for sample in samples {
                let sampling = Sampling { alpha: 0.05, rows: Some(sample), seed: 1 };
                let requirements = [("k", "", k)];
                let asked = Asked {
                    requirements: &requirements,
                    split,
                    method: Method::Sample(sampling),
                    limits: limits(sample),
                };
                let mut sum = 0.0;
                run(&table, &asked, |table, groups| {
                    sum += match split {
                        "infogain" => entropy(table, groups, column),
                        _ => squared_error(table, groups, column),
                    };
                })?;
                let mean = sum / table.rows() as f64;
                print!(" {:>10.4}", if split == "infogain" { mean } else { mean.sqrt() });
            }
            println!();
        }
    }
    Ok(())
}
