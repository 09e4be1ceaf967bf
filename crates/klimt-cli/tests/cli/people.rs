//! `--person`: k, requirements and risks count people, who may have several rows each. What is checked here is counted by code
//! of its own, from the published text and the rows of the original.

use crate::common::Place;
use std::collections::{BTreeMap, BTreeSet};

const COLUMNS: &str =
    "--qi age,town,week --sensitive disease --insensitive row --accept row,town --person patient";

const ALGORITHMS: &[&str] = &[
    "mondrian",
    "mondrian --partitioning relaxed",
    "mondrian --effort balanced",
    "mondrian --suppress 5%",
    "mondrian --extent region",
    "rothko-t",
    "rothko-s",
    "rtree",
    "rtree --base-k 2",
    "optimal --time-limit 2",
    "gensearch --splits at-most:6 --time-limit 2",
    "scheme --scheme ops --scheme town=sps --time-limit 2",
    "scheme --scheme sps --suppress 10% --time-limit 2",
    "local",
];

const DISEASES: [&str; 6] = ["flu", "gout", "asthma", "cold", "hiv", "angina"];

/// Visits of patients, of whom some have many; those of a patient are near each other, often for one disease.
fn visits(patients: u64, seed: u64) -> (String, Vec<(String, String)>) {
    let mut state = seed.wrapping_mul(2) + 1;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = "row,patient,age,town,week,disease\n".to_string();
    let mut people = Vec::new();
    for patient in 0..patients {
        let (age, town, own) = (18 + next(60), next(9), next(6));
        let many = if next(6) == 0 { 4 + next(5) } else { 1 + next(2) };
        for _ in 0..many {
            let disease = if next(3) == 0 { next(6) } else { own };
            let (row, week) = (people.len(), 1 + (patient + next(3)) % 50);
            let disease = DISEASES[disease as usize];
            text.push_str(&format!("{row},P{patient:04},{age},t{town},{week},{disease}\n"));
            people.push((format!("P{patient:04}"), disease.to_string()));
        }
    }
    (text, people)
}

type Groups = BTreeMap<Vec<String>, Vec<usize>>;

/// The rows of each group of a release, by the number of each row in the original.
fn groups(release: &str) -> Groups {
    let mut lines = release.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = |name: &str| names.iter().position(|other| *other == name).unwrap();
    assert!(!names.contains(&"patient"), "the person is never published");
    let mut groups = Groups::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let key = ["age", "town", "week"].map(|name| fields[at(name)].to_string()).to_vec();
        groups.entry(key).or_default().push(fields[at("row")].parse().unwrap());
    }
    groups
}

/// The share of each disease in a group in which everybody has one vote, split evenly among their different diseases.
fn votes(people: &BTreeMap<&str, BTreeSet<&str>>) -> BTreeMap<String, f64> {
    let mut votes = BTreeMap::new();
    for diseases in people.values() {
        for disease in diseases {
            *votes.entry(disease.to_string()).or_insert(0.0) +=
                1.0 / diseases.len() as f64 / people.len() as f64;
        }
    }
    votes
}

/// How many diseases different people can stand for.
fn assigned(
    diseases: &[&str],
    people: &BTreeMap<&str, BTreeSet<&str>>,
    taken: &mut BTreeSet<String>,
) -> usize {
    let Some((disease, others)) = diseases.split_first() else { return 0 };
    let mut most = assigned(others, people, taken);
    for (person, has) in people {
        if has.contains(disease) && taken.insert(person.to_string()) {
            most = most.max(1 + assigned(others, people, taken));
            taken.remove(*person);
        }
        if most == diseases.len() {
            break;
        }
    }
    most
}

fn by_person<'a>(rows: &[usize], people: &'a [(String, String)]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for &row in rows {
        found.entry(&people[row].0).or_default().insert(&people[row].1);
    }
    found
}

fn entropy(shares: impl Iterator<Item = f64>) -> f64 {
    -shares.map(|share| share * share.ln()).sum::<f64>()
}

