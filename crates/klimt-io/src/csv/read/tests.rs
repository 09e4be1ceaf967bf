use super::*;
use crate::source::{Source, SourceSpec};
use klimt_core::job::Unobserved;
use klimt_core::table::{ColumnSpec, Role};

#[test]
fn more_memory_is_advised_only_where_it_helps() {
    let told = |bytes| {
        let error = fault_error("in.csv", 1, Fault::TooLong { bytes }, 1);
        format!("{:?}", error.remedies())
    };
    assert!(told(1 << 20).contains("memory"), "{}", told(1 << 20));
    assert!(!told(LONGEST).contains("memory"), "no command reads such a record: {}", told(LONGEST));
}

/// The texts of a table in bytes, as columns and rows.
fn read_with(bytes: &[u8], spec: &SourceSpec, threads: usize) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let source = Source::of_reader("in.csv", Box::new(Cursor::new(bytes.to_vec())), spec.clone())?;
    let columns = source.columns().to_vec();
    let plan: Vec<ColumnPlan> =
        columns.iter().map(|name| ColumnPlan::of(Some(ColumnSpec::new(name, Role::Insensitive)))).collect();
    let (table, _) = source.read(&plan, &ReadOptions { missing: &[], threads, observer: &Unobserved })?;
    let row = |row| {
        let text = |column: &klimt_core::table::Column| {
            let mut text = Vec::new();
            column.write_text(row, &mut text);
            String::from_utf8(text).unwrap()
        };
        table.columns().iter().map(text).collect()
    };
    Ok((columns, (0..table.rows()).map(row).collect()))
}

fn read(bytes: &[u8]) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    read_with(bytes, &SourceSpec::default(), 2)
}

fn said(encoding: &str) -> SourceSpec {
    SourceSpec { encoding: Some(encoding.parse().unwrap()), ..SourceSpec::default() }
}

fn message(result: Result<(Vec<String>, Vec<Vec<String>>)>) -> String {
    result.unwrap_err().message().to_string()
}

fn utf_16(text: &str, high_first: bool) -> Vec<u8> {
    let bytes = |unit: u16| if high_first { unit.to_be_bytes() } else { unit.to_le_bytes() };
    text.encode_utf16().flat_map(bytes).collect()
}

/// One byte for each character, all of which Latin-1 has.
fn latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect()
}

const TEXT: &str = "straße,größe\nJürgen,Köln\nÉva,\"Aß\nen\"\n";

#[test]
fn every_encoding_gives_the_same_table() {
    let expected = read(TEXT.as_bytes()).unwrap();
    assert_eq!(expected.1[0], ["Jürgen", "Köln"]);
    let marked = |mark: &[u8], text: Vec<u8>| [mark.to_vec(), text].concat();
    for (name, bytes) in [
        ("UTF-8 with a mark", marked(b"\xEF\xBB\xBF", TEXT.into())),
        ("UTF-16LE", marked(b"\xFF\xFE", utf_16(TEXT, false))),
        ("UTF-16BE", marked(b"\xFE\xFF", utf_16(TEXT, true))),
        ("UTF-16LE without a mark", utf_16(TEXT, false)),
        ("UTF-16BE without a mark", utf_16(TEXT, true)),
        ("Latin-1", latin_1(TEXT)),
    ] {
        assert_eq!(read(&bytes).unwrap(), expected, "{name}");
    }
    assert_eq!(read_with(&latin_1(TEXT), &said("latin-1"), 2).unwrap(), expected);
    assert_eq!(read_with(&latin_1(TEXT), &said("windows-1252"), 2).unwrap(), expected);
    assert_eq!(read_with(&utf_16(TEXT, true), &said("utf-16be"), 2).unwrap(), expected);
    assert_eq!(read_with(TEXT.as_bytes(), &said("utf-8"), 2).unwrap(), expected);
    // The euro is at 0x80 in Windows-1252, and has no place in Latin-1.
    assert_eq!(read(b"a,b\n5 \x80,x\n").unwrap().1, [["5 €", "x"]]);
}

