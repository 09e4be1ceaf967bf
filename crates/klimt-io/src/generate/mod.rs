//! Synthetic tables: the generators that the papers measured their algorithms on, and an extract of an invented hospital.
//!
//! A table is cut into blocks of [`BLOCK_ROWS`] rows. Block `i` depends on the seed, on `i` and on the
//! generator's parameters, and on nothing else: not on the number of rows of the table, the number of threads
//! or the blocks before it. So blocks can be made in any order and on any thread, and a longer table with
//! the same seed starts with the rows of a shorter one. Numbers come from integer draws and from
//! additions, multiplications and divisions only, so that every machine makes the same bytes.

mod agrawal;
mod block;
mod census;
mod hospital;
mod hospital_words;
mod normal;
mod parameters;
mod random;
mod sales;
mod skewed;
mod text;
mod uniform;

pub use agrawal::Agrawal;
pub use block::{GeneratedBlock, GeneratedValues};
pub use census::Census;
pub use hospital::Hospital;
pub use parameters::{MAX_ATTRIBUTES, MAX_SIGMA, MAX_SKEWED_CARDINALITY, MIN_SIGMA, Parameters};
pub use sales::Sales;
pub use skewed::Skewed;
pub use text::write_csv;
pub use uniform::Uniform;

use klimt_core::Choice;
use klimt_core::error::{Error, Result};

/// Rows of a block; only the last block of a table may have fewer.
pub const BLOCK_ROWS: usize = 4096;

/// The kind of the values of a generated column, which decides how a number of a [`GeneratedBlock`] stands for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// An integer, as it is.
    Integer,
    /// A decimal: the number divided by ten to the power of `scale`.
    Decimal {
        /// Digits after the decimal point, at most 18.
        scale: u32,
    },
    /// A word: the number is its position in this list. Words are ASCII letters and digits.
    Label(&'static [&'static str]),
    /// Any text: the number is its position among the column's texts in the block. An empty one is a missing value.
    Text,
}

/// The language of a table: its names of columns, and how its dates and numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English; dates as 1950-01-31.
    English,
    /// German; dates as 31.01.1950, numbers with a decimal comma.
    German,
}

impl Choice for Language {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Language::English, "en", "English; dates as 1950-01-31"),
        (Language::German, "de", "German; dates as 31.01.1950, numbers with a decimal comma"),
    ];
}

/// A column that a generator makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedColumn {
    /// The column's name, of ASCII letters, digits and `_`.
    pub name: String,
    /// The kind of its values.
    pub kind: ColumnKind,
}

/// A table that can be made block by block, in any order.
pub trait Generator: Send + Sync {
    /// The columns, in order; at least one.
    fn columns(&self) -> Vec<GeneratedColumn>;

    /// Rows of the whole table.
    fn rows(&self) -> u64;

    /// Replaces what `out` holds by the rows of block `index`, [`Generator::rows_in_block`] of them.
    fn block(&self, index: u64, out: &mut GeneratedBlock);

    /// Number of blocks of the table.
    fn blocks(&self) -> u64 {
        self.rows().div_ceil(BLOCK_ROWS as u64)
    }

    /// Rows of block `index`; 0 beyond the last block.
    fn rows_in_block(&self, index: u64) -> usize {
        let before = index.saturating_mul(BLOCK_ROWS as u64);
        self.rows().saturating_sub(before).min(BLOCK_ROWS as u64) as usize
    }
}

/// An entry of [`GENERATORS`].
#[derive(Clone, Copy, Debug)]
pub struct GeneratorEntry {
    /// The name that [`build`] and the command know it by.
    pub name: &'static str,
    /// Help, in one line.
    pub help: &'static str,
    /// The parameters it takes besides rows and seed; any other one is refused.
    pub parameters: &'static [&'static str],
    build: fn(&Parameters) -> Result<Box<dyn Generator>>,
}

/// Every generator.
pub const GENERATORS: &[GeneratorEntry] = &[
    GeneratorEntry {
        name: uniform::NAME,
        help: "integer attributes X1, X2, … with every value equally likely",
        parameters: uniform::PARAMETERS,
        build: |parameters| Ok(Box::new(Uniform::new(parameters)?)),
    },
    GeneratorEntry {
        name: skewed::NAME,
        help: "integer attributes X1, X2, … from a normal distribution; a small sigma is a high skew",
        parameters: skewed::PARAMETERS,
        build: |parameters| Ok(Box::new(Skewed::new(parameters)?)),
    },
    GeneratorEntry {
        name: agrawal::NAME,
        help: "people with salary, age, house and loan, and the targets C2, C7 (class) and R7, R10 (numeric)",
        parameters: agrawal::PARAMETERS,
        build: |parameters| Ok(Box::new(Agrawal::new(parameters)?)),
    },
    GeneratorEntry {
        name: census::NAME,
        help: "people of a census with eight quasi-identifiers, the class income and the number wage",
        parameters: census::PARAMETERS,
        build: |parameters| Ok(Box::new(Census::new(parameters)?)),
    },
    GeneratorEntry {
        name: sales::NAME,
        help: "orders of a mail-order house: zip code, date, gender, style, price, quantity, cost, shipment",
        parameters: sales::PARAMETERS,
        build: |parameters| Ok(Box::new(Sales::new(parameters)?)),
    },
    GeneratorEntry {
        name: hospital::NAME,
        help: "visits to a hospital, with record and insurance numbers, names, phone numbers, mail addresses and notes",
        parameters: hospital::PARAMETERS,
        build: |parameters| Ok(Box::new(Hospital::new(parameters)?)),
    },
];

/// The generator of that name, with its parameters checked.
pub fn build(name: &str, parameters: &Parameters) -> Result<Box<dyn Generator>> {
    match GENERATORS.iter().find(|entry| entry.name == name) {
        Some(entry) => (entry.build)(parameters),
        None => {
            let names: Vec<&str> = GENERATORS.iter().map(|entry| entry.name).collect();
            Err(Error::input(format!("no generator is called {name:?}"))
                .with_help(format!("the generators are {}", names.join(", "))))
        }
    }
}

/// `X1` to `Xd`, all integers: the columns of the tables that have no names of their own.
fn numbered_columns(attributes: u32) -> Vec<GeneratedColumn> {
    (1..=attributes)
        .map(|number| GeneratedColumn { name: format!("X{number}"), kind: ColumnKind::Integer })
        .collect()
}

#[cfg(test)]
mod tests;
