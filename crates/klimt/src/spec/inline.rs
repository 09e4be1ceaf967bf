//! Hierarchies that stand in the spec itself, as lists of lines.

use crate::settings::HierarchySource;
use klimt_core::Result;
use klimt_core::hierarchy::{Hierarchy, HierarchyBuilder};
use std::sync::Arc;
use toml::Value;

/// The hierarchy of a list of lines: each a value, then its ever coarser ancestors.
pub fn hierarchy(lines: &[Vec<String>]) -> Result<HierarchySource> {
    let mut builder = HierarchyBuilder::new("the hierarchy");
    for (number, line) in (1..).zip(lines) {
        builder.push(number, line.iter().map(String::as_str));
    }
    Ok(HierarchySource::Tree(Arc::new(builder.finish()?), None))
}

/// The lines of a hierarchy, leaf by leaf.
pub fn lines(tree: &Hierarchy) -> Value {
    let label = |node| Value::String(tree.label(node).to_string());
    let line = |code| Value::Array(tree.path(tree.leaf_node(code)).map(label).collect());
    Value::Array((0..tree.leaf_count()).map(line).collect())
}
