//! How requirements are asked for, refused and warned about.

use crate::common::{Place, people};
use serde_json::Value;

/// Sixty people of two towns; in one of them everybody has the same disease.
fn towns() -> String {
    let row = |n: usize| {
        let (town, disease) = if n.is_multiple_of(2) {
            ("Ahorn", ["flu", "gout", "asthma"][n / 2 % 3])
        } else {
            ("Birke", "flu")
        };
        format!("{},{town},{disease},{}\n", 20 + n, 1000 + n % 7 * 100)
    };
    std::iter::once("age,town,disease,income\n".to_string()).chain((0..60).map(row)).collect()
}

fn claims(place: &Place, release: &str) -> Vec<(String, Option<String>)> {
    let certificate: Value =
        serde_json::from_str(&place.read(&format!("{release}.certificate.json"))).unwrap();
    let claim = |claim: &Value| {
        assert_eq!(claim["holds"], true);
        (claim["claim"].as_str().unwrap().to_string(), claim["column"].as_str().map(str::to_string))
    };
    certificate["reached"].as_array().unwrap().iter().map(claim).collect()
}

#[test]
fn an_unprotected_sensitive_column_is_told() {
    let place = Place::new();
    place.write("in.csv", towns());
    let columns = "--qi age,town --sensitive disease,income";
    let warned = place.ok(&format!("anonymize in.csv {columns} -k 3 -o out.csv")).err;
    assert!(warned.contains("nothing protects the sensitive column disease"), "{warned}");
    assert!(warned.contains("nothing protects the sensitive column income"), "{warned}");
    let warned =
        place.ok(&format!("anonymize in.csv {columns} -k 3 --l-diversity 2 --column income -o out.csv")).err;
    assert!(warned.contains("column disease") && !warned.contains("column income"), "{warned}");
    let warned = place.ok(&format!("anonymize in.csv {columns} -k 3 --l-diversity 2 -o out.csv")).err;
    assert!(!warned.contains("warning"), "{warned}");
    assert_eq!(place.ok(&format!("anonymize in.csv {columns} -k 3 -o out.csv -q")).err, "");
}

#[test]
fn what_no_release_can_satisfy_is_refused_before_any_work() {
    let place = Place::new();
    place.write("in.csv", towns());
    let columns = "anonymize in.csv --qi age,town --sensitive disease --insensitive income -k 3 -o out.csv";
    // 40 of 60 have the flu.
    for (flags, level) in [
        ("--l-diversity 4", "all rows together reach 3, and at least 4 is required"),
        ("--l-diversity entropy:2.9", "all rows together reach 2.38"),
        ("--l-diversity recursive:2:2", "all rows together reach 2, and less than 2 is required"),
        ("--alpha 0.6", "all rows together reach 0.666667, and at most 0.6 is required"),
        ("--epsilon-privacy 1.5:1000", "and at most 1.5 is required"),
    ] {
        let ran = place.run(&format!("{columns} {flags}"));
        assert_eq!(ran.code, Some(1), "{flags}: {}", ran.err);
        assert!(ran.err.contains("no release can satisfy") && ran.err.contains(level), "{}", ran.err);
        assert_eq!(place.files(), ["in.csv"]);
    }
}

#[test]
fn a_spec_lists_requirements_per_column() {
    let place = Place::new();
    place.write("in.csv", towns());
    let spec = "input = \"in.csv\"\noutput = \"out.csv\"\nk = 3\nl-diversity = 2\n\
        [columns.age]\nrole = \"quasi-identifier\"\nmin-width = 2\n[columns.town]\nrole = \"quasi-identifier\"\n\
        [columns.disease]\nrole = \"sensitive\"\nl-diversity = [\"entropy:1.5\", \"recursive:4:2\"]\nt-closeness = \"0.4:equal\"\n\
        [columns.income]\nrole = \"sensitive\"\nvariance = 1000.5\n";
    place.write("klimt.toml", spec);
    place.ok("anonymize --spec klimt.toml");
    let mut found = claims(&place, "out.csv");
    found.sort();
    let named = |id: &str, column: Option<&str>| (id.to_string(), column.map(str::to_string));
    let mut expected = vec![
        named("k-anonymity", None),
        named("distinct-l-diversity", Some("disease")),
        named("distinct-l-diversity", Some("income")),
        named("length-restriction", Some("age")),
        named("entropy-l-diversity", Some("disease")),
        named("recursive-cl-diversity", Some("disease")),
        named("t-closeness", Some("disease")),
        named("variance-diversity", Some("income")),
    ];
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(place.run("verify out.csv --spec klimt.toml").code, Some(0));
    place.ok("anonymize --spec klimt.toml --l-diversity distinct:3 --column disease -o other.csv");
    let count = |list: &[(String, Option<String>)], column: &str| {
        list.iter().filter(|(id, of)| id.contains("diversity") && of.as_deref() == Some(column)).count()
    };
    assert_eq!(
        count(&claims(&place, "other.csv"), "disease"),
        1,
        "a flag replaces what the spec says of the column"
    );
}

