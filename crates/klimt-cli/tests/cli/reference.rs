//! What requirements measure, written again from their definitions: slowly, densely and in exact ratios.

use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// A release that was read as text: what every group holds of the sensitive column, and its quasi-identifiers.
pub struct Groups {
    pub names: Vec<String>,
    pub groups: BTreeMap<Vec<String>, Vec<String>>,
    /// The values of the sensitive column in order, numbers by size, then texts, a missing value last; each with its
    /// rows in the whole.
    values: Vec<(String, usize)>,
    rows: usize,
}

impl Groups {
    /// Reads a table whose fields hold no quotes.
    pub fn read(text: &str, delimiter: char, quasi_identifiers: &[&str], sensitive: &str) -> Groups {
        let mut lines = text.lines().map(|line| line.split(delimiter).collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
        let places: Vec<usize> = quasi_identifiers.iter().map(|name| at(name)).collect();
        let mut groups: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
        for line in lines {
            let key = places.iter().map(|&place| line[place].to_string()).collect();
            groups.entry(key).or_default().push(line[at(sensitive)].to_string());
        }
        let mut all: Vec<&String> = groups.values().flatten().collect();
        all.sort_by_key(|text| {
            (text.is_empty(), number(text).is_none(), number(text).unwrap_or_default(), *text)
        });
        let values = all.chunk_by(|a, b| a == b).map(|same| (same[0].clone(), same.len())).collect();
        let (names, rows) = (quasi_identifiers.iter().map(|name| name.to_string()).collect(), all.len());
        Groups { names, groups, values, rows }
    }

    /// The share of every value in a group and in the whole.
    fn shares(&self, group: &[String]) -> Vec<(BigRational, BigRational)> {
        let share = |(value, of_whole): &(String, usize)| {
            (ratio(count(group, value), group.len()), ratio(*of_whole, self.rows))
        };
        self.values.iter().map(share).collect()
    }
}

/// A decimal number without exponent, exactly.
pub fn number(text: &str) -> Option<BigRational> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let units: i128 = format!("{whole}{part}").parse().ok()?;
    Some(BigRational::new(units.into(), 10i128.pow(part.len() as u32).into()))
}

fn integer(count: usize) -> BigRational {
    BigRational::from_integer(count.into())
}

fn ratio(a: usize, b: usize) -> BigRational {
    BigRational::new(a.into(), b.into())
}

fn count(list: &[String], value: &str) -> usize {
    list.iter().filter(|other| *other == value).count()
}

/// A level: exact, or by logarithms, or more than any number.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    Exact(BigRational),
    Real(f64),
    Unbounded,
}

/// The worst level of any group under a requirement, as its flag and parameters say it.
pub fn worst(flag: &str, parameters: &str, groups: &Groups, hierarchy: &[Vec<String>]) -> Reference {
    let levels =
        groups.groups.iter().map(|(key, group)| level(flag, parameters, key, group, groups, hierarchy));
    let least =
        matches!(flag, "k" | "l-diversity" | "variance" | "min-width") && !parameters.starts_with("rec");
    levels.reduce(|a, b| if worse(&a, &b, least) { a } else { b }).unwrap()
}

fn worse(a: &Reference, b: &Reference, least: bool) -> bool {
    use Reference::*;
    let less = match (a, b) {
        (Exact(a), Exact(b)) => a <= b,
        (Real(a), Real(b)) => a <= b,
        (_, Unbounded) => true,
        _ => false,
    };
    less == least
}

fn level(
    flag: &str,
    parameters: &str,
    key: &[String],
    group: &[String],
    groups: &Groups,
    hierarchy: &[Vec<String>],
) -> Reference {
    let parts: Vec<&str> = parameters.split(':').collect();
    let n = group.len();
    let mut counts: Vec<usize> =
        groups.values.iter().map(|(value, _)| count(group, value)).filter(|&c| c > 0).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    match (flag, parts[0]) {
        ("k", _) => Reference::Exact(integer(n)),
        ("min-width", _) => width(key, groups, parts[0]),
        ("l-diversity", "entropy") => {
            let p = |c: usize| c as f64 / n as f64;
            Reference::Real((-counts.iter().map(|&c| p(c) * p(c).ln()).sum::<f64>()).exp())
        }
        ("l-diversity", "recursive") => {
            let l: usize = parts[2].parse().unwrap();
            match counts.iter().skip(l - 1).sum() {
                0 => Reference::Unbounded,
                tail => Reference::Exact(ratio(counts[0], tail)),
            }
        }
        ("l-diversity", _) => Reference::Exact(integer(counts.len())),
        ("alpha", _) => Reference::Exact(ratio(counts[0], n)),
        ("t-closeness", _) => Reference::Exact(distance(parts[1], group, groups, hierarchy)),
        ("variance", _) => Reference::Exact(variance(group)),
        ("epsilon-privacy", _) => epsilon(&parts, counts[0], n),
        ("beta-likeness", _) => {
            let gains = groups.shares(group).into_iter().map(|(p, q)| (&p - &q) / q);
            Reference::Exact(gains.fold(BigRational::zero(), |a, b| a.max(b)))
        }
        ("delta-disclosure", _) if counts.len() < groups.values.len() => Reference::Unbounded,
        ("delta-disclosure", _) => {
            let far = groups.shares(group).into_iter().map(|(p, q)| (p / q).to_f64().unwrap().ln().abs());
            Reference::Real(far.fold(0.0, f64::max))
        }
        _ => panic!("no definition of {flag} {parameters}"),
    }
}

