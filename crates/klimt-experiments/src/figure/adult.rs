//! Adult, or the table that stands in for it where it is not at hand.

use super::data::{As, Want, generated};
use klimt_core::hierarchy::{Hierarchy, ReadOptions as TreeOptions, read_csv};
use klimt_core::job::Unobserved;
use klimt_core::table::{ColumnSpec, Domain, Table};
use klimt_io::csv::{DialectSpec, ReadOptions};
use klimt_io::generate::Parameters;
use klimt_io::source::{ColumnPlan, Source};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// Where Adult is.
#[derive(Clone, Debug)]
pub struct Files {
    /// The table.
    pub table: PathBuf,
    /// The folder with `hierarchy_COLUMN.csv` and `order_COLUMN.txt`.
    pub folder: PathBuf,
}

/// Adult, or what stands in for it.
#[derive(Clone, Debug)]
pub struct Adult {
    files: Option<Files>,
    rows: u64,
}

impl Adult {
    /// Adult from its files, or a generated table where there are none; of the latter, at most so many rows.
    pub fn new(files: Option<Files>, most: u64) -> Self {
        Adult { files, rows: ROWS.min(most) }
    }

    /// Which data this is.
    pub fn described(&self) -> String {
        match &self.files {
            Some(_) => format!("Adult, {ROWS} rows"),
            None => format!("the generator census stands in for Adult: {} rows", self.rows),
        }
    }

    /// The table with the columns that are wanted, by the names that experiments use.
    pub fn table(&self, wants: &[Want<'_>]) -> Result<Table, String> {
        let Some(files) = &self.files else {
            return generated("census", &Parameters::new(self.rows, 1), wants);
        };
        let path = files.table.display().to_string();
        let source = Source::open(&path, DialectSpec::default()).map_err(|e| e.to_string())?;
        let mut plan: Vec<ColumnPlan> = source.columns().iter().map(|_| ColumnPlan::default()).collect();
        for want in wants {
            let called =
                CALLED.iter().find(|(name, _)| *name == want.name).map_or(&[][..], |(_, called)| called);
            let found = source.columns().iter().position(|column| called.contains(&plain(column).as_str()));
            let number = found.ok_or_else(|| format!("{path}: there is no column for {}", want.name))?;
            plan[number].spec = Some(files.spec(want, &source.columns()[number])?);
        }
        let options = ReadOptions { missing: &[], threads: 2, observer: &Unobserved };
        source.read(&plan, &options).map(|(table, _)| table).map_err(|e| e.to_string())
    }

    /// The hierarchy of a column of a table, whose values need not be under it.
    pub fn hierarchy(&self, name: &str) -> Result<Arc<Hierarchy>, String> {
        let values = if name == "age" { As::Intervals } else { As::Tree(3) };
        let table = self.table(&[Want::quasi(name, values)])?;
        match table.domain(0).shape() {
            klimt_core::table::Shape::Hierarchy(tree) => Ok(Arc::clone(tree)),
            _ => Err(format!("column {name} has no hierarchy")),
        }
    }
}

impl Files {
    fn spec(&self, want: &Want<'_>, column: &str) -> Result<ColumnSpec, String> {
        let mut spec = ColumnSpec::new(want.name, want.role);
        match want.values {
            As::Plain => {}
            As::Ordered if want.name == "age" => {}
            As::Ordered => spec.order = Some(self.order(column)?),
            As::Tree(_) | As::Intervals => spec.hierarchy = Some(Arc::new(self.tree(column)?)),
        }
        Ok(spec)
    }

    fn tree(&self, column: &str) -> Result<Hierarchy, String> {
        let path = self.folder.join(format!("hierarchy_{column}.csv"));
        let bytes = read(&path)?;
        read_csv(&path.display().to_string(), &bytes, &TreeOptions::default()).map_err(|e| e.to_string())
    }

    /// The order that a file gives, or that of the leaves of the hierarchy.
    fn order(&self, column: &str) -> Result<Vec<String>, String> {
        let path = self.folder.join(format!("order_{column}.txt"));
        if path.is_file() {
            let text = String::from_utf8(read(&path)?)
                .map_err(|_| format!("{}: this is no text", path.display()))?;
            return Ok(text
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .map(String::from)
                .collect());
        }
        let tree = self.tree(column)?;
        Ok((0..tree.leaf_count()).map(|leaf| tree.leaf_label(leaf).to_string()).collect())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
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
    use klimt_core::table::Role;

    #[test]
    fn a_file_with_other_names_is_read_as_adult() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.csv", "Gender;Age;Marital-Status\nFemale;30;\"Never; married\"\nMale;40;Divorced\n");
        write("hierarchy_Marital-Status.csv", "Divorced;*\n\"Never; married\";*\n");
        write("hierarchy_Gender.csv", "Female;*\nMale;*\n");
        let files = Files { table: folder.path().join("a.csv"), folder: folder.path().to_path_buf() };
        let adult = Adult::new(Some(files), 10);
        let wants = [
            Want::quasi("marital", As::Ordered),
            Want::quasi("sex", As::Tree(2)),
            Want::quasi("age", As::Ordered),
        ];
        let table = adult.table(&wants).unwrap();
        assert_eq!((table.rows(), table.dimensions()), (2, 3));
        let marital = table.columns().iter().position(|column| column.name == "marital").unwrap();
        let (domain, codes) = table.columns()[marital].coded().unwrap();
        assert_eq!(codes.get(0), 1, "the order of the leaves");
        assert_eq!(codes_of(domain, &["NEVER-MARRIED"]), [false, true]);
        let missing = adult.table(&[Want::quasi("race", As::Plain)]).unwrap_err();
        assert!(missing.contains("there is no column for race"), "{missing}");
    }

    #[test]
    fn what_stands_in_has_the_columns_of_adult() {
        let adult = Adult::new(None, 100);
        let mut wants: Vec<Want<'_>> = EIGHT.iter().map(|name| Want::quasi(name, As::Ordered)).collect();
        wants.push(Want::other("income", Role::Target));
        assert_eq!(adult.table(&wants).unwrap().dimensions(), 8);
        assert!(adult.described().contains("stands in"));
        assert!(adult.hierarchy("age").unwrap().height() >= 3);
    }
}
