//! People like those of a census, for the experiments on *Adult* and *Census-Income* where these are not at hand.

use super::random::Draws;
use super::{ColumnKind, GeneratedBlock, GeneratedColumn, Generator, Parameters};
use klimt_core::error::Result;

/// The name of the generator.
pub(super) const NAME: &str = "census";

/// The parameters it takes besides rows and seed: its columns and distributions are fixed.
pub(super) const PARAMETERS: &[&str] = &[];

/// Eight quasi-identifiers, then the class `income` and the number `wage`.
///
/// The papers of Mondrian, Rothko, GenSearch and the schemes measure on extracts of the census of the United States that
/// cannot be handed on. This table has their shape: the same attributes, about as many values of each, one value that
/// most people share where the original has one, and columns that depend on one another as anybody would expect.
///
/// | column | values | depends on |
/// |---|---|---|
/// | age | 0 to 90, the young more often | |
/// | sex | 2 | |
/// | race | 5, one with 83 % | |
/// | marital | 7 | age |
/// | education | 17 | age |
/// | country | 42, one with 88 % | |
/// | workclass | 9 | age, education |
/// | occupation | 15 | workclass, education |
/// | income | 2, above 50,000 or not, 7 % above | wage |
/// | wage | whole hundreds | age, sex, education, workclass, occupation |
///
/// It tells nothing about anybody: nothing in it was counted.
#[derive(Clone, Debug)]
pub struct Census {
    rows: u64,
    seed: u64,
}

const SEX: &[&str] = &["Female", "Male"];
const RACE: &[&str] = &["White", "Black", "AsianPacIslander", "AmerIndianEskimo", "Other"];
const MARITAL: &[&str] = &[
    "NeverMarried",
    "MarriedCivSpouse",
    "MarriedSpouseAbsent",
    "MarriedAFSpouse",
    "Separated",
    "Divorced",
    "Widowed",
];
const EDUCATION: &[&str] = &[
    "Children",
    "Preschool",
    "Grade1to4",
    "Grade5to6",
    "Grade7to8",
    "Grade9",
    "Grade10",
    "Grade11",
    "Grade12",
    "HighSchool",
    "SomeCollege",
    "AssocVocational",
    "AssocAcademic",
    "Bachelors",
    "Masters",
    "ProfSchool",
    "Doctorate",
];
const COUNTRY: &[&str] = &[
    "UnitedStates",
    "Mexico",
    "PuertoRico",
    "Italy",
    "Canada",
    "Germany",
    "DominicanRepublic",
    "Poland",
    "Philippines",
    "Cuba",
    "ElSalvador",
    "China",
    "England",
    "Columbia",
    "India",
    "SouthKorea",
    "Ireland",
    "Jamaica",
    "Vietnam",
    "Guatemala",
    "Japan",
    "Portugal",
    "Ecuador",
    "Haiti",
    "Greece",
    "Peru",
    "Nicaragua",
    "Hungary",
    "Scotland",
    "Iran",
    "Yugoslavia",
    "Taiwan",
    "Cambodia",
    "Honduras",
    "France",
    "Laos",
    "HongKong",
    "TrinadadTobago",
    "Thailand",
    "Panama",
    "OutlyingUS",
    "HolandNetherlands",
];
const WORKCLASS: &[&str] = &[
    "NotInUniverse",
    "NeverWorked",
    "WithoutPay",
    "Private",
    "SelfEmpNotInc",
    "SelfEmpInc",
    "LocalGov",
    "StateGov",
    "FederalGov",
];
const OCCUPATION: &[&str] = &[
    "NotInUniverse",
    "OtherService",
    "HandlersCleaners",
    "FarmingFishing",
    "PrivHouseServ",
    "MachineOpInspct",
    "TransportMoving",
    "AdmClerical",
    "CraftRepair",
    "Sales",
    "ProtectiveServ",
    "TechSupport",
    "ArmedForces",
    "ProfSpecialty",
    "ExecManagerial",
];
const INCOME: &[&str] = &["UpTo50K", "Above50K"];

/// The columns of the table.
const COLUMNS: [(&str, ColumnKind); 10] = [
    ("age", ColumnKind::Integer),
    ("sex", ColumnKind::Label(SEX)),
    ("race", ColumnKind::Label(RACE)),
    ("marital", ColumnKind::Label(MARITAL)),
    ("education", ColumnKind::Label(EDUCATION)),
    ("country", ColumnKind::Label(COUNTRY)),
    ("workclass", ColumnKind::Label(WORKCLASS)),
    ("occupation", ColumnKind::Label(OCCUPATION)),
    ("income", ColumnKind::Label(INCOME)),
    ("wage", ColumnKind::Integer),
];

/// Shares in thousandths, by age: below 20, 20 to 29, 30 to 59, and 60 and older.
const MARITAL_SHARES: [[u32; 7]; 4] = [
    [964, 25, 4, 1, 3, 3, 0],
    [520, 390, 15, 5, 25, 44, 1],
    [140, 630, 20, 2, 45, 143, 20],
    [50, 560, 15, 1, 14, 80, 280],
];

/// Shares in thousandths of the grown-up, from `Preschool` on.
const EDUCATION_SHARES: [u32; 16] = [3, 10, 16, 32, 24, 34, 38, 16, 330, 190, 46, 40, 148, 48, 14, 11];