/// The width of what is published of a column of numbers.
fn width(key: &[String], groups: &Groups, column: &str) -> Reference {
    let text = &key[groups.names.iter().position(|name| name == column).unwrap()];
    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        None => Reference::Exact(BigRational::zero()),
        Some(ends) => {
            let (lo, hi) = ends.split_once("..").unwrap();
            Reference::Exact(number(hi).unwrap() - number(lo).unwrap())
        }
    }
}

fn variance(group: &[String]) -> BigRational {
    let numbers: Vec<BigRational> = group.iter().filter_map(|text| number(text)).collect();
    if numbers.is_empty() {
        return BigRational::zero();
    }
    let n = integer(numbers.len());
    let mean = numbers.iter().sum::<BigRational>() / &n;
    numbers.iter().map(|x| (x - &mean) * (x - &mean)).sum::<BigRational>() / n
}

fn distance(kind: &str, group: &[String], groups: &Groups, hierarchy: &[Vec<String>]) -> BigRational {
    let shares = groups.shares(group).into_iter().map(|(p, q)| p - q);
    let r: BTreeMap<&String, BigRational> =
        groups.values.iter().map(|(value, _)| value).zip(shares).collect();
    let values = &groups.values;
    match kind {
        "equal" => r.values().map(|r| r.abs()).sum::<BigRational>() / integer(2),
        "ordered" => {
            let mut run = BigRational::zero();
            let mut total = BigRational::zero();
            for (value, _) in values {
                run += &r[value];
                total += run.abs();
            }
            if values.len() < 2 { total } else { total / integer(values.len() - 1) }
        }
        _ => {
            let height = hierarchy[0].len() - 1;
            let mut total = BigRational::zero();
            for level in 1..=height {
                let mut below: BTreeMap<&String, BTreeMap<&String, BigRational>> = BTreeMap::new();
                for path in hierarchy {
                    let extra = r.get(&path[0]).cloned().unwrap_or_default();
                    *below.entry(&path[level]).or_default().entry(&path[level - 1]).or_default() += extra;
                }
                for children in below.values() {
                    let over: BigRational = children.values().filter(|x| x.is_positive()).sum();
                    let under: BigRational =
                        -children.values().filter(|x| x.is_negative()).sum::<BigRational>();
                    total += ratio(level, height) * over.min(under);
                }
            }
            total
        }
    }
}

/// The least ε of R1 and R2, with the people that the adversary knows taken off the group.
fn epsilon(parts: &[&str], commonest: usize, n: usize) -> Reference {
    let sigma = number(parts[1]).unwrap();
    let b: usize = parts.get(2).map_or(0, |b| b.parse().unwrap());
    if n <= b || n - b <= commonest {
        return Reference::Unbounded;
    }
    let (x, prior, one) = (integer(n - b), sigma + integer(b), BigRational::one());
    let first = &one + &prior / &x;
    let f = integer(commonest) / &x;
    let second = (&one / (&one - f) + &x / &prior) / (&one - &one / &prior + &x / &prior);
    Reference::Exact(first.max(second))
}

/// The rules of ε-privacy with n + b in R2, as they are sometimes printed: a weaker promise, which must hold too.
pub fn printed_rules_hold(parameters: &str, groups: &Groups) -> bool {
    let parts: Vec<&str> = parameters.split(':').collect();
    let (epsilon, sigma) = (number(parts[0]).unwrap(), number(parts[1]).unwrap());
    let b: usize = parts.get(2).map_or(0, |b| b.parse().unwrap());
    let one = BigRational::one();
    groups.groups.values().all(|group| {
        let n = group.len();
        let x = integer(n) - integer(b);
        let prior = &sigma + integer(b);
        let delta = (&epsilon - &one) * &x / &prior;
        let less = &epsilon * (&one - &one / &prior);
        let limit = &one - &one / (less + delta);
        let first = x >= &prior / (&epsilon - &one);
        first && groups.values.iter().all(|(value, _)| ratio(count(group, value), n + b) <= limit)
    })
}

/// Whether every share is within what enhanced β-likeness allows, in floating point.
pub fn enhanced_holds(beta: f64, groups: &Groups) -> bool {
    groups.groups.values().all(|group| {
        groups.shares(group).into_iter().all(|(p, q)| {
            let (p, q) = (p.to_f64().unwrap(), q.to_f64().unwrap());
            p <= q * (1.0 + beta.min(-q.ln())) * (1.0 + 1e-12)
        })
    })
}
