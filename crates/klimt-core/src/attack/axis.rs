//! A quasi-identifier as an attacker sees it: its published regions and the background, in one domain.

use crate::hierarchy::Hierarchy;
use crate::region::form::{interval_ends, single};
use crate::region::{PublishedReader, is_guide, looks_like_interval, set_members};
use crate::statistics::Extent;
use crate::table::{ColumnSpec, Decimal, Distinct, Domain, Encoding, Shape, TypeSpec, ValueType};
use crate::{Error, Result};
use hashbrown::HashMap;
use std::sync::Arc;

/// The axis of a quasi-identifier.
///
/// Its domain holds every value that the release names (single values, ends of intervals, members of sets, or all leaves
/// and ranks of a hierarchy or order that is given) and every known value that fits. A known value that does not fit lies
/// *elsewhere*, which only `*` and the root of a hierarchy hold. Equal numbers in different spellings are one value here:
/// an attacker knows that 12.5 is 12.50.
#[derive(Debug)]
pub(super) struct AttackAxis {
    /// The codes that each different published text holds.
    reaches: Vec<Extent>,
    /// The number of codes, elsewhere included.
    codes: usize,
    /// The code of each known text.
    known: Vec<u32>,
    /// The code of values elsewhere, where there are any.
    elsewhere: Option<u32>,
}

impl AttackAxis {
    /// The axis of a column, of its different published texts and of the different texts that are known of people.
    pub fn new(spec: &ColumnSpec, published: &[&str], known: &[&str]) -> Result<Self> {
        let spec = &without_unused_hierarchy(spec, published);
        let shape = TextForms::of(spec, published, known)?;
        let missing = published.iter().chain(known).any(|text| text.is_empty())
            || shape.named.iter().any(|member| member.is_empty());
        let spec = ColumnSpec { type_spec: Some(shape.type_spec.clone()), ..spec.clone() };
        let values = Distinct::Texts(shape.values(known).into_iter().collect());
        let encoding = Encoding::of(&spec, values, missing)
            .map_err(|_| Error::input(format!("column {}: its values lie too far apart", spec.name)))?;
        let lookup = Lookup::new(&encoding.domain);
        let found: Vec<Option<u32>> = known.iter().map(|text| lookup.code(text)).collect();
        let cardinality = encoding.domain.cardinality();
        let some_elsewhere = cardinality == 0 || found.iter().any(Option::is_none);
        let elsewhere = some_elsewhere.then_some(cardinality as u32);
        let codes = cardinality + usize::from(some_elsewhere);
        let reach = |text: &&str| {
            lookup.reach(text, codes).ok_or_else(|| {
                Error::input(format!("column {}: a published value cannot be read", spec.name))
                    .with_help("give the type, order or hierarchy that the release was made with")
            })
        };
        let reaches = published.iter().map(reach).collect::<Result<_>>()?;
        let known = found.into_iter().map(|code| code.unwrap_or(cardinality as u32)).collect();
        Ok(AttackAxis { reaches, codes, known, elsewhere })
    }

    /// The codes that a published text holds, by the number of the text.
    pub fn reach(&self, text: u32) -> &Extent {
        &self.reaches[text as usize]
    }

    /// The codes that every published text holds.
    pub fn reaches(&self) -> &[Extent] {
        &self.reaches
    }

    /// How many codes there are.
    pub fn codes(&self) -> usize {
        self.codes
    }

    /// The code of a known text, by its number.
    pub fn known(&self, text: u32) -> u32 {
        self.known[text as usize]
    }

    /// Whether a code stands for values that the release's domain does not have.
    pub fn is_elsewhere(&self, code: u32) -> bool {
        self.elsewhere == Some(code)
    }
}

/// A column whose hierarchy only guided how its values were grouped is published as intervals or sets, and read so.
fn without_unused_hierarchy(spec: &ColumnSpec, published: &[&str]) -> ColumnSpec {
    let used = |tree: &Arc<Hierarchy>| !is_guide(tree, published.iter().copied());
    ColumnSpec { hierarchy: spec.hierarchy.clone().filter(used), ..spec.clone() }
}

/// The forms of the published texts of a column.
struct TextForms<'t> {
    type_spec: TypeSpec,
    /// The values that published texts name; none where the domain is known without them.
    named: Vec<String>,
    /// Whether the domain is given by an order or a hierarchy.
    given: Option<&'t ColumnSpec>,
}

