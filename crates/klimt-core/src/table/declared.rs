//! Declared domains: all values that a column may have, whether they occur or not.
//!
//! The ends of a declared range, or the declared values, are codes of the domain like any other. So lengths and counts are
//! taken over what is declared, and regions and recoding functions reach as far as that.

use super::encode::texts_of;
use super::{ColumnSpec, CommonSpelling, Decimal, Distinct, Domain, Encoding, Spelling, TypeSpec};
use super::{UnfitReason, UnfitValues, ValueType};
use hashbrown::{HashMap, HashSet};

/// The declared domain of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredDomain {
    /// Numbers, days or instants between two ends, both included.
    Range {
        /// The least value.
        least: String,
        /// The greatest value.
        greatest: String,
    },
    /// These values and no others.
    Values(Vec<String>),
}

/// Which codes of a domain are declared, and stay when rows are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredCodes {
    /// The first and the last; `highest` is the greatest one of a value that occurs.
    Ends {
        /// No value above this code occurs.
        highest: u32,
    },
    /// All.
    All,
}

/// The types that a range may have where none is given, narrowest first.
const RANGED: [ValueType; 4] =
    [ValueType::Integer, ValueType::Decimal, ValueType::Date, ValueType::Timestamp];

impl DeclaredDomain {
    /// The range that a text such as `0..120` or `2000-01-01..2024-12-31` declares; `None` where it does not. With a type,
    /// both ends must be of it.
    pub fn range(text: &str, given: Option<&TypeSpec>) -> Option<Result<DeclaredDomain, String>> {
        let places = text.match_indices("..").map(|(at, _)| (text[..at].trim(), text[at + 2..].trim()));
        for (least, greatest) in places {
            let ends = |typed: &TypeSpec| Some((typed.position(least)?, typed.position(greatest)?));
            let found = match given {
                Some(typed) if typed.value_type.is_ordered() => ends(typed),
                Some(_) => None,
                None => RANGED.iter().find_map(|&typed| ends(&typed.into())),
            };
            let Some((low, high)) = found else { continue };
            if low > high {
                return Some(
                    Err("the least value comes first, then two dots, then the greatest".to_string()),
                );
            }
            return Some(Ok(DeclaredDomain::Range {
                least: least.to_string(),
                greatest: greatest.to_string(),
            }));
        }
        None
    }

    /// The ends of a range in units of a spelling, where it can spell them.
    pub fn units(&self, typed: &TypeSpec, spelling: Spelling) -> Option<(i64, i64)> {
        let DeclaredDomain::Range { least, greatest } = self else { return None };
        let units = |text: &str| units_of(typed.position(text)?, spelling);
        Some((units(least)?, units(greatest)?))
    }

