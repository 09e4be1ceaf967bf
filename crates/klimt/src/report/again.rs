//! How a release is made again, and how it is checked.

use crate::call::{Action, Call};
use crate::certificate::{Certificate, ReleaseOrigin};
use crate::settings::{ColumnSettings, Settings};
use klimt_core::table::Role;
use klimt_io::source::SourceSpec;

/// The names of the original and of its release.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    pub original: &'a str,
    pub release: &'a str,
}

/// How the release is made again: by what is given, and by what its certificate records of the run. Nothing where a store
/// made it, as its groups depend on earlier releases.
pub(super) fn make(
    files: Files<'_>,
    given: &Settings,
    source: SourceSpec,
    roles: &[(String, Role)],
    certificate: Option<&Certificate>,
) -> Option<Call> {
    let origin = certificate.and_then(|certificate| certificate.settings.algorithm);
    if origin == Some(ReleaseOrigin::Store) {
        return None;
    }
    let mut again = Settings { workload: given.workload.clone(), source, ..described(given, roles) };
    if let Some(certificate) = certificate {
        certificate.settings.restore(&certificate.run, given, &mut again);
    }
    Some(Call::new(Action::Anonymize, [files.original], &again).output(files.release))
}

/// How the release is checked.
pub(super) fn check(files: Files<'_>, given: &Settings, roles: &[(String, Role)], stars: bool) -> Call {
    let counted = |role: &Role| matches!(role, Role::QuasiIdentifier | Role::Sensitive);
    let roles: Vec<(String, Role)> = roles.iter().filter(|(_, role)| counted(role)).cloned().collect();
    let mut asked = described(given, &roles);
    // What was accepted is no matter of a release that was published.
    asked.columns.values_mut().for_each(|column| column.accepted = false);
    Call::new(Action::Verify, [files.release], &asked).switched("stars-are-suppressed", stars)
}

/// The columns, as far as they matter to any algorithm, and the requirements.
fn described(given: &Settings, roles: &[(String, Role)]) -> Settings {
    let mut settings = Settings {
        missing: given.missing.clone(),
        k: given.k,
        requirements: given.requirements.clone(),
        ..Settings::default()
    };
    let rank = |name: &String| given.columns.get(name).and_then(|column| column.rank);
    let mut ranked: Vec<&(String, Role)> = roles.iter().collect();
    // Quasi-identifiers stand as they were named, all other columns as in the original.
    ranked.sort_by_key(|(name, role)| rank(name).filter(|_| *role == Role::QuasiIdentifier));
    for (place, (name, role)) in ranked.into_iter().enumerate() {
        let said = given.columns.get(name).cloned().unwrap_or_default();
        let column = ColumnSettings {
            role: Some(*role),
            rank: Some(place),
            type_spec: said.type_spec,
            form: said.form.or(said.recorded_form),
            missing: said.missing,
            domain: said.domain,
            order: said.order,
            hierarchy: said.hierarchy,
            weight: said.weight,
            accepted: said.accepted,
            ..ColumnSettings::default()
        };
        settings.columns.insert(name.clone(), column);
    }
    settings
}
