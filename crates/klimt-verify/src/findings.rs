//! The findings of a tally about a release.

use crate::{Group, HistogramCell, Histograms, Tally};
use hashbrown::HashMap;
use klimt_core::{Error, Result};
use serde::{Deserialize, Serialize, Serializer};

/// Parameters of the findings about a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The k to which group sizes are compared.
    pub k: Option<u64>,
    /// How many rows the original table has; rows that the release lacks are suppressed ones.
    pub original_rows: Option<u64>,
}

/// The findings about a release, from its published values. Rows that share all values of the
/// quasi-identifiers are a group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// The rows of the release.
    pub rows: u64,
    /// The suppressed rows: those of the original that the release lacks, and those published as `*` in every
    /// quasi-identifier where these are read as suppressed.
    pub suppressed: u64,
    /// The number of groups.
    pub groups: u64,
    /// The size of the smallest group: the k that the release reaches. Zero when there are no groups.
    pub smallest_group: u64,
    /// The size of the largest group; zero when there are no groups.
    pub largest_group: u64,
    /// The rows that are not suppressed over the groups; zero when there are no groups.
    pub average_group: f64,
    /// The discernibility metric: the sum of the squared group sizes, plus the number of all rows for every
    /// suppressed one.
    pub dm: u128,
    /// The average group size over k; absent without a k.
    pub c_avg: Option<f64>,
    /// The group sizes, in buckets; empty buckets are left out.
    pub sizes: Vec<Bucket>,
    /// The groups smaller than k; absent when no k was given.
    pub below: Option<SmallGroups>,
    /// The findings about the sensitive columns that were counted.
    pub sensitive: Vec<SensitiveFinding>,
    /// The findings about people, where whom rows are about is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<PeopleFindings>,
}

/// The findings about the people of a release, who may have several rows each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleFindings {
    /// How many people there are.
    pub people: u64,
    /// The people of the group that has fewest: the k that the release reaches.
    pub smallest_group: u64,
    /// The people of the group that has most.
    pub largest_group: u64,
}

/// The groups whose size lies in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// The least size.
    pub from: u64,
    /// The greatest size; absent in the last bucket.
    pub to: Option<u64>,
    /// The number of groups.
    pub groups: u64,
    /// The rows in them.
    pub rows: u64,
}

/// The groups that are smaller than k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SmallGroups {
    /// The k.
    pub k: u64,
    /// The number of groups.
    pub groups: u64,
    /// The rows in them.
    pub rows: u64,
}

/// The findings about a sensitive column over all groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitiveFinding {
    /// The column's name.
    pub column: String,
    /// The least number of distinct values that a group has; zero when there are no groups.
    pub least_distinct: u64,
    /// The rows of groups with one value only: anybody who finds the group knows the value.
    pub certain_rows: u64,
}

/// A group by its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NumberedGroup {
    /// Its number: groups are counted from 1 in the order in which their first rows come.
    pub group: u64,
    /// How many rows it has.
    pub rows: u64,
    /// The published value of every quasi-identifier, by name, where they may be shown.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, String)>,
}

/// The least sizes of the buckets.
const BUCKETS: [u64; 10] = [1, 2, 3, 5, 10, 20, 50, 100, 1_000, 10_000];

impl Findings {
    /// The findings of the tally of a whole release.
    pub fn new(tally: &Tally, question: &Question) -> Result<Self> {
        let suppressed = tally.suppressed_group();
        let mut sums = FindingSums::new(tally, question);
        let cells: Vec<_> = tally.sensitive().iter().map(|column| column.cells(suppressed)).collect();
        let people = tally.people_of_groups()?;
        sums.add(tally.groups(), people.as_deref(), cells.iter().map(Vec::as_slice));
        let mut findings = sums.finish(tally.suppressed())?;
        if let (Some(found), Some(people)) = (&mut findings.people, tally.people()) {
            found.people = people.people();
        }
        Ok(findings)
    }
}

/// Sums over the groups of a release as they are counted, some at a time.
pub(crate) struct FindingSums {
    question: Question,
    groups: u64,
    rows: u64,
    smallest: Option<u64>,
    largest: u64,
    squares: u128,
    /// Groups and rows of each bucket.
    sizes: [(u64, u64); BUCKETS.len()],
    below: (u64, u64),
    /// The name of each sensitive column, the least number of distinct values, and the rows of groups with one.
    sensitive: Vec<(String, Option<u64>, u64)>,
    /// The people of the groups that have fewest and most, where people are counted.
    people: Option<(u64, u64)>,
}

