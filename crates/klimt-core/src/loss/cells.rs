//! The cost of a cell for each interval of codes, in tables.

use crate::table::{Shape, Table};

/// The most codes of a dimension whose intervals are priced in a table.
const TABULATED: usize = 512;

/// The prices of the intervals of every dimension that has an order and few codes.
#[derive(Debug, Default)]
pub(crate) struct CellPrices {
    dimensions: Vec<DimensionPrices>,
}

#[derive(Debug)]
struct DimensionPrices {
    codes: usize,
    /// By the least and the greatest code of the interval; empty where there is no table.
    prices: Vec<f64>,
}

impl CellPrices {
    /// Makes the tables; `price` tells what a row pays in a dimension from one code to another.
    pub fn new(table: &Table, price: impl Fn(usize, u32, u32) -> f64) -> Self {
        let tabulate = |dimension: usize| {
            let domain = table.domain(dimension);
            let codes = domain.cardinality();
            if matches!(domain.shape(), Shape::Set) || codes > TABULATED {
                return DimensionPrices { codes, prices: Vec::new() };
            }
            let cell =
                |lo: usize, hi: usize| if lo <= hi { price(dimension, lo as u32, hi as u32) } else { 0.0 };
            let prices = (0..codes * codes).map(|at| cell(at / codes, at % codes)).collect();
            DimensionPrices { codes, prices }
        };
        CellPrices { dimensions: (0..table.dimensions()).map(tabulate).collect() }
    }

    /// The cost of a cell in a dimension for an interval of codes; `None` where there is no table.
    #[inline(always)]
    pub fn interval(&self, dimension: usize, lo: u32, hi: u32) -> Option<f64> {
        let DimensionPrices { codes, prices } = &self.dimensions[dimension];
        if prices.is_empty() { None } else { Some(prices[lo as usize * codes + hi as usize]) }
    }
}
