//! Claims of the papers: a sentence, what it says of the numbers of a figure, and the limit that it names.
//!
//! A claim is judged from the panels of its figure alone, so that the file with the numbers gives the same verdict again.
//! Limits are those of the papers. Where a paper has only a word, one reading serves all figures: what is *close*
//! or *independent* differs by at most a twentieth ([`NEAR`]), a *small* share is at most a tenth ([`SMALL`]), and what is *much*
//! more is at least twice as much ([`MUCH`]). Such a claim names the word that was read.

use super::sweep::Sweep;
use crate::number::Measured;
use serde_json::{Value, json};

/// At most a twentieth more: *close*, *comparable*, *independent*, *does not suffer*.
pub const NEAR: f64 = 1.05;
/// A *small* share.
pub const SMALL: f64 = 0.1;
/// At least twice: *much*, *far*, *substantially*, *greatly*, *significantly*.
pub const MUCH: f64 = 2.0;

/// How far sums of the same numbers in different orders can lie apart.
const ROUNDING: f64 = 1e-9;

/// What became of a claim, or of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so.
    Holds,
    /// It is not so.
    DoesNotHold,
    /// What was measured does not tell.
    NotDecided,
    /// There is no claim: the figure explains something.
    Illustration,
}

impl Verdict {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotDecided => "not decided",
            Verdict::Illustration => "illustration, no experiment",
        }
    }

    /// Of several things that must all be so.
    pub fn all(each: impl IntoIterator<Item = Verdict>) -> Verdict {
        let each: Vec<Verdict> = each.into_iter().collect();
        match each {
            _ if each.contains(&Verdict::DoesNotHold) => Verdict::DoesNotHold,
            _ if each.is_empty() || each.contains(&Verdict::NotDecided) => Verdict::NotDecided,
            _ => Verdict::Holds,
        }
    }
}

/// A series of a panel: the number of the panel among those with series, and the name.
pub type Line = (usize, &'static str);

/// The numbers that a claim is about.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// A series.
    Value(Line),
    /// One series over another, place by place.
    Ratio(Line, Line),
    /// Each value of a series over the one before.
    Steps(Line),
    /// The last value of a series over the first.
    Ends(Line),
    /// The greatest value of a series over the least.
    Range(Line),
}

/// At which places.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// At every place.
    Every,
    /// At every place where the parameter is above a number,
    Above(f64),
    /// or at most a number.
    UpTo(f64),
    /// At some place: "up to".
    Best,
    /// At all places but so many.
    AllBut(usize),
    /// On average, which is the geometric mean.
    Mean,
    /// At the first place.
    First,
    /// At the last place.
    Last,
}

/// What they are said to be.
#[derive(Clone, Copy, Debug)]
pub enum Is {
    /// Less than a limit.
    Below(f64),
    /// Not more than a limit.
    AtMost(f64),
    /// More than a limit.
    Over(f64),
    /// Not less than a limit.
    AtLeast(f64),
    /// Exactly a number.
    Exactly(f64),
}

/// What a paper says about a figure.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The sentence of the paper, shortened.
    pub says: &'static str,
    /// Which numbers,
    pub of: Of,
    /// where,
    pub at: At,
    /// are what.
    pub is: Is,
    /// The word that the limit is a reading of, where the paper names no number.
    pub reading: Option<&'static str>,
    /// Whether the verdict of the figure depends on it. What stands beside is shown and judged, and decides nothing.
    pub decides: bool,
}

/// What was found about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What became of it.
    pub verdict: Verdict,
    /// The numbers that decided.
    pub found: String,
}

impl Claim {
    /// A claim that decides, with the limit of the paper.
    pub const fn new(says: &'static str, of: Of, at: At, is: Is) -> Self {
        Claim { says, of, at, is, reading: None, decides: true }
    }

    /// The same, with a limit that is a reading of a word.
    pub const fn reading(mut self, word: &'static str) -> Self {
        self.reading = Some(word);
        self
    }

