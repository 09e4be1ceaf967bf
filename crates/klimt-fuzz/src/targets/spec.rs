//! Specs: any text is settings or an error; what is read is written and read again as the same settings.

use klimt::spec::{parse, write};

/// Reads, writes and reads again.
pub fn run(data: &[u8]) {
    let Some(settings) = std::str::from_utf8(data).ok().and_then(|text| parse("spec.toml", text).ok()) else {
        return;
    };
    let _ = settings.build_requirements();
    let text = write(&settings).expect("what was read can be written");
    let again = parse("spec.toml", &text).expect("what was written is read");
    assert!(
        write(&again).expect("what was read can be written") == text,
        "settings change when they are written"
    );
}

/// Tables in tables.
pub fn samples() -> Vec<Vec<u8>> {
    let arrays = format!("k = {}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let tables = format!("[{}a]\nk = 5\n", "a.".repeat(20_000));
    vec![arrays.into_bytes(), tables.into_bytes()]
}