#[test]
fn every_wrong_parameter_is_told_at_once() {
    let place = Place::new();
    place.write("in.csv", towns());
    let ran = place.run(
        "anonymize in.csv --qi age,town --sensitive disease,income -k 3 --l-diversity disease=entropy:x \
         --t-closeness disease=0.2:near --alpha income=2 --epsilon-privacy income=1:5 --beta-likeness disease=best:2 \
         --l-diversity disease=oddly:2 --variance town=5 -o out.csv",
    );
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("7 problems"), "{}", ran.err);
    for part in [
        "entropy l-diversity must be a number",
        "ordered, equal or hierarchical",
        "town is not a sensitive column",
    ] {
        assert!(ran.err.contains(part), "{}", ran.err);
    }
    for (flags, part) in [
        ("--variance 5 --column disease", "holds no numbers"),
        ("--t-closeness 0.2:hierarchical --column disease", "needs a hierarchy"),
        ("--l-diversity diseas=2", "did you mean disease"),
    ] {
        let ran =
            place.run(&format!("anonymize in.csv --qi age,town --sensitive disease,income -k 3 {flags}"));
        assert_eq!(ran.code, Some(2), "{flags}");
        assert!(ran.err.contains(part), "{flags}: {}", ran.err);
    }
    let ran = place.run("anonymize in.csv --qi age,town --other drop -k 3 --l-diversity 2");
    assert!(ran.code == Some(2) && ran.err.contains("none is named"), "{}", ran.err);
}

#[test]
fn verify_fails_what_is_not_reached_and_says_by_how_much() {
    let place = Place::new();
    place.write("in.csv", towns());
    place.ok("anonymize in.csv --qi age,town --sensitive disease --other drop -k 3 -o out.csv -q");
    let ran = place.run("verify out.csv --qi age,town --sensitive disease -k 3 --l-diversity 2 --alpha 0.9");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("distinct l-diversity of disease with l = 2 does not hold: 1 reached"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("holds         k-anonymity") && ran.out.contains("prosecutor"), "{}", ran.out);
    assert!(ran.out.contains("whose value is certain"), "{}", ran.out);
}

#[test]
fn verify_warns_of_columns_that_tell_rows_apart() {
    let place = Place::new();
    let numbered: String = towns()
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { format!("id,{line}\n") } else { format!("p{at},{line}\n") })
        .collect();
    place.write("in.csv", numbered);
    let made = place.ok("anonymize in.csv --qi age,town --other keep --accept id -k 3 -o out.csv").err;
    assert!(made.contains("column id") && made.contains("identifier"), "{made}");
    let ran = place.ok("verify out.csv --qi age,town -k 3");
    assert!(ran.err.contains("column id") && !ran.err.contains("column income"), "{}", ran.err);
    let json: Value =
        serde_json::from_str(&place.ok("verify out.csv --qi age,town -k 3 --json").out).unwrap();
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn suppression_keeps_what_readers_of_the_release_can_check() {
    let place = Place::new();
    place.write("in.csv", people(900));
    for requirement in ["--t-closeness 0.3:equal", "--beta-likeness 2", "--delta-disclosure 3", "--alpha 0.5"]
    {
        let columns = format!("--qi age,sex,income --sensitive disease -k 4 {requirement}");
        place.ok(&format!("anonymize in.csv {columns} --other drop --suppress 10% -o out.csv -q"));
        place.ok(&format!("verify out.csv {columns} -q"));
    }
}

