//! Limits are promises: time, memory and the wish to stop, for every algorithm and in every phase.

use crate::common::{Place, Ran, people, ran};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What reading, writing and checking a small table may take beside the limit, on a machine that is busy.
const AROUND: Duration = Duration::from_secs(8);

/// A table of nine numeric columns, three of which have nearly as many values as rows.
fn agrawal(rows: usize) -> Place {
    let place = Place::new();
    place.ok(&format!("generate agrawal --rows {rows} --seed 3 -o in.csv -q"));
    place
}

const NINE: &str = "--qi salary,commission,age,elevel,car,zipcode,hvalue,hyears,loan --other drop";

/// Whether hang-ups are ignored here, as under `nohup`: then klimt ignores them too.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Runs a command, sends it a signal after a while, and says how long it took to end from then on.
fn signalled(place: &Place, args: &str, signal: &str, after: Duration) -> (Ran, Duration) {
    let signal = if signal == "-HUP" && ignores_hangups() { "-TERM" } else { signal };
    let child = place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(after);
    assert!(Command::new("kill").arg(signal).arg(child.id().to_string()).status().unwrap().success());
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    (ran(&output), start.elapsed())
}

#[test]
fn every_algorithm_ends_in_time_with_the_best_it_has() {
    let place = agrawal(20_000);
    let mut algorithms: Vec<String> =
        ["mondrian", "rtree", "rothko-t", "rothko-s", "optimal", "gensearch", "local"]
            .map(|name| format!("--algorithm {name}"))
            .to_vec();
    algorithms.extend(["ops", "sps"].map(|scheme| format!("--algorithm scheme --scheme {scheme}")));
    let others = [
        "--algorithm scheme --loss ncp",
        "--algorithm optimal --loss vm",
        "--algorithm gensearch --start optimal",
        "--effort balanced",
        "--effort best",
    ];
    algorithms.extend(others.map(String::from));
    for algorithm in algorithms {
        let start = Instant::now();
        place.ok(&format!("anonymize in.csv {NINE} -k 10 {algorithm} --time-limit 2s -q -o out.csv"));
        let took = start.elapsed();
        assert!(took < Duration::from_secs(2) + AROUND, "{algorithm}: {took:?}");
        place.ok(&format!("verify out.csv {} -k 10 -q", NINE.replace(" --other drop", "")));
    }
}

#[test]
fn when_the_time_is_over_at_once_there_is_a_release_all_the_same() {
    let place = agrawal(5_000);
    for algorithm in ["mondrian", "rtree", "rothko-s", "rothko-t", "optimal", "gensearch", "local", "scheme"]
    {
        place.ok(&format!(
            "anonymize in.csv {NINE} -k 10 --algorithm {algorithm} --time-limit 0ms -q -o out.csv"
        ));
        place.ok(&format!("verify out.csv {} -k 10 -q", NINE.replace(" --other drop", "")));
    }
}

/// Tables that take long to prepare: the time may be over before anything was compared, and nothing is proven then.
#[test]
fn when_the_time_is_over_before_the_search_begins_nothing_is_claimed() {
    let place = agrawal(150_000);
    for (algorithm, least) in [("scheme", 1.0), ("scheme --l-diversity car=distinct:3", 1.0), ("local", 1.0)]
    {
        place.ok(&format!(
            "anonymize in.csv --qi age,elevel,zipcode,hvalue --sensitive car --other drop -k 10 --algorithm {algorithm} \
             --loss ncp --time-limit 0ms -q -o out.csv"
        ));
        place.ok("verify out.csv --qi age,elevel,zipcode,hvalue --sensitive car -k 10 -q");
        let text = std::fs::read_to_string(place.path("out.csv.certificate.json")).unwrap();
        let certificate: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(certificate["proven"], "heuristic", "{algorithm}: {}", certificate["family"]);
        assert_eq!(certificate["losses"]["ncp"], least, "{algorithm}");
    }
}

