//! What may be asked of an R+-tree, as flags.

use crate::choice::choice;
use crate::columns::list_of;
use clap::Args;
use klimt::settings::Settings;
use klimt_core::Result;
use klimt_core::algorithm::rtree::LeafGrouping;

/// What may be asked of an R+-tree. A spec says the same under the same names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "R+-tree")]
pub struct TreeArgs {
    /// rtree: build leaves of at least so many rows, and make groups of K rows of whole leaves; K by default. Releases for
    /// several K with the same B, from the same table, keep every row among those of its leaf. The table must fit in
    /// --memory
    #[arg(long, value_name = "B")]
    pub base_k: Option<u64>,
    /// rtree: which leaves become a group; leaf-scan by default
    #[arg(long, value_parser = choice::<LeafGrouping>(), value_name = "HOW")]
    pub by: Option<LeafGrouping>,
    /// rtree and --split box: split a leaf when it has so many times the rows that a group needs; 2 by default
    #[arg(long, value_name = "C")]
    pub leaf_capacity: Option<u64>,
    /// rtree and --split box: columns that queries ask for, which are cut as long as they can be, before any other
    #[arg(long, value_name = "COLUMNS")]
    pub prefer: Vec<String>,
}

impl TreeArgs {
    /// Takes in the flags: what they say replaces what a spec says.
    pub fn apply(&self, settings: &mut Settings) -> Result<()> {
        let tree = &mut settings.tree;
        tree.base_k = self.base_k.or(tree.base_k);
        tree.by = self.by.or(tree.by);
        tree.leaf_capacity = self.leaf_capacity.or(tree.leaf_capacity);
        let prefer = list_of("--prefer", &self.prefer)?;
        if !prefer.is_empty() {
            tree.prefer = prefer;
        }
        Ok(())
    }
}
