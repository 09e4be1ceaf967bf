//! Rewrites sources so that one binary holds every mutant, and a variable of the environment switches one on.
//!
//! `mutants TREE FILE...` rewrites the files, paths below TREE, in place, and prints a line per mutant: its number, file
//! and line, function, and change, separated by tabs. Every crate that holds one of the files gets a function that reads
//! the number of the mutant from `KLIMT_MUTANT`; without it nothing is changed. A build per mutant would take days; this
//! takes one.

mod operators;
mod rewrite;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use rewrite::Rewrite;
use syn::visit_mut::VisitMut;

/// Appended to the root of a crate.
const SWITCH: &str = r#"
#[doc(hidden)]
pub fn mutant() -> u32 {
    static NUMBER: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        std::env::var("KLIMT_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *NUMBER
}
"#;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let Some(tree) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: mutants TREE FILE...");
        return ExitCode::from(2);
    };
    match rewrite_all(&tree, &arguments.collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(2)
        }
    }
}

fn rewrite_all(tree: &Path, files: &[String]) -> Result<(), String> {
    let mut next = 1;
    let mut roots = BTreeSet::new();
    for file in files {
        let path = tree.join(file);
        let text = fs::read_to_string(&path).map_err(|fault| at(&path, fault))?;
        let mut syntax = syn::parse_file(&text).map_err(|fault| format!("{file}: {fault}"))?;
        let mut rewrite = Rewrite::new(file, next);
        rewrite.visit_file_mut(&mut syntax);
        next = rewrite.next();
        fs::write(&path, quote::ToTokens::to_token_stream(&syntax).to_string())
            .map_err(|fault| at(&path, fault))?;
        roots.insert(root(tree, file).ok_or(format!("{file}: not in a folder named src"))?);
    }
    roots.iter().try_for_each(|root| add_switch(root).map_err(|fault| at(root, fault)))
}

fn at(path: &Path, fault: io::Error) -> String {
    format!("{}: {fault}", path.display())
}

/// The root of the crate that holds a file.
fn root(tree: &Path, file: &str) -> Option<PathBuf> {
    let (folder, _) = file.split_once("/src/")?;
    Some(tree.join(folder).join("src/lib.rs"))
}

/// Mutants make code that lints warn of.
fn add_switch(root: &Path) -> io::Result<()> {
    let text = fs::read_to_string(root)?;
    fs::write(root, format!("#![allow(warnings, clippy::all)]\n{text}{SWITCH}"))
}
