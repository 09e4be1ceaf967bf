//! The part of a table that is published: some of its rows, and domains of the values that these have.

use super::domain::{DomainValues, Measure};
use super::encode::node_penalties;
use super::{Block, Codes, Column, ColumnData, DeclaredCodes, Domain, Shape, Table};
use crate::Result;
use std::sync::OnceLock;

/// A domain without the values that no published row has.
#[derive(Debug)]
pub struct NarrowedDomain {
    /// The domain. A hierarchy or an imposed order stays as it was given.
    pub domain: Domain,
    /// The code before of every code, the missing one included.
    pub before: Vec<u32>,
}

impl Domain {
    /// The domain of the codes that occur, which are marked.
    pub fn narrowed(&self, occurs: &[bool]) -> NarrowedDomain {
        let missing = self.missing && occurs.get(self.value_count()).copied().unwrap_or(false);
        let last = (self.value_count() as u32).saturating_sub(1);
        let declared = |code: u32| match self.declared {
            None => false,
            Some(DeclaredCodes::Ends { .. }) => code == 0 || code == last,
            Some(DeclaredCodes::All) => true,
        };
        let stays = |code: &u32| occurs[*code as usize] || declared(*code);
        let mut before: Vec<u32> = (0..self.value_count() as u32).filter(stays).collect();
        let mut narrowed = Domain { missing, shares: OnceLock::new(), ..self.clone() };
        match (&self.shape, &self.measure) {
            (Shape::Hierarchy(tree), _) => {
                narrowed.node_penalties = node_penalties(tree, &self.type_spec, &before);
                before = (0..self.value_count() as u32).collect();
            }
            (Shape::Ordered, Measure::Rank) => before = (0..self.value_count() as u32).collect(),
            _ => narrowed.keep(&mut before),
        }
        if let Some(DeclaredCodes::Ends { highest }) = &mut narrowed.declared {
            let occurs = |&at: &usize| occurs[before[at] as usize];
            *highest = (0..before.len()).rev().find(occurs).unwrap_or(0) as u32;
        }
        before.extend(self.missing_code().filter(|_| missing));
        NarrowedDomain { domain: narrowed, before }
    }

    /// Leaves the values of these codes.
    fn keep(&mut self, codes: &mut Vec<u32>) {
        if let Measure::Units { units, .. } = &mut self.measure
            && !units.is_empty()
        {
            *units = codes.iter().map(|&code| units[code as usize]).collect();
        }
        match &mut self.values {
            DomainValues::Numbers(numbers, _) => {
                *numbers = codes.iter().map(|&code| numbers[code as usize]).collect();
            }
            DomainValues::Texts(texts) => {
                let order: Vec<usize> = codes.iter().map(|&code| code as usize).collect();
                *texts = texts.reordered(&order);
            }
            DomainValues::Range { first, len, .. } => {
                if let (Some(&least), Some(&most)) = (codes.first(), codes.last()) {
                    *codes = (least..=most).collect();
                    *first += i64::from(least);
                }
                *len = codes.len() as u32;
            }
        }
    }
}

impl Table {
    /// The given rows, ascending, with quasi-identifiers whose domains have no value that is not among them; and how
    /// the codes of each dimension were before.
    pub fn narrowed(&self, rows: &[u32]) -> Result<(Table, Vec<Vec<u32>>)> {
        let mut block = Block::empty(self);
        block.append_table(self, rows);
        let chosen = block.into_table(self)?;
        let mut before = vec![Vec::new(); self.dimensions()];
        let columns = chosen.columns().iter().enumerate().map(|(number, column)| {
            let ColumnData::Coded { domain, codes } = &column.data else { return column.clone() };
            let dimension = chosen.quasi_identifiers().iter().position(|&other| other == number);
            let Some(dimension) = dimension else { return column.clone() };
            let mut occurs = vec![false; domain.cardinality()];
            codes.for_each(|code| occurs[code as usize] = true);
            let narrowed = domain.narrowed(&occurs);
            let mut now = vec![0; domain.cardinality()];
            (0..).zip(&narrowed.before).for_each(|(code, &old)| now[old as usize] = code);
            let codes = (0..codes.len()).map(|row| now[codes.get(row) as usize]);
            let codes = Codes::collect(narrowed.domain.cardinality(), codes);
            before[dimension] = narrowed.before;
            let data = ColumnData::Coded { domain: narrowed.domain.into(), codes };
            Column { name: column.name.clone(), role: column.role, data }
        });
        let columns = columns.collect();
        Ok((Table::new(chosen.rows(), columns)?.with_dimensions_of(self), before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ColumnSpec, DeclaredDomain, Distinct, Encoding, Role, Spelling, ValueType};

    fn texts(domain: &Domain) -> Vec<String> {
        (0..domain.value_count() as u32).map(|code| domain.text(code)).collect()
    }

    #[test]
    fn values_that_do_not_occur_leave_the_domain() {
        let spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        let mixed = Distinct::Texts(["1.5", "02", "9", "7.25"].into_iter().collect());
        let numbers = Distinct::Integers(vec![1, 5, 8, 900]);
        for distinct in [mixed, numbers] {
            let domain = Encoding::of(&spec, distinct, true).unwrap().domain;
            let narrowed = domain.narrowed(&[true, false, true, false, false]);
            assert_eq!(narrowed.before, [0, 2]);
            assert_eq!(texts(&narrowed.domain), [domain.text(0), domain.text(2)]);
            assert_eq!(narrowed.domain.position(1), domain.position(2));
            assert_eq!((narrowed.domain.missing_code(), narrowed.domain.interval_penalty(0, 1)), (None, 1.0));
        }
    }

    #[test]
    fn declared_values_stay() {
        let range = DeclaredDomain::range("0..1000", None).unwrap().unwrap();
        let spec = ColumnSpec { declared: Some(range), ..ColumnSpec::new("x", Role::QuasiIdentifier) };
        let domain = Encoding::of(&spec, Distinct::Integers(vec![1, 5, 8]), false).unwrap().domain;
        let narrowed = domain.narrowed(&[false, false, true, false, false]);
        assert_eq!(
            (narrowed.before, texts(&narrowed.domain)),
            (vec![0, 2, 4], ["0", "5", "1000"].map(String::from).to_vec())
        );
        let values = DeclaredDomain::Values(["a", "b", "c"].map(String::from).to_vec());
        let spec = ColumnSpec { declared: Some(values), ..ColumnSpec::new("x", Role::QuasiIdentifier) };
        let set = Distinct::Texts(["b", "a"].into_iter().collect());
        let domain = Encoding::of(&spec, set, false).unwrap().domain;
        assert_eq!(domain.narrowed(&[true, false, false]).before, [0, 1, 2]);
    }

    #[test]
    fn a_range_is_cut_at_its_ends_and_an_order_stays() {
        let range = Domain::of_range(ValueType::Integer.into(), 10, 6, Spelling::WHOLE, true);
        let narrowed = range.narrowed(&[false, true, false, true, false, false, true]);
        assert_eq!(narrowed.before, [1, 2, 3, 6]);
        assert_eq!(texts(&narrowed.domain), ["11", "12", "13"]);
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.order = Some(["low", "mid", "high"].map(String::from).to_vec());
        let values = Distinct::Texts(["low", "high"].into_iter().collect());
        let order = Encoding::of(&spec, values, false).unwrap().domain;
        assert_eq!(order.narrowed(&[true, false, false]).before, [0, 1, 2]);
    }
}
