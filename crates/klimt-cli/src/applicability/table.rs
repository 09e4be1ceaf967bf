//! The table: every option of `klimt anonymize`, and what it does to each algorithm.

use super::Algorithm::{self, Gensearch, Local, Mondrian, Optimal, RothkoS, RothkoT, Rtree, Scheme};
use super::Effect::{Always, Beside, Foreign, NeedsAllRows, Refused, Unless};
use super::conditions::*;
use super::{Effect, Key, OptionEntry, RunRequest, TableNeed};
use crate::options::{Extent, HierarchyCut, Partitioning};
use crate::schemes::SchemeSettings;
use crate::settings::ColumnSettings;
use klimt_core::algorithm::optimal::Effort;
use klimt_core::registry;

/// The algorithms that cut once and do not search.
const GREEDY: &[Algorithm] = &[Mondrian, RothkoT, RothkoS, Rtree];
const ON_DISK_ALONE: &[Algorithm] = &[RothkoT, RothkoS];

const OVERLAP: &str =
    "regions of local recoding may overlap, so that no function maps a tuple to one of them";
const EQUAL_ROWS: &str = "this algorithm keeps equal rows in one group";
const LEAVES_BY_MEMORY: &str =
    "the leaves of a table on disk depend on --memory, so that releases for several k would not fit together";
const SPENDS_ALL: &str = "the search spends all that --time-limit and --gap grant";

/// The same for every algorithm.
const fn all(effect: Effect) -> [Effect; 8] {
    [effect; 8]
}

/// Something else for some algorithms.
const fn but(mut effects: [Effect; 8], algorithms: &[Algorithm], effect: Effect) -> [Effect; 8] {
    let mut at = 0;
    while at < algorithms.len() {
        effects[algorithms[at] as usize] = effect;
        at += 1;
    }
    effects
}

/// For some algorithms only.
const fn only(algorithms: &[Algorithm]) -> [Effect; 8] {
    but(all(Foreign), algorithms, Always)
}

/// Something of a few algorithms that only some values of an option ask for.
const fn some(algorithms: &[Algorithm], effect: Effect) -> [Effect; 8] {
    but(all(Always), algorithms, effect)
}

