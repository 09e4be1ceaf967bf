//! The table: every option of `klimt anonymize`, and what it does to each algorithm.

use super::Effect::{Always, Beside, Foreign, NeedsAllRows, Refused, Unless};
use super::conditions::*;
use super::{Effect, Key, OptionEntry, TableNeed, place};
use crate::settings::{ColumnSettings, SchemeSettings, Settings};
use klimt_core::algorithm::mondrian::{HierarchyCut, Model};
use klimt_core::algorithm::optimal::Effort;
use klimt_core::option_text;
use klimt_core::region::Extents;
use klimt_core::registry;
use klimt_core::registry::AlgorithmKind::{
    self, GenSearch, Local, Mondrian, Optimal, RTree, RothkoS, RothkoT, Scheme,
};
use klimt_io::form::ValueForm;

/// The algorithms that cut once and do not search.
const GREEDY: &[AlgorithmKind] = &[Mondrian, RothkoT, RothkoS, RTree];
const ON_DISK_ALONE: &[AlgorithmKind] = &[RothkoT, RothkoS];

const OVERLAP: &str =
    "regions of local recoding may overlap, so that no function maps a tuple to one of them";
const EQUAL_ROWS: &str = "this algorithm keeps equal rows in one group";
const LEAVES_BY_MEMORY: &str = concat!(
    "the leaves of a table on disk depend on ",
    option_text!("memory"),
    ", so that releases for several k would not fit together"
);
const SPENDS_ALL: &str = concat!(
    "the search spends all that ",
    option_text!("time-limit"),
    " and ",
    option_text!("gap"),
    " grant"
);

/// The same for every algorithm.
const fn all(effect: Effect) -> [Effect; 8] {
    [effect; 8]
}

/// Something else for some algorithms.
const fn but(mut effects: [Effect; 8], algorithms: &[AlgorithmKind], effect: Effect) -> [Effect; 8] {
    let mut at = 0;
    while at < algorithms.len() {
        effects[place(algorithms[at])] = effect;
        at += 1;
    }
    effects
}

/// For some algorithms only.
const fn only(algorithms: &[AlgorithmKind]) -> [Effect; 8] {
    but(all(Foreign), algorithms, Always)
}

/// Something of a few algorithms that only some values of an option ask for.
const fn some(algorithms: &[AlgorithmKind], effect: Effect) -> [Effect; 8] {
    but(all(Always), algorithms, effect)
}

const fn option(
    flag: &'static str,
    key: Key,
    effects: [Effect; 8],
    given: fn(&Settings) -> bool,
) -> OptionEntry {
    OptionEntry { flag, value: None, key, effects, on_table: None, given }
}

/// An option that is the same to every algorithm.
const fn common(flag: &'static str, key: Key) -> OptionEntry {
    option(flag, key, all(Always), |_| true)
}

impl OptionEntry {
    const fn of(self, value: &'static str) -> Self {
        OptionEntry { value: Some(value), ..self }
    }

    const fn needs(self, need: &'static TableNeed) -> Self {
        OptionEntry { on_table: Some(need), ..self }
    }
}

fn columns(asked: &Settings, given: fn(&ColumnSettings) -> bool) -> bool {
    asked.columns.values().any(given)
}

fn schemes(asked: &Settings, given: fn(&SchemeSettings) -> bool) -> bool {
    given(&asked.schemes)
}

/// Whether cuts are chosen by a loss that counts rows beyond those that are cut.
fn counts_all_rows(asked: &Settings) -> bool {
    let loss = asked.split.as_deref().and_then(|split| split.strip_prefix("loss:")).map(str::trim);
    let known = |name: &str| registry::LOSSES.iter().find(|(entry, _)| entry.id == name);
    loss.and_then(known).is_some_and(|(_, loss)| !loss.ignores_other_rows())
}

