//! Statistics of groups so small, or so alike, that they fix every value are warned of, with counts and without values.

use crate::common::Place;

fn warning(place: &Place, flags: &str) -> Option<String> {
    let ran = place.ok(&format!("anonymize in.csv --qi x --other drop {flags} -o out.csv"));
    let found = ran.err.lines().find(|line| line.contains("statistics fix")).map(str::to_string);
    found.inspect(|line| assert!(!line.contains("1013"), "no values: {line}"))
}

#[test]
fn statistics_that_fix_every_value_are_warned_of() {
    let place = Place::new();
    let table = |values: &[u32]| -> String {
        format!("x\n{}", values.iter().map(|value| format!("{value}\n")).collect::<String>())
    };
    // Groups of three, of two and of eight rows.
    place.write("in.csv", table(&[1000, 1013, 2000, 2007, 3000, 3040]));
    let found = warning(&place, "-k 3 --statistics range,mean").unwrap();
    assert!(found.contains("2 of the groups (6 rows)"), "{found}");
    place.write("in.csv", table(&[1000, 1013, 2000, 2007, 3000, 3040, 4000, 4050]));
    let found = warning(&place, "-k 2 --statistics range,mean").unwrap();
    assert!(found.contains("column x") && found.contains("4 of the groups (8 rows)"), "{found}");
    assert_eq!(warning(&place, "-k 8 --statistics range,mean"), None);
    // The ends of the smallest intervals are as good as a range; neither alone fixes anything here.
    assert!(warning(&place, "-k 2 --statistics mean").is_some());
    assert_eq!(warning(&place, "-k 2 --statistics mean --extent region"), None);
    assert_eq!(warning(&place, "-k 2 --statistics range"), None);
    assert_eq!(warning(&place, "-k 2"), None);
    for how in ["--algorithm rothko-t", "--algorithm rothko-s", "--algorithm rtree", "--extent region"] {
        let found = warning(&place, &format!("-k 2 --statistics range,mean {how}")).unwrap();
        assert!(found.contains("4 of the groups (8 rows)"), "{how}: {found}");
    }
    // Four rows: the mean says that both others are at an end, a step from it, or somewhere between.
    for (values, fixed) in [
        ([1000, 1000, 1000, 1013], true),
        ([1000, 1000, 1001, 1013], true),
        ([1000, 1000, 1002, 1013], false),
        ([1000, 1012, 1013, 1013], true),
        ([1000, 1001, 1001, 1000], true),
        ([1013, 1013, 1013, 1013], false),
    ] {
        place.write("in.csv", table(&values));
        assert_eq!(warning(&place, "-k 4 --statistics range,mean").is_some(), fixed, "{values:?}");
    }
    // Nobody knows how many rows have a value, but that all that have one have the same.
    place.write("in.csv", "x,y\n1000,1\n1013,1\n,1\n,1\n");
    assert_eq!(warning(&place, "-k 4 --statistics range,mean"), None);
    place.write("in.csv", "x,y\n1013,1\n1013,1\n,1\n,1\n");
    assert!(warning(&place, "-k 4 --statistics range,mean").is_some());
}
