//! The tables of the experiments: files, with what is said of their columns to klimt.

use crate::Result;
use clap::Args;
use klimt::generate::{Parameters, generate};
use klimt::hierarchy::BuildRule;
use klimt::prelude::*;
use klimt::run::{Prepared, spill_folder};
use klimt::table::Table;
use klimt::{Unobserved, Watched};
use klimt_io::generate::{ColumnKind, build};
use klimt_io::room::{Loaded, SpillBudget};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The nine attributes of the generator `agrawal`.
pub const AGRAWAL: [&str; 9] =
    ["salary", "commission", "age", "elevel", "car", "zipcode", "hvalue", "hyears", "loan"];

/// The eight attributes of the generator `sales`.
pub const SALES: [&str; 8] = ["zipcode", "date", "gender", "style", "price", "quantity", "cost", "shipment"];

/// The eight quasi-identifiers of Adult, as its file calls them.
pub const ADULT: [&str; 8] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"];

/// How the values of a column are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum As {
    /// Numbers are ordered, words are not.
    Plain,
    /// In the order in which the generator, or a file beside the table, lists them.
    Ordered,
    /// The leaves of a hierarchy: words and few numbers under nodes with so many children at most.
    Tree(usize),
    /// The leaves of a hierarchy of whole numbers: intervals of five, ten, twenty and forty.
    Intervals,
}

/// A column that an experiment wants.
#[derive(Clone, Copy, Debug)]
pub struct Want<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is to the release.
    pub role: Role,
    /// How its values are taken.
    pub values: As,
}

impl<'a> Want<'a> {
    /// A quasi-identifier.
    pub fn quasi(name: &'a str, values: As) -> Self {
        Want { name, role: Role::QuasiIdentifier, values }
    }

    /// A column of another role.
    pub fn other(name: &'a str, role: Role) -> Self {
        Want { name, role, values: As::Plain }
    }

    /// Gives the column its role in a run.
    pub fn say(&self, asked: Anonymizer) -> Anonymizer {
        match self.role {
            Role::QuasiIdentifier => asked.quasi_identifiers([self.name]),
            Role::Sensitive => asked.sensitive([self.name]),
            Role::Target => asked.targets([self.name]),
            Role::Insensitive => asked.insensitive([self.name]),
            Role::Identifier => asked.identifiers([self.name]),
            Role::Person => asked.person(self.name),
        }
    }
}

/// Quasi-identifiers that are all taken for the same.
pub fn quasi<'a>(names: &[&'a str], values: As) -> Vec<Want<'a>> {
    names.iter().map(|name| Want::quasi(name, values)).collect()
}

/// A table in a file.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What is said of its columns: their roles, orders and hierarchies. Others are dropped.
    pub asked: Anonymizer,
}

impl Dataset {
    /// A table with quasi-identifiers alone.
    pub fn plain(name: &str, path: PathBuf, quasi_identifiers: &[&str]) -> Self {
        let asked = Anonymizer::new().quasi_identifiers(quasi_identifiers.iter().copied()).other(Other::Drop);
        Dataset { name: name.to_string(), path, asked }
    }

    /// The file.
    pub fn input(&self) -> Result<Input> {
        Ok(Input::file(&self.path)?)
    }

    /// A run over it with groups of at least k rows. Columns are measured as they are, whatever they look like.
    pub fn groups_of(&self, k: u64) -> Result<Anonymizer> {
        let named: Vec<String> = self.asked.settings().columns.keys().cloned().collect();
        Ok(self.asked.clone().accept(named).require(KAnonymity::new(k)?))
    }

    /// The names of its quasi-identifiers in their order.
    pub fn quasi_identifiers(&self) -> Vec<String> {
        let columns = self.asked.settings().columns.iter();
        let mut ranked: Vec<_> =
            columns.filter(|(_, column)| column.role == Some(Role::QuasiIdentifier)).collect();
        ranked.sort_by_key(|(_, column)| column.rank);
        ranked.into_iter().map(|(name, _)| name.clone()).collect()
    }

