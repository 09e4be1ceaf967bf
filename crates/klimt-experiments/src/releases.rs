//! Releases that klimt makes in this process: what they lose, what is proven of them, and how they answer queries.

use crate::Result;
use crate::tables::Dataset;
use klimt::prelude::*;
use klimt::query::{Answers, QueryRequest, Questions};
use klimt::{Unobserved, Watched};
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::proof::Claim;
use std::path::Path;

/// Makes a release of a table.
pub fn release(dataset: &Dataset, asked: &Anonymizer) -> Result<Release> {
    Ok(asked.anonymize(dataset.input()?)?)
}

/// The release of a table whose groups are the leaves of an R+-tree; with a base, leaves of at least so many rows are
/// joined to groups.
pub fn tree(
    dataset: &Dataset,
    k: u64,
    base: Option<(u64, LeafGrouping)>,
    preferred: Option<&str>,
) -> Result<Release> {
    // Where k is that of the leaves, every leaf is a group.
    let base = base.filter(|(base, _)| *base < k);
    let algorithm = Algorithm::RTree {
        base_k: base.map(|(base, _)| base),
        by: base.map(|(_, by)| by),
        leaf_capacity: None,
        prefer: preferred.into_iter().map(String::from).collect(),
    };
    release(dataset, &dataset.groups_of(k)?.algorithm(algorithm))
}

/// The release of a table by cuts at the median, with the boundaries of the cuts or with the smallest regions.
pub fn median(dataset: &Dataset, k: u64, extents: Extents) -> Result<Release> {
    release(dataset, &dataset.groups_of(k)?.extent(extents))
}

/// A loss of a release, in all its digits; not a number where it does not apply.
pub fn loss(release: &Release, name: &str) -> f64 {
    release.exact_certificate().loss(name).unwrap_or(f64::NAN)
}

/// The least and the most that the best release of a search's family may lose, by what was proven and what was found.
pub fn least(release: &Release, name: &str) -> (f64, f64) {
    let (certificate, found) = (release.exact_certificate(), loss(release, name));
    match (certificate.proven, certificate.search.as_ref().and_then(|search| search.bound)) {
        (Claim::Optimal, _) => (found, found),
        (_, bound) => (bound.unwrap_or(0.0).max(0.0), found),
    }
}

/// Queries about a table.
pub struct Queries<'d> {
    dataset: &'d Dataset,
    questions: Questions,
}

impl<'d> Queries<'d> {
    /// As many counts as are wanted of the rows between two random ones (Iwuchukwu, Naughton, section 5.4).
    pub fn ranges(dataset: &'d Dataset, about: &[String], many: usize) -> Self {
        Queries { dataset, questions: Questions::random(many).seed(1).about(about) }
    }

    /// A count for every value of a column, occurring or not.
    pub fn values(dataset: &'d Dataset, column: &str) -> Self {
        Queries { dataset, questions: Questions::values().about([column]) }
    }

    /// Asks a release.
    pub fn answers(&self, release: &Release) -> Result<Answers> {
        let columns = &self.dataset.asked.settings().columns;
        // Where a column has a hierarchy the release is read twice.
        if columns.values().any(|column| column.hierarchy.is_some()) {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("release.csv");
            release.save(&path)?;
            return self.ask(Input::file(&path)?);
        }
        self.ask(Input::batch_reader(release.reader()?))
    }

    fn ask(&self, release: Input) -> Result<Answers> {
        let watched = Watched::by(&Unobserved);
        Ok(self.request().run(self.dataset.input()?, Some(release), &watched)?)
    }

    fn request(&self) -> QueryRequest {
        QueryRequest::of(self.dataset.asked.settings().clone(), self.questions.clone())
    }

    /// Writes the queries to a file, for releases that are made for them.
    pub fn save(&self, path: &Path) -> Result<()> {
        let request = self.request().save_to(path.display().to_string());
        request.run(self.dataset.input()?, None, &Watched::by(&Unobserved))?;
        Ok(())
    }

    /// The mean relative error of a release where every group is counted that a query meets.
    pub fn matched(&self, release: &Release) -> Result<f64> {
        let errors = self.answers(release)?.errors.and_then(|errors| errors.matched_error);
        Ok(errors.ok_or("no query has an answer")?.mean)
    }

    /// The mean relative error of a release where rows are spread evenly over their region.
    pub fn relative(&self, release: &Release) -> Result<f64> {
        let errors = self.answers(release)?.errors.and_then(|errors| errors.error);
        Ok(errors.ok_or("no query has an answer")?.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{As, Tables, quasi};
    use klimt::generate::Parameters;

    #[test]
    fn a_search_that_was_not_over_tells_only_bounds() {
        let (_folder, tables) = Tables::temporary();
        let parameters = Parameters { cardinality: Some(4), ..Parameters::new(60, 1) };
        let dataset = tables.generated("uniform", &parameters, &quasi(&["X1", "X2"], As::Plain)).unwrap();
        let asked = dataset.groups_of(5).unwrap().loss("dm");
        let best = release(&dataset, &asked.clone().algorithm(AlgorithmKind::Scheme)).unwrap();
        let (low, high) = least(&best, "dm");
        assert!(low == high && high == loss(&best, "dm"));
        let (low, high) = least(&release(&dataset, &asked).unwrap(), "dm");
        assert!(low < high);
    }

    #[test]
    fn queries_are_the_same_for_every_release() {
        let (_folder, tables) = Tables::temporary();
        let dataset = tables.agrawal(200).unwrap();
        let asked = Queries::ranges(&dataset, &dataset.quasi_identifiers(), 20);
        let [compact, region] = [Extents::Compact, Extents::Region]
            .map(|extents| asked.answers(&median(&dataset, 10, extents).unwrap()).unwrap());
        let exact =
            |answers: &Answers| -> Vec<_> { answers.queries.iter().map(|query| query.exact).collect() };
        assert_eq!(exact(&compact), exact(&region));
        let mean = |answers: Answers| answers.errors.unwrap().matched_error.unwrap().mean;
        assert!(mean(compact) < mean(region), "smaller regions meet fewer queries");
    }
}
