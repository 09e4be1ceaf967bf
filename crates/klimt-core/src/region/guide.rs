//! Hierarchies that only guided how the values of a column were grouped.

use super::form::{looks_published, single};
use super::set_members;
use crate::hierarchy::Hierarchy;

/// Whether a column that has a hierarchy is published without its nodes: some of its texts are no labels of it, and these
/// are intervals or sets, as schemes publish them.
pub fn is_guide<'t>(hierarchy: &Hierarchy, published: impl Iterator<Item = &'t str>) -> bool {
    let grouped = |text: &str| looks_like_interval(text) || (text.len() > 2 && set_members(text).is_some());
    let is_label = |text: &str| hierarchy.node(text).is_some();
    let is_node = |text: &str| is_label(text) || single(text).is_some_and(is_label);
    let mut others = published.filter(|text| !text.is_empty() && *text != "*" && !is_node(text)).peekable();
    others.peek().is_some() && others.all(grouped)
}

/// Whether a text is written like an interval.
pub fn looks_like_interval(text: &str) -> bool {
    text.starts_with(['[', '(']) && looks_published(text)
}
