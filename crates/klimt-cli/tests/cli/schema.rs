//! Certificates follow `docs/certificate.schema.json`: whatever is written is described, and whatever is described is
//! written.

use crate::common::{Place, people};
use crate::sources::{ROLES, archive, by_byte, german, xlsx};
use klimt_core::Choice;
use klimt_core::registry::PARTITIONERS;
use serde_json::Value;
use std::collections::BTreeSet;

/// The keywords of JSON Schema that the schema may use, without those that say nothing of a value.
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "oneOf",
    "minimum",
    "minLength",
    "maxLength",
    "pattern",
    "$schema",
    "title",
    "description",
];

/// Checks values by the part of JSON Schema that the schema uses.
#[derive(Default)]
struct Checker {
    problems: Vec<String>,
    /// The places of properties that values had.
    seen: BTreeSet<String>,
}

impl Checker {
    fn check(&mut self, schema: &Value, value: &Value, place: &str) {
        if let Some(list) = schema["oneOf"].as_array() {
            let fitting: Vec<Checker> = list.iter().map(|one| checked(one, value, place)).collect();
            let fitting: Vec<Checker> =
                fitting.into_iter().filter(|found| found.problems.is_empty()).collect();
            if fitting.len() != 1 {
                self.problems.push(format!("{place}: fits {} of the alternatives", fitting.len()));
            }
            self.seen.extend(fitting.into_iter().flat_map(|found| found.seen));
            return;
        }
        if schema.get("const").is_some_and(|wanted| wanted != value)
            || schema["enum"].as_array().is_some_and(|list| !list.contains(value))
        {
            self.problems.push(format!("{place}: another value"));
        }
        let kind = kind(value);
        let is = |name: &Value| name == kind || (name == "number" && kind == "integer");
        let fits = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().any(is),
            Value::Null => true,
            one => is(one),
        };
        if !fits {
            self.problems.push(format!("{place}: is {kind}"));
        }
        if schema["minimum"].as_f64().zip(value.as_f64()).is_some_and(|(least, value)| value < least) {
            self.problems.push(format!("{place}: is too small"));
        }
        for item in value.as_array().into_iter().flatten() {
            self.check(&schema["items"], item, &format!("{place}[]"));
        }
        if let Some(object) = value.as_object() {
            self.check_object(schema, object, place);
        }
    }

    fn check_object(&mut self, schema: &Value, object: &serde_json::Map<String, Value>, place: &str) {
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for name in required.filter(|name| !object.contains_key(*name)) {
            self.problems.push(format!("{place}.{name}: missing"));
        }
        for (name, value) in object {
            let place = format!("{place}.{name}");
            self.seen.insert(place.clone());
            match (schema["properties"].get(name), &schema["additionalProperties"]) {
                (Some(schema), _) => self.check(schema, value, &place),
                (None, Value::Object(_)) => self.check(&schema["additionalProperties"], value, &place),
                (None, _) => self.problems.push(format!("{place}: not in the schema")),
            }
        }
    }
}

fn checked(schema: &Value, value: &Value, place: &str) -> Checker {
    let mut checker = Checker::default();
    checker.check(schema, value, place);
    checker
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The places of all properties that a schema names. It may use the keywords that are checked, and no others.
fn places(schema: &Value, place: &str, found: &mut BTreeSet<String>) {
    let object = schema.as_object().unwrap();
    let unknown: Vec<&String> = object.keys().filter(|key| !KEYWORDS.contains(&key.as_str())).collect();
    assert!(unknown.is_empty(), "{place}: {unknown:?} is not checked");
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{place}.{name}");
        found.insert(place.clone());
        places(schema, &place, found);
    }
    if schema["items"].is_object() {
        places(&schema["items"], &format!("{place}[]"), found);
    }
    for one in schema["oneOf"].as_array().into_iter().flatten() {
        places(one, place, found);
    }
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/certificate.schema.json")).unwrap()
}

