//! Requirements on the command line: one flag for each of the registry, and what they ask for.

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use klimt::settings::{NamedRequirement, Settings, flags, help, offered, subject};
use klimt_core::registry::{RequirementEntry, Subject};
use klimt_core::{Error, ErrorKind, Result, names};

/// The requirement flags as they were given.
#[derive(Clone, Debug, Default)]
pub struct RequirementArgs {
    /// Every group holds at least so many rows.
    pub k: Option<u64>,
    asked: Vec<Asked>,
    columns: Vec<(usize, String)>,
}

/// A requirement flag: which it is, its text, and where it stands on the command line.
#[derive(Clone, Debug)]
struct Asked {
    flag: &'static str,
    text: String,
    at: usize,
}

fn value_name(flag: &str) -> String {
    let forms: Vec<String> = offered(flag).map(RequirementEntry::form).collect();
    let forms = forms.join("|");
    match subject(flag) {
        Subject::Rows => forms,
        Subject::QuasiIdentifier => format!("COLUMN={forms}"),
        Subject::Sensitive => format!("[COLUMN=]{forms}"),
    }
}

impl clap::Args for RequirementArgs {
    fn augment_args(command: Command) -> Command {
        let command = flags().fold(command.next_help_heading("Requirements"), |command, flag| {
            let several = offered(flag).any(|entry| entry.kind.is_some());
            let help = if several { format!("One of {}", help(flag)) } else { sentence(&help(flag)) };
            let arg = Arg::new(flag).long(flag).value_name(value_name(flag)).help(help);
            command.arg(match subject(flag) {
                Subject::Rows => arg.short('k').value_parser(clap::value_parser!(u64)),
                _ => arg.action(ArgAction::Append),
            })
        });
        command.arg(
            Arg::new("column")
                .long("column")
                .value_name("COLUMNS")
                .action(ArgAction::Append)
                .help("The sensitive columns that the flags beside it protect; all of them by default"),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A help text as a sentence starts.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

impl FromArgMatches for RequirementArgs {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        let mut args = RequirementArgs { k: matches.get_one("k").copied(), ..RequirementArgs::default() };
        for flag in flags().filter(|flag| subject(flag) != Subject::Rows) {
            let texts = matches.get_many::<String>(flag).into_iter().flatten();
            let places = matches.indices_of(flag).into_iter().flatten();
            args.asked.extend(texts.zip(places).map(|(text, at)| Asked { flag, text: text.clone(), at }));
        }
        args.asked.sort_by_key(|asked| asked.at);
        let columns = matches.get_many::<String>("column").into_iter().flatten().cloned();
        args.columns = matches.indices_of("column").into_iter().flatten().zip(columns).collect();
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl RequirementArgs {
    /// What the flags ask for, each for its column; all problems at once.
    fn wanted(&self) -> Result<Vec<NamedRequirement>> {
        let (mut wanted, mut problems) = (Vec::new(), Vec::new());
        for asked in &self.asked {
            let own = match names::pair(&asked.text) {
                Ok(own) => own,
                Err(wrong) => {
                    problems.push(format!("--{} {}: {wrong}", asked.flag, asked.text));
                    continue;
                }
            };
            match (own, subject(asked.flag)) {
                (Some((column, text)), _) => wanted.push(NamedRequirement {
                    flag: asked.flag,
                    column: Some(column),
                    text: text.trim().to_string(),
                }),
                (None, Subject::QuasiIdentifier) => {
                    problems.push(format!("--{0} {1}: COLUMN={1} is needed", asked.flag, asked.text));
                }
                (None, _) => match self.columns_of(asked) {
                    Err(wrong) => problems.push(format!("--column: {wrong}")),
                    Ok(columns) => wanted.extend(columns.into_iter().map(|column| NamedRequirement {
                        flag: asked.flag,
                        column,
                        text: asked.text.clone(),
                    })),
                },
            }
        }
        if self.asked.iter().all(|asked| subject(asked.flag) != Subject::Sensitive)
            && !self.columns.is_empty()
        {
            problems.push("--column stands beside no flag that protects a sensitive column".to_string());
        }
        Error::all(ErrorKind::Input, problems).map_or(Ok(wanted), Err)
    }

    /// The columns of a flag: those of the only `--column`, or of the next one where the first `--column` follows a
    /// flag, or of the last one where it comes before.
    fn columns_of(&self, asked: &Asked) -> std::result::Result<Vec<Option<String>>, String> {
        let leads = |first: &(usize, String)| self.asked.first().is_some_and(|asked| first.0 < asked.at);
        let found = if self.columns.first().is_some_and(leads) {
            self.columns.iter().rev().find(|(at, _)| *at < asked.at)
        } else {
            self.columns.iter().find(|(at, _)| *at > asked.at).or(self.columns.last())
        };
        match found {
            None => Ok(vec![None]),
            Some((_, text)) => Ok(names::list(text)?.into_iter().map(Some).collect()),
        }
    }
}

impl RequirementArgs {
    /// Takes in the flags: they replace what a spec says under the same name of the same columns.
    pub fn apply(&self, settings: &mut Settings) -> Result<()> {
        settings.k = self.k.or(settings.k);
        let wanted = self.wanted()?;
        settings.requirements.retain(|old| {
            !wanted.iter().any(|new| {
                new.flag == old.flag
                    && (new.column.is_none() || new.column == old.column || old.column.is_none())
            })
        });
        settings.requirements.extend(wanted);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        requirements: RequirementArgs,
    }

    fn wanted(line: &str) -> Result<Vec<(&'static str, Option<String>, String)>> {
        let words = std::iter::once("klimt").chain(line.split_whitespace());
        let wanted = Line::try_parse_from(words).unwrap().requirements.wanted()?;
        Ok(wanted.into_iter().map(|wanted| (wanted.flag, wanted.column, wanted.text)).collect())
    }

    fn each(line: &str) -> Vec<String> {
        let shown = |(flag, column, text): (&str, Option<String>, String)| {
            format!("{flag} {} {text}", column.as_deref().unwrap_or("*"))
        };
        wanted(line).unwrap().into_iter().map(shown).collect()
    }

    #[test]
    fn a_flag_is_for_every_sensitive_column_or_for_one() {
        assert_eq!(each("-k 5 --l-diversity entropy:3"), ["l-diversity * entropy:3"]);
        assert_eq!(each("--l-diversity disease=entropy:3"), ["l-diversity disease entropy:3"]);
        assert_eq!(each("--min-width age=5"), ["min-width age 5"]);
        assert!(wanted("--min-width 5").is_err());
    }

    #[test]
    fn column_stands_for_the_flags_beside_it() {
        let both = ["l-diversity disease entropy:3", "t-closeness disease 0.2:ordered"];
        assert_eq!(each("--l-diversity entropy:3 --t-closeness 0.2:ordered --column disease"), both);
        assert_eq!(each("--column disease --l-diversity entropy:3 --t-closeness 0.2:ordered"), both);
        let two = ["l-diversity disease 3", "alpha income 0.5"];
        assert_eq!(each("--l-diversity 3 --column disease --alpha 0.5 --column income"), two);
        assert_eq!(each("--column disease --l-diversity 3 --column income --alpha 0.5"), two);
        assert_eq!(each("--alpha 0.5 --column a,b"), ["alpha a 0.5", "alpha b 0.5"]);
        assert!(wanted("--column disease -k 3").is_err());
    }
}
