//! Records the settings of a run, and restores them from a certificate.

use super::settings::{RecordedOrder, RecordedSettings, ReleaseOrigin};
use super::types::RunAccount;
use crate::reading::Reading;
use crate::run::Schemes;
use crate::settings::{ColumnSettings, MemorySettings, Settings};
use klimt_core::algorithm::mondrian::Model;
use klimt_core::algorithm::optimal::Effort;
use klimt_core::algorithm::scheme::Direction;
use klimt_core::recode::SavedRequirement;
use klimt_core::region::Extents;
use klimt_core::registry::{AlgorithmKind, LossChoice};
use klimt_core::risk::Share;
use klimt_core::table::Table;
use klimt_io::csv::DialectSpec;
use klimt_io::source::SourceSpec;
use std::collections::BTreeMap;

/// The settings of a run as its certificate records them.
pub fn record(
    settings: &Settings,
    algorithm: AlgorithmKind,
    table: &Table,
    schemes: Option<&Schemes>,
    reading: &Reading,
) -> RecordedSettings {
    let (search, memory) = (&settings.search, &settings.memory);
    let (scheme, local) = (algorithm == AlgorithmKind::Scheme, algorithm == AlgorithmKind::Local);
    // Regions that may overlap are not strict.
    let relaxed = local || settings.runs_of_leaves() || settings.partitioning == Some(Model::Relaxed);
    let searches = !algorithm.is_greedy() || search.effort() != Effort::Fast;
    let capacity = settings.is_tree() || settings.tree.leaf_capacity.is_some();
    let recoded = schemes.map(|schemes| schemes.record.clone()).unwrap_or_default();
    RecordedSettings {
        // The certificate names the quasi-identifiers of the table.
        qi: Vec::new(),
        accept: settings.accepted(),
        algorithm: Some(ReleaseOrigin::Algorithm(algorithm)),
        allow_differences: None,
        as_published: search.as_published.then_some(true),
        audience: None,
        base_k: settings.tree.base_k,
        by: settings.base().ok().flatten().map(|(_, by)| by),
        direction: recoded.direction,
        effort: (!scheme).then(|| search.effort()),
        extent: Some(settings.extents()),
        gap: search.gap,
        hierarchy_cut: settings.hierarchy_cut,
        leaf_capacity: capacity.then(|| settings.split_spec().capacity),
        levels: recoded.levels,
        lookahead: search.lookahead,
        loss: search.loss.as_ref().map(|loss| loss.name().to_string()),
        minimised: searches.then(|| search.loss().to_string()),
        partitioning: Some(if relaxed { Model::Relaxed } else { Model::Strict }),
        prefer: settings.tree.prefer.clone(),
        priority: search.priority,
        queue: search.queue,
        row_order: Some(if settings.keep_order { RecordedOrder::Kept } else { RecordedOrder::Shuffled }),
        sample: memory.sample,
        schemes: recoded.schemes,
        significance: memory.significance,
        split: (!scheme && !local).then(|| settings.split_name().to_string()),
        splits: search.splits,
        start: search.start,
        statistics: settings.statistics.clone(),
        suppress: Some(settings.suppress.unwrap_or(Share::ZERO)),
        time_limit: search.time_limit,
        without: recoded.without,
        requirements: saved(settings),
        weights: by_column(settings, |column| column.weight),
        types: by_column(settings, |column| column.type_spec.clone()),
        missing: Some(settings.missing.len() as u64).filter(|texts| *texts > 0),
        column_splits: by_column(settings, |column| column.splits.as_ref().map(|values| values.len() as u64)),
        guides: guides(settings, table),
        workload: Some(settings.workload.is_some()),
        delimiter: settings.source.dialect.delimiter.map(char::from),
        header: settings.source.dialect.header,
        encoding: settings.source.encoding.map(|encoding| encoding.to_string()),
        reading: reading.recorded(),
    }
}

/// The requirements besides k, each for its column: what a certificate and a recoding function record.
pub fn saved(settings: &Settings) -> Vec<SavedRequirement> {
    let columns = |column: &Option<String>| match column {
        Some(column) => vec![column.clone()],
        None => settings.sensitive_columns().map(str::to_string).collect(),
    };
    let each = settings.requirements.iter().flat_map(|wanted| {
        columns(&wanted.column).into_iter().map(|column| SavedRequirement {
            flag: wanted.flag.to_string(),
            column,
            parameters: wanted.text.clone(),
        })
    });
    each.collect()
}

/// The columns whose hierarchy guides a scheme without being what they are published by.
fn guides(settings: &Settings, table: &Table) -> Vec<String> {
    let published = |name: &str| {
        let dimension = (0..table.dimensions()).find(|&d| table.dimension(d).name == name);
        dimension.is_some_and(|dimension| table.domain(dimension).hierarchy().is_some())
    };
    let guided = settings.columns.iter().filter(|(name, column)| column.guided && !published(name));
    guided.map(|(name, _)| name.clone()).collect()
}

