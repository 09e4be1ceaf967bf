//! Flags whose values are the choices of the library.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use klimt::Choice;

/// Takes the names of a choice.
pub fn choice<T: Choice + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let values = T::ALL.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values)
        .map(|name| T::named(&name).unwrap_or_else(|| unreachable!("only the names of the list are taken")))
}
