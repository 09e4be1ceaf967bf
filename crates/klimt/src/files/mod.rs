//! Files that are written whole or not at all.

mod paths;
mod staged;
mod together;

pub use paths::{check_outputs, lies_in, same_file};
pub use staged::{Staged, remove_temporaries, write_private, write_whole};
pub use together::publish_together;
