//! Gives freed memory back to the system where little is granted.
//!
//! The allocator of the system keeps freed memory for later, up to thresholds that grow with what a program frees. A run that
//! is granted little would be seen to hold twice as much. The thresholds are read when a process begins, so the command
//! begins once more with low ones: the same process, before it has read anything.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Runs that are granted more than this do not notice what the allocator keeps.
const LITTLE: usize = 256_000_000;

/// Pieces of this many bytes are given back at once. Smaller ones would cost time, as they are taken again and again.
const THRESHOLDS: [(&str, &str); 2] =
    [("MALLOC_TRIM_THRESHOLD_", "500000"), ("MALLOC_MMAP_THRESHOLD_", "500000")];

/// Begins the process once more with low thresholds where little memory is granted. Thresholds that somebody has set stay,
/// and where the process cannot begin again it goes on as it is.
pub fn begin_again(granted: usize) {
    if granted > LITTLE || THRESHOLDS.iter().any(|(name, _)| env::var_os(name).is_some()) {
        return;
    }
    let mut arguments = env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), env::current_exe()) else { return };
    // It returns only where it failed.
    let _ = Command::new(program).arg0(name).args(arguments).envs(THRESHOLDS).exec();
}
