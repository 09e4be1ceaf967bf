//! The page about a release: what it says, and what it never says.

use crate::common::{Place, people};
use std::collections::BTreeMap;
use std::process::Command;

/// A table with names and values that would break a careless page, rare values in every column, and missing values.
pub fn nasty(rows: usize) -> String {
    let mut text = String::from("\"a<b>ge\",\"in\"\"come\",born,\"<img src=x>\",größe,disease\n");
    let mut state = 7u64;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % bound
    };
    for row in 0..rows {
        let age = if next(15) == 0 { String::new() } else { (8_000_000 + next(40) * 25_000).to_string() };
        let income = format!("{}.{:02}", 3_000_000 + next(4_000_000), next(100));
        let born = format!("19{:02}-{:02}-{:02}", 20 + next(70), 1 + next(12), 1 + next(28));
        let city = match row {
            3 => String::from("\"<script>alert(1)</script>\""),
            4 => String::from("O'Rare & <b>Daughters</b>"),
            _ => ["Bern", "Zürich", "Wien <W>"][next(3) as usize].to_string(),
        };
        let size = if row == 5 { "riesengroß✗" } else { ["klein", "mittel"][next(2) as usize] };
        let disease = match row {
            6 => "\"Morbus <i>Rarus</i>, \"\"x\"\"\"",
            _ => ["flu", "gout", "asthma"][next(3) as usize],
        };
        text.push_str(&format!("{age},{income},{born},{city},{size},{disease}\n"));
    }
    text
}

/// The values of every column, as they were written, with how often each occurs.
fn values(csv: &str) -> Vec<BTreeMap<String, usize>> {
    let mut columns: Vec<BTreeMap<String, usize>> = Vec::new();
    for line in csv.lines().skip(1) {
        let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
        for letter in line.chars() {
            match letter {
                '"' => {
                    // A quote after a quote is one of the text.
                    if !quoted && field.ends_with('\u{1}') {
                        field.pop();
                        field.push('"');
                    } else if quoted {
                        field.push('\u{1}');
                    }
                    quoted = !quoted;
                }
                ',' if !quoted => fields.push(std::mem::take(&mut field)),
                other => field.push(other),
            }
        }
        fields.push(field);
        columns.resize(fields.len(), BTreeMap::new());
        for (column, field) in columns.iter_mut().zip(fields) {
            *column.entry(field.replace('\u{1}', "")).or_default() += 1;
        }
    }
    columns
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Whether a page holds a value. Digits within a longer number, such as a loss, are not that value.
fn holds(page: &str, value: &str) -> bool {
    let is_digit = |next: Option<char>| next.is_some_and(|next| next.is_ascii_digit());
    page.match_indices(value).any(|(at, _)| {
        let within = is_digit(value.chars().next()) && is_digit(page[..at].chars().next_back());
        let goes_on =
            is_digit(value.chars().next_back()) && is_digit(page[at + value.len()..].chars().next());
        !within && !goes_on
    })
}

/// No value that fewer than k rows have is in the page, in any spelling that a page might use.
fn nothing_rare(page: &str, csv: &str, k: usize) {
    let mut looked = 0;
    for value in values(csv).iter().flatten().filter(|(value, rows)| **rows < k && !value.is_empty()) {
        let value = value.0;
        let digits: String = value.chars().filter(char::is_ascii_digit).collect();
        assert!(value.chars().count() >= 7, "{value} is too short to look for");
        assert!(!holds(page, value) && !holds(page, &escaped(value)), "{value} is in the page");
        if value.parse::<f64>().is_ok() {
            let whole = value.split('.').next().unwrap();
            let apart = format!(
                "{},{},{}",
                &whole[..whole.len() - 6],
                &whole[whole.len() - 6..whole.len() - 3],
                &whole[whole.len() - 3..]
            );
            assert!(!holds(page, whole) && !holds(page, &digits), "{value} is in the page as a number");
            // A round value is an edge of bins, whoever has it.
            assert!(whole.ends_with("0000") || !page.contains(&apart), "{value} is in the page as {apart}");
        }
        looked += 1;
    }
    assert!(looked > 20, "{looked}");
}

/// The rows of the original in every bin of every column that is drawn.
fn bins(page: &str) -> Vec<(String, Vec<u64>)> {
    let mut found = Vec::new();
    for table in page.split("<caption>Rows of ").skip(1) {
        let (name, rest) = table.split_once("</caption>").unwrap();
        let body = rest.split("</tbody>").next().unwrap();
        let rows = body.split("<tr>").skip(2).map(|row| {
            let cell = row.split("<td class=\"number\" data-sort=\"").nth(1).unwrap();
            cell.split('"').next().unwrap().parse::<u64>().unwrap()
        });
        found.push((name.to_string(), rows.collect()));
    }
    found
}

const NASTY: &str = "--qi a<b>ge,in\"come,born,<img\u{a0}src=x>,größe --sensitive disease";

/// Arguments with a name that holds a space.
fn run(place: &Place, args: &str) -> crate::common::Ran {
    let words = args.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('\u{a0}', " "));
    crate::common::ran(&place.command("").args(words).output().unwrap())
}

