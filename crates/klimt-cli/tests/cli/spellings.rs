//! Spellings of one sensitive value are one value to every command.

use crate::common::Place;

/// Groups of two rows each, one for each pair of sensitive values.
fn table(pairs: &[(&str, &str)]) -> String {
    let mut text = String::from("age,pay\n");
    for (at, (one, other)) in pairs.iter().enumerate() {
        text.push_str(&format!("{at},{one}\n{at},{other}\n"));
    }
    text
}

const ROLES: &str = "--qi age --sensitive pay --other drop";

#[test]
fn spellings_of_one_value_satisfy_no_diversity() {
    let place = Place::new();
    for (one, other) in [
        ("5000", "5000.0"),
        ("true", "True"),
        ("07000", "7000"),
        ("+5", "5"),
        ("1e3", "1000"),
        ("-0", "0.0"),
        ("2024-01-01T00:00:00Z", "2024-01-01 00:00:00"),
        ("2024-01-01", "2024-01-01 00:00:00"),
    ] {
        // A value that is none of these makes the column one of texts, and changes nothing.
        for more in [&[][..], &[("n/a", "x")]] {
            let pairs: Vec<_> = [(one, other), (one, one)].iter().chain(more).copied().collect();
            place.write("out.csv", table(&pairs));
            for asked in ["distinct:2", "entropy:1.5", "recursive:2:2"] {
                let ran =
                    place.run(&format!("verify out.csv --qi age --sensitive pay -k 2 --l-diversity {asked}"));
                assert_eq!(ran.code, Some(1), "{one} {other} {asked}: {}", ran.out);
            }
            let ran = place.ok("verify out.csv --qi age --sensitive pay");
            assert!(ran.out.contains("at least 1 different values"), "{}", ran.out);
        }
        place.write("in.csv", table(&[(one, other), (other, one), (one, other)]));
        let ran = place.run(&format!("anonymize in.csv {ROLES} -k 2 --l-diversity distinct:2 -o new.csv"));
        assert_eq!(ran.code, Some(1), "{one} {other}: {}", ran.err);
        assert!(!place.exists("new.csv"));
    }
}

#[test]
fn every_algorithm_counts_values_and_publishes_spellings() {
    let place = Place::new();
    let pays = ["5000", "5000.0", "7e1", "70", "8", "8.00", "08"];
    let mut text = String::from("age,zip,pay\n");
    (0..240).for_each(|row| {
        text.push_str(&format!("{},{},{}\n", row * 7 % 60, row * 11 % 13, pays[row * row % 7]));
    });
    place.write("in.csv", &text);
    let roles = "--qi age,zip --sensitive pay";
    for method in [
        "--algorithm mondrian",
        "--algorithm rothko-t",
        "--algorithm rothko-s",
        "--algorithm rtree",
        "--algorithm local",
        "--algorithm optimal --time-limit 1s",
        "--algorithm scheme --time-limit 1s",
        "--algorithm mondrian --effort balanced",
    ] {
        for asked in [
            "--l-diversity distinct:3",
            "--l-diversity entropy:2",
            "--t-closeness 0.3:ordered",
            "--alpha 0.7",
        ] {
            place.ok(&format!("anonymize in.csv {roles} -k 3 {asked} {method} -q -o out.csv"));
            place.ok(&format!("verify out.csv {roles} -k 3 {asked}"));
            let published = place.read("out.csv");
            let count = |text: &str, pay: &str| {
                text.lines().filter(|line| line.ends_with(&format!(",{pay}"))).count()
            };
            for pay in pays {
                assert_eq!(count(&published, pay), count(&text, pay), "{method} {asked}: {pay}");
            }
        }
    }
}

#[test]
fn instants_are_compared_to_the_nanosecond() {
    let place = Place::new();
    let at = |nanosecond: u32| format!("2024-01-01T00:00:00.{nanosecond:09}");
    let rows: String = (1..=8).map(|n| format!("{},{}\n", n / 2, at(n % 3 + 1))).collect();
    place.write("in.csv", format!("age,pay\n{rows}"));
    place.ok(&format!("anonymize in.csv {ROLES} -k 2 --l-diversity distinct:2 -o out.csv -q"));
    place.ok("verify out.csv --qi age --sensitive pay -k 2 --l-diversity distinct:2 -q");
}

#[test]
fn text_is_compared_as_text_where_that_is_said() {
    let place = Place::new();
    place.write("in.csv", table(&[("07000", "7000"), ("7000", "07000"), ("07000", "7000")]));
    let asked = "-k 2 --l-diversity distinct:2 --type pay=text";
    place.ok(&format!("anonymize in.csv {ROLES} {asked} -o out.csv"));
    place.ok(&format!("verify out.csv --qi age --sensitive pay {asked}"));
    place.ok(&format!("report in.csv out.csv --qi age --sensitive pay {asked} -o page.html"));
    place.ok("report in.csv out.csv -o page.html");
    let without = place.run("verify out.csv --qi age --sensitive pay -k 2 --l-diversity distinct:2");
    assert_eq!(without.code, Some(1), "{}", without.out);
}

