//! What options need of each other, and of a table.

use super::{Need, Seen, TableNeed};
use crate::settings::{ColumnSettings, Settings, Start};
use klimt_core::Choice;
use klimt_core::algorithm::mondrian::Model;
use klimt_core::algorithm::optimal::Effort;
use klimt_core::algorithm::scheme::Scheme;
use klimt_core::names::quoted;
use klimt_core::option_text;
use klimt_core::registry::AlgorithmKind;
use klimt_core::table::{Role, Shape};

/// A search that goes on until something is proven.
pub static PROVES: Need =
    Need { text: option_text!("effort", "best"), holds: |asked| asked.search.effort() == Effort::Best };

/// Something that a loss decides: better cuts, which rows are left out, or what is known of the loss without a search.
pub static WEIGHS_LOSS: Need = Need {
    text: concat!(
        option_text!("effort", "balanced or best"),
        ", ",
        option_text!("suppress"),
        ", or the losses dm and c_avg"
    ),
    holds: |asked| {
        let search = &asked.search;
        search.effort() != Effort::Fast
            || asked.suppress.is_some()
            || ["dm", "c_avg"].contains(&search.loss())
    },
};

/// The loss of a workload, for algorithms that do not cut where predicates end.
pub static QUERIES: Need =
    Need { text: option_text!("loss", "queries"), holds: |asked| asked.search.loss() == "queries" };

/// Cuts by the boxes of their sides.
pub static BOXES: Need = Need { text: option_text!("split", "box"), holds: |asked| asked.splits_by_boxes() };

/// A search that starts from a partition of Mondrian.
pub static STARTS: Need = Need { text: option_text!("start", "mondrian or optimal"), holds: starts };

/// A start that a workload steers, or a loss that it brings.
pub static STARTS_OR_QUERIES: Need = Need {
    text: concat!(option_text!("start", "mondrian or optimal"), " or ", option_text!("loss", "queries")),
    holds: |asked| starts(asked) || asked.search.loss() == "queries",
};

/// Whether GenSearch starts from cuts; as published it starts from one group.
fn starts(asked: &Settings) -> bool {
    asked.search.start.map_or(!asked.search.as_published, |start| start != Start::Whole)
}

/// Boxes do not look at the nodes of a hierarchy.
pub static CUTS_BOXES: Need = Need {
    text: "boxes are cut between any two leaves of a hierarchy",
    holds: |asked| asked.splits_by_boxes(),
};

/// A search for better cuts does not keep to nodes.
pub static CUTS_LEAVES: Need = Need {
    text: "a search for better cuts goes between any two leaves; gensearch keeps to nodes",
    holds: |asked| asked.search.effort() != Effort::Fast,
};

/// Groups that are runs of leaves.
pub static RUNS: Need = Need {
    text: concat!(
        "boxes over runs of leaves may overlap; ",
        option_text!("by", "level"),
        " keeps them apart"
    ),
    holds: |asked| asked.runs_of_leaves(),
};

/// Leaves that releases for several k share.
pub static LEAVES_FOR_MANY: Need = Need {
    text: concat!(
        "leaves would depend on the clock, so that releases for several k would not fit together; leave ",
        option_text!("base-k"),
        " out"
    ),
    holds: |asked| asked.tree.base_k.is_some() && asked.search.effort() == Effort::Fast,
};

/// Groups that are leaves.
pub static LEAVES: Need = Need {
    text: concat!("every leaf is a group unless ", option_text!("base-k"), " is less than k"),
    holds: |asked| !asked.is_coarser(),
};

/// Groups that are several leaves.
pub static COARSER: Need = Need {
    text: concat!("a search for better cuts would break leaves up; leave ", option_text!("base-k"), " out"),
    holds: |asked| asked.is_coarser(),
};

/// Regions that may overlap.
pub static RELAXED: Need = Need {
    text: "regions of relaxed partitioning may overlap, so that no function maps a tuple to one of them",
    holds: |asked| asked.partitioning == Some(Model::Relaxed),
};

/// A hierarchy.
pub static HIERARCHIES: TableNeed = TableNeed {
    text: "a quasi-identifier with a hierarchy",
    lacks: |_, seen| {
        let mut domains = (0..seen.table.dimensions()).map(|dimension| seen.table.domain(dimension));
        let none = !domains.any(|domain| domain.hierarchy().is_some());
        none.then(|| "no quasi-identifier has a hierarchy".to_string())
    },
};