/// Groups of a few generalizations hold nearly all values of a sensitive column.
#[test]
fn statistics_of_many_sensitive_values_are_merged_in_time() {
    let place = agrawal(200_000);
    let start = Instant::now();
    place.ok(
        "anonymize in.csv --qi age,elevel,car,zipcode --sensitive loan --other drop --l-diversity distinct:3 -k 10 \
         --algorithm scheme --time-limit 1s -q -o out.csv",
    );
    let took = start.elapsed();
    assert!(took < Duration::from_secs(1) + AROUND, "{took:?}");
}

/// Prices by statistics look at the extents of all columns, of which each has nearly as many values as rows.
#[test]
fn volumes_over_many_values_are_priced_in_time() {
    let place = agrawal(150_000);
    for algorithm in ["scheme", "scheme --scheme ops --l-diversity car=entropy:3"] {
        let start = Instant::now();
        place.ok(&format!(
            "anonymize in.csv --qi salary,age,elevel,zipcode,hvalue,loan --sensitive car --other drop -k 10 \
             --algorithm {algorithm} --loss vm --time-limit 1s -q -o out.csv"
        ));
        let took = start.elapsed();
        assert!(took < Duration::from_secs(1) + AROUND, "{algorithm}: {took:?}");
    }
}

#[test]
fn searches_publish_the_best_they_have_whatever_the_signal() {
    let place = agrawal(20_000);
    for (algorithm, signal) in
        [("gensearch", "-TERM"), ("optimal", "-HUP"), ("scheme", "-INT"), ("scheme --loss ncp", "-TERM")]
    {
        let args =
            format!("anonymize in.csv {NINE} -k 10 --algorithm {algorithm} --time-limit 10m -o out.csv");
        let (ended, took) = signalled(&place, &args, signal, Duration::from_secs(4));
        assert!(took < AROUND, "{algorithm}: {took:?}");
        assert_eq!(ended.code, Some(0), "{algorithm}: {}", ended.err);
        assert!(ended.err.contains("the best release so far"), "{algorithm}: {}", ended.err);
        std::fs::remove_file(place.path("out.csv")).unwrap();
    }
}

#[test]
fn everything_else_ends_with_nothing_written() {
    let place = agrawal(300_000);
    std::fs::create_dir(place.path("spill")).unwrap();
    let line = format!("anonymize in.csv {NINE} -k 2 -q -o out.csv --temp-dir spill");
    let (mut ended, before) = (0, place.files());
    for (args, signal) in [
        (format!("{line} --algorithm mondrian --split loss:ncp"), "-TERM"),
        (format!("{line} --algorithm rothko-s --memory 16MB"), "-HUP"),
        (format!("{line} --algorithm rothko-t --memory 64MB"), "-INT"),
        (format!("compare in.csv {NINE} --algorithms optimal,scheme --k 2 --time 5m -o page.html"), "-TERM"),
    ] {
        let (ran, took) = signalled(&place, &args, signal, Duration::from_millis(700));
        assert!(took < Duration::from_secs(3), "{args}: {took:?}");
        // A fast machine may be done before.
        if ran.code != Some(0) {
            assert_eq!(ran.code, Some(130), "{args}: {}", ran.err);
            assert_eq!(place.files(), before, "{args}");
            assert_eq!(std::fs::read_dir(place.path("spill")).unwrap().count(), 0, "{args}");
            ended += 1;
        }
        for file in place.files().iter().filter(|file| !before.contains(file)) {
            std::fs::remove_file(place.path(file)).unwrap();
        }
    }
    assert!(ended >= 2, "{ended} runs were ended");
}

#[test]
fn a_second_signal_ends_a_search_without_a_release() {
    let place = agrawal(20_000);
    let args = format!("anonymize in.csv {NINE} -k 10 --algorithm optimal --time-limit 10m -q -o out.csv");
    let child = place.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let id = child.id().to_string();
    for signal in ["-TERM", "-INT"] {
        assert!(Command::new("kill").arg(signal).arg(&id).status().unwrap().success());
    }
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(place.files(), ["in.csv"]);
}

