//! Random range queries (section 5.4): the box between two random rows.

use klimt::partition::Partitioning;
use klimt::region::Cell;
use klimt::table::Table;
use rayon::prelude::*;

/// Boxes by codes, least and greatest of every dimension.
pub struct Queries {
    boxes: Vec<Vec<(u32, u32)>>,
}

impl Queries {
    /// As many boxes as are asked for, each between two rows; the same for the same table.
    pub fn random(table: &Table, many: usize) -> Self {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut row = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % table.rows().max(1) as u64) as usize
        };
        let between = |_: usize| {
            let (a, b) = (row(), row());
            let ends = |dimension: usize| {
                let (a, b) = (table.codes(dimension).get(a), table.codes(dimension).get(b));
                (a.min(b), a.max(b))
            };
            (0..table.dimensions()).map(ends).collect()
        };
        Queries { boxes: (0..many).map(between).collect() }
    }

    /// The average of (rows counted in the release - rows in the table) / rows in the table, over all dimensions or one:
    /// a group's rows are counted when its region meets the query.
    pub fn error(&self, table: &Table, groups: &Partitioning, only: Option<usize>) -> f64 {
        let answers = self.answers(table, groups, only);
        answers.iter().map(|answer| answer.1).sum::<f64>() / answers.len().max(1) as f64
    }

    /// For each query the rows in the table, and the error.
    pub fn answers(&self, table: &Table, groups: &Partitioning, only: Option<usize>) -> Vec<(f64, f64)> {
        let dimensions: Vec<usize> = only.map_or((0..table.dimensions()).collect(), |one| vec![one]);
        let answers = self.boxes.par_iter().map(|query| {
            let row_is_in = |row: usize| {
                dimensions.iter().all(|&d| {
                    let code = table.codes(d).get(row);
                    query[d].0 <= code && code <= query[d].1
                })
            };
            let meets = |group: usize| {
                dimensions.iter().all(|&d| {
                    let (lo, hi) = query[d];
                    match groups.regions.cell(group, d, table.domain(d)) {
                        Cell::Interval { lo: least, hi: most } => least <= hi && lo <= most,
                        Cell::Set(members) => members.iter().any(|&code| lo <= code && code <= hi),
                        Cell::Node(node) => table.domain(d).hierarchy().is_some_and(|tree| {
                            let (least, most) = tree.span(node);
                            least <= hi && lo <= most
                        }),
                        Cell::Missing => {
                            table.domain(d).missing_code().is_some_and(|code| lo <= code && code <= hi)
                        }
                        Cell::All => true,
                    }
                })
            };
            let truth = (0..table.rows()).filter(|&row| row_is_in(row)).count() as f64;
            let counted =
                (0..groups.groups()).filter(|&group| meets(group)).map(|group| groups.rows(group).len());
            (truth, (counted.sum::<usize>() as f64 - truth) / truth)
        });
        answers.collect()
    }
}
