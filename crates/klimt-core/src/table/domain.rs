//! The domain of a column: its values by code, and how far apart they are.

use super::{Extent, Spelling, TextPool, TypeSpec, ValueType};
use crate::hierarchy::{Hierarchy, NodeId};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// How the values of a domain hang together.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A total order: codes are ranks.
    Ordered,
    /// A taxonomy: codes are leaf numbers, left to right.
    Hierarchy(Arc<Hierarchy>),
    /// Unordered categories.
    Set,
}

/// Where the values of an ordered domain lie on its axis.
#[derive(Clone, Debug)]
pub enum Measure {
    /// At their rank: an imposed order knows no other distance.
    Rank,
    /// At a whole number of units of `10^-scale` (of days or seconds for dates and timestamps).
    Units {
        /// The position of each code; empty where the values are their own positions.
        units: Vec<i128>,
        /// How many digits stand behind the point.
        scale: u32,
    },
}

/// The values of a domain by code, without the missing one.
#[derive(Clone, Debug)]
pub(super) enum DomainValues {
    /// Positions on the axis, ascending, that are spelt in one way: a position gives the text.
    Numbers(Vec<i64>, Spelling),
    /// Every unit from a first one on, whether it occurs or not: nothing is held for a value.
    Range {
        /// The least value, in units of its spelling.
        first: i64,
        /// How many values there are.
        len: u32,
        /// How they are spelt.
        spelling: Spelling,
    },
    /// Texts as they were read.
    Texts(TextPool),
}

/// The domain of a column. A missing value, where the column has any, is the last code; in an ordered domain
/// or a hierarchy it has no neighbours: together with any other value it is published as `*`.
#[derive(Clone, Debug)]
pub struct Domain {
    pub(super) type_spec: TypeSpec,
    pub(super) shape: Shape,
    pub(super) values: DomainValues,
    pub(super) measure: Measure,
    pub(super) missing: bool,
    /// The certainty penalty of each hierarchy node.
    pub(super) node_penalties: Vec<f64>,
    /// Where values lie in the column's range, once somebody has asked.
    pub(super) shares: OnceLock<Option<Arc<[f32]>>>,
    /// The values that codes stand for, where a sensitive column has several spellings of one.
    pub(super) classes: Option<Arc<super::sameness::ValueClasses>>,
    /// Whether the values of a sensitive column are compared as text, because the user gave that type.
    pub(super) as_text: bool,
    /// Which codes are declared, and stay whether they occur or not.
    pub(super) declared: Option<super::DeclaredCodes>,
    /// How many values each person can have, where a code stands for a person and a value of theirs.
    pub(super) values_per_person: Option<u32>,
}

impl Domain {
    /// The ordered domain of numbers, days or instants that are all spelt in one way, given in units of the spelling,
    /// ascending; their type must be able to be spelt so.
    pub fn of_numbers(type_spec: TypeSpec, mut units: Vec<i64>, spelling: Spelling, missing: bool) -> Self {
        units.iter_mut().for_each(|units| *units *= spelling.step());
        Domain::spelt(type_spec, DomainValues::Numbers(units, spelling), spelling, missing)
    }

    /// The ordered domain of every number, day or instant from a first one on, which takes no memory: the code of a
    /// value is its distance from the first, and some codes may stand for values that do not occur.
    pub fn of_range(type_spec: TypeSpec, first: i64, len: u32, spelling: Spelling, missing: bool) -> Self {
        Domain::spelt(type_spec, DomainValues::Range { first, len, spelling }, spelling, missing)
    }

    fn spelt(type_spec: TypeSpec, values: DomainValues, spelling: Spelling, missing: bool) -> Self {
        let measure = Measure::Units { units: Vec::new(), scale: spelling.scale() };
        Domain {
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
        }
    }

    /// How the values are spelt, where all are spelt in one way that is known.
    pub fn spelling(&self) -> Option<Spelling> {
        match self.values {
            DomainValues::Numbers(_, spelling) | DomainValues::Range { spelling, .. } => Some(spelling),
            DomainValues::Texts(_) => None,
        }
    }