/// Every option of `klimt anonymize` but the requirements, which every algorithm keeps; several entries where some values
/// mean more than others.
#[rustfmt::skip]
pub static OPTIONS: &[OptionEntry] = &[
    common("output", Key::Spec),
    common("spec", Key::None),
    common("qi", Key::Role),
    common("sensitive", Key::Role),
    common("identifier", Key::Role),
    common("person", Key::Role),
    common("insensitive", Key::Role),
    common("target", Key::Role),
    common("other", Key::Spec),
    option("type", Key::Column, all(Always), |asked| columns(asked, |column| column.type_spec.is_some())).needs(&TYPED),
    option("domain", Key::Column, all(Always), |asked| columns(asked, |column| column.domain.is_some())).needs(&DECLARED),
    option("order", Key::Column, all(Always), |asked| columns(asked, |column| column.order.is_some())).needs(&IN_ORDER),
    option("hierarchy", Key::Column, all(Always), |asked| columns(asked, |column| column.hierarchy.is_some())).needs(&IN_TREE),
    option("weight", Key::Column, all(Always), |asked| columns(asked, |column| column.weight.is_some())).needs(&WEIGHTED),
    option("decimal", Key::Column, all(Always), |asked| columns(asked, |column| matches!(column.form, Some(ValueForm::Number(_))))),
    option("date-form", Key::Column, all(Always), |asked| columns(asked, |column| matches!(column.form, Some(ValueForm::Date(_))))),
    common("missing", Key::Either),
    option("accept", Key::Spec, all(Always), |asked| columns(asked, |column| column.accepted)).needs(&PUBLISHED),
    common("column", Key::None),
    common("algorithm", Key::Spec),

    option("split", Key::Spec,
        but(but(but(all(Always), &[GenSearch], Beside(&STARTS)),
            &[Scheme], Refused(concat!("schemes group values, not rows; ", option_text!("loss"), " says what is minimised"))),
            &[Local], Refused(concat!("local recoding does not cut; ", option_text!("loss"), " says what it minimises"))),
        |asked| asked.split.is_some()),
    option("split", Key::Spec, some(&[RothkoT], Refused("rothko-t sees counts, not rows; rothko-s and rtree split by boxes")),
        |asked| asked.splits_by_boxes()).of("box"),
    option("split", Key::Spec, some(&[RTree], Refused("an R+-tree is split by box or box:area")),
        |asked| !asked.splits_by_boxes()).of("other than box"),
    option("split", Key::Spec, but(some(ON_DISK_ALONE, NeedsAllRows("this loss counts the rows of the whole table")),
            &[RTree], Refused("an R+-tree is split by box or box:area")),
        counts_all_rows).of("loss:NAME that counts all rows"),
    option("workload", Key::Spec,
        but(but(all(Always), &[Scheme, Local], Beside(&QUERIES)), &[GenSearch], Beside(&STARTS_OR_QUERIES)),
        |asked| asked.workload.is_some()),
    option("partitioning", Key::Spec, but(all(Always), &[Local], Refused("local recoding is always relaxed")),
        |asked| asked.partitioning.is_some()),
    option("partitioning", Key::Spec,
        but(some(&[RTree, GenSearch, Optimal, Scheme], Refused(EQUAL_ROWS)),
            ON_DISK_ALONE, NeedsAllRows("equal rows stay in one part")),
        |asked| asked.partitioning == Some(Model::Relaxed)).of("relaxed"),
    option("hierarchy-cut", Key::Spec,
        but(but(but(but(all(Unless(&CUTS_BOXES)),
            &[RTree], Refused("boxes are cut between any two leaves of a hierarchy")),
            &[GenSearch], Beside(&STARTS)),
            &[Scheme], Refused(concat!(option_text!("scheme"), " says how a hierarchy is used"))),
            &[Local], Refused("local recoding goes through the levels of hierarchies")),
        |asked| asked.hierarchy_cut.is_some()).needs(&HIERARCHIES),
    option("hierarchy-cut", Key::Spec,
        but(some(&[Mondrian, GenSearch], Unless(&CUTS_LEAVES)), &[Optimal], Refused(CUTS_LEAVES.text)),
        |asked| asked.hierarchy_cut == Some(HierarchyCut::Nodes)).of("nodes"),
    option("suppress", Key::Spec,
        some(ON_DISK_ALONE, NeedsAllRows("which rows to leave out is decided over all of them")),
        |asked| asked.suppress.is_some()),
    option("seed", Key::None, all(Always), |asked| asked.seed.is_some()).needs(&SHUFFLED),

    option("loss", Key::Spec, but(all(Always), GREEDY, Beside(&WEIGHS_LOSS)),
        // A workload brings its loss with it.
        |asked| asked.search.loss.is_some() && (asked.search.loss() != "queries" || asked.workload.is_none())),
    option("effort", Key::Spec,
        but(but(all(Always), &[Optimal, Scheme], Refused(SPENDS_ALL)),
            &[Local], Refused("a search for better cuts needs cuts to start from")),
        |asked| asked.search.effort.is_some()),
    option("effort", Key::Spec,
        but(some(ON_DISK_ALONE, NeedsAllRows("a search for better cuts needs all rows")), &[RTree], Unless(&COARSER)),
        |asked| asked.search.effort() != Effort::Fast).of("balanced or best"),
    option("time-limit", Key::Spec, some(&[RTree], Unless(&LEAVES_FOR_MANY)),
        |asked| asked.search.time_limit.is_some()),
    option("gap", Key::Spec,
        but(but(only(&[GenSearch, Optimal, Scheme]), &[Mondrian, RTree], Beside(&PROVES)),
            &[Local], Refused("local recoding proves no bound")),
        |asked| asked.search.gap.is_some()),
    option("trace", Key::Spec,
        but(only(&[GenSearch, Optimal, Scheme, Local]), &[Mondrian, RTree], Beside(&PROVES)),
        |asked| asked.search.trace.is_some()),
    option("splits", Key::Either, only(&[GenSearch]),
        |asked| asked.search.splits.is_some()),
    option("priority", Key::Spec, only(&[GenSearch]), |asked| asked.search.priority.is_some()),
    option("queue", Key::Spec, only(&[GenSearch]), |asked| asked.search.queue.is_some()),
    option("lookahead", Key::Spec, only(&[GenSearch]), |asked| asked.search.lookahead.is_some()),
    option("start", Key::Spec, only(&[GenSearch]), |asked| asked.search.start.is_some()),
    option("split-at", Key::None, only(&[GenSearch]), |asked| columns(asked, |column| column.splits.is_some())).needs(&SPLIT_AT),
    option("as-published", Key::Spec, only(&[GenSearch]), |asked| asked.search.as_published),

    option("scheme", Key::Either, only(&[Scheme]),
        |asked| schemes(asked, |schemes| schemes.default.is_some()) || columns(asked, |column| column.scheme.is_some()))
        .needs(&SCHEMES),
    option("levels", Key::Column, only(&[Scheme]), |asked| columns(asked, |column| column.levels.is_some())),
    option("direction", Key::Spec, only(&[Scheme]), |asked| schemes(asked, |schemes| schemes.direction.is_some())),
    option("without", Key::Spec, only(&[Scheme]), |asked| schemes(asked, |schemes| !schemes.without.is_empty())),

    option("base-k", Key::Spec, but(only(&[RTree]), &[RothkoS], NeedsAllRows(LEAVES_BY_MEMORY)),
        |asked| asked.tree.base_k.is_some()),
    option("by", Key::Spec, but(only(&[]), &[RTree], Unless(&LEAVES)), |asked| asked.tree.by.is_some()),
    option("leaf-capacity", Key::Spec,
        but(only(&[RTree]), &[Mondrian, RothkoT, RothkoS, GenSearch, Optimal], Beside(&BOXES)),
        |asked| asked.tree.leaf_capacity.is_some()),
    option("prefer", Key::Spec,
        but(only(&[RTree]), &[Mondrian, RothkoT, RothkoS, GenSearch, Optimal], Beside(&BOXES)),
        |asked| !asked.tree.prefer.is_empty()),

    common("memory", Key::Spec),
    common("temp-dir", Key::Spec),
    option("significance", Key::Spec, only(&[RothkoS, RTree]), |asked| asked.memory.significance.is_some())
        .needs(&ON_DISK),
    option("sample", Key::Spec, only(&[RothkoS, RTree]), |asked| asked.memory.sample.is_some()).needs(&ON_DISK),

    option("extent", Key::Spec, all(Always), |asked| asked.extent.is_some()),
    option("extent", Key::Spec, but(some(&[Local], Refused(OVERLAP)), &[RTree], Unless(&RUNS)),
        |asked| asked.extent == Some(Extents::Region)).of("region"),
    option("statistics", Key::Spec, all(Always), |asked| !asked.statistics.is_empty()).needs(&ORDERED),
    option("keep-order", Key::Spec, some(ON_DISK_ALONE, NeedsAllRows("parts are published as they are found")),
        |asked| asked.keep_order),
    option("save-recoding", Key::None,
        but(but(some(&[Local], Refused(OVERLAP)), &[RTree], Unless(&RUNS)), &[Mondrian], Unless(&RELAXED)),
        Settings::makes_recoding),
    option("save-people", Key::None, some(ON_DISK_ALONE, NeedsAllRows("people are counted in memory")), |asked| asked.save_people.is_some()),
    common("certificate", Key::None),
    common("no-certificate", Key::None),
    option("delimiter", Key::None, all(Always), |asked| asked.source.dialect.delimiter.is_some()).needs(&TEXT),
    option("no-header", Key::None, all(Always), |asked| asked.source.dialect.header == Some(false)).needs(&TEXT),
    option("header", Key::None, all(Always), |asked| asked.source.dialect.header == Some(true)).needs(&TEXT),
    option("encoding", Key::Spec, all(Always), |asked| asked.source.encoding.is_some()).needs(&TEXT),
    common("sheet", Key::Spec),
    common("member", Key::Spec),
    common("json", Key::None),
    common("threads", Key::None),
    common("quiet", Key::None),
];

