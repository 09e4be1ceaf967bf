//! Every kind of bad input: one clear message with its place, the right exit code, no output, no cell value.

use crate::common::{Place, people};

const ANONYMIZE: &str = "anonymize in.csv --qi age,sex --other drop -k 2 -o out.csv";

/// Runs a command that must fail without leaving anything behind.
fn fails(place: &Place, args: &str, code: i32, wanted: &[&str]) -> String {
    let before = place.files();
    let ran = place.run(args);
    assert_eq!(ran.code, Some(code), "klimt {args}: {}", ran.err);
    for text in wanted {
        assert!(ran.err.contains(text), "klimt {args}: {text:?} is not in {:?}", ran.err);
    }
    assert_eq!(place.files(), before, "klimt {args} left something behind");
    ran.err
}

/// A file of this content must fail with this message.
fn bad_input(content: impl AsRef<[u8]>, wanted: &[&str]) {
    let place = Place::new();
    place.write("in.csv", content);
    let error = fails(&place, ANONYMIZE, 2, wanted);
    assert!(!error.contains("SECRET"), "a cell value is in {error:?}");
}

#[test]
fn a_missing_file() {
    fails(&Place::new(), ANONYMIZE, 2, &["in.csv", "no such file"]);
}

#[test]
fn an_empty_file() {
    bad_input("", &["in.csv", "empty"]);
    bad_input("\n\n", &["in.csv", "empty"]);
}

#[test]
fn a_header_without_rows() {
    bad_input("age,sex\n", &["in.csv", "a header and no rows"]);
}

#[test]
fn ragged_lines() {
    bad_input("age,sex\n1,f\n2,m,SECRET\n", &["in.csv", "line 3", "3 fields where the header has 2"]);
    bad_input("age,sex\n1,f\nSECRET\n", &["in.csv", "line 3", "1 field where the header has 2"]);
}

#[test]
fn an_unclosed_quote() {
    bad_input("age,sex\n1,f\n2,\"SECRET\n3,m\n", &["in.csv", "line 3", "quote"]);
}

#[test]
fn invalid_utf8() {
    bad_input(
        "age,sex\n1,\u{fc}\n2,x\n".bytes().chain(*b"2,\xFFSECRET\n").collect::<Vec<u8>>(),
        &["in.csv", "line 4", "utf-8"],
    );
    bad_input(b"age,sex\n1,f\n2,\x81SECRET\n", &["in.csv", "line 3", "windows-1252"]);
    bad_input(b"\xFF\xFEa\0g\0e\0\0\xD8\n\0", &["in.csv", "line 1", "utf-16le"]);
}

#[test]
fn a_number_that_does_not_parse() {
    let place = Place::new();
    place.write("in.csv", "age,sex\n30,f\nSECRET,m\n40,f\n");
    let args = "anonymize in.csv --qi age,sex --type age=integer -k 2 -o out.csv";
    let error = fails(&place, args, 2, &["in.csv", "column age", "line 3", "integer"]);
    assert!(!error.contains("SECRET"));
}

#[test]
fn duplicate_column_names() {
    bad_input("age,sex,age\n1,f,2\n", &["in.csv", "line 1", "age", "twice"]);
}

#[test]
fn an_unknown_column_is_told_with_the_nearest_name() {
    let place = Place::new();
    place.write("in.csv", people(20));
    let args = "anonymize in.csv --qi agee,sexx --other drop -k 2 -o out.csv";
    fails(
        &place,
        args,
        2,
        &["unknown column agee; did you mean age?", "unknown column sexx; did you mean sex?"],
    );
}

#[test]
fn columns_without_a_role_are_listed() {
    let place = Place::new();
    place.write("in.csv", people(20));
    fails(&place, "anonymize in.csv --qi age,sex -k 2 -o out.csv", 2, &["id, city, income", "--other"]);
}

#[test]
fn a_spec_tells_all_its_problems_at_once() {
    let place = Place::new();
    place.write("in.csv", people(20)).write(
        "klimt.toml",
        "kk = 3\nextent = \"wide\"\n[columns.age]\nrole = \"quasi-identfier\"\n[columns.sex]\nrolle = \"target\"\n",
    );
    let wanted = [
        "4 problems",
        "unknown key kk",
        "extent",
        "did you mean quasi-identifier?",
        "unknown key rolle; did you mean role?",
    ];
    fails(&place, "anonymize in.csv --spec klimt.toml -o out.csv", 2, &wanted);
    place.write("broken.toml", "k = \n");
    fails(&place, "anonymize in.csv --spec broken.toml -o out.csv", 2, &["broken.toml", "line 1", "TOML"]);
}

