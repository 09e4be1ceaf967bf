//! The loss that a run is asked to minimise.

use super::LOSSES;
use crate::loss::Loss;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A loss of the registry by its name, or a loss of your own.
///
/// Both convert into it, so that a function that takes `impl Into<LossChoice>` takes `"dm"`, `Discernibility` and any
/// type that implements [`Loss`].
#[derive(Clone)]
pub enum LossChoice {
    /// The loss of the registry that has this name, if there is one.
    Named(String),
    /// A loss that is not in the registry, shared by all copies of the settings.
    Own(Arc<dyn Loss>),
}

impl LossChoice {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            LossChoice::Named(name) => name,
            LossChoice::Own(loss) => loss.id(),
        }
    }

    /// The loss; `None` where the registry does not know the name.
    pub fn loss(&self) -> Option<&dyn Loss> {
        match self {
            LossChoice::Named(name) => registered(name),
            LossChoice::Own(loss) => Some(&**loss),
        }
    }

    /// The loss, where it is not in the registry.
    pub fn own(&self) -> Option<&dyn Loss> {
        match self {
            LossChoice::Named(_) => None,
            LossChoice::Own(loss) => Some(&**loss),
        }
    }
}

/// The loss of the registry with this name.
fn registered(name: &str) -> Option<&'static dyn Loss> {
    LOSSES.iter().find(|(entry, _)| entry.id == name).map(|(_, loss)| *loss)
}

impl<L: Loss> From<L> for LossChoice {
    /// A type of the registry is the same choice as its name.
    fn from(loss: L) -> Self {
        let known = registered(loss.id()).is_some_and(|known| (known as &dyn Any).is::<L>());
        if known { LossChoice::Named(loss.id().to_string()) } else { LossChoice::Own(Arc::new(loss)) }
    }
}

impl From<&str> for LossChoice {
    fn from(name: &str) -> Self {
        LossChoice::Named(name.to_string())
    }
}

impl From<String> for LossChoice {
    fn from(name: String) -> Self {
        LossChoice::Named(name)
    }
}

impl PartialEq for LossChoice {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (LossChoice::Named(one), LossChoice::Named(other)) => one == other,
            (LossChoice::Own(one), LossChoice::Own(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl fmt::Debug for LossChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