const fn option(
    flag: &'static str,
    key: Key,
    effects: [Effect; 8],
    given: fn(&RunRequest<'_>) -> bool,
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

fn columns(asked: &RunRequest<'_>, given: fn(&ColumnSettings) -> bool) -> bool {
    asked.settings.columns.values().any(given)
}

fn schemes(asked: &RunRequest<'_>, given: fn(&SchemeSettings) -> bool) -> bool {
    given(&asked.settings.schemes)
}

/// Whether cuts are chosen by a loss that counts rows beyond those that are cut.
fn counts_all_rows(asked: &RunRequest<'_>) -> bool {
    let loss = asked.settings.split.as_deref().and_then(|split| split.strip_prefix("loss:")).map(str::trim);
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
    common("insensitive", Key::Role),
    common("target", Key::Role),
    common("other", Key::Spec),
    option("type", Key::Column, all(Always), |asked| columns(asked, |column| column.type_spec.is_some())).needs(&TYPED),
    option("domain", Key::Column, all(Always), |asked| columns(asked, |column| column.domain.is_some())).needs(&DECLARED),
    option("order", Key::Column, all(Always), |asked| columns(asked, |column| column.order.is_some())).needs(&IN_ORDER),
    option("hierarchy", Key::Column, all(Always), |asked| columns(asked, |column| column.hierarchy.is_some())).needs(&IN_TREE),
    option("weight", Key::Column, all(Always), |asked| columns(asked, |column| column.weight.is_some())).needs(&WEIGHTED),
    common("missing", Key::Spec),
    option("allow-unique", Key::Column, all(Always), |asked| columns(asked, |column| column.allow_unique)).needs(&UNIQUE),
    common("column", Key::None),
    common("algorithm", Key::Spec),

    option("split", Key::Spec,
        but(but(but(all(Always), &[Gensearch], Beside(&STARTS)),
            &[Scheme], Refused("schemes group values, not rows; --loss says what is minimised")),
            &[Local], Refused("local recoding does not cut; --loss says what it minimises")),
        |asked| asked.settings.split.is_some()),
    option("split", Key::Spec, some(&[RothkoT], Refused("rothko-t sees counts, not rows; rothko-s and rtree split by boxes")),
        |asked| asked.settings.splits_by_boxes()).of("box"),
    option("split", Key::Spec, some(&[Rtree], Refused("an R+-tree is split by box or box:area")),
        |asked| !asked.settings.splits_by_boxes()).of("other than box"),
    option("split", Key::Spec, some(ON_DISK_ALONE, NeedsAllRows("this loss counts the rows of the whole table")),
        counts_all_rows).of("loss:NAME"),
    option("workload", Key::Spec,
        but(all(Always), &[Scheme, Local], Beside(&QUERIES)), |asked| asked.settings.workload.is_some()),
    option("partitioning", Key::Spec, but(all(Always), &[Local], Refused("local recoding is always relaxed")),
        |asked| asked.settings.partitioning.is_some()),
    option("partitioning", Key::Spec,
        but(some(&[Rtree, Gensearch, Optimal, Scheme], Refused(EQUAL_ROWS)),
            ON_DISK_ALONE, NeedsAllRows("equal rows stay in one part")),
        |asked| asked.settings.partitioning == Some(Partitioning::Relaxed)).of("relaxed"),
    option("hierarchy-cut", Key::Spec,
        but(but(but(but(all(Unless(&CUTS_BOXES)),
            &[Rtree], Refused("boxes are cut between any two leaves of a hierarchy")),
            &[Gensearch], Beside(&STARTS)),
            &[Scheme], Refused("--scheme says how a hierarchy is used")),
            &[Local], Refused("local recoding goes through the levels of hierarchies")),
        |asked| asked.settings.hierarchy_cut.is_some()).needs(&HIERARCHIES),
    option("hierarchy-cut", Key::Spec,
        but(some(&[Mondrian, Gensearch], Unless(&CUTS_LEAVES)), &[Optimal], Refused(CUTS_LEAVES.text)),
        |asked| asked.settings.hierarchy_cut == Some(HierarchyCut::Nodes)).of("nodes"),
    option("suppress", Key::Spec,
        some(ON_DISK_ALONE, NeedsAllRows("which rows to leave out is decided over all of them")),
        |asked| asked.settings.suppress.is_some()),
    option("seed", Key::None, all(Always), |asked| asked.args.method.seed.is_some()).needs(&SHUFFLED),

    option("loss", Key::Spec, but(all(Always), GREEDY, Beside(&WEIGHS_LOSS)),
        // A workload brings its loss with it.
        |asked| asked.settings.search.loss.as_deref().is_some_and(|loss| loss != "queries" || asked.settings.workload.is_none())),
    option("effort", Key::Spec,
        but(but(all(Always), &[Optimal, Scheme], Refused(SPENDS_ALL)),
            &[Local], Refused("a search for better cuts needs cuts to start from")),
        |asked| asked.settings.search.effort.is_some()),
    option("effort", Key::Spec,
        but(some(ON_DISK_ALONE, NeedsAllRows("a search for better cuts needs all rows")), &[Rtree], Unless(&COARSER)),
        |asked| asked.settings.search.effort() != Effort::Fast).of("balanced or best"),
    option("time-limit", Key::Spec, some(&[Rtree], Unless(&LEAVES_FOR_MANY)),
        |asked| asked.settings.search.time_limit.is_some()),
    option("gap", Key::Spec,
        but(but(only(&[Gensearch, Optimal, Scheme]), &[Mondrian, Rtree], Beside(&PROVES)),
            &[Local], Refused("local recoding proves no bound")),
        |asked| asked.settings.search.gap.is_some()),
    option("trace", Key::Spec,
        but(only(&[Gensearch, Optimal, Scheme, Local]), &[Mondrian, Rtree], Beside(&PROVES)),
        |asked| asked.settings.search.trace.is_some()),
    option("splits", Key::Either, only(&[Gensearch]),
        |asked| asked.settings.search.splits.is_some() || columns(asked, |column| column.splits.is_some())),
    option("priority", Key::Spec, only(&[Gensearch]), |asked| asked.settings.search.priority.is_some()),
    option("queue", Key::Spec, only(&[Gensearch]), |asked| asked.settings.search.queue.is_some()),
    option("lookahead", Key::Spec, only(&[Gensearch]), |asked| asked.settings.search.lookahead.is_some()),
    option("start", Key::Spec, only(&[Gensearch]), |asked| asked.settings.search.start.is_some()),
    option("split-at", Key::None, only(&[Gensearch]), |asked| !asked.settings.search.split_at.is_empty()),
    option("as-published", Key::Spec, only(&[Gensearch]), |asked| asked.settings.search.as_published),

    option("scheme", Key::Either, only(&[Scheme]),
        |asked| schemes(asked, |schemes| schemes.default.is_some()) || columns(asked, |column| column.scheme.is_some()))
        .needs(&SCHEMES),
    option("levels", Key::Column, only(&[Scheme]), |asked| columns(asked, |column| column.levels.is_some())),
    option("direction", Key::Spec, only(&[Scheme]), |asked| schemes(asked, |schemes| schemes.direction.is_some())),
    option("without", Key::Spec, only(&[Scheme]), |asked| schemes(asked, |schemes| !schemes.without.is_empty())),

    option("base-k", Key::Spec, but(only(&[Rtree]), &[RothkoS], NeedsAllRows(LEAVES_BY_MEMORY)),
        |asked| asked.settings.tree.base_k.is_some()),
    option("by", Key::Spec, but(only(&[]), &[Rtree], Unless(&LEAVES)), |asked| asked.settings.tree.by.is_some()),
    option("leaf-capacity", Key::Spec,
        but(only(&[Rtree]), &[Mondrian, RothkoT, RothkoS, Gensearch, Optimal], Beside(&BOXES)),
        |asked| asked.settings.tree.leaf_capacity.is_some()),
    option("prefer", Key::Spec,
        but(only(&[Rtree]), &[Mondrian, RothkoT, RothkoS, Gensearch, Optimal], Beside(&BOXES)),
        |asked| !asked.settings.tree.prefer.is_empty()),

    common("memory", Key::Spec),
    common("temp-dir", Key::Spec),
    option("significance", Key::Spec, only(&[RothkoS, Rtree]), |asked| asked.settings.memory.significance.is_some())
        .needs(&ON_DISK),
    option("sample", Key::Spec, only(&[RothkoS, Rtree]), |asked| asked.settings.memory.sample.is_some()).needs(&ON_DISK),

    option("extent", Key::Spec, all(Always), |asked| asked.settings.extent.is_some()),
    option("extent", Key::Spec, but(some(&[Local], Refused(OVERLAP)), &[Rtree], Unless(&RUNS)),
        |asked| asked.settings.extent == Some(Extent::Region)).of("region"),
    option("statistics", Key::Spec, all(Always), |asked| !asked.settings.statistics.is_empty()).needs(&ORDERED),
    option("keep-order", Key::Spec, some(ON_DISK_ALONE, NeedsAllRows("parts are published as they are found")),
        |asked| asked.settings.keep_order),
    option("save-recoding", Key::None,
        but(but(some(&[Local], Refused(OVERLAP)), &[Rtree], Unless(&RUNS)), &[Mondrian], Unless(&RELAXED)),
        |asked| asked.args.publish.save_recoding.is_some()),
    common("certificate", Key::None),
    common("no-certificate", Key::None),
    option("delimiter", Key::None, all(Always), |asked| asked.args.format.delimiter.is_some()).needs(&TEXT),
    option("no-header", Key::None, all(Always), |asked| asked.args.format.no_header).needs(&TEXT),
    option("header", Key::None, all(Always), |asked| asked.args.format.header).needs(&TEXT),
    common("json", Key::None),
    common("threads", Key::None),
    common("quiet", Key::None),
];

#[cfg(test)]
mod tests {
    use super::super::page;
    use super::*;
    use crate::options::Cli;
    use crate::{requirements, spec};
    use clap::CommandFactory;
    use std::collections::BTreeSet;

    fn known() -> BTreeSet<&'static str> {
        OPTIONS.iter().map(|option| option.flag).chain(requirements::flags()).collect()
    }

    #[test]
    fn the_table_knows_every_flag_and_no_other() {
        let command = Cli::command();
        let anonymize = command.find_subcommand("anonymize").unwrap();
        let flags: BTreeSet<&str> = anonymize
            .get_arguments()
            .filter_map(|arg| arg.get_long())
            .filter(|flag| *flag != "help")
            .collect();
        let flags = flags.into_iter().filter(|flag| *flag != "version").collect::<BTreeSet<_>>();
        let known = known();
        let unknown: Vec<_> = flags.difference(&known).collect();
        assert!(
            unknown.is_empty(),
            "say in applicability/table.rs what these have an effect on: {unknown:?}"
        );
        let gone: Vec<_> = known.difference(&flags).collect();
        assert!(gone.is_empty(), "there are no such flags: {gone:?}");
    }

    #[test]
    fn the_table_knows_every_key_of_a_spec() {
        let said = |flag: &str, keys: &[Key]| {
            let mut entries = OPTIONS.iter().filter(|option| option.flag == flag);
            entries.any(|option| keys.contains(&option.key))
                || requirements::flags().any(|known| known == flag)
        };
        for (key, _) in spec::keys() {
            let other = ["input", "columns"].contains(&key);
            assert!(other || said(key, &[Key::Spec, Key::Either]), "{key}");
        }
        for (key, _) in spec::column_keys() {
            assert!(key == "role" || said(key, &[Key::Column, Key::Either]), "{key}");
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
        let registered: Vec<&str> =
            registry::ALGORITHMS.iter().map(|entry| entry.id).filter(|id| *id != "auto").collect();
        assert_eq!(registered, Algorithm::ALL.map(Algorithm::id));
        for (at, algorithm) in Algorithm::ALL.into_iter().enumerate() {
            assert_eq!(at, algorithm as usize);
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
