//! How risk is asked for and told, alike for a table and a release.

use crate::options::RiskArgs;
use crate::terminal::{count, table};
use klimt_core::risk::{Attack, Estimate, Population, Question, Risk, Share};
use klimt_core::{Error, ErrorKind, Result};

/// What the flags ask about risk; all problems at once.
pub fn question(args: &RiskArgs) -> Result<Question> {
    let mut problems = Vec::new();
    let fraction = args.sampling_fraction.as_deref().map(|text| {
        text.parse().ok().filter(|&share| share > Share::ZERO).unwrap_or_else(|| {
            problems.push(
                "--sampling-fraction: a share of the population above 0% and up to 100% is needed, such as 10%",
            );
            Share::ONE
        })
    });
    let threshold = args.risk_threshold.parse().unwrap_or_else(|()| {
        problems.push("--risk-threshold: a chance between 0% and 100% is needed, such as 20%");
        Share::ONE
    });
    match Error::all(ErrorKind::Input, problems.into_iter().map(String::from).collect()) {
        None => Question::new(fraction, threshold),
        Some(error) => Err(error),
    }
}

/// A share in per cent.
pub fn percent(share: f64) -> String {
    format!("{:.2}%", share * 100.0)
}

/// The risk under each attacker, the unique rows, and what is estimated of the population.
pub fn describe(risk: &Risk) -> String {
    let above = format!("rows above {}", risk.threshold);
    let heading = ["attacker", "highest risk", "average risk", &above, "who"];
    let attack = |name: &str, attack: &Attack, who: &str| {
        let numbers = [attack.highest, attack.average, attack.above_threshold].map(percent);
        let [highest, average, above] = numbers;
        vec![name.to_string(), highest, average, above, who.to_string()]
    };
    let rows = [
        heading.map(String::from).to_vec(),
        attack("prosecutor", &risk.prosecutor, "knows that the person is in the table"),
        attack("journalist", &risk.journalist, "does not know who of the population is in the table"),
        ["marketer", "-", &percent(risk.marketer), "-", "tries every row: the share expected to be found"]
            .map(String::from)
            .to_vec(),
    ];
    let mut text = table(&rows);
    text.push_str(&format!("unique: {} rows ({})\n", count(risk.unique), percent(risk.unique_share)));
    if let Some(population) = &risk.population {
        text.push_str(&describe_population(population));
    }
    if risk.sampling_fraction.is_none() {
        text.push_str(
            "Without --sampling-fraction the journalist's risk is the prosecutor's, and no population is estimated.\n",
        );
    }
    text
}

fn describe_population(population: &Population) -> String {
    let estimate = |estimate: &Estimate, by: &str| {
        format!("{} people ({}) by {by}", count(estimate.uniques.round() as u64), percent(estimate.share))
    };
    let pitman = match &population.pitman {
        Some(found) => estimate(found, "Pitman"),
        None => String::from("no estimate by Pitman, who needs two groups, and a group of two rows"),
    };
    format!(
        "unique in the population of {} (estimated): {}, {pitman}\n",
        count(population.size),
        estimate(&population.zayatz, "Zayatz")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(fraction: Option<&str>, threshold: &str) -> RiskArgs {
        RiskArgs { sampling_fraction: fraction.map(String::from), risk_threshold: threshold.to_string() }
    }

    #[test]
    fn wrong_shares_are_told_at_once() {
        let error = question(&args(Some("110%"), "many")).unwrap_err();
        for flag in ["--sampling-fraction", "--risk-threshold"] {
            assert!(
                format!("{} {:?}", error.message(), error.help(klimt_core::Words::Flags)).contains(flag),
                "{error:?}"
            );
        }
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(question(&args(Some("0%"), "20%")).is_err());
        assert!(question(&args(Some("0.1"), "-1%")).is_err());
        assert_eq!(
            question(&args(Some("0.1"), "33%")).unwrap(),
            question(&args(Some("10 %"), "0.33")).unwrap()
        );
        assert_eq!(question(&args(None, "20%")).unwrap(), Question::default());
    }

    #[test]
    fn the_block_lines_up() {
        let asked = question(&args(Some("50%"), "25%")).unwrap();
        let text = describe(&Risk::of([1, 1, 1, 1, 2, 2, 2], &asked));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..4]
                .iter()
                .map(|line| line.split("  ").map(str::trim).collect::<String>())
                .collect::<Vec<_>>(),
            [
                "attackerhighest riskaverage riskrows above 25%who",
                "prosecutor100.00%70.00%100.00%knows that the person is in the table",
                "journalist50.00%35.00%40.00%does not know who of the population is in the table",
                "marketer-35.00%-tries every row: the share expected to be found",
            ]
        );
        assert_eq!(lines[4], "unique: 4 rows (40.00%)");
        assert!(
            lines[5].starts_with("unique in the population of 20 (estimated): 5 people (22.86%) by Zayatz"),
            "{text}"
        );
    }

    #[test]
    fn what_is_missing_is_said() {
        assert!(describe(&Risk::of([1, 2], &Question::default())).contains("--sampling-fraction"));
        let asked = question(&args(Some("50%"), "25%")).unwrap();
        assert!(describe(&Risk::of([1, 1], &asked)).contains("no estimate by Pitman"));
    }
}