/// Runs that together use every algorithm, and every option that a certificate records.
fn runs() -> Vec<String> {
    let mut runs: Vec<String> =
        PARTITIONERS.iter().map(|kind| format!("--qi age,sex --algorithm {}", kind.name())).collect();
    runs.extend(
        [
            "--qi age,city --type age=integer --domain age=0..120 --weight age=2 --missing none --delimiter , --header",
            "--qi age,sex --type disease=text --l-diversity distinct:2 --suppress 5% --loss dm --keep-order",
            "--qi age,city --hierarchy city=h.csv --hierarchy-cut both --accept city --statistics range,mean",
            "--qi age,income --workload q.sql --effort balanced --extent region -o r.parquet",
            "--qi age,sex --partitioning relaxed --t-closeness 0.9",
            "--qi age,income --algorithm rothko-s --memory 64MB --sample 50 --significance 0.1",
            "--qi age,income --algorithm rtree --base-k 2 --by level --leaf-capacity 3 --prefer age",
            "--qi age,sex --algorithm gensearch --split-at age=30,50 --queue 9 --lookahead 7 --start whole --gap 1.2",
            "--qi age,income --algorithm gensearch --splits at-most:4 --priority cost --as-published --time-limit 5s",
            "--qi sex,city --algorithm scheme --hierarchy city=h.csv --scheme city=gsps --levels city=0..1",
            "--qi sex,city --algorithm scheme --direction top-down --without fold",
            "--qi age,sex --person id",
        ]
        .map(String::from),
    );
    runs
}

#[test]
fn certificates_follow_the_published_schema() {
    let schema = schema();
    let mut all = Checker::default();
    let mut check = |what: &str, text: &str| {
        let found = checked(&schema, &serde_json::from_str(text).unwrap(), "");
        assert_eq!(found.problems, Vec::<String>::new(), "{what}\n{text}");
        all.seen.extend(found.seen);
    };
    let place = Place::new();
    place.write("t.csv", people(200)).write("q.sql", "SELECT COUNT(*) WHERE age > 40;\n");
    place.write("h.csv", "Bern;CH;*\nZug;CH;*\nLinz;AT;*\n\"Graz, Styria\";AT;*\n\"Wien \"\"W\"\"\";AT;*\n");
    for run in runs() {
        let output = if run.contains(" -o ") { "" } else { "-o r.csv" };
        let told = place
            .ok(&format!("anonymize t.csv --sensitive disease --other drop -k 4 -q --json {run} {output}"));
        check(&run, &told.out);
        let name = if output.is_empty() { "r.parquet" } else { "r.csv" };
        check(&run, &place.read(&format!("{name}.certificate.json")));
    }
    let german = by_byte(&german());
    place.write("g.zip", archive(&[("g.csv", &german), ("other.csv", b"a\n1\n")]));
    place.write("g.xlsx", xlsx(&["Other", "Patients"], false));
    for run in ["g.zip --member g.csv --encoding windows-1252 --missing city=none", "g.xlsx --sheet Patients"]
    {
        let told = place.ok(&format!("anonymize {run} {ROLES} -q --json -o r.csv"));
        check(run, &told.out);
        check(run, &place.read("r.csv.certificate.json"));
    }
    place.ok("index create store --like t.csv --key id --qi age,sex --sensitive disease --other drop -k 4");
    place.ok("index insert store t.csv -q");
    place.ok("index release store -q -o s.csv --audience city --allow-differences");
    check("index release", &place.read("s.csv.certificate.json"));

    let mut described = BTreeSet::new();
    places(&schema, "", &mut described);
    let never: Vec<&String> = described.difference(&all.seen).collect();
    assert!(never.is_empty(), "no certificate has {never:?}: a run is missing, or the schema is wrong");
}

#[test]
fn what_is_not_in_the_schema_is_noticed() {
    let place = Place::new();
    place.write("t.csv", people(60));
    let told = place.ok("anonymize t.csv --qi age,sex --other drop -k 4 -q --json -o r.csv");
    let mut certificate: Value = serde_json::from_str(&told.out).unwrap();
    assert!(checked(&schema(), &certificate, "").problems.is_empty());
    certificate["rows"]["published"] = "many".into();
    certificate["spec"]["settings"]["colour"] = "red".into();
    certificate["spec"]["settings"]["effort"] = "none at all".into();
    certificate.as_object_mut().unwrap().remove("k");
    let found = checked(&schema(), &certificate, "").problems;
    assert_eq!(
        found,
        [
            ".k: missing",
            ".rows.published: is string",
            ".spec.settings.colour: not in the schema",
            ".spec.settings.effort: another value"
        ]
    );
}
