//! Columns of any name can be named by every flag.

use crate::common::{Place, Ran, ran};

/// A table whose columns have names that need quotes.
fn place() -> Place {
    let place = Place::new();
    let mut text = String::from("\"a,b\",c=d,\"say \"\"x\"\"\",\" lead \",größe,\"\"\"q\"\"\",\n");
    for row in 0..40 {
        let sex = ["f", "m"][row % 2];
        text.push_str(&format!(
            "{},{},{sex},{},{},{},{}\n",
            row % 10,
            row % 7,
            row % 3,
            row % 5,
            row % 4,
            row % 2
        ));
    }
    place.write("in.csv", text).write("sex.csv", "f,*\nm,*\n").write("order.txt", "f\nm\n");
    place
}

/// Runs the command; a header that lacks a name has to be called one.
fn run(place: &Place, args: &[&str]) -> Ran {
    ran(&place.command("").args(args).arg("--header").output().unwrap())
}

#[test]
fn every_flag_takes_quoted_names() {
    let place = place();
    let qi = r#""a,b","c=d",say "x"," lead ",größe,"""q""","""#;
    let ran = run(&place, &["anonymize", "in.csv", "--qi", qi, "-k", "2", "-o", "out.csv"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let header = place.read("out.csv").lines().next().unwrap().to_string();
    assert_eq!(header, "\"a,b\",c=d,\"say \"\"x\"\"\", lead ,größe,\"\"\"q\"\"\",");
    let ran = run(
        &place,
        &[
            "anonymize",
            "in.csv",
            "--qi",
            r#""a,b","c=d""#,
            "--qi",
            r#"say "x""#,
            "--sensitive",
            r#"" lead ""#,
            "--insensitive",
            r#"größe,"""q""""#,
            "--identifier",
            r#""""#,
            "--type",
            r#""c=d"=decimal"#,
            "--type",
            r#""""q"""=text"#,
            "--weight",
            r#""a,b"=2"#,
            "--hierarchy",
            r#"say "x"=sex.csv"#,
            "--min-width",
            r#""a,b"=1"#,
            "--l-diversity",
            r#"" lead "=distinct:2"#,
            "-k",
            "2",
            "-o",
            "out.csv",
        ],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let certificate = place.read("out.csv.certificate.json");
    for said in ["\"a,b\": 2.0", "\"name\": \" lead \"", "\"type\": \"decimal\""] {
        assert!(certificate.contains(said), "{said}: {certificate}");
    }
    let flags = ["--qi", r#""a,b","c=d",say "x""#, "--sensitive", r#"" lead ""#];
    let checked = run(
        &place,
        &[&["verify", "out.csv"], &flags[..], &["--l-diversity", "2", "--column", r#"" lead ""#, "-k", "2"]]
            .concat(),
    );
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let order = run(
        &place,
        &[
            "anonymize",
            "in.csv",
            "--qi",
            r#"say "x""#,
            "--order",
            r#"say "x"=order.txt"#,
            "--other",
            "drop",
            "-k",
            "2",
            "-o",
            "o.csv",
        ],
    );
    assert_eq!(order.code, Some(0), "{}", order.err);
    let scheme = [
        "anonymize",
        "in.csv",
        "--qi",
        r#""a,b","c=d""#,
        "--other",
        "drop",
        "-k",
        "2",
        "-o",
        "s.csv",
        "--algorithm",
        "scheme",
    ];
    let scheme =
        run(&place, &[&scheme[..], &["--scheme", r#""c=d"=sps"#, "--scheme", r#""a,b"=ops"#]].concat());
    assert_eq!(scheme.code, Some(0), "{}", scheme.err);
    let tree = [
        "anonymize",
        "in.csv",
        "--qi",
        r#""a,b","c=d""#,
        "--other",
        "drop",
        "-k",
        "2",
        "-o",
        "s.csv",
        "--algorithm",
        "rtree",
    ];
    let tree = run(&place, &[&tree[..], &["--prefer", r#""a,b""#]].concat());
    assert_eq!(tree.code, Some(0), "{}", tree.err);
    let store = [
        "index", "create", "store", "--like", "in.csv", "--key", r#""a,b""#, "--qi", r#""c=d""#, "--other",
        "drop", "-k", "2",
    ];
    assert_eq!(run(&place, &store).code, Some(0));
}

#[test]
fn a_quote_that_is_not_closed_is_told() {
    let place = place();
    for flags in
        [["--qi", r#""a,b"#], ["--qi", r#""a"b"#], ["--type", r#""c=d"x=text"#], ["--l-diversity", r#""a=2"#]]
    {
        let ran = run(&place, &[&["anonymize", "in.csv", "--other", "drop", "-k", "2"], &flags[..]].concat());
        assert_eq!(ran.code, Some(2), "{flags:?}");
        assert!(ran.err.contains("quote"), "{}", ran.err);
    }
}

#[test]
fn help_names_columns_as_flags_take_them() {
    let place = Place::new();
    let rows: String = (0..30)
        .map(|row| format!("{}\n", if row == 4 { "x".into() } else { (row % 6).to_string() }))
        .collect();
    place.write("in.csv", format!("\"a,b\"\n{rows}"));
    let ran = run(&place, &["anonymize", "in.csv", "--qi", r#""a,b""#, "-k", "2"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains(r#"--type '"a,b"=text'"#), "{}", ran.err);
}
