//! Where an axis has its ticks: at round numbers.

/// Aims at about this many ticks.
const WANTED: f64 = 5.0;

/// Round numbers inside a range, its ends included. The range has finite ends, the lower one first, and is not empty.
pub(crate) fn linear(low: f64, high: f64) -> Vec<f64> {
    let step = round_step((high - low) / WANTED);
    let first = (low / step).ceil();
    let mut ticks = Vec::new();
    for at in 0..20 {
        let tick = (first + f64::from(at)) * step;
        if tick > high + step * 1e-9 {
            break;
        }
        // A sum of tenths that should be zero is zero.
        ticks.push(if tick.abs() < step * 1e-9 { 0.0 } else { tick });
    }
    ticks
}

/// The next round ends outside a range.
pub(crate) fn widened(low: f64, high: f64) -> (f64, f64) {
    let step = round_step((high - low) / WANTED);
    ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step)
}

/// 1, 2 or 5 times a power of ten, at least this.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let found = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    let step = found.unwrap_or(10.0) * power;
    if step.is_finite() && step > 0.0 { step } else { f64::MIN_POSITIVE }
}

/// Powers of ten in a range of positive numbers, with 2 and 5 times of these where there are few powers.
pub(crate) fn logarithmic(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let span = (high / low).log10();
    let factors: &[f64] = match span {
        s if s <= 1.3 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
        s if s <= 3.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let every = ((last - first) / 8).max(1) as usize;
    let inside = |tick: &f64| *tick >= low * (1.0 - 1e-9) && *tick <= high * (1.0 + 1e-9);
    let powers = (first..=last).step_by(every);
    powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power))).filter(inside).collect()
}
