//! The certificate of a release: what was asked, what is reached, what is proven. It never holds a value of the
//! table, nor anything that could undo the shuffling of rows.
//!
//! Its losses are made from what is published, so that they tell nothing of suppressed rows but how many there are:
//! lengths and counts are taken over the published rows, a suppressed row pays its price, and four significant digits are
//! given. The owner of all rows gets the exact losses by the whole table, which `measure` finds too.

mod beside;
mod document;
mod make;
mod recorded;
mod rounded;
mod settings;
mod types;
mod word;

pub use beside::usual_path;
pub use beside::{
    CertificateFile, declared_beside, dialect_beside, file_hash, fill_declared, hierarchies_beside,
};
pub use document::{VERSION, is_certificate};
pub(crate) use make::counts_sizes_alone;
pub use make::{Certified, MadeCertificate, Proven, is_by_sizes};
pub use recorded::{record, saved};
pub use rounded::four_digits;
pub use settings::{RecordedOrder, RecordedSettings, ReleaseOrigin};
pub use types::*;
pub(crate) use word::Word;
