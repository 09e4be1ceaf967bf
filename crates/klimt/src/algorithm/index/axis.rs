//! Where codes lie on the axis of an ordered dimension, so that the certainty penalty of an interval is a difference.

use crate::table::Domain;

/// The places of the codes of an ordered dimension: shares of the column's range, times the dimension's weight.
///
/// The missing value lies twice the range away from the first: an interval that reaches there from any other value is
/// at least as long as the range, and a length is never counted beyond that.
#[derive(Debug)]
pub(super) enum Axis<'a> {
    /// Neighbours are equally far apart.
    Even { step: f32, values: u32, missing: f32 },
    /// Each at a place of its own.
    Table { shares: &'a [f32], weight: f32, missing: f32 },
}

impl<'a> Axis<'a> {
    pub fn new(domain: &'a Domain, weight: f32) -> Self {
        let (values, missing) = (domain.value_count() as u32, 2.0 * weight);
        match domain.shares() {
            Some(shares) => Axis::Table { shares, weight, missing },
            None if values < 2 => Axis::Even { step: 0.0, values, missing },
            None => Axis::Even { step: weight / (values - 1) as f32, values, missing },
        }
    }

    /// Puts the places of codes into every `stride`-th number, from the first on.
    pub fn place(&self, codes: &[u32], into: &mut [f32], stride: usize) {
        let places = into.iter_mut().step_by(stride);
        match *self {
            Axis::Even { step, values, missing } => {
                for (place, &code) in places.zip(codes) {
                    *place = if code < values { code as f32 * step } else { missing };
                }
            }
            Axis::Table { shares, weight, missing } => {
                for (place, &code) in places.zip(codes) {
                    *place = shares.get(code as usize).map_or(missing, |share| share * weight);
                }
            }
        }
    }
}
