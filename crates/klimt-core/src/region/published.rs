//! The published text of a cell, and back.
//!
//! A single value as it is; an ordered interval `[25..28]`, both ends included, or `(40..60]` where a region
//! boundary is open; a hierarchy node by its label; a set as `{Divorced|Widowed}` in domain order, with `\`
//! before a `|`, `{`, `}` or `\` of a member; `*` for everything. [`form`](super::form) keeps raw values that look like
//! one of these apart from them.

use super::{Cell, form};
use crate::Choice;
use crate::table::Extent;
use crate::table::{Decimal, Domain, Shape};
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// Which intervals are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extents {
    /// The smallest that hold the group (compaction).
    Compact,
    /// The boundaries of the partition, which cover the whole domain.
    Region,
}

impl Choice for Extents {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Extents::Compact, "compact", "The smallest that hold the group"),
        (Extents::Region, "region", "The boundaries of the partition, covering the whole domain"),
    ];
}

impl Cell<'_> {
    /// Appends the published text of the cell.
    pub fn write(&self, domain: &Domain, extents: Extents, out: &mut Vec<u8>) {
        match *self {
            Cell::Missing => {}
            Cell::All => out.push(b'*'),
            Cell::Node(node) => {
                let tree = domain.hierarchy().expect("a node belongs to a hierarchy");
                out.extend_from_slice(tree.label(node).as_bytes());
            }
            Cell::Set([code]) => write_single(domain, *code, out),
            Cell::Set(members) if members.len() == domain.cardinality() => out.push(b'*'),
            Cell::Set(members) => write_set(domain, members, out),
            Cell::Interval { lo, hi } => write_interval(domain, lo, hi, extents, out),
        }
    }
}

/// Appends a set with all its members, also where it is the whole domain.
pub fn write_set(domain: &Domain, members: &[u32], out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, &code) in members.iter().enumerate() {
        if at > 0 {
            out.push(b'|');
        }
        let start = out.len();
        domain.write_text(code, out);
        if out[start..].iter().any(|b| matches!(b, b'|' | b'{' | b'}' | b'\\')) {
            let member = out.split_off(start);
            for byte in member {
                if matches!(byte, b'|' | b'{' | b'}' | b'\\') {
                    out.push(b'\\');
                }
                out.push(byte);
            }
        }
    }
    out.push(b'}');
}

fn write_single(domain: &Domain, code: u32, out: &mut Vec<u8>) {
    let start = out.len();
    domain.write_text(code, out);
    form::guard_single(out, start);
}

fn write_interval(domain: &Domain, lo: u32, hi: u32, extents: Extents, out: &mut Vec<u8>) {
    let open = extents == Extents::Region && lo > 0;
    if lo == hi && (!open || domain.is_single(lo, hi)) {
        return write_single(domain, lo, out);
    }
    out.push(if open { b'(' } else { b'[' });
    let start = out.len();
    domain.write_text(if open { lo - 1 } else { lo }, out);
    let dots = out.len();
    out.extend_from_slice(b"..");
    domain.write_text(hi, out);
    form::guard_ends(out, start, dots);
    out.push(b']');
}

/// The values that a published text stands for, in codes of the original column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// From end to end, as its length is measured: an open end is part of it.
    pub ends: Extent,
    /// The codes that lie in it: an open end does not.
    pub covered: Extent,
}

impl From<Extent> for Reach {
    /// Without open ends.
    fn from(extent: Extent) -> Self {
        Reach { ends: extent.clone(), covered: extent }
    }
}

/// Reads published texts of one domain.
#[derive(Debug)]
pub struct PublishedReader<'a> {
    domain: &'a Domain,
    codes: HashMap<String, u32>,
}

impl<'a> PublishedReader<'a> {
    /// A reader for the domain of the original column.
    pub fn new(domain: &'a Domain) -> Self {
        let codes = (0..domain.value_count() as u32).map(|code| (domain.text(code), code)).collect();
        PublishedReader { domain, codes }
    }