#[test]
fn no_value_that_few_rows_have_is_in_the_page() {
    let csv = nasty(240);
    for (flags, k) in [
        ("-k 4", 4),
        ("-k 8 --l-diversity distinct:2", 8),
        ("-k 5 --algorithm local", 5),
        ("-k 5 --extent region", 5),
        ("-k 6 --suppress 10% --algorithm optimal --time-limit 1s", 6),
    ] {
        let place = Place::new();
        place.write("t.csv", &csv);
        let made = run(&place, &format!("anonymize t.csv {NASTY} {flags} -o r.csv"));
        assert_eq!(made.code, Some(0), "{flags}: {}", made.err);
        let told = run(&place, "report t.csv r.csv --sampling-fraction 10% -o r.html");
        assert_eq!(told.code, Some(0), "{flags}: {}", told.err);
        let page = place.read("r.html");
        nothing_rare(&page, &csv, k);
        for harmful in ["<script>alert", "<img", "<b>", "<i>"] {
            assert!(!page.contains(harmful), "{flags}: {harmful}");
        }
        assert!(page.contains("a&lt;b&gt;ge") && page.contains("&lt;img src=x&gt;"), "names are shown");
        for (name, rows) in bins(&page) {
            assert!(rows.iter().all(|rows| *rows >= k as u64), "{flags}: {name} {rows:?}");
            assert_eq!(rows.iter().sum::<u64>(), 240, "{flags}: {name}: no remainder");
        }
    }
}

/// The raw table as its own release: the page says no, and still names nobody.
#[test]
fn a_release_that_fails_gets_a_page_that_says_so_and_names_nobody() {
    let (place, csv) = (Place::new(), nasty(120));
    place.write("t.csv", &csv).write("r.csv", &csv);
    let told = run(&place, &format!("report t.csv r.csv {NASTY} -k 5 -o r.html"));
    assert_eq!(told.code, Some(1), "{}", told.err);
    let page = place.read("r.html");
    assert!(page.contains("Do not publish.") && page.contains("✗ fails"));
    nothing_rare(&page, &csv, 5);
}

/// Fewer than k rows were left out: bins of the original less those of the release would tell who.
#[test]
fn who_was_left_out_cannot_be_computed() {
    let place = Place::new();
    let mut csv = String::from("age,city,disease\n");
    for row in 0..40 {
        csv.push_str(&format!(
            "{},{},{}\n",
            20 + row % 4,
            ["Bern", "Wien"][row % 2],
            ["flu", "gout"][row / 20]
        ));
    }
    let kept = csv.clone();
    csv.push_str("21,Wien,gout\n21,Wien,gout\n");
    place.write("t.csv", &csv).write("r.csv", kept);
    let flags = "--qi age,city --sensitive disease -k 5";
    assert_eq!(place.run(&format!("report t.csv r.csv {flags} -o r.html")).code, Some(0));
    let page = place.read("r.html");
    assert!(page.contains("2 left out") && page.contains("Not drawn"));
    assert_eq!(bins(&page), [], "no bin of the original is shown");
    place.ok(&format!("report r.csv r.csv {flags} -o r.html"));
    assert_eq!(bins(&place.read("r.html")).len(), 3, "without rows left out, all three columns are drawn");
}

