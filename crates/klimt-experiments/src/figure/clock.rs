//! What work takes, with the doubt that the clock leaves.

use crate::Result;
use crate::number::{Measured, mean};
use crate::timing::{DOUBT, Spent, timed};

/// What work took in several rounds, each of as many runs as the clock needs to tell something.
#[derive(Clone, Debug, Default)]
pub struct Clocked {
    /// What a run took on average, and how many there were.
    rounds: Vec<(Spent, usize)>,
    /// Whether a run was cut off: what the work takes is then known only to be more.
    cut_off: bool,
}

/// After so many seconds two rounds will do.
const LONG: f64 = 3.0;

impl Clocked {
    /// Does the work in at most so many rounds of at least so many seconds of processors. Work tells whether it came to its
    /// end; where it did not, it is not done again.
    pub fn new(rounds: usize, seconds: f64, mut work: impl FnMut() -> Result<bool>) -> Result<Self> {
        let (mut found, mut wall) = (Clocked::default(), 0.0);
        let enough = |found: &Clocked, wall: f64| {
            let done = found.rounds.len();
            found.cut_off || done >= rounds.max(1) || (done >= 2 && wall > LONG)
        };
        while !enough(&found, wall) {
            let (mut sum, mut runs) = (Spent::default(), 0usize);
            while runs == 0 || !found.cut_off && sum.cpu() < seconds && sum.wall < 20.0 * seconds {
                let (over, spent) = timed(&mut work)?;
                sum = Spent {
                    wall: sum.wall + spent.wall,
                    user: sum.user + spent.user,
                    kernel: sum.kernel + spent.kernel,
                };
                found.cut_off |= !over;
                runs += 1;
            }
            let share = |sum: f64| sum / runs as f64;
            wall += sum.wall;
            let each = Spent { wall: share(sum.wall), user: share(sum.user), kernel: share(sum.kernel) };
            found.rounds.push((each, runs));
        }
        Ok(found)
    }

    /// What work took that cannot be done again.
    pub fn once(spent: Spent) -> Self {
        Clocked { rounds: vec![(spent, 1)], cut_off: false }
    }

    /// The least and the most that a run took in a round, and what the clock may be off.
    fn between(&self, of: fn(&Spent) -> f64, doubt: f64) -> Measured {
        let each = |sign: f64| {
            let round = move |(spent, runs): &(Spent, usize)| of(spent) + sign * doubt / *runs as f64;
            self.rounds.iter().map(round).collect::<Vec<f64>>()
        };
        let low = each(-1.0).into_iter().fold(f64::INFINITY, f64::min).max(0.0);
        match self.cut_off {
            true => Measured::at_least(low),
            false => Measured::between(low, each(1.0).into_iter().fold(0.0, f64::max)),
        }
    }

    /// Seconds of all processors.
    pub fn cpu(&self) -> Measured {
        self.between(Spent::cpu, DOUBT)
    }

    /// Seconds on the clock.
    pub fn wall(&self) -> Measured {
        self.between(|spent| spent.wall, 0.0)
    }

    /// The mean over the rounds: seconds of the program, of the system, and of waiting.
    pub fn parts(&self) -> Vec<f64> {
        let parts: [fn(&Spent) -> f64; 3] = [|spent| spent.user, |spent| spent.kernel, Spent::waited];
        parts.map(|part| mean(&self.rounds.iter().map(|(spent, _)| part(spent)).collect::<Vec<_>>())).to_vec()
    }

    /// Made-up rounds of one run each.
    #[cfg(test)]
    pub fn of(cpu: &[f64]) -> Self {
        let round = |&user: &f64| (Spent { wall: user, user, kernel: 0.0 }, 1);
        Clocked { rounds: cpu.iter().map(round).collect(), cut_off: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_without_ticks_leaves_all_open() {
        assert_eq!(Clocked::of(&[0.0, 0.0]).cpu(), Measured::between(0.0, DOUBT));
        assert_eq!(Clocked::of(&[1.0, 2.0]).cpu(), Measured::between(1.0 - DOUBT, 2.0 + DOUBT));
        assert_eq!(Clocked::of(&[1.0, 2.0]).wall(), Measured::between(1.0, 2.0));
        let ratio = Clocked::of(&[0.0]).cpu().over(Clocked::of(&[0.0]).cpu());
        assert_eq!((ratio.low, ratio.high), (0.0, f64::INFINITY));
    }

    #[test]
    fn work_is_repeated_until_the_clock_tells() {
        let mut runs = 0;
        let mut work = || {
            runs += 1;
            std::hint::black_box(
                (0..100_000u64).fold(0u64, |sum, number| sum ^ number.wrapping_mul(sum | 1)),
            );
            Ok(true)
        };
        assert_eq!(Clocked::new(2, 0.03, &mut work).unwrap().rounds.len(), 2);
        assert!(runs > 2);
        let cut = Clocked::new(3, 0.03, || Ok(false)).unwrap();
        assert_eq!((cut.rounds.len(), cut.cpu()), (1, Measured::at_least(0.0)));
    }
}