#[test]
fn values_that_differ_in_case_or_blanks_are_warned_of_without_being_told() {
    let place = Place::new();
    place.write("in.csv", table(&[("Zebra", "zebra"), ("zebra ", "gout"), ("gout", "Zebra")]));
    let ran = place.ok(&format!("anonymize in.csv {ROLES} -k 2 --l-diversity distinct:2 -o out.csv"));
    assert!(ran.err.contains("column pay: 3 values differ from another one only in case"), "{}", ran.err);
    let checked = place.ok("verify out.csv --qi age --sensitive pay -k 2 --l-diversity distinct:2");
    assert!(checked.err.contains("column pay: 3 values differ"), "{}", checked.err);
    assert!(!format!("{}{}{}", ran.err, checked.out, checked.err).to_lowercase().contains("zebra"));
}

#[test]
fn an_order_that_lists_one_value_twice_is_refused() {
    let place = Place::new();
    place.write("in.csv", table(&[("1", "1.0"), ("2", "3")])).write("order.txt", "1\n1.0\n2\n3\n");
    let ran = place.run(&format!("anonymize in.csv {ROLES} --order pay=order.txt -k 2 -o out.csv"));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("spellings of one value") && ran.err.contains("lines 2, 3"), "{}", ran.err);
    place.ok(&format!("anonymize in.csv {ROLES} --order pay=order.txt --type pay=text -k 2 -o out.csv"));
}

#[test]
fn releases_are_compared_by_value_too() {
    let place = Place::new();
    let release = |pays: [&str; 4]| {
        let rows = ["p1", "p2", "p3", "p4"].iter().zip(pays).enumerate();
        let row = |(at, (key, pay)): (usize, (&&str, &str))| format!("{key},{},{pay}\n", at / 2);
        format!("pid,age,pay\n{}", rows.map(row).collect::<String>())
    };
    place.write("new.csv", release(["5", "5.0", "7", "8"])).write("old.csv", release(["5", "6", "7", "8"]));
    let asked = "--key pid --qi age --sensitive pay -k 1 --l-diversity distinct:2";
    assert_eq!(place.run(&format!("verify new.csv --against old.csv {asked}")).code, Some(1));
    place.ok(&format!("verify old.csv --against old.csv {asked}"));
}

#[test]
fn a_table_larger_than_memory_is_counted_by_value() {
    let place = Place::new();
    let mut text = String::from("age,zip,city,pay\n");
    (0..300_000u64).for_each(|row| {
        let (age, zip, city) = (row * 7919 % 500, row * 104_729 % 400, row * 31 % 97);
        text.push_str(&format!("{age},{zip},{city},{}\n", PAYS[row as usize % 4]));
    });
    place.write("in.csv", &text);
    let asked = "--qi age,zip,city --sensitive pay -k 20 --l-diversity distinct:2";
    place.ok(&format!("anonymize in.csv {asked} --algorithm rothko-t --memory 16MB -q -o out.csv"));
    assert!(place.read("out.csv.certificate.json").contains("\"in-memory\": false"));
    place.ok(&format!("verify out.csv {asked}"));
    let published = place.read("out.csv");
    for pay in PAYS {
        let end = format!(",{pay}");
        assert_eq!(published.lines().filter(|line| line.ends_with(&end)).count(), 75_000, "{pay}");
    }
}

const PAYS: [&str; 4] = ["5000", "5000.0", "5e3", "17"];

/// A spelling with more digits behind the point than the value has does not make a variance larger.
#[test]
fn variances_do_not_depend_on_spellings() {
    let place = Place::new();
    let rows = (0..12).map(|n| format!("{n},{}\n", ["10.0e-1", "0.1", "1.0", "9"][n % 4]));
    place.write("in.csv", std::iter::once("q,s\n".to_string()).chain(rows).collect::<String>());
    let plain = (0..12).map(|n| format!("{n},{}\n", ["1", "0.1", "1", "9"][n % 4]));
    place.write("plain.csv", std::iter::once("q,s\n".to_string()).chain(plain).collect::<String>());
    for flags in
        ["", "--algorithm optimal", "--algorithm scheme", "--algorithm local", "--algorithm rothko-s"]
    {
        let groups = |file: &str| {
            let base = format!(
                "anonymize {file} --qi q --sensitive s -k 2 --variance 3 --seed 1 -q -o out.csv {flags}"
            );
            place.ok(&base);
            place.ok("verify out.csv --qi q --sensitive s -k 2 --variance 3");
            let release = place.read("out.csv");
            let mut groups: Vec<String> =
                release.lines().map(|line| line.split(',').next().unwrap().to_string()).collect();
            groups.sort();
            groups
        };
        assert_eq!(groups("in.csv"), groups("plain.csv"), "{flags}");
    }
    let refused = place.run("anonymize in.csv --qi q --sensitive s -k 2 --variance 1000 -q -o out.csv");
    assert_eq!(refused.code, Some(1), "{}", refused.err);
}
