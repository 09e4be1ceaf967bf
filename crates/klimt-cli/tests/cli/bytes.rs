//! The same input, spec and seed give the same bytes from version to version: rearranging the code changes no release.
//!
//! `bytes.txt` has a hash for every command below. Where a release is meant to change, `KLIMT_WRITE_BYTES=1` writes the file
//! anew, and the change is seen in review.

use crate::common::Place;
use std::fmt::Write;
use std::path::Path;

/// A table with every kind of column, with missing values in two of them.
fn table() -> String {
    let mut state = 20_261_118u64;
    let mut next = |many: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % many
    };
    let mut text = String::from("age,born,city,job,size,disease,income,note\n");
    for row in 0..900 {
        let age = if next(60) == 0 { String::new() } else { (18 + next(50) + next(25)).to_string() };
        let born = format!("{}-{:02}-{:02}", 1940 + next(60), 1 + next(12), 1 + next(28));
        let city = ["Bern", "Zug", "Ulm", "Graz", "Linz", ""][next(6).min(next(6)) as usize];
        let job = ["nurse", "doctor", "surgeon", "midwife", "teacher", "clerk", "baker"][next(7) as usize];
        let size = ["small", "medium", "large"][next(3) as usize];
        let disease = ["flu", "gout", "asthma", "cold"][next(4) as usize];
        let income = 900 + next(40) * 50;
        writeln!(text, "{age},{born},{city},{job},{size},{disease},{income}.50,\"row {row}, as it is\"")
            .unwrap();
    }
    text
}

const JOBS: &str = "nurse;health;any\ndoctor;health;any\nsurgeon;health;any\nmidwife;health;any\nteacher;public;any\n\
                    clerk;public;any\nbaker;trade;any\n";

/// What is asked for beside the columns and k.
const FLAGS: &[&str] = &[
    "",
    "--keep-order",
    "--extent region",
    "--partitioning relaxed",
    "--hierarchy-cut leaves",
    "--split loss:ncp",
    "--split box",
    "--split infogain --target disease --sensitive income",
    "--suppress 5%",
    "--statistics range,mean",
    "--l-diversity disease=distinct:3",
    "--l-diversity disease=entropy:2.5 --split loss:dm",
    "--t-closeness income=0.3:ordered",
    "--min-width age=6 --extent region",
    "--domain age=0..120 --extent region",
    "--workload queries.sql",
    "--effort balanced",
    "--algorithm rothko-t",
    "--algorithm rothko-s --sample 200",
    "--algorithm rothko-s --sample 200 --l-diversity disease=distinct:2",
    "--algorithm rtree",
    "--algorithm rtree --base-k 4 --by leaf-scan",
    "--algorithm rtree --base-k 4 --by level",
    "--algorithm local",
    "--algorithm local --l-diversity disease=distinct:3",
    "--algorithm gensearch --splits at-most:4 --loss dm --time-limit 60s --qi age,city,size",
    "--algorithm gensearch --splits at-most:3 --as-published --loss dm --time-limit 60s --qi age,size",
    "--algorithm scheme --scheme city=sps --time-limit 60s --qi age,city,job",
    "--algorithm scheme --suppress 2% --time-limit 60s --qi city,job,size",
    "--algorithm optimal --loss dm --time-limit 60s --qi city,size",
];

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..24].to_string()
}

#[test]
fn releases_keep_their_bytes() {
    let place = Place::new();
    place.write("in.csv", table()).write("job.csv", JOBS).write("size.txt", "small\nmedium\nlarge\n");
    place.write(
        "queries.sql",
        "SELECT COUNT(*) WHERE age < 40 AND size = 'small';\nSELECT AVG(age) WHERE city = 'Bern';\n",
    );
    let mut found = String::new();
    for flags in FLAGS {
        let usual = [("--qi", "age,born,city,job,size"), ("--sensitive", "disease,income")];
        let unsaid = usual.iter().filter(|(flag, _)| !flags.contains(flag));
        let columns: Vec<String> = unsaid.map(|(flag, names)| format!("{flag} {names}")).collect();
        let used = |name: &str| !flags.contains("--qi") || flags.split("--qi").nth(1).unwrap().contains(name);
        let job = if used("job") { "--hierarchy job=job.csv" } else { "" };
        let size = if used("size") { "--order size=size.txt" } else { "" };
        let columns = format!("{} {job} {size} --other keep --accept note", columns.join(" "));
        let base = "anonymize in.csv -k 5 --seed 7 -q -o out.csv";
        place.ok(&format!("{base} {columns} {flags}"));
        writeln!(found, "{}  {flags}", hash(place.read("out.csv").as_bytes())).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/bytes.txt");
    if std::env::var_os("KLIMT_WRITE_BYTES").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap());
}
