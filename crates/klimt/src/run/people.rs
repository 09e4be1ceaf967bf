//! Whom the rows of a release are about: told to the verifier beside the published bytes, and saved for later checks in a
//! private file of pseudonyms.

use crate::files::Staged;
use klimt_core::recode::Release;
use klimt_core::table::{Codes, Domain, Table};
use klimt_core::words::option;
use klimt_core::{Error, Result};
use klimt_verify::Tally;
use std::io::Write;

/// The name of the only column of a file of pseudonyms.
pub const HEADER: &str = "person";

/// The bytes by which a run knows a person; nothing for a row without one.
pub type PersonKey = Option<[u8; 4]>;

/// The bytes as the verifier takes them.
pub fn bytes(key: &PersonKey) -> &[u8] {
    key.as_ref().map_or(&[], |key| &key[..])
}

/// Whom the rows of a table are about.
#[derive(Clone, Copy)]
pub struct RowPeople<'t> {
    domain: &'t Domain,
    codes: &'t Codes,
}

impl<'t> RowPeople<'t> {
    /// The people of a table, where a column says whom rows are about.
    pub fn of(table: &'t Table) -> Option<Self> {
        let (domain, codes) = table.columns()[table.person()?].coded()?;
        Some(RowPeople { domain, codes })
    }

    /// Who some rows are about.
    pub fn keys<'r>(&'r self, rows: &'r [u32]) -> impl Iterator<Item = PersonKey> + 'r {
        let nobody = self.domain.missing_code();
        let person =
            move |row: &u32| Some(self.codes.get(*row as usize)).filter(|code| Some(*code) != nobody);
        rows.iter().map(move |row| person(row).map(u32::to_le_bytes))
    }

    /// Tells a tally whom the next rows are about.
    pub fn tell(&self, tally: &mut Tally, rows: &[u32]) -> Result<()> {
        let keys: Vec<PersonKey> = self.keys(rows).collect();
        tally.expect(keys.iter().map(bytes))
    }

    /// Writes a pseudonym for each published row, in their order: the same for all rows of a person, and made by a key that nobody
    /// keeps. Only the owner of the release may read it, as it links rows.
    fn write(&self, release: &Release<'_>, out: &mut dyn Write) -> std::io::Result<()> {
        let mut key = [0; blake3::KEY_LEN];
        getrandom::fill(&mut key).map_err(|e| std::io::Error::other(e.to_string()))?;
        writeln!(out, "{HEADER}")?;
        for person in self.keys(&release.rows_in_order()) {
            match person {
                Some(person) => writeln!(out, "{}", &blake3::keyed_hash(&key, &person).to_hex()[..32])?,
                None => writeln!(out, "\"\"")?,
            }
        }
        Ok(())
    }
}

/// Stages the file that says whom the rows of a release are about.
pub fn stage(path: &str, release: &Release<'_>) -> Result<Staged> {
    let people = RowPeople::of(release.table).ok_or_else(|| {
        Error::input(format!(
            "{} is for a table of which {} names a column",
            option("save-people"),
            option("person")
        ))
    })?;
    let made =
        Staged::made(path, |out| people.write(release, out).map_err(|e| Error::io(path, "write it", &e)));
    Ok(made?.private())
}