impl FindingSums {
    /// No groups, with the sensitive columns of a tally.
    pub fn new(tally: &Tally, question: &Question) -> Self {
        let name = |column: &Histograms| (column.column().to_string(), None, 0);
        FindingSums {
            question: *question,
            groups: 0,
            rows: 0,
            smallest: None,
            largest: 0,
            squares: 0,
            sizes: Default::default(),
            below: (0, 0),
            sensitive: tally.sensitive().iter().map(name).collect(),
            people: None,
        }
    }

    /// Counts groups that have not been counted, with how many people each group has by its number, where they are
    /// counted, and the cells of each sensitive column, group by group.
    pub fn add<'c>(
        &mut self,
        groups: impl Iterator<Item = Group<'c>>,
        people: Option<&[u64]>,
        cells: impl Iterator<Item = &'c [HistogramCell]>,
    ) {
        for group in groups {
            let size = group.rows();
            let people = people.map(|people| people[group.number() as usize]);
            if let Some(people) = people {
                let (least, most) = self.people.unwrap_or((people, people));
                self.people = Some((least.min(people), most.max(people)));
            }
            self.groups += 1;
            self.rows += size;
            self.smallest = Some(self.smallest.map_or(size, |smallest| smallest.min(size)));
            self.largest = self.largest.max(size);
            self.squares += u128::from(size).pow(2);
            let (groups, rows) = &mut self.sizes[bucket_of(size)];
            (*groups, *rows) = (*groups + 1, *rows + size);
            if self.question.k.is_some_and(|k| people.unwrap_or(size) < k) {
                self.below = (self.below.0 + 1, self.below.1 + size);
            }
        }
        for ((_, least, certain), cells) in self.sensitive.iter_mut().zip(cells) {
            for histogram in cells.chunk_by(|left, right| left.group == right.group) {
                let distinct = histogram.len() as u64;
                *least = Some(least.map_or(distinct, |least| least.min(distinct)));
                *certain += if distinct == 1 { histogram[0].rows } else { 0 };
            }
        }
    }

    /// The findings about a release with these groups and `suppressed` suppressed rows.
    pub fn finish(self, suppressed: u64) -> Result<Findings> {
        let Question { k, original_rows } = self.question;
        let rows = self.rows + suppressed;
        let original = original_rows.unwrap_or(rows);
        let lacking = original.checked_sub(rows).ok_or_else(|| {
            Error::unsatisfied(format!(
                "the release has {rows} rows, more than the {original} of its original"
            ))
        })?;
        let suppressed = suppressed + lacking;
        let average_group = (original - suppressed) as f64 / self.groups.max(1) as f64;
        let sensitive = self.sensitive.into_iter().map(|(column, least, certain_rows)| SensitiveFinding {
            column,
            least_distinct: least.unwrap_or(0),
            certain_rows,
        });
        Ok(Findings {
            rows,
            suppressed,
            groups: self.groups,
            smallest_group: self.smallest.unwrap_or(0),
            largest_group: self.largest,
            average_group,
            dm: self.squares + u128::from(suppressed) * u128::from(original),
            c_avg: k.map(|k| average_group / k as f64),
            sizes: buckets(&self.sizes),
            below: k.map(|k| SmallGroups { k, groups: self.below.0, rows: self.below.1 }),
            sensitive: sensitive.collect(),
            people: self.people.map(|(smallest_group, largest_group)| PeopleFindings {
                people: 0,
                smallest_group,
                largest_group,
            }),
        })
    }
}

/// The `count` smallest of the groups that `chosen` admits, ordered by size and then by number, without their values.
pub fn smallest(tally: &Tally, count: usize, chosen: impl Fn(&Group) -> bool) -> Vec<NumberedGroup> {
    let mut groups: Vec<_> = tally.groups().filter(chosen).collect();
    let order = |group: &Group| (group.rows(), group.number());
    if count < groups.len() {
        groups.select_nth_unstable_by_key(count, order);
        groups.truncate(count);
    }
    groups.sort_unstable_by_key(order);
    let numbered = |group: &Group| NumberedGroup {
        group: u64::from(group.number()) + 1,
        rows: group.rows(),
        values: Vec::new(),
    };
    groups.iter().map(numbered).collect()
}

