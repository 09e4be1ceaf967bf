//! klimt beside the figures of ARX, and on tables of growing size.

use super::{Runs, as_in_the_paper, by};
use crate::Result;
use crate::adult::{Adult, EIGHT, FOUR};
use crate::print::{Cell, Columns};
use crate::process::ProcessRelease;
use klimt::inspect;
use klimt::prelude::*;
use klimt_core::algorithm::scheme::Scheme;

/// k, and the discernibility that ARX finds for one level per column with unlimited suppression.
const ARX: [(u64, f64); 4] = [(2, 4_807_825.0), (5, 7_220_555.0), (10, 10_541_769.0), (25, 19_145_467.0)];

/// CPU seconds that ARX takes for each.
const ARX_SECONDS: (f64, f64) = (2.8, 3.0);

/// k, the certainty penalty of ARX's local recoding, and its CPU seconds.
const ARX_LOCAL: [(u64, f64, f64); 5] =
    [(2, 0.033, 1.5), (5, 0.065, 2.9), (10, 0.089, 4.7), (25, 0.129, 10.5), (100, 0.209, 16.6)];

/// The same for five million rows at k = 10, with its memory in megabytes.
const ARX_LARGE: (f64, f64, f64) = (0.007, 50.0, 2400.0);

impl Runs<'_> {
    /// One level per column, unlimited suppression.
    pub(super) fn arx(&self) -> Result<()> {
        let (least, most) = ARX_SECONDS;
        println!(
            "\nDM of eight quasi-identifiers, BHS, unlimited suppression, beside ARX ({least} to {most} CPU s)"
        );
        let titles = [("klimt", 0), ("ARX", 0), ("ratio", 4), ("proven", 0), ("cpu s", 2), ("of ARX's", 0)];
        let columns = Columns::new("k", 5, &titles);
        for (k, arx) in ARX {
            let found = self.eight(k, Scheme::Bhs)?;
            let (dm, cpu) = (found.loss("dm"), found.cost.cpu);
            let share = format!("{:.2}..{:.2}", cpu / most, cpu / least);
            columns.line(k, &[&dm, &arx, &(dm / arx), &found.proven(), &cpu, &share]);
        }
        Ok(())
    }

    fn eight(&self, k: u64, scheme: Scheme) -> Result<ProcessRelease> {
        let dataset = self.adult.trees(&EIGHT)?;
        let asked = dataset.groups_of(k)?.algorithm(by(scheme)).loss("dm").suppress(Share::ONE);
        self.publish(&dataset, asked)
    }

    /// What more freedom gains over one level per column.
    pub(super) fn flexible(&self) -> Result<()> {
        let limit = self.args.time_limit;
        println!("\nDM of eight quasi-identifiers, k = 10, unlimited suppression, {limit}");
        let titles = [("found", 0), ("at least", 0), ("proven", 0), ("of BHS", 4), ("cpu s", 2)];
        let columns = Columns::new("", 6, &titles);
        let mut basic = f64::NAN;
        for scheme in [Scheme::Bhs, Scheme::Ghs, Scheme::Gops, Scheme::Ops, Scheme::Gsps] {
            let found = self.eight(10, scheme)?;
            let dm = found.loss("dm");
            if scheme == Scheme::Bhs {
                basic = dm;
            }
            columns.line(
                klimt::Choice::name(scheme),
                &[&dm, &found.bound(), &found.proven(), &(dm / basic), &found.cost.cpu],
            );
        }
        Ok(())
    }

    /// Local recoding.
    pub(super) fn local(&self) -> Result<()> {
        println!("\nCertainty penalty of eight quasi-identifiers, local recoding, beside ARX");
        let titles = [("k", 0), ("ncp", 4), ("ARX", 3), ("cpu s", 2), ("ARX", 1), ("cpu", 3), ("MB", 0)];
        let columns = Columns::new("rows", 9, &titles);
        let run = |adult: &Adult, k: u64, arx: f64, seconds: f64| -> Result<ProcessRelease> {
            let dataset = adult.trees(&EIGHT)?;
            let asked = dataset.groups_of(k)?.algorithm(AlgorithmKind::Local);
            let found = self.publish(&dataset, asked)?;
            let (cpu, memory) = (found.cost.cpu, found.cost.memory);
            let line: [&dyn Cell; 7] =
                [&k, &found.loss("ncp"), &arx, &cpu, &seconds, &(cpu / seconds), &memory];
            columns.line(found.certificate.rows.original, &line);
            Ok(found)
        };
        for (k, arx, seconds) in ARX_LOCAL {
            run(&self.adult, k, arx, seconds)?;
        }
        let large = self.klimt.tables.file("adult-5000000.csv");
        if self.args.rows.contains(&5_000_000) && large.is_file() {
            let (arx, seconds, memory) = ARX_LARGE;
            let found = run(&self.adult.with_table(large)?, 10, arx, seconds)?;
            println!("of ARX's memory: {:.3}", found.cost.memory / memory);
        }
        Ok(())
    }

    /// The search of the paper on tables of growing size.
    pub(super) fn rows(&self) -> Result<()> {
        println!("\nGHS of {}, k = 10, DM, unlimited suppression, on tables like Adult", FOUR.join(","));
        let titles = [("tuples", 0), ("search s", 3), ("wall s", 2), ("search us/tuple", 1), ("proven", 0)];
        let columns = Columns::new("rows", 9, &titles);
        for &rows in &self.args.rows {
            let Some(table) = self.args.place.enlarged(rows)? else { return Ok(()) };
            let adult = self.adult.with_table(table.path)?;
            let algorithm = by(Scheme::Ghs);
            let (dataset, mut asked) = as_in_the_paper(&adult, &FOUR, 10, algorithm, "dm")?;
            // An inspection takes columns of which nothing is said for quasi-identifiers.
            let others = EIGHT.into_iter().chain(["income"]).filter(|name| !FOUR.contains(name));
            let risk = inspect(dataset.input()?, &dataset.asked.clone().identifiers(others))?.risk;
            let tuples = risk.ok_or("no risk is told of the table")?.tuples;
            let trace = self.klimt.tables.file("out-schemes-trace.csv");
            asked.settings_mut().search.trace = Some(trace.display().to_string());
            let found = self.publish(&dataset, asked)?;
            let text = std::fs::read_to_string(&trace).map_err(|e| format!("{}: {e}", trace.display()))?;
            let searched = last_seconds(&text).unwrap_or(f64::NAN);
            let of_tuple = searched * 1e6 / tuples as f64;
            columns.line(rows, &[&tuples, &searched, &found.cost.wall, &of_tuple, &found.proven()]);
        }
        Ok(())
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
