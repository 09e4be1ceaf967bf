//! From the different values of a column to its domain, and to the code of each value.

use super::domain::{Measure, Values};
use super::{Decimal, Domain, Role, Shape, Spelling, TextPool, TypeSpec, ValueType, align};
use crate::hierarchy::{Hierarchy, NodeId};
use hashbrown::HashMap;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// What is known of a column before its values are.
#[derive(Clone, Debug)]
pub struct ColumnSpec {
    /// The column's name.
    pub name: String,
    /// What it is to the release.
    pub role: Role,
    /// The type of its values, or inferred.
    pub type_spec: Option<TypeSpec>,
    /// An order to impose on its values, lowest first.
    pub order: Option<Vec<String>>,
    /// The taxonomy of its values.
    pub hierarchy: Option<Arc<Hierarchy>>,
}

impl ColumnSpec {
    /// A column of which nothing but name and role is known.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        ColumnSpec { name: name.into(), role, type_spec: None, order: None, hierarchy: None }
    }
}

/// The different values that a column holds, without the missing one, each once.
#[derive(Clone, Debug)]
pub enum Distinct {
    /// Whole numbers in their shortest spelling, ascending.
    Integers(Vec<i64>),
    /// Texts in any order.
    Texts(TextPool),
}

/// A domain, and the code in it of every distinct value by its number.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// The column's domain.
    pub domain: Domain,
    /// The code of each distinct value.
    pub codes: Vec<u32>,
}

/// Why values do not fit their column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfitReason {
    /// They are not of the type that was given.
    Type(ValueType),
    /// They are not in the order that was imposed.
    Order,
    /// They are not leaves of the hierarchy.
    Hierarchy,
}

/// The distinct values, by number, that do not fit their column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Why.
    pub reason: UnfitReason,
    /// Which.
    pub values: Vec<usize>,
}

impl Distinct {
    fn len(&self) -> usize {
        match self {
            Distinct::Integers(values) => values.len(),
            Distinct::Texts(texts) => texts.len(),
        }
    }

    fn with_text<T>(&self, number: usize, f: impl FnOnce(&str) -> T) -> T {
        match self {
            Distinct::Integers(values) => f(itoa::Buffer::new().format(values[number])),
            Distinct::Texts(texts) => f(texts.str(number)),
        }
    }

    fn positions(&self, spec: &TypeSpec) -> Result<Vec<Decimal>, Vec<usize>> {
        let read: Vec<_> =
            (0..self.len()).into_par_iter().map(|n| self.with_text(n, |text| spec.position(text))).collect();
        let bad: Vec<_> = (0..read.len()).filter(|&n| read[n].is_none()).collect();
        if bad.is_empty() { Ok(read.into_iter().flatten().collect()) } else { Err(bad) }
    }

    fn infer(&self) -> TypeSpec {
        let fits = |value_type: &ValueType| {
            let spec = TypeSpec::from(*value_type);
            (0..self.len()).all(|n| self.with_text(n, |text| spec.position(text).is_some()))
        };
        let found = if self.len() == 0 { None } else { ValueType::ALL.into_iter().find(fits) };
        found.unwrap_or(ValueType::Text).into()
    }
}

impl Encoding {
    /// Finds the domain of a column: a hierarchy or an imposed order where one is given, else the natural order
    /// of its type, else a set.
    pub fn of(spec: &ColumnSpec, distinct: Distinct, missing: bool) -> Result<Encoding, Unfit> {
        let type_spec = match (&spec.type_spec, &distinct) {
            (Some(given), _) => given.clone(),
            (None, Distinct::Integers(_)) => ValueType::Integer.into(),
            (None, Distinct::Texts(_)) => distinct.infer(),
        };
        if let Some(tree) = &spec.hierarchy {
            return by_hierarchy(tree, type_spec, &distinct, missing);
        }
        if let Some(order) = &spec.order {
            return by_order(order, type_spec, &distinct, missing);
        }
        match distinct {
            Distinct::Integers(values) if type_spec.value_type == ValueType::Integer => {
                let codes = (0..values.len() as u32).collect();
                let domain = Domain::of_numbers(type_spec, values, Spelling::WHOLE, missing);
                Ok(Encoding { domain, codes })
            }
            distinct => by_type(type_spec, &distinct, missing),
        }
    }
}

