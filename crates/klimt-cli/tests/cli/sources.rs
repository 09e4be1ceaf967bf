//! One table in the forms that hospitals have it in leads to one release; and what is wrong with a file is said.

use crate::common::Place;
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;

/// A person of the table.
struct Person {
    id: usize,
    age: u32,
    /// In tenths.
    weight: u32,
    born: (u16, u8, u8),
    plz: String,
    city: &'static str,
}

fn people() -> Vec<Person> {
    let person = |id: usize| Person {
        id,
        age: 20 + (id * 7 % 60) as u32,
        weight: 500 + (id * 137 % 15_000) as u32,
        born: (1940 + (id * 13 % 60) as u16, 1 + (id % 12) as u8, 1 + (id * 5 % 28) as u8),
        plz: format!("{:05}", 1067 + id * 7919 % 90_000),
        city: ["München", "Köln", "Zürich", "Åre"][id * 3 % 4],
    };
    (0..200).map(person).collect()
}

const HEADER: [&str; 6] = ["id", "age", "größe", "born", "plz", "city"];

fn number(tenths: u32, thousands: &str, decimal: &str) -> String {
    let (whole, rest) = (tenths / 10, tenths % 10);
    let whole = match whole / 1000 {
        0 => whole.to_string(),
        thousand => format!("{thousand}{thousands}{:03}", whole % 1000),
    };
    if rest == 0 { whole } else { format!("{whole}{decimal}{rest}") }
}

/// The table as text.
fn text(delimiter: &str, number: impl Fn(u32) -> String, date: impl Fn((u16, u8, u8)) -> String) -> String {
    let mut text = HEADER.join(delimiter) + "\n";
    for Person { id, age, weight, born, plz, city } in people() {
        let fields = [id.to_string(), age.to_string(), number(weight), date(born), plz, city.to_string()];
        let quoted = |field: &String| match field.contains(delimiter) {
            true => format!("\"{field}\""),
            false => field.clone(),
        };
        text += &(fields.iter().map(quoted).collect::<Vec<_>>().join(delimiter) + "\n");
    }
    text
}

fn plain() -> String {
    text(",", |tenths| number(tenths, "", "."), |(y, m, d)| format!("{y}-{m:02}-{d:02}"))
}

/// The table as a German program writes it.
pub fn german() -> String {
    text(";", |tenths| number(tenths, ".", ","), |(y, m, d)| format!("{d:02}.{m:02}.{y}"))
}

/// The table as a workbook.
pub fn xlsx(sheets: &[&str], title: bool) -> Vec<u8> {
    let mut workbook = Workbook::new();
    let date = Format::new().set_num_format("dd.mm.yyyy");
    for name in sheets {
        let sheet = workbook.add_worksheet().set_name(*name).unwrap();
        let mut first = 2;
        if title {
            sheet.write(first, 1, "Patients of the ward").unwrap();
            first += 1;
        }
        for (column, name) in HEADER.iter().enumerate() {
            sheet.write(first, 1 + column as u16, *name).unwrap();
        }
        for (row, person) in people().into_iter().enumerate() {
            let row = first + 1 + row as u32;
            let (year, month, day) = person.born;
            sheet.write(row, 1, person.id as f64).unwrap();
            sheet.write(row, 2, person.age).unwrap();
            sheet.write(row, 3, f64::from(person.weight) / 10.0).unwrap();
            let born = ExcelDateTime::from_ymd(year, month, day).unwrap();
            sheet.write_with_format(row, 4, &born, &date).unwrap();
            sheet.write(row, 5, person.plz).unwrap();
            sheet.write(row, 6, person.city).unwrap();
        }
    }
    workbook.save_to_buffer().unwrap()
}

