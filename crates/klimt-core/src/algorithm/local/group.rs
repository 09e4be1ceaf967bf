//! Groups while they are made: their rows by tuple, and the smallest region over them.

use super::problem::{CodeSpan, LocalProblem, TupleRows};

/// A group: rows by tuple, the smallest region over them, and what a row pays for it.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalGroup {
    pub bundles: Vec<TupleRows>,
    pub count: u64,
    pub spans: Vec<CodeSpan>,
    pub paid: f64,
}

impl LocalGroup {
    pub fn new(problem: &LocalProblem<'_>, bundles: Vec<TupleRows>) -> Self {
        let mut group = LocalGroup { bundles, ..LocalGroup::default() };
        group.measure(problem);
        group
    }

    /// All rows of some tuples.
    pub fn of_tuples(problem: &LocalProblem<'_>, tuples: &[u32]) -> Self {
        let bundle = |&tuple: &u32| TupleRows { tuple, rows: problem.tuples.count(tuple) };
        LocalGroup::new(problem, tuples.iter().map(bundle).collect())
    }

    /// Finds the smallest region again.
    fn measure(&mut self, problem: &LocalProblem<'_>) {
        self.count = self.bundles.iter().map(|bundle| u64::from(bundle.rows)).sum();
        let Some((first, others)) = self.bundles.split_first() else {
            self.paid = 0.0;
            return;
        };
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        let singles = problem.tuples.codes(first.tuple).iter().enumerate();
        spans.extend(singles.map(|(dimension, &code)| problem.single(dimension, code)));
        for bundle in others {
            for (dimension, (&code, span)) in
                problem.tuples.codes(bundle.tuple).iter().zip(&mut spans).enumerate()
            {
                *span = problem.join(dimension, *span, problem.single(dimension, code));
            }
        }
        self.spans = spans;
        self.paid = paid(problem, &self.spans);
    }

    /// The cost of the cells of the group.
    pub fn cost(&self) -> f64 {
        self.count as f64 * self.paid
    }

    /// The cost of a row's cells if one more tuple joined the group.
    #[inline(always)]
    pub fn paid_with(&self, problem: &LocalProblem<'_>, tuple: u32) -> f64 {
        let codes = problem.tuples.codes(tuple).iter().zip(&self.spans).enumerate();
        codes.map(|(d, (&code, &span))| problem.cell(d, problem.join(d, span, problem.single(d, code)))).sum()
    }

    /// Takes in rows.
    pub fn add(&mut self, problem: &LocalProblem<'_>, bundle: TupleRows) {
        match self.bundles.iter_mut().find(|mine| mine.tuple == bundle.tuple) {
            Some(mine) => mine.rows += bundle.rows,
            None => self.bundles.push(bundle),
        }
        self.count += u64::from(bundle.rows);
        for (d, (&code, span)) in problem.tuples.codes(bundle.tuple).iter().zip(&mut self.spans).enumerate() {
            *span = problem.join(d, *span, problem.single(d, code));
        }
        self.paid = paid(problem, &self.spans);
    }

    /// The group without some rows of one of its bundles.
    pub fn without(&self, problem: &LocalProblem<'_>, at: usize, rows: u32) -> LocalGroup {
        let mut bundles = self.bundles.clone();
        bundles[at].rows -= rows;
        if bundles[at].rows == 0 {
            bundles.remove(at);
        }
        LocalGroup::new(problem, bundles)
    }
}

fn paid(problem: &LocalProblem<'_>, spans: &[CodeSpan]) -> f64 {
    spans.iter().enumerate().map(|(dimension, &span)| problem.cell(dimension, span)).sum()
}
