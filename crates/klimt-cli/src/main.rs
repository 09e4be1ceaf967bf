//! The `klimt` command.
fn main() {}
