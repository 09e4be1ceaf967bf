//! `klimt init`: a starter spec for a table.

use super::inspect::{Inspected, inspect};
use crate::options::InitArgs;
use crate::terminal::note;
use klimt::files::write_whole;
use klimt::spec::{column_keys, keys};
use klimt_core::risk::Question;
use klimt_core::{Error, Result};
use std::path::Path;

/// Runs the command.
pub fn run(args: &InitArgs) -> Result<()> {
    if args.output != "-" && Path::new(&args.output).exists() {
        return Err(Error::input(format!("{}: the file exists already", args.output))
            .with_help("choose another name with -o, or remove it first"));
    }
    let inspected = inspect(&args.input, &args.columns, &args.format, &args.general, &Question::default())?;
    let text = spec(&inspected, &relative(&args.input, &args.output));
    if args.output == "-" {
        return crate::terminal::print(&text);
    }
    write_whole(&args.output, text.as_bytes())?;
    inspected.warnings.iter().for_each(|warning| note(args.general.quiet, &format!("warning: {warning}")));
    note(
        args.general.quiet,
        &format!("wrote {0}; look at the roles, then run: klimt anonymize --spec {0}", args.output),
    );
    Ok(())
}

/// The input as seen from the folder of the spec.
fn relative(input: &str, output: &str) -> String {
    let in_folder = Path::new(output).parent().is_some_and(|folder| folder != Path::new(""));
    if in_folder && input != "-" {
        std::fs::canonicalize(input)
            .map_or_else(|_| input.to_string(), |path| path.to_string_lossy().into_owned())
    } else {
        input.to_string()
    }
}

fn spec(inspected: &Inspected, input: &str) -> String {
    let keys = keys();
    let help = |key: &str| keys.iter().find(|(name, _)| *name == key).map_or("", |(_, help)| help);
    let mut text = format!(
        "# A spec for klimt: what the columns are and what is asked of the release.\n\
         # Roles were suggested from names and values: look at each of them.\n\n\
         # {}\ninput = {}\n# {}\noutput = \"release.csv\"\n# {}\nk = 5\n# {}\nother = \"drop\"\n",
        help("input"),
        quoted(input),
        help("output"),
        help("k"),
        help("other"),
    );
    for (key, help) in &keys {
        if !["input", "output", "k", "other", "columns"].contains(key) {
            text.push_str(&format!("# {key}: {help}\n"));
        }
    }
    text.push_str("\n# A column can have:\n");
    for (key, help) in column_keys() {
        text.push_str(&format!("#   {key}: {help}\n"));
    }
    for column in &inspected.columns {
        text.push_str(&format!(
            "\n[columns.{}] # {}, {} different values\nrole = \"{}\"\n",
            quoted(&column.name),
            column.r#type,
            column.distinct,
            column.role
        ));
    }
    text
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}
