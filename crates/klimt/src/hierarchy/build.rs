//! Builds a hierarchy over the values of a column.

use super::Hierarchy;
use crate::anonymizer::Anonymizer;
use crate::input::Input;
use klimt_core::hierarchy::build::{
    Dates, EqualCount, EqualWidth, Order, PrefixLengths, dates, equal_count, equal_width, order, prefixes,
};
use klimt_core::table::Decimal;
use klimt_core::words::option_is;
use klimt_core::{Error, Result};

/// How the values of a column are grouped, level by level.
#[derive(Clone, Debug)]
pub enum BuildRule {
    /// Intervals of equal width, for numbers; [`BuildRule::widths`] reads it from texts.
    Width(EqualWidth),
    /// Intervals with as many values each, for numbers.
    Count {
        /// How many values a group of the first level has.
        size: usize,
        /// How many groups a group of the next level has.
        fan_out: usize,
    },
    /// Year, month and day, for dates.
    Date {
        /// Whether there is a level of decades.
        decades: bool,
    },
    /// Ever shorter prefixes, for codes such as postcodes and ICD.
    Prefix {
        /// Their lengths, longest first; every length where none is given.
        lengths: Vec<usize>,
    },
    /// Neighbours in an order.
    Order {
        /// The values, lowest first; in their natural order where none are given.
        values: Vec<String>,
        /// How many groups a group of the next level has.
        fan_out: usize,
    },
}

impl BuildRule {
    /// The values that a group of the first level has by [`BuildRule::Count`], where nothing else is wanted.
    pub const SIZE: usize = 5;
    /// The groups that a group of the next level has, where nothing else is wanted.
    pub const FAN_OUT: usize = 2;

    /// Intervals of these widths, each a multiple of the one before; the first starts at the origin, or at 0.
    pub fn widths<S: AsRef<str>>(widths: impl IntoIterator<Item = S>, origin: Option<&str>) -> Result<Self> {
        let number = |text: &str| {
            text.parse::<Decimal>().map_err(|()| {
                Error::input("a width or origin is not a number").with_help(option_is("widths", "5,10,20"))
            })
        };
        let widths = widths.into_iter().map(|text| number(text.as_ref())).collect::<Result<Vec<_>>>()?;
        let mut parameters = EqualWidth::new(widths);
        if let Some(origin) = origin {
            parameters.origin = number(origin)?;
        }
        Ok(BuildRule::Width(parameters))
    }
}

impl Hierarchy {
    /// Builds a hierarchy over values, each of which is given once, in their natural order.
    ///
    /// ```
    /// use klimt::hierarchy::{BuildRule, Hierarchy};
    ///
    /// let ages = (20..40).map(|age| age.to_string()).collect();
    /// let tree = Hierarchy::build(ages, BuildRule::widths(["5", "10"], None)?)?;
    /// assert_eq!((tree.values(), tree.height()), (20, 3));
    /// # Ok::<(), klimt::Error>(())
    /// ```
    pub fn build(values: Vec<String>, rule: BuildRule) -> Result<Self> {
        let tree = match rule {
            BuildRule::Width(parameters) => equal_width(values, &parameters)?,
            BuildRule::Count { size, fan_out } => {
                let groups = (values.len() / size.max(1)).max(1);
                let levels = (groups as f64).log(fan_out.max(2) as f64).floor() as usize;
                equal_count(values, &EqualCount { per_group: size, fan_outs: vec![fan_out; levels] })?
            }
            BuildRule::Date { decades } => dates(values, &Dates { decades })?,
            BuildRule::Prefix { lengths } => {
                let every = lengths.is_empty();
                prefixes(values, &if every { PrefixLengths::Every } else { PrefixLengths::Given(lengths) })?
            }
            BuildRule::Order { values: listed, fan_out } => {
                let values = if listed.is_empty() { values } else { listed };
                order(values, &Order { fan_out })?
            }
        };
        Ok(tree.into())
    }

    /// Builds a hierarchy over the values of a column of a table.
    pub fn of_column(input: Input, column: &str, rule: BuildRule, asked: &Anonymizer) -> Result<Self> {
        let table = super::read_column(input, column, None, asked)?;
        let domain = table.domain(0);
        let values = (0..domain.value_count() as u32).map(|code| domain.text(code)).collect();
        Hierarchy::build(values, rule)
    }
}
