//! A release that is counted segment by segment, because it is too large to be counted at once.

use crate::{
    Findings, Histograms, Question, Tally,
    claims::{ClaimedValues, Outcome, PromiseFacts, Promises, Segment, WholeRelease},
    findings::FindingSums,
    histograms::CodedCells,
};
use klimt_core::requirement::Requirement;
use klimt_core::{Error, Result};

/// Verifies a release in segments, with memory for one segment at a time.
///
/// Every requirement is monotone under merging: groups that satisfy it satisfy it together. So if the groups
/// of each segment do, the groups of the release do, whichever segments publish alike. Findings count a tuple
/// of two segments as two groups, except for rows of stars; a caller that cuts a release into segments must
/// cut it between groups. Nothing in a release of klimt is suppressed.
///
/// Some requirements compare a group with the distribution of the whole release, which is not known before
/// its end. The caller then claims this distribution beforehand. The verifier checks every segment by it, and
/// fails at the end unless the distribution that it counted equals the claim.
pub struct Segments<'r> {
    requirements: &'r [Box<dyn Requirement>],
    facts: &'r PromiseFacts,
    question: Question,
    bound: Option<(WholeRelease, Promises<'r>)>,
    sums: Option<FindingSums>,
    /// The rows that are published as `*` in every quasi-identifier: one group, whichever segments they come in.
    stars: Option<Tally>,
}

impl<'r> Segments<'r> {
    /// The segments of a release that is one segment, with which its groups are compared.
    pub fn one(
        requirements: &'r [Box<dyn Requirement>],
        facts: &'r PromiseFacts,
        question: Question,
    ) -> Self {
        Segments { requirements, facts, question, bound: None, sums: None, stars: None }
    }

    /// The segments of a release of `rows` rows, whose sensitive columns have the claimed values, about so many people, where
    /// these are known.
    pub fn of_whole(
        requirements: &'r [Box<dyn Requirement>],
        facts: &'r PromiseFacts,
        question: Question,
        rows: u64,
        told: Vec<ClaimedValues>,
        people: Option<u64>,
    ) -> Result<Self> {
        let whole = WholeRelease::new(rows, told, &facts.sensitive)?.of_people(people);
        let promises = Promises::new(each(requirements), &whole);
        Ok(Segments { bound: Some((whole, promises)), ..Segments::one(requirements, facts, question) })
    }

    /// Takes in the next segment. Fails where requirements make no sense, or values were not to be published.
    pub fn segment(&mut self, tally: &Tally) -> Result<()> {
        if self.bound.is_none() {
            let whole = WholeRelease::of(tally, &self.facts.sensitive)?;
            let promises = Promises::new(each(self.requirements), &whole);
            self.bound = Some((whole, promises));
        }
        let Some((whole, promises)) = &mut self.bound else {
            return Err(Error::internal("a segment has no whole to be compared with"));
        };
        let codes = whole.see(tally)?;
        let stars = tally.stars();
        let of_people = whole.see_people(tally, &codes, stars)?;
        if let Some(number) = stars {
            let only = tally.only(number)?;
            self.stars = Some(self.stars.take().map_or(Ok(only.clone()), |stars| stars.merge(only))?);
        }
        let sums = self.sums.get_or_insert_with(|| FindingSums::new(tally, &self.question));
        count(sums, promises, tally, stars, (codes, of_people), self.facts)
    }

    /// Finishes the verification: the findings about all segments together, and an outcome for each
    /// requirement.
    pub fn finish(self) -> Result<(Findings, Vec<Outcome>)> {
        let (Some((mut whole, mut promises)), Some(mut sums)) = (self.bound, self.sums) else {
            return Err(Error::internal("a release was checked without a segment"));
        };
        whole.complete()?;
        if let Some(stars) = self.stars {
            let codes = whole.see(&stars)?;
            let of_people = whole.see_people(&stars, &codes, None)?;
            count(&mut sums, &mut promises, &stars, None, (codes, of_people), self.facts)?;
        }
        let mut findings = sums.finish(0)?;
        if let (Some(found), Some(people)) = (&mut findings.people, whole.seen_people()) {
            found.people = people;
        }
        let outcomes = promises.outcomes(findings.smallest_group);
        Ok((findings, outcomes))
    }
}

fn each(requirements: &[Box<dyn Requirement>]) -> impl Iterator<Item = &dyn Requirement> {
    requirements.iter().map(|requirement| &**requirement)
}

/// Counts the groups of a tally, one tuple left out where that is counted later.
fn count(
    sums: &mut FindingSums,
    promises: &mut Promises<'_>,
    tally: &Tally,
    except: Option<u32>,
    (codes, of_people): (Vec<Vec<u32>>, Vec<CodedCells>),
    facts: &PromiseFacts,
) -> Result<()> {
    let groups = tally.tuples().filter(|group| Some(group.number()) != except).collect();
    let cells = tally.sensitive().iter().map(|column: &Histograms| column.cells(except));
    let people = tally.people_of_groups()?;
    let segment = Segment { groups, columns: cells.zip(codes).chain(of_people).collect() };
    let cells = segment.columns.iter().take(tally.sensitive().len()).map(|(cells, _)| cells.as_slice());
    sums.add(segment.groups.iter().copied(), people.as_deref(), cells);
    promises.measure(tally, &segment, facts)
}