#[test]
fn every_algorithm_counts_people() {
    let place = Place::new();
    let (text, people) = visits(260, 3);
    place.write("in.csv", &text);
    for algorithm in ALGORITHMS {
        let asked = format!("{COLUMNS} -k 4");
        let in_memory = !algorithm.starts_with("rothko");
        let saved = if in_memory { "--save-people people.csv" } else { "" };
        place.ok(&format!(
            "anonymize in.csv {asked} --l-diversity distinct:2 --l-diversity disease=entropy:1.5 --alpha disease=0.8 \
             --algorithm {algorithm} {saved} -o out.csv -q"
        ));
        let groups = groups(&place.read("out.csv"));
        assert!(groups.len() > 1, "{algorithm}");
        for rows in groups.values() {
            let of_group = by_person(rows, &people);
            assert!(of_group.len() >= 4, "{algorithm}: {} people", of_group.len());
            let votes = votes(&of_group);
            let distinct: Vec<&str> = votes.keys().map(String::as_str).collect();
            assert!(assigned(&distinct, &of_group, &mut BTreeSet::new()) >= 2, "{algorithm}");
            assert!(entropy(votes.values().copied()) >= 1.5f64.ln() - 1e-9, "{algorithm}: {votes:?}");
            assert!(votes.values().all(|&share| share <= 0.8 + 1e-9), "{algorithm}: {votes:?}");
        }
        if in_memory {
            let verified =
                place.ok("verify out.csv --qi age,town,week --sensitive disease -k 4 --people people.csv");
            let smallest = groups.values().map(|rows| by_person(rows, &people).len()).min().unwrap();
            assert!(verified.out.contains(&format!("; {smallest} to ")), "{algorithm}: {}", verified.out);
        }
    }
}

#[test]
fn people_are_compared_with_the_votes_of_all() {
    let place = Place::new();
    let (text, people) = visits(300, 5);
    place.write("in.csv", &text);
    let everybody = by_person(&(0..people.len()).collect::<Vec<_>>(), &people);
    let whole = votes(&everybody);
    for algorithm in ["mondrian", "rtree", "local", "optimal --time-limit 2"] {
        place.ok(&format!(
            "anonymize in.csv {COLUMNS} -k 4 --t-closeness disease=0.3:equal --algorithm {algorithm} -o out.csv -q"
        ));
        for rows in groups(&place.read("out.csv")).values() {
            let of_group = votes(&by_person(rows, &people));
            let far = |disease: &str| {
                (of_group.get(disease).unwrap_or(&0.0) - whole.get(disease).unwrap_or(&0.0)).max(0.0)
            };
            let distance: f64 = DISEASES.iter().map(|disease| far(disease)).sum();
            assert!(distance <= 0.3 + 1e-9, "{algorithm}: {distance}");
        }
    }
}

#[test]
fn where_nobody_comes_twice_people_are_rows() {
    let place = Place::new();
    let (text, _) = visits(200, 7);
    let alone: String =
        text.lines()
            .enumerate()
            .map(|(at, line)| {
                if at == 0 { format!("{line}\n") } else { line.replacen(",P", &format!(",X{at}"), 1) + "\n" }
            })
            .collect();
    place.write("in.csv", alone);
    for algorithm in ["mondrian", "rothko-s", "scheme --scheme ops --scheme town=sps", "local"] {
        let asked = format!(
            "anonymize in.csv -k 4 --l-diversity 2 --alpha disease=0.7 --seed 1 -q --algorithm {algorithm}"
        );
        place.ok(&format!("{asked} {COLUMNS} -o people.csv"));
        place.ok(&format!(
            "{asked} {} --identifier patient -o rows.csv",
            COLUMNS.replace(" --person patient", "")
        ));
        assert!(place.read("people.csv") == place.read("rows.csv"), "{algorithm}");
    }
}