#[test]
fn the_certificate_fills_in_what_is_not_said_and_must_be_that_of_the_release() {
    let place = Place::new();
    place.write("t.csv", people(200));
    place.ok("anonymize t.csv --qi age,sex,city --sensitive disease --other drop -k 4 --l-diversity distinct:2 -o r.csv");
    let told = place.ok("report t.csv r.csv --json -o r.html");
    let json: serde_json::Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(json["holds"], true);
    assert_eq!(json["claims"][1]["claim"], "distinct-l-diversity");
    assert_eq!(json["least"], 4);
    let page = place.read("r.html");
    assert!(page.contains("all 2 requirements hold") && page.contains("is its own"));
    // One row fewer: another file, and other figures.
    let lines: Vec<String> = place.read("r.csv").lines().map(String::from).collect();
    place.write("r.csv", lines[..lines.len() - 1].join("\n"));
    let told = place.run("report t.csv r.csv -o r.html");
    assert_eq!(told.code, Some(1));
    let page = place.read("r.html");
    assert!(page.contains("role=\"alert\"") && page.contains("The certificate is not that of this release"));
    assert!(page.contains("The certificate says 200 of published rows, the release has 199."));
    assert!(!page.contains(">Holds.<"));
}

/// The command on the page, run by a shell, makes a release with the same groups.
#[test]
fn the_command_on_the_page_makes_the_release_again() {
    let place = Place::new();
    place.write("t's.csv", people(150)).write("order.txt", "Zug\nLinz\nBern\nGraz, Styria\nWien \"W\"\n");
    for flags in [
        "--algorithm mondrian --split loss:ncp --order city=order.txt --weight age=2",
        "--algorithm rtree --base-k 4 --l-diversity distinct:2",
        "--algorithm local --missing none",
        "--algorithm scheme --scheme age=ops --type city=text",
    ] {
        let mut made = place.command("anonymize");
        made.args([
            "t's.csv",
            "-o",
            "r.csv",
            "--qi",
            "age,sex,city",
            "--sensitive",
            "disease",
            "--identifier",
            "id",
        ]);
        made.args("--other drop -k 5 --keep-order".split(' ')).args(flags.split(' '));
        let made = crate::common::ran(&made.output().unwrap());
        assert_eq!(made.code, Some(0), "{flags}: {}", made.err);
        let before = place.read("r.csv");
        // Files, and texts that may be cells, are named again.
        let unsaid =
            ["--order city=order.txt", "--missing none"].into_iter().filter(|said| flags.contains(said));
        let mut told = place.command(&format!("report {} -o r.html", unsaid.collect::<String>()));
        let told = crate::common::ran(&told.args(["t's.csv", "r.csv"]).output().unwrap());
        assert_eq!(told.code, Some(0), "{flags}: {}", told.err);
        let page = place.read("r.html");
        let line = page.split("<pre><code>").nth(1).unwrap().split("</code>").next().unwrap();
        let line =
            line.replace("&#39;", "'").replace("&quot;", "\"").replace("&lt;", "<").replace("&amp;", "&");
        let line = line.replacen("klimt", env!("CARGO_BIN_EXE_klimt"), 1);
        std::fs::remove_file(place.path("r.csv")).unwrap();
        let shell = Command::new("sh").arg("-c").arg(&line).current_dir(place.path("")).output().unwrap();
        assert!(shell.status.success(), "{line}: {}", String::from_utf8_lossy(&shell.stderr));
        assert_eq!(place.read("r.csv"), before, "{line}");
    }
}

