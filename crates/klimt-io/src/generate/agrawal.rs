//! The people of Agrawal et al., by figure 7 of *Scalable Anonymization Algorithms for Large Data Sets*.

use super::random::Draws;
use super::{ColumnKind, GeneratedBlock, GeneratedColumn, Generator, Parameters};
use klimt_core::error::Result;

/// The name of the generator.
pub(super) const NAME: &str = "agrawal";

/// The parameters it takes besides rows and seed: its columns and distributions are fixed.
pub(super) const PARAMETERS: &[&str] = &[];

/// Nine integer quasi-identifiers, then the class labels C2 and C7 and the numeric targets R7 and R10.
///
/// | column | distribution |
/// |---|---|
/// | salary | integer in 20,000..150,000 |
/// | commission | 0 if salary ≥ 75,000, else integer in 10,000..75,000 |
/// | age | integer in 20..80 |
/// | elevel | integer in 0..4 |
/// | car | integer in 1..20 |
/// | zipcode | integer in 1..9 |
/// | hvalue | zipcode · h · 100,000 with h in 0.5..1.5 |
/// | hyears | integer in 1..30 |
/// | loan | integer in 0..500,000 |
///
/// All are uniform and both ends belong to them. hvalue is published as an integer, so it is a uniform
/// integer from zipcode · 50,000 to zipcode · 150,000. R7 and R10 are whole hundredths and exact.
#[derive(Clone, Debug)]
pub struct Agrawal {
    rows: u64,
    seed: u64,
}

/// The columns of the table.
const COLUMNS: [(&str, ColumnKind); 13] = [
    ("salary", ColumnKind::Integer),
    ("commission", ColumnKind::Integer),
    ("age", ColumnKind::Integer),
    ("elevel", ColumnKind::Integer),
    ("car", ColumnKind::Integer),
    ("zipcode", ColumnKind::Integer),
    ("hvalue", ColumnKind::Integer),
    ("hyears", ColumnKind::Integer),
    ("loan", ColumnKind::Integer),
    ("C2", CLASS),
    ("C7", CLASS),
    ("R7", HUNDREDTHS),
    ("R10", HUNDREDTHS),
];

const CLASS: ColumnKind = ColumnKind::Label(&["A", "B"]);
const HUNDREDTHS: ColumnKind = ColumnKind::Decimal { scale: 2 };

impl Agrawal {
    /// Checks the parameters; takes none besides rows and seed.
    pub fn new(parameters: &Parameters) -> Result<Self> {
        parameters.check(NAME, PARAMETERS).finish()?;
        Ok(Agrawal { rows: parameters.rows, seed: parameters.seed })
    }
}

/// A person of the table.
struct Person {
    salary: i64,
    commission: i64,
    age: i64,
    elevel: i64,
    car: i64,
    zipcode: i64,
    hvalue: i64,
    hyears: i64,
    loan: i64,
}

impl Person {
    fn draw(draws: &mut Draws) -> Self {
        let salary = draws.between(20_000, 150_000);
        let commission = if salary >= 75_000 { 0 } else { draws.between(10_000, 75_000) };
        let age = draws.between(20, 80);
        let elevel = draws.between(0, 4);
        let car = draws.between(1, 20);
        let zipcode = draws.between(1, 9);
        let hvalue = draws.between(zipcode * 50_000, zipcode * 150_000);
        let hyears = draws.between(1, 30);
        let loan = draws.between(0, 500_000);
        Person { salary, commission, age, elevel, car, zipcode, hvalue, hyears, loan }
    }

    /// Whether function C2 says A.
    fn c2(&self) -> bool {
        let salaries = match self.age {
            ..40 => 50_000..=100_000,
            40..60 => 75_000..=125_000,
            60.. => 25_000..=75_000,
        };
        salaries.contains(&self.salary)
    }

    /// 0.67 · (salary + commission), in hundredths.
    fn income(&self) -> i64 {
        67 * (self.salary + self.commission)
    }

    /// Function R7, in hundredths; function C7 says A where it is above 0.
    fn r7(&self) -> i64 {
        self.income() - 20 * self.loan - 2_000_000
    }

    /// Function R10, in hundredths. A fifth of the equity, which is a tenth of hvalue for every year beyond
    /// the 20th, comes to two hundredths of hvalue a year.
    fn r10(&self) -> i64 {
        let years = (self.hyears - 20).max(0);
        self.income() - 500_000 * self.elevel + 2 * self.hvalue * years - 1_000_000
    }

    /// The numbers of the table's row.
    fn row(&self) -> [i64; COLUMNS.len()] {
        let r7 = self.r7();
        [
            self.salary,
            self.commission,
            self.age,
            self.elevel,
            self.car,
            self.zipcode,
            self.hvalue,
            self.hyears,
            self.loan,
            i64::from(!self.c2()),
            i64::from(r7 <= 0),
            r7,
            self.r10(),
        ]
    }
}

impl Generator for Agrawal {
    fn columns(&self) -> Vec<GeneratedColumn> {
        COLUMNS.iter().map(|&(name, kind)| GeneratedColumn { name: name.to_string(), kind }).collect()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn block(&self, index: u64, out: &mut GeneratedBlock) {
        let mut draws = Draws::of_block(NAME, self.seed, index);
        out.reset(&self.columns());
        for _ in 0..self.rows_in_block(index) {
            out.push_row(&Person::draw(&mut draws).row());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(age: i64, salary: i64, loan: i64) -> Person {
        Person { salary, commission: 0, age, elevel: 0, car: 1, zipcode: 1, hvalue: 50_000, hyears: 1, loan }
    }

    #[test]
    fn c2_includes_both_ends_of_the_salaries() {
        for (ages, low, high) in
            [([20, 39], 50_000, 100_000), ([40, 59], 75_000, 125_000), ([60, 80], 25_000, 75_000)]
        {
            for age in ages {
                let says_a = |salary| person(age, salary, 0).c2();
                assert!(says_a(low) && says_a(high), "{age}");
                assert!(!says_a(low - 1) && !says_a(high + 1), "{age}");
            }
        }
    }

    #[test]
    fn c7_needs_more_than_nothing_left() {
        for (loan, r7, class) in [(234_999, 20, 0), (235_000, 0, 1), (235_001, -20, 1)] {
            let row = person(30, 100_000, loan).row();
            assert_eq!((row[11], row[10]), (r7, class));
        }
    }

    #[test]
    fn commission_ends_at_75_000() {
        let mut draws = Draws::of_block(NAME, 1, 0);
        let mut earns = |salary| {
            std::iter::repeat_with(|| Person::draw(&mut draws))
                .find(|person| person.salary == salary)
                .unwrap()
                .commission
        };
        assert_eq!(earns(75_000), 0);
        assert!(earns(74_999) > 0);
    }
}