#[test]
fn one_person_with_many_rows_hides_nobody() {
    let place = Place::new();
    let mut text = "row,patient,age,disease\n".to_string();
    for row in 0..40 {
        text.push_str(&format!("{row},A,{},{}\n", 20 + row % 4, DISEASES[row % 6]));
    }
    for row in 40..44 {
        text.push_str(&format!("{row},B{row},{},hiv\n", 20 + row % 4));
    }
    place.write("in.csv", text);
    let asked = "anonymize in.csv --qi age --sensitive disease --other drop --person patient -o out.csv";
    let ran = place.run(&format!("{asked} -k 6"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("the number of people in the table, which is 5"), "{}", ran.err);
    let ran = place.run(&format!("{asked} -k 5 --l-diversity distinct:3"));
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("all rows together reach 2"), "{}", ran.err);
    place.ok(&format!("{asked} -k 5 -q"));
    assert_eq!(
        place.read("out.csv").lines().skip(1).collect::<BTreeSet<_>>().len(),
        6,
        "one group, six diseases"
    );
}

#[test]
fn the_file_of_people_is_private_and_belongs_to_its_release() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let (text, people) = visits(120, 9);
    place.write("in.csv", &text);
    let verify = "verify out.csv --qi age,town,week --sensitive disease -k 4 --people people.csv";
    for output in ["out.csv", "out.parquet"] {
        place.ok(&format!("anonymize in.csv {COLUMNS} -k 4 --save-people people.csv -o {output} -q"));
        place.ok(&verify.replace("out.csv", output));
        let mode = std::fs::metadata(place.path("people.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let pseudonyms: BTreeSet<String> =
            place.read("people.csv").lines().skip(1).map(String::from).collect();
        let patients: BTreeSet<&String> = people.iter().map(|(patient, _)| patient).collect();
        assert_eq!(pseudonyms.len(), patients.len());
        assert!(pseudonyms.iter().all(|pseudonym| !patients.contains(pseudonym)));
    }
    place.ok(&format!("anonymize in.csv {COLUMNS} -k 4 --save-people people.csv -o out.csv -q"));
    let whole = place.read("people.csv");
    let (first, rest) = whole.split_once('\n').unwrap();
    place.write("people.csv", format!("{first}\n{}", rest.split_once('\n').unwrap().1));
    let ran = place.run(verify);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("their numbers differ"), "{}", ran.err);
    place.write(
        "people.csv",
        rest.lines().map(|_| "same\n").fold(format!("{first}\n"), |all, line| all + line),
    );
    assert_eq!(place.run(verify).code, Some(1), "all rows are about one person");
    place.write("people.csv", "row\n1\n");
    assert!(place.run(verify).err.contains("this is not a file of people"));
}

#[test]
fn rows_without_a_person_count_for_nobody() {
    let place = Place::new();
    let mut text = "patient,age,disease\n".to_string();
    (0..30).for_each(|row| text.push_str(&format!(",{},flu\n", 20 + row % 7)));
    (0..9).for_each(|row| text.push_str(&format!("P{row},{},gout\n", 20 + row % 7)));
    place.write("in.csv", text);
    let asked = "anonymize in.csv --qi age --insensitive disease --person patient -o out.csv";
    assert!(place.run(&format!("{asked} -k 10")).err.contains("which is 9"));
    place.ok(&format!("{asked} -k 3 -q"));
    let release = place.read("out.csv");
    let mut people: BTreeMap<&str, usize> = BTreeMap::new();
    for line in release.lines().skip(1) {
        let (age, disease) = line.rsplit_once(',').unwrap();
        *people.entry(age).or_default() += usize::from(disease == "gout");
    }
    assert!(people.values().all(|&people| people >= 3), "{people:?}");
}

#[test]
fn mistakes_with_people_are_told() {
    let place = Place::new();
    place.write("in.csv", visits(60, 11).0);
    for (flags, expected) in [
        ("--person patient,row", "one column says whom a row is about"),
        ("--save-people people.csv", "is for a table of which --person names a column"),
        ("--person patient --memory 16MB --algorithm rothko-s --t-closeness 0.5", "counted in memory"),
        ("--person patients", "unknown column patients"),
    ] {
        let ran = place.run(&format!(
            "anonymize in.csv --qi age,week --sensitive disease --other drop -k 3 {flags} -o out.csv"
        ));
        assert!(matches!(ran.code, Some(2 | 3)), "{flags}: {:?}", ran.code);
        assert!(ran.err.contains(expected), "{flags}: {}", ran.err);
        assert!(!place.exists("out.csv"));
    }
}