    /// The same, as something that is shown beside and does not decide.
    pub const fn beside(mut self) -> Self {
        self.decides = false;
        self
    }

    /// What is asked of the numbers, in words.
    pub fn asks(&self) -> String {
        let at = match self.at {
            At::Every => "everywhere".to_string(),
            At::Above(limit) => format!("above {limit}"),
            At::UpTo(limit) => format!("up to {limit}"),
            At::Best => "at best".to_string(),
            At::AllBut(many) => format!("at all places but {many}"),
            At::Mean => "on average".to_string(),
            At::First => "at the first place".to_string(),
            At::Last => "at the last place".to_string(),
        };
        let at =
            if matches!(self.of, Of::Ends(_) | Of::Range(_)) { String::new() } else { format!(", {at}") };
        let word = self.reading.map_or(String::new(), |word| format!(" (our reading of “{word}”)"));
        format!("{}: {}{at}{word}", self.of.text(), self.is.text())
    }

    /// Judges the claim from the panels of its figure.
    pub fn judge(&self, panels: &[&Sweep]) -> Finding {
        let places = self.of.places(panels);
        let chosen: Vec<&(String, Measured)> =
            places.iter().filter(|(label, _)| self.at.holds_for(label)).collect();
        let numbers: Vec<Measured> = chosen.iter().map(|(_, number)| *number).collect();
        let one = |number: Option<Measured>| number.map_or(Verdict::NotDecided, |number| self.is.of(number));
        let each = || numbers.iter().map(|number| self.is.of(*number));
        let many = |wanted: Verdict| each().filter(|found| *found == wanted).count();
        let verdict = match self.at {
            At::Every | At::Above(_) | At::UpTo(_) => Verdict::all(each()),
            At::Best if many(Verdict::Holds) > 0 => Verdict::Holds,
            At::Best if many(Verdict::NotDecided) > 0 || numbers.is_empty() => Verdict::NotDecided,
            At::Best => Verdict::DoesNotHold,
            At::AllBut(most) if many(Verdict::DoesNotHold) > most => Verdict::DoesNotHold,
            At::AllBut(most) if numbers.is_empty() || numbers.len() - many(Verdict::Holds) > most => {
                Verdict::NotDecided
            }
            At::AllBut(_) => Verdict::Holds,
            At::Mean => one(average(&numbers)),
            At::First => one(numbers.first().copied()),
            At::Last => one(numbers.last().copied()),
        };
        Finding { verdict, found: self.found(&chosen, &numbers) }
    }

    /// The numbers, and where they are not as claimed.
    fn found(&self, chosen: &[&(String, Measured)], numbers: &[Measured]) -> String {
        let of = |at: &str, number: Option<Measured>| match number {
            Some(number) => format!("{} {at}", number.text()).trim_end().to_string(),
            None => "nothing was measured".to_string(),
        };
        let label = |place: Option<&&(String, Measured)>| {
            place.map_or(String::new(), |(label, _)| format!("at {label}"))
        };
        match self.at {
            _ if matches!(self.of, Of::Ends(_) | Of::Range(_)) => of("", numbers.first().copied()),
            At::Mean => of("on average", average(numbers)),
            At::First => of(&label(chosen.first()), numbers.first().copied()),
            At::Last => of(&label(chosen.last()), numbers.last().copied()),
            _ if numbers.is_empty() => "nothing was measured".to_string(),
            _ => {
                let known: Vec<Measured> =
                    numbers.iter().copied().filter(|number| !number.low.is_nan()).collect();
                let spread = Measured::between(Measured::least(&known).low, Measured::most(&known).high);
                let named = |wanted: Verdict, word: &str| {
                    let places: Vec<&str> = chosen
                        .iter()
                        .filter(|(_, number)| self.is.of(*number) == wanted)
                        .map(|(label, _)| label.as_str())
                        .collect();
                    let said = || format!("; {word} {}", places.join(", "));
                    if places.is_empty() { String::new() } else { said() }
                };
                let bad = match self.at {
                    At::Best => String::new(),
                    _ => named(Verdict::DoesNotHold, "not at") + &named(Verdict::NotDecided, "open at"),
                };
                format!("{}{bad}", spread.text())
            }
        }
    }

