//! Columns with more different values than memory could hold.

use super::*;
use klimt_core::ErrorKind;

const MANY: usize = 3_000_000;
const SOME: usize = 400_000;

/// Numbers in an order of their own, each once.
fn scattered(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |row| (row * 1_999_993 + 17) % count)
}

fn one_column(texts: impl Iterator<Item = String>) -> NamedTempFile {
    let mut out = b"x,y\n".to_vec();
    for text in texts {
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(b",1\n");
    }
    file(&out)
}

fn load<'a>(file: &NamedTempFile, place: &'a Place, missing: &[String]) -> Result<Loaded<'a>> {
    let plan = plan(vec![quasi("x"), quasi("y")]);
    open(file).read_within(&plan, &options(missing, 2), &place.room())
}

/// Reads a file of scattered values within some memory, and compares every row with what makes its text.
fn check(count: usize, memory: usize, spell: impl Fn(usize) -> String) -> Domain {
    let file = one_column(scattered(count).map(&spell));
    let place = Place::new(memory);
    let table = spilled(load(&file, &place, &[]).unwrap());
    assert!(place.pool.peak() <= place.pool.limit());
    assert_eq!(table.rows(), count as u64);
    let domain = table.frame().domain(0).clone();
    let mut expected = scattered(count);
    let mut block = Block::empty(table.frame());
    let mut text = Vec::new();
    for number in 0..table.blocks() {
        table.read(number, &mut block).unwrap();
        for row in 0..block.rows() {
            text.clear();
            domain.write_text(block.codes(0).get(row), &mut text);
            assert_eq!(text, spell(expected.next().unwrap()).as_bytes());
        }
    }
    assert_eq!(expected.next(), None);
    domain
}

#[test]
fn millions_of_whole_numbers() {
    let domain = check(MANY, 16 << 20, |n| (n * 3).to_string());
    assert!(domain.is_range());
    assert_eq!((domain.value_count(), domain.position(5)), ((MANY - 1) * 3 + 1, 5));
}

#[test]
fn millions_of_decimals() {
    let domain = check(MANY, 16 << 20, |n| format!("{}.{:02}", n / 50, n % 50 * 2));
    assert!(domain.is_range());
    assert_eq!((domain.scale(), domain.text(1234)), (2, "12.34".to_string()));
}

#[test]
fn millions_of_decimals_in_their_shortest_spelling() {
    let domain = check(SOME, 4 << 20, |n| (n as f64 / 4.0).to_string());
    assert!(domain.is_range());
    assert_eq!((domain.scale(), domain.text(150)), (2, "1.5".to_string()));
}

#[test]
fn millions_of_instants() {
    let start = 1_700_000_000;
    let spell = |n: usize| {
        let mut out = Vec::new();
        klimt_core::table::Spelling::Timestamp { separator: b' ', utc: false }
            .write(start + 2 * n as i64, &mut out);
        String::from_utf8(out).unwrap()
    };
    let domain = check(SOME, 4 << 20, spell);
    assert!(domain.is_range());
    assert_eq!((domain.scale(), domain.position(3)), (6, i128::from(start + 3) * 1_000_000));
}

#[test]
fn days_keep_their_codes() {
    let spell = |n: usize| {
        let mut out = Vec::new();
        klimt_core::table::Spelling::Date.write(3 * (n % 20_000) as i64, &mut out);
        String::from_utf8(out).unwrap()
    };
    let domain = check(SOME, 4 << 20, spell);
    assert!(!domain.is_range());
    assert_eq!(
        (domain.value_count(), domain.position(2), domain.text(0).as_str()),
        (20_000, 6, "1970-01-01")
    );
}

#[test]
fn more_different_texts_than_fit_are_a_matter_of_memory() {
    for spell in [
        (|n: usize| format!("n{n}")) as fn(usize) -> String,
        // Units would not tell how each is spelt.
        |n| if n % 2 == 0 { format!("{n}.5") } else { format!("{n}.50") },
        // The numbers lie too far apart.
        |n| (n * 1_000_003).to_string(),
    ] {
        let file = one_column(scattered(100_000).map(spell));
        let place = Place::new(3 << 20);
        let error = load(&file, &place, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Resource, "{error}");
        assert!(error.message().contains("column x"), "{error}");
        assert!(place.pool.peak() <= place.pool.limit());
        assert_eq!(place.pool.left(), place.pool.limit());
        let help = error.help(klimt_core::Words::Flags);
        let told = help[0].strip_prefix("--memory ").and_then(|help| help.strip_suffix("MB would do"));
        let enough = Place::new(told.unwrap().parse::<usize>().unwrap() * 1_000_000);
        assert!(load(&file, &enough, &[]).is_ok(), "{error}");
        assert!(told.unwrap().parse::<usize>().unwrap() < 200, "{error}");
    }
}

#[test]
fn what_stands_for_a_missing_value_is_no_end_of_a_range() {
    let missing = ["-999".to_string(), "NA".to_string()];
    let spell = |n: usize| match n % 1000 {
        0 => "-999".to_string(),
        1 => "NA".to_string(),
        2 => String::new(),
        _ => (n * 3).to_string(),
    };
    let file = one_column(scattered(SOME).map(spell));
    let place = Place::new(4 << 20);
    let table = spilled(load(&file, &place, &missing).unwrap());
    let domain = table.frame().domain(0);
    assert!(domain.is_range());
    assert_eq!((domain.position(0), domain.missing_code()), (9, Some(domain.value_count() as u32)));
    let plan = plan(vec![quasi("x"), quasi("y")]);
    let held = open(&file).read(&plan, &options(&missing, 2)).unwrap().0;
    assert_same(&held, &all_rows(&table));
}