#[test]
fn k_of_zero_and_no_k() {
    let place = Place::new();
    place.write("in.csv", people(20));
    fails(&place, "anonymize in.csv --qi age,sex --other drop -k 0 -o out.csv", 2, &["k must be at least 1"]);
    fails(&place, "anonymize in.csv --qi age,sex --other drop -o out.csv", 2, &["k is not given"]);
}

#[test]
fn k_larger_than_the_table() {
    let place = Place::new();
    place.write("in.csv", people(20));
    let args = "anonymize in.csv --qi age,sex --other drop -k 21 -o out.csv";
    fails(&place, args, 1, &["largest k that is possible is 20"]);
}

#[test]
fn a_width_that_no_release_can_have() {
    let place = Place::new();
    place.write("in.csv", "age,sex\n30,f\n31,m\n32,f\n");
    let args = "anonymize in.csv --qi age,sex --min-width age=10 -k 2 -o out.csv";
    fails(&place, args, 1, &["width 10 of column age", "reach 2"]);
}

#[test]
fn hierarchies_that_do_not_fit() {
    let place = Place::new();
    place.write("in.csv", "age,sex\n30,f\n31,SECRET\n32,f\n33,SECRET\n");
    let args = "anonymize in.csv --qi age,sex --hierarchy sex=sex.csv -k 2 -o out.csv";
    place.write("sex.csv", "f;*\nm;*\n");
    let error = fails(&place, args, 2, &["column sex", "1 value on 2 rows", "lines 3, 5", "hierarchy"]);
    assert!(!error.contains("SECRET"));
    place.write("sex.csv", "f;female;*\nSECRET;male;any\n");
    fails(&place, args, 2, &["sex.csv", "root"]);
    place.write("sex.csv", "f;x;y;*\nSECRET;y;x;*\n");
    fails(&place, args, 2, &["sex.csv"]);
    place.write("sex.csv", "");
    fails(&place, args, 2, &["sex.csv", "empty"]);
    fails(&place, &args.replace("sex.csv", "none.csv"), 2, &["none.csv", "no such file"]);
}

#[test]
fn an_output_that_would_overwrite_its_input() {
    let place = Place::new();
    place.write("in.csv", people(20));
    let args = "anonymize in.csv --qi age,sex --other drop -k 2 -o";
    fails(&place, &format!("{args} in.csv"), 2, &["overwrite"]);
    fails(&place, &format!("{args} ./in.csv"), 2, &["overwrite"]);
    place.write("order.txt", "f\nm\n");
    fails(&place, &format!("{args} order.txt --order sex=order.txt"), 2, &["overwrite"]);
}

#[test]
fn a_full_disk() {
    let place = Place::new();
    place.write("in.csv", people(5000));
    let args = "anonymize in.csv --qi age,sex --other keep --accept id -k 2 -o /dev/full";
    fails(&place, &format!("{args} --no-certificate"), 3, &["/dev/full", "no space left"]);
}

#[test]
fn a_file_size_limit_ends_like_a_full_disk() {
    let place = Place::new();
    place.write("in.csv", people(20_000));
    let binary = env!("CARGO_BIN_EXE_klimt");
    let shell = format!(
        "trap '' XFSZ; ulimit -f 64; exec {binary} anonymize in.csv --qi age,sex --other keep --accept id -k 2 -o out.csv"
    );
    let output =
        std::process::Command::new("bash").args(["-c", &shell]).current_dir(place.path("")).output().unwrap();
    let ran = crate::common::ran(&output);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert_eq!(place.files(), ["in.csv"], "{}", ran.err);
}

#[test]
fn a_broken_pipe_is_quiet() {
    let place = Place::new();
    place.write("in.csv", people(20_000));
    let binary = env!("CARGO_BIN_EXE_klimt");
    let shell = format!(
        "set -o pipefail; {binary} anonymize in.csv --qi age,sex --other keep --accept id -k 2 -q | head -n 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    );
    let output =
        std::process::Command::new("bash").args(["-c", &shell]).current_dir(place.path("")).output().unwrap();
    let ran = crate::common::ran(&output);
    assert_eq!((ran.out.trim(), ran.err.as_str()), ("0", ""));
}

#[test]
fn wrong_usage_ends_with_two() {
    let place = Place::new();
    place.write("in.csv", people(20));
    for args in [
        "anonymize --bogus",
        "frobnicate",
        "anonymize in.csv --qi age --weight age=x -k 2",
        "verify in.csv -k 2",
    ] {
        assert_eq!(place.run(args).code, Some(2), "{args}");
    }
    let args = "anonymize in.csv --qi age,sex --sensitive age --other drop -k 2 -o out.csv";
    fails(&place, args, 2, &["column age has two roles"]);
    fails(&place, &format!("{ANONYMIZE} --suppress 200%"), 2, &["between 0% and 100%"]);
}