    /// The codes that a published text stands for; `None` when it is no value of this column, or holds none.
    pub fn reach(&self, text: &str) -> Option<Reach> {
        let last = (self.domain.cardinality() as u32).checked_sub(1)?;
        let is_set = matches!(self.domain.shape(), Shape::Set);
        let everything = if is_set { self.members(0..=last) } else { Extent::Interval { lo: 0, hi: last } };
        if text == "*" {
            return Some(everything.into());
        }
        let single = |raw: &str| {
            let code = self.code(raw)?;
            let alone = if is_set { self.members([code]) } else { Extent::Interval { lo: code, hi: code } };
            Some(Reach::from(alone))
        };
        let form = match self.domain.shape() {
            Shape::Hierarchy(tree) => {
                let node = || {
                    let node = tree.node(text)?;
                    let (lo, hi) = tree.span(node);
                    let leaves = Extent::Interval { lo, hi };
                    Some(if node == tree.root() { everything } else { leaves }.into())
                };
                // Where the hierarchy has only guided a scheme, its leaves are published as raw values.
                return single(text).or_else(node).or_else(|| form::single(text).and_then(single));
            }
            _ if form::single(text).is_some() => form::single(text).and_then(single),
            Shape::Set => self.set_reach(text),
            Shape::Ordered => self.interval_reach(text),
        };
        // Others may publish a raw value that looks like a form as it is.
        form.or_else(|| single(text))
    }

    fn set_reach(&self, text: &str) -> Option<Reach> {
        let codes: Option<Vec<u32>> = set_members(text)?.iter().map(|text| self.code(text)).collect();
        Some(self.members(codes?).into())
    }

    /// The code of a value as it was read, empty for the missing one; `None` when the column does not have it.
    pub fn code(&self, text: &str) -> Option<u32> {
        let found = self.value(text);
        if text.is_empty() { found.or(self.domain.missing_code()) } else { found }
    }

    /// The code of a value, in whatever way a number, day or instant is spelt.
    fn value(&self, text: &str) -> Option<u32> {
        let known = self.codes.get(text).copied();
        let measured = matches!(self.domain.shape(), Shape::Ordered) && self.domain.is_measured();
        if known.is_some() || !measured {
            return known;
        }
        let place = self.domain.type_spec().position(text)?;
        let code = self.codes_before(place, false);
        (self.codes_before(place, true) > code).then_some(code)
    }

    fn members(&self, codes: impl IntoIterator<Item = u32>) -> Extent {
        let mut members = Extent::no_members(self.domain.cardinality());
        codes.into_iter().for_each(|code| members.add(code));
        members
    }

    /// An end that is no value of the column gives way to the next value inside.
    fn interval_reach(&self, text: &str) -> Option<Reach> {
        let open = (text.starts_with('('), text.ends_with(')'));
        form::interval_ends(text).find_map(|(low, high)| self.reach_between(&low, &high, open))
    }

    fn reach_between(&self, low: &str, high: &str, (after, before): (bool, bool)) -> Option<Reach> {
        let (at_low, at_high) = (self.value(low), self.value(high));
        let first = match at_low {
            Some(code) => code + u32::from(after),
            None => self.codes_before(self.place(low)?, after),
        };
        let end = match at_high {
            Some(code) => code + u32::from(!before),
            None => self.codes_before(self.place(high)?, !before),
        };
        let last = end.checked_sub(1).filter(|&last| first <= last)?;
        let (lo, hi) = (at_low.unwrap_or(first), at_high.unwrap_or(last));
        let covered = Extent::Interval { lo: first, hi: last };
        Some(Reach { ends: Extent::Interval { lo, hi }, covered })
    }

    /// How many codes lie before a place, or up to it.
    fn codes_before(&self, place: Decimal, up_to: bool) -> u32 {
        let (mut lo, mut hi) = (0, self.domain.value_count() as u32);
        while lo < hi {
            let middle = lo + (hi - lo) / 2;
            let at = Decimal { units: self.domain.position(middle), scale: self.domain.scale() };
            if at < place || (up_to && at == place) {
                lo = middle + 1;
            } else {
                hi = middle;
            }
        }
        lo
    }

    /// Where a text lies on the axis of an ordered domain.
    fn place(&self, text: &str) -> Option<Decimal> {
        if let Some(&code) = self.codes.get(text) {
            return Some(Decimal { units: self.domain.position(code), scale: self.domain.scale() });
        }
        if self.domain.is_measured() { self.domain.type_spec().position(text) } else { None }
    }
}

