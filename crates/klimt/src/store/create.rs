//! Makes a store for rows like those of a table.

use super::Store;
use crate::anonymizer::Anonymizer;
use crate::certificate::saved;
use crate::columns::plan;
use crate::input::Input;
use crate::inspect::Evidence;
use crate::observer::Watched;
use crate::reading;
use crate::run::warnings::warn;
use crate::settings::Settings;
use crate::suggest::did_you_mean;
use klimt_core::registry::AlgorithmKind;
use klimt_core::requirement::TableFacts;
use klimt_core::table::{Role, Table};
use klimt_core::words::{option, option_is};
use klimt_core::{Error, ErrorKind, Result};
use klimt_store::{Promise, Spec};
use std::path::Path;

impl Store {
    /// Makes a store, a folder that must not exist, for rows with the columns and types of a table. Its rows are not taken
    /// in: [`Store::insert`] does that.
    ///
    /// The key is the column that tells rows apart, such as a patient number: it is never published, and only keyed hashes
    /// of it are kept. k is the base k, the least that can be released.
    pub fn create(folder: impl AsRef<Path>, like: Input, key: &str, asked: &Anonymizer) -> Result<Self> {
        let settings = complete(asked.settings().clone(), key)?;
        let spec = asked.watch(|watched| spec(&settings, like, key, watched))?;
        klimt_store::Store::create(folder.as_ref(), &spec)?;
        let store = Store::open_within(folder, settings.memory)?;
        Ok(Store { observer: asked.watcher(), ..store })
    }
}

/// The settings of a store: the key is not published, and groups are leaves of an R+-tree.
fn complete(mut settings: Settings, key: &str) -> Result<Settings> {
    if settings.columns.values().any(|column| column.domain.is_some()) {
        let domain = option("domain");
        return Err(Error::input(format!("{domain}: the domains of a store grow with its rows"))
            .with_help("leave it out, or anonymize the table without a store"));
    }
    if settings.k.is_none() {
        return Err(Error::input("the base k is not given")
            .with_help(format!("no release can be finer than it; such as {}", option_is("k", "5"))));
    }
    settings.algorithm = Some(AlgorithmKind::RTree);
    let role = &mut settings.columns.entry(key.to_string()).or_default().role;
    if role.is_some_and(|role| role != Role::Identifier) {
        return Err(Error::input(format!("column {key} is the key: it is not published"))
            .with_help("give it no other role"));
    }
    *role = Some(Role::Identifier);
    Ok(settings)
}

fn spec(settings: &Settings, like: Input, key: &str, watched: &Watched<'_>) -> Result<Spec> {
    let requirements = settings.build_requirements()?;
    let (spec, missing, name) = (settings.source.clone(), &settings.missing, like.name().to_string());
    let (like, _) =
        reading::read(like, spec, missing, watched, |opened| plan(opened.name, opened.columns, settings))?;
    check_preferred(&settings.tree.prefer, &like)?;
    settings.screen(&name, &Evidence::of_table(&like))?;
    warn(watched, settings, &requirements, &like, &TableFacts::of(&like), None);
    let weight = |name: &str| settings.columns.get(name).and_then(|column| column.weight).unwrap_or(1.0);
    let k = settings.k.unwrap_or_default();
    let promise = Promise { k, requirements: saved(settings), split: settings.split_spec() };
    Spec::like(&like, key, &weight, settings.missing.clone(), promise)
}

fn check_preferred(prefer: &[String], like: &Table) -> Result<()> {
    let known: Vec<&str> = (0..like.dimensions()).map(|d| like.dimension(d).name.as_str()).collect();
    let unknown = prefer.iter().filter(|name| !known.contains(&name.as_str()));
    let problem = |name: &String| {
        let hint = did_you_mean(name, known.iter().copied());
        format!("{}: unknown quasi-identifier {name}{hint}", option("prefer"))
    };
    Error::all(ErrorKind::Input, unknown.map(problem).collect()).map_or(Ok(()), Err)
}
