//! klimt beside the figures of ARX, and on tables of growing size.

use super::{Adult, FOUR};
use crate::published::Published;
use serde_json::Value;
use std::process::Command;

const EIGHT: &str = "sex,age,race,marital-status,education,native-country,workclass,occupation";

/// The columns of Adult that the experiments of the paper leave out.
const OTHERS: &str = "education,native-country,workclass,occupation,salary-class";

/// k, and the discernibility that ARX finds for one level per column with unlimited suppression.
const ARX: [(u64, f64); 4] = [(2, 4_807_825.0), (5, 7_220_555.0), (10, 10_541_769.0), (25, 19_145_467.0)];

/// CPU seconds that ARX takes for each.
const ARX_SECONDS: (f64, f64) = (2.8, 3.0);

/// k, the certainty penalty of ARX's local recoding, and its CPU seconds.
const ARX_LOCAL: [(u64, f64, f64); 5] =
    [(2, 0.033, 1.5), (5, 0.065, 2.9), (10, 0.089, 4.7), (25, 0.129, 10.5), (100, 0.209, 16.6)];

/// The same for five million rows at k = 10, with its memory in megabytes.
const ARX_LARGE: (f64, f64, f64) = (0.007, 50.0, 2400.0);

impl Adult<'_> {
    /// One level per column, unlimited suppression.
    pub(super) fn arx(&self) -> Result<(), String> {
        let (least, most) = ARX_SECONDS;
        println!(
            "\nDM of eight quasi-identifiers, BHS, unlimited suppression, beside ARX ({least} to {most} CPU s)"
        );
        println!(
            "{:>5} {:>12} {:>12} {:>8} {:>8} {:>7} {:>14}",
            "k", "klimt", "ARX", "ratio", "proven", "cpu s", "of ARX's"
        );
        for (k, arx) in ARX {
            let found = self.eight(k, "bhs", "60s")?;
            let (dm, cpu) = (found.loss("dm"), found.cost.cpu);
            println!(
                "{k:>5} {dm:>12.0} {arx:>12.0} {:>8.4} {:>8} {cpu:>7.2} {:>6.2} to {:.2}",
                dm / arx,
                found.proven(),
                cpu / most,
                cpu / least
            );
        }
        Ok(())
    }

    fn eight(&self, k: u64, scheme: &str, limit: &str) -> Result<Published, String> {
        let flags = format!(
            "--algorithm scheme --scheme {scheme} --loss dm --suppress unlimited --time-limit {limit}"
        );
        self.publish(EIGHT, k, &flags)
    }

    /// What more freedom gains over one level per column.
    pub(super) fn flexible(&self) -> Result<(), String> {
        let limit = &self.args.time_limit;
        println!("\nDM of eight quasi-identifiers, k = 10, unlimited suppression, {limit}");
        println!(
            "{:<6} {:>12} {:>12} {:>10} {:>12} {:>7}",
            "", "found", "at least", "proven", "of BHS", "cpu s"
        );
        let basic = self.eight(10, "bhs", limit)?;
        for scheme in ["bhs", "ghs", "gops", "ops", "gsps"] {
            let found = self.eight(10, scheme, limit)?;
            println!(
                "{scheme:<6} {:>12.0} {:>12.0} {:>10} {:>12.4} {:>7.2}",
                found.loss("dm"),
                found.bound(),
                found.proven(),
                found.loss("dm") / basic.loss("dm"),
                found.cost.cpu
            );
        }
        Ok(())
    }

    /// Local recoding, where this klimt has it.
    pub(super) fn local(&self) -> Result<(), String> {
        let help = Command::new(&self.places.klimt).args(["anonymize", "--help"]).output();
        let help = help.map_err(|e| format!("{}: {e}", self.places.klimt.display()))?;
        if !String::from_utf8_lossy(&help.stdout).contains("local recoding") {
            println!("\nskipped: this klimt has no --algorithm local");
            return Ok(());
        }
        println!("\nCertainty penalty of eight quasi-identifiers, local recoding, beside ARX");
        println!(
            "{:>9} {:>5} {:>8} {:>8} {:>7} {:>8} {:>8} {:>8}",
            "rows", "k", "ncp", "ARX", "cpu s", "ARX", "cpu", "MB"
        );
        let print = |rows: &Value, k: u64, found: &Published, arx: f64, seconds: f64| {
            println!(
                "{rows:>9} {k:>5} {:>8.4} {arx:>8.3} {:>7.2} {seconds:>8.1} {:>8.3} {:>8.0}",
                found.loss("ncp"),
                found.cost.cpu,
                found.cost.cpu / seconds,
                found.cost.memory
            );
        };
        for (k, arx, seconds) in ARX_LOCAL {
            let found = self.publish(EIGHT, k, "--algorithm local")?;
            print(&found.certificate["rows"]["original"], k, &found, arx, seconds);
        }
        let large = self.places.folder.join("adult-5000000.csv");
        if self.args.rows.contains(&5_000_000) && large.is_file() {
            let (arx, seconds, memory) = ARX_LARGE;
            let found = self.publish_table(&large, EIGHT, 10, "--algorithm local")?;
            print(&found.certificate["rows"]["original"], 10, &found, arx, seconds);
            println!("of ARX's memory: {:.3}", found.cost.memory / memory);
        }
        Ok(())
    }

    /// The search of the paper on tables of growing size.
    pub(super) fn rows(&self) -> Result<(), String> {
        println!("\nGHS of {FOUR}, k = 10, DM, unlimited suppression, on tables like Adult");
        println!(
            "{:>9} {:>9} {:>9} {:>9} {:>14} {:>8}",
            "rows", "tuples", "search s", "wall s", "search us/tuple", "proven"
        );
        for &rows in &self.args.rows {
            let Some(input) = self.places.adult(rows)? else { return Ok(()) };
            let tuples = self.tuples(&input.path.display().to_string())?;
            let trace = self.places.folder.join("out-schemes-trace.csv");
            let flags = format!(
                "--algorithm scheme --scheme ghs --levels age=1.. --suppress unlimited --time-limit {} --trace {}",
                self.args.time_limit,
                trace.display()
            );
            let found = self.publish_table(&input.path, FOUR, 10, &flags)?;
            let text = std::fs::read_to_string(&trace).map_err(|e| format!("{}: {e}", trace.display()))?;
            let searched = last_seconds(&text).unwrap_or(f64::NAN);
            println!(
                "{rows:>9} {tuples:>9} {searched:>9.3} {:>9.2} {:>14.1} {:>8}",
                found.cost.wall,
                searched * 1e6 / tuples as f64,
                found.proven()
            );
        }
        Ok(())
    }

    /// How many different tuples of the paper's quasi-identifiers a table has.
    fn tuples(&self, path: &str) -> Result<u64, String> {
        let output = Command::new(&self.places.klimt)
            .args(["inspect", path, "--json", "--quiet", "--qi", FOUR, "--identifier", OTHERS])
            .output()
            .map_err(|e| e.to_string())?;
        let found: Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("klimt inspect: {}", String::from_utf8_lossy(&output.stderr)))?;
        found["risk"]["tuples"].as_u64().ok_or_else(|| "klimt inspect tells no number of tuples".to_string())
    }
}

/// When a search told its last result.
fn last_seconds(trace: &str) -> Option<f64> {
    trace.lines().last()?.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_ends_with_the_search() {
        assert_eq!(last_seconds("seconds,found,bound,ratio\n0.001,5,0,\n0.250,4,4,1\n"), Some(0.25));
        assert_eq!(last_seconds("seconds,found,bound,ratio\n"), None);
    }
}
