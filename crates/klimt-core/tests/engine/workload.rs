//! Answers of the original and of releases, beside their definitions, and what a workload does to cuts.

use crate::common::{column, letters, table};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model, Mondrian};
use klimt_core::algorithm::rtree::BoxSplit;
use klimt_core::job::{Budget, Job, Partitioner, Suppression, Unobserved};
use klimt_core::loss::{Loss, Original, PartitionGroups, Queries, SuppressedRows, Totals, measure};
use klimt_core::partition::Partitioning;
use klimt_core::recode::{Release, RowOrder, Source, StatisticKind};
use klimt_core::region::{Cell, Extents};
use klimt_core::registry;
use klimt_core::requirement::Checks;
use klimt_core::split::SplitCriterion;
use klimt_core::table::{ColumnSpec, Role, Table, ValueType};
use klimt_core::workload::{Aggregate, Errors, Estimate, Function, QueriedRelease, Query, Workload, parse};
use proptest::prelude::*;

/// Age (sometimes missing), a letter of a hierarchy, a colour, and an income that is published as it is.
type Person = (Option<i32>, usize, usize, i32);

const COLOURS: [&str; 4] = ["red", "green", "blue", "it's"];

fn letter(at: usize) -> String {
    char::from(b'a' + at as u8).to_string()
}

fn people_table(people: &[Person]) -> Table {
    let texts = |of: &dyn Fn(&Person) -> String| people.iter().map(of).collect::<Vec<String>>();
    let ages = texts(&|person| person.0.map_or(String::new(), |age| age.to_string()));
    let letters_of = texts(&|person| letter(person.1));
    let colours = texts(&|person| COLOURS[person.2].to_string());
    let incomes = texts(&|person| person.3.to_string());
    let spec = |name: &str, role: Role, value_type: ValueType| {
        let mut spec = ColumnSpec::new(name, role);
        spec.type_spec = Some(value_type.into());
        spec
    };
    let mut of_letters = spec("letter", Role::QuasiIdentifier, ValueType::Text);
    of_letters.hierarchy = Some(letters());
    let all = [
        (spec("Age", Role::QuasiIdentifier, ValueType::Integer), ages),
        (of_letters, letters_of),
        (spec("colour", Role::QuasiIdentifier, ValueType::Text), colours),
        (spec("income", Role::Sensitive, ValueType::Integer), incomes),
    ];
    let columns =
        all.iter().map(|(spec, texts)| column(spec, &texts.iter().map(String::as_str).collect::<Vec<_>>()));
    Table::new(people.len(), columns.collect()).unwrap()
}

/// A query as a test sees it: what is admitted of each column; nothing where it does not ask.
#[derive(Clone, Debug)]
struct Wanted {
    age: Option<(i32, i32)>,
    letters: Option<Vec<usize>>,
    colours: Option<Vec<usize>>,
    income: Option<i32>,
    function: usize,
}

const FUNCTIONS: [&str; 9] = [
    "COUNT(*)",
    "SUM(income)",
    "AVG(income)",
    "MIN(income)",
    "MAX(income)",
    "SUM(age)",
    "AVG(age)",
    "MIN(age)",
    "MAX(age)",
];

impl Wanted {
    fn text(&self) -> String {
        let mut all = Vec::new();
        if let Some((lo, hi)) = self.age {
            all.push(format!("AGE >= {lo} AND age < {}.5", hi));
        }
        if let Some(letters) = &self.letters {
            let names: Vec<String> = letters.iter().map(|&at| format!("'{}'", letter(at))).collect();
            all.push(format!("letter IN ({})", names.join(",")));
        }
        if let Some(colours) = &self.colours {
            let names: Vec<String> =
                colours.iter().map(|&at| format!("'{}'", COLOURS[at].replace('\'', "''"))).collect();
            all.push(format!("colour IN ({})", names.join(", ")));
        }
        if let Some(income) = self.income {
            all.push(format!("income > {income}"));
        }
        let condition = if all.is_empty() { String::new() } else { format!(" WHERE {}", all.join(" AND ")) };
        format!("SELECT {}{condition}", FUNCTIONS[self.function])
    }

