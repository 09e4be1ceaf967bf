//! Orders of a mail-order house, for the experiments on the data of *Lands End*, which cannot be had.

use super::random::Draws;
use super::{ColumnKind, GeneratedBlock, GeneratedColumn, Generator, Parameters};
use klimt_core::error::Result;

/// The name of the generator.
pub(super) const NAME: &str = "sales";

/// The parameters it takes besides rows and seed: its columns and distributions are fixed.
pub(super) const PARAMETERS: &[&str] = &[];

/// The eight attributes of the customer sales that *K-Anonymization as Spatial Indexing* measures on.
///
/// | column | values |
/// |---|---|
/// | zipcode | 31,953, crowded where people live |
/// | date | 1 to 320, more towards the end of the year |
/// | gender | 2 |
/// | style | 1 to 1,509, a few sell best |
/// | price | 346, by style |
/// | quantity | 1 to 6, mostly 1 |
/// | cost | about 1,450, by price |
/// | shipment | 2, by price |
///
/// Values of a zip code are coded from 0, as are all categories in the experiments of the paper, which imposes an order on
/// them. It tells nothing about anybody: nothing in it was counted.
#[derive(Clone, Debug)]
pub struct Sales {
    rows: u64,
    seed: u64,
}

/// The columns of the table.
const COLUMNS: [(&str, ColumnKind); 8] = [
    ("zipcode", ColumnKind::Integer),
    ("date", ColumnKind::Integer),
    ("gender", ColumnKind::Integer),
    ("style", ColumnKind::Integer),
    ("price", ColumnKind::Integer),
    ("quantity", ColumnKind::Integer),
    ("cost", ColumnKind::Integer),
    ("shipment", ColumnKind::Integer),
];

/// How many zip codes there are, and how many towns they crowd around.
const ZIP_CODES: i64 = 31_953;
const TOWNS: i64 = 41;

/// How many styles and prices there are.
const STYLES: i64 = 1_509;
const PRICES: i64 = 346;

/// An order, by the numbers of the row.
fn order(draws: &mut Draws) -> [i64; COLUMNS.len()] {
    let zipcode = zip_code(draws);
    let date = draws.between(1, 320).max(draws.between(1, 320));
    let gender = i64::from(draws.below(100) < 62);
    let style = draws.between(1, STYLES).min(draws.between(1, STYLES));
    let price = price(draws, style);
    let quantity = 1 + (draws.below(1 << 11).leading_zeros() as i64 - 21).clamp(0, 11) / 2;
    let cost = price * draws.between(38, 42) / 10 + draws.between(0, 7);
    let shipment = i64::from(draws.below(100) < if price > 200 { 40 } else { 12 });
    [zipcode, date, gender, style, price, quantity, cost, shipment]
}

/// Half of the people live in the tenth of the codes that lies next to a town; a town before another is larger.
fn zip_code(draws: &mut Draws) -> i64 {
    let block = ZIP_CODES / TOWNS;
    let town = draws.between(0, TOWNS - 1).min(draws.between(0, TOWNS - 1));
    let away = if draws.below(2) == 0 { draws.between(0, block / 10) } else { draws.between(0, block - 1) };
    // Towns that are alike in size do not lie side by side. Some codes are left over at the end.
    let code = (town * 17 % TOWNS) * block + away;
    if draws.below(200) == 0 { draws.between(0, ZIP_CODES - 1) } else { code }
}

/// Each style has a price of its own, and is sometimes sold for less.
fn price(draws: &mut Draws, style: i64) -> i64 {
    let usual = 1 + style * 7_919 % PRICES;
    let less = if draws.below(5) == 0 { draws.between(0, usual / 2) } else { 0 };
    usual - less
}

impl Sales {
    /// Checks the parameters; takes none besides rows and seed.
    pub fn new(parameters: &Parameters) -> Result<Self> {
        parameters.check(NAME, PARAMETERS).finish()?;
        Ok(Sales { rows: parameters.rows, seed: parameters.seed })
    }
}

impl Generator for Sales {
    fn columns(&self) -> Vec<GeneratedColumn> {
        COLUMNS.iter().map(|&(name, kind)| GeneratedColumn { name: name.to_string(), kind }).collect()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn block(&self, index: u64, out: &mut GeneratedBlock) {
        let mut draws = Draws::of_block(NAME, self.seed, index);
        out.reset(&self.columns());
        for _ in 0..self.rows_in_block(index) {
            out.push_row(&order(&mut draws));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_columns_have_the_values_that_are_told() {
        let mut draws = Draws::of_block(NAME, 1, 0);
        let orders: Vec<_> = (0..400_000).map(|_| order(&mut draws)).collect();
        let values = |column: usize| orders.iter().map(|order| order[column]).collect::<BTreeSet<i64>>();
        let ends = |column: usize| {
            let values = values(column);
            (values.first().copied().unwrap(), values.last().copied().unwrap())
        };
        assert_eq!((ends(1), ends(4)), ((1, 320), (1, PRICES)));
        // A style is the less common the later it comes: of the last few, not all occur.
        assert!(ends(3).0 == 1 && ends(3).1 <= STYLES && values(3).len() > 1_480, "{}", values(3).len());
        assert_eq!((values(2).len(), values(7).len()), (2, 2));
        assert!(ends(0).0 >= 0 && ends(0).1 < ZIP_CODES && values(0).len() > 25_000);
        assert!(ends(5).0 == 1 && (4..=12).contains(&ends(5).1), "{:?}", ends(5));
        assert!((1_200..1_500).contains(&values(6).len()), "{}", values(6).len());
        let single = orders.iter().filter(|order| order[5] == 1).count() as f64 / orders.len() as f64;
        assert!(single > 0.7, "{single}");
    }
}
