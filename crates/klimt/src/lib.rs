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
//! - [`compare`](fn@compare) puts algorithms and values of k side by side, and [`report`](fn@report) finds out about a release
//!   what those must know who decide whether it goes out; both make pages of HTML.
//! - Requirements are types ([`requirement`]), and so are the algorithms with their options ([`Algorithm`]).
//! - [`verify`](fn@verify) checks a release from its published rows alone, whoever made it, and [`measure`](fn@measure) tells
//!   what it costs its users.
//! - An [`Error`] says what is wrong and where, and carries what can be done about it ([`Remedy`]). It never holds a value of
//!   the table.
//!
//! A run keeps to the memory that it is granted ([`Anonymizer::memory`]), stops when its [`Observer`] says so, and works on
//! threads of its own with the stacks that it needs.
//!
//! # Requirements and losses of your own
//!
//! [`Anonymizer::require`] takes any type that implements [`Requirement`](requirement::Requirement), and [`Anonymizer::loss`]
//! any [`Loss`](loss::Loss); both see groups as [`statistics`]. Each works with every algorithm. The examples
//! `own_requirement` and `own_loss` are complete programs. The engine behind this door is `klimt-core`.
//!
//! # Features
//!
//! All are on by default: `parquet` reads and writes Parquet, `store` keeps rows that change, `report` makes pages for people
//! who decide, and `learn` trains decision trees on a release. A library without them builds in less time.
//!
//! # For front ends
//!
//! [`settings`], [`spec`] and [`options`] are what flags, keyword arguments or a form are made from, and [`run`] has the steps of
//! a run one by one. Programs do without them.

mod anonymizer;
pub mod apply;
pub mod call;
pub mod certificate;
#[doc(hidden)]
pub mod columns;
#[cfg(feature = "report")]
pub mod compare;
#[doc(hidden)]
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
#[cfg(feature = "report")]
pub mod report;
pub mod risk;
pub mod run;
pub mod settings;
pub mod spec;
#[cfg(feature = "store")]
pub mod store;
mod suggest;
#[doc(hidden)]
pub mod text;
pub mod verify;

pub use anonymizer::Anonymizer;
pub use apply::{ApplyRequest, RecodedRelease, apply};
pub use certificate::Certificate;
#[cfg(feature = "report")]
pub use compare::{Comparing, Comparison, compare};
pub use generate::generate;
pub use hand_over::{CertificatePlace, HandOver, NamedRelease};
pub use hierarchy::Hierarchy;
#[doc(hidden)]
pub use input::known_source;
pub use input::{Format, Input};
pub use inspect::{Inspection, inspect};
pub use klimt_core::algorithm::optimal::Effort;
pub use klimt_core::registry::AlgorithmKind;
pub use klimt_core::{Choice, Error, ErrorKind, Remedy, Result, Words};
pub use klimt_core::{loss, requirement, statistics, table};
pub use klimt_io::arrow;
pub use measure::{Measurement, Measuring, measure};
pub use observer::{Interrupted, Note, Observer, Stage, Stretch, Unobserved, Watched};
pub use output::Output;
pub use query::{Answers, Questions, query};
pub use release::Release;
#[cfg(feature = "report")]
pub use report::{ReportFindings, Reporting, report};
pub use settings::{Algorithm, Other};
#[cfg(feature = "store")]
pub use store::Store;
#[doc(hidden)]
pub use suggest::did_you_mean;
pub use verify::{AttackFindings, Verdict, Verification, attack, verify};
