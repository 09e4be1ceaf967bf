//! Properties of every generated table, checked on its text.

use super::*;
use klimt_core::error::ErrorKind;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io::{self, Write};

/// The table as text, without a header.
fn text(name: &str, parameters: &Parameters, threads: usize) -> String {
    let generator = build(name, parameters).unwrap();
    let mut out = Vec::new();
    write_csv(&*generator, threads, b',', false, &mut out, &|_| ()).unwrap();
    String::from_utf8(out).unwrap()
}

/// The table of a generator whose fields are all integers.
fn integers(name: &str, parameters: &Parameters) -> Vec<Vec<i64>> {
    text(name, parameters, 2)
        .lines()
        .map(|line| line.split(',').map(|field| field.parse().unwrap()).collect())
        .collect()
}

fn names() -> impl Iterator<Item = &'static str> {
    GENERATORS.iter().map(|entry| entry.name)
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    for name in names() {
        let parameters = Parameters::new(5 * BLOCK_ROWS as u64 + 77, 42);
        let one = text(name, &parameters, 1);
        assert_eq!(one.lines().count() as u64, parameters.rows);
        for threads in [0, 2, 5, 50] {
            assert!(one == text(name, &parameters, threads), "{name} with {threads} threads");
        }
        assert!(one != text(name, &Parameters { seed: 43, ..parameters }, 1), "{name}");
    }
}

#[test]
fn a_short_table_is_the_start_of_a_long_one() {
    for name in names() {
        let long = text(name, &Parameters::new(10_000, 7), 2);
        for rows in [0, 1, 1000, BLOCK_ROWS, BLOCK_ROWS + 1, 9999] {
            let start: String = long.split_inclusive('\n').take(rows).collect();
            assert!(start == text(name, &Parameters::new(rows as u64, 7), 2), "{name} with {rows} rows");
        }
    }
}

#[test]
fn blocks_differ() {
    for name in names() {
        let generator = build(name, &Parameters::new(u64::MAX, 7)).unwrap();
        let block = |index| {
            let mut block = GeneratedBlock::default();
            generator.block(index, &mut block);
            block
        };
        assert_eq!(block(3), block(3));
        assert_ne!(block(3), block(4));
        assert_eq!(block(generator.blocks() - 1).rows(), BLOCK_ROWS - 1);
        assert_eq!(block(generator.blocks()).rows(), 0);
        assert_eq!(block(u64::MAX).rows(), 0);
    }
}

/// Guards the promise that a seed means the same table in every version and on every machine.
#[test]
fn a_seed_means_the_same_table_for_ever() {
    let ends = |name| {
        let table = text(name, &Parameters::new(BLOCK_ROWS as u64 + 1, 1), 1);
        [table.lines().next().unwrap().to_string(), table.lines().last().unwrap().to_string()]
    };
    assert_eq!(ends("uniform"), ["0,2,3,7,3", "4,6,4,2,4"]);
    assert_eq!(ends("skewed"), ["2,5,4,3,4", "5,3,3,3,4"]);
    assert_eq!(
        ends("agrawal"),
        [
            "40863,15380,40,4,13,1,131911,22,151668,B,B,-12650.79,12959.25",
            "96615,0,25,4,15,7,449431,16,444710,A,B,-44209.95,34732.05"
        ]
    );
    assert_eq!(
        ends("census"),
        [
            "10,Female,White,NeverMarried,Children,UnitedStates,NotInUniverse,NotInUniverse,UpTo50K,0",
            "21,Female,White,MarriedCivSpouse,HighSchool,UnitedStates,Private,MachineOpInspct,UpTo50K,14400"
        ]
    );
    assert_eq!(
        ends("hospital"),
        [
            "39273067,5353651759,I394504915,Karen Lewis,(504) 555-1123,unknown,F,2003-01-27,2022-12-05 07:21,08067,Surgery,F32.1,Depression,2,1457.76,\"Patient states that pain began two days ago. Karen Lewis lives alone, neighbour has the key, phone 217-555-4788.\"",
            "39772289,7281590673,L408191372,Anna Rodriguez,+1 297 555 2097,anna.rodriguez6104@example.com,F,2003-12-29,2024-06-12 16:19,72481,Internal Medicine,I48.0,Atrial fibrillation,8,5621.23,Anna Rodriguez was admitted with Atrial fibrillation; next of kin can be reached at +1 276 555 0184."
        ]
    );
    assert_eq!(ends("sales"), ["13269,116,1,192,125,1,526,0", "24086,311,1,166,101,2,428,0"]);
}

