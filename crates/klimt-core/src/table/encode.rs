//! From the different values of a column to its domain, and to the code of each value.

use super::domain::{DomainValues, Measure};
use super::sameness::ValueClasses;
use super::{Decimal, DeclaredDomain, Domain, Role, Shape, Spelling, TextPool, TypeSpec, ValueType, align};
use crate::hierarchy::{Hierarchy, NodeId};
use hashbrown::HashMap;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

/// The settings of a column before its values are read.
#[derive(Clone, Debug)]
pub struct ColumnSpec {
    /// The column's name.
    pub name: String,
    /// The role of the column.
    pub role: Role,
    /// The type of its values, or inferred.
    pub type_spec: Option<TypeSpec>,
    /// An order to impose on its values, lowest first.
    pub order: Option<Vec<String>>,
    /// The taxonomy of its values.
    pub hierarchy: Option<Arc<Hierarchy>>,
    /// The declared domain of a quasi-identifier; `None` beside an order or a hierarchy, which declare it
    /// themselves.
    pub declared: Option<DeclaredDomain>,
    /// Whether the texts are those of a release, in which `*` stands for any value.
    pub published: bool,
    /// The reaction to values that make no sense together.
    pub guard: Guard,
    /// Its rank among the quasi-identifiers; those of equal rank go by the order of the source.
    pub rank: usize,
}

/// The reaction of a reader to values of a column that make no sense together: numbers or dates among which
/// stand a few texts, or a set of values of which nearly every row has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guard {
    /// Nothing.
    #[default]
    Off,
    /// Notes it in its report.
    Note,
    /// Fails.
    Refuse,
}

impl ColumnSpec {
    /// A column of which nothing but name and role is known.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        ColumnSpec {
            name: name.into(),
            role,
            type_spec: None,
            order: None,
            hierarchy: None,
            declared: None,
            published: false,
            guard: Guard::Off,
            rank: 0,
        }
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
    /// They are spellings of one value, which an order or a hierarchy takes for several.
    Spelling,
    /// They are `*`, which a release publishes for any value of a quasi-identifier.
    Star,
    /// They are not of the type that all others have.
    Stray(ValueType),
    /// They are outside the declared domain.
    Domain,
}

/// The distinct values, by number, that do not fit their column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfitValues {
    /// Why.
    pub reason: UnfitReason,
    /// Which.
    pub values: Vec<usize>,
}

