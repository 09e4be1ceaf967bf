//! The published text of a cell, and back.
//!
//! A single value as it is; an ordered interval `[25..28]`, both ends included, or `(40..60]` where a region
//! boundary is open; a hierarchy node by its label; a set as `{Divorced|Widowed}` in domain order, with `\`
//! before a `|`, `{`, `}` or `\` of a member; `*` for everything.

use super::Cell;
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
            Cell::Set([code]) => domain.write_text(*code, out),
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

fn write_interval(domain: &Domain, lo: u32, hi: u32, extents: Extents, out: &mut Vec<u8>) {
    let open = extents == Extents::Region && lo > 0;
    if lo == hi && (!open || domain.is_single(lo, hi)) {
        return domain.write_text(lo, out);
    }
    out.push(if open { b'(' } else { b'[' });
    domain.write_text(if open { lo - 1 } else { lo }, out);
    out.extend_from_slice(b"..");
    domain.write_text(hi, out);
    out.push(b']');
}

/// Reads published texts of one domain.
#[derive(Debug)]
pub struct Published<'a> {
    domain: &'a Domain,
    codes: HashMap<String, u32>,
}

impl<'a> Published<'a> {
    /// A reader for the domain of the original column.
    pub fn new(domain: &'a Domain) -> Self {
        let codes = (0..domain.value_count() as u32).map(|code| (domain.text(code), code)).collect();
        Published { domain, codes }
    }

    /// The certainty penalty, 0..1, of a published text; `None` when it is no value of this column.
    pub fn penalty(&self, text: &str) -> Option<f64> {
        if text == "*" {
            return Some(1.0);
        }
        if text.is_empty() || self.codes.contains_key(text) {
            return Some(0.0);
        }
        match self.domain.shape() {
            Shape::Hierarchy(tree) => tree.node(text).map(|node| self.domain.node_penalty(node)),
            Shape::Set => Some(self.domain.set_penalty(set_members(text)?.len())),
            Shape::Ordered => {
                let (lo, hi) = self.interval(text)?;
                let last = self.domain.value_count().checked_sub(1)?;
                let (low, high) = (self.domain.position(0), self.domain.position(last as u32));
                let length = hi.min(high).saturating_sub(lo.max(low)).max(0);
                Some(if high == low { 0.0 } else { length as f64 / (high - low) as f64 })
            }
        }
    }

    fn interval(&self, text: &str) -> Option<(i128, i128)> {
        let inner = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
        // A value may itself hold "..", so every place where it stands is tried.
        inner.match_indices("..").find_map(|(at, dots)| {
            Some((self.position(&inner[..at])?, self.position(&inner[at + dots.len()..])?))
        })
    }

    fn position(&self, text: &str) -> Option<i128> {
        if let Some(&code) = self.codes.get(text) {
            return Some(self.domain.position(code));
        }
        if !self.domain.is_measured() {
            return None;
        }
        let found: Decimal = self.domain.type_spec().position(text)?;
        found.rescaled(self.domain.scale())
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
    fn penalties_are_read_back() {
        let d = domain(&["1.0", "2.5", "11"], false);
        let reader = Published::new(&d);
        for (text, penalty) in
            [("*", 1.0), ("2.5", 0.0), ("", 0.0), ("[1.0..2.5]", 0.15), ("(2.5..99]", 0.85)]
        {
            assert_eq!(reader.penalty(text), Some(penalty), "{text}");
        }
        assert_eq!(reader.penalty("[a..b]"), None);
    }
}
