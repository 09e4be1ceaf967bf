//! Hierarchies (taxonomy trees) over the values of a column.
