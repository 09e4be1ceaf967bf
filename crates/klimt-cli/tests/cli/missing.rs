//! Missing values: a few of them cost little, whatever the algorithm, and a release that says nothing is warned of.

use crate::common::{Place, alone};
use crate::scheme::loss;

/// Four columns of numbers, of which the given number is missing in each.
fn numbers(rows: usize, missing: u64) -> String {
    let mut state = 5u64;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    let mut cells: Vec<Vec<String>> =
        (0..rows).map(|_| (0..4).map(|_| next(200).to_string()).collect()).collect();
    for column in [0, 1, 2, 3] {
        (0..missing).for_each(|_| cells[next(rows as u64) as usize][column].clear());
    }
    let mut text = String::from("id,a,b,c,d\n");
    for (id, cells) in cells.iter().enumerate() {
        text.push_str(&format!("{id},{}\n", cells.join(",")));
    }
    text
}

const BASE: &str = "--qi a,b,c,d --insensitive id --accept id --other drop -k 5 -o out.csv";

#[test]
fn a_few_missing_values_cost_little() {
    let place = Place::new();
    place.write("whole.csv", numbers(20_000, 0));
    place.write("few.csv", numbers(20_000, 2));
    alone(|| compare_whole_and_few(&place));
}

fn compare_whole_and_few(place: &Place) {
    for algorithm in [
        "mondrian",
        "mondrian --extent region",
        "mondrian --suppress 1%",
        "rtree",
        "rothko-t --memory 20MB",
        "rothko-s --memory 20MB",
        "local",
        "optimal --time-limit 10s",
        "scheme --loss ncp --scheme ops --time-limit 6s",
    ] {
        place.ok(&format!("anonymize whole.csv {BASE} -q --algorithm {algorithm}"));
        let before = loss(place, "ncp");
        let ran = place.ok(&format!("anonymize few.csv {BASE} --algorithm {algorithm}"));
        let after = loss(place, "ncp");
        println!("{algorithm}: {before:.4} {after:.4}");
        assert!(after <= before * 1.02, "{algorithm}: {after} instead of {before}");
        let warned = ["published as one group", "says hardly anything"].map(|told| ran.err.contains(told));
        assert_eq!(warned, [false; 2], "{}", ran.err);
        place.ok("verify out.csv --qi a,b,c,d -k 5");
    }
}

#[test]
fn a_saved_function_leads_missing_values_to_their_groups() {
    let place = Place::new();
    place.write("few.csv", numbers(3000, 3));
    for algorithm in
        ["mondrian", "mondrian --split box", "rothko-t", "scheme --loss ncp --scheme ops --time-limit 4s"]
    {
        place.ok(&format!(
            "anonymize few.csv {BASE} -q --extent region --save-recoding function.json --algorithm {algorithm}"
        ));
        place.ok("apply function.json few.csv -o again.csv -q --insensitive id --accept id");
        let sorted = |name: &str| {
            let text = place.read(name);
            let mut lines: Vec<String> = text.lines().skip(1).map(str::to_string).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted("out.csv"), sorted("again.csv"), "{algorithm}");
    }
}

#[test]
fn a_release_that_says_nothing_is_warned_of() {
    let place = Place::new();
    place.write("in.csv", numbers(8, 1));
    let ran = place.ok(&format!("anonymize in.csv {BASE} --no-certificate"));
    assert!(ran.err.contains("warning: all 8 rows are published as one group"), "{}", ran.err);
    assert!(ran.err.contains("8 rows make no two groups of 5"), "{}", ran.err);
    assert!(ran.err.contains("values are missing in 4 of 4 quasi-identifiers"), "{}", ran.err);
    let quiet = place.ok(&format!("anonymize in.csv {BASE} --no-certificate -q"));
    assert!(!quiet.err.contains("warning"), "{}", quiet.err);
}
