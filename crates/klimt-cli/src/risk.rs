//! The flags about risk, and risk in words: alike for a table and a release.

use crate::options::RiskArgs;
use crate::terminal::{count, table};
use klimt::risk::{Attack, Estimate, Population, Question, Risk};
use klimt_core::Result;

/// The question of the flags.
pub fn question(args: &RiskArgs) -> Result<Question> {
    klimt::risk::question(args.sampling_fraction.as_deref(), Some(&args.risk_threshold))
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