impl Distinct {
    pub(super) fn len(&self) -> usize {
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

    /// The number of the text `*`, where it is among them.
    fn star(&self) -> Option<usize> {
        match self {
            Distinct::Integers(_) => None,
            Distinct::Texts(texts) => texts.iter().position(|text| text == b"*"),
        }
    }

    fn positions(&self, spec: &TypeSpec) -> Result<Vec<Decimal>, Vec<usize>> {
        let read: Vec<_> =
            (0..self.len()).into_par_iter().map(|n| self.with_text(n, |text| spec.position(text))).collect();
        let bad: Vec<_> = (0..read.len()).filter(|&n| read[n].is_none()).collect();
        if bad.is_empty() { Ok(read.into_iter().flatten().collect()) } else { Err(bad) }
    }

    pub(super) fn infer(&self) -> TypeSpec {
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
    pub fn of(spec: &ColumnSpec, distinct: Distinct, missing: bool) -> Result<Encoding, UnfitValues> {
        if let Some(star) = distinct.star().filter(|_| spec.role == Role::QuasiIdentifier && !spec.published)
        {
            return Err(UnfitValues { reason: UnfitReason::Star, values: vec![star] });
        }
        if let Some(declared) = spec.declared.as_ref().filter(|_| spec.role == Role::QuasiIdentifier) {
            return declared.encode(spec, &distinct, missing);
        }
        let spellings =
            if spec.role == Role::Sensitive { distinct.spellings(spec.type_spec.as_ref()) } else { None };
        let as_text = spec.type_spec.as_ref().is_some_and(|given| given.value_type == ValueType::Text);
        let Some((of_value, least)) = spellings else {
            let mut encoding = Encoding::by_spelling(spec, distinct, missing)?;
            encoding.domain.as_text = as_text && spec.role == Role::Sensitive;
            return Ok(encoding);
        };
        if spec.hierarchy.is_some() || spec.order.is_some() {
            let mut spellings = vec![0usize; least.len()];
            of_value.iter().for_each(|&class| spellings[class as usize] += 1);
            let has_others = |value: &usize| spellings[of_value[*value] as usize] > 1;
            let values = (0..of_value.len()).filter(has_others).collect();
            return Err(UnfitValues { reason: UnfitReason::Spelling, values });
        }
        let representatives = least.iter().map(|&value| distinct.with_text(value, str::to_string));
        let representatives: Vec<String> = representatives.collect();
        let texts = representatives.iter().map(String::as_str).collect();
        let Encoding { mut domain, codes } = Encoding::by_spelling(spec, distinct, missing)?;
        let spec = ColumnSpec { type_spec: Some(domain.type_spec.clone()), ..spec.clone() };
        let compared = Encoding::by_spelling(&spec, Distinct::Texts(texts), missing)?;
        let mut of_code = vec![compared.domain.value_count() as u32; domain.cardinality()];
        for (&code, &class) in codes.iter().zip(&of_value) {
            of_code[code as usize] = compared.codes[class as usize];
        }
        domain.classes = Some(Arc::new(ValueClasses { of_code, domain: compared.domain }));
        Ok(Encoding { domain, codes })
    }

    /// Finds the domain of a column in which every text is a value of its own.
    pub(super) fn by_spelling(
        spec: &ColumnSpec,
        distinct: Distinct,
        missing: bool,
    ) -> Result<Encoding, UnfitValues> {
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
            distinct => by_type(type_spec, &distinct, missing, spec.role),
        }
    }
}

/// Numbers, days and instants of a quasi-identifier have one code for each value, however it is spelt: nothing cuts
/// between two spellings, and rows that differ in them alone are equal. Other columns are published as they were read, so
/// that every spelling has a code of its own, equal values side by side.
fn by_type(
    type_spec: TypeSpec,
    distinct: &Distinct,
    missing: bool,
    role: Role,
) -> Result<Encoding, UnfitValues> {
    let reason = UnfitReason::Type(type_spec.value_type);
    let positions = distinct.positions(&type_spec).map_err(|values| UnfitValues { reason, values })?;
    let (units, scale) =
        align(&positions).ok_or_else(|| UnfitValues { reason, values: (0..distinct.len()).collect() })?;
    let texts = texts_of(distinct);
    let ordered = type_spec.value_type.is_ordered();
    let by_value = ordered && role == Role::QuasiIdentifier;
    let text = |number: u32| texts.get(number as usize);
    // The first of several spellings is published: no exponent, few digits.
    let plainness =
        |number: u32| (text(number).iter().any(|byte| byte.eq_ignore_ascii_case(&b'e')), text(number).len());
    let mut keyed: Vec<(i128, u32)> = units.into_iter().zip(0..).collect();
    keyed.par_sort_unstable_by(|a, b| {
        let spelling = || if by_value { plainness(a.1).cmp(&plainness(b.1)) } else { Ordering::Equal };
        a.0.cmp(&b.0).then_with(spelling).then_with(|| text(a.1).cmp(text(b.1)))
    });
    let mut codes = vec![0; keyed.len()];
    let (mut firsts, mut positions): (Vec<usize>, Vec<i128>) = (Vec::new(), Vec::new());
    for (units, number) in keyed {
        if !by_value || positions.last() != Some(&units) {
            firsts.push(number as usize);
            positions.push(units);
        }
        codes[number as usize] = firsts.len() as u32 - 1;
    }
    let (shape, measure) = match ordered {
        true => (Shape::Ordered, Measure::Units { units: positions, scale }),
        false => (Shape::Set, Measure::Rank),
    };
    let values = DomainValues::Texts(texts.reordered(&firsts));
    let domain = Domain {
        type_spec,
        shape,
        values,
        measure,
        missing,
        node_penalties: Vec::new(),
        shares: OnceLock::new(),
        classes: None,
        as_text: false,
        declared: None,
        values_per_person: None,
    };
    Ok(Encoding { domain, codes })
}

fn by_order(
    order: &[String],
    type_spec: TypeSpec,
    distinct: &Distinct,
    missing: bool,
) -> Result<Encoding, UnfitValues> {
    let ranks: HashMap<&str, u32> = order.iter().zip(0..).map(|(text, rank)| (text.as_str(), rank)).collect();
    let codes = look_up(distinct, UnfitReason::Order, |text| ranks.get(text).copied())?;
    let values = DomainValues::Texts(order.iter().map(String::as_str).collect());
    let measure = Measure::Rank;
    let domain = Domain {
        type_spec,
        shape: Shape::Ordered,
        values,
        measure,
        missing,
        node_penalties: Vec::new(),
        shares: OnceLock::new(),
        classes: None,
        as_text: false,
        declared: None,
        values_per_person: None,
    };
    Ok(Encoding { domain, codes })
}

fn by_hierarchy(
    tree: &Arc<Hierarchy>,
    type_spec: TypeSpec,
    distinct: &Distinct,
    missing: bool,
) -> Result<Encoding, UnfitValues> {
    let codes = look_up(distinct, UnfitReason::Hierarchy, |text| tree.leaf_code(text))?;
    let values = DomainValues::Texts((0..tree.leaf_count()).map(|leaf| tree.leaf_label(leaf)).collect());
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
        classes: None,
        as_text: false,
        declared: None,
        values_per_person: None,
    };
    Ok(Encoding { domain, codes })
}

