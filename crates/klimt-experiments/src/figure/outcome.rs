//! What an experiment found, and what that says about the claims of its figure.

use super::claim::{Claim, Finding, Verdict};
use super::registry::Figure;
use super::sweep::Panel;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How large something is here, beside the paper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// What it is.
    pub what: String,
    /// How large it is here.
    pub here: String,
    /// How large it is in the paper; nothing where the paper does not say.
    pub paper: String,
}

impl Size {
    /// How large something is here, beside the paper.
    pub fn new(what: &str, here: impl ToString, paper: impl ToString) -> Self {
        Size { what: what.to_string(), here: here.to_string(), paper: paper.to_string() }
    }

    /// Something that the paper does not tell the size of.
    pub fn unsaid(what: &str, here: impl ToString) -> Self {
        Size::new(what, here, "")
    }

    fn text(&self) -> String {
        let Size { what, here, paper } = self;
        match paper.as_str() {
            "" => format!("{what}: {here} (the paper does not say)"),
            paper if paper == here => format!("{what}: {here}"),
            paper => format!("{what}: {here} (paper: {paper})"),
        }
    }
}

/// What an experiment found.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The numbers, of which all else follows.
    pub panels: Vec<Panel>,
    /// Which data it ran on, what stood in, and how large everything was.
    pub run: Run,
}

impl Outcome {
    /// The numbers of a run.
    pub fn new(panels: impl IntoIterator<Item = impl Into<Panel>>, run: Run) -> Self {
        Outcome { panels: panels.into_iter().map(Into::into).collect(), run }
    }
}

/// What is told of a run beside its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Which data it ran on, and what stood in.
    pub data: String,
    /// How large everything was.
    pub sizes: Vec<Size>,
    /// What else is otherwise than in the paper.
    pub notes: String,
    /// Whether a clock was too coarse or tables too small for any verdict.
    pub trial: bool,
}

impl Run {
    /// What ran, and how large it was.
    pub fn new(data: impl Into<String>, sizes: Vec<Size>, notes: impl Into<String>) -> Self {
        Run { data: data.into(), sizes, notes: notes.into(), trial: false }
    }

    /// The sizes in words.
    pub fn size(&self) -> String {
        let each: Vec<String> = self.sizes.iter().map(Size::text).collect();
        let whole = self.sizes.iter().all(|size| size.paper.is_empty() || size.here == size.paper);
        let end = if whole { "; as in the paper" } else { "" };
        format!("{}{end}", each.join("; "))
    }
}

/// The judgement of a figure.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What became of the figure.
    pub verdict: Verdict,
    /// Each claim with what was found.
    pub findings: Vec<(Claim, Finding)>,
}

/// Judges a figure from its panels.
pub fn judge(figure: &Figure, outcome: &Outcome) -> Judgement {
    let sweeps = Panel::sweeps(&outcome.panels);
    let finding = |claim: &Claim| {
        let mut finding = claim.judge(&sweeps);
        if outcome.run.trial {
            finding.verdict = Verdict::NotDecided;
        }
        (*claim, finding)
    };
    let findings: Vec<(Claim, Finding)> = figure.claims.iter().map(finding).collect();
    let deciding = findings.iter().filter(|(claim, _)| claim.decides).map(|(_, finding)| finding.verdict);
    Judgement { verdict: Verdict::all(deciding), findings }
}

impl Judgement {
    /// For the file with the verdict.
    pub fn json(&self, figure: &Figure, run: &Run) -> Value {
        let claims: Vec<Value> = self.findings.iter().map(|(claim, finding)| claim.json(finding)).collect();
        json!({
            "name": figure.name,
            "paper": figure.paper().cited,
            "title": figure.title,
            "verdict": self.verdict.text(),
            "undecidable": figure.undecidable,
            "claims": claims,
            "run": run,
        })
    }

    /// What was found, claim by claim, in one line.
    pub fn line(&self) -> String {
        let each: Vec<String> = self
            .findings
            .iter()
            .map(|(_, finding)| format!("{} ({})", finding.found, finding.verdict.text()))
            .collect();
        each.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::claim::{At, Is, Of};
    use super::super::sweep::Sweep;
    use super::*;

    const CLAIMS: &[Claim] = &[
        Claim::new("a is below b", Of::Ratio((0, "a"), (0, "b")), At::Every, Is::Below(1.0)),
        Claim::new("b is below c", Of::Ratio((0, "b"), (0, "c")), At::Every, Is::Below(1.0)).beside(),
    ];

    fn verdict(numbers: [f64; 3], trial: bool) -> Verdict {
        let figure = Figure::experiment("mondrian-10", "t", CLAIMS, |_| Ok(Outcome::default()));
        let mut sweep = Sweep::new("t", "k", "m", &["a", "b", "c"]);
        sweep.push(1, numbers.to_vec()).unwrap();
        let run = Run { trial, ..Run::default() };
        judge(&figure, &Outcome { panels: vec![sweep.into()], run }).verdict
    }

    #[test]
    fn what_stands_beside_decides_nothing() {
        assert_eq!(verdict([1.0, 2.0, 3.0], false), Verdict::Holds);
        assert_eq!(verdict([1.0, 2.0, 1.0], false), Verdict::Holds, "the second claim stands beside");
        assert_eq!(verdict([3.0, 2.0, 3.0], false), Verdict::DoesNotHold);
        assert_eq!(verdict([1.0, 2.0, 3.0], true), Verdict::NotDecided, "a trial decides nothing");
    }

    #[test]
    fn sizes_are_told_beside_the_paper() {
        let run = |sizes: &[Size]| Run::new("", sizes.to_vec(), "").size();
        assert_eq!(run(&[Size::new("rows", 7, 7)]), "rows: 7; as in the paper");
        assert_eq!(
            run(&[Size::new("rows", 7, 7), Size::new("splits", 3, 5)]),
            "rows: 7; splits: 3 (paper: 5)"
        );
        assert_eq!(run(&[Size::unsaid("k", 3)]), "k: 3 (the paper does not say); as in the paper");
    }
}