#[test]
fn the_memory_of_a_search_is_kept_to_or_what_would_do_is_named() {
    let place = agrawal(150_000);
    let peak = |args: &str| -> (Ran, usize) {
        let mut child = place.command(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let held = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
            most = most.max(held.unwrap_or(0) * 1024);
            std::thread::sleep(Duration::from_millis(20));
        }
        (ran(&child.wait_with_output().unwrap()), most)
    };
    for algorithm in ["scheme --scheme ops", "gensearch", "optimal", "local"] {
        let line =
            format!("anonymize in.csv {NINE} -k 10 --algorithm {algorithm} --time-limit 3s -q -o out.csv");
        let (ran, most) = peak(&format!("{line} --memory 150MB"));
        // Code, stacks and buffers are there however small the budget is.
        assert!(most < 225_000_000 + 64_000_000, "{algorithm}: {most}");
        match ran.code {
            Some(0) => {}
            Some(3) => assert!(ran.err.contains("--memory "), "{algorithm}: {}", ran.err),
            code => panic!("{algorithm}: {code:?}: {}", ran.err),
        }
    }
    let refused = place.run(&format!(
        "anonymize in.csv {NINE} -k 10 --algorithm scheme --time-limit 3s -q -o out.csv --memory 48MB"
    ));
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    let named = refused.err.split("--memory ").nth(1).unwrap().split([' ', ',']).next().unwrap().to_string();
    place.ok(&format!(
        "anonymize in.csv {NINE} -k 10 --algorithm scheme --time-limit 3s -q -o out.csv --memory {named}"
    ));
}

#[test]
fn a_record_longer_than_memory_is_named_by_its_line() {
    let place = Place::new();
    let long = "x".repeat(40_000_000);
    for (record, memory, code) in [
        (format!("2,{long}\n3,c\n"), "16MB", 3),
        (format!("2,\"{long}\n3,c\n"), "16MB", 3),
        (format!("2,{long}\n3,c\n"), "2GB", 0),
    ] {
        place.write("in.csv", format!("age,note\n1,a\n{record}"));
        let args = format!(
            "anonymize in.csv --qi age --other keep --accept note -k 1 -q -o out.csv --memory {memory} --threads 1"
        );
        let ran = place.run(&args);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(code == 0 || ran.err.contains("line 3: the record is longer than"), "{}", ran.err);
    }
}

#[test]
fn hierarchies_of_100_000_leaves_or_levels_are_counted_and_shown() {
    let place = Place::new();
    let wide: String = (0..100_000).map(|leaf| format!("v{leaf};g{};*\n", leaf / 10)).collect();
    place.write("wide.csv", wide);
    let levels: Vec<String> = (0..100_000).map(|level| format!("l{level}")).collect();
    let chain = levels.join(";");
    place.write("deep.csv", format!("a;{chain}\nb;{chain}\n"));
    let start = Instant::now();
    for file in ["wide.csv", "deep.csv"] {
        place.ok(&format!("hierarchy check {file}"));
        let counts = place.ok(&format!("hierarchy count {file}"));
        assert_eq!(counts.out.lines().count(), 6, "{file}");
        let shown = place.ok(&format!("hierarchy show {file}"));
        assert!(shown.out.lines().count() >= 100_000 && shown.out.len() < 40_000_000, "{file}");
    }
    let sets = place.ok("hierarchy count wide.csv --scheme sps");
    assert_eq!(sets.out, "about 10^364471\n");
    place.write("in.csv", "v\na\na\nb\nb\n");
    for algorithm in
        ["mondrian", "scheme --scheme bhs", "scheme --scheme ghs", "gensearch", "optimal", "local"]
    {
        let args = format!(
            "anonymize in.csv --qi v --hierarchy v=deep.csv -k 2 -q -o out.csv --time-limit 5s --algorithm {algorithm}"
        );
        let ran = place.run(&args);
        assert!(matches!(ran.code, Some(0 | 2 | 3)), "{algorithm}: {:?} {}", ran.code, ran.err);
    }
    assert!(start.elapsed() < Duration::from_secs(180), "{:?}", start.elapsed());
}

