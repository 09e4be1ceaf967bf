//! Pages for people who decide: what a release reaches, costs and risks, and how settings compare.
//!
//! A page is one file of HTML with its charts, its style and its script in it. It loads nothing, works from disk, prints,
//! is light or dark as the reader's system is, and can be read without a script and without eyes. Of the original it shows
//! only what `aggregate` lets through.

mod aggregate;
mod comparison;
mod drawings;
mod html;
mod page;
mod policy;
mod query_error;
mod report;
mod sections;

pub use comparison::{Comparison, Trial, TrialOutcome, TrialRelease, TrialRisk, TrialSeconds};
pub use drawings::{Drawings, PublishedColumn, ReleaseRows};
pub use html::{rounded_up, thousands};
pub use query_error::{QueryError, QueryErrors};
pub use report::{CertificateSummary, Inference, Provenance, ReleaseLoss, Report, Risks, Warning, least};
