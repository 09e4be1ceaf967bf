//! The other subcommands.

use crate::common::{Place, people};
use klimt_core::Choice;
use klimt_core::registry::{self, AlgorithmKind};

#[test]
fn inspect_tells_types_roles_and_risk_and_no_values() {
    let place = Place::new();
    place.write("in.csv", people(300));
    let found: serde_json::Value = serde_json::from_str(&place.ok("inspect in.csv --json").out).unwrap();
    let of = |name: &str, key: &str| {
        let columns = found["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == name).unwrap()[key].clone()
    };
    assert_eq!(of("id", "role"), "identifier");
    assert_eq!(of("age", "role"), "quasi-identifier");
    assert_eq!(of("disease", "role"), "sensitive");
    assert_eq!(of("income", "type"), "decimal");
    assert_eq!(of("born", "type"), "date");
    assert_eq!(of("city", "distinct"), 5);
    let risk: serde_json::Value = serde_json::from_str(
        &place.ok("inspect in.csv --qi sex --identifier id,age,city,income,born --json").out,
    )
    .unwrap();
    assert_eq!(risk["risk"]["tuples"], 2);
    assert_eq!(risk["risk"]["unique"], 0);
    assert!(!place.ok("inspect in.csv").out.contains("Graz"));
}

#[test]
fn init_writes_a_spec_that_works() {
    let place = Place::new();
    place.write("in.csv", people(300));
    place.ok("init in.csv");
    place.ok("anonymize --spec klimt.toml");
    assert!(place.exists("release.csv"));
    place.ok("verify release.csv --qi age,sex,city,born -k 5");
    assert_eq!(place.run("init in.csv").code, Some(2), "an existing spec is not overwritten");
}

#[test]
fn verify_numbers_the_worst_groups_and_fails() {
    let place = Place::new();
    place.write("out.csv", "age,sex\n[20..30],f\n[20..30],f\n40,m\n*,*\n");
    let ran = place.run("verify out.csv --qi age,sex -k 2");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("group 2 (1 row), group 3 (1 row)"), "{}", ran.err);
    assert!(ran.out.contains("suppressed    0"), "{}", ran.out);
    assert_eq!(place.run("verify out.csv --qi age,sex -k 1 --min-width age=10").code, Some(1));
    assert_eq!(place.run("verify out.csv --qi age,sex -k 1 --min-width age=0").code, Some(0));
    assert_eq!(place.run("verify out.csv --qi agee,sex -k 1").code, Some(2));
}

#[test]
fn hierarchies_are_built_checked_and_shown() {
    let place = Place::new();
    place.write("in.csv", people(300));
    for (column, how, label) in [
        ("age", "--by width --widths 5,10,20", "[20..24]"),
        ("age", "--by count --size 6", "*"),
        ("born", "--by date --decades", "1950s"),
        ("city", "--by prefix --lengths 2,1", "Li**"),
        ("city", "--by order", "*"),
    ] {
        place.ok(&format!("hierarchy build in.csv --column {column} {how} -o h.csv"));
        assert!(place.read("h.csv").contains(label), "{how}: {}", place.read("h.csv"));
        let checked = place.ok(&format!("hierarchy check h.csv in.csv --column {column}")).err;
        assert!(checked.contains("0 leaves unused"), "{checked}");
        assert!(place.ok("hierarchy show h.csv").out.contains("└─"));
        place.ok(&format!(
            "anonymize in.csv --qi {column},sex --other drop -k 5 --hierarchy {column}=h.csv -o out.csv"
        ));
    }
    place.write("short.csv", "Bern;*\nLinz;*\n");
    let ran = place.run("hierarchy check short.csv in.csv --column city");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("3 values on"), "{}", ran.err);
    assert!(!ran.err.contains("Graz"));
    assert_eq!(place.run("hierarchy build in.csv --column age --by width --widths 5,7").code, Some(2));
}