#[test]
fn names_and_nesting_of_any_size_are_no_bug() {
    let place = Place::new();
    let name = "n".repeat(65_536);
    place.write("long.csv", format!("{name},b\n1,2\n1,2\n3,4\n3,4\n"));
    place.write("spec.toml", format!("input = \"long.csv\"\noutput = \"out.csv\"\nk = 2\nother = \"drop\"\n[columns.\"{name}\"]\nrole = \"quasi-identifier\"\n"));
    for output in ["out.csv", "out.parquet", "out.arrow"] {
        let ran = place.run(&format!("anonymize --spec spec.toml -q -o {output}"));
        assert!(matches!(ran.code, Some(0 | 2)), "{output}: {:?} {}", ran.code, ran.err);
    }
    let ran = place.run("inspect long.csv");
    assert!(matches!(ran.code, Some(0 | 2)), "{:?} {}", ran.code, ran.err);
    let many: Vec<String> = (0..10_000).map(|column| format!("c{column}")).collect();
    let row = vec!["1"; 10_000].join(",");
    place.write("many.csv", format!("{}\n{row}\n{row}\n", many.join(",")));
    place.ok("anonymize many.csv --qi c0,c1 --other keep -k 2 -q -o out.csv");
    place.ok("verify out.csv --qi c0,c1 -k 2");
    place.write("deep.toml", format!("k = {}1{}\n", "[".repeat(100_000), "]".repeat(100_000)));
    assert_eq!(place.run("anonymize --spec deep.toml").code, Some(2));
    place.write("deep.json", format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)));
    assert_eq!(place.run("apply deep.json long.csv -o applied.csv").code, Some(2));
}

/// The published rows, without their order.
fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let place = Place::new();
    place.ok("generate agrawal --rows 4000 --seed 5 -o numbers.csv -q");
    place.write("people.csv", people(4000));
    place.ok("generate agrawal --rows 150000 --seed 6 -o many.csv -q");
    let shuffle = |from: &str, to: &str| {
        let text = place.read(from);
        let (head, rows) = text.split_once('\n').unwrap();
        let mut rows: Vec<(usize, &str)> = rows.lines().enumerate().collect();
        rows.sort_by_key(|(at, _)| (at.wrapping_mul(2_654_435_761) ^ at >> 3) % 1_000_003);
        let rows: String = rows.iter().map(|(_, row)| format!("{row}\n")).collect();
        place.write(to, format!("{head}\n{rows}"));
    };
    shuffle("numbers.csv", "numbers2.csv");
    shuffle("people.csv", "people2.csv");
    shuffle("many.csv", "many2.csv");
    let few = "--qi salary,age,zipcode,loan --other drop";
    let mixed = "--qi age,sex,city,income,born --sensitive disease --identifier id --l-diversity disease=2";
    for (table, columns, how) in [
        ("numbers", NINE, "--algorithm mondrian"),
        ("people", mixed, "--algorithm mondrian"),
        ("people", mixed, "--algorithm mondrian --split loss:ncp --suppress 1%"),
        ("people", mixed, "--partitioning relaxed"),
        ("people", "--qi sex,city --sensitive disease --other drop", "--partitioning relaxed"),
        ("numbers", NINE, "--algorithm rtree"),
        ("people", mixed, "--algorithm rtree"),
        ("people", mixed, "--algorithm rtree --base-k 3"),
        ("many", NINE, "--algorithm rtree"),
        ("many", NINE, "--algorithm rtree --memory 16MB"),
        ("many", NINE, "--algorithm rothko-s --memory 16MB"),
        ("many", NINE, "--algorithm rothko-t --memory 64MB"),
        ("people", mixed, "--split box"),
        ("numbers", few, "--effort balanced"),
        ("numbers", few, "--algorithm local"),
        ("people", mixed, "--algorithm local"),
        ("people", "--qi age,sex,city --other drop", "--algorithm scheme --loss ncp"),
        ("people", "--qi age,sex,city --other drop", "--algorithm scheme --suppress 2%"),
        ("people", "--qi age,sex --other drop", "--algorithm gensearch --splits at-most:3 --gap 1.0"),
        ("people", "--qi age,sex --other drop", "--algorithm optimal"),
    ] {
        let line =
            |name: &str, out: &str| format!("anonymize {name}.csv {columns} -k 5 {how} -q -o {out}.csv");
        place.ok(&line(table, "first"));
        place.ok(&line(&format!("{table}2"), "second"));
        assert!(sorted(&place.read("first.csv")) == sorted(&place.read("second.csv")), "{table} {how}");
    }
}
