//! What may be said about memory, as flags.

use crate::search::set;
use clap::Args;
use klimt::settings::{MemorySettings, MemorySize, sample, significance};
use klimt_core::{Error, ErrorKind, Result};

/// What may be said about memory. A spec says the same under the same names.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Memory")]
pub struct MemoryArgs {
    /// Keep to so much memory, such as 256MB or 50% of the machine's; half of what is free by default. A larger table
    /// is anonymized on disk
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Where tables larger than memory are kept meanwhile; TMPDIR or /tmp by default
    #[arg(long, value_name = "FOLDER")]
    pub temp_dir: Option<String>,
    /// rothko-s: the chance of making a cut that has to be undone; 0.05 by default
    #[arg(long, value_name = "CHANCE")]
    pub significance: Option<String>,
    /// rothko-s: the rows of a sample; as many as memory allows by default
    #[arg(long, value_name = "ROWS")]
    pub sample: Option<String>,
}

impl MemoryArgs {
    /// Takes in the flags: what they say replaces what a spec says. All problems at once.
    pub fn apply(&self, memory: &mut MemorySettings) -> Result<()> {
        let mut problems = Vec::new();
        let named = |flag: &'static str| move |wrong: String| format!("--{flag}: {wrong}");
        let size = |text: &str| text.parse::<MemorySize>().map_err(named("memory"));
        set(&mut memory.memory, &self.memory, size, &mut problems);
        memory.temp_dir = self.temp_dir.clone().or(memory.temp_dir.take());
        let chance = |text: &str| significance(text).map_err(named("significance"));
        set(&mut memory.significance, &self.significance, chance, &mut problems);
        set(&mut memory.sample, &self.sample, |text| sample(text).map_err(named("sample")), &mut problems);
        Error::all(ErrorKind::Input, problems).map_or(Ok(()), Err)
    }

    /// What the flags alone say.
    pub fn settings(&self) -> Result<MemorySettings> {
        let mut memory = MemorySettings::default();
        self.apply(&mut memory)?;
        memory.check()?;
        Ok(memory)
    }
}
