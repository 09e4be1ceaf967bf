//! Adult, or the table that stands in for it where it is not at hand.

use crate::Result;
use crate::tables::{As, Dataset, Tables, Want};
use klimt::generate::Parameters;
use klimt::prelude::*;
use klimt::settings::{HierarchySource, ValueList};
use klimt::table::Domain;
use klimt_io::csv::DialectSpec;
use klimt_io::source::Source;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// How many rows Adult has without those that miss a value.
const ROWS: u64 = 30_162;

/// The eight quasi-identifiers, by the names that experiments use.
pub const EIGHT: [&str; 8] =
    ["sex", "age", "race", "marital", "education", "country", "workclass", "occupation"];

/// The four quasi-identifiers of Li and Li.
pub const FOUR: [&str; 4] = ["age", "marital", "race", "sex"];

/// What a column may be called in a file, without signs and in small letters.
const CALLED: [(&str, &[&str]); 9] = [
    ("sex", &["sex", "gender"]),
    ("age", &["age"]),
    ("race", &["race", "ethnicity"]),
    ("marital", &["maritalstatus", "marital", "marriage"]),
    ("education", &["education"]),
    ("country", &["nativecountry", "country"]),
    ("workclass", &["workclass"]),
    ("occupation", &["occupation"]),
    ("income", &["salaryclass", "income", "class", "salary"]),
];

/// A name without signs and in small letters.
pub fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The folder of Adult where none is named.
pub fn folder() -> PathBuf {
    std::env::var_os("KLIMT_DATA").map_or(PathBuf::from("../shared/data/adult"), PathBuf::from)
}

/// Where Adult is.
#[derive(Clone, Debug)]
pub struct Files {
    /// The table.
    pub table: PathBuf,
    /// The folder with `hierarchy_COLUMN.csv` and `order_COLUMN.txt`.
    pub folder: PathBuf,
}

/// Adult, or what stands in for it. Its columns have the names that experiments use.
#[derive(Clone, Debug)]
pub struct Adult {
    tables: Tables,
    /// The files, of which the table is a copy with these names, and the names of the columns in the original.
    files: Option<(Files, Vec<String>)>,
    rows: u64,
}

impl Adult {
    /// Adult from its files, or a generated table where there are none; of the latter, at most so many rows.
    pub fn new(tables: &Tables, files: Option<Files>, most: u64) -> Result<Self> {
        let files = files.map(|files| files.renamed(tables)).transpose()?;
        Ok(Adult { tables: tables.clone(), files, rows: ROWS.min(most) })
    }

    /// Adult from a folder with all its files; nothing where there is no table.
    pub fn in_folder(tables: &Tables, folder: &Path) -> Result<Option<Self>> {
        let table = folder.join("adult.csv");
        if !table.is_file() {
            println!("skipped: {} is not there; --data names its folder", table.display());
            return Ok(None);
        }
        Adult::new(tables, Files::find(Some(&table), None)?, ROWS).map(Some)
    }

    /// Another table with the columns of Adult.
    pub fn with_table(&self, table: PathBuf) -> Result<Self> {
        let files = self.files.as_ref().map(|(files, _)| Files { table, ..files.clone() });
        Adult::new(&self.tables, files, ROWS)
    }

    /// The tables that are generated.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Which data this is.
    pub fn described(&self) -> String {
        match &self.files {
            Some(_) => format!("Adult, {ROWS} rows"),
            None => format!("the generator census stands in for Adult: {} rows", self.rows),
        }
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        if self.files.is_some() { ROWS } else { self.rows }
    }

    /// The table with the columns that are wanted.
    pub fn dataset(&self, wants: &[Want<'_>]) -> Result<Dataset> {
        let Some((files, columns)) = &self.files else {
            return self.tables.generated("census", &Parameters::new(self.rows, 1), wants);
        };
        let mut dataset = Dataset::plain("adult", files.table.clone(), &[]);
        for want in wants {
            let column = columns.iter().find(|column| known(column) == want.name);
            let column = column.ok_or_else(|| format!("there is no column for {}", want.name))?;
            let asked = want.say(dataset.asked);
            dataset.asked = match want.values {
                As::Ordered if want.name != "age" => files.ordered(asked, want.name, column)?,
                As::Plain | As::Ordered => asked,
                As::Tree(_) | As::Intervals => asked.hierarchy(want.name, files.tree(column)?),
            };
        }
        Ok(dataset)
    }

    /// The table with some quasi-identifiers, whose values are the leaves of their hierarchies.
    pub fn trees(&self, names: &[&str]) -> Result<Dataset> {
        let leaves = |name: &str| if name == "age" { As::Intervals } else { As::Tree(3) };
        self.dataset(&names.iter().map(|name| Want::quasi(name, leaves(name))).collect::<Vec<_>>())
    }
}

/// The name that experiments use for a column of a file.
fn known(column: &str) -> &str {
    let named = CALLED.iter().find(|(_, called)| called.contains(&plain(column).as_str()));
    named.map_or(column, |(name, _)| name)
}

impl Files {
    /// The files of Adult, by the names that are given, or else where `KLIMT_DATA` says; nothing where there is no table.
    pub fn find(data: Option<&Path>, hierarchies: Option<&Path>) -> Result<Option<Self>> {
        let table = match data {
            Some(path) if !path.is_file() => {
                return Err(format!("{}: there is no such file", path.display()).into());
            }
            Some(path) => path.to_path_buf(),
            None => folder().join("adult.csv"),
        };
        if !table.is_file() {
            return Ok(None);
        }
        let table = table.canonicalize()?;
        let beside = table.parent().unwrap_or(Path::new("."));
        let folder = hierarchies.map_or(Ok(beside.to_path_buf()), Path::canonicalize)?;
        Ok(Some(Files { folder, table }))
    }

