//! A use of klimt that can be written down: what is done, with which files and options.
//!
//! A [`Call`] holds options as values. A front end writes it in its own words by one function: a command line, a call in
//! Python. Its text (`to_string`) is the plain form, an option a line:
//!
//! ```
//! use klimt::call::{Action, Call};
//! use klimt::prelude::*;
//!
//! let asked = Anonymizer::new().quasi_identifiers(["age", "zip"]).require(KAnonymity::new(5)?);
//! let call = Call::new(Action::Verify, ["release.csv"], asked.settings());
//! assert_eq!(call.to_string(), "verify release.csv\n    qi = age, zip\n    k = 5");
//! # Ok::<(), klimt::Error>(())
//! ```

mod stated;

pub use stated::stated;

use crate::settings::Settings;
use std::fmt;

/// A use of klimt: what is done, with which files and options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The action.
    pub action: Action,
    /// The files that are read, in their order.
    pub inputs: Vec<String>,
    /// The options, in the order in which they are written.
    pub options: Vec<StatedOption>,
    /// The file that is written, where one is.
    pub output: Option<String>,
}

/// An action of klimt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Makes a release.
    Anonymize,
    /// Checks a release.
    Verify,
}

/// An option with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedOption {
    /// Its name, as in a spec.
    pub name: &'static str,
    /// Its value.
    pub value: OptionValue,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// It is switched on.
    On,
    /// A single value. An option that takes several is stated several times.
    One(String),
    /// A list: names of columns, or of choices.
    List(Vec<String>),
    /// The value for a column.
    OfColumn(String, String),
    /// The list for a column.
    ListOfColumn(String, Vec<String>),
}

impl Action {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Action::Anonymize => "anonymize",
            Action::Verify => "verify",
        }
    }
}

impl Call {
    /// A call with files and the options that settings state.
    pub fn new<S: Into<String>>(
        action: Action,
        inputs: impl IntoIterator<Item = S>,
        settings: &Settings,
    ) -> Self {
        let inputs = inputs.into_iter().map(Into::into).collect();
        Call { action, inputs, options: stated(settings), output: None }
    }

    /// Adds an option that is switched on.
    pub fn switched(mut self, name: &'static str, on: bool) -> Self {
        self.options.extend(on.then_some(StatedOption { name, value: OptionValue::On }));
        self
    }

    /// Names the file that is written.
    pub fn output(mut self, path: impl Into<String>) -> Self {
        self.output = Some(path.into());
        self
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.action.name(), self.inputs.join(" "))?;
        for StatedOption { name, value } in &self.options {
            match value {
                OptionValue::On => write!(f, "\n    {name}")?,
                OptionValue::One(value) => write!(f, "\n    {name} = {value}")?,
                OptionValue::List(values) => write!(f, "\n    {name} = {}", values.join(", "))?,
                OptionValue::OfColumn(column, value) => write!(f, "\n    {name} of {column} = {value}")?,
                OptionValue::ListOfColumn(column, values) => {
                    write!(f, "\n    {name} of {column} = {}", values.join(", "))?;
                }
            }
        }
        self.output.as_ref().map_or(Ok(()), |output| write!(f, "\n    output = {output}"))
    }
}
