//! The sections of the page about a release, one file each.

pub(crate) mod columns;
pub(crate) mod end;
pub(crate) mod plane;
pub(crate) mod reached;
pub(crate) mod risk;
pub(crate) mod sizes;
pub(crate) mod summary;
