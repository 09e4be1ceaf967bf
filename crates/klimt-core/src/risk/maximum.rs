//! The maximum of a function of one variable.

/// How often the golden section narrows the interval: to a 10^-12th of it.
const NARROWINGS: usize = 58;

/// Where a continuous function is greatest in `lo..=hi`, and how great.
///
/// The best of `steps + 1` points at equal distances, then the golden section between its neighbours. It finds the
/// maximum of every function with one peak, and of others whose peaks are wider than a step. The ends count: a
/// maximum there is returned as it is.
pub(super) fn maximum(lo: f64, hi: f64, steps: u32, function: impl Fn(f64) -> f64) -> (f64, f64) {
    let at = |step: u32| lo + (hi - lo) * f64::from(step) / f64::from(steps);
    let mut best = (lo, f64::NEG_INFINITY);
    let mut best_step = 0;
    for step in 0..=steps {
        let value = function(at(step));
        if value > best.1 {
            (best, best_step) = ((at(step), value), step);
        }
    }
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (at(best_step.saturating_sub(1)), at((best_step + 1).min(steps)));
    let point = |x: f64| (x, function(x));
    let (mut left, mut right) = (point(b - golden * (b - a)), point(a + golden * (b - a)));
    for _ in 0..NARROWINGS {
        let better = if left.1 >= right.1 { left } else { right };
        if better.1 > best.1 {
            best = better;
        }
        if left.1 >= right.1 {
            (b, right) = (right.0, left);
            left = point(b - golden * (b - a));
        } else {
            (a, left) = (left.0, right);
            right = point(a + golden * (b - a));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_and_ends_are_found() {
        let (at, value) = maximum(-3.0, 7.0, 10, |x| 5.0 - (x - 1.2345).powi(2));
        assert!((at - 1.2345).abs() < 1e-6 && (value - 5.0).abs() < 1e-12, "{at}");
        assert_eq!(maximum(0.0, 1.0, 8, |x| -x), (0.0, 0.0));
        assert_eq!(maximum(0.0, 1.0, 8, |x| x), (1.0, 1.0));
        // The higher of two peaks.
        let (at, _) = maximum(0.0, 10.0, 20, |x| -(x - 2.3).abs().min((x - 8.1).abs() - 0.5));
        assert!((at - 8.1).abs() < 1e-9, "{at}");
    }
}