impl<'t> TextForms<'t> {
    fn of(spec: &'t ColumnSpec, published: &[&str], known: &[&str]) -> Result<Self> {
        if spec.order.is_some() || spec.hierarchy.is_some() {
            let type_spec = spec.type_spec.clone().unwrap_or(ValueType::Text.into());
            return Ok(TextForms { type_spec, named: Vec::new(), given: Some(spec) });
        }
        let told: Vec<&str> =
            published.iter().copied().filter(|text| !text.is_empty() && *text != "*").collect();
        let mut type_spec = spec.type_spec.clone().unwrap_or_else(|| {
            let some_known: Vec<&str> = known.iter().copied().filter(|text| !text.is_empty()).collect();
            inferred(if told.is_empty() { &some_known } else { &told })
        });
        // Somebody may know as 30.0 what is published as 30.
        if type_spec.value_type == ValueType::Integer {
            type_spec = ValueType::Decimal.into();
        }
        let mut named = Vec::new();
        for text in told {
            let raw = single(text);
            if raw.is_some_and(|raw| type_spec.position(raw).is_some()) && type_spec.value_type.is_ordered() {
                named.extend(raw.map(str::to_string));
            } else if let Some((low, high)) = ends(text, &type_spec) {
                named.extend([low, high]);
            } else if type_spec.value_type.is_ordered()
                || (spec.type_spec.is_none() && raw.is_none() && looks_like_interval(text))
            {
                return Err(Error::input(format!(
                    "column {}: a published value is neither a value nor an interval of type {}",
                    spec.name, type_spec.value_type
                ))
                .with_help("give the type, order or hierarchy that the release was made with"));
            } else {
                let members = || set_members(text).unwrap_or_else(|| vec![text.to_string()]);
                named.extend(raw.map_or_else(members, |raw| vec![raw.to_string()]));
            }
        }
        Ok(TextForms { type_spec, named, given: None })
    }