/// A zip archive of some files.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn ods() -> Vec<u8> {
    let mut rows = String::new();
    let string = |text: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let float = |value: f64| {
        format!(
            "<table:table-cell office:value-type=\"float\" office:value=\"{value}\"><text:p>{value}</text:p></table:table-cell>"
        )
    };
    let row = |cells: Vec<String>| format!("<table:table-row>{}</table:table-row>", cells.concat());
    rows += &row(HEADER.iter().map(|name| string(name)).collect());
    for person in people() {
        let (year, month, day) = person.born;
        let born = format!(
            "<table:table-cell office:value-type=\"date\" office:date-value=\"{year}-{month:02}-{day:02}\"><text:p>{day:02}.{month:02}.{year}</text:p></table:table-cell>"
        );
        rows += &row(vec![
            float(person.id as f64),
            float(f64::from(person.age)),
            float(f64::from(person.weight) / 10.0),
            born,
            string(&person.plz),
            string(person.city),
        ]);
    }
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document-content \
         xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" \
         xmlns:table=\"urn:oasis:names:tc:opendocument:xmlns:table:1.0\" \
         xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\"><office:body><office:spreadsheet>\
         <table:table table:name=\"Patients\">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    let manifest = "<?xml version=\"1.0\"?><manifest:manifest \
         xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"/>";
    archive(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", manifest.as_bytes()),
        ("content.xml", content.as_bytes()),
    ])
}

