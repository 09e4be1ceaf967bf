//! The losses of a release, as its certificate has them.

use crate::certificate::{CertificateFile, four_digits, is_by_sizes};
use crate::measure::note_untold;
use crate::observer::Watched;
use crate::settings::Settings;
use klimt_core::loss::{self, Groups, Loss, Original, PublishedGroup, PublishedGroups, Totals};
use klimt_core::table::Table;
use klimt_core::{Result, registry};
use klimt_report::ReleaseLoss;
use klimt_verify::Findings;

/// A release whose losses are measured.
pub(super) struct LossQuestion<'a> {
    pub settings: &'a Settings,
    pub table: &'a Table,
    pub findings: &'a Findings,
    pub published: &'a [PublishedGroup],
}

impl LossQuestion<'_> {
    /// The losses of the release as its certificate tells them: by the published rows, in four digits. Where rows were
    /// suppressed and it is not known which, only losses by the sizes of groups are told without a certificate.
    pub fn losses(
        &self,
        groups: &PublishedGroups<'_>,
        certified: Option<&CertificateFile>,
        watched: &Watched<'_>,
    ) -> Result<Vec<ReleaseLoss>> {
        let LossQuestion { settings, table, findings, published } = *self;
        let weights = settings.weights(table);
        let k = settings.k.unwrap_or(findings.smallest_group).max(1);
        let rows = table.rows() as u64;
        let totals = Totals { rows, suppressed: findings.suppressed, groups: findings.groups, k };
        let every = || registry::LOSSES.iter().map(|(_, loss)| *loss as &dyn Loss);
        let members = (0..groups.count()).map(|group| groups.members(group));
        let members: Option<Vec<&[u32]>> = members.collect();
        let original = Original::new(table, &weights);
        let told = match (members, certified.filter(|certified| certified.matches)) {
            _ if findings.suppressed == 0 => {
                note_untold(watched, every(), &original, groups);
                loss::measure(every(), &original, groups, &totals)?
            }
            (_, Some(certified)) => {
                let loss = |loss: &dyn Loss| Some((loss.id(), certified.certificate.loss(loss.id())?));
                every().filter_map(loss).collect()
            }
            (Some(members), None) => {
                let mut rows = members.concat();
                rows.sort_unstable();
                let (narrow, _) = table.narrowed(&rows)?;
                let groups = PublishedGroups::read(&narrow, published.to_vec())?;
                loss::measure(every(), &Original::new(&narrow, &weights), &groups, &totals)?
            }
            (None, None) => {
                let by_sizes = every().filter(|loss| is_by_sizes(loss.id(), &original));
                loss::measure(by_sizes, &original, groups, &totals)?
            }
        };
        let meaning = |id: &str| {
            registry::LOSSES.iter().find(|(entry, _)| entry.id == id).map_or("", |(entry, _)| entry.help)
        };
        let loss = |(id, value)| ReleaseLoss { id, value: four_digits(value), meaning: meaning(id) };
        Ok(told.into_iter().map(loss).collect())
    }
}
