//! A loss of your own: readers of the release want ages to the decade, and nothing finer is of use to them.

use klimt::loss::{Cost, Loss, Original, Totals};
use klimt::prelude::*;
use klimt::statistics::{Needs, Statistics};
use klimt::table::Domain;

/// The share of rows whose age is published less exactly than to ten years; a suppressed row counts as one of them.
struct CoarseAges;

impl Loss for CoarseAges {
    fn id(&self) -> &'static str {
        "coarse-ages"
    }

    /// The loss adds up over groups, so that searches can minimise it. It applies to tables with a quasi-identifier `age`.
    fn cost<'a>(&self, original: &Original<'a>) -> Option<Box<dyn Cost + 'a>> {
        let table = original.table;
        let dimension = (0..table.dimensions()).find(|&d| table.dimension(d).name == "age")?;
        Some(Box::new(CoarseRows { domain: table.domain(dimension), dimension }))
    }
}

/// The loss of a table: how many rows are in groups whose ages are ten years or more apart.
struct CoarseRows<'a> {
    domain: &'a Domain,
    dimension: usize,
}

impl Cost for CoarseRows<'_> {
    fn needs(&self) -> Needs {
        Needs { extents: vec![self.dimension], ..Needs::default() }
    }

    fn group(&self, group: &Statistics) -> f64 {
        let Some((least, greatest)) = group.extent(self.dimension).ends() else { return 0.0 };
        let years = self.domain.position(greatest) - self.domain.position(least);
        if years < 10 { 0.0 } else { group.count as f64 }
    }

    /// Smaller groups may all be narrow enough. A closer lower bound would let searches prove more.
    fn bound(&self, group: &Statistics, minimum: u64) -> f64 {
        if group.count < 2 * minimum { self.group(group) } else { 0.0 }
    }

    fn monotone(&self) -> bool {
        true
    }

    fn price(&self, _: u64) -> Option<f64> {
        Some(1.0)
    }

    fn finish(&self, sum: f64, totals: &Totals) -> f64 {
        (sum + totals.suppressed as f64) / totals.rows.max(1) as f64
    }
}

fn main() -> klimt::Result<()> {
    let rows: String =
        (0..400).map(|row| format!("{},{}\n", 20 + row * 7 % 61, 1000 + row * 13 % 900)).collect();
    let table = || Input::reader(Format::Csv, std::io::Cursor::new(format!("age,zip\n{rows}")));
    let usual = Anonymizer::new().quasi_identifiers(["age", "zip"]).require(KAnonymity::new(10)?).seed(1);
    let plain = usual.clone().effort(Effort::Balanced).anonymize(table())?;
    let release = usual.effort(Effort::Balanced).loss(CoarseAges).anonymize(table())?;
    let coarse = release.certificate().loss("coarse-ages").unwrap_or(1.0);
    println!("{:.1} % of the ages are too coarse", 100.0 * coarse);
    println!(
        "ncp {:.3}, and {:.3} where ncp itself is minimised",
        release.certificate().loss("ncp").unwrap_or(1.0),
        plain.certificate().loss("ncp").unwrap_or(1.0)
    );
    assert!(coarse < 0.05);
    Ok(())
}