#[test]
fn the_header_and_the_delimiter_are_as_asked() {
    let generator = build("uniform", &Parameters { attributes: Some(3), ..Parameters::new(1, 1) }).unwrap();
    let mut out = Vec::new();
    write_csv(&*generator, 1, b'\t', true, &mut out, &|_| ()).unwrap();
    let written = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "X1\tX2\tX3");
    assert_eq!(lines[1].matches('\t').count(), 2);
    assert_eq!(lines.len(), 2);
    for delimiter in [b'1', b'A', b'-', b'.', b'"', b'\n', 0xE9] {
        let mut out = Vec::new();
        let refused = write_csv(&*generator, 1, delimiter, true, &mut out, &|_| ()).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
        assert!(out.is_empty());
    }
}

#[test]
fn progress_counts_rows() {
    let rows = 2 * BLOCK_ROWS as u64 + 5;
    let generator = build("uniform", &Parameters::new(rows, 1)).unwrap();
    let told = RefCell::new(Vec::new());
    write_csv(&*generator, 3, b',', true, &mut io::sink(), &|rows| told.borrow_mut().push(rows)).unwrap();
    assert_eq!(*told.borrow(), [rows - 5 - BLOCK_ROWS as u64, rows - 5, rows]);
}

/// A sink that is full after some writes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or(io::Error::from(io::ErrorKind::StorageFull))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_error_of_the_sink_ends_the_work() {
    let generator = build("uniform", &Parameters::new(u64::MAX, 1)).unwrap();
    for threads in [1, 2, 5] {
        let error = write_csv(&*generator, threads, b',', true, &mut Full(4), &|_| ()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn wrong_parameters_are_told_all_at_once() {
    let base = Parameters::new(10, 1);
    let wrong = [
        ("uniform", Parameters { cardinality: Some(0), ..base.clone() }, "cardinality must be 1 to"),
        ("uniform", Parameters { attributes: Some(0), ..base.clone() }, "attributes must be 1 to 256"),
        ("uniform", Parameters { attributes: Some(257), ..base.clone() }, "attributes must be 1 to 256"),
        ("uniform", Parameters { sigma: Some(0.2), ..base.clone() }, "takes no sigma"),
        ("skewed", Parameters { cardinality: Some(0), ..base.clone() }, "cardinality must be 1 to 1048576"),
        (
            "skewed",
            Parameters { cardinality: Some(1 << 21), ..base.clone() },
            "cardinality must be 1 to 1048576",
        ),
        ("skewed", Parameters { sigma: Some(0.0), ..base.clone() }, "sigma must be"),
        ("skewed", Parameters { sigma: Some(f64::NAN), ..base.clone() }, "sigma must be"),
        ("skewed", Parameters { sigma: Some(f64::INFINITY), ..base.clone() }, "sigma must be"),
        ("skewed", Parameters { mean: Some(7.5), ..base.clone() }, "mean must be in the domain, 0 to 7"),
        ("skewed", Parameters { mean: Some(f64::NAN), ..base.clone() }, "mean must be in the domain"),
        ("sales", Parameters { language: Some(Language::German), ..base.clone() }, "takes no language"),
        ("agrawal", Parameters { attributes: Some(9), mean: Some(1.0), ..base.clone() }, "2 problems"),
        ("gaussian", base, "no generator is called \"gaussian\""),
    ];
    for (name, parameters, message) in wrong {
        let error = build(name, &parameters).err().expect(message);
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn uniform_values_are_even_and_independent() {
    let parameters = Parameters { attributes: Some(2), cardinality: Some(10), ..Parameters::new(100_000, 3) };
    let mut cells = vec![0u32; 100];
    for row in integers("uniform", &parameters) {
        cells[(row[0] * 10 + row[1]) as usize] += 1;
    }
    // About five standard deviations of a count of 1000.
    assert!(cells.iter().all(|cell| (840..1160).contains(cell)), "{cells:?}");
    let single = integers("uniform", &Parameters { cardinality: Some(1), ..parameters });
    assert!(single.iter().flatten().all(|&value| value == 0));
}

#[test]
fn skewed_values_follow_mean_and_sigma() {
    let table = |mean, sigma| {
        let base = Parameters::new(40_000, 3);
        let asked = Parameters {
            attributes: Some(2),
            cardinality: Some(50),
            mean: Some(mean),
            sigma: Some(sigma),
            ..base
        };
        integers("skewed", &asked)
    };
    let rows = table(25.0, 0.2);
    assert!(rows.iter().flatten().all(|value| (0..50).contains(value)));
    for attribute in 0..2 {
        let mean = rows.iter().map(|row| row[attribute] as f64).sum::<f64>() / rows.len() as f64;
        let square =
            rows.iter().map(|row| (row[attribute] as f64 - mean).powi(2)).sum::<f64>() / rows.len() as f64;
        assert!((mean - 25.0).abs() < 0.15, "{mean}");
        assert!((square.sqrt() - 5.0).abs() < 0.15, "{square}");
    }
    let pairs = |rows: Vec<Vec<i64>>| rows.into_iter().collect::<HashSet<_>>().len();
    let spread: Vec<usize> =
        [0.05, 0.2, 0.5, 1.0].into_iter().map(|sigma| pairs(table(25.0, sigma))).collect();
    assert!(spread.is_sorted_by(|narrow, wide| narrow < wide), "{spread:?}");
    let left = table(0.0, 0.2).iter().filter(|row| row[0] < 10).count();
    assert!(left > 37_000, "{left}");
}

/// A decimal of at most two digits after the point, in hundredths; checks that no digit is superfluous.
fn hundredths(text: &str) -> i128 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    assert!(text != "-0" && !fraction.ends_with('0') && fraction.len() <= 2, "{text}");
    assert_eq!(fraction.is_empty(), !text.contains('.'), "{text}");
    format!("{whole}{fraction:0<2}").parse().unwrap()
}

/// The targets of a row from the other fields by figure 7, in tens of thousandths so that each factor is
/// whole.
fn targets(person: &[i128]) -> (&'static str, &'static str, i128, i128) {
    let &[salary, commission, age, elevel, _, _, hvalue, hyears, loan] = person else {
        panic!("nine attributes")
    };
    let earns = |low, high| low <= salary && salary <= high;
    let c2 = (age < 40 && earns(50_000, 100_000))
        || ((40..60).contains(&age) && earns(75_000, 125_000))
        || (age >= 60 && earns(25_000, 75_000));
    let disposable = 6_700 * (salary + commission) - 2_000 * loan - 20_000 * 10_000;
    let equity = if hyears < 20 { 0 } else { 1_000 * hvalue * (hyears - 20) };
    assert_eq!(equity * 2 % 10, 0);
    let r10 = 6_700 * (salary + commission) - 5_000 * elevel * 10_000 + equity * 2 / 10 - 10_000 * 10_000;
    let class = |holds| if holds { "A" } else { "B" };
    (class(c2), class(disposable > 0), disposable, r10)
}

#[test]
fn agrawal_targets_follow_from_the_printed_attributes() {
    let mut seen = HashSet::new();
    for line in text("agrawal", &Parameters::new(50_000, 11), 2).lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let person: Vec<i128> = fields[..9].iter().map(|field| field.parse().unwrap()).collect();
        let (c2, c7, r7, r10) = targets(&person);
        assert_eq!((fields[9], fields[10]), (c2, c7), "{line}");
        assert_eq!((hundredths(fields[11]) * 100, hundredths(fields[12]) * 100), (r7, r10), "{line}");
        assert_eq!(fields.len(), 13);
        let year = person[7].cmp(&20);
        seen.insert((c2, c7, year, fields[11].starts_with('-'), fields[12].starts_with('-')));
    }
    assert!(seen.len() >= 12, "{seen:?}");
}

#[test]
fn agrawal_attributes_keep_to_their_ranges() {
    const ROWS: usize = 100_000;
    let table = text("agrawal", &Parameters::new(ROWS as u64, 5), 2);
    let person =
        |line: &str| -> Vec<i64> { line.split(',').take(9).map(|field| field.parse().unwrap()).collect() };
    let people: Vec<Vec<i64>> = table.lines().map(person).collect();
    // Column, ends, and how near to the ends a value must have come.
    let ranges = [
        (0, 20_000, 150_000, 100),
        (2, 20, 80, 0),
        (3, 0, 4, 0),
        (4, 1, 20, 0),
        (5, 1, 9, 0),
        (7, 1, 30, 0),
        (8, 0, 500_000, 300),
    ];
    for (column, low, high, slack) in ranges {
        let values = || people.iter().map(|row| row[column]);
        let (least, most) = (values().min().unwrap(), values().max().unwrap());
        assert!(low <= least && least <= low + slack && high - slack <= most && most <= high, "{column}");
        let mean = values().sum::<i64>() as f64 / ROWS as f64;
        let (middle, length) = ((low + high) as f64 / 2.0, (high - low + 1) as f64);
        assert!((mean - middle).abs() < length * 0.005, "{column}: {mean}");
    }
    for row in &people {
        let commissions = if row[0] >= 75_000 { 0..=0 } else { 10_000..=75_000 };
        assert!(commissions.contains(&row[1]), "{row:?}");
        assert!((row[5] * 50_000..=row[5] * 150_000).contains(&row[6]), "{row:?}");
    }
    let paid: Vec<i64> = people.iter().map(|row| row[1]).filter(|&commission| commission > 0).collect();
    assert!(*paid.iter().min().unwrap() < 10_100 && *paid.iter().max().unwrap() > 74_900);
    let factor = people.iter().map(|row| row[6] as f64 / row[5] as f64).sum::<f64>() / ROWS as f64;
    assert!((factor - 100_000.0).abs() < 500.0, "{factor}");
}