    /// The declared texts, spelt as all values of the column are where these have one way of spelling.
    fn texts(&self, type_spec: Option<&TypeSpec>, distinct: &Distinct) -> Vec<String> {
        let (least, greatest) = match self {
            DeclaredDomain::Values(values) => return values.clone(),
            DeclaredDomain::Range { least, greatest } => (least, greatest),
        };
        let respelt = || {
            let spelling = spelling_of(distinct)?;
            let typed = type_spec.cloned().unwrap_or_else(|| match spelling.value_type() {
                ValueType::Integer => ValueType::Decimal.into(),
                own => own.into(),
            });
            let (low, high) = self.units(&typed, spelling).filter(|_| typed.pattern.is_none())?;
            Some([low, high].map(|units| {
                let mut text = Vec::new();
                spelling.write(units, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }))
        };
        respelt().map_or_else(|| vec![least.clone(), greatest.clone()], Vec::from)
    }

    /// The type of a column: of its values and the declared ones, or of these alone where the values fit no type that has
    /// an order.
    fn type_of(&self, spec: &ColumnSpec, all: &Distinct, texts: &[String]) -> TypeSpec {
        let found = spec.type_spec.clone().unwrap_or_else(|| all.infer());
        match self {
            DeclaredDomain::Range { .. } if !found.value_type.is_ordered() => {
                let fits = |typed: &&ValueType| {
                    texts.iter().all(|text| TypeSpec::from(**typed).position(text).is_some())
                };
                RANGED.iter().find(fits).map_or(found, |&typed| typed.into())
            }
            _ => found,
        }
    }

    /// Finds the domain of a column of which these values occur; fails where some lie outside.
    pub(super) fn encode(
        &self,
        spec: &ColumnSpec,
        distinct: &Distinct,
        missing: bool,
    ) -> Result<Encoding, UnfitValues> {
        let texts = self.texts(spec.type_spec.as_ref(), distinct);
        let values = distinct.len();
        let (all, declared) = joined(distinct, &texts);
        let type_spec = Some(self.type_of(spec, &all, &texts));
        let plain = ColumnSpec { declared: None, type_spec, ..spec.clone() };
        let by_spelling = match all {
            Distinct::Integers(values) => by_number(&plain, values, missing),
            texts => Encoding::by_spelling(&plain, texts, missing),
        };
        let Encoding { mut domain, codes } = by_spelling.map_err(|mut unfit| {
            unfit.values.retain(|&value| value < values);
            unfit
        })?;
        let declared: HashSet<u32> = declared.into_iter().map(|at| codes[at]).collect();
        let inside: Box<dyn Fn(u32) -> bool> = match self {
            DeclaredDomain::Values(_) => Box::new(|code| declared.contains(&code)),
            DeclaredDomain::Range { .. } => {
                let (low, high) =
                    declared.iter().fold((u32::MAX, 0), |(low, high), &code| (low.min(code), high.max(code)));
                Box::new(move |code| (low..=high).contains(&code))
            }
        };
        let outside: Vec<usize> = (0..values).filter(|&value| !inside(codes[value])).collect();
        if !outside.is_empty() {
            return Err(UnfitValues { reason: UnfitReason::Domain, values: outside });
        }
        let highest = codes[..values].iter().copied().max().unwrap_or(0);
        domain.declared = Some(self.codes(highest));
        Ok(Encoding { domain, codes: codes[..values].to_vec() })
    }

    /// Which codes of its domain are declared, where no value above a code occurs.
    pub fn codes(&self, highest: u32) -> DeclaredCodes {
        match self {
            DeclaredDomain::Range { .. } => DeclaredCodes::Ends { highest },
            DeclaredDomain::Values(_) => DeclaredCodes::All,
        }
    }
}

/// The values that occur, then the declared ones that do not; and where each declared one is.
fn joined(distinct: &Distinct, texts: &[String]) -> (Distinct, Vec<usize>) {
    if let (Distinct::Integers(values), Some(wholes)) = (distinct, wholes(texts)) {
        let mut all = values.clone();
        all.extend(wholes.iter().filter(|whole| values.binary_search(whole).is_err()));
        let place = |whole: &i64| all.iter().position(|value| value == whole);
        let declared = wholes.iter().filter_map(place).collect();
        return (Distinct::Integers(all), declared);
    }
    let mut all = texts_of(distinct);
    let mut places: HashMap<Vec<u8>, usize> =
        all.iter().enumerate().map(|(at, text)| (text.to_vec(), at)).collect();
    let mut declared = Vec::with_capacity(texts.len());
    for text in texts {
        let at = *places.entry(text.as_bytes().to_vec()).or_insert_with(|| all.push(text.as_bytes()));
        declared.push(at);
    }
    (Distinct::Texts(all), declared)
}

/// The whole numbers of a range whose ends are such.
fn wholes(texts: &[String]) -> Option<Vec<i64>> {
    let whole = |text: &String| {
        Some(CommonSpelling::read(text.as_bytes())?).filter(|(_, own)| *own == CommonSpelling::WHOLE)
    };
    match texts {
        [_, _] => texts.iter().map(|text| Some(whole(text)?.0)).collect(),
        _ => None,
    }
}

/// The encoding of whole numbers in any order.
fn by_number(spec: &ColumnSpec, values: Vec<i64>, missing: bool) -> Result<Encoding, UnfitValues> {
    let mut sorted = values.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let place = |value: &i64| sorted.partition_point(|other| other < value);
    let places: Vec<usize> = values.iter().map(place).collect();
    let Encoding { domain, codes } = Encoding::by_spelling(spec, Distinct::Integers(sorted), missing)?;
    Ok(Encoding { domain, codes: places.into_iter().map(|at| codes[at]).collect() })
}

/// The one way in which all values are spelt.
fn spelling_of(distinct: &Distinct) -> Option<Spelling> {
    let Distinct::Texts(texts) = distinct else { return Some(Spelling::WHOLE) };
    let mut spelled = CommonSpelling::Nothing;
    for text in texts.iter() {
        spelled = spelled.join(CommonSpelling::read(text)?.1);
    }
    spelled.spelling()
}

/// A place on an axis in units of a spelling, where it can be spelt so.
fn units_of(position: Decimal, spelling: Spelling) -> Option<i64> {
    let units = match position.scale.checked_sub(spelling.scale()) {
        None | Some(0) => position.rescaled(spelling.scale())?,
        Some(finer) => {
            let factor = 10i128.checked_pow(finer)?;
            (position.units % factor == 0).then(|| position.units / factor)?
        }
    };
    let step = i128::from(spelling.step());
    (units % step == 0).then(|| i64::try_from(units / step).ok()).flatten()
}

impl Domain {
    /// Which codes are declared, where a domain was.
    pub fn declared(&self) -> Option<DeclaredCodes> {
        self.declared
    }