/// Shares in thousandths, by age as above, of people of working age.
const WORKCLASS_SHARES: [[u32; 9]; 4] = [
    [420, 40, 5, 510, 4, 1, 12, 6, 2],
    [160, 8, 3, 700, 30, 8, 50, 30, 11],
    [150, 3, 3, 600, 75, 30, 80, 34, 25],
    [700, 1, 3, 200, 50, 15, 18, 8, 5],
];

/// A place in a list of shares, each as likely as its share is large.
fn pick(draws: &mut Draws, shares: &[u32]) -> i64 {
    let mut drawn = draws.below(shares.iter().sum());
    let place = shares.iter().position(|&share| {
        let here = drawn < share;
        drawn = drawn.saturating_sub(share);
        here
    });
    place.unwrap_or(0) as i64
}

/// A person of the table, by the numbers of the row.
struct Person([i64; COLUMNS.len()]);

impl Person {
    fn draw(draws: &mut Draws) -> Self {
        let age = draws.between(0, 90).min(draws.between(0, 110)).min(90);
        let band = match age {
            ..20 => 0,
            20..30 => 1,
            30..60 => 2,
            _ => 3,
        };
        let sex = i64::from(draws.below(100) >= 52);
        let race = pick(draws, &[833, 103, 33, 11, 20]);
        let marital = if age < 16 { 0 } else { pick(draws, &MARITAL_SHARES[band]) };
        let education = Person::education(draws, age);
        // The others become rarer one after the other.
        let country =
            if draws.below(100) < 88 { 0 } else { 1 + draws.between(0, 40).min(draws.between(0, 40)) };
        let workclass = if age < 15 { 0 } else { pick(draws, &WORKCLASS_SHARES[band]) };
        let occupation = match workclass {
            0..3 => 0,
            _ => Person::occupation(draws, education),
        };
        let wage = Person::wage(draws, age, sex, education, workclass, occupation);
        let income = i64::from(wage > 50_000);
        Person([age, sex, race, marital, education, country, workclass, occupation, income, wage])
    }

    /// The education of a person of an age.
    fn education(draws: &mut Draws, age: i64) -> i64 {
        let reached = 1 + pick(draws, &EDUCATION_SHARES);
        match age {
            ..15 => 0,
            15..19 => reached.min(age - 9),
            19..22 => reached.min(10),
            22..25 => reached.min(13),
            _ => reached,
        }
    }

    /// The better of two draws for those who learnt longer, the worse of two for those who learnt less.
    fn occupation(draws: &mut Draws, education: i64) -> i64 {
        let (one, other) = (draws.between(1, 14), draws.between(1, 14));
        match education {
            13.. => one.max(other),
            ..9 => one.min(other),
            _ => one,
        }
    }

    /// Whole hundreds.
    fn wage(draws: &mut Draws, age: i64, sex: i64, education: i64, workclass: i64, occupation: i64) -> i64 {
        if workclass < 3 {
            return 0;
        }
        let learnt = 60 + education * education;
        let done = 40 + 6 * occupation;
        // Rises to the age of 50, and falls slowly.
        let years = 60 + (age.min(50) - 15).max(0) - (age - 50).max(0) / 2;
        let paid = if sex == 1 { 100 } else { 82 };
        let luck = draws.between(40, 100) + draws.between(0, 60);
        learnt * done * years / 10_000 * paid * luck / 10_000 * 300 / 100 * 100
    }
}

impl Census {
    /// Checks the parameters; takes none besides rows and seed.
    pub fn new(parameters: &Parameters) -> Result<Self> {
        parameters.check(NAME, PARAMETERS).finish()?;
        Ok(Census { rows: parameters.rows, seed: parameters.seed })
    }
}

impl Generator for Census {
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
            out.push_row(&Person::draw(&mut draws).0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(many: usize) -> Vec<[i64; COLUMNS.len()]> {
        let mut draws = Draws::of_block(NAME, 1, 0);
        (0..many).map(|_| Person::draw(&mut draws).0).collect()
    }

    #[test]
    fn children_are_children() {
        for person in people(20_000).iter().filter(|person| person[0] < 15) {
            assert_eq!((person[3], person[4], person[6], person[7], person[9]), (0, 0, 0, 0, 0));
        }
    }

    #[test]
    fn few_earn_much_and_they_learnt() {
        let people = people(100_000);
        let rich: Vec<_> = people.iter().filter(|person| person[8] == 1).collect();
        let share = rich.len() as f64 / people.len() as f64;
        assert!((0.04..0.09).contains(&share), "{share}");
        let degree = |people: &[&[i64; 10]]| {
            people.iter().filter(|person| person[4] >= 13).count() as f64 / people.len() as f64
        };
        let all: Vec<_> = people.iter().filter(|person| person[0] > 25).collect();
        assert!(degree(&rich) > 1.5 * degree(&all), "{} of {}", degree(&rich), degree(&all));
        assert!(people.iter().all(|person| (person[8] == 1) == (person[9] > 50_000) && person[9] % 100 == 0));
    }

    #[test]
    fn every_value_occurs() {
        let people = people(200_000);
        for (column, (name, kind)) in COLUMNS.iter().enumerate() {
            let values: std::collections::BTreeSet<i64> =
                people.iter().map(|person| person[column]).collect();
            match kind {
                ColumnKind::Label(words) => assert_eq!(values.len(), words.len(), "{name}"),
                _ if *name == "age" => assert_eq!(values.len(), 91),
                _ => assert!(values.len() > 300, "{name}"),
            }
        }
    }
}