    /// Whether codes may stand for values that do not occur, because those that do would take too much memory.
    pub fn is_range(&self) -> bool {
        matches!(self.values, DomainValues::Range { .. })
    }

    /// How the values hang together.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The hierarchy, where there is one.
    pub fn hierarchy(&self) -> Option<&Hierarchy> {
        match &self.shape {
            Shape::Hierarchy(tree) => Some(tree),
            _ => None,
        }
    }

    /// The type of the values.
    pub fn value_type(&self) -> ValueType {
        self.type_spec.value_type
    }

    /// The type of the values, with the pattern in which dates are written.
    pub fn type_spec(&self) -> &TypeSpec {
        &self.type_spec
    }

    /// The number of values, without the missing one.
    pub fn value_count(&self) -> usize {
        match &self.values {
            DomainValues::Numbers(values, _) => values.len(),
            DomainValues::Range { len, .. } => *len as usize,
            DomainValues::Texts(texts) => texts.len(),
        }
    }

    /// The number of codes, the missing one included.
    pub fn cardinality(&self) -> usize {
        self.value_count() + usize::from(self.missing)
    }

    /// The code of the missing value, where the column has any.
    pub fn missing_code(&self) -> Option<u32> {
        self.missing.then_some(self.value_count() as u32)
    }

    /// Whether the codes `lo..=hi` hold the missing value and others too.
    pub fn mixes_missing(&self, lo: u32, hi: u32) -> bool {
        self.missing && lo != hi && hi as usize == self.value_count()
    }

    /// Appends the text of a code as it was read; nothing for the missing value.
    pub fn write_text(&self, code: u32, out: &mut Vec<u8>) {
        if code as usize == self.value_count() {
            return;
        }
        match &self.values {
            DomainValues::Numbers(values, spelling) => {
                let (position, step) = (values[code as usize], spelling.step());
                spelling.write(if step == 1 { position } else { position / step }, out);
            }
            DomainValues::Range { first, spelling, .. } => spelling.write(first + i64::from(code), out),
            DomainValues::Texts(texts) => out.extend_from_slice(texts.get(code as usize)),
        }
    }

    /// The text of a code as it was read; empty for the missing value.
    pub fn text(&self, code: u32) -> String {
        let mut out = Vec::new();
        self.write_text(code, &mut out);
        String::from_utf8(out).expect("sources admit valid UTF-8 only")
    }

    /// Where a value of an ordered domain lies, in units of `10^-scale`.
    pub fn position(&self, code: u32) -> i128 {
        match (&self.measure, &self.values) {
            (Measure::Rank, _) => i128::from(code),
            (Measure::Units { .. }, DomainValues::Numbers(values, _)) => i128::from(values[code as usize]),
            (Measure::Units { .. }, DomainValues::Range { first, spelling, .. }) => {
                i128::from(first + i64::from(code)) * i128::from(spelling.step())
            }
            (Measure::Units { units, .. }, _) => units[code as usize],
        }
    }

    /// Where each value of an ordered domain lies in the column's range, from 0 to 1; nothing where neighbours are equally
    /// far apart. It is computed once for all users of the domain.
    pub(crate) fn shares(&self) -> Option<&[f32]> {
        let found = self.shares.get_or_init(|| {
            let values = self.value_count() as u32;
            if values < 2 || !self.is_measured() || self.is_range() {
                return None;
            }
            let first = self.position(0);
            let (range, step) = (self.position(values - 1) - first, self.position(1) - first);
            if (0..values).all(|code| self.position(code) - first == step * i128::from(code)) {
                return None;
            }
            let share = |code: u32| ((self.position(code) - first) as f64 / range as f64) as f32;
            Some((0..values).map(share).collect())
        });
        found.as_deref()
    }

    /// The digits behind the point of [`Domain::position`].
    pub fn scale(&self) -> u32 {
        match &self.measure {
            Measure::Rank => 0,
            Measure::Units { scale, .. } => *scale,
        }
    }

