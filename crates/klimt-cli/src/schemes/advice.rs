//! The search for the best generalization, and what is said where there is none.

use super::Schemes;
use crate::settings::share;
use klimt_core::job::{Budget, Job, Observer, Partitioner, Suppression};
use klimt_core::loss::SuppressedRows;
use klimt_core::partition::Partitioning;
use klimt_core::requirement::Requirement;
use klimt_core::{Error, ErrorKind, Result};
use std::time::{Duration, Instant};

/// How long the search for the share of rows that must be suppressed may take.
const ADVICE: Duration = Duration::from_secs(5);

/// Passes on the wish to stop, and nothing else.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn advance(&self, _: u64) {}

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

impl Schemes {
    /// The best generalization; where none satisfies the requirements, the error says what share of suppressed rows would
    /// allow one. Rows that the search suppresses change what is published, by which some requirements measure groups:
    /// then more rows are left out, or none at all. Whether any were is returned too, as the search does not know.
    pub fn partition(
        &self,
        job: &Job<'_>,
        requirements: &[Box<dyn Requirement>],
    ) -> Result<(Partitioning, bool)> {
        self.found(job, requirements).map_err(|error| match error.kind() {
            ErrorKind::Unsatisfied if job.observer.cancelled() => {
                Error::new(ErrorKind::Cancelled, "stopped before any generalization was found")
            }
            // Without suppression one group of everything decides; with it, what was not looked at may satisfy them.
            ErrorKind::Unsatisfied if job.suppression != Suppression::NONE && job.budget.over() => {
                Error::resource("no release was found before the time was over")
                    .with_help("raise --time-limit, or allow more with --suppress")
            }
            ErrorKind::Unsatisfied => self.advised(error, job, requirements),
            _ => error,
        })
    }

    fn found(&self, job: &Job<'_>, requirements: &[Box<dyn Requirement>]) -> Result<(Partitioning, bool)> {
        let rows = job.table.rows();
        let limit = job.suppression.limit(rows);
        if limit == 0 {
            job.requirements.feasible(job.table)?;
        }
        let mut partitioning = self.search.partition(job)?;
        let mut settled = false;
        if partitioning.order.len() < rows {
            match partitioning.settle(job.table, requirements, limit)? {
                Some(more) => settled = more > 0,
                None => {
                    job.requirements.feasible(job.table)?;
                    partitioning = self.search.partition(&Job { suppression: Suppression::NONE, ..*job })?;
                }
            }
        }
        match partitioning.order.is_empty() {
            true => {
                Err(Error::unsatisfied("every row would have to be suppressed: there is nothing to publish"))
            }
            false => Ok((partitioning, settled)),
        }
    }

    /// The error with the share of rows whose suppression would allow a release.
    fn advised(&self, error: Error, job: &Job<'_>, requirements: &[Box<dyn Requirement>]) -> Error {
        let rows = job.table.rows();
        let again = Job {
            suppression: Suppression::share(1.0).unwrap_or(Suppression::NONE),
            loss: &SuppressedRows,
            budget: Budget { until: Instant::now().checked_add(ADVICE), gap: 1.0, ..job.budget },
            observer: &Quiet(job.observer),
            ..*job
        };
        let Ok(mut least) = self.search.partition(&again) else { return error };
        // Every row that is left out costs 1.
        let out = (rows - least.order.len()) as f64;
        let proven = least.bound.as_ref().is_some_and(|bound| bound.sum >= out);
        match least.settle(job.table, requirements, rows) {
            Err(_) => error,
            Ok(_) if least.order.is_empty() && proven => error
                .with_help("suppressing rows would not help; ask for less, or give the schemes more freedom"),
            Ok(_) if least.order.is_empty() => {
                error.with_help("no share of suppressed rows was found to allow it")
            }
            Ok(_) if least.order.len() == rows => error,
            Ok(_) => {
                let share = share_of(rows - least.order.len(), rows);
                error.with_help(format!("--suppress {share} would allow it"))
            }
        }
    }
}

/// The share of rows that allows so many to be suppressed, in as few digits as say it well; never too small.
fn share_of(suppressed: usize, rows: usize) -> String {
    let percent = suppressed as f64 * 100.0 / rows as f64;
    let suffices = |text: &str| {
        let granted = share(text).ok().and_then(Suppression::share);
        granted.is_some_and(|granted| granted.limit(rows) >= suppressed)
    };
    let rounded = |digits: usize| {
        let unit = 10f64.powi(digits as i32);
        let up = (percent * unit).ceil();
        let texts = [up, up + 1.0].map(|units| format!("{:.digits$}%", (units / unit).min(100.0)));
        texts.into_iter().find(|text| suffices(text)).filter(|_| up / unit <= percent * 1.05 || digits == 4)
    };
    (1..=4).find_map(rounded).unwrap_or("unlimited".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_suffices_and_is_no_larger_than_it_must_be() {
        assert_eq!(share_of(1, 8), "12.5%");
        assert_eq!(share_of(8, 8), "100.0%");
        assert_eq!(share_of(1, 3), "33.4%");
        assert_eq!(share_of(1, 30_162), "0.0034%");
        for rows in [7, 100, 997, 30_162, 5_000_000] {
            for suppressed in [1, 2, rows / 7, rows / 3, rows - 1].into_iter().filter(|&n| n > 0) {
                let granted =
                    Suppression::share(share(&share_of(suppressed, rows)).unwrap()).unwrap().limit(rows);
                assert!(granted >= suppressed, "{suppressed} of {rows}");
                assert!(
                    granted as f64 <= suppressed as f64 * 1.06 + rows as f64 * 2e-6,
                    "{suppressed} of {rows}"
                );
            }
        }
    }
}
