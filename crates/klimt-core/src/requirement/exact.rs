//! Comparisons of products without rounding.

use std::cmp::Ordering;

/// Compares `a · b` with `c · d`.
#[inline]
pub fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    match (a.checked_mul(b), c.checked_mul(d)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => wide_product(a, b).cmp(&wide_product(c, d)),
    }
}

/// The product as its upper and its lower half.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const HALF: u32 = 64;
    const LOW: u128 = (1 << HALF) - 1;
    let (a_high, a_low, b_high, b_low) = (a >> HALF, a & LOW, b >> HALF, b & LOW);
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> HALF);
    let other = a_low * b_high + (middle & LOW);
    (a_high * b_high + (middle >> HALF) + (other >> HALF), (other << HALF) | (low & LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_compare_like_big_numbers(a: u128, b: u128, c: u128, d: u128, small in 0u32..127) {
            let wide = |x: u128, y: u128| BigUint::from(x) * BigUint::from(y);
            prop_assert_eq!(compare_products(a, b, c, d), wide(a, b).cmp(&wide(c, d)));
            prop_assert_eq!(compare_products(a >> small, b, b, a >> small), Ordering::Equal);
            let (high, low) = wide_product(a, b);
            prop_assert_eq!((BigUint::from(high) << 128u32) + low, wide(a, b));
        }
    }
}
