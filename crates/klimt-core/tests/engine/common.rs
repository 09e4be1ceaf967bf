//! Small tables for tests.

use klimt_core::hierarchy::{Hierarchy, HierarchyBuilder};
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::Discernibility;
use klimt_core::partition::Partitioning;
use klimt_core::requirement::{Checks, Requirement};
use klimt_core::split::SplitCriterion;
use klimt_core::table::{Codes, Column, ColumnData, ColumnSpec, Distinct, Encoding, Role, Table, TextPool};
use klimt_core::workload::{Aggregate, Function, Query, TableWorkload, Workload, is_number};
use std::sync::Arc;

/// A column of texts, empty for a missing value.
pub fn column(spec: &ColumnSpec, texts: &[&str]) -> Column {
    let mut different: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    different.sort_unstable();
    different.dedup();
    let pool: TextPool = different.iter().copied().collect();
    let missing = texts.iter().any(|text| text.is_empty());
    let encoding = Encoding::of(spec, Distinct::Texts(pool), missing).unwrap();
    let domain = encoding.domain;
    let code = |text: &&str| match different.binary_search(text) {
        Ok(at) => encoding.codes[at],
        Err(_) => domain.missing_code().unwrap(),
    };
    let codes = Codes::collect(domain.cardinality(), texts.iter().map(code));
    Column {
        name: spec.name.clone(),
        role: spec.role,
        data: ColumnData::Coded { domain: domain.into(), codes },
    }
}

/// A few random counts of rows by all dimensions and by one, and every function of the dimensions that hold numbers: of all
/// rows, of rows by the first dimension, and of rows by the numbers themselves.
pub fn workload(table: &Table) -> TableWorkload {
    let all: Vec<usize> = (0..table.dimensions()).collect();
    let mut asked = Workload::ranges(table, &all, 3, 1);
    asked.queries.extend(Workload::ranges(table, &all[..1], 2, 2).queries);
    let functions = [Function::Sum, Function::Avg, Function::Min, Function::Max];
    for &dimension in all.iter().filter(|&&dimension| is_number(table.domain(dimension))) {
        let by_other = Workload::ranges(table, &all[..1], 1, 3).queries;
        let by_itself = Workload::ranges(table, &[dimension], 1, 4).queries;
        let of_all = [Query::count(Vec::new())];
        for (function, query) in
            functions.iter().zip(of_all.into_iter().chain(by_other).chain(by_itself).cycle())
        {
            let aggregate = Aggregate::Of(*function, table.dimension(dimension).name.clone());
            asked.queries.push(Query { aggregate, ..query });
        }
    }
    let mut bound = asked.bind(table).unwrap().with_means(table.rows().is_multiple_of(2));
    bound.count(table);
    bound
}

/// A table of quasi-identifiers, row by row; columns are called q0, q1, …
pub fn table(rows: &[Vec<String>], hierarchies: &[Option<Arc<Hierarchy>>]) -> Table {
    let columns = (0..rows[0].len()).map(|at| {
        let mut spec = ColumnSpec::new(format!("q{at}"), Role::QuasiIdentifier);
        spec.hierarchy = hierarchies.get(at).cloned().flatten();
        column(&spec, &rows.iter().map(|row| row[at].as_str()).collect::<Vec<_>>())
    });
    Table::new(rows.len(), columns.collect()).unwrap()
}

/// A hierarchy over the letters a to h: pairs, halves, everything.
pub fn letters() -> Arc<Hierarchy> {
    let mut builder = HierarchyBuilder::new("letters");
    for (line, letter) in ('a'..='h').enumerate() {
        let pair = ["ab", "cd", "ef", "gh"][line / 2];
        let half = ["a-d", "e-h"][line / 4];
        builder.push(line as u64 + 1, [letter.to_string().as_str(), pair, half, "*"]);
    }
    Arc::new(builder.finish().unwrap())
}

/// Five letters: a and b, c alone, and d to e beneath two nodes.
pub fn taxonomy() -> Arc<Hierarchy> {
    let mut builder = HierarchyBuilder::new("taxonomy");
    for (line, path) in ["a x *", "b x *", "c y *", "d z *", "e z *"].iter().enumerate() {
        builder.push(line as u64 + 1, path.split(' '));
    }
    Arc::new(builder.finish().unwrap())
}

/// Partitions a table, with its cuts.
pub fn partition(
    table: &Table,
    partitioner: &dyn Partitioner,
    requirements: &[Box<dyn Requirement>],
) -> Partitioning {
    weighted(table, partitioner, requirements, &vec![1.0; table.dimensions()])
}

/// Partitions a table with weights.
pub fn weighted(
    table: &Table,
    partitioner: &dyn Partitioner,
    requirements: &[Box<dyn Requirement>],
    weights: &[f64],
) -> Partitioning {
    let bound = Checks::new(requirements, table).unwrap();
    let split = &SplitCriterion::Median;
    let job = Job {
        table,
        requirements: &bound,
        split,
        loss: &Discernibility,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights,
        keep_tree: true,
        observer: &Unobserved,
    };
    partitioner.partition(&job).unwrap()
}
