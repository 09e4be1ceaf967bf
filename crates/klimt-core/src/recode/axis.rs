//! The columns of a recoding function: the saved form of a domain, and the lookup of values of other data in it.

use crate::hierarchy::Hierarchy;
use crate::partition::{CutNode, CutTree};
use crate::table::{ColumnSpec, Decimal, Distinct, Domain, Encoding, Role, Shape, TypeSpec, ValueType};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a column is recoded.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "domain")]
pub(super) enum ColumnRecoding {
    /// Numbers, days or instants: the values at which it is cut, and the ends of its range.
    Ordered { values: Vec<String>, r#type: String },
    /// An imposed order, with all its values.
    Imposed { values: Vec<String>, r#type: String },
    /// Its taxonomy.
    Hierarchy { hierarchy: Arc<Hierarchy>, r#type: String },
    /// Its categories.
    Set { values: Vec<String>, r#type: String, missing: bool },
}

/// One recoded column.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RecodedColumn {
    pub name: String,
    #[serde(flatten)]
    pub axis: ColumnRecoding,
}

/// Where a value of other data lies among the values of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValuePosition {
    /// The code of the value, or of the next greater one at which the function cuts.
    pub code: u32,
    /// Whether it is that value.
    pub exact: bool,
}

impl ColumnRecoding {
    /// Whether a missing value is a value of the domain, which a set can hold beside others.
    pub fn knows_missing(&self) -> bool {
        match self {
            ColumnRecoding::Set { missing, .. } => *missing,
            _ => true,
        }
    }

    /// Whether values lie at a distance from each other, so that those between two known ones have a place.
    pub fn is_measured(&self) -> bool {
        matches!(self, ColumnRecoding::Ordered { .. })
    }

    fn parts(&self) -> (&[String], &str) {
        match self {
            ColumnRecoding::Ordered { values, r#type } | ColumnRecoding::Imposed { values, r#type } => {
                (values, r#type)
            }
            ColumnRecoding::Set { values, r#type, .. } => (values, r#type),
            ColumnRecoding::Hierarchy { r#type, .. } => (&[], r#type),
        }
    }
}

impl RecodedColumn {
    /// How the column is read from other data: everything but numbers, days and instants as the texts that they are.
    pub fn spec(&self) -> ColumnSpec {
        let mut spec = ColumnSpec::new(&self.name, Role::QuasiIdentifier);
        spec.type_spec = match &self.axis {
            ColumnRecoding::Ordered { r#type, .. } => r#type.parse().ok(),
            _ => Some(ValueType::Text.into()),
        };
        spec
    }

    /// The domain of the function's values, and of the missing one.
    pub fn domain(&self) -> Result<Domain> {
        let bad = || Error::input(format!("the recoding function's column {} is damaged", self.name));
        let mut spec = ColumnSpec::new(&self.name, Role::QuasiIdentifier);
        let (values, r#type) = self.axis.parts();
        match &self.axis {
            ColumnRecoding::Imposed { values, .. } => spec.order = Some(values.clone()),
            ColumnRecoding::Hierarchy { hierarchy, .. } => spec.hierarchy = Some(Arc::clone(hierarchy)),
            ColumnRecoding::Ordered { .. } | ColumnRecoding::Set { .. } => {}
        }
        let r#type: TypeSpec = r#type.parse().map_err(|_| bad())?;
        let fits = match &self.axis {
            ColumnRecoding::Ordered { .. } => r#type.value_type.is_ordered(),
            ColumnRecoding::Set { .. } => !r#type.value_type.is_ordered(),
            ColumnRecoding::Imposed { .. } | ColumnRecoding::Hierarchy { .. } => true,
        };
        spec.type_spec = Some(r#type);
        let distinct = Distinct::Texts(values.iter().map(String::as_str).collect());
        let encoding = Encoding::of(&spec, distinct, true).map_err(|_| bad())?;
        // The cuts count values in the order of the file.
        let in_order = encoding.codes.iter().enumerate().all(|(at, &code)| at as u32 == code);
        if fits && in_order { Ok(encoding.domain) } else { Err(bad()) }
    }

    /// Where a value lies; `None` when it is outside of the function's values.
    pub fn find(&self, domain: &Domain, text: &str) -> Option<ValuePosition> {
        let exact = |code: u32| ValuePosition { code, exact: true };
        match &self.axis {
            ColumnRecoding::Hierarchy { hierarchy, .. } => hierarchy.leaf_code(text).map(exact),
            ColumnRecoding::Imposed { values, .. } => {
                values.iter().position(|v| v == text).map(|at| exact(at as u32))
            }
            ColumnRecoding::Set { values, .. } => {
                values.binary_search_by(|v| v.as_str().cmp(text)).ok().map(|at| exact(at as u32))
            }
            ColumnRecoding::Ordered { values, .. } => {
                let at = domain.type_spec().position(text)?;
                let place =
                    |code: usize| Decimal { units: domain.position(code as u32), scale: domain.scale() };
                let (mut low, mut high) = (0, values.len());
                while low < high {
                    let middle = low + (high - low) / 2;
                    if place(middle) < at { low = middle + 1 } else { high = middle }
                }
                let found = (low < values.len())
                    .then(|| ValuePosition { code: low as u32, exact: place(low) == at })?;
                (low > 0 || found.exact).then_some(found)
            }
        }
    }
}

/// Reduces a domain to the saved values; the codes of the cuts in that dimension, and of `ends`, are
/// translated to these.
pub(super) fn reduce(
    domain: &Domain,
    dimension: usize,
    tree: &mut CutTree,
    ends: &mut [&mut u32],
) -> ColumnRecoding {
    let cuts = tree.nodes.iter_mut().filter_map(|node| match node {
        CutNode::Threshold { dimension: cut, code, .. } if *cut as usize == dimension => {
            *code = domain.cut_after(*code);
            Some(code)
        }
        _ => None,
    });
    let mut codes: Vec<&mut u32> = cuts.chain(ends.iter_mut().map(|end| &mut **end)).collect();
    let kept: Vec<u32> = codes.iter().map(|code| **code).collect();
    let (axis, bounds) = axis(domain, &kept);
    if let Some(bounds) = bounds {
        codes.iter_mut().for_each(|code| **code = bounds.partition_point(|bound| bound < code) as u32);
    }
    axis
}

/// The saved form of a domain of which these codes are needed, and the remaining codes of a domain of
/// numbers, days or instants.
pub(super) fn axis(domain: &Domain, needed: &[u32]) -> (ColumnRecoding, Option<Vec<u32>>) {
    let r#type = domain.type_spec().to_string();
    let texts = |codes: &[u32]| codes.iter().map(|&code| domain.text(code)).collect();
    let all = || texts(&(0..domain.value_count() as u32).collect::<Vec<_>>());
    match domain.shape() {
        Shape::Hierarchy(hierarchy) => {
            (ColumnRecoding::Hierarchy { hierarchy: Arc::clone(hierarchy), r#type }, None)
        }
        Shape::Set => {
            (ColumnRecoding::Set { values: all(), r#type, missing: domain.missing_code().is_some() }, None)
        }
        Shape::Ordered if !domain.is_measured() => (ColumnRecoding::Imposed { values: all(), r#type }, None),
        Shape::Ordered => {
            let values = domain.value_count() as u32;
            let mut bounds: Vec<u32> = if values == 0 { Vec::new() } else { vec![0, values - 1] };
            bounds.extend(needed.iter().filter(|&&code| code < values));
            bounds.sort_unstable();
            bounds.dedup();
            (ColumnRecoding::Ordered { values: texts(&bounds), r#type }, Some(bounds))
        }
    }
}