/// The same groups with their published values. The caller makes sure that no group below k is among them.
pub fn with_values(tally: &Tally, groups: Vec<NumberedGroup>) -> Vec<NumberedGroup> {
    let names = tally.quasi_identifiers();
    let named = |found: NumberedGroup| {
        let group = tally.tuples().nth(found.group as usize - 1);
        let values = group.into_iter().flat_map(|group| group.values()).map(str::to_string);
        NumberedGroup { values: names.iter().cloned().zip(values).collect(), ..found }
    };
    groups.into_iter().map(named).collect()
}

/// How many rows are unique by each quasi-identifier: alone in their group, and not without that column.
pub fn contributions(tally: &Tally) -> Vec<(String, u64)> {
    let names = tally.quasi_identifiers();
    let unique = tally.groups().filter(|group| group.rows() == 1).count() as u64;
    let without = |left_out: usize| {
        let mut rows: HashMap<Vec<&str>, u64> = HashMap::new();
        for group in tally.groups() {
            let others = group.values().enumerate().filter(|(at, _)| *at != left_out).map(|(_, value)| value);
            *rows.entry(others.collect()).or_default() += group.rows();
        }
        rows.values().filter(|&&rows| rows == 1).count() as u64
    };
    let adds = |at: usize| if unique == 0 { 0 } else { unique - without(at) };
    (0..names.len()).map(|at| (names[at].clone(), adds(at))).collect()
}

fn bucket_of(size: u64) -> usize {
    BUCKETS.partition_point(|&from| from <= size).saturating_sub(1)
}

/// The buckets that hold groups, from the groups and rows of each.
fn buckets(sizes: &[(u64, u64); BUCKETS.len()]) -> Vec<Bucket> {
    let ends = BUCKETS[1..].iter().map(|next| Some(next - 1)).chain([None]);
    let each = BUCKETS.iter().zip(ends).zip(sizes);
    each.filter(|(_, (groups, _))| *groups > 0)
        .map(|((&from, to), &(groups, rows))| Bucket { from, to, groups, rows })
        .collect()
}

