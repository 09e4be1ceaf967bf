//! The front door of klimt.
