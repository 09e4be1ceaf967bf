//! All requirements of a run, bound to the whole.

use super::sampled::SampledCheck;
use super::{Check, Level, Requirement, Side, TableFacts, Trust, WholeFacts, bind};
use crate::statistics::{Collector, Extent, Needs, Statistics};
use crate::table::{Domain, Table};
use crate::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// Every requirement of a run, bound to its table.
#[derive(Clone, Debug)]
pub struct Checks {
    checks: Vec<NamedCheck>,
    /// Those that are about boundaries, which no statistics tell.
    of_boundaries: Vec<(usize, NamedCheck)>,
    needs: Needs,
    minimum_size: u64,
    /// A size below which every group violates a requirement because of the whole.
    least_size: u64,
    only_count: bool,
    /// A part of at most this many rows is not cut any further.
    enough: u64,
}

#[derive(Clone, Debug)]
struct NamedCheck {
    describe: String,
    side: Side,
    limit: Level,
    check: Arc<dyn Check>,
}

impl Checks {
    /// Binds requirements to all rows of a table; all problems at once.
    pub fn new(requirements: &[Box<dyn Requirement>], table: &Table) -> Result<Self> {
        Checks::to(requirements, &TableFacts::of(table))
    }

    /// Binds requirements to the whole of which groups will be parts; all problems at once.
    pub fn to(requirements: &[Box<dyn Requirement>], whole: &dyn WholeFacts) -> Result<Self> {
        let mut checks = Checks {
            checks: Vec::new(),
            of_boundaries: Vec::new(),
            needs: Needs::default(),
            minimum_size: 1,
            least_size: 1,
            only_count: true,
            enough: 0,
        };
        let mut problems: Vec<Error> = Vec::new();
        for requirement in requirements {
            let check: Arc<dyn Check> = match bind(&**requirement, whole) {
                Ok(check) => check.into(),
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            let needs = check.needs();
            checks.only_count &= needs.only_count();
            checks.needs.include(&needs);
            checks.minimum_size = checks.minimum_size.max(requirement.minimum_size());
            checks.least_size = checks.least_size.max(checks.minimum_size).max(check.least_size());
            let (describe, side, limit) = (requirement.describe(), requirement.side(), requirement.limit());
            checks.checks.push(NamedCheck { describe, side, limit, check });
        }
        match problems.len() {
            0 => Ok(checks),
            1 => Err(problems.remove(0)),
            _ => {
                let kind = problems[0].kind();
                let messages = problems.iter().map(|problem| problem.message().to_string()).collect();
                Err(Error::all(kind, messages).expect("there are problems"))
            }
        }
    }

    /// The same requirements for groups of which only a sample is seen; parts of the sample of at most `enough` rows need
    /// no further cut.
    pub fn sampled(&self, trust: Trust, enough: u64) -> Self {
        // What only counts is tested by its minimum.
        let others = self.checks.iter().filter(|named| !named.check.needs().only_count());
        let sampled = |named: &NamedCheck| NamedCheck {
            check: Arc::new(SampledCheck { check: Arc::clone(&named.check), trust }),
            ..named.clone()
        };
        Checks {
            checks: others.map(sampled).collect(),
            // Boundaries are known from the first cut on, whatever is seen of the rows.
            of_boundaries: self.of_boundaries.clone(),
            needs: self.needs.clone(),
            minimum_size: trust.least(self.minimum_size),
            least_size: trust.least(self.least_size),
            only_count: self.only_count,
            enough,
        }
    }

    /// The same requirements where the boundaries of the partition are published: what is required of the published extent
    /// of an ordered dimension is required of boundaries, and no longer of what the rows of a group take up.
    pub fn by_boundaries<'d>(mut self, domain: impl Fn(usize) -> &'d Domain) -> Result<Self> {
        let (mut checks, mut problems) = (Vec::new(), Vec::new());
        for named in std::mem::take(&mut self.checks) {
            let Some(dimension) = named.check.restricts() else {
                checks.push(named);
                continue;
            };
            let last = (domain(dimension).cardinality() as u32).saturating_sub(1);
            if !named.check.admits(&Extent::Interval { lo: 0, hi: last }) {
                let describe = &named.describe;
                problems.push(format!("no release can satisfy {describe}: its domain is not that wide"));
            }
            self.of_boundaries.push((dimension, named));
        }
        self.needs = checks.iter().fold(Needs::default(), |mut needs, named| {
            needs.include(&named.check.needs());
            needs
        });
        self.checks = checks;
        Error::all(ErrorKind::Unsatisfied, problems).map_or(Ok(self), Err)
    }