    fn age_admits(&self, age: Option<i32>) -> bool {
        self.age.is_none_or(|(lo, hi)| age.is_some_and(|age| lo <= age && age <= hi))
    }

    fn admits(&self, person: &Person) -> bool {
        self.age_admits(person.0)
            && self.letters.as_ref().is_none_or(|letters| letters.contains(&person.1))
            && self.colours.as_ref().is_none_or(|colours| colours.contains(&person.2))
            && self.income.is_none_or(|income| person.3 > income)
    }

    fn answer(&self, numbers: &[(f64, f64)], rows: f64) -> Option<f64> {
        let count: f64 = numbers.iter().map(|(_, rows)| rows).sum();
        let sum: f64 = numbers.iter().map(|(number, rows)| number * rows).sum();
        let values = numbers.iter().map(|(number, _)| *number);
        match self.function {
            0 => Some(rows),
            1 | 5 => Some(sum),
            _ if count == 0.0 => None,
            2 | 6 => Some(sum / count),
            3 | 7 => values.min_by(f64::total_cmp),
            _ => values.max_by(f64::total_cmp),
        }
    }

    fn exact(&self, people: &[Person]) -> Option<f64> {
        let found: Vec<&Person> = people.iter().filter(|person| self.admits(person)).collect();
        let number = |person: &&Person| match self.function {
            5.. => person.0.map(|age| (f64::from(age), 1.0)),
            _ => Some((f64::from(person.3), 1.0)),
        };
        self.answer(&found.iter().filter_map(number).collect::<Vec<_>>(), found.len() as f64)
    }

    /// The answer of groups whose rows are spread evenly, value by value.
    fn spread(&self, people: &[Person], table: &Table, groups: &Partitioning) -> Option<f64> {
        let (mut numbers, mut rows) = (Vec::new(), 0.0);
        for group in 0..groups.groups() {
            let cell = |dimension: usize| groups.regions.cell(group, dimension, table.domain(dimension));
            let (ages, age_share) = self.ages(&cell(0), table);
            let letters: Vec<usize> = match cell(1) {
                Cell::Node(node) => {
                    let (lo, hi) = letters().span(node);
                    (lo as usize..=hi as usize).collect()
                }
                Cell::All => (0..8).collect(),
                other => panic!("{other:?}"),
            };
            let of = |wanted: &Option<Vec<usize>>, values: &[usize]| {
                let held = |value: &&usize| wanted.as_ref().is_none_or(|wanted| wanted.contains(value));
                values.iter().filter(held).count() as f64 / values.len() as f64
            };
            let colours: Vec<usize> = match cell(2) {
                Cell::Set(members) => {
                    let at = |code: &u32| COLOURS.iter().position(|c| *c == table.domain(2).text(*code));
                    members.iter().map(|code| at(code).unwrap()).collect()
                }
                other => panic!("{other:?}"),
            };
            let share = age_share * of(&self.letters, &letters) * of(&self.colours, &colours);
            if share == 0.0 {
                continue;
            }
            for &row in groups.rows(group) {
                let person = &people[row as usize];
                if self.income.is_some_and(|income| person.3 <= income) {
                    continue;
                }
                rows += share;
                if self.function < 5 {
                    numbers.push((f64::from(person.3), share));
                } else if let Some(Ages { mean, least, most, has }) = ages {
                    let number = match self.function {
                        7 => least,
                        8 => most,
                        _ => mean,
                    };
                    numbers.push((number, share * has));
                }
            }
        }
        self.answer(&numbers, rows)
    }