fn utf_16(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// One byte for each character, all of which Windows-1252 has where Latin-1 has them.
/// A text in Windows-1252.
pub fn by_byte(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect()
}

/// The roles of its columns.
pub const ROLES: &str =
    "--identifier id --qi age,größe,born --sensitive city --insensitive plz -k 5 --seed 7";

#[test]
fn a_table_leads_to_the_same_release_in_whatever_form_it_is() {
    let place = Place::new();
    place.write("plain.csv", plain());
    place.ok("anonymize plain.csv --qi age --other keep --accept id -k 1 --keep-order -q -o table.parquet");
    place.ok(&format!("anonymize plain.csv {ROLES} -q -o expected.tsv"));
    let expected = place.read("expected.tsv");
    assert!(expected.lines().count() == 201 && expected.contains("München"));
    let american = text(",", |tenths| number(tenths, ",", "."), |(y, m, d)| format!("{m}/{d}/{y}"));
    let swiss = text("\t", |tenths| number(tenths, "'", "."), |(y, m, d)| format!("{d}.{m}.{:02}", y % 100));
    let french = text(";", |tenths| number(tenths, "\u{a0}", ","), |(y, m, d)| format!("{d:02}/{m:02}/{y}"));
    let forms: Vec<(&str, Vec<u8>)> = vec![
        ("mark.csv", [b"\xEF\xBB\xBF".to_vec(), plain().into()].concat()),
        ("utf16.csv", utf_16(&plain())),
        ("windows.csv", by_byte(&plain())),
        ("german.csv", german().into()),
        ("german-windows.csv", by_byte(&german())),
        ("german-utf16.csv", utf_16(&german())),
        ("excel.csv", format!("sep=;\r\n{}", german().replace('\n', "\r\n")).into()),
        ("american.csv", american.into()),
        ("swiss.tsv", swiss.into()),
        ("french.csv", by_byte(&french)),
        ("slashes.csv", text(",", |t| number(t, "", "."), |(y, m, d)| format!("{y}/{m:02}/{d:02}")).into()),
        ("book.xlsx", xlsx(&["Patients"], false)),
        ("book.ods", ods()),
        ("csv.zip", archive(&[("folder/german.csv", &by_byte(&german()))])),
        ("xlsx.zip", archive(&[("book.xlsx", &xlsx(&["Patients"], false))])),
        ("parquet.zip", archive(&[("t.parquet", &std::fs::read(place.path("table.parquet")).unwrap())])),
    ];
    for (name, bytes) in &forms {
        place.write(name, bytes);
    }
    for name in forms.iter().map(|(name, _)| *name).chain(["table.parquet"]) {
        // The years of two digits that come before 1930 are those of this century.
        place.ok(&format!("anonymize {name} {ROLES} -o out.tsv"));
        assert!(place.read("out.tsv") == expected, "{name}");
        place.ok(&format!("anonymize {name} {ROLES} --memory 24MB --threads 2 -q -o out.tsv"));
        assert!(place.read("out.tsv") == expected, "{name} within a budget");
        let roles = ROLES.replace(" --seed 7", "");
        place.ok(&format!("measure {name} out.tsv {roles}"));
        place.ok(&format!("report {name} out.tsv -q -o page.html"));
        place.ok("verify out.tsv --qi age,größe,born --sensitive city -k 5");
    }
    let told = place.run(&format!("anonymize german-windows.csv {ROLES} -o out.tsv")).err;
    for part in ["--encoding windows-1252", "--delimiter ';'", "--decimal 'größe=,'", "--date-form born=dmy"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(told.matches("note: the input is read with").count(), 1, "{told}");
    let certificate = place.read("out.tsv.certificate.json");
    for part in ["\"windows-1252\"", "\"date-form\"", "\"dmy\""] {
        assert!(certificate.contains(part), "{part}: {certificate}");
    }
    let quiet = place
        .run(&format!(
            "anonymize plain.csv {} -o out.tsv",
            ROLES.replace(",born", "").replace("identifier id", "identifier id,born")
        ))
        .err;
    assert!(quiet.contains("--type plz=text") && !quiet.contains("--encoding"), "{quiet}");
}

#[test]
fn a_drafted_spec_says_how_the_table_is_read() {
    let place = Place::new();
    place.write("in.csv", by_byte(&german()));
    place.ok("init in.csv -o spec.toml");
    let spec = place.read("spec.toml");
    for line in [
        "encoding = \"windows-1252\"\n",
        "decimal = \",\"\n",
        "date-form = \"dmy\"\n",
        "type = \"integer\"\n",
    ] {
        assert_eq!(spec.matches(line).count(), 1, "{line}: {spec}");
    }
    place.ok("anonymize --spec spec.toml -k 2 --qi age -q");
}

/// The message of a run that fails because of its input.
fn refused(place: &Place, args: &str) -> String {
    let ran = place.run(args);
    assert_eq!(ran.code, Some(2), "{args}: {}", ran.err);
    assert!(!place.exists("out.tsv"), "{args}");
    ran.err
}

#[test]
fn a_form_that_values_leave_open_is_asked_for() {
    let place = Place::new();
    let rows: String = (0..20)
        .map(|row| format!("{};0{}/0{}/2020;1,{}00\n", row % 3, row % 9 + 1, row % 7 + 1, row % 9 + 1))
        .collect();
    place.write("in.csv", format!("age;seen;dose\n{rows}"));
    let args = "anonymize in.csv --qi age --insensitive seen,dose -k 2 --seed 1 -q -o out.tsv";
    let told = refused(&place, args);
    for part in
        ["--date-form seen=dmy", "--date-form seen=mdy", "--decimal dose=,", "--decimal dose=.", "2 problems"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    place.ok(&format!("{args} --date-form seen=mdy --decimal dose=,"));
    assert!(place.read("out.tsv").contains("\t2020-01-01\t1.100"), "{}", place.read("out.tsv"));
    // The certificate knows what was meant.
    place.ok("report in.csv out.tsv -q -o page.html");
    let again = place.read("page.html");
    assert!(
        again.contains("--date-form seen=mdy") && again.contains("--decimal dose=,"),
        "how it is made again"
    );
    place.write("spec.toml", "[columns.seen]\ndate-form = \"dmy\"\n[columns.dose]\ndecimal = \".\"\n");
    place.ok(&format!("{args} --spec spec.toml"));
    assert!(place.read("out.tsv").contains("\t2020-01-01\t1100"), "{}", place.read("out.tsv"));
    place.ok(&format!("{args} --type seen=text --type dose=text"));
    assert!(place.read("out.tsv").contains("\t01/01/2020\t1,100"), "{}", place.read("out.tsv"));
    std::fs::remove_file(place.path("out.tsv")).unwrap();
    let told = refused(&place, &format!("{args} --date-form seen=ymd --decimal dose=,"));
    assert!(told.contains("column seen: 20 values are not dates of year, month and day"), "{told}");
    assert!(told.contains("lines 2, 3, 4") && !told.contains("2020"), "{told}");
    let told = refused(&place, &format!("{args} --date-form seen=xyz --decimal dose=;"));
    assert!(told.contains("dmy, mdy or ymd") && told.contains(", or ."), "{told}");
}

#[test]
fn texts_stand_for_missing_values_in_one_column_or_in_all() {
    let place = Place::new();
    let rows: String = (0..30)
        .map(|row| if row % 10 == 0 { "n/a,none,=\n".into() } else { format!("{},none,x\n", row % 5) })
        .collect();
    place.write("in.csv", format!("age,note,sign\n{rows}"));
    let args = "anonymize in.csv --qi age --sensitive note,sign -k 2 -q --json -o out.tsv";
    let told = refused(&place, args);
    assert!(told.contains("--missing n/a"), "{told}");
    let certificate = place.ok(&format!("{args} --missing age=n/a --missing ==")).out;
    assert!(certificate.contains("\"missing\": 1"), "{certificate}");
    let report = place.run("report in.csv out.tsv -q -o page.html");
    assert!(report.err.contains("--missing age=TEXT"), "{}", report.err);
    place.ok("report in.csv out.tsv --missing age=n/a --missing == -q -o page.html");
    place.write("spec.toml", "missing = [\"=\"]\n[columns.age]\nmissing = [\"n/a\"]\n");
    place.ok(&format!("{args} --spec spec.toml"));
}

#[test]
fn a_wrong_encoding_is_said_with_its_line() {
    let place = Place::new();
    place.write("in.csv", by_byte(&plain()));
    let told = refused(&place, &format!("anonymize in.csv {ROLES} --encoding utf-8 -q -o out.tsv"));
    assert!(told.contains("line 1: the text is not valid UTF-8") && told.contains("--encoding"), "{told}");
    place.ok(&format!("anonymize in.csv {ROLES} --encoding latin-1 -q -o out.tsv"));
    std::fs::remove_file(place.path("out.tsv")).unwrap();
    place.write("in.csv", plain());
    let told = refused(&place, &format!("anonymize in.csv {ROLES} --encoding windows-1252 -q -o out.tsv"));
    assert!(told.contains("the text is utf-8, and not windows-1252"), "{told}");
    let told = refused(&place, &format!("anonymize in.csv {ROLES} --encoding klingon -q -o out.tsv"));
    assert!(told.contains("unknown encoding"), "{told}");
}

#[test]
fn sheets_and_members_are_chosen() {
    let place = Place::new();
    place.write("two.xlsx", xlsx(&["First", "Second half"], false));
    let told = refused(&place, &format!("anonymize two.xlsx {ROLES} -q -o out.tsv"));
    assert!(told.contains("2 sheets") && told.contains("--sheet Second half"), "{told}");
    let told = refused(&place, &format!("anonymize two.xlsx {ROLES} --sheet Third -q -o out.tsv"));
    assert!(told.contains("no sheet Third") && told.contains("--sheet First"), "{told}");
    place.ok(&format!("anonymize two.xlsx {ROLES} --sheet 2 -q -o out.tsv"));
    let by_number = place.read("out.tsv");
    place.ok(&format!("anonymize two.xlsx {ROLES} --sheet First -q -o out.tsv"));
    assert_eq!(place.read("out.tsv"), by_number);
    // The certificate knows the sheet.
    place.ok("report two.xlsx out.tsv -q -o page.html");
    std::fs::remove_file(place.path("out.tsv")).unwrap();
    place.write("titled.xlsx", xlsx(&["Patients"], true));
    let told = refused(&place, &format!("anonymize titled.xlsx {ROLES} -q -o out.tsv"));
    assert!(told.contains("row 3: column C has no name: 1 of 6 columns have one"), "{told}");
    place.write("two.zip", archive(&[("a.csv", plain().as_bytes()), ("b.csv", german().as_bytes())]));
    let told = refused(&place, &format!("anonymize two.zip {ROLES} -q -o out.tsv"));
    assert!(
        told.contains("2 files") && told.contains("--member a.csv") && told.contains("--member b.csv"),
        "{told}"
    );
    let told = refused(&place, &format!("anonymize two.zip {ROLES} --member c.csv -q -o out.tsv"));
    assert!(told.contains("no file c.csv"), "{told}");
    place.ok(&format!("anonymize two.zip {ROLES} --member b.csv -q -o out.tsv"));
    assert_eq!(place.read("out.tsv"), by_number);
    std::fs::remove_file(place.path("out.tsv")).unwrap();
    place.write("plain.csv", plain());
    for (flag, what) in [("--sheet x", "no workbook"), ("--member x", "no zip archive")] {
        let told = refused(&place, &format!("anonymize plain.csv {ROLES} {flag} -q -o out.tsv"));
        assert!(told.contains(what), "{told}");
    }
    let told = refused(&place, &format!("anonymize two.xlsx {ROLES} --member x -q -o out.tsv"));
    assert!(told.contains("is a workbook"), "{told}");
}

#[test]
fn archives_that_are_damaged_or_nested_are_refused() {
    let place = Place::new();
    let packed = archive(&[("a.csv", plain().as_bytes())]);
    place.write("short.zip", &packed[..packed.len() / 2]);
    let mut changed = packed.clone();
    changed[200] ^= 1;
    place.write("changed.zip", &changed);
    place.write("nested.zip", archive(&[("inner.zip", &packed)]));
    place.write("empty.zip", archive(&[]));
    place.write("book.xlsx", &xlsx(&["Patients"], false)[..3000]);
    for (name, what) in [
        ("short.zip", "damaged"),
        ("changed.zip", ""),
        ("nested.zip", "is an archive itself"),
        ("empty.zip", "no file"),
        ("book.xlsx", "damaged"),
    ] {
        let told = refused(&place, &format!("anonymize {name} {ROLES} -q -o out.tsv"));
        assert!(told.contains(what), "{name}: {told}");
    }
}

#[test]
fn a_workbook_that_does_not_fit_is_refused() {
    let place = Place::new();
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.write(0, 0, "age").unwrap();
    sheet.write(0, 1, "note").unwrap();
    for row in 1..20_000u32 {
        sheet.write(row, 0, row % 90).unwrap();
        sheet.write(row, 1, format!("{row} {}", "note ".repeat(60))).unwrap();
    }
    place.write("in.xlsx", workbook.save_to_buffer().unwrap());
    let args = "anonymize in.xlsx --qi age --identifier note -k 5 -q -o out.tsv";
    let ran = place.run(&format!("{args} --memory 16MB"));
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("--memory") && ran.err.contains("CSV"), "{}", ran.err);
    place.ok(&format!("{args} --memory 512MB"));
}

#[test]
fn codes_that_would_name_every_row_may_be_numbers() {
    let place = Place::new();
    place.write(
        "in.csv",
        "zip\n".to_string() + &(1_000..1_040).map(|zip| format!("{zip:05}\n")).collect::<String>(),
    );
    let ran = place.run("anonymize in.csv --qi zip -k 2 -o out.csv");
    assert!(ran.code == Some(2) && ran.err.contains("ranges of numbers: --type zip=integer"), "{}", ran.err);
    place.ok("anonymize in.csv --qi zip -k 2 --type zip=integer -q -o out.csv");
    assert!(place.read("out.csv").contains("[01000.."));
}
