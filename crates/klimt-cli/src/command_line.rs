//! Calls of klimt as a shell takes them.

use klimt::call::{Call, OptionValue, StatedOption};
use klimt_core::names::{quoted, shell};

/// A call as a command line, with the spec where one is named.
pub fn command_line(call: &Call, spec: Option<&str>) -> String {
    let mut line = Line { text: String::from("klimt") };
    line.word(call.action.name());
    call.inputs.iter().for_each(|input| line.word(input));
    spec.into_iter().for_each(|spec| line.flag("spec", spec));
    for StatedOption { name, value } in &call.options {
        match value {
            OptionValue::On => line.switch(name),
            OptionValue::One(value) => line.flag(name, value),
            OptionValue::List(values) => line.flag(name, &list(values)),
            OptionValue::OfColumn(column, value) => line.flag(name, &format!("{}={value}", quoted(column))),
            OptionValue::ListOfColumn(column, values) => {
                line.flag(name, &format!("{}={}", quoted(column), list(values)));
            }
        }
    }
    call.output.iter().for_each(|output| line.flag("output", output));
    line.text
}

/// The command line of this process.
pub fn this_command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| shell(&word.to_string_lossy()));
    std::iter::once(String::from("klimt")).chain(words).collect::<Vec<_>>().join(" ")
}

fn list(values: &[String]) -> String {
    values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(",")
}

/// A command line in the making, quoted for a shell; a flag a line.
struct Line {
    text: String,
}

impl Line {
    fn word(&mut self, word: &str) {
        self.text.push(' ');
        self.text.push_str(&shell(word));
    }

    fn switch(&mut self, flag: &str) {
        self.text.push_str(&format!(" \\\n    --{flag}"));
    }

    fn flag(&mut self, flag: &str, value: &str) {
        self.text.push_str(" \\\n   ");
        match value.starts_with('-') {
            true => self.word(&format!("--{flag}={value}")),
            false => {
                self.word(&format!("--{flag}"));
                self.word(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt::call::Action;

    #[test]
    fn words_are_quoted_for_a_shell() {
        let text = |text: &str| text.to_string();
        let options = [
            ("qi", OptionValue::List(vec![text("a,b c"), text("d")])),
            ("type", OptionValue::OfColumn(text("a=b"), text("date:%d %m"))),
            ("missing", OptionValue::One(text("-"))),
            ("split-at", OptionValue::ListOfColumn(text("d"), vec![text("1"), text("2,5")])),
            ("keep-order", OptionValue::On),
        ];
        let options = options.map(|(name, value)| StatedOption { name, value }).to_vec();
        let inputs = vec![text("it's"), text("")];
        let call = Call { action: Action::Anonymize, inputs, options, output: Some(text("r.csv")) };
        let expected = [
            "klimt anonymize 'it'\\''s' ''",
            "--spec 'my spec.toml'",
            "--qi '\"a,b c\",d'",
            "--type '\"a=b\"=date:%d %m'",
            "--missing=-",
            "--split-at 'd=1,\"2,5\"'",
            "--keep-order",
            "--output r.csv",
        ];
        assert_eq!(command_line(&call, Some("my spec.toml")), expected.join(" \\\n    "));
    }
}