/// A first letter that is not ASCII behind all that is looked at when the file is opened.
#[test]
fn the_encoding_is_found_by_all_bytes() {
    let plain: String = (0..300_000).map(|row| format!("{row},name\n")).collect();
    let (header, last) = ("id,name\n", "x,Müller\n");
    assert!(plain.len() > 2 * SAMPLE);
    for text in [latin_1(last), last.into()] {
        let bytes = [header.as_bytes(), plain.as_bytes(), &text].concat();
        for threads in [1, 3] {
            let (_, rows) = read_with(&bytes, &SourceSpec::default(), threads).unwrap();
            assert_eq!(rows.len(), 300_001);
            assert_eq!(rows.last().unwrap(), &["x", "Müller"]);
        }
    }
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let bytes = [header.as_bytes(), plain.as_bytes(), &latin_1(last)].concat();
    assert_eq!(read(&gzip(&bytes)).unwrap().1.last().unwrap(), &["x", "Müller"]);
    // A file is read again as well.
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, &bytes).unwrap();
    let source = Source::of_file("in.csv", file, DialectSpec::default()).unwrap();
    let plan = [ColumnPlan::default(), ColumnPlan::of(Some(ColumnSpec::new("name", Role::Sensitive)))];
    let (table, _) =
        source.read(&plan, &ReadOptions { missing: &[], threads: 2, observer: &Unobserved }).unwrap();
    assert_eq!(table.rows(), 300_001);
}

#[test]
fn bytes_that_are_not_of_the_encoding_are_named_by_their_line() {
    let at = |bytes: &[u8], encoding: &str| message(read_with(bytes, &said(encoding), 2));
    assert_eq!(at(b"a,b\n1,2\n3,\xFC\n", "utf-8"), "in.csv: line 3: the text is not valid UTF-8");
    assert_eq!(at(b"a,b\n1,\x81\n", "windows-1252"), "in.csv: line 2: the text is not valid windows-1252");
    let half = [utf_16("a,b\n1,2\n", false), vec![0x00, 0xD8, b'x', 0]].concat();
    assert_eq!(at(&half, "utf-16le"), "in.csv: line 3: the text is not valid utf-16le");
    assert_eq!(
        at("a,b\n1,2\n3,ü\n".as_bytes(), "windows-1252"),
        "in.csv: line 3: the text is utf-8, and not windows-1252"
    );
    assert_eq!(
        at(b"\xEF\xBB\xBFa,b\n1,2\n", "windows-1252"),
        "in.csv: line 1: the file has the mark of utf-8, and not windows-1252"
    );
    assert_eq!(message(read(b"a,b\n1,\x81\n")), "in.csv: line 2: the text is not valid windows-1252");
    assert!("klingon".parse::<TextEncoding>().unwrap_err().contains("utf-16le"));
}

#[test]
fn a_text_in_two_encodings_is_refused() {
    let mixed = [b"a,b\n1,2\n".to_vec(), "x,ü\n".into(), latin_1("y,ü\n")].concat();
    assert_eq!(message(read(&mixed)), "in.csv: line 4: the text is not valid utf-8, while that of line 3 is");
    let named = read_with(&mixed, &said("windows-1252"), 2).unwrap();
    assert_eq!(named.1[1], ["x", "Ã¼"]);
    let far =
        [b"gr\xC3\xB6\xC3\x9Fe,b\n".to_vec(), b"1,2\n".repeat(SAMPLE / 3), b"1,\xFC\n".to_vec()].concat();
    assert_eq!(message(read(&far)), "in.csv: line 1: the header is UTF-8, and lines below it are not");
}

#[test]
fn a_first_line_of_excel_names_the_delimiter_and_no_column() {
    let expected = (vec!["a".to_string(), "b,c".into()], vec![vec!["1".to_string(), "2,5".into()]]);
    for text in ["sep=;\na;b,c\n1;2,5\n", "sep=;\r\na;b,c\r\n1;2,5\r\n", "\"sep=;\"\na;b,c\n1;2,5\n"] {
        assert_eq!(read(text.as_bytes()).unwrap(), expected, "{text}");
        assert_eq!(read(&utf_16(text, false)).unwrap(), expected, "{text}");
    }
    // The delimiter that is named counts, whatever cuts the lines better.
    assert_eq!(read(b"sep=|\na;b;c\n1;2;3\n").unwrap().0, ["a;b;c"]);
    assert_eq!(message(read(b"sep=;\na;b\n1;2\n3\n")), "in.csv: line 4: 1 field where the header has 2");
    assert_eq!(message(read(b"sep=;\n")), "in.csv: the file is empty");
    assert_eq!(message(read(b"sep=;\na;a\n1;2\n")), "in.csv: line 2: the column name a stands there twice");
}
