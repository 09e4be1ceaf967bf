//! Tables that know only some splits of their columns, as the algorithms of *Constrained Generalization* do.

use super::whole_numbers;
use crate::Result;
use klimt_core::table::{Codes, ColumnData, Table};
use std::sync::Arc;

/// A split set of so many splits of all dimensions together, as even over the values of each as can be: every dimension
/// gets as many as any other, or all that it has.
fn split_set(table: &Table, total: usize) -> Vec<Vec<u32>> {
    let most: Vec<usize> = (0..table.dimensions()).map(|d| table.domain(d).cardinality() - 1).collect();
    let mut splits = vec![0; most.len()];
    while splits.iter().sum::<usize>() < total {
        let open = (0..most.len()).filter(|&d| splits[d] < most[d]);
        let Some(fewest) = open.min_by_key(|&d| splits[d]) else { break };
        splits[fewest] += 1;
    }
    let cut = |most: usize, splits: usize, at: usize| ((at + 1) * (most + 1) / (splits + 1)) as u32 - 1;
    let cuts = most.iter().zip(&splits);
    cuts.map(|(&most, &splits)| (0..splits).map(|at| cut(most, splits, at)).collect()).collect()
}

/// The table with ordered quasi-identifiers that only know the parts between some cuts, each after a code, per dimension:
/// what a search with a split set, and a greedy algorithm beside it, can tell apart.
fn coarsened(table: &Table, cuts: &[Vec<u32>]) -> Result<Table> {
    let mut columns = table.columns().to_vec();
    for (&number, cuts) in table.quasi_identifiers().iter().zip(cuts) {
        let column = &mut columns[number];
        let Some((_, codes)) = column.coded() else { continue };
        let part = |row: usize| cuts.partition_point(|&cut| cut < codes.get(row)) as u32;
        let codes = Codes::collect(cuts.len() + 1, (0..table.rows()).map(part));
        column.data = ColumnData::Coded { domain: Arc::new(whole_numbers(cuts.len() + 1)), codes };
    }
    Ok(Table::new(table.rows(), columns)?)
}

/// A table that knows at most so many splits of all dimensions together, and how many these are.
pub fn split(table: &Table, total: usize) -> Result<(Table, usize)> {
    let cuts = split_set(table, total);
    Ok((coarsened(table, &cuts)?, cuts.iter().map(Vec::len).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{As, Tables, Want, quasi};
    use klimt::generate::Parameters;

    fn generated(name: &str, parameters: &Parameters, wants: &[Want<'_>]) -> Table {
        let (_folder, tables) = Tables::temporary();
        tables.generated(name, parameters, wants).unwrap().table().unwrap()
    }

    #[test]
    fn a_split_set_has_as_many_splits_as_were_asked_for() {
        let parameters = Parameters { cardinality: Some(20), attributes: Some(3), ..Parameters::new(500, 1) };
        let table = generated("uniform", &parameters, &quasi(&["X1", "X2", "X3"], As::Plain));
        let few = generated("census", &Parameters::new(500, 1), &quasi(&["age", "sex"], As::Ordered));
        for (table, total) in [(&table, 1), (&table, 10), (&table, 57), (&few, 30)] {
            let cuts = split_set(table, total);
            assert_eq!(cuts.iter().map(Vec::len).sum::<usize>(), total);
            for (dimension, cuts) in cuts.iter().enumerate() {
                assert!(cuts.windows(2).all(|two| two[0] < two[1]));
                assert!(cuts.iter().all(|&cut| (cut as usize) + 1 < table.domain(dimension).cardinality()));
            }
        }
        assert_eq!(split_set(&few, 30)[1].len(), 1, "all of what there is");
        assert_eq!(split(&table, 1000).unwrap().1, 57);
    }

    #[test]
    fn a_coarsened_table_knows_the_parts_between_cuts() {
        let table = generated("uniform", &Parameters::new(300, 1), &quasi(&["X1", "X2"], As::Plain));
        let coarse = coarsened(&table, &[vec![1, 4], vec![]]).unwrap();
        assert_eq!((coarse.domain(0).cardinality(), coarse.domain(1).cardinality()), (3, 1));
        for row in 0..table.rows() {
            let part = match table.codes(0).get(row) {
                0..=1 => 0,
                2..=4 => 1,
                _ => 2,
            };
            assert_eq!((coarse.codes(0).get(row), coarse.codes(1).get(row)), (part, 0));
        }
    }
}