    /// For the file with the verdict.
    pub fn json(&self, finding: &Finding) -> Value {
        json!({
            "says": self.says,
            "asks": self.asks(),
            "found": finding.found,
            "verdict": finding.verdict.text(),
            "decides": self.decides,
        })
    }
}

/// The geometric mean of some numbers.
fn average(numbers: &[Measured]) -> Option<Measured> {
    let of = |end: fn(&Measured) -> f64| {
        (numbers.iter().map(|number| end(number).ln()).sum::<f64>() / numbers.len() as f64).exp()
    };
    (!numbers.is_empty()).then(|| Measured::between(of(|number| number.low), of(|number| number.high)))
}

impl At {
    /// Whether a place counts.
    fn holds_for(self, label: &str) -> bool {
        let number = || label.parse::<f64>().unwrap_or(f64::NAN);
        match self {
            At::Above(limit) => number() > limit,
            At::UpTo(limit) => number() <= limit,
            _ => true,
        }
    }
}

impl Is {
    fn text(self) -> String {
        match self {
            Is::Below(limit) => format!("below {limit}"),
            Is::AtMost(limit) => format!("at most {limit}"),
            Is::Over(limit) => format!("over {limit}"),
            Is::AtLeast(limit) => format!("at least {limit}"),
            Is::Exactly(limit) => format!("exactly {limit}"),
        }
    }

    /// Whether a number is so: only where all that it may be is, or none of it.
    fn of(self, Measured { low, high }: Measured) -> Verdict {
        // Sums of the same numbers in another order are the same.
        let (less, more) = (1.0 - ROUNDING, 1.0 + ROUNDING);
        let (holds, fails) = match self {
            Is::Below(limit) => (high < limit * less, low >= limit * less),
            Is::AtMost(limit) => (high <= limit * more, low > limit * more),
            Is::Over(limit) => (low > limit * more, high <= limit * more),
            Is::AtLeast(limit) => (low >= limit * less, high < limit * less),
            Is::Exactly(limit) => {
                (low >= limit * less && high <= limit * more, low > limit * more || high < limit * less)
            }
        };
        match (holds, fails) {
            (true, _) => Verdict::Holds,
            (_, true) => Verdict::DoesNotHold,
            _ => Verdict::NotDecided,
        }
    }
}

impl Of {
    /// The series that it is about.
    #[cfg(test)]
    pub fn lines(self) -> Vec<Line> {
        match self {
            Of::Value(line) | Of::Steps(line) | Of::Ends(line) | Of::Range(line) => vec![line],
            Of::Ratio(over, under) => vec![over, under],
        }
    }

    fn text(self) -> String {
        match self {
            Of::Value((_, name)) => name.to_string(),
            Of::Ratio((_, over), (_, under)) => format!("{over} over {under}"),
            Of::Steps((_, name)) => format!("{name}, each over the one before"),
            Of::Ends((_, name)) => format!("{name}, the last over the first"),
            Of::Range((_, name)) => format!("{name}, the greatest over the least"),
        }
    }