/// The groups of a store depend on its earlier releases: no command makes them of the original.
#[test]
fn a_release_of_a_store_cannot_be_made_again() {
    let place = Place::new();
    place.write("t.csv", people(200));
    place.ok("index create store --like t.csv --key id --qi age,sex --sensitive disease --other drop -k 4");
    place.ok("index insert store t.csv -q");
    place.ok("index release store -q -o r.csv");
    place.ok("report t.csv r.csv -o r.html");
    let page = place.read("r.html");
    assert!(page.contains("made from a store") && !page.contains("klimt anonymize"));
    assert!(page.contains("klimt verify r.csv"));
}

#[test]
fn the_page_is_the_same_for_any_number_of_threads_and_loads_nothing() {
    let place = Place::new();
    place.write("t.csv", people(300));
    place.ok("anonymize t.csv --qi age,sex,city,born,income --sensitive disease --other drop -k 4 -o r.csv");
    place.ok("report t.csv r.csv --threads 1 -o one.html --scatter age,income");
    place.ok("report t.csv r.csv --threads 4 -o four.html --scatter age,income");
    let page = place.read("one.html");
    assert_eq!(page, place.read("four.html"));
    assert!(page.contains("age and income: published groups over the original"));
    let loads = ["src=", "url(", "@import", "<link", "<iframe", "fetch(", "http-equiv=\"refresh\""];
    assert!(loads.iter().all(|word| !page.contains(word)));
    let addresses = page.matches("http://").count() + page.matches("https://").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn wrong_usage_is_told_and_inputs_are_not_overwritten() {
    let place = Place::new();
    place
        .write("t.csv", people(60))
        .write("h.csv", "Bern;CH;*\nZug;CH;*\nLinz;AT;*\n\"Graz, Styria\";AT;*\n\"Wien \"\"W\"\"\";AT;*\n");
    place.ok("anonymize t.csv --qi age,city --other drop -k 4 --hierarchy city=h.csv -o r.csv");
    for (args, said) in [
        ("report t.csv r.csv -o r.html", "--hierarchy city=FILE"),
        ("report t.csv r.csv --hierarchy city=h.csv -o t.csv", "would overwrite the input"),
        ("report t.csv r.csv --hierarchy city=h.csv -o r.csv.certificate.json", "would overwrite the input"),
        ("report t.csv r.csv --hierarchy city=h.csv --scatter age,agee -o r.html", "did you mean age?"),
        ("report t.csv r.csv --hierarchy city=h.csv --scatter age,city -o r.html", "has no order"),
        ("report t.csv r.csv --hierarchy city=h.csv --scatter age -o r.html", "two different columns"),
        ("report t.csv - --qi age -o r.html", "must be a file"),
        ("report t.csv r.csv --certificate h.csv -o r.html", "not JSON"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(2), "{args}: {}", ran.err);
        assert!(ran.err.contains(said), "{args}: {}", ran.err);
    }
    assert!(!place.exists("r.html"));
    place.ok("report t.csv r.csv --hierarchy city=h.csv -o r.html");
    assert!(place.read("r.html").contains("needs two ordered quasi-identifiers"));
}

/// Tables that are tiny, wide, all missing or of one value have a page.
#[test]
fn odd_tables_have_pages() {
    let place = Place::new();
    place.write("tiny.csv", people(12));
    place.ok("anonymize tiny.csv --qi age,sex,born --other drop -k 3 -o tiny-r.csv");
    place.ok("report tiny.csv tiny-r.csv -o tiny.html");
    let names: Vec<String> = (0..60).map(|column| format!("c{column}")).collect();
    let mut wide = names.join(",") + "\n";
    for row in 0..50 {
        let cells: Vec<String> = (0..60)
            .map(|column| match column % 4 {
                0 => String::new(),
                1 => String::from("same"),
                2 => (row * column % 7).to_string(),
                _ => format!("20{:02}-01-{:02}", row % 20, 1 + column % 28),
            })
            .collect();
        wide.push_str(&(cells.join(",") + "\n"));
    }
    place.write("wide.csv", wide);
    place.ok(&format!("anonymize wide.csv --qi {} -k 5 -o wide-r.csv", names.join(",")));
    place.ok("report wide.csv wide-r.csv -o wide.html");
    assert!(place.read("wide.html").len() < 2_000_000);
}
