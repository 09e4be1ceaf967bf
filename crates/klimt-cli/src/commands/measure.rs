//! `klimt measure`: what a release costs its users.

pub mod args;
mod learning;

use super::threads;
use crate::columns::gather;
use crate::options::MeasureArgs;
use crate::progress::Progress;
use crate::terminal::{print, table};
use klimt::Input;
use klimt::measure::{Measurement, Measuring};
use klimt_core::{Error, Result, registry};

/// Runs the command.
pub fn run(args: &MeasureArgs) -> Result<()> {
    let mut settings = gather(args.spec.as_deref(), &args.columns, &args.format)?;
    args.requirements.apply(&mut settings)?;
    let mut measuring = Measuring::of(settings).stars_are_suppressed(args.stars_are_suppressed);
    if let Some(test) = &args.learning.test {
        measuring = measuring.test(Input::file(test)?);
    }
    threads(&args.general);
    let progress = Progress::new(args.general.quiet || args.json)?;
    let (original, release) = match &args.release {
        Some(release) => (Some(Input::file(&args.original)?), release),
        None => (None, &args.original),
    };
    let measured = measuring.run(original, Input::file(release)?, &progress.watched())?;
    if args.json {
        let text = serde_json::to_string_pretty(&measured).map_err(|e| Error::internal(e.to_string()))?;
        return print(&format!("{text}\n"));
    }
    show(&measured)
}

fn show(measured: &Measurement) -> Result<()> {
    let mut rows = vec![vec!["loss".to_string(), "value".to_string(), "meaning".to_string()]];
    for (entry, _) in registry::LOSSES {
        if let Some(loss) = measured.losses.get(entry.id) {
            rows.push(vec![entry.id.to_string(), shown(*loss), entry.help.to_string()]);
        }
    }
    print(&table(&rows))?;
    print(&learning::describe(&measured.learning))
}

fn shown(loss: f64) -> String {
    if loss.fract() == 0.0 { format!("{loss:.0}") } else { format!("{loss:.6}") }
}
