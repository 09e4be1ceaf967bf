//! Ratios of the gamma function, by their logarithm.

/// From here on Stirling's series is exact to about 1e-14.
const LARGE: f64 = 16.0;

/// ln Γ(x + m) − ln Γ(x), for x > 0 and m ≥ 0.
///
/// Two logarithms of Γ that are nearly equal would leave nothing but rounding when they are large, and here x goes
/// up to the size of a population. So Stirling's series is subtracted term by term; below 16 both arguments are
/// first raised with Γ(x + 1) = x·Γ(x).
pub(super) fn ln_gamma_ratio(x: f64, m: f64) -> f64 {
    if x < LARGE {
        let raised: f64 = (0..LARGE as u32).map(|j| x + f64::from(j)).map(|y| (y / (y + m)).ln()).sum();
        return raised + ln_gamma_ratio(x + LARGE, m);
    }
    let y = x + m;
    (x - 0.5) * (m / x).ln_1p() + m * y.ln() - m + rest(y) - rest(x)
}

/// The terms of Stirling's series after (x − ½) ln x − x + ½ ln 2π.
fn rest(x: f64) -> f64 {
    let square = 1.0 / (x * x);
    (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_of_logarithms() {
        for x in [1e-9, 0.2, 1.0, 3.7, 15.99, 16.0, 250.0, 1e6] {
            for m in [0u32, 1, 2, 17, 1000] {
                let sum: f64 = (0..m).map(|j| (x + f64::from(j)).ln()).sum();
                let ratio = ln_gamma_ratio(x, f64::from(m));
                assert!((ratio - sum).abs() <= 1e-12 * (1.0 + sum.abs()), "{x} {m}: {ratio} {sum}");
            }
        }
    }

    #[test]
    fn fractions_and_great_numbers() {
        // Γ(1/2) = √π and Γ(1) = 1.
        assert!((ln_gamma_ratio(0.5, 0.5) + std::f64::consts::PI.ln() / 2.0).abs() < 1e-14);
        // Γ(x + m) / Γ(x) is x^m for a great x.
        assert!((ln_gamma_ratio(1e18, 0.25) - 0.25 * 1e18f64.ln()).abs() < 1e-9);
        assert_eq!(ln_gamma_ratio(1e18, 0.0), 0.0);
    }
}
