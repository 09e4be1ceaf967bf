//! The distinct tuples of a table, as atoms: what the search works on instead of rows.

use super::family::ColumnFamily;
use crate::distinct::{gather, number_pairs};
use crate::table::{Codes, Table};
use rayon::prelude::*;

/// The distinct tuples of atoms, column by column, with the rows that have them.
#[derive(Clone, Debug)]
pub(super) struct AtomTuples {
    columns: Vec<Vec<u32>>,
    /// How many rows have each.
    pub rows: Vec<u32>,
    /// The tuple of every row.
    pub of_row: Vec<u32>,
}

impl AtomTuples {
    /// The tuples of a table; nothing where that is stopped, which is asked once in a column.
    pub fn new(table: &Table, families: &[ColumnFamily], stops: &dyn Fn() -> bool) -> Option<Self> {
        let atom_of: Vec<Vec<u32>> = families
            .iter()
            .enumerate()
            .map(|(d, family)| atoms(family, table.domain(d).cardinality()))
            .collect();
        let codes: Vec<&Codes> = (0..table.dimensions()).map(|d| table.codes(d)).collect();
        let mut of_row = vec![0u32; table.rows()];
        let mut many = 1;
        // Column by column: the tuples so far, each with the atoms of the next column.
        for (codes, atom_of) in codes.iter().zip(&atom_of) {
            if stops() {
                return None;
            }
            let keys: Vec<u64> = of_row
                .par_iter()
                .enumerate()
                .map(|(row, &tuple)| u64::from(tuple) << 32 | u64::from(atom_of[codes.get(row) as usize]))
                .collect();
            many = number_pairs(&keys, &mut of_row, many, atom_of.len());
        }
        if stops() {
            return None;
        }
        let mut rows = vec![0u32; many];
        let mut first = vec![u32::MAX; many];
        for (row, &tuple) in (0..).zip(&of_row) {
            rows[tuple as usize] += 1;
            if first[tuple as usize] == u32::MAX {
                first[tuple as usize] = row;
            }
        }
        let column = |(codes, atom_of): (&&Codes, &Vec<u32>)| {
            first.iter().map(|&row| atom_of[codes.get(row as usize) as usize]).collect()
        };
        let columns = codes.iter().zip(&atom_of).map(column).collect();
        let atoms: Vec<usize> = families.iter().map(ColumnFamily::atoms).collect();
        Some(AtomTuples { columns, rows, of_row }.sorted(&atoms))
    }

    /// The same tuples by their atoms, so that nothing depends on the order of the rows.
    fn sorted(self, atoms: &[usize]) -> Self {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        for (column, &atoms) in self.columns.iter().zip(atoms).rev() {
            let keys: Vec<u32> = order.iter().map(|&tuple| column[tuple as usize]).collect();
            order = gather(&keys, atoms).0.into_iter().map(|at| order[at as usize]).collect();
        }
        let mut numbers = vec![0; order.len()];
        (0..).zip(&order).for_each(|(number, &tuple)| numbers[tuple as usize] = number);
        let arranged = |values: &[u32]| order.iter().map(|&tuple| values[tuple as usize]).collect();
        AtomTuples {
            columns: self.columns.iter().map(|column| arranged(column)).collect(),
            rows: arranged(&self.rows),
            of_row: self.of_row.iter().map(|&tuple| numbers[tuple as usize]).collect(),
        }
    }

    /// Tuples of atoms that are given, all different or not, a row each.
    #[cfg(test)]
    pub fn of_atoms(rows: &[Vec<u32>]) -> Self {
        let dimensions = rows.first().map_or(0, Vec::len);
        AtomTuples {
            columns: (0..dimensions).map(|d| rows.iter().map(|row| row[d]).collect()).collect(),
            rows: vec![1; rows.len()],
            of_row: (0..rows.len() as u32).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The atom of every tuple in a column.
    #[inline]
    pub fn atoms(&self, column: usize) -> &[u32] {
        &self.columns[column]
    }

    /// The rows by tuple, and where each tuple's rows end.
    pub fn by_tuple(&self) -> (Vec<u32>, Vec<usize>) {
        gather(&self.of_row, self.len())
    }
}

/// The atom of every code; 0 for codes that do not occur.
fn atoms(family: &ColumnFamily, cardinality: usize) -> Vec<u32> {
    let mut atoms = vec![0; cardinality];
    for (atom, codes) in (0..).zip(&family.codes) {
        codes.iter().for_each(|&code| atoms[code as usize] = atom);
    }
    atoms
}
