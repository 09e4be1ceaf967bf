//! A CSV file in, a checked release out: `cargo run -p klimt --example csv -- patients.csv release.csv`, with the columns
//! of `examples/patients`.

use klimt::prelude::*;

fn main() -> klimt::Result<()> {
    let mut files = std::env::args().skip(1);
    let input = files.next().unwrap_or_else(|| "examples/patients/patients.csv".to_string());
    let output = files.next().unwrap_or_else(|| "/tmp/release.csv".to_string());
    let certificate = Anonymizer::new()
        .quasi_identifiers(["age", "sex", "zip"])
        .sensitive(["disease"])
        .identifiers(["name"])
        .other(Other::Drop)
        .require(KAnonymity::new(5)?)
        .require(DistinctDiversity::new("disease", 3)?)
        .anonymize_to(Input::file(input)?, Output::file(&output)?)?;
    println!("{output}: {} rows in {} groups", certificate.rows.published, certificate.groups);
    Ok(())
}
