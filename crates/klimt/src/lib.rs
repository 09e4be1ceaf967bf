//! klimt turns a table about people into a table that is safe to publish: every person hides in a group of at least k,
//! sensitive values stay diverse, and no more detail is lost than must be.
//!
//! ```
//! use klimt::prelude::*;
//!
//! # let folder = std::env::temp_dir().join(format!("klimt-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let patients = folder.join("patients.csv");
//! # std::fs::write(&patients, "name,age,zip,disease\nAda,31,53703,Asthma\nBob,34,53703,Gout\nCem,36,53704,Flu\n").unwrap();
//! let release = Anonymizer::new()
//!     .quasi_identifiers(["age", "zip"])
//!     .sensitive(["disease"])
//!     .identifiers(["name"])
//!     .require(KAnonymity::new(3)?)
//!     .require(DistinctDiversity::new("disease", 2)?)
//!     .anonymize(Input::file(&patients)?)?;
//! println!("{} groups, ncp {:.4}", release.certificate().groups, release.certificate().loss("ncp").unwrap());
//! release.save(folder.join("release.parquet"))?;
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), klimt::Error>(())
//! ```
//!
//! - [`Anonymizer`] says what a release is to be and makes it: in memory ([`Anonymizer::anonymize`]) or of any size, from
//!   file to file ([`Anonymizer::anonymize_to`]).
//! - A [`Release`] was checked when it was made: there is no way to its rows that was not. Its [`Certificate`] says what was
//!   asked, what is reached and what is proven.
//! - [`verify`](verify()) checks a release from its published rows alone, [`attack`] plays an attacker, [`measure`](measure()) tells its
//!   losses and [`query`](query()) how far its answers are off.
//! - [`inspect`](inspect()) looks at a table before anything is published, and [`spec::draft`] makes a spec of that.
//! - A [`Store`] keeps rows that change, and releases them again and again, safely beside each other.
//! - [`apply`](apply()) recodes other data as a release was, [`Hierarchy`] builds and checks taxonomies, and
//!   [`generate`](generate()) invents tables.
//! - The results of all of these are types that implement `Serialize`; the command prints them as `--json`.
//! - Requirements are types ([`requirement`]), and so are the algorithms with their options ([`Algorithm`]).
//! - An [`Error`] says what is wrong and where, and carries what can be done about it ([`Remedy`]). It never holds a value of
//!   the table.
//!
//! The engine behind this door is `klimt-core`: authors of a requirement, a loss or an algorithm work with its traits.

mod anonymizer;
pub mod apply;
pub mod certificate;
pub mod columns;
pub mod files;
pub mod generate;
mod hand_over;
pub mod hierarchy;
mod input;
pub mod inspect;
pub mod measure;
mod observer;
pub mod options;
mod output;
pub mod prelude;
pub mod query;
mod reading;
mod release;
pub mod risk;
pub mod run;
pub mod settings;
pub mod spec;
pub mod store;
mod suggest;
pub mod text;
pub mod verify;

pub use anonymizer::Anonymizer;
pub use apply::{ApplyRequest, RecodedRelease, apply};
pub use certificate::Certificate;
pub use generate::generate;
pub use hand_over::{CertificatePlace, HandOver, NamedRelease};
pub use hierarchy::Hierarchy;
pub use input::{Format, Input, known_dialect};
pub use inspect::{Inspection, inspect};
pub use klimt_core::algorithm::optimal::Effort;
pub use klimt_core::registry::AlgorithmKind;
pub use klimt_core::requirement;
pub use klimt_core::{Choice, Error, ErrorKind, Remedy, Result, Words};
pub use measure::{Measurement, Measuring, measure};
pub use observer::{Interrupted, Note, Observer, Stage, Stretch, Unobserved, Watched};
pub use output::Output;
pub use query::{Answers, Questions, query};
pub use release::Release;
pub use settings::{Algorithm, Other};
pub use store::Store;
pub use suggest::did_you_mean;
pub use verify::{AttackFindings, Verdict, Verification, attack, verify};
