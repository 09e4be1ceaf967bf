//! The questions of `klimt init --interactive`: one for each column whose role is not given. No value is shown.

use crate::terminal::count;
use klimt::inspect::{ColumnProfile, Inspection};
use klimt::settings::Settings;
use klimt_core::table::Role;
use klimt_core::{Error, Result};
use std::io::{BufRead, Write};

/// Asks about the columns with a suggested role, and notes the answers in the inspection and the settings.
pub fn ask(
    inspection: &mut Inspection,
    settings: &mut Settings,
    answers: &mut dyn BufRead,
    screen: &mut dyn Write,
) -> Result<()> {
    let mut talk = Dialogue { answers, screen };
    let (number, columns) = (inspection.columns.len(), &mut inspection.columns);
    for (at, column) in columns.iter_mut().enumerate().filter(|(_, column)| column.suggested) {
        talk.say(&format!("\n{} of {number}  {}\n", at + 1, describe(column)))?;
        let (role, accepted) = talk.role(column)?;
        if role != column.role {
            column.choose(role);
        }
        let given = settings.columns.entry(column.name.clone()).or_default();
        (given.role, given.accepted) = (Some(role), given.accepted || accepted);
    }
    Ok(())
}

struct Dialogue<'a> {
    answers: &'a mut dyn BufRead,
    screen: &'a mut dyn Write,
}

impl Dialogue<'_> {
    fn say(&mut self, text: &str) -> Result<()> {
        let written = self.screen.write_all(text.as_bytes()).and_then(|()| self.screen.flush());
        written.map_err(|e| Error::io("the terminal", "write to it", &e))
    }

    /// Asks a question. The answer is in small letters.
    fn answer(&mut self, question: &str) -> Result<String> {
        self.say(question)?;
        let mut line = String::new();
        let read = self.answers.read_line(&mut line).map_err(|e| Error::io("the terminal", "read it", &e))?;
        match read {
            0 => Err(Error::input("the answers ended before all columns had a role; nothing was written")),
            _ => Ok(line.trim().to_lowercase()),
        }
    }

    /// The role of a column, and whether it is accepted although it looks like an identifier.
    fn role(&mut self, column: &ColumnProfile) -> Result<(Role, bool)> {
        loop {
            let answer = self.answer(&format!("  role [{}]: ", column.role))?;
            let Some(role) = role_of(&answer, column.role) else {
                let names: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
                self.say(&format!("  the roles are {}; the first letters suffice\n", names.join(", ")))?;
                continue;
            };
            let Some(reason) = column.refused_as(role) else { return Ok((role, false)) };
            let question = format!("  {reason}.\n  Publish it as {role} all the same? [no]: ");
            if ["y", "yes"].contains(&self.answer(&question)?.as_str()) {
                return Ok((role, true));
            }
        }
    }
}

/// The role of an answer: the suggestion where it is empty, else the one role that begins like it.
fn role_of(answer: &str, suggested: Role) -> Option<Role> {
    if answer.is_empty() {
        return Some(suggested);
    }
    let mut roles = Role::ALL.into_iter().filter(|role| role.name().starts_with(answer));
    let first = roles.next()?;
    let exact = first.name() == answer;
    (exact || roles.next().is_none()).then_some(first)
}

fn describe(column: &ColumnProfile) -> String {
    let forms = match column.masks() {
        [] => String::new(),
        masks => format!(", of the form {}", masks.join(" or ")),
    };
    let reason = column.reason.as_deref().unwrap_or("it was chosen");
    format!(
        "{}: {}, {} different values{forms}\n  {}, as {reason}",
        column.name,
        column.r#type,
        count(column.distinct as u64),
        column.role
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt::{Anonymizer, Input, inspect};

    const NAMES: [&str; 4] = ["Ada", "Bob", "Cem", "Dia"];

    fn asked(answers: &str) -> Result<(Settings, String)> {
        let row = |at: usize| format!("{}{at},{},{}\n", NAMES[at % 4], 20 + at % 9, ["Gout", "Flu"][at % 2]);
        let table = "name,age,disease\n".to_string() + &(0..40).map(row).collect::<String>();
        let input = Input::reader(klimt::Format::Csv, std::io::Cursor::new(table));
        let mut inspection = inspect(input, &Anonymizer::new())?;
        let (mut settings, mut screen) = (Settings::default(), Vec::new());
        ask(&mut inspection, &mut settings, &mut answers.as_bytes(), &mut screen)?;
        Ok((settings, String::from_utf8(screen).unwrap()))
    }

    #[test]
    fn suggestions_are_taken_and_changed() {
        let (settings, screen) = asked("\nsens\n\n").unwrap();
        let role = |name: &str| settings.columns[name].role.unwrap();
        assert_eq!(
            [role("name"), role("age"), role("disease")],
            [Role::Identifier, Role::Sensitive, Role::Sensitive]
        );
        assert!(screen.contains("xxx9") && screen.contains("99") && screen.contains("3 of 3"), "{screen}");
        for value in NAMES.into_iter().chain(["Gout", "Flu", "20", "25"]) {
            assert!(!screen.contains(value), "{value}: {screen}");
        }
    }

    #[test]
    fn what_looks_like_an_identifier_is_asked_about_again() {
        let (settings, screen) = asked("insensitive\nno\nidentifier\n\n\n").unwrap();
        assert_eq!(settings.columns["name"].role, Some(Role::Identifier));
        assert!(screen.contains("all the same?") && settings.accepted().is_empty());
        let (settings, _) = asked("insensitive\ny\n\n\n").unwrap();
        assert_eq!(settings.columns["name"].role, Some(Role::Insensitive));
        assert_eq!(settings.accepted(), ["name"]);
    }

    #[test]
    fn unknown_and_missing_answers_are_not_guessed() {
        let (settings, screen) = asked("\ni\nwhat\nquasi\n\n").unwrap();
        assert_eq!(settings.columns["age"].role, Some(Role::QuasiIdentifier));
        assert_eq!(screen.matches("the roles are").count(), 2);
        assert!(asked("\n").is_err());
    }
}