fn by_column<T>(settings: &Settings, of: impl Fn(&ColumnSettings) -> Option<T>) -> BTreeMap<String, T> {
    settings.columns.iter().filter_map(|(name, column)| Some((name.clone(), of(column)?))).collect()
}

impl RecordedSettings {
    /// How the original is read: as is said, and else as was said when the release was made.
    pub fn source(&self, said: &SourceSpec) -> SourceSpec {
        let dialect = DialectSpec {
            delimiter: said.dialect.delimiter.or(self.delimiter.and_then(|c| u8::try_from(c).ok())),
            header: said.dialect.header.or(self.header),
        };
        let recorded = self.encoding.as_ref().and_then(|encoding| encoding.parse().ok());
        let (member, sheet) = (&self.reading.member, &self.reading.sheet);
        SourceSpec {
            dialect,
            encoding: said.encoding.or(recorded),
            member: said.member.clone().or_else(|| member.clone()),
            sheet: said.sheet.clone().or_else(|| sheet.clone()),
            memory: said.memory,
        }
    }

    /// Restores the method: how groups were found and published, by this record and the account of the run. `given` is
    /// what the caller says of the release, with the texts that a certificate only counts; a usual value is left out,
    /// unless something else may be said there.
    ///
    /// Roles, types, files and requirements of `again` stay as they are.
    pub fn restore(&self, run: &RunAccount, given: &Settings, again: &mut Settings) {
        let algorithm = match self.algorithm {
            Some(ReleaseOrigin::Algorithm(algorithm)) => Some(algorithm),
            Some(ReleaseOrigin::Store) | None => None,
        };
        let (scheme, tree) =
            (algorithm == Some(AlgorithmKind::Scheme), algorithm == Some(AlgorithmKind::RTree));
        again.algorithm = algorithm;
        again.split = unusual(
            self.split.clone(),
            |split| *split == if tree { "box" } else { "median" },
            given.split.is_some(),
        );
        // Local recoding and runs of leaves are relaxed by themselves.
        let by_itself = algorithm == Some(AlgorithmKind::Local) || self.by.is_some();
        again.partitioning = unusual(
            self.partitioning.filter(|_| !by_itself),
            |model| *model == Model::Strict,
            given.partitioning.is_some(),
        );
        again.hierarchy_cut = self.hierarchy_cut;
        again.suppress = unusual(self.suppress, |share| *share == Share::ZERO, given.suppress.is_some());
        let usual = if scheme { Extents::Region } else { Extents::Compact };
        again.extent = unusual(self.extent, |extent| *extent == usual, given.extent.is_some());
        again.statistics = self.statistics.clone();
        again.keep_order = self.row_order == Some(RecordedOrder::Kept);
        self.restore_search(given, again);
        again.schemes.direction = unusual(
            self.direction,
            |direction| *direction == Direction::default(),
            given.schemes.direction.is_some(),
        );
        again.schemes.without = self.without.clone();
        (again.tree.base_k, again.tree.by) = (self.base_k, self.by);
        (again.tree.leaf_capacity, again.tree.prefer) = (self.leaf_capacity, self.prefer.clone());
        self.restore_memory(run, &mut again.memory);
        self.restore_columns(given, again);
    }

    fn restore_search(&self, given: &Settings, again: &mut Settings) {
        let search = &mut again.search;
        search.loss = self.minimised.clone().or(self.loss.clone()).map(LossChoice::from);
        search.effort = unusual(self.effort, |effort| *effort == Effort::Fast, given.search.effort.is_some());
        (search.time_limit, search.gap) = (self.time_limit, self.gap);
        (search.splits, search.priority, search.queue) = (self.splits, self.priority, self.queue);
        (search.lookahead, search.start) = (self.lookahead, self.start);
        search.as_published = self.as_published == Some(true);
    }

    /// The memory that was granted: parts of a table go by it.
    fn restore_memory(&self, run: &RunAccount, memory: &mut MemorySettings) {
        let granted = run.memory.clone().filter(|text| text != MemorySettings::UNSAID);
        let granted = granted.or_else(|| run.budget.map(|bytes| bytes.to_string()));
        memory.memory = granted.and_then(|text| text.parse().ok());
        (memory.sample, memory.significance) = (self.sample, self.significance);
    }

    fn restore_columns(&self, given: &Settings, again: &mut Settings) {
        for (name, column) in &mut again.columns {
            column.accepted = self.accept.contains(name);
            (column.scheme, column.levels) =
                (self.schemes.get(name).copied(), self.levels.get(name).copied());
            let chosen = given.columns.get(name).and_then(|given| given.splits.clone());
            column.splits = chosen.filter(|_| self.column_splits.contains_key(name));
        }
    }
}

/// A recorded value, unless it is the usual one and nothing else could be said there.
fn unusual<T>(recorded: Option<T>, is_usual: impl Fn(&T) -> bool, said: bool) -> Option<T> {
    recorded.filter(|value| said || !is_usual(value))
}
