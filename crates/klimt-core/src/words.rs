//! How a front end writes an option: a flag, a keyword argument, a method.
//!
//! Messages of the libraries mention options by [`option()`], [`option_is`] and [`column_option`], which mark them. A
//! front end writes them in its own words with [`Words::render`]; nothing else knows of flags.

use crate::names;

/// How a front end writes an option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Words {
    /// As the libraries speak of it: `memory = 256MB`.
    #[default]
    Plain,
    /// As a flag of the command: `--memory 256MB`.
    Flags,
    /// As a keyword argument of Python: `memory="256MB"`.
    Keywords,
    /// Not at all: options stay marked, for a text that becomes part of another message.
    Marked,
}

const BEGIN: char = '\u{f0000}';
const FIELD: char = '\u{f0001}';
const END: char = '\u{f0002}';

/// Marks the mention of an option in a constant text: by its name, or with a value.
#[macro_export]
macro_rules! option_text {
    ($name:literal) => {
        concat!("\u{f0000}", $name, "\u{f0002}")
    };
    ($name:literal, $value:literal) => {
        concat!("\u{f0000}", $name, "\u{f0001}", $value, "\u{f0002}")
    };
}

/// Marks the mention of an option in a message.
pub fn option(name: &str) -> String {
    format!("{BEGIN}{name}{END}")
}

/// Marks the mention of an option with a value.
pub fn option_is(name: &str, value: impl AsRef<str>) -> String {
    format!("{BEGIN}{name}{FIELD}{}{END}", value.as_ref())
}

/// Marks the mention of an option of a column, with a value where it has one.
pub fn column_option(name: &str, column: &str, value: Option<&str>) -> String {
    let value = value.map_or(String::new(), |value| format!("{FIELD}{value}"));
    format!("{BEGIN}{name}{FIELD}{FIELD}{column}{value}{END}")
}

/// A number with its thousands apart.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Words {
    /// A message with its options in the words of the front end.
    pub fn render(self, text: &str) -> String {
        if self == Words::Marked {
            return text.to_string();
        }
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, mention)) = rest.split_once(BEGIN) {
            written.push_str(before);
            let (inside, after) = mention.split_once(END).unwrap_or((mention, ""));
            written.push_str(&self.mention(inside));
            rest = after;
        }
        written + rest
    }

    fn mention(self, inside: &str) -> String {
        let fields: Vec<&str> = inside.split(FIELD).collect();
        match fields[..] {
            [name, "", column] => self.of_column(name, column, None),
            [name, "", column, value] => self.of_column(name, column, Some(value)),
            [name, value, ..] => self.with_value(name, value),
            [name] => self.name(name),
            [] => String::new(),
        }
    }

    fn name(self, name: &str) -> String {
        match self {
            Words::Plain | Words::Marked => name.to_string(),
            Words::Flags if name == "k" => "-k".to_string(),
            Words::Flags => format!("--{name}"),
            Words::Keywords => keyword(name),
        }
    }

    fn with_value(self, name: &str, value: &str) -> String {
        match self {
            Words::Plain | Words::Marked => format!("{name} = {value}"),
            // A value that begins with a dash would be taken for a flag.
            Words::Flags if value.starts_with('-') => format!("--{name}={}", names::shell(value)),
            // Words for a reader are no value of a command line.
            Words::Flags if value.contains(' ') => format!("{} {value}", self.name(name)),
            Words::Flags => format!("{} {}", self.name(name), names::shell(value)),
            Words::Keywords => format!("{}={}", keyword(name), python(value)),
        }
    }

    fn of_column(self, name: &str, column: &str, value: Option<&str>) -> String {
        match (self, value) {
            (Words::Flags, value) => names::flag(name, column, value),
            (Words::Plain | Words::Marked, None) => format!("{name} {column}"),
            (Words::Plain | Words::Marked, Some(value)) => format!("{name} of {column} = {value}"),
            (Words::Keywords, None) => format!("{}=[{}]", keyword(name), python_text(column)),
            (Words::Keywords, Some(value)) => {
                format!("{}={{{}: {}}}", keyword(name), python_text(column), python(value))
            }
        }
    }
}

/// The keyword argument of an option.
fn keyword(name: &str) -> String {
    match name {
        "qi" => "quasi_identifiers".to_string(),
        "identifier" => "identifiers".to_string(),
        "hierarchy" => "hierarchies".to_string(),
        other => other.replace('-', "_"),
    }
}

/// A value as Python writes it: a number as it is, a text in quotes.
fn python(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if number.is_finite() => value.to_string(),
        _ => python_text(value),
    }
}

fn python_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A number of bytes as people write it.
pub fn amount(bytes: usize) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=9_999_999 => format!("{}KB", bytes / 1000),
        10_000_000..=9_999_999_999 => format!("{}MB", bytes / 1_000_000),
        _ => format!("{}GB", bytes / 1_000_000_000),
    }
}

/// A number of bytes, rounded up, as the option `memory` takes it.
pub fn amount_up(bytes: usize) -> String {
    format!("{}MB", bytes.div_ceil(1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_written_as_the_front_end_does() {
        let text = format!(
            "{} would do; or {}, or {}",
            option_is("memory", "256MB"),
            column_option("hierarchy", "zip code", Some("FILE")),
            option("base-k")
        );
        assert_eq!(
            Words::Flags.render(&text),
            "--memory 256MB would do; or --hierarchy 'zip code=FILE', or --base-k"
        );
        assert_eq!(
            Words::Keywords.render(&text),
            "memory=\"256MB\" would do; or hierarchies={\"zip code\": \"FILE\"}, or base_k"
        );
        assert_eq!(
            Words::Plain.render(&text),
            "memory = 256MB would do; or hierarchy of zip code = FILE, or base-k"
        );
        assert_eq!(Words::Flags.render("no option"), "no option");
        assert_eq!(Words::Flags.render(&column_option("identifier", "name", None)), "--identifier name");
        assert_eq!(Words::Keywords.render(&option_is("k", "5")), "k=5");
    }
}
