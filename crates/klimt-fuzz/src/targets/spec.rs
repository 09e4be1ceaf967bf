//! Specs: any text is settings or an error.

/// Reads a spec.
pub fn run(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = klimt_cli::parsers::spec(text);
    }
}

/// Tables in tables.
pub fn samples() -> Vec<Vec<u8>> {
    let arrays = format!("k = {}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let tables = format!("[{}a]\nk = 5\n", "a.".repeat(20_000));
    vec![arrays.into_bytes(), tables.into_bytes()]
}
