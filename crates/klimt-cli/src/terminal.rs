//! What is said on the terminal, and how.

use klimt_core::{Error, ErrorKind, Result, Words};
use std::io::{IsTerminal, Write};

/// Prints an error with its help.
pub fn report(error: &Error) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (start, end) = if colour { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
    let mut text = format!("klimt: {start}error{end}: {}\n", error.worded(Words::Flags));
    for help in error.help(Words::Flags) {
        text.push_str(&format!("  help: {help}\n"));
    }
    if error.kind() == ErrorKind::Internal {
        text.push_str("  help: this is a bug of klimt; nothing was published\n");
    }
    // There is nobody left to tell when stderr is closed.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints a note for a person, unless it is to be quiet.
pub fn note(quiet: bool, text: &str) {
    if !quiet {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Prints a result on stdout.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| Error::io("standard output", "write to it", &e))
}

pub use klimt_report::{rounded_up, thousands as count};

/// Prints rows in columns that line up; the first row is the heading. Columns of numbers are right-aligned.
pub fn table(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let columns = rows.first().map_or(0, Vec::len);
    let numeric = |column: usize| {
        let number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || ",.%-".contains(c));
        rows.len() > 1 && rows[1..].iter().all(|row| number(&row[column]))
    };
    let layout: Vec<(usize, bool)> = (0..columns).map(|column| (width(column), numeric(column))).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, &(width, right)) in row.iter().zip(&layout) {
            // Not by a width of the format, which must be below 65,536.
            let blanks = " ".repeat(width - cell.chars().count());
            match right {
                true => line.extend([blanks.as_str(), cell.as_str(), "  "]),
                false => line.extend([cell.as_str(), blanks.as_str(), "  "]),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn numbers_are_right_aligned() {
        let rows = [["name", "n"], ["a", "1"], ["bb", "20"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(table(&rows), "name   n\na      1\nbb    20\n");
        let long = "n".repeat(70_000);
        let rows = [vec![long.clone(), "n".to_string()], vec!["a".to_string(), "1".to_string()]];
        assert_eq!(table(&rows), format!("{long}  n\na{}  1\n", " ".repeat(69_999)));
    }
}
