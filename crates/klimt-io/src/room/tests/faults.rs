//! Errors are the same as for a table in memory.

use super::*;
use klimt_core::ErrorKind;
use klimt_core::job::Observer;
use klimt_core::table::{TypeSpec, ValueType};
use std::sync::atomic::{AtomicU64, Ordering};

fn typed(name: &str, value_type: ValueType) -> ColumnSpec {
    ColumnSpec { type_spec: Some(TypeSpec::from(value_type)), ..quasi(name) }
}

/// The message is the same, and there is one.
fn assert_same_error(text: &str, specs: Vec<ColumnSpec>) -> String {
    let file = file(text.as_bytes());
    let plan = plan(specs);
    let (held, found) = both(&file, &plan, &[], 2, tiny(&plan));
    let held = message(&held.unwrap_err());
    assert_eq!(held, message(&found.unwrap_err()));
    held
}

#[test]
fn values_that_do_not_fit_are_named_by_their_lines() {
    let mut text = "a,b\n".to_string();
    for row in 0..2000 {
        // A quoted line end: rows are not lines.
        let a = if row % 97 == 5 { "\"x\ny\"".to_string() } else { row.to_string() };
        text +=
            &format!("{a},{}\n", if row % 700 == 699 { "late".to_string() } else { (row % 5).to_string() });
    }
    let mut ordered = quasi("b");
    ordered.order = Some((0..5).map(|n| n.to_string()).collect());
    let told = assert_same_error(&text, vec![typed("a", ValueType::Integer), ordered]);
    assert!(told.contains("column a") && told.contains("column b"), "{told}");
    let told = assert_same_error(&text, vec![quasi("a"), typed("b", ValueType::Integer)]);
    assert!(told.contains("1 value on 2 rows"), "{told}");
    assert!(told.contains("lines 709, 1416"), "{told}");
}

#[test]
fn numbers_that_are_not_in_the_order_are_found() {
    let rows: String = (0..2000).map(|row| format!("{},1\n", row % 600)).collect();
    let mut ordered = quasi("a");
    ordered.order = Some((0..599).map(|n| n.to_string()).collect());
    let told = assert_same_error(&format!("a,b\n{rows}"), vec![ordered, quasi("b")]);
    assert!(told.contains("1 value on 3 rows"), "{told}");
}

#[test]
fn lines_that_are_wrong_are_named() {
    let rows = |wrong: &str| {
        let row = |row| if row == 1500 { wrong.to_string() } else { format!("{row},b\n") };
        "a,b\n\n".to_string() + &(0..2000).map(row).collect::<String>()
    };
    let ragged = assert_same_error(&rows("1,2,3\n"), vec![quasi("a"), quasi("b")]);
    assert!(ragged.contains("line 1503: 3 fields"), "{ragged}");
    // A record that never ends is longer than the little memory, before its missing quote is noticed.
    let (file, plan) = (file(rows("1,\"2\n").as_bytes()), plan(vec![quasi("a"), quasi("b")]));
    let (held, found) = both(&file, &plan, &[], 2, tiny(&plan));
    let (held, found) = (message(&held.unwrap_err()), message(&found.unwrap_err()));
    assert!(held.contains("line 1503: a quote is opened and not closed"), "{held}");
    assert!(
        found.contains("line 1503: the record is longer than") && found.contains("close its quote"),
        "{found}"
    );
}

/// Stops when this many bytes have been read.
struct StopAfter(AtomicU64, u64);

impl Observer for StopAfter {
    fn advance(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= self.1
    }
}

fn rows(count: usize) -> NamedTempFile {
    file(("a,b\n".to_string() + &(0..count).map(|row| format!("{row},b\n")).collect::<String>()).as_bytes())
}

#[test]
fn a_reading_that_is_stopped_says_so() {
    let file = rows(5000);
    let plan = plan(vec![quasi("a"), quasi("b")]);
    let place = Place::new(1 << 26);
    let stop = StopAfter(AtomicU64::new(0), 20_000);
    let options = ReadOptions { missing: &[], threads: 2, observer: &stop };
    let result = open(&file).load(&plan, &options, Some((place.room(), tiny(&plan))));
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(place.pool.left(), place.pool.limit());
}

#[test]
fn a_folder_that_takes_no_files_is_named() {
    let file = rows(5000);
    let plan = plan(vec![quasi("a"), quasi("b")]);
    let folder = SpillFolder::within(std::path::Path::new("/nowhere/at/all"));
    let pool = Pool::new(1 << 26);
    let room = SpillBudget { pool: &pool, folder: &folder };
    let error = open(&file).load(&plan, &options(&[], 2), Some((room, tiny(&plan)))).unwrap_err();
    assert!(error.message().contains("/nowhere/at/all"), "{error}");
    assert_eq!(pool.left(), pool.limit());
}

/// A few texts among numbers are told like those of a table in memory, also where all numbers would not fit as texts.
#[test]
fn strays_and_unique_texts_are_refused_on_disk_too() {
    let guarded = |name: &str| ColumnSpec { guard: klimt_core::table::Guard::Refuse, ..quasi(name) };
    let mut text = String::from("n,t\n");
    for row in 0..400 {
        let number = if row % 100 == 7 { "n/a".to_string() } else { (row * 37 % 401).to_string() };
        text.push_str(&format!("{number},name {row}\n"));
    }
    let file = file(text.as_bytes());
    for column in ["n", "t"] {
        let plan = plan(vec![guarded("n"), guarded("t")]);
        let chosen: Vec<ColumnPlan> = plan
            .into_iter()
            .map(|plan| ColumnPlan::of(plan.spec.filter(|spec| spec.name == column)))
            .collect();
        let (held, found) = both(&file, &chosen, &[], 2, tiny(&chosen));
        let (held, found) = (held.unwrap_err(), found.unwrap_err());
        assert_eq!(held, found);
        let expected = match column {
            "n" => "column n: 1 value on 4 rows is no number, as all others are: lines 9, 109, 209, 309",
            _ => {
                "column t: 400 different texts on 400 rows: published as sets, they would nearly name every row"
            }
        };
        assert!(held.message().ends_with(expected), "{held}");
    }
}
