//! Checks a release from its published bytes alone.