fn look_up(
    distinct: &Distinct,
    reason: UnfitReason,
    find: impl Fn(&str) -> Option<u32>,
) -> Result<Vec<u32>, UnfitValues> {
    let found: Vec<_> = (0..distinct.len()).map(|n| distinct.with_text(n, &find)).collect();
    let values: Vec<_> = (0..found.len()).filter(|&n| found[n].is_none()).collect();
    if values.is_empty() {
        Ok(found.into_iter().flatten().collect())
    } else {
        Err(UnfitValues { reason, values })
    }
}

pub(super) fn texts_of(distinct: &Distinct) -> TextPool {
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
pub(super) fn node_penalties(tree: &Hierarchy, type_spec: &TypeSpec, occurring: &[u32]) -> Vec<f64> {
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
    fn a_quasi_identifier_has_one_code_for_each_value_however_it_is_spelt() {
        let encoding = encode(&["2", "12.50", "3", "1.25e1", "12.5"]);
        assert_eq!(encoding.codes, [0, 2, 1, 2, 2]);
        assert_eq!(encoding.domain.text(2), "12.5");
        assert_eq!(encoding.domain.interval_penalty(0, 1), 1.0 / 10.5);
        assert_eq!(encode(&["07", "+7", "7", "8"]).codes, [0, 0, 0, 1]);
        let instants = ["2024-01-01T12:00:00Z", "2024-01-01T13:00:00+01:00", "2024-01-01T12:00:00.0000001Z"];
        assert_eq!(encode(&instants).codes, [0, 0, 1]);
        let sensitive = ColumnSpec::new("x", Role::Sensitive);
        let encoding = Encoding::of(&sensitive, texts(&["2", "12.50", "3", "12.5"]), false).unwrap();
        assert_eq!(encoding.codes, [0, 3, 1, 2], "what is published as it is keeps its spelling");
    }

    #[test]
    fn values_outside_their_type_or_order_are_named() {
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.type_spec = Some(ValueType::Integer.into());
        let unfit = Encoding::of(&spec, texts(&["1", "a", "2", ""]), false).unwrap_err();
        assert_eq!(unfit, UnfitValues { reason: UnfitReason::Type(ValueType::Integer), values: vec![1, 3] });
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.order = Some(vec!["low".into(), "high".into()]);
        assert_eq!(Encoding::of(&spec, texts(&["high", "low"]), false).unwrap().codes, [1, 0]);
        let unfit = Encoding::of(&spec, texts(&["mid"]), false).unwrap_err();
        assert_eq!(unfit.reason, UnfitReason::Order);
    }

    #[test]
    fn a_raw_star_is_refused_in_a_quasi_identifier_only() {
        let unfit = |spec: &ColumnSpec| Encoding::of(spec, texts(&["a", "*"]), false).err();
        let refused = Some(UnfitValues { reason: UnfitReason::Star, values: vec![1] });
        assert_eq!(unfit(&ColumnSpec::new("x", Role::QuasiIdentifier)), refused);
        assert_eq!(unfit(&ColumnSpec::new("x", Role::Sensitive)), None);
        let published = ColumnSpec { published: true, ..ColumnSpec::new("x", Role::QuasiIdentifier) };
        assert_eq!(unfit(&published), None);
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