    /// Whether the distance between values is more than a difference of ranks.
    pub fn is_measured(&self) -> bool {
        matches!(self.measure, Measure::Units { .. })
    }

    /// Whether the axis has no values between neighbours one unit apart (whole numbers, days, ranks).
    pub fn is_discrete(&self) -> bool {
        matches!(self.value_type(), ValueType::Integer | ValueType::Date) || !self.is_measured()
    }

    /// The lowest hierarchy node over the leaf codes `lo..=hi`; the root when the missing value is among them.
    pub fn node_over(&self, tree: &Hierarchy, lo: u32, hi: u32) -> NodeId {
        if self.mixes_missing(lo, hi) { tree.root() } else { tree.lowest_common_ancestor(lo, hi) }
    }

    /// The certainty penalty, 0..1, of an ordered interval, both ends included: its length over the length of
    /// the column's range.
    pub fn interval_penalty(&self, lo: u32, hi: u32) -> f64 {
        if lo == hi {
            return 0.0;
        }
        if self.mixes_missing(lo, hi) {
            return 1.0;
        }
        let range = self.position(self.value_count() as u32 - 1) - self.position(0);
        if range == 0 { 0.0 } else { (self.position(hi) - self.position(lo)) as f64 / range as f64 }
    }

    /// The certainty penalty, 0..1, of a hierarchy node: its leaves over all leaves, and 0 for a single leaf; by
    /// length where the leaves are numbers or dates.
    pub fn node_penalty(&self, node: NodeId) -> f64 {
        self.node_penalties[node.0 as usize]
    }

    /// The certainty penalty, 0..1, of a set of `members` values: the values beyond the first, over all values beyond
    /// the first, so that it grows evenly from 0 for one value to 1 for all.
    pub fn set_penalty(&self, members: usize) -> f64 {
        if members <= 1 { 0.0 } else { (members - 1) as f64 / (self.cardinality() - 1) as f64 }
    }

    /// The certainty penalty of the smallest region over rows whose codes lie in `lo..=hi` and take `distinct`
    /// different values (which only a set looks at).
    pub fn extent_penalty(&self, lo: u32, hi: u32, distinct: usize) -> f64 {
        match &self.shape {
            Shape::Ordered => self.interval_penalty(lo, hi),
            Shape::Hierarchy(_) if lo == hi => 0.0,
            Shape::Hierarchy(tree) => self.node_penalty(self.node_over(tree, lo, hi)),
            Shape::Set => self.set_penalty(distinct),
        }
    }

    /// The certainty penalty of an extent.
    pub fn penalty_of(&self, extent: &Extent) -> f64 {
        match extent.ends() {
            None => 0.0,
            Some((lo, hi)) => self.extent_penalty(lo, hi, extent.len() as usize),
        }
    }

    /// The codes of the smallest region over an extent: in a hierarchy, the leaves of the lowest node over it; every
    /// code where that is the root, or where the missing value is among others.
    pub fn covered<'e>(&self, extent: &'e Extent) -> Cow<'e, Extent> {
        let Extent::Interval { lo, hi } = *extent else { return Cow::Borrowed(extent) };
        let everything = || Extent::Interval { lo: 0, hi: self.cardinality() as u32 - 1 };
        match &self.shape {
            _ if lo >= hi => Cow::Borrowed(extent),
            _ if self.mixes_missing(lo, hi) => Cow::Owned(everything()),
            Shape::Hierarchy(tree) => {
                let node = tree.lowest_common_ancestor(lo, hi);
                let (lo, hi) = tree.span(node);
                Cow::Owned(if node == tree.root() { everything() } else { Extent::Interval { lo, hi } })
            }
            _ => Cow::Borrowed(extent),
        }
    }

    /// Whether an interval between region boundaries is published as a single value: no other value fits between it and
    /// the one before.
    pub fn is_single(&self, lo: u32, hi: u32) -> bool {
        lo == hi && (lo == 0 || (self.is_discrete() && self.position(lo) == self.position(lo - 1) + 1))
    }
}
