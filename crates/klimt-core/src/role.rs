//! The role of a column in the release.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The role of a column in the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Names a person directly: never published.
    Identifier,
    /// A key of the people that are protected, which may repeat: never published.
    Person,
    /// May be linked with outside knowledge: published generalised.
    QuasiIdentifier,
    /// A fact that must not be learnt about a person: published as it is, within a group.
    Sensitive,
    /// Neither: published as it is.
    Insensitive,
    /// A class label or numeric target that splits may look at: published as it is.
    Target,
}

impl Role {
    /// Every role, in the order in which they are explained.
    pub const ALL: [Role; 6] = [
        Role::Identifier,
        Role::Person,
        Role::QuasiIdentifier,
        Role::Sensitive,
        Role::Insensitive,
        Role::Target,
    ];

    /// The role's name in flags, specs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::Person => "person",
            Role::QuasiIdentifier => "quasi-identifier",
            Role::Sensitive => "sensitive",
            Role::Insensitive => "insensitive",
            Role::Target => "target",
        }
    }

    /// Whether the column appears in the release.
    pub fn is_published(self) -> bool {
        !matches!(self, Role::Identifier | Role::Person)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Role::ALL.into_iter().find(|role| role.name() == text).ok_or(())
    }
}
