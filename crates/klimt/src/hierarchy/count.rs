//! How many generalizations of a column a hierarchy allows.

use super::Hierarchy;
use klimt_core::Result;
use klimt_core::algorithm::scheme::{ColumnFamily, Scheme, drawn};
use serde::ser::{Serialize, Serializer};

/// How many generalizations each scheme allows, as decimal numbers of any length. Serialized as a map from the names of the
/// schemes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneralizationCounts(pub Vec<(&'static str, String)>);

impl Serialize for GeneralizationCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, count)| (name, count)))
    }
}

impl Hierarchy {
    /// Counts the generalizations of a column with this hierarchy: for a scheme, or for each.
    ///
    /// For bhs and ghs the levels and nodes are counted as they are drawn, so that a node over a single value counts
    /// beside the value.
    pub fn generalizations(&self, only: Option<Scheme>) -> Result<GeneralizationCounts> {
        let wanted = |scheme: Scheme| only.is_none_or(|only| only == scheme);
        let count = |&(scheme, name, _): &(Scheme, &'static str, _)| {
            let count = match drawn(scheme, &self.tree) {
                Some(count) => count.to_string(),
                None => ColumnFamily::of_hierarchy(scheme, &self.tree, (0, u32::MAX))?.count_text(),
            };
            Ok((name, count))
        };
        let counts = <Scheme as klimt_core::Choice>::ALL.iter().filter(|(scheme, ..)| wanted(*scheme));
        counts.map(count).collect::<Result<_>>().map(GeneralizationCounts)
    }
}
