//! Fuzz targets: a function for every parser, which panics where something is wrong.
//!
//! A target takes any bytes. It must return, without a panic, an overflow of the stack or memory out of proportion to the
//! input; and what a parser accepts must survive being written and parsed again. `tests/seeds.rs` runs every target on the
//! files of `corpus/` and on fixed mutations of them; the binary runs one target for some time.

mod mutate;
mod targets;

pub use mutate::Mutator;

/// A parser under test.
pub struct Target {
    /// Its name, and that of the folder of its corpus.
    pub name: &'static str,
    /// Runs it; a panic is a finding.
    pub run: fn(&[u8]),
    /// Inputs besides those of the corpus, for formats that are not worth a file.
    pub samples: fn() -> Vec<Vec<u8>>,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "csv", run: targets::csv::run, samples: targets::csv::samples },
    Target { name: "files", run: targets::files::run, samples: targets::files::samples },
    Target { name: "forms", run: targets::forms::run, samples: targets::forms::samples },
    Target { name: "hierarchy", run: targets::hierarchy::run, samples: targets::hierarchy::samples },
    Target { name: "spec", run: targets::spec::run, samples: targets::spec::samples },
    Target { name: "workload", run: targets::workload::run, samples: targets::workload::samples },
    Target { name: "certificate", run: targets::certificate::run, samples: targets::certificate::samples },
    Target { name: "recoding", run: targets::recoding::run, samples: targets::recoding::samples },
    Target { name: "published", run: targets::published::run, samples: targets::published::samples },
    Target { name: "store", run: targets::store::run, samples: targets::store::samples },
];

/// The inputs that a target starts from: the files of its corpus in the order of their names, then its samples.
pub fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/");
    let mut paths: Vec<_> = std::fs::read_dir(format!("{folder}{}", target.name))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    paths.sort();
    let files = paths.iter().filter_map(|path| std::fs::read(path).ok());
    files.chain((target.samples)()).collect()
}