fn as_map<S: Serializer>(pairs: &[(String, String)], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(rows: &[(&str, &str)]) -> Tally {
        let mut tally = Tally::new(&["age"], &["disease"]);
        rows.iter().for_each(|(age, disease)| tally.add(&[age], &[disease]).unwrap());
        tally
    }

    fn release() -> Tally {
        // The last group is one of stars.
        let groups = [("[1..2]", 3), ("[3..4]", 2), ("5", 2), ("*", 4)];
        let rows: Vec<_> = groups.iter().flat_map(|&(age, n)| (0..n).map(move |_| (age, "flu"))).collect();
        tally(&rows).merge(tally(&[("[1..2]", "gout")])).unwrap()
    }

    /// The same release of a tool that publishes suppressed rows as stars.
    fn with_suppressed() -> Tally {
        release().with_suppressed_stars(true)
    }

    #[test]
    fn a_release_is_summed_up() {
        let found = Findings::new(&with_suppressed(), &Question { k: Some(3), original_rows: None }).unwrap();
        let bucket = |from, to, groups, rows| Bucket { from, to: Some(to), groups, rows };
        let expected = Findings {
            rows: 12,
            suppressed: 4,
            groups: 3,
            smallest_group: 2,
            largest_group: 4,
            average_group: 8.0 / 3.0,
            dm: 16 + 4 + 4 + 4 * 12,
            c_avg: Some(8.0 / 3.0 / 3.0),
            sizes: vec![bucket(2, 2, 2, 4), bucket(3, 4, 1, 4)],
            below: Some(SmallGroups { k: 3, groups: 2, rows: 4 }),
            sensitive: vec![SensitiveFinding {
                column: "disease".to_string(),
                least_distinct: 1,
                certain_rows: 4,
            }],
            people: None,
        };
        assert_eq!(found, expected);
        let found = Findings::new(&release(), &Question { k: Some(5), original_rows: None }).unwrap();
        assert_eq!((found.rows, found.suppressed, found.groups), (12, 0, 4));
        assert_eq!(
            found.below,
            Some(SmallGroups { k: 5, groups: 4, rows: 12 }),
            "stars are a group like any other"
        );
        assert_eq!(found.sensitive[0].certain_rows, 8);
    }

    #[test]
    fn rows_that_the_release_lacks_are_suppressed() {
        let asked = |original_rows| Question { k: None, original_rows: Some(original_rows) };
        let found = Findings::new(&release(), &asked(15)).unwrap();
        assert_eq!((found.rows, found.suppressed, found.dm), (12, 3, 40 + 3 * 15));
        let found = Findings::new(&with_suppressed(), &asked(15)).unwrap();
        assert_eq!((found.rows, found.suppressed, found.dm), (12, 7, 24 + 7 * 15));
        assert_eq!((found.average_group, found.c_avg, found.below), (8.0 / 3.0, None, None));
        let error = Findings::new(&release(), &asked(11)).unwrap_err();
        assert_eq!(error.kind(), klimt_core::ErrorKind::Unsatisfied);
    }

    #[test]
    fn an_empty_release_reaches_nothing() {
        let found = Findings::new(&tally(&[]), &Question { k: Some(2), original_rows: Some(5) }).unwrap();
        assert_eq!((found.groups, found.smallest_group, found.largest_group, found.suppressed), (0, 0, 0, 5));
        assert_eq!((found.dm, found.c_avg, found.sizes), (25, Some(0.0), vec![]));
        assert_eq!((found.sensitive[0].least_distinct, found.sensitive[0].certain_rows), (0, 0));
    }

    #[test]
    fn every_size_has_one_bucket() {
        for size in [1, 2, 4, 5, 9, 10, 99, 999, 9_999, 10_000, u64::MAX] {
            let mut sizes = [(0, 0); BUCKETS.len()];
            sizes[bucket_of(size)] = (1, size);
            let buckets = buckets(&sizes);
            assert_eq!(buckets.len(), 1);
            assert!(buckets[0].from <= size && buckets[0].to.is_none_or(|to| size <= to), "{size}");
        }
    }

    #[test]
    fn the_smallest_groups_are_told_by_number() {
        let smallest = |count, least: u64| -> Vec<_> {
            let groups = super::smallest(&release(), count, |group| group.rows() >= least);
            groups.into_iter().map(|group| (group.group, group.rows)).collect()
        };
        assert_eq!(smallest(9, 0), [(2, 2), (3, 2), (1, 4), (4, 4)]);
        assert_eq!(smallest(1, 0), [(2, 2)]);
        assert_eq!(smallest(9, 3), [(1, 4), (4, 4)]);
        assert!(smallest(0, 0).is_empty());
    }

    #[test]
    fn findings_are_written_by_name() {
        let groups = super::smallest(&release(), 1, |_| true);
        assert_eq!(serde_json::to_string(&groups).unwrap(), r#"[{"group":2,"rows":2}]"#);
        let shown = serde_json::to_string(&super::with_values(&release(), groups)).unwrap();
        assert_eq!(shown, r#"[{"group":2,"rows":2,"values":{"age":"[3..4]"}}]"#);
        let found = Findings::new(&release(), &Question::default()).unwrap();
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(json["smallest_group"], 2);
        assert_eq!(json["sensitive"][0]["certain_rows"], 8, "those of stars too");
    }

    #[test]
    fn a_column_adds_the_rows_that_are_unique_by_it_alone() {
        let mut tally = Tally::new(&["age", "zip"], &[]);
        for row in [["1", "a"], ["1", "b"], ["2", "a"], ["3", "c"], ["4", "d"], ["4", "d"]] {
            tally.add(&row, &[]).unwrap();
        }
        // Four rows are unique. Without the age (1, b) and (3, c) still are, and without the zip (2, a) and (3, c).
        let expected = [("age", 2), ("zip", 2)].map(|(name, rows)| (name.to_string(), rows));
        assert_eq!(contributions(&tally), expected);
        tally.add(&["3", "d"], &[]).unwrap();
        // Now five, without the age the same two, and without the zip (2, a) alone.
        let expected = [("age", 3), ("zip", 4)].map(|(name, rows)| (name.to_string(), rows));
        assert_eq!(contributions(&tally), expected);
        assert_eq!(contributions(&release()), [("age".to_string(), 0)], "nobody is unique");
    }
}
