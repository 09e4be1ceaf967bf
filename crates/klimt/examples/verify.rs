//! A release is checked from its published rows alone: `cargo run -p klimt --example verify -- release.csv`, with the columns
//! of `examples/patients`.

use klimt::prelude::*;

fn main() -> klimt::Result<()> {
    let release = std::env::args().nth(1).unwrap_or_else(|| "/tmp/release.csv".to_string());
    let asked = Anonymizer::new()
        .quasi_identifiers(["age", "sex", "zip"])
        .sensitive(["disease"])
        .require(KAnonymity::new(5)?)
        .require(DistinctDiversity::new("disease", 3)?);
    let verdict = klimt::verify(Input::file(&release)?, &asked)?;
    println!(
        "{release}: {} groups, the smallest has {}",
        verdict.findings.groups, verdict.findings.smallest_group
    );
    for promise in &verdict.claims {
        println!("{} {}", if promise.holds { "holds" } else { "FAILS" }, promise.description);
    }
    let attacked = klimt::attack(Input::file(&release)?, None, &asked)?;
    for column in &attacked.report.sensitive {
        println!("{}: {} people whose value is certain", column.column, column.certain);
    }
    Ok(())
}
