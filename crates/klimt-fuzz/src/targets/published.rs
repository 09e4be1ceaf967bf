//! Published values: a text stands for something or for nothing, and what is written of a set is read back.

use klimt_core::region::{PublishedReader, set_members, write_set};
use klimt_core::table::{ColumnSpec, Distinct, Domain, Encoding, Role, ValueType};
use klimt_verify::width::{self, width};

/// The first line is the text, the others are the values of the column.
pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.lines();
    let published = lines.next().unwrap_or_default();
    let mut values: Vec<&str> = lines.filter(|line| !line.is_empty()).take(40).collect();
    values.sort_unstable();
    values.dedup();
    if values.is_empty() {
        return;
    }
    let _ = set_members(published);
    let order = width::Domain::order(values.iter().map(|value| value.to_string()));
    let dates = width::Domain::Dates("%d.%m.%Y".to_string());
    for domain in [width::Domain::Natural, order, dates] {
        let _ = width(published, &domain);
    }
    for kind in [None, Some(ValueType::Text)] {
        if let Some(domain) = domain(&values, kind) {
            read(&domain, published);
        }
    }
}

fn domain(values: &[&str], kind: Option<ValueType>) -> Option<Domain> {
    let mut spec = ColumnSpec::new("x", Role::QuasiIdentifier);
    spec.type_spec = kind.map(Into::into);
    Encoding::of(&spec, Distinct::Texts(values.iter().copied().collect()), true).ok().map(|made| made.domain)
}

fn read(domain: &Domain, published: &str) {
    let reader = PublishedReader::new(domain);
    if let Some(reach) = reader.reach(published) {
        let penalty = domain.penalty_of(&reach.ends);
        assert!((0.0..=1.0).contains(&penalty), "a penalty of {penalty}");
    }
    for code in 0..domain.value_count() as u32 {
        let text = domain.text(code);
        assert_eq!(reader.code(&text), Some(code), "a value is not found by its text");
    }
    let codes: Vec<u32> = (0..domain.value_count() as u32).collect();
    for members in codes.chunks(3).filter(|members| members.len() > 1) {
        let mut written = Vec::new();
        write_set(domain, members, &mut written);
        let written = String::from_utf8(written).expect("values are texts");
        let texts: Vec<String> = members.iter().map(|&code| domain.text(code)).collect();
        assert_eq!(set_members(&written), Some(texts), "members of a set change when they are written");
    }
}

/// Nothing but brackets and dots.
pub fn samples() -> Vec<Vec<u8>> {
    let odd =
        ["[", "{", "(", "..", "\\"].map(|piece| format!("{}\n1\n2\n30\n", piece.repeat(3000)).into_bytes());
    odd.to_vec()
}
