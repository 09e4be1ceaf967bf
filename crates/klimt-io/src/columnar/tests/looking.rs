//! Records as texts.

use super::*;
use klimt_core::Error;

#[test]
fn columns_are_chosen_in_any_order_and_more_than_once() {
    let (batch, texts) = people(500);
    let mut files: Vec<NamedTempFile> =
        FORMATS.iter().map(|&format| file(&encoded(&batch, format, 90))).collect();
    files.push(file(&csv(&PEOPLE, &texts)));
    for file in files {
        let records = TextRecords::open(path(&file), DialectSpec::default()).unwrap();
        assert_eq!(records.columns(), PEOPLE);
        let mut found = Vec::new();
        let rows = records.for_each(&[4, 1, 4], &mut |_, record| {
            found.push(record.iter().map(|text| text.to_string()).collect::<Vec<_>>());
            Ok(())
        });
        assert_eq!(rows, Ok(500));
        let expected: Vec<Vec<String>> =
            texts.iter().map(|row| vec![row[4].clone(), row[1].clone(), row[4].clone()]).collect();
        assert_eq!(found, expected);
        let records = TextRecords::open(path(&file), DialectSpec::default()).unwrap();
        let nothing =
            &mut |_, record: &[&str]| if record.is_empty() { Ok(()) } else { Err(Error::internal("")) };
        assert_eq!(records.for_each(&[], nothing), Ok(500));
        let records = TextRecords::open(path(&file), DialectSpec::default()).unwrap();
        assert!(records.for_each(&[5], &mut |_, _| Ok(())).is_err());
    }
}

#[test]
fn an_error_of_the_onlooker_ends_the_looking() {
    let (batch, _) = people(500);
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 90));
        let records = TextRecords::of_file("x", file.reopen().unwrap(), DialectSpec::default()).unwrap();
        let mut seen = 0;
        let result = records.for_each(&[0], &mut |row, _| {
            seen = row;
            if row == 100 { Err(Error::unsatisfied("enough")) } else { Ok(()) }
        });
        assert_eq!(result, Err(Error::unsatisfied("enough")));
        assert_eq!(seen, 100);
    }
}

#[test]
fn csv_records_keep_quotes_line_ends_and_long_blocks() {
    let value = |n: usize| match n % 4 {
        0 => format!("plain {n}"),
        1 => format!("a \"quoted\", text {n}"),
        2 => format!("two\nlines {n}"),
        _ => String::new(),
    };
    // More than a block of the reader.
    let texts: Vec<Vec<String>> = (0..200_000).map(|n| vec![value(n), value(n + 1), n.to_string()]).collect();
    let text = csv(&["a", "b", "n"], &texts);
    assert!(text.len() > 5 << 20);
    assert_eq!(rows_of(path(&file(&text))), texts);
    let compressed = zstd::encode_all(text.as_slice(), 1).unwrap();
    assert_eq!(rows_of(path(&file(&compressed))), texts);
}

#[test]
fn faults_of_csv_are_named_by_their_line() {
    let look = |text: &[u8]| {
        let file = file(text);
        let records =
            TextRecords::open(path(&file), DialectSpec { delimiter: Some(b','), header: Some(true) });
        let read = records.and_then(|records| records.for_each(&[0], &mut |_, _| Ok(())));
        let error = read.unwrap_err();
        error.message().strip_prefix(path(&file)).unwrap().to_string()
    };
    assert_eq!(look(b"a,b\n1,2\n\"x\ny\",3\n4\n"), ": line 5: 1 field where the header has 2");
    assert_eq!(look(b"a,b\n1,2\n3,\"x\n"), ": line 3: a quote is opened and not closed");
    assert_eq!(look(b"a,b\n1,2\n3,\x81\n"), ": line 3: the text is not valid windows-1252");
}

#[test]
fn a_number_that_is_none_is_missing_to_onlookers_too() {
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.5), Some(f64::NAN), None]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["NaN", "", "x"]));
    let batch = RecordBatch::try_from_iter([("number", numbers), ("text", texts)]).unwrap();
    for format in FORMATS {
        let file = file(&encoded(&batch, format, 3));
        let records = TextRecords::open(path(&file), DialectSpec::default()).unwrap();
        let mut found = Vec::new();
        let each = &mut |_, record: &[&str]| {
            found.push(record.join("/"));
            Ok(())
        };
        assert_eq!(records.for_each(&[0, 1], each), Ok(3));
        assert_eq!(found, ["1.5/NaN", "/", "/x"]);
    }
}