    /// The table as the engine sees it, in memory.
    pub fn table(&self) -> Result<Table> {
        let mut settings = self.groups_of(1)?.settings().clone();
        settings.memory.memory = Some("90%".parse()?);
        let prepared = Prepared::new(settings, None)?;
        let folder = spill_folder(&prepared.settings);
        let room = SpillBudget { pool: &prepared.pool, folder: &folder };
        match prepared.read(self.input()?, &Watched::by(&Unobserved), &room)?.loaded {
            Loaded::Fits(table, _) => Ok(table),
            Loaded::Spilled(_) => Err(format!("{} does not fit in memory", self.path.display()).into()),
        }
    }
}

/// The folder of the tables that are generated, each once.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Where they are, and everything else that experiments write.
    pub folder: PathBuf,
}

impl Tables {
    /// Keeps tables in a folder.
    pub fn new(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Tables { folder: folder.canonicalize()? })
    }

    /// Tables in a folder that goes with what is returned beside them.
    #[cfg(test)]
    pub fn temporary() -> (tempfile::TempDir, Self) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let tables = Tables::new(folder.path()).expect("the folder is there");
        (folder, tables)
    }

    /// A file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The table of a generator, with the columns that are wanted.
    pub fn generated(&self, name: &str, parameters: &Parameters, wants: &[Want<'_>]) -> Result<Dataset> {
        let path = self.file(&format!("{}.csv", called(name, parameters)));
        if !path.exists() {
            generate(name, parameters, &Output::file(&path)?)?;
        }
        let kinds = build(name, parameters)?.columns();
        let mut dataset = Dataset::plain(name, path, &[]);
        for want in wants {
            let column = kinds.iter().find(|column| column.name == want.name);
            let kind =
                column.ok_or_else(|| format!("the generator {name} makes no column {}", want.name))?.kind;
            dataset.asked = dataset.generated_column(want, kind)?;
        }
        Ok(dataset)
    }

    /// The table with nine attributes.
    pub fn agrawal(&self, rows: u64) -> Result<Dataset> {
        self.generated("agrawal", &Parameters::new(rows, 1), &quasi(&AGRAWAL, As::Plain))
    }

    /// Adult enlarged to so many rows by a script, `enlarge.py ROWS OUT.csv`; nothing where there is none.
    pub fn enlarged(&self, script: &Path, rows: u64) -> Result<Option<Dataset>> {
        let path = self.file(&format!("adult-{rows}.csv"));
        if !path.exists() {
            if !script.is_file() {
                println!("skipped: {} is not there; --enlarge names it", script.display());
                return Ok(None);
            }
            let partial = path.with_extension("partial.csv");
            let mut command = Command::new("python3");
            let status = command.arg(script).arg(rows.to_string()).arg(&partial).status()?;
            if !status.success() {
                return Err(format!("{command:?} failed").into());
            }
            std::fs::rename(&partial, &path)?;
        }
        Ok(Some(Dataset::plain("adult", path, &ADULT)))
    }
}

/// What a generated table is called: everything that makes it another.
fn called(name: &str, parameters: &Parameters) -> String {
    let Parameters { rows, seed, attributes, cardinality, mean, sigma, language } = parameters;
    let mut called = format!("{name}-{rows}");
    let mut more = |what: &str, number: Option<String>| {
        called.extend(number.map(|number| format!("-{what}{number}")));
    };
    more("seed", Some(seed).filter(|seed| **seed != 1).map(u64::to_string));
    more("attributes", attributes.map(|many| many.to_string()));
    more("values", cardinality.map(|many| many.to_string()));
    more("mean", mean.map(|mean| mean.to_string()));
    more("sigma", sigma.map(|sigma| sigma.to_string()));
    more("language", language.map(|language| format!("{language:?}").to_lowercase()));
    called
}

