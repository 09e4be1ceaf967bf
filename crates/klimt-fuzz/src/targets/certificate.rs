//! Certificates: any bytes are one or an error.

/// Reads a certificate.
pub fn run(data: &[u8]) {
    let _ = klimt_cli::parsers::certificate(data);
}

/// Lists in lists.
pub fn samples() -> Vec<Vec<u8>> {
    vec!["[".repeat(100_000).into_bytes(), "{\"a\":".repeat(100_000).into_bytes()]
}