/// Equal numbers in different spellings stay apart, side by side, so that each is published as it was read.
fn by_type(type_spec: TypeSpec, distinct: &Distinct, missing: bool) -> Result<Encoding, Unfit> {
    let reason = UnfitReason::Type(type_spec.value_type);
    let positions = distinct.positions(&type_spec).map_err(|values| Unfit { reason, values })?;
    let (units, scale) =
        align(&positions).ok_or_else(|| Unfit { reason, values: (0..distinct.len()).collect() })?;
    let texts = texts_of(distinct);
    let mut keyed: Vec<(i128, u32)> = units.into_iter().zip(0..).collect();
    keyed.par_sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| texts.get(a.1 as usize).cmp(texts.get(b.1 as usize)))
    });
    let order: Vec<usize> = keyed.iter().map(|&(_, number)| number as usize).collect();
    let mut codes = vec![0; order.len()];
    for (code, &number) in order.iter().enumerate() {
        codes[number] = code as u32;
    }
    let (shape, measure) = if type_spec.value_type.is_ordered() {
        (Shape::Ordered, Measure::Units { units: keyed.iter().map(|&(units, _)| units).collect(), scale })
    } else {
        (Shape::Set, Measure::Rank)
    };
    let values = Values::Texts(texts.reordered(&order));
    let domain = Domain {
        type_spec,
        shape,
        values,
        measure,
        missing,
        node_penalties: Vec::new(),
        shares: OnceLock::new(),
    };
    Ok(Encoding { domain, codes })
}

fn by_order(
    order: &[String],
    type_spec: TypeSpec,
    distinct: &Distinct,
    missing: bool,
) -> Result<Encoding, Unfit> {
    let ranks: HashMap<&str, u32> = order.iter().zip(0..).map(|(text, rank)| (text.as_str(), rank)).collect();
    let codes = look_up(distinct, UnfitReason::Order, |text| ranks.get(text).copied())?;
    let values = Values::Texts(order.iter().map(String::as_str).collect());
    let measure = Measure::Rank;
    let domain = Domain {
        type_spec,
        shape: Shape::Ordered,
        values,
        measure,
        missing,
        node_penalties: Vec::new(),
        shares: OnceLock::new(),
    };
    Ok(Encoding { domain, codes })
}

fn by_hierarchy(
    tree: &Arc<Hierarchy>,
    type_spec: TypeSpec,
    distinct: &Distinct,
    missing: bool,
) -> Result<Encoding, Unfit> {
    let codes = look_up(distinct, UnfitReason::Hierarchy, |text| tree.leaf_code(text))?;
    let values = Values::Texts((0..tree.leaf_count()).map(|leaf| tree.leaf_label(leaf)).collect());
    let node_penalties = node_penalties(tree, &type_spec, &codes);
    let shape = Shape::Hierarchy(Arc::clone(tree));
    let domain = Domain {
        type_spec,
        shape,
        values,
        measure: Measure::Rank,
        missing,
        node_penalties,
        shares: OnceLock::new(),
    };
    Ok(Encoding { domain, codes })
}

fn look_up(
    distinct: &Distinct,
    reason: UnfitReason,
    find: impl Fn(&str) -> Option<u32>,
) -> Result<Vec<u32>, Unfit> {
    let found: Vec<_> = (0..distinct.len()).map(|n| distinct.with_text(n, &find)).collect();
    let values: Vec<_> = (0..found.len()).filter(|&n| found[n].is_none()).collect();
    if values.is_empty() { Ok(found.into_iter().flatten().collect()) } else { Err(Unfit { reason, values }) }
}

fn texts_of(distinct: &Distinct) -> TextPool {
    match distinct {
        Distinct::Texts(texts) => texts.clone(),
        Distinct::Integers(values) => {
            let mut pool = TextPool::default();
            for value in values {
                pool.push(itoa::Buffer::new().format(*value).as_bytes());
            }
            pool
        }
    }
}