    /// The numbers with the places that they are measured at.
    fn places(self, panels: &[&Sweep]) -> Vec<(String, Measured)> {
        let of = |(panel, name): Line| -> Vec<(String, Measured)> {
            let Some(panel) = panels.get(panel) else { return Vec::new() };
            panel.labels.iter().cloned().zip(panel.of(name).iter().copied()).collect()
        };
        match self {
            Of::Value(line) => of(line),
            Of::Ratio(over, under) => {
                let pairs = of(over).into_iter().zip(of(under));
                pairs.map(|((label, over), (_, under))| (label, over.over(under))).collect()
            }
            Of::Steps(line) => {
                let each = of(line);
                each.windows(2).map(|two| (two[1].0.clone(), two[1].1.over(two[0].1))).collect()
            }
            Of::Ends(line) => match of(line).as_slice() {
                [first, .., last] => vec![(last.0.clone(), last.1.over(first.1))],
                _ => Vec::new(),
            },
            Of::Range(line) => {
                let all: Vec<Measured> = of(line).into_iter().map(|(_, number)| number).collect();
                let range = || Measured::most(&all).over(Measured::least(&all));
                if all.is_empty() { Vec::new() } else { vec![(String::new(), range())] }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(lines: &[(&str, &[Measured])]) -> Sweep {
        let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
        let mut sweep = Sweep::new("t", "k", "m", &names);
        for at in 0..lines[0].1.len() {
            sweep.push(10 * (at + 1), lines.iter().map(|(_, values)| values[at]).collect()).unwrap();
        }
        sweep
    }

    fn exact(values: &[f64]) -> Vec<Measured> {
        values.iter().map(|&value| value.into()).collect()
    }

    fn judged(of: Of, at: At, is: Is, a: &[Measured], b: &[Measured]) -> Verdict {
        Claim::new("", of, at, is).judge(&[&panel(&[("a", a), ("b", b)])]).verdict
    }

    const RATIO: Of = Of::Ratio((0, "a"), (0, "b"));
    use Verdict::{DoesNotHold, Holds, NotDecided};

    #[test]
    fn places_are_judged_both_ways() {
        let ratio = |at, is, a: &[f64]| judged(RATIO, at, is, &exact(a), &exact(&[1.0, 1.0, 1.0]));
        assert_eq!(ratio(At::Every, Is::Below(2.0), &[1.0, 1.9, 1.0]), Holds);
        assert_eq!(ratio(At::Every, Is::Below(2.0), &[1.0, 2.0, 1.0]), DoesNotHold);
        assert_eq!(ratio(At::Every, Is::AtMost(2.0), &[1.0, 2.0, 1.0]), Holds);
        assert_eq!(ratio(At::Every, Is::AtMost(2.0), &[1.0, f64::NAN, 1.0]), NotDecided);
        assert_eq!(ratio(At::Above(10.0), Is::Over(2.0), &[1.0, 3.0, 3.0]), Holds);
        assert_eq!(ratio(At::Above(10.0), Is::Over(2.0), &[3.0, 3.0, 2.0]), DoesNotHold);
        assert_eq!(ratio(At::Above(99.0), Is::Over(2.0), &[3.0, 3.0, 3.0]), NotDecided, "no place");
        assert_eq!(ratio(At::UpTo(10.0), Is::Over(2.0), &[3.0, 1.0, 1.0]), Holds);
        assert_eq!(ratio(At::Best, Is::AtLeast(3.0), &[1.0, 3.0, 1.0]), Holds);
        assert_eq!(ratio(At::Best, Is::AtLeast(3.0), &[1.0, 2.9, 1.0]), DoesNotHold);
        assert_eq!(ratio(At::AllBut(1), Is::Below(1.0), &[0.5, 1.5, 0.5]), Holds);
        assert_eq!(ratio(At::AllBut(1), Is::Below(1.0), &[0.5, 1.5, 1.5]), DoesNotHold);
        assert_eq!(ratio(At::Mean, Is::AtLeast(2.0), &[1.0, 2.0, 4.0]), Holds);
        assert_eq!(ratio(At::Mean, Is::AtLeast(2.1), &[1.0, 2.0, 4.0]), DoesNotHold);
        assert_eq!(ratio(At::First, Is::Exactly(1.0), &[1.0, 2.0, 4.0]), Holds);
        let rounded = 3.0 + 4.0 * f64::EPSILON;
        assert_eq!(ratio(At::First, Is::AtMost(3.0), &[rounded, 1.0, 1.0]), Holds);
        assert_eq!(ratio(At::First, Is::Over(3.0), &[rounded, 1.0, 1.0]), DoesNotHold);
        assert_eq!(ratio(At::Last, Is::Exactly(1.0), &[1.0, 2.0, 4.0]), DoesNotHold);
    }

    #[test]
    fn series_are_judged_both_ways() {
        let one = |of, is, a: &[f64]| judged(of, At::Every, is, &exact(a), &exact(a));
        let line = (0, "a");
        assert_eq!(one(Of::Steps(line), Is::AtLeast(1.0), &[1.0, 1.0, 2.0]), Holds);
        assert_eq!(one(Of::Steps(line), Is::AtLeast(1.0), &[1.0, 0.9, 2.0]), DoesNotHold);
        assert_eq!(one(Of::Ends(line), Is::Below(1.0), &[2.0, 3.0, 1.0]), Holds);
        assert_eq!(one(Of::Ends(line), Is::Below(1.0), &[2.0, 1.0, 2.0]), DoesNotHold);
        assert_eq!(one(Of::Range(line), Is::AtMost(1.5), &[2.0, 3.0, 2.0]), Holds);
        assert_eq!(one(Of::Range(line), Is::AtMost(1.4), &[2.0, 3.0, 2.0]), DoesNotHold);
        assert_eq!(one(Of::Value(line), Is::AtMost(3.0), &[2.0, 3.0, 2.0]), Holds);
        assert_eq!(one(Of::Value((1, "a")), Is::AtMost(3.0), &[2.0, 3.0, 2.0]), NotDecided, "no such panel");
    }

    /// A search that was not over decides nothing that its end could change.
    #[test]
    fn what_a_limit_cut_off_decides_only_what_cannot_change() {
        let found = |low, high| {
            judged(RATIO, At::Every, Is::Below(1.0), &[Measured::between(low, high)], &exact(&[1.0]))
        };
        assert_eq!((found(0.1, 0.9), found(0.1, 1.2), found(1.0, 1.2)), (Holds, NotDecided, DoesNotHold));
        let time = |low| judged(RATIO, At::Every, Is::Over(2.0), &[Measured::at_least(low)], &exact(&[1.0]));
        assert_eq!((time(3.0), time(1.0)), (Holds, NotDecided));
        let both = [Measured::at_least(3.0)];
        assert_eq!(judged(RATIO, At::Every, Is::Over(1.0), &both, &both), NotDecided);
        let mean =
            |high| judged(RATIO, At::Mean, Is::AtMost(2.0), &[Measured::between(1.0, high)], &exact(&[1.0]));
        assert_eq!((mean(2.0), mean(3.0)), (Holds, NotDecided));
    }

    #[test]
    fn what_was_found_names_the_places_against_it() {
        let panel = panel(&[
            ("a", &[0.5.into(), 2.0.into(), Measured::between(0.95, 1.05)]),
            ("b", &exact(&[1.0; 3])),
        ]);
        let claim = Claim::new("", RATIO, At::Every, Is::Below(1.0));
        assert_eq!(claim.judge(&[&panel]).found, "0.50..2.00; not at 20; open at 30");
        assert_eq!(claim.asks(), "a over b: below 1, everywhere");
        let claim = Claim::new("", RATIO, At::Last, Is::AtMost(NEAR)).reading("close");
        assert_eq!(
            claim.judge(&[&panel]),
            Finding { verdict: Verdict::Holds, found: "0.95..1.05 at 30".into() }
        );
        assert!(claim.asks().ends_with("at the last place (our reading of “close”)"));
        assert_eq!(Verdict::all([Holds, NotDecided]), NotDecided);
        assert_eq!(Verdict::all([NotDecided, DoesNotHold]), DoesNotHold);
        assert_eq!(Verdict::all([]), NotDecided);
    }
}