#[cfg(test)]
mod tests {
    use super::super::page;
    use super::*;
    use crate::settings::flags;
    use crate::spec;
    use klimt_core::Choice;
    use klimt_core::registry::PARTITIONERS;

    #[test]
    fn the_table_knows_every_key_of_a_spec() {
        let said = |flag: &str, keys: &[Key]| {
            let mut entries = OPTIONS.iter().filter(|option| option.flag == flag);
            entries.any(|option| keys.contains(&option.key)) || flags().any(|known| known == flag)
        };
        for (key, _) in spec::keys() {
            let other = ["input", "columns"].contains(&key);
            assert!(other || said(key, &[Key::Spec, Key::Either]), "{key}");
        }
        for (key, _) in spec::column_keys() {
            assert!(["role", "rank"].contains(&key) || said(key, &[Key::Column, Key::Either]), "{key}");
        }
        for option in OPTIONS {
            let keys = if option.key == Key::Column { spec::column_keys() } else { spec::keys() };
            let missing = matches!(option.key, Key::Spec | Key::Column | Key::Either)
                && !keys.iter().any(|(key, _)| *key == option.flag);
            assert!(!missing, "a spec cannot say {}", option.flag);
        }
    }

    #[test]
    fn every_algorithm_of_the_registry_has_a_column() {
        let registered: Vec<AlgorithmKind> = AlgorithmKind::ALL
            .iter()
            .map(|(kind, ..)| *kind)
            .filter(|kind| *kind != AlgorithmKind::Auto)
            .collect();
        assert_eq!(registered, PARTITIONERS);
        for (at, algorithm) in PARTITIONERS.into_iter().enumerate() {
            assert_eq!(at, place(algorithm));
        }
    }

    #[test]
    fn the_page_of_the_docs_is_that_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/options.md");
        if std::env::var_os("KLIMT_WRITE_DOCS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            written == page(),
            "docs/options.md is old: run this test with KLIMT_WRITE_DOCS=1 to write it again"
        );
    }
}