    /// The same requirements, with widths required of the values that groups hold. What satisfies these satisfies the
    /// requirements of boundaries too, as boundaries lie around the values.
    pub fn of_values(&self) -> Cow<'_, Self> {
        if self.of_boundaries.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut held = self.clone();
        for (_, named) in std::mem::take(&mut held.of_boundaries) {
            held.needs.include(&named.check.needs());
            held.checks.push(named);
        }
        Cow::Owned(held)
    }

    /// Whether widths are required of the values that groups hold. Where boundaries are published, groups that violate
    /// this may be allowed.
    pub fn restricts_values(&self) -> bool {
        !self.needs.extents.is_empty()
    }

    /// Whether widths are required of boundaries.
    pub fn restricts_boundaries(&self) -> bool {
        !self.of_boundaries.is_empty()
    }

    /// The dimensions whose boundaries are restricted.
    pub fn restricted_dimensions(&self) -> impl Iterator<Item = usize> {
        let mut dimensions: Vec<usize> = self.of_boundaries.iter().map(|(dimension, _)| *dimension).collect();
        dimensions.sort_unstable();
        dimensions.dedup();
        dimensions.into_iter()
    }

    /// Whether boundaries between which this extent of a dimension is published are allowed.
    pub fn admits(&self, dimension: usize, published: &Extent) -> bool {
        let own = self.of_boundaries.iter().filter(|(restricted, _)| *restricted == dimension);
        own.into_iter().all(|(_, named)| named.check.admits(published))
    }

    /// The statistics that the checks need together.
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    /// No group below this size satisfies every requirement.
    pub fn minimum_size(&self) -> u64 {
        self.minimum_size
    }

    /// Whether a part of this many rows need not be cut any further, or cannot be, as two groups would be too small.
    pub fn is_enough(&self, rows: u64) -> bool {
        rows <= self.enough || rows / 2 < self.least_size
    }

    /// Whether groups that satisfy the requirements satisfy them together, and a part that does not has no division into
    /// groups that do.
    pub fn are_monotone(&self) -> bool {
        self.checks.iter().all(|named| named.check.is_monotone())
    }

    /// Whether reaching [`Checks::minimum_size`] is all that is required of a group.
    pub fn only_count(&self) -> bool {
        self.only_count
    }

    /// Whether a group satisfies every requirement.
    #[inline]
    pub fn satisfied(&self, group: &Statistics) -> bool {
        group.count >= self.minimum_size
            && (self.only_count || self.checks.iter().all(|named| named.check.satisfied(group)))
    }

    /// Whether a group satisfies every requirement, and the number of rows that can be added to it before that changes.
    pub fn outlook(&self, group: &Statistics) -> (bool, u64) {
        if group.count < self.minimum_size {
            return (false, self.minimum_size - group.count - 1);
        }
        if self.only_count {
            return (true, u64::MAX);
        }
        let (mut satisfied, mut steady) = (true, u64::MAX);
        for NamedCheck { check, .. } in &self.checks {
            match (check.outlook(group), satisfied) {
                ((true, until), true) => steady = steady.min(until),
                ((true, _), false) => {}
                ((false, until), true) => (satisfied, steady) = (false, until),
                ((false, until), false) => steady = steady.max(until),
            }
        }
        (satisfied, steady)
    }

    /// Checks the whole table as one group: when that violates a requirement, no release of all rows exists.
    pub fn feasible(&self, table: &Table) -> Result<()> {
        self.feasible_as(&Collector::new(&self.needs, table)?.of_all())
    }

    /// Checks the statistics of all rows as those of one group.
    pub fn feasible_as(&self, whole: &Statistics) -> Result<()> {
        let violated = self.checks.iter().filter(|named| !named.check.satisfied(whole)).map(|named| {
            let NamedCheck { describe, side, limit, check } = named;
            let refused =
                if check.is_monotone() { "no release can satisfy" } else { "the table does not satisfy" };
            format!(
                "{refused} {describe}: all rows together reach {}, and {} {limit} is required",
                check.level(whole),
                side.words()
            )
        });
        Error::all(ErrorKind::Unsatisfied, violated.collect()).map_or(Ok(()), Err)
    }
}
