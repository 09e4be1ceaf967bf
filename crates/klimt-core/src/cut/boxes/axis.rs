//! Where codes lie on the axis of an ordered dimension, so that the certainty penalty of an interval is a difference.

use crate::table::Domain;

/// The places of the codes of an ordered dimension: shares of the column's range, times the dimension's weight.
#[derive(Debug)]
pub(super) enum BoxAxis<'a> {
    /// Neighbours are equally far apart.
    Even { step: f32, values: u32 },
    /// Each at a place of its own.
    Table { shares: &'a [f32], weight: f32 },
}

impl<'a> BoxAxis<'a> {
    pub fn new(domain: &'a Domain, weight: f32) -> Self {
        let values = domain.value_count() as u32;
        match domain.shares() {
            Some(shares) => BoxAxis::Table { shares, weight },
            None if values < 2 => BoxAxis::Even { step: 0.0, values },
            None => BoxAxis::Even { step: weight / (values - 1) as f32, values },
        }
    }

    /// Puts the places of codes into every `stride`-th number, from the first on. Among values that are there, the
    /// missing value has no place: it is not a number, which widens no box.
    pub fn place(&self, codes: &[u32], into: &mut [f32], stride: usize, mixed: bool) {
        let places = into.iter_mut().step_by(stride);
        let missing = if mixed { f32::NAN } else { 0.0 };
        match *self {
            BoxAxis::Even { step, values } => {
                for (place, &code) in places.zip(codes) {
                    *place = if code < values { code as f32 * step } else { missing };
                }
            }
            BoxAxis::Table { shares, weight } => {
                for (place, &code) in places.zip(codes) {
                    *place = shares.get(code as usize).map_or(missing, |share| share * weight);
                }
            }
        }
    }
}
