//! The experiments of the papers and the benchmarks against peers.
fn main() {}
