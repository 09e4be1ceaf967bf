//! Workloads: what is read is written as SQL and read again as the same queries.

use klimt_core::workload::{Aggregate, End, Predicate, Query, Test, parse};

/// Reads, writes and reads again.
pub fn run(data: &[u8]) {
    let Some(workload) = std::str::from_utf8(data).ok().and_then(|text| parse(text).ok()) else { return };
    let text: String = workload.queries.iter().map(written).collect();
    let again = parse(&text).expect("what was written is read");
    assert!(workload.queries == again.queries, "queries change when they are written");
}

fn written(query: &Query) -> String {
    let aggregate = match &query.aggregate {
        Aggregate::Count => "COUNT(*)".to_string(),
        Aggregate::Of(function, column) => format!("{}({})", function.name(), name(column)),
    };
    let tests: Vec<String> = query.predicates.iter().map(test).collect();
    let tests = if tests.is_empty() { String::new() } else { format!(" WHERE {}", tests.join(" AND ")) };
    format!("SELECT {aggregate}{tests} WEIGHT {};\n", query.weight)
}

fn test(predicate: &Predicate) -> String {
    let column = name(&predicate.column);
    let side = |end: &End, sign: &str| {
        format!("{column} {sign}{} {}", if end.included { "=" } else { "" }, text(&end.text))
    };
    match &predicate.test {
        Test::Missing => format!("{column} IS NULL"),
        Test::In(values) => {
            format!("{column} IN ({})", values.iter().map(|value| text(value)).collect::<Vec<_>>().join(", "))
        }
        Test::Range { from: Some(from), to: Some(to) } if from.included && to.included => {
            format!("{column} BETWEEN {} AND {}", text(&from.text), text(&to.text))
        }
        Test::Range { from, to } => {
            let sides = [from.as_ref().map(|end| side(end, ">")), to.as_ref().map(|end| side(end, "<"))];
            sides.into_iter().flatten().collect::<Vec<_>>().join(" AND ")
        }
    }
}

fn name(column: &str) -> String {
    format!("\"{}\"", column.replace('"', "\"\""))
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// Many brackets, and many queries.
pub fn samples() -> Vec<Vec<u8>> {
    let brackets = format!("SELECT COUNT(*) WHERE {}a = 1{}", "(".repeat(50_000), ")".repeat(50_000));
    vec![brackets.into_bytes(), "SELECT COUNT(*) WHERE a=1;".repeat(300).into_bytes()]
}