    /// The same files with a copy of the table whose columns have the names that experiments use, and their names before.
    fn renamed(self, tables: &Tables) -> Result<(Self, Vec<String>)> {
        let source = Source::open(&self.table.display().to_string(), DialectSpec::default())?;
        let columns = source.columns().to_vec();
        let header: Vec<&str> = columns.iter().map(|column| known(column)).collect();
        let delimiter = char::from(source.dialect().delimiter).to_string();
        let name = self.table.file_name().unwrap_or_default().to_string_lossy();
        let table = tables.file(&format!("named-{name}"));
        let mut rows = BufReader::new(File::open(&self.table)?);
        rows.read_until(b'\n', &mut Vec::new())?;
        let mut copy = File::create(&table)?;
        writeln!(copy, "{}", header.join(&delimiter))?;
        std::io::copy(&mut rows, &mut copy)?;
        Ok((Files { table, ..self }, columns))
    }

    fn tree(&self, column: &str) -> Result<Hierarchy> {
        Ok(Hierarchy::from_file(self.folder.join(format!("hierarchy_{column}.csv")))?)
    }

    /// Gives a column the order of its file, or that of the leaves of its hierarchy.
    fn ordered(&self, mut asked: Anonymizer, name: &str, column: &str) -> Result<Anonymizer> {
        let file = |kind: &str, ending: &str| self.folder.join(format!("{kind}_{column}.{ending}"));
        let path = file("order", "txt");
        let order = if path.is_file() {
            ValueList::Text(path.display().to_string())
        } else {
            let tree = HierarchySource::File(file("hierarchy", "csv").display().to_string()).load()?;
            ValueList::Values((0..tree.leaf_count()).map(|leaf| tree.leaf_label(leaf).to_string()).collect())
        };
        asked.settings_mut().columns.entry(name.to_string()).or_default().order = Some(order);
        Ok(asked)
    }
}

/// The codes of the values of a domain whose names, without signs and in small letters, are among these.
pub fn codes_of(domain: &Domain, names: &[&str]) -> Vec<bool> {
    let wanted: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let is_wanted = |code: u32| wanted.contains(&plain(&domain.text(code)));
    (0..domain.cardinality() as u32).map(is_wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_other_names_is_read_as_adult() {
        let (folder, tables) = Tables::temporary();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.csv", "Gender;Age;Marital-Status\nFemale;30;\"Never; married\"\nMale;40;Divorced\n");
        write("hierarchy_Marital-Status.csv", "Divorced;*\n\"Never; married\";*\n");
        write("hierarchy_Gender.csv", "Female;*\nMale;*\n");
        let files = Files { table: folder.path().join("a.csv"), folder: folder.path().to_path_buf() };
        let adult = Adult::new(&tables, Some(files), 10).unwrap();
        let wants = [
            Want::quasi("marital", As::Ordered),
            Want::quasi("sex", As::Tree(2)),
            Want::quasi("age", As::Ordered),
        ];
        let dataset = adult.dataset(&wants).unwrap();
        assert_eq!(dataset.quasi_identifiers(), ["marital", "sex", "age"]);
        let table = dataset.table().unwrap();
        assert_eq!((table.rows(), table.dimensions()), (2, 3));
        let (domain, codes) = (table.domain(0), table.codes(0));
        assert_eq!(codes.get(0), 1, "the order of the leaves");
        assert_eq!(codes_of(domain, &["NEVER-MARRIED"]), [false, true]);
        let missing = adult.dataset(&[Want::quasi("race", As::Plain)]).unwrap_err().to_string();
        assert!(missing.contains("there is no column for race"), "{missing}");
    }

    #[test]
    fn what_stands_in_has_the_columns_of_adult() {
        let (_folder, tables) = Tables::temporary();
        let adult = Adult::new(&tables, None, 100).unwrap();
        let mut wants: Vec<Want<'_>> = EIGHT.iter().map(|name| Want::quasi(name, As::Ordered)).collect();
        wants.push(Want::other("income", Role::Target));
        assert_eq!(adult.dataset(&wants).unwrap().table().unwrap().dimensions(), 8);
        assert!(adult.described().contains("stands in"));
        let age = adult.trees(&["age"]).unwrap().table().unwrap();
        assert!(age.domain(0).hierarchy().unwrap().height() >= 3);
    }
}
