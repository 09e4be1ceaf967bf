//! Settings with a fixed list of values, each with its name and a line of help.

/// A setting with a fixed list of values. Flags, specs, bindings and the docs are made from this list.
pub trait Choice: Copy + PartialEq + Sized + 'static {
    /// Every value with its name and what it means, in a line.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The name of the value.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| name)
    }

    /// The value of this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }

    /// All names, separated by commas.
    fn names() -> String {
        Self::ALL.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}