/// The penalty of every node: by length within the range of the values that occur, where all leaves are numbers
/// or dates; by leaves otherwise.
fn node_penalties(tree: &Hierarchy, type_spec: &TypeSpec, occurring: &[u32]) -> Vec<f64> {
    let nodes = 0..tree.node_count();
    let by_leaves = |node: NodeId| match tree.leaves_under(node) {
        0 | 1 => 0.0,
        leaves => f64::from(leaves) / f64::from(tree.leaf_count()),
    };
    match leaf_positions(tree, type_spec, occurring) {
        Some((units, low, high)) => nodes
            .map(|node| {
                let (first, last) = tree.span(NodeId(node));
                let inside = units[first as usize..=last as usize].iter().map(|&u| u.clamp(low, high));
                let (least, most) = inside.fold((high, low), |(lo, hi), u| (lo.min(u), hi.max(u)));
                (most - least).max(0) as f64 / (high - low) as f64
            })
            .collect(),
        None => nodes.map(|node| by_leaves(NodeId(node))).collect(),
    }
}

/// The position of every leaf, with the lowest and highest that occur; `None` where the leaves have no distance.
fn leaf_positions(
    tree: &Hierarchy,
    type_spec: &TypeSpec,
    occurring: &[u32],
) -> Option<(Vec<i128>, i128, i128)> {
    if !type_spec.value_type.is_ordered() {
        return None;
    }
    let positions: Option<Vec<_>> =
        (0..tree.leaf_count()).map(|leaf| type_spec.position(tree.leaf_label(leaf))).collect();
    let (units, _) = align(&positions?)?;
    let low = occurring.iter().map(|&code| units[code as usize]).min()?;
    let high = occurring.iter().map(|&code| units[code as usize]).max()?;
    (low < high).then_some((units, low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Distinct {
        Distinct::Texts(values.iter().copied().collect())
    }

    fn encode(values: &[&str]) -> Encoding {
        Encoding::of(&ColumnSpec::new("x", Role::QuasiIdentifier), texts(values), false).unwrap()
    }

    #[test]
    fn the_narrowest_type_is_inferred() {
        let of = |values: &[&str]| encode(values).domain.value_type();
        assert_eq!(of(&["1", "-2", "007"]), ValueType::Integer);
        assert_eq!(of(&["1", "2.5"]), ValueType::Decimal);
        assert_eq!(of(&["2024-02-29"]), ValueType::Date);
        assert_eq!(of(&["2024-02-29T10:00:00"]), ValueType::Timestamp);
        assert_eq!(of(&["true", "False"]), ValueType::Boolean);
        assert_eq!(of(&["1", "x"]), ValueType::Text);
        assert_eq!(of(&[]), ValueType::Text);
    }

    #[test]
    fn equal_numbers_keep_their_spelling_and_lie_side_by_side() {
        let encoding = encode(&["2", "12.50", "3", "12.5"]);
        assert_eq!(encoding.codes, [0, 3, 1, 2]);
        assert_eq!(encoding.domain.text(3), "12.50");
        assert_eq!(encoding.domain.interval_penalty(2, 3), 0.0);
        assert_eq!(encoding.domain.interval_penalty(0, 1), 1.0 / 10.5);
    }

    #[test]
    fn values_outside_their_type_or_order_are_named() {
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.type_spec = Some(ValueType::Integer.into());
        let unfit = Encoding::of(&spec, texts(&["1", "a", "2", ""]), false).unwrap_err();
        assert_eq!(unfit, Unfit { reason: UnfitReason::Type(ValueType::Integer), values: vec![1, 3] });
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.order = Some(vec!["low".into(), "high".into()]);
        assert_eq!(Encoding::of(&spec, texts(&["high", "low"]), false).unwrap().codes, [1, 0]);
        let unfit = Encoding::of(&spec, texts(&["mid"]), false).unwrap_err();
        assert_eq!(unfit.reason, UnfitReason::Order);
    }

    #[test]
    fn the_missing_value_is_the_last_code_and_has_no_neighbours() {
        let spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        let domain = Encoding::of(&spec, Distinct::Integers(vec![3, 8]), true).unwrap().domain;
        assert_eq!(domain.missing_code(), Some(2));
        assert_eq!(domain.text(2), "");
        assert_eq!((domain.interval_penalty(2, 2), domain.interval_penalty(1, 2)), (0.0, 1.0));
    }
}
