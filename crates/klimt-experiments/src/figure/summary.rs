//! The table of all verdicts as a document.

use super::claim::{MUCH, NEAR, SMALL, Verdict};
use super::outcome::judge;
use super::page::{Shown, count, verdict};
use super::registry::PAPERS;
use std::fmt::Write;

/// A cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// The head of the document: what was done, and how verdicts are made.
fn head(shown: &[Shown<'_>]) -> String {
    let near = 100.0 * (NEAR - 1.0);
    let small = 100.0 * SMALL;
    format!(
        "# The figures of the papers

This page is made by

```sh
./target/release/klimt-experiments figure all --out figures --markdown docs/experiments.md
```

which runs every experiment of the five papers, writes the numbers, the picture and the verdict of each into `figures`, and
the page `figures/index.html` with all pictures. `figure all --again --out figures --markdown docs/experiments.md` runs nothing and
judges again from the numbers in `figures/NAME.csv`, which say of every number what it is at least and at most.

{} figures and tables: {} hold, {} do not hold, {} are not decided, {} are illustrations.

- A figure *holds* when every claim about it does, and *does not hold* when one does not. Otherwise it is *not decided*.
- Claims are sentences of the papers, and limits are theirs. Where a paper has only a word, one reading serves all figures: *close*,
  *independent*, *comparable* and *negligible* differ by at most {near:.0} %, a *small* share is at most {small:.0} %, and *much*, *greatly*,
  *substantially* and *significantly* more is at least {MUCH} times as much. Such limits are marked as our reading.
- The algorithm is that of the paper. GenSearch runs as it was published; Li and Li's search has their own seeding and
  prunings only. What stands *beside* (another baseline, klimt's own search) is judged, and decides nothing.
- A search that was not over in its time tells only bounds: what the best costs lies between what was proven and
  what was found, and its time is at least what was measured. Clocks have a spread over several rounds. A claim
  is decided only where every number between the bounds gives the same answer.
- Sizes are those that ran, beside those of the paper where they differ. A verdict is about that size.
- The generator `census` stands in for Census-Income and for the Census database, `sales` for the data of Lands End, which
  cannot be had: what is said of these says nothing about the originals.
",
        shown.len(),
        count(shown, Verdict::Holds),
        count(shown, Verdict::DoesNotHold),
        count(shown, Verdict::NotDecided),
        count(shown, Verdict::Illustration)
    )
}

/// The document.
pub fn summary(shown: &[Shown<'_>]) -> String {
    let mut out = head(shown);
    for paper in &PAPERS {
        let of_paper = || shown.iter().filter(|(figure, _)| figure.paper().system == paper.system);
        if of_paper().next().is_none() {
            continue;
        }
        let _ = write!(
            out,
            "\n## {}\n\n| figure | verdict | claim of the paper | asked | measured |\n|---|---|---|---|---|\n",
            paper.cited
        );
        of_paper().for_each(|one| rows(&mut out, one));
        let _ = write!(out, "\n| figure | what it shows | size | data and notes |\n|---|---|---|---|\n");
        of_paper().for_each(|one| sizes(&mut out, one));
        let explained: Vec<&str> =
            of_paper().filter(|(figure, _)| figure.run.is_none()).map(|(figure, _)| figure.name).collect();
        if !explained.is_empty() {
            let _ = write!(out, "\nIllustrations, no experiments: {}.\n", explained.join(", "));
        }
    }
    out
}

/// The verdict of a figure, and a line for each of its claims.
fn rows(out: &mut String, one: &Shown<'_>) {
    let (figure, Some(outcome)) = one else { return };
    let _ = writeln!(
        out,
        "| `{}` | **{}** | {} | | |",
        figure.name,
        verdict(one).text(),
        cell(figure.undecidable)
    );
    for (claim, finding) in judge(figure, outcome).findings {
        let _ = writeln!(
            out,
            "| | {} | {}{} | {} | {} |",
            finding.verdict.text(),
            if claim.decides { "" } else { "*beside:* " },
            cell(claim.says),
            cell(&claim.asks()),
            cell(&finding.found)
        );
    }
}

/// What a figure ran on.
fn sizes(out: &mut String, one: &Shown<'_>) {
    let (figure, Some(outcome)) = one else { return };
    let run = &outcome.run;
    let notes: Vec<&str> =
        [run.data.as_str(), run.notes.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
    let (title, size, notes) = (cell(figure.title), cell(&run.size()), cell(&notes.join("; ")));
    let _ = writeln!(out, "| `{}` | {title} | {size} | {notes} |", figure.name);
}