    /// The values of the domain, each once.
    fn values<'a>(&'a self, known: &[&'a str]) -> Vec<&'a str> {
        let fits = |text: &&str| match self.given {
            Some(ColumnSpec { hierarchy: Some(tree), .. }) => tree.leaf_code(text).is_some(),
            Some(_) => false,
            None => self.type_spec.position(text).is_some(),
        };
        let named = self.named.iter().map(String::as_str);
        let mut values: Vec<&str> = named.chain(known.iter().copied().filter(fits)).collect();
        values.retain(|text| !text.is_empty());
        if self.given.is_none() && self.type_spec.value_type.is_ordered() {
            let mut placed: Vec<(Decimal, &str)> =
                values.iter().filter_map(|text| Some((self.type_spec.position(text)?, *text))).collect();
            placed.sort();
            placed.dedup_by(|a, b| a.0 == b.0);
            return placed.into_iter().map(|(_, text)| text).collect();
        }
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// The narrowest ordered type that every text is a value or an interval of, else text.
fn inferred(texts: &[&str]) -> TypeSpec {
    let fits = |value_type: &ValueType| {
        let spec = TypeSpec::from(*value_type);
        let is_value = |text: &str| single(text).is_some_and(|raw| spec.position(raw).is_some());
        texts.iter().all(|text| is_value(text) || ends(text, &spec).is_some())
    };
    let mut ordered = ValueType::ALL.into_iter().filter(|value_type| value_type.is_ordered());
    let found = if texts.is_empty() { None } else { ordered.find(fits) };
    found.unwrap_or(ValueType::Text).into()
}

/// The ends of an interval of an ordered type.
fn ends(text: &str, spec: &TypeSpec) -> Option<(String, String)> {
    if !spec.value_type.is_ordered() {
        return None;
    }
    let in_order = |low: &str, high: &str| match (spec.position(low), spec.position(high)) {
        (Some(low), Some(high)) => low <= high,
        _ => false,
    };
    let (low, high) = interval_ends(text).find(|(low, high)| in_order(low, high))?;
    Some((low.into_owned(), high.into_owned()))
}

/// Finds codes by text, and by place where the domain has places.
struct Lookup<'a> {
    domain: &'a Domain,
    reader: PublishedReader<'a>,
    /// The code at each place of a domain of numbers, days or instants.
    places: HashMap<String, u32>,
}

impl<'a> Lookup<'a> {
    fn new(domain: &'a Domain) -> Self {
        let measured = domain.is_measured() && matches!(domain.shape(), Shape::Ordered);
        let all = if measured { 0..domain.value_count() as u32 } else { 0..0 };
        let key = |code: u32| Decimal { units: domain.position(code), scale: domain.scale() }.to_string();
        let places = all.map(|code| (key(code), code)).collect();
        Lookup { domain, reader: PublishedReader::new(domain), places }
    }

    fn code(&self, text: &str) -> Option<u32> {
        self.reader.code(text).or_else(|| {
            let place = if self.places.is_empty() { None } else { self.domain.type_spec().position(text) };
            self.places.get(&place?.to_string()).copied()
        })
    }

    /// The codes that a published text holds, out of this many.
    fn reach(&self, text: &str, codes: usize) -> Option<Extent> {
        let root = |text: &str| {
            self.domain
                .hierarchy()
                .is_some_and(|tree| tree.node(text) == Some(tree.root()) && self.reader.code(text).is_none())
        };
        let is_set = matches!(self.domain.shape(), Shape::Set);
        let of_set = |codes_held: &mut dyn Iterator<Item = u32>| {
            let mut members = Extent::no_members(codes);
            codes_held.for_each(|code| members.add(code));
            members
        };
        let last = codes as u32 - 1;
        if text == "*" || root(text) {
            let everything = Extent::Interval { lo: 0, hi: last };
            return Some(if is_set { of_set(&mut (0..=last)) } else { everything });
        }
        let value = if self.domain.hierarchy().is_some() { Some(text) } else { single(text) };
        let alone = value.and_then(|raw| self.code(raw)).map(|code| Extent::Interval { lo: code, hi: code });
        let covered = alone.or_else(|| self.reader.reach(text).map(|reach| reach.covered))?;
        Some(if is_set { of_set(&mut covered.codes().into_iter()) } else { covered })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::HierarchyBuilder;
    use crate::table::Role;

    fn spec() -> ColumnSpec {
        ColumnSpec::new("x", Role::QuasiIdentifier)
    }

    /// Which of the known texts each published text holds.
    fn held(spec: &ColumnSpec, published: &[&str], known: &[&str]) -> Vec<Vec<bool>> {
        let axis = AttackAxis::new(spec, published, known).unwrap();
        let holds = |reach: &Extent| (0..known.len() as u32).map(|n| reach.holds(axis.known(n))).collect();
        axis.reaches().iter().map(holds).collect()
    }

    fn bits(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == 'x').collect()
    }

    #[test]
    fn numbers_lie_in_intervals_whatever_their_spelling() {
        let known = ["24", "25.0", "26", "28", "29", "", "many"];
        let published = ["[25..28]", "(25..29]", "25", "*", ""];
        let expected = ["-xxx---", "--xxx--", "-x-----", "xxxxxxx", "-----x-"];
        assert_eq!(held(&spec(), &published, &known), expected.map(bits));
    }

    #[test]
    fn what_lies_between_the_values_of_others_is_not_lost() {
        assert_eq!(held(&spec(), &["[3..4]", "[5..9]"], &["1", "6"]), ["--", "-x"].map(bits));
        assert_eq!(held(&spec(), &["[2024-01-01..2024-03-01]"], &["2024-02-29"]), [vec![true]]);
    }

    #[test]
    fn sets_and_single_texts() {
        let published = ["{a\\|b|c}", "d", "*", "{d|}"];
        let expected = ["xx---", "--x--", "xxxxx", "--x-x"];
        assert_eq!(held(&spec(), &published, &["a|b", "c", "d", "new", ""]), expected.map(bits));
        assert_eq!(
            held(&spec(), &["{d|}"], &["d"]),
            [vec![true]],
            "a set may be the only one with the missing value"
        );
    }

    #[test]
    fn numbers_that_are_published_as_sets_are_texts() {
        assert_eq!(held(&spec(), &["{1|2}", "3"], &["2", "3", "02"]), ["x--", "-x-"].map(bits));
    }

    #[test]
    fn values_outside_a_hierarchy_or_order_lie_elsewhere() {
        let mut builder = HierarchyBuilder::new("h");
        for (line, path) in [["a", "ab", "any"], ["b", "ab", "any"], ["c", "cd", "any"]].iter().enumerate() {
            builder.push(line as u64 + 1, path);
        }
        let mut tree = spec();
        tree.hierarchy = Some(std::sync::Arc::new(builder.finish().unwrap()));
        let expected = ["xx---", "--x--", "xxxxx"];
        assert_eq!(held(&tree, &["ab", "c", "any"], &["a", "b", "c", "z", ""]), expected.map(bits));
        let mut order = spec();
        order.order = Some(["low", "mid", "high"].map(String::from).to_vec());
        let expected = ["-xx-", "x---", "xxxx"];
        let published = ["[mid..high]", "low", "*"];
        assert_eq!(held(&order, &published, &["low", "mid", "high", "top"]), expected.map(bits));
    }

    #[test]
    fn nothing_but_stars_holds_everybody() {
        assert_eq!(held(&spec(), &["*"], &[]), [Vec::<bool>::new()]);
        assert_eq!(AttackAxis::new(&spec(), &["*"], &[]).unwrap().codes(), 1);
        assert_eq!(held(&spec(), &["*"], &["1", "x"]), [vec![true, true]]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error_that_holds_no_value() {
        for (published, type_spec) in [("[secret..zebra]", None), ("secret", Some(ValueType::Integer))] {
            let mut spec = spec();
            spec.type_spec = type_spec.map(TypeSpec::from);
            let error = AttackAxis::new(&spec, &[published], &[]).unwrap_err();
            assert!(error.message().contains("column x") && !error.message().contains("secret"), "{error:?}");
        }
    }
}