    /// The code after which a cut after this one is made: the declared end, where no value above occurs and only missing
    /// values are cut off.
    pub fn cut_after(&self, code: u32) -> u32 {
        match self.declared {
            Some(DeclaredCodes::Ends { highest })
                if code >= highest && (code as usize) < self.value_count() =>
            {
                self.value_count() as u32 - 1
            }
            _ => code,
        }
    }

    /// The domain of a column with declared codes.
    #[must_use]
    pub fn with_declared(mut self, declared: Option<DeclaredCodes>) -> Self {
        self.declared = declared;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    fn ranged(text: &str) -> DeclaredDomain {
        DeclaredDomain::range(text, None).unwrap().unwrap()
    }

    fn encode(declared: DeclaredDomain, distinct: Distinct) -> Result<Encoding, UnfitValues> {
        let spec = ColumnSpec { declared: Some(declared), ..ColumnSpec::new("x", Role::QuasiIdentifier) };
        Encoding::of(&spec, distinct, false)
    }

    fn texts(values: &[&str]) -> Distinct {
        Distinct::Texts(values.iter().copied().collect())
    }

    fn all(domain: &Domain) -> Vec<String> {
        (0..domain.value_count() as u32).map(|code| domain.text(code)).collect()
    }

    #[test]
    fn the_ends_of_a_range_are_codes() {
        let encoding = encode(ranged("0..120"), Distinct::Integers(vec![30, 40])).unwrap();
        assert_eq!(encoding.codes, [1, 2]);
        assert_eq!(all(&encoding.domain), ["0", "30", "40", "120"]);
        assert_eq!(encoding.domain.interval_penalty(1, 2), 10.0 / 120.0);
        let at_the_ends = encode(ranged("30..40"), Distinct::Integers(vec![30, 40])).unwrap();
        assert_eq!(at_the_ends.codes, [0, 1]);
        let money = encode(ranged("0..99.5"), texts(&["12.50", "3.00"])).unwrap();
        assert_eq!(all(&money.domain), ["0.00", "3.00", "12.50", "99.50"]);
        assert_eq!(money.codes, [2, 1]);
        let finer = encode(ranged("0.5..99.125"), Distinct::Integers(vec![3])).unwrap();
        assert_eq!(all(&finer.domain), ["0.5", "3", "99.125"]);
        let days = encode(ranged("2000-01-01..2024-12-31"), texts(&["2010-05-05"])).unwrap();
        assert_eq!(all(&days.domain), ["2000-01-01", "2010-05-05", "2024-12-31"]);
        let nothing = encode(ranged("1..2"), texts(&[])).unwrap();
        assert_eq!(all(&nothing.domain), ["1", "2"]);
    }

    #[test]
    fn values_outside_are_told_by_their_number() {
        let outside = |values| Err(UnfitValues { reason: UnfitReason::Domain, values });
        let codes = |made: Result<Encoding, UnfitValues>| made.map(|encoding| encoding.codes);
        assert_eq!(codes(encode(ranged("0..9"), Distinct::Integers(vec![-1, 3, 12]))), outside(vec![0, 2]));
        let letters = DeclaredDomain::Values(["a", "b"].map(String::from).to_vec());
        assert_eq!(codes(encode(letters.clone(), texts(&["b", "c"]))), outside(vec![1]));
        assert_eq!(codes(encode(letters, texts(&["b"]))), Ok(vec![1]));
        let unfit = encode(ranged("0..9"), texts(&["3", "x"])).unwrap_err();
        assert_eq!(unfit, UnfitValues { reason: UnfitReason::Type(ValueType::Integer), values: vec![1] });
    }

    #[test]
    fn a_range_is_told_from_the_name_of_a_file() {
        assert!(DeclaredDomain::range("../a.txt", None).is_none());
        assert!(DeclaredDomain::range("1..x", None).is_none());
        assert!(DeclaredDomain::range("9..1", None).unwrap().is_err());
        let typed: TypeSpec = "date:%d.%m.%Y".parse().unwrap();
        assert!(DeclaredDomain::range("01.02.2020..03.04.2021", Some(&typed)).unwrap().is_ok());
        assert_eq!(ranged("-4..-1.5"), DeclaredDomain::Range { least: "-4".into(), greatest: "-1.5".into() });
    }
}
