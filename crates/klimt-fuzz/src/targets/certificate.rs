//! Certificates: any bytes are one or an error; what is read is written and read again as the same certificate.

use klimt::Certificate;

/// Reads, writes and reads again.
pub fn run(data: &[u8]) {
    let Ok(read) = Certificate::from_json("certificate.json", data) else { return };
    let text = read.to_json().expect("a certificate can be written");
    let again =
        Certificate::from_json("certificate.json", text.as_bytes()).expect("what was written is read");
    assert!(read == again, "a certificate changes when it is written");
}

/// Lists in lists.
pub fn samples() -> Vec<Vec<u8>> {
    vec!["[".repeat(100_000).into_bytes(), "{\"a\":".repeat(100_000).into_bytes()]
}