impl Dataset {
    /// Says what a generated column is.
    fn generated_column(&self, want: &Want<'_>, kind: ColumnKind) -> Result<Anonymizer> {
        let name = want.name;
        let asked = want.say(self.asked.clone());
        let listed: Vec<String> = match kind {
            ColumnKind::Label(words) => words.iter().map(|word| word.to_string()).collect(),
            _ => Vec::new(),
        };
        let rule = match want.values {
            As::Ordered if !listed.is_empty() => return Ok(asked.order(name, listed)),
            As::Plain | As::Ordered => return Ok(asked),
            As::Tree(fan_out) => BuildRule::Order { values: listed, fan_out },
            As::Intervals => BuildRule::widths(["5", "10", "20", "40"], None)?,
        };
        let tree = Hierarchy::of_column(self.input()?, name, rule, &Anonymizer::new())?;
        Ok(asked.hierarchy(name, tree))
    }
}

/// Where the command, the tables and the scripts are.
#[derive(Args, Clone, Debug)]
pub struct PlaceArgs {
    /// The klimt command
    #[arg(long, default_value = "target/release/klimt")]
    klimt: PathBuf,
    /// Where tables are kept
    #[arg(long, default_value = "bench-data")]
    folder: PathBuf,
    /// The script that makes larger tables like Adult: `enlarge.py ROWS OUT.csv`
    #[arg(long, default_value = "../shared/data/enlarge.py")]
    enlarge: PathBuf,
}

impl PlaceArgs {
    /// The tables.
    pub fn tables(&self) -> Result<Tables> {
        Tables::new(&self.folder)
    }

    /// The enlarged Adult table, where the script that makes it is found.
    pub fn enlarged(&self, rows: u64) -> Result<Option<Dataset>> {
        self.tables()?.enlarged(&self.enlarge, rows)
    }

    /// Adult enlarged and the table with nine attributes, those that there are.
    pub fn both(&self, rows: u64) -> Result<Vec<Dataset>> {
        let agrawal = self.tables()?.agrawal(rows)?;
        Ok(self.enlarged(rows)?.into_iter().chain([agrawal]).collect())
    }

    /// The command, where it has been built.
    pub fn klimt(&self) -> Result<PathBuf> {
        let found = self.klimt.canonicalize();
        found.map_err(|_| "build the command first: cargo build --release".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_table_has_the_orders_and_hierarchies_that_were_wanted() {
        let (_folder, tables) = Tables::temporary();
        let wants = [
            Want::quasi("marital", As::Ordered),
            Want::quasi("age", As::Intervals),
            Want::quasi("race", As::Tree(2)),
            Want::other("income", Role::Target),
        ];
        let dataset = tables.generated("census", &Parameters::new(500, 3), &wants).unwrap();
        assert_eq!(dataset.quasi_identifiers(), ["marital", "age", "race"]);
        let table = dataset.table().unwrap();
        assert_eq!((table.rows(), table.columns().len()), (500, 4));
        assert!(matches!(table.domain(0).shape(), klimt::table::Shape::Ordered));
        assert!(table.domain(1).hierarchy().is_some_and(|tree| tree.height() >= 3));
        assert!(table.domain(2).hierarchy().is_some_and(|tree| tree.height() >= 2));
        assert!(tables.generated("census", &Parameters::new(5, 3), &[Want::quasi("no", As::Plain)]).is_err());
    }

    #[test]
    fn other_parameters_make_another_table() {
        let plain = Parameters::new(10, 1);
        let others = [
            Parameters::new(11, 1),
            Parameters::new(10, 2),
            Parameters { attributes: Some(3), ..plain.clone() },
            Parameters { cardinality: Some(3), ..plain.clone() },
            Parameters { mean: Some(3.0), ..plain.clone() },
            Parameters { sigma: Some(3.0), ..plain.clone() },
            plain,
        ];
        let names: std::collections::BTreeSet<_> =
            others.iter().map(|other| called("skewed", other)).collect();
        assert_eq!(names.len(), others.len());
    }
}