    /// The admitted ages of a cell, and the share of the rows that is admitted.
    fn ages(&self, cell: &Cell<'_>, table: &Table) -> (Option<Ages>, f64) {
        let domain = table.domain(0);
        let (lo, hi, missing) = match *cell {
            Cell::Missing => return (None, f64::from(u8::from(self.age.is_none()))),
            Cell::Interval { lo, hi } => (lo, hi, 0.0),
            Cell::All => {
                let missing =
                    if domain.missing_code().is_some() { 1.0 / domain.cardinality() as f64 } else { 0.0 };
                (0, domain.value_count() as u32 - 1, missing)
            }
            ref other => panic!("{other:?}"),
        };
        let all: Vec<i32> = (domain.position(lo) as i32..=domain.position(hi) as i32).collect();
        let held: Vec<i32> = all.iter().copied().filter(|&age| self.age_admits(Some(age))).collect();
        let mean = held.iter().map(|&age| f64::from(age)).sum::<f64>() / held.len().max(1) as f64;
        let share = held.len() as f64 / all.len() as f64 * (1.0 - missing);
        // Rows without an age satisfy no predicate about it.
        let has = if self.age.is_some() { 1.0 } else { 1.0 - missing };
        let ends = held.first().zip(held.last());
        let found =
            ends.map(|(&least, &most)| Ages { mean, least: f64::from(least), most: f64::from(most), has });
        (found, share + if self.age.is_none() { missing } else { 0.0 })
    }
}

/// The average, the least and the greatest of some ages, and the share of rows that have one.
struct Ages {
    mean: f64,
    least: f64,
    most: f64,
    has: f64,
}

fn person() -> impl Strategy<Value = Person> {
    (prop::option::weighted(0.95, 20..40i32), 0..8usize, 0..4usize, 0..50i32)
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let age = prop::option::of((15..42i32, 0..15i32).prop_map(|(lo, width)| (lo, lo + width)));
    let some = |of: usize| prop::option::of(prop::collection::vec(0..of, 1..4));
    (age, some(8), some(4), prop::option::of(0..50i32), 0..9usize).prop_map(
        |(age, letters, colours, income, function)| Wanted { age, letters, colours, income, function },
    )
}

fn partition(table: &Table, k: &str, split: &SplitCriterion<'_>) -> Partitioning {
    let requirements = [registry::requirement("k", "", k).unwrap()];
    let bound = Checks::new(&requirements, table).unwrap();
    let weights = vec![1.0; table.dimensions()];
    let job = Job {
        table,
        requirements: &bound,
        split,
        loss: &SuppressedRows,
        suppression: Suppression::NONE,
        budget: Budget::default(),
        weights: &weights,
        keep_tree: false,
        observer: &Unobserved,
    };
    let mut found =
        Mondrian { model: Model::Strict, hierarchy_cut: HierarchyCut::Both }.partition(&job).unwrap();
    let domains = table.domains();
    found.coalesce(&domains);
    assert!((0..found.groups()).all(|group| found.rows(group).len() as u64 >= k.parse().unwrap()));
    found
}