/// The members of a published set; `None` when the text is no set.
pub fn set_members(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut members = vec![String::new()];
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => members.last_mut()?.push(chars.next()?),
            '|' => members.push(String::new()),
            other => members.last_mut()?.push(other),
        }
    }
    Some(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ColumnSpec, Distinct, Encoding, Role};

    fn domain(values: &[&str], missing: bool) -> Domain {
        let spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        Encoding::of(&spec, Distinct::Texts(values.iter().copied().collect()), missing).unwrap().domain
    }

    fn text(cell: Cell<'_>, domain: &Domain, extents: Extents) -> String {
        let mut out = Vec::new();
        cell.write(domain, extents, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn intervals_are_closed_when_compact_and_half_open_between_regions() {
        let d = domain(&["25", "26", "28", "40"], false);
        let both = |lo, hi| {
            let cell = Cell::Interval { lo, hi };
            (text(cell, &d, Extents::Compact), text(cell, &d, Extents::Region))
        };
        assert_eq!(both(0, 2), ("[25..28]".into(), "[25..28]".into()));
        assert_eq!(both(2, 3), ("[28..40]".into(), "(26..40]".into()));
        assert_eq!(both(1, 1), ("26".into(), "26".into()), "no whole number lies between 25 and 26");
        assert_eq!(both(3, 3), ("40".into(), "(28..40]".into()));
    }

    #[test]
    fn sets_are_escaped_and_the_whole_set_is_a_star() {
        let d = domain(&["a|b", "c", "d"], true);
        assert_eq!(text(Cell::Set(&[0, 1]), &d, Extents::Compact), "{a\\|b|c}");
        assert_eq!(text(Cell::Set(&[1]), &d, Extents::Compact), "c");
        assert_eq!(text(Cell::Set(&[2, 3]), &d, Extents::Compact), "{d|}");
        assert_eq!(text(Cell::Set(&[0, 1, 2, 3]), &d, Extents::Compact), "*");
        assert_eq!(set_members("{a\\|b|c}").unwrap(), ["a|b", "c"]);
        assert_eq!(set_members("c"), None);
    }

    #[test]
    fn raw_values_that_look_published_are_kept_apart() {
        let values = ["a", "b", "[1..9]", "{a|b}", "(3..4]", r"\*", r"\{a|b}", "5."];
        let d = domain(&values, false);
        let reader = PublishedReader::new(&d);
        let code = |value: &str| (0..8).find(|&code| d.text(code) == value).unwrap();
        for value in values {
            let published = text(Cell::Set(&[code(value)]), &d, Extents::Compact);
            assert_eq!(published == value, ["a", "b", "5."].contains(&value), "{value}");
            assert_eq!(reader.reach(&published), Some(reader.members([code(value)]).into()), "{value}");
        }
        let (a, b) = (code("a"), code("b"));
        assert_eq!(reader.reach("{a|b}"), Some(reader.members([a, b]).into()), "a set, not the value");
        let order = ["1", "[2..3]", "a..b", "5.", r"x\.", "*x"].map(String::from).to_vec();
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.order = Some(order.clone());
        let all = Distinct::Texts(order.iter().map(String::as_str).collect());
        let d = Encoding::of(&spec, all, false).unwrap().domain;
        let reader = PublishedReader::new(&d);
        for (lo, hi) in (0..6).flat_map(|lo| (lo..6).map(move |hi| (lo, hi))) {
            let published = text(Cell::Interval { lo, hi }, &d, Extents::Compact);
            let read = reader.reach(&published).map(|reach| reach.covered);
            assert_eq!(read, Some(Extent::Interval { lo, hi }), "{published}");
        }
    }

    #[test]
    fn penalties_are_read_back() {
        let d = domain(&["1.0", "2.5", "11"], true);
        let reader = PublishedReader::new(&d);
        let read = |text: &str| reader.reach(text).map(|reach| d.penalty_of(&reach.ends));
        for (text, penalty) in
            [("*", 1.0), ("2.5", 0.0), ("", 0.0), ("[1.0..2.5]", 0.15), ("(2.5..99]", 0.85)]
        {
            assert_eq!(read(text), Some(penalty), "{text}");
        }
        assert_eq!(read("[a..b]"), None);
    }
    fn interval(lo: u32, hi: u32) -> Extent {
        Extent::Interval { lo, hi }
    }

    #[test]
    fn texts_are_read_back_as_codes() {
        let d = domain(&["1.0", "2.5", "11", "12"], true);
        let reader = PublishedReader::new(&d);
        let both = |text: &str| reader.reach(text).map(|reach| (reach.ends, reach.covered));
        let alike = |lo, hi| Some((interval(lo, hi), interval(lo, hi)));
        assert_eq!(both("*"), alike(0, 4));
        assert_eq!(both(""), alike(4, 4));
        assert_eq!(both("2.5"), alike(1, 1));
        assert_eq!(both("[1.0..11]"), alike(0, 2));
        assert_eq!(
            both("(1.0..11]"),
            Some((interval(0, 2), interval(1, 2))),
            "the open end counts for lengths"
        );
        assert_eq!(both("[1.0..11)"), Some((interval(0, 2), interval(0, 1))));
        assert_eq!(both("[0..2.49]"), alike(0, 0), "ends between values give way to the values inside");
        assert_eq!(
            both("(2.50..11.00]"),
            Some((interval(1, 2), interval(2, 2))),
            "by value, not by spelling"
        );
        assert_eq!(both("[2.50..11.00)"), Some((interval(1, 2), interval(1, 1))));
        assert_eq!(both("2.50"), alike(1, 1));
        assert_eq!(both("[3..4]"), None, "no value of the column lies in it");
        assert_eq!(both("[11..1.0]"), None);
        assert_eq!(both("7"), None);
    }

    #[test]
    fn sets_are_read_back_as_members() {
        let d = domain(&["a|b", "c", "d"], true);
        let reader = PublishedReader::new(&d);
        let members = |text: &str| reader.reach(text).map(|reach| reach.covered);
        assert_eq!(members("{a\\|b|d}"), Some(Extent::Members(vec![0b101])));
        assert_eq!(members("{c|}"), Some(Extent::Members(vec![0b1010])));
        assert_eq!(members("c"), Some(Extent::Members(vec![0b10])));
        assert_eq!(members("*"), Some(Extent::Members(vec![0b1111])));
        assert_eq!(members("{c|x}"), None);
    }

    #[test]
    fn labels_are_read_back_as_leaves() {
        let mut builder = crate::hierarchy::HierarchyBuilder::new("h");
        for (line, path) in [["a", "ab", "any"], ["b", "ab", "any"], ["c", "cd", "any"]].iter().enumerate() {
            builder.push(line as u64 + 1, path);
        }
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.hierarchy = Some(std::sync::Arc::new(builder.finish().unwrap()));
        let values = Distinct::Texts(["a", "c"].into_iter().collect());
        let d = Encoding::of(&spec, values, true).unwrap().domain;
        let reader = PublishedReader::new(&d);
        let codes = |text: &str| reader.reach(text).map(|reach| reach.covered);
        assert_eq!(codes("ab"), Some(interval(0, 1)));
        assert_eq!(codes("c"), Some(interval(2, 2)));
        assert_eq!(codes("any"), Some(interval(0, 3)), "the root may stand for the missing value");
        assert_eq!(codes(""), Some(interval(3, 3)));
        assert_eq!(codes("x"), None);
    }

    #[test]
    fn a_leaf_that_a_scheme_published_as_a_raw_value_is_read_back() {
        let mut builder = crate::hierarchy::HierarchyBuilder::new("h");
        for (line, path) in [["a", "any"], ["(2..3]", "any"]].iter().enumerate() {
            builder.push(line as u64 + 1, path);
        }
        let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
        spec.hierarchy = Some(std::sync::Arc::new(builder.finish().unwrap()));
        let values = Distinct::Texts(["a", "(2..3]"].into_iter().collect());
        let d = Encoding::of(&spec, values, false).unwrap().domain;
        let reader = PublishedReader::new(&d);
        for text in ["(2..3]", "\\(2..3]"] {
            assert_eq!(reader.reach(text).map(|reach| reach.covered), Some(interval(1, 1)), "{text}");
        }
        assert_eq!(reader.reach("\\a"), None);
    }
}
