//! A requirement of your own: every group holds at least twice as many rows as k.

use klimt::prelude::*;
use klimt::requirement::{Check, Level, Side, WholeFacts};
use klimt::statistics::{Needs, Statistics};

/// Every group holds at least `2k` rows. It is monotone, as merging adds rows.
#[derive(Debug)]
struct TwiceAsMany {
    k: u64,
}

impl Requirement for TwiceAsMany {
    fn id(&self) -> &'static str {
        "twice-as-many"
    }

    fn describe(&self) -> String {
        format!("at least twice {} rows", self.k)
    }

    fn limit(&self) -> Level {
        Level::Count(2 * self.k)
    }

    fn side(&self) -> Side {
        Side::AtLeast
    }

    fn bind(&self, _: &dyn WholeFacts) -> klimt::Result<Box<dyn Check>> {
        Ok(Box::new(AtLeast(2 * self.k)))
    }
}

#[derive(Debug)]
struct AtLeast(u64);

impl Check for AtLeast {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn satisfied(&self, group: &Statistics) -> bool {
        group.count >= self.0
    }

    fn level(&self, group: &Statistics) -> Level {
        Level::Count(group.count)
    }
}

fn main() -> klimt::Result<()> {
    let table: String = (0..60).map(|row| format!("{},{}\n", 20 + row, row % 4)).collect();
    let table = format!("age,disease\n{table}");
    let release = Anonymizer::new()
        .quasi_identifiers(["age"])
        .insensitive(["disease"])
        .require(KAnonymity::new(5)?)
        .require(TwiceAsMany { k: 5 })
        .anonymize(Input::reader(Format::Csv, std::io::Cursor::new(table)))?;
    println!("the smallest group has {} rows", release.certificate().sizes.smallest);
    assert!(release.certificate().sizes.smallest >= 10);
    Ok(())
}