/// The release as a table of texts.
fn published(table: &Table, groups: &Partitioning, statistics: &[StatisticKind]) -> Table {
    let release = Release::new(table, groups, Extents::Compact, RowOrder::Kept, statistics);
    let text = |group: usize, row: u32, source: Source| {
        let mut text = Vec::new();
        match source {
            Source::Kept(number) => table.columns()[number].write_text(row as usize, &mut text),
            source => release.write_group(group, source, &mut text),
        }
        String::from_utf8(text).unwrap()
    };
    let columns = release.columns().iter().map(|published| {
        let (role, value_type) = match published.source {
            Source::Generalised(_) => (Role::QuasiIdentifier, ValueType::Text),
            Source::Kept(number) => (table.columns()[number].role, ValueType::Integer),
            _ => (Role::Target, ValueType::Text),
        };
        let mut spec = ColumnSpec::new(&*published.name, role);
        spec.type_spec = Some(value_type.into());
        spec.published = role == Role::QuasiIdentifier;
        let of_group = |group: usize| groups.rows(group).iter().map(move |&row| (group, row));
        let rows = (0..groups.groups()).flat_map(of_group);
        let texts: Vec<String> = rows.map(|(group, row)| text(group, row, published.source)).collect();
        column(&spec, &texts.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let columns = columns.collect();
    Table::new(release.rows(), columns).unwrap()
}

/// The answer of a release that was read back.
fn read_back(
    table: &Table,
    workload: &Workload,
    groups: &Partitioning,
    statistics: &[StatisticKind],
) -> Vec<Estimate> {
    let rows = published(table, groups, statistics);
    let of_rows = workload.about(|name| name == "income").bind(&rows).unwrap();
    let released = QueriedRelease::read(table, &rows).unwrap();
    assert!(released.ignored.is_empty(), "{:?}", released.ignored);
    released.answers(&workload.bind(table).unwrap(), &of_rows)
}

fn near(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
        (a, b) => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn answers_are_their_definitions(
        people in prop::collection::vec(person(), 8..60),
        wanted in prop::collection::vec(wanted(), 1..6),
        k in 2..6u32,
    ) {
        let table = people_table(&people);
        let text: Vec<String> = wanted.iter().map(Wanted::text).collect();
        let workload = parse(&text.join(";\n")).unwrap();
        let bound = workload.bind(&table).unwrap();
        let exact = bound.exact(&table);
        let groups = partition(&table, &k.to_string(), &SplitCriterion::Median);
        let released =
            QueriedRelease::of(&PartitionGroups { table: &table, partitioning: &groups, extents: Extents::Compact });
        let in_memory = released.answers(&bound, &bound);
        let read = read_back(&table, &workload, &groups, &[]);
        for (at, wanted) in wanted.iter().enumerate() {
            prop_assert!(near(exact[at], wanted.exact(&people)), "{}: {:?}", text[at], exact[at]);
            let spread = wanted.spread(&people, &table, &groups);
            prop_assert!(near(in_memory[at].spread, spread), "{}: {:?} {spread:?}", text[at], in_memory[at]);
            prop_assert!(near(read[at].spread, in_memory[at].spread), "{}: {:?}", text[at], read[at]);
            prop_assert!(near(read[at].matched, in_memory[at].matched));
            prop_assert_eq!(read[at].partial, in_memory[at].partial);
            if in_memory[at].exact {
                prop_assert_eq!(in_memory[at].spread, exact[at], "{}", text[at]);
            }
        }
    }

    /// Groups that are cut where predicates end match many of them. Whatever is published beside the regions, answers that
    /// are called exact are; and with means and ranges, every function of a column without missing values is exact wherever
    /// a predicate matches.
    #[test]
    fn answers_that_are_called_exact_are(
        people in prop::collection::vec(person(), 8..60),
        wanted in prop::collection::vec(wanted(), 1..4),
        k in 2..6u32,
        lost in 0..3usize,
        whole in any::<bool>(),
    ) {
        let mut people = people;
        if whole {
            people.iter_mut().for_each(|person| person.0 = person.0.or(Some(30)));
        }
        let table = people_table(&people);
        let text: Vec<String> = wanted.iter().map(Wanted::text).collect();
        let workload = parse(&text.join(";\n")).unwrap();
        let mut bound = workload.bind(&table).unwrap();
        bound.count(&table);
        let exact = bound.exact(&table);
        let split = SplitCriterion::Workload(&bound, Box::new(SplitCriterion::Median));
        let groups = partition(&table, &k.to_string(), &split);
        let both = [StatisticKind::Range, StatisticKind::Mean];
        for statistics in [&both[..0], &both[..1], &both[1..], &both] {
            let read = read_back(&table, &workload, &groups, statistics);
            for (at, estimate) in read.iter().enumerate() {
                let said = format!("{} with {statistics:?}: {estimate:?} {:?}", text[at], exact[at]);
                let matches = estimate.partial == 0;
                prop_assert!(matches || !estimate.exact, "{said}");
                prop_assert!(!estimate.exact || estimate.spread == exact[at], "{said}");
                let kept = wanted[at].income.is_some();
                let known = match wanted[at].function {
                    0..5 => true,
                    5 | 6 => whole && !kept && statistics.contains(&StatisticKind::Mean),
                    _ => whole && !kept && statistics.contains(&StatisticKind::Range),
                };
                prop_assert!(estimate.exact || !(matches && known), "{said}");
            }
        }
        // Where rows are left out, no answer is.
        let mut fewer = groups.clone();
        let domains = table.domains();
        fewer.drop_groups(&(0..lost.min(groups.groups() - 1)).collect::<Vec<_>>(), &domains);
        if fewer.order.len() < table.rows() {
            prop_assert!(read_back(&table, &workload, &fewer, &both).iter().all(|estimate| !estimate.exact));
        }
    }
}

/// Answers of the parts of a table add up to the answer of the whole, where means are published.
#[test]
fn parts_of_a_group_add_up_to_its_mean() {
    let people: Vec<Person> = [20, 21, 22, 39].map(|age| (Some(age), 0, 0, 1)).to_vec();
    let table = people_table(&people);
    let groups = partition(&table, "4", &SplitCriterion::Median);
    let workload = parse(
        "SELECT SUM(age) WHERE age <= 27; SELECT SUM(age) WHERE age > 27; SELECT COUNT(*) WHERE age <= 27; \
         SELECT COUNT(*) WHERE age > 27; SELECT AVG(age); SELECT AVG(age) WHERE income = 1",
    )
    .unwrap();
    let even = read_back(&table, &workload, &groups, &[]);
    let known = read_back(&table, &workload, &groups, &[StatisticKind::Mean]);
    let sum = |found: &[Estimate]| found[0].spread.unwrap() + found[1].spread.unwrap();
    let count = |found: &[Estimate]| found[2].spread.unwrap() + found[3].spread.unwrap();
    assert!((sum(&even) - 4.0 * 29.5).abs() < 1e-9 && (sum(&known) - 102.0).abs() < 1e-9);
    assert!((count(&even) - 4.0).abs() < 1e-9 && (count(&known) - 4.0).abs() < 1e-9);
    assert!(known[2].spread > even[2].spread, "most ages lie below the mean");
    assert_eq!((known[4].spread, known[4].exact), (Some(25.5), true));
    assert_eq!((even[4].spread, even[4].exact), (Some(29.5), false));
    assert!(known[5].exact, "all rows of the group have this income");
}

#[test]
fn columns_that_only_look_like_statistics_are_not_used() {
    let people: Vec<Person> = (0..40).map(|row| (Some(20 + row % 20), 0, 0, row)).collect();
    let table = people_table(&people);
    let groups = partition(&table, "10", &SplitCriterion::Median);
    let rows = published(&table, &groups, &[StatisticKind::Range, StatisticKind::Mean]);
    for (name, text) in [("Age_mean", "99"), ("Age_mean", "young"), ("Age_mean", ""), ("Age_min", "39")] {
        let mut columns = rows.columns().to_vec();
        let at = columns.iter().position(|column| column.name == name).unwrap();
        let spec = ColumnSpec::new(name, Role::Target);
        let text_spec = ColumnSpec { type_spec: Some(ValueType::Text.into()), ..spec };
        columns[at] = column(&text_spec, &vec![text; 40]);
        let changed = Table::new(40, columns).unwrap();
        let released = QueriedRelease::read(&table, &changed).unwrap();
        assert!(released.ignored.contains(&name.to_string()), "{name} {text}");
    }
}

/// Ages from 0 to 99, ten of each, with a colour that goes by row.
fn hundred() -> Vec<Person> {
    (0..1000).map(|row| (Some(row % 100), row as usize % 8, row as usize / 100 % 4, row)).collect()
}

fn errors(table: &Table, workload: &Workload, groups: &Partitioning) -> f64 {
    let bound = workload.bind(table).unwrap();
    let released =
        QueriedRelease::of(&PartitionGroups { table, partitioning: groups, extents: Extents::Compact });
    let answers = released.answers(&bound, &bound);
    let errors = Errors::new(workload, &bound, &bound.exact(table), &answers);
    errors.summary(Errors::relative).unwrap().mean
}

fn loss(table: &Table, workload: &Workload, groups: &Partitioning) -> f64 {
    let mut bound = workload.bind(table).unwrap();
    bound.count(table);
    let weights = vec![1.0; table.dimensions()];
    let original = Original::new(table, &weights).with_workload(Some(&bound));
    let totals = Totals { rows: table.rows() as u64, suppressed: 0, groups: groups.groups() as u64, k: 1 };
    let groups = PartitionGroups { table, partitioning: groups, extents: Extents::Compact };
    measure([&Queries as &dyn Loss].into_iter(), &original, &groups, &totals).unwrap()[0].1
}

#[test]
fn cuts_go_where_predicates_end() {
    let table = people_table(&hundred());
    let workload = parse(
        "SELECT COUNT(*) WHERE age BETWEEN 13 AND 47 AND colour IN ('red', 'it''s');\n\
         SELECT COUNT(*) WHERE age > 61 AND letter IN ('ab', 'c', 'd') WEIGHT 3",
    )
    .unwrap();
    let mut bound = workload.bind(&table).unwrap();
    bound.count(&table);
    for base in [SplitCriterion::Median, SplitCriterion::Box(BoxSplit::default())] {
        let unaware = partition(&table, "20", &base);
        let aware = partition(&table, "20", &SplitCriterion::Workload(&bound, Box::new(base)));
        assert!(errors(&table, &workload, &unaware) > 0.01);
        assert_eq!(errors(&table, &workload, &aware), 0.0);
        assert_eq!(loss(&table, &workload, &aware), 0.0);
        assert!(loss(&table, &workload, &unaware) > 0.0);
        assert!(aware.groups() > 25, "what no query asks about is cut on: {}", aware.groups());
    }
}

/// Rows that crowd at a few values of columns with hierarchies, as people do.
fn crowd(rows: usize) -> Table {
    let mut state = 7u64;
    let mut below = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut skewed = || below(8).min(below(8)).min(below(8)) as usize;
    let columns = (0..5).map(|number| {
        let mut spec = ColumnSpec::new(format!("l{number}"), Role::QuasiIdentifier);
        spec.hierarchy = Some(letters());
        let texts: Vec<String> = (0..rows).map(|_| letter(skewed())).collect();
        column(&spec, &texts.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let columns = columns.collect();
    Table::new(rows, columns).unwrap()
}

/// Queries that ask about everything leave no cut that all of them want. Cuts that make groups alike in what is selected,
/// instead of right about how much, would answer them worse than the median does.
#[test]
fn queries_about_all_columns_with_hierarchies_gain_too() {
    let table = crowd(4_000);
    let all: Vec<usize> = (0..table.dimensions()).collect();
    for k in ["5", "20"] {
        let (mut unaware, mut aware) = (0.0, 0.0);
        for seed in 0..5 {
            let workload = Workload::ranges(&table, &all, 100, seed);
            let mut bound = workload.bind(&table).unwrap();
            bound.count(&table);
            let split = SplitCriterion::Workload(&bound, Box::new(SplitCriterion::Median));
            unaware += errors(&table, &workload, &partition(&table, k, &SplitCriterion::Median));
            aware += errors(&table, &workload, &partition(&table, k, &split));
        }
        assert!(aware < 0.9 * unaware, "k = {k}: {unaware} became {aware}");
    }
}

/// Numbers: a place from 0 to 99, a skewed pay that grows with it (in hundreds), and another column that nobody asks about.
fn payroll(rows: usize) -> Table {
    let mut state = 11u64;
    let mut below = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let row = |_| {
        let place = below(100);
        let pay = 10 + place / 4 + below(40).min(below(60)).min(below(400)) * below(12) / 2;
        vec![place.to_string(), pay.to_string(), below(50).to_string()]
    };
    table(&(0..rows).map(row).collect::<Vec<_>>(), &[])
}

/// The mean relative error of a workload's answers, of groups that are made for another.
fn steered_by(table: &Table, asked: &Workload, by: &Workload, k: &str, statistics: &[StatisticKind]) -> f64 {
    let means = statistics.contains(&StatisticKind::Mean);
    let mut bound = by.bind(table).unwrap().with_means(means);
    bound.count(table);
    let split = SplitCriterion::Workload(&bound, Box::new(SplitCriterion::Median));
    let groups = partition(table, k, &split);
    let exact = asked.bind(table).unwrap();
    let answers = read_back(table, asked, &groups, statistics);
    let errors = Errors::new(asked, &exact, &exact.exact(table), &answers);
    errors.summary(Errors::relative).unwrap().mean
}

/// Sums and averages are answered much better by groups that are made for them than by groups made for counts of the same
/// rows; with published means as well, as both are exact where predicates match.
#[test]
fn functions_steer_cuts_too() {
    let table = payroll(3_000);
    let ranges = Workload::ranges(&table, &[0], 12, 5);
    for function in [Function::Sum, Function::Avg] {
        for statistics in [&[][..], &[StatisticKind::Mean]] {
            let aggregate = Aggregate::Of(function, "q1".to_string());
            let of = |query: &Query| Query { aggregate: aggregate.clone(), ..query.clone() };
            let asked = Workload { queries: ranges.queries.iter().map(of).collect() };
            for k in ["10", "40"] {
                let counted = steered_by(&table, &asked, &ranges, k, statistics);
                let own = steered_by(&table, &asked, &asked, k, statistics);
                let share = if statistics.is_empty() { 0.5 } else { 1.0 };
                assert!(
                    own <= share * counted,
                    "{function:?} {statistics:?} k = {k}: {counted} became {own}"
                );
            }
        }
    }
}

#[test]
fn where_a_predicate_ends_too_near_the_edge_the_nearest_cut_is_made() {
    let table = people_table(&hundred());
    let workload = parse("SELECT COUNT(*) WHERE age >= 99").unwrap();
    let mut bound = workload.bind(&table).unwrap();
    bound.count(&table);
    let aware = SplitCriterion::Workload(&bound, Box::new(SplitCriterion::Median));
    let groups = partition(&table, "40", &aware);
    let widest = |group: usize| match groups.regions.cell(group, 0, table.domain(0)) {
        Cell::Interval { lo, hi } if hi == 99 => Some(hi - lo),
        _ => None,
    };
    assert_eq!((0..groups.groups()).filter_map(widest).max(), Some(3), "four ages make 40 rows");
}

#[test]
fn values_that_differ_by_case_are_found_and_others_are_told() {
    let table = people_table(&hundred());
    let workload = parse("SELECT COUNT(*) WHERE colour IN (RED, 'pink') AND age IN (7, '7.5')").unwrap();
    let bound = workload.bind(&table).unwrap();
    assert_eq!(bound.unknown.len(), 2);
    assert_eq!(
        bound.exact(&table),
        [Some(hundred().iter().filter(|p| p.2 == 0 && p.0 == Some(7)).count() as f64)]
    );
    for (text, said) in [
        ("SELECT COUNT(*) WHERE colours = 1", "unknown column colours"),
        ("SELECT SUM(colour)", "holds no numbers"),
        ("SELECT COUNT(*) WHERE colour > 'a'", "it has no order"),
        ("SELECT COUNT(*) WHERE age > young", "an end is no value of it"),
    ] {
        let error = parse(text).unwrap().bind(&table).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn random_queries_select_the_rows_they_were_made_of() {
    let people: Vec<Person> = hundred().into_iter().take(120).collect();
    let table = people_table(&people);
    let ranges = Workload::ranges(&table, &[0, 1, 2], 50, 7);
    assert_eq!(ranges, Workload::ranges(&table, &[0, 1, 2], 50, 7));
    assert_ne!(ranges, Workload::ranges(&table, &[0, 1, 2], 50, 8));
    assert!(ranges.bind(&table).unwrap().exact(&table).iter().all(|count| count.unwrap() >= 1.0));
    let values = Workload::values(&table, &[2]);
    let counts = values.bind(&table).unwrap().exact(&table);
    assert_eq!(counts.iter().flatten().sum::<f64>(), 120.0);
    let small = table_of_one();
    assert_eq!(Workload::ranges(&small, &[0], 3, 0).bind(&small).unwrap().exact(&small), vec![Some(1.0); 3]);
}

fn table_of_one() -> Table {
    table(&[vec!["5".to_string()]], &[])
}
