//! klimt's own releases are read back with the right delimiter and header.

use crate::common::Place;

/// Anonymizes a table of one or more columns and reads the release back, with and without its certificate.
fn is_read_back(input: &str, names: &str, flags: &str, k: u64) {
    let place = Place::new();
    place.write("in.csv", input);
    for certificate in ["", "--no-certificate"] {
        place.ok(&format!(
            "anonymize in.csv --qi {names} --other drop {flags} -k {k} -q -o out.csv {certificate}"
        ));
        let ran = place.ok(&format!("verify out.csv --qi {names} -k {k}"));
        assert!(ran.out.contains("rows          12\n"), "{}: {}", place.read("out.csv"), ran.out);
        place.ok(&format!("measure in.csv out.csv --qi {names} {flags}"));
        std::fs::remove_file(place.path("out.csv")).unwrap();
        let _ = std::fs::remove_file(place.path("out.csv.certificate.json"));
    }
}

fn rows(header: &str, row: impl Fn(usize) -> String) -> String {
    let rows: String = (0..12).map(|at| row(at) + "\n").collect();
    format!("{header}\n{rows}")
}

#[test]
fn a_single_column_of_sets_and_other_delimiters() {
    is_read_back(&rows("x", |at| ["a", "b", "c", "d"][at % 4].to_string()), "x", "", 6);
    is_read_back(&rows("x,y", |at| format!("{}|{},1", at % 3, at % 2)), "x", "", 2);
    is_read_back(&rows("x;y", |at| format!("{},5;1", at % 3)), "x", "", 4);
    is_read_back(&rows("x,y", |at| format!("a;b;{},1", at % 3)), "x", "", 4);
    is_read_back(&rows("x\ty", |at| format!("a,{}|q\t1", at % 3)), "x", "", 4);
}

#[test]
fn names_and_values_full_of_other_delimiters() {
    is_read_back(&rows("\"a;b\",c", |at| format!("{};{},1", at % 2, at % 3)), "c", "", 2);
    is_read_back(&rows("\"p|q|r\",s", |at| format!("{}|2|3,{}", at % 2, at % 3)), "s", "", 2);
    let place = Place::new();
    place.write("in.csv", rows("\"a;b;c\",s", |at| format!("1;2;{},{}", at % 2, at % 3)));
    place.ok("anonymize in.csv --qi s --insensitive a;b;c -k 2 -q --no-certificate -o out.csv");
    place.ok("verify out.csv --qi s -k 2");
}

#[test]
fn a_file_without_a_header() {
    let input: String = (0..12).map(|at| format!("{}|x,{}\n", at % 3, at % 2)).collect();
    let place = Place::new();
    place.write("in.csv", input);
    place.ok(
        "anonymize in.csv --no-header --delimiter , --qi column1,column2 -k 2 -q --no-certificate -o out.csv",
    );
    place.ok("verify out.csv --no-header --qi column1,column2 -k 2");
}

#[test]
fn the_certificate_tells_a_delimiter_that_cannot_be_detected() {
    let place = Place::new();
    place.write("in.csv", rows("2019:y", |at| format!("{}:{}", at % 3, at % 2)));
    place.ok("anonymize in.csv --delimiter : --header --qi 2019,y -k 2 -q -o out.csv");
    place.ok("verify out.csv --qi 2019,y -k 2");
    place.ok("report in.csv out.csv --delimiter : --header -o page.html -q");
    // The certificate knows the very bytes, whatever a flag says of the original; that of another file says nothing.
    place.ok("verify out.csv --qi 2019,y -k 2 --delimiter ;");
    std::fs::copy(place.path("out.csv.certificate.json"), place.path("other.csv.certificate.json")).unwrap();
    place.write("other.csv", "a,b\n1,2\n1,2\n");
    place.ok("verify other.csv --qi a,b -k 2");
}