#[test]
fn generated_data_is_reproducible_in_every_format() {
    let place = Place::new();
    for generator in ["uniform", "skewed", "agrawal", "census", "sales", "hospital"] {
        let args = format!("generate {generator} --rows 5000 --seed 3");
        let text = place.ok(&format!("{args} --threads 1")).out;
        assert_eq!(text, place.ok(&format!("{args} --threads 3")).out);
        assert_eq!(text.lines().count(), 5001);
        place.ok(&format!("{args} -o a.csv"));
        assert_eq!(place.read("a.csv"), text);
        place.ok(&format!("{args} -o a.parquet"));
        let columns = |name: &str| {
            let told: serde_json::Value =
                serde_json::from_str(&place.ok(&format!("inspect {name} --json")).out).unwrap();
            (told["columns"].clone(), told["risk"].clone())
        };
        if generator != "agrawal" {
            assert_eq!(columns("a.csv"), columns("a.parquet"));
        }
    }
    assert!(
        place
            .ok("generate agrawal --rows 1")
            .out
            .starts_with("salary,commission,age,elevel,car,zipcode,hvalue,hyears,loan,C2,C7,R7,R10\n")
    );
    assert_eq!(place.run("generate uniform --rows 5 --sigma 0.3").code, Some(2));
}

#[test]
fn completions_the_manual_and_help_list_everything() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.ok(&format!("completions {shell}")).out.contains("anonymize"));
    }
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (manual, help) = (place.ok("man").out, words(place.ok("--help").out));
    let losses = registry::LOSSES.iter().map(|(entry, _)| entry);
    let algorithms = AlgorithmKind::ALL.iter().map(|(_, id, help)| (*id, *help));
    let entries = registry::SPLITS.iter().chain(losses).map(|entry| (entry.id, entry.help));
    for (id, line) in algorithms.chain(entries) {
        assert!(help.contains(id) && help.contains(line), "{id} is not in the help");
        assert!(manual.contains(&id.replace('-', "\\-")) || manual.contains(id), "{id}");
    }
}

/// The registry, the help of every command that takes requirements, the keys of a spec, and the guide list the same
/// requirements.
#[test]
fn every_list_of_requirements_is_the_registry() {
    let place = Place::new();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let help = words(&place.ok("--help").out);
    let commands =
        ["anonymize", "verify", "measure", "apply"].map(|name| place.ok(&format!("{name} --help")).out);
    let spec = include_str!("../../../../docs/guide/spec.md");
    let page = include_str!("../../../../docs/guide/requirements.md");
    let listed = &page[page.find("## The list of requirements").unwrap()..];
    let listed = &listed[..listed[3..].find("\n## ").unwrap()];
    for entry in registry::REQUIREMENTS {
        assert!(help.contains(entry.id) && help.contains(entry.help), "{} is not in the help", entry.id);
        for command in &commands {
            assert!(command.contains(&format!("--{}", entry.flag)), "{} has no flag", entry.id);
        }
        assert!(words(&commands[0]).to_lowercase().contains(&entry.help.to_lowercase()), "{}", entry.id);
        assert!(spec.contains(&format!("| `{}` |", entry.flag)), "{} is no key of a spec", entry.id);
        assert!(listed.contains(&format!("| `{}` |", entry.id)), "{} is not in the guide", entry.id);
        assert!(
            listed.contains(&format!("`{}", entry.sample()))
                || listed.contains(&format!(" {}`", entry.sample()))
        );
    }
    assert_eq!(
        listed.matches("\n| `").count(),
        registry::REQUIREMENTS.len(),
        "the guide lists something else"
    );
}

#[test]
fn the_example_works_as_the_readme_prints_it() {
    let place = Place::new();
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/patients");
    let spec = example.join("klimt.toml");
    place.ok(&format!("anonymize --spec {} -o release.csv", spec.display()));
    place.ok("verify release.csv --qi age,sex,zip,marital-status,admission --sensitive disease -k 5");
    assert!(
        place.read("release.csv").starts_with("age,sex,zip,marital-status,admission,disease,stay-days\n")
    );
}
