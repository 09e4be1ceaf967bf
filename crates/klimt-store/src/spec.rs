//! The specification of a store: its columns, its key, and the requirements of every group.

use klimt_core::hierarchy::{ReadOptions, WriteOptions, read_csv, write_csv};
use klimt_core::recode::SavedRequirement;
use klimt_core::registry;
use klimt_core::requirement::{KAnonymity, LengthRestriction, Requirement};
use klimt_core::split::SplitSpec;
use klimt_core::table::{ColumnSpec, Domain, Role, Shape, Table};
use klimt_core::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The format that this version writes.
pub(crate) const FORMAT: u32 = 2;

/// The specification of a store. It is fixed when the store is made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub(crate) format: u32,
    /// The column whose values tell rows apart. It is never published, and only keyed hashes of it are kept.
    pub key: String,
    /// The columns that are published, in their order.
    pub columns: Vec<StoredColumn>,
    /// The base k: every leaf holds at least this many rows, and no set of releases singles out fewer.
    pub k: u64,
    /// The further requirements of every group.
    pub requirements: Vec<SavedRequirement>,
    /// Texts that stand for a missing value.
    pub missing: Vec<String>,
    /// How the next cut is chosen.
    pub split: String,
    /// Leaves hold up to this many times the base k rows.
    pub capacity: u64,
    /// The quasi-identifiers that are cut before all others.
    pub prefer: Vec<String>,
}

/// A column of a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredColumn {
    /// Its name.
    pub name: String,
    /// The role of the column.
    pub role: Role,
    /// The type of its values; a column that is published as it is has none.
    pub value_type: Option<String>,
    /// The order of its values, where one is imposed.
    pub order: Option<Vec<String>>,
    /// Its hierarchy, line by line.
    pub hierarchy: Option<String>,
    /// How much it matters.
    pub weight: f64,
}

/// The promise for the groups of a store.
#[derive(Clone, Debug)]
pub struct Promise {
    /// The base k.
    pub k: u64,
    /// The further requirements.
    pub requirements: Vec<SavedRequirement>,
    /// How leaves are split.
    pub split: SplitSpec,
}

impl Spec {
    /// A store for rows like those of a table, whose columns other than the key have the given weights, by name.
    pub fn like(
        table: &Table,
        key: &str,
        weights: &dyn Fn(&str) -> f64,
        missing: Vec<String>,
        promise: Promise,
    ) -> Result<Self> {
        let others = table.columns().iter().filter(|column| column.name != key);
        let columns = others.map(|column| {
            let domain = column.coded().map(|(domain, _)| domain);
            stored_column(&column.name, column.role, domain, weights(&column.name))
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let Promise { k, requirements, split: SplitSpec { name: split, capacity, preferred: prefer } } =
            promise;
        let spec = Spec {
            format: FORMAT,
            key: key.to_string(),
            columns,
            k,
            requirements,
            missing,
            split,
            capacity,
            prefer,
        };
        spec.requirements(k)?;
        Ok(spec)
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|e| Error::internal(format!("the spec cannot be written: {e}")))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let other = || Error::input("the store was made by another version of klimt");
        /// The part of a spec that every version has.
        #[derive(Deserialize)]
        struct SpecFormat {
            format: u32,
        }
        let SpecFormat { format } = serde_json::from_slice(bytes).map_err(|_| other())?;
        if format < FORMAT {
            return Err(other().with_help(
                "an earlier version did not remember who has left, so that releases beside earlier ones cannot be checked; make \
                 a new store and insert the rows, and compare what it releases with klimt verify --against --strict",
            ));
        }
        if format > FORMAT {
            return Err(other().with_help("use the newer version"));
        }
        serde_json::from_slice(bytes).map_err(|_| other())
    }

    /// Whether more than sizes is required.
    pub(crate) fn protects_values(&self) -> bool {
        !self.requirements.is_empty()
    }

    /// The requirements with this k that sets of rows must satisfy which several releases tell apart: all but those about
    /// what is published of a group.
    pub(crate) fn promised(&self, k: u64) -> Result<Vec<Box<dyn Requirement>>> {
        let mut requirements = self.requirements(k)?;
        requirements.retain(|requirement| requirement.id() != LengthRestriction::ID);
        Ok(requirements)
    }

    /// The requirements with this k.
    pub fn requirements(&self, k: u64) -> Result<Vec<Box<dyn Requirement>>> {
        let mut requirements: Vec<Box<dyn Requirement>> = vec![Box::new(KAnonymity::new(k)?)];
        for saved in &self.requirements {
            requirements.push(registry::requirement(&saved.flag, &saved.column, &saved.parameters)?);
        }
        Ok(requirements)
    }

    /// How the next cut is chosen.
    pub(crate) fn split(&self) -> SplitSpec {
        SplitSpec { name: self.split.clone(), capacity: self.capacity, preferred: self.prefer.clone() }
    }

    /// How much each dimension matters.
    pub fn weights(&self) -> Vec<f64> {
        let dimensions = self.columns.iter().filter(|column| column.role == Role::QuasiIdentifier);
        dimensions.map(|column| column.weight).collect()
    }

    /// The columns as they are read from a batch.
    pub fn column_specs(&self) -> Result<Vec<ColumnSpec>> {
        self.columns.iter().map(StoredColumn::spec).collect()
    }
}

fn stored_column(name: &str, role: Role, domain: Option<&Domain>, weight: f64) -> Result<StoredColumn> {
    let mut column =
        StoredColumn { name: name.to_string(), role, value_type: None, order: None, hierarchy: None, weight };
    let Some(domain) = domain.filter(|_| role != Role::Insensitive) else { return Ok(column) };
    column.value_type = Some(domain.type_spec().to_string());
    match domain.shape() {
        Shape::Hierarchy(tree) => column.hierarchy = Some(write_csv(tree, &WriteOptions::default())?),
        Shape::Ordered if !domain.is_measured() => {
            column.order = Some((0..domain.value_count() as u32).map(|code| domain.text(code)).collect());
        }
        _ => {}
    }
    Ok(column)
}

impl StoredColumn {
    /// Whether codes of the column stand for the same values for ever.
    pub(crate) fn is_fixed(&self) -> bool {
        self.order.is_some() || self.hierarchy.is_some()
    }

    /// Whether the column has codes.
    pub(crate) fn is_coded(&self) -> bool {
        self.role != Role::Insensitive
    }

    /// The specification of the column for reading values.
    pub(crate) fn spec(&self) -> Result<ColumnSpec> {
        let mut spec = ColumnSpec::new(self.name.clone(), self.role);
        spec.type_spec = self.value_type.as_ref().and_then(|text| text.parse().ok());
        spec.order.clone_from(&self.order);
        if let Some(text) = &self.hierarchy {
            spec.hierarchy = Some(Arc::new(read_csv(&self.name, text.as_bytes(), &ReadOptions::default())?));
        }
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_of_other_versions_are_refused_with_what_to_do() {
        for (bytes, help) in
            [(&b"{\"format\":1,\"key\":\"id\"}"[..], "a new store"), (b"{\"format\":9}", "newer")]
        {
            let error = Spec::from_bytes(bytes).unwrap_err();
            assert!(error.message().contains("another version"), "{error}");
            assert!(error.help(klimt_core::Words::Flags).iter().any(|line| line.contains(help)), "{error}");
        }
    }
}