/// An ordered column.
pub static ORDERED: TableNeed = TableNeed {
    text: "an ordered quasi-identifier",
    lacks: |_, seen| {
        let mut domains = (0..seen.table.dimensions()).map(|dimension| seen.table.domain(dimension));
        let none = !domains.any(|domain| matches!(domain.shape(), Shape::Ordered) && domain.is_measured());
        none.then(|| "no quasi-identifier holds numbers, dates or timestamps".to_string())
    },
};

/// A table on disk.
pub static ON_DISK: TableNeed = TableNeed {
    text: "rothko-s, or a table larger than memory",
    lacks: |asked, seen| {
        let sampled = asked.algorithm() == AlgorithmKind::RothkoS || !seen.in_memory;
        (!sampled).then(|| "the table fits in memory, so that no sample is taken".to_string())
    },
};

/// Text.
pub static TEXT: TableNeed = TableNeed {
    text: "an input of text",
    lacks: |_, seen| (!seen.is_text).then(|| "the input is not text".to_string()),
};

/// Rows that are shuffled.
pub static SHUFFLED: TableNeed = TableNeed {
    text: concat!("rows that are shuffled, not ", option_text!("keep-order")),
    lacks: |asked, _| {
        asked.keep_order.then(|| "rows keep their order, and groups do not depend on it".to_string())
    },
};

/// Unordered columns, for the schemes of unordered values.
pub static SCHEMES: TableNeed = TableNeed {
    text: "for sps and gsps, a column without an order",
    lacks: |asked, seen| {
        let settings = asked;
        let mut taken = Vec::new();
        for dimension in 0..seen.table.dimensions() {
            let name = &seen.table.dimension(dimension).name;
            let own = settings.columns.get(name).and_then(|column| column.scheme);
            let Some(scheme) = own.or(settings.schemes.default) else { continue };
            let ordered = matches!(seen.table.domain(dimension).shape(), Shape::Ordered);
            if ordered && matches!(scheme, Scheme::Sps | Scheme::Gsps) {
                taken.push(format!("{} takes {}", quoted(name), scheme.for_ordered().name()));
            }
        }
        let taken = taken.join(", ");
        (!taken.is_empty()).then(|| format!("sps and gsps are for values without an order; column {taken}"))
    },
};

macro_rules! of_columns {
    ($name:ident, $text:literal, $roles:expr, $given:expr) => {
        #[doc = concat!("Columns of a role that it means something to: ", $text, ".")]
        pub static $name: TableNeed =
            TableNeed { text: $text, lacks: |asked, seen| idle_columns(asked, seen, $roles, $given) };
    };
}

of_columns!(WEIGHTED, "quasi-identifiers", &[Role::QuasiIdentifier], |column| column.weight.is_some());
of_columns!(SPLIT_AT, "quasi-identifiers", &[Role::QuasiIdentifier], |column| column.splits.is_some());
of_columns!(PUBLISHED, "columns that are published", COUNTED_OR_CARRIED, |column| column.accepted);
of_columns!(DECLARED, "quasi-identifiers", &[Role::QuasiIdentifier], |column| column.domain.is_some());
of_columns!(IN_ORDER, "columns that are not only carried along", COUNTED, |column| column.order.is_some());
of_columns!(IN_TREE, "columns that are not only carried along", COUNTED, |column| column.hierarchy.is_some());
of_columns!(TYPED, "columns that are not only carried along", COUNTED, |column| column.type_spec.is_some());

const COUNTED: &[Role] = &[Role::QuasiIdentifier, Role::Sensitive, Role::Target];
const COUNTED_OR_CARRIED: &[Role] =
    &[Role::QuasiIdentifier, Role::Sensitive, Role::Target, Role::Insensitive];

/// The columns for which an option is given and whose role makes nothing of it.
fn idle_columns(
    asked: &Settings,
    seen: &Seen<'_>,
    roles: &[Role],
    given: fn(&ColumnSettings) -> bool,
) -> Option<String> {
    let role = |name: &str| seen.table.columns().iter().find(|column| column.name == name).map(|c| c.role);
    let idle = |(name, column): &(&String, &ColumnSettings)| {
        given(column) && !role(name).is_some_and(|role| roles.contains(&role))
    };
    let names: Vec<String> = asked.columns.iter().filter(idle).map(|(name, _)| quoted(name)).collect();
    (!names.is_empty()).then(|| format!("nothing is made of it in column {}", names.join(", ")))
}