#[test]
fn a_recoding_function_keeps_its_requirements() {
    let place = Place::new();
    place.write("in.csv", towns());
    let columns = "--sensitive disease --insensitive income";
    place.ok(&format!(
        "anonymize in.csv --qi age,town {columns} -k 3 --l-diversity 2 --save-recoding f.json -o out.csv -q"
    ));
    place.ok(&format!("apply f.json in.csv {columns} -o again.csv -q"));
    let same: String = towns().replace("gout", "flu").replace("asthma", "flu");
    place.write("same.csv", same);
    let ran = place.run(&format!("apply f.json same.csv {columns} -o same-out.csv"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("distinct l-diversity of disease"), "{}", ran.err);
    assert!(!place.exists("same-out.csv"));
    place.ok(&format!("apply f.json same.csv {columns} --l-diversity 1 -o same-out.csv -q"));
}

#[test]
fn splits_follow_the_label_the_number_or_the_loss() {
    let place = Place::new();
    place.ok("generate agrawal --rows 2000 --seed 3 -o in.csv");
    let measured = |split: &str| -> Value {
        let columns = "--qi salary,age,elevel,car,zipcode --target C2,R7 --other drop -k 10";
        place.ok(&format!(
            "anonymize in.csv {columns} --split {split} -o {0}.csv -q",
            split.replace(':', "-")
        ));
        let file = format!("{}.csv.certificate.json", split.replace(':', "-"));
        serde_json::from_str::<Value>(&place.read(&file)).unwrap()["losses"].clone()
    };
    let median = measured("median");
    for (split, loss) in
        [("infogain", "conditional-entropy"), ("regression", "rmse"), ("loss:ncp", "ncp"), ("loss:cm", "cm")]
    {
        let found = measured(split);
        let (better, worse) = (found[loss].as_f64().unwrap(), median[loss].as_f64().unwrap());
        assert!(better < worse, "{split}: {better} is not below the median's {worse}");
    }
    for (split, part) in [
        ("loss:kl", "does not add up"),
        ("loss:nothing", "there is no loss nothing"),
        ("middle", "there is no split criterion"),
    ] {
        let ran = place.run(&format!("anonymize in.csv --qi age,car --other drop -k 5 --split {split}"));
        assert!(ran.code == Some(2) && ran.err.contains(part), "{}", ran.err);
    }
    let ran = place.run("anonymize in.csv --qi age,car --other drop -k 5 --split infogain");
    assert!(ran.code == Some(2) && ran.err.contains("needs a class label"), "{}", ran.err);
}

/// Footnote 13 of the Rothko paper: by the median where no cut gains 0.01 bits.
#[test]
fn infogain_takes_a_least_gain() {
    let place = Place::new();
    // No column says anything about the class, but two of them together do.
    let line = |n: u32| {
        format!("{},{},{},{}\n", n / 4, n % 2, n / 2 % 2, if (n % 4).is_multiple_of(3) { "a" } else { "b" })
    };
    place.write("in.csv", format!("x,y,z,class\n{}", (0..256).map(line).collect::<String>()));
    let columns = "--qi x,y,z --target class --weight x=1.5 --weight z=0.1 -k 8 -q --seed 1";
    let run = |split: &str, how: &str| {
        place.ok(&format!("anonymize in.csv {columns} --split {split} {how} -o out.csv"));
        let certificate: serde_json::Value =
            serde_json::from_str(&place.read("out.csv.certificate.json")).unwrap();
        assert_eq!(certificate["spec"]["settings"]["split"], split);
        let mut rows: Vec<String> = place.read("out.csv").lines().map(str::to_string).collect();
        rows.sort();
        rows
    };
    let published = run("infogain:0.01", "");
    assert!(run("infogain:0.01", "--algorithm rothko-t") == published);
    assert!(run("infogain", "") != published);
    assert!(run("median", "") == published);
    for wrong in ["infogain:", "infogain:-1", "infogain:much"] {
        let ran = place.run(&format!("anonymize in.csv {columns} --split {wrong} -o no.csv"));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.contains("infogain:0.01"), "{}", ran.err);
    }
}
