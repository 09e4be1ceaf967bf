//! A store that grows batch by batch, beside one that is built anew each time (Figs. 7b and 11), and releases from it
//! beside Mondrian.

use crate::Result;
use crate::print::Columns;
use crate::process::{Klimt, ProcessRelease};
use crate::tables::Dataset;
use crate::timing::{Cost, measure};
use klimt::prelude::*;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The base k of the store, and that of the release that is compared.
const K: u64 = 5;

/// How many batches there are.
const BATCHES: usize = 10;

/// Ten batches of `batch` rows each.
pub fn incremental(klimt: &Klimt, batch: u64) -> Result<()> {
    let dataset = klimt.tables.agrawal(batch * BATCHES as u64)?;
    let files = divide(&dataset.path, &klimt.tables.folder, batch, BATCHES)?;
    let run = Run { klimt, dataset };
    println!("{BATCHES} batches of {batch} rows, base k = {K}");
    let titles = [
        ("insert s", 2),
        ("insert cpu", 2),
        ("rebuild s", 2),
        ("rebuild cpu", 2),
        ("insert/rebuild", 2),
        ("insert/last", 2),
    ];
    let columns = Columns::new("rows", 10, &titles);
    run.create("grown", &files[0].0)?;
    let (mut inserts, mut rebuilds) = (Vec::new(), Vec::new());
    for (one, all) in &files {
        inserts.push(run.insert("grown", one)?);
        run.create("built", one)?;
        rebuilds.push(run.insert("built", all)?);
    }
    let last = rebuilds[BATCHES - 1];
    for (number, (insert, rebuild)) in (1..).zip(inserts.iter().zip(&rebuilds)) {
        let ratios = [insert.cpu / rebuild.cpu, insert.cpu / last.cpu];
        let rows: u64 = number * batch;
        columns.line(rows, &[&insert.wall, &insert.cpu, &rebuild.wall, &rebuild.cpu, &ratios[0], &ratios[1]]);
    }
    run.releases()
}

struct Run<'a> {
    klimt: &'a Klimt,
    dataset: Dataset,
}

impl Run<'_> {
    fn store(&self, name: &str) -> String {
        self.klimt.tables.file(&format!("store-{name}")).display().to_string()
    }

    fn create(&self, name: &str, like: &Path) -> Result<()> {
        let store = self.store(name);
        let _ = std::fs::remove_dir_all(&store);
        let spec = self.klimt.spec("index", &self.dataset.groups_of(K)?)?;
        let like = like.display().to_string();
        let words = ["index", "create", &store, "--like", &like, "--key", "id", "--spec", &spec];
        measure(&self.klimt.line(&words)).map(|_| ())
    }

    fn insert(&self, name: &str, file: &Path) -> Result<Cost> {
        measure(&self.klimt.line(&["index", "insert", &self.store(name), &file.display().to_string()]))
    }

    fn release(&self, name: &str, k: u64) -> Result<ProcessRelease> {
        let out = self.klimt.out("index");
        let (store, k, to) = (self.store(name), k.to_string(), out.display().to_string());
        self.klimt.publish(&out, &self.klimt.line(&["index", "release", &store, "-k", &k, "-o", &to]))
    }

    /// Releases of the store that has grown, of the one that was built at once, and of Mondrian.
    fn releases(&self) -> Result<()> {
        let titles = [
            ("ncp grown", 5),
            ("ncp built", 5),
            ("ratio", 3),
            ("release s", 2),
            ("release cpu", 2),
            ("mondrian cpu", 2),
            ("cpu/mondrian", 2),
        ];
        println!();
        let columns = Columns::new("k", 6, &titles);
        for k in [K, 10, 25, 50] {
            let (grown, built) = (self.release("grown", k)?, self.release("built", k)?);
            let mondrian = self.dataset.groups_of(k)?.algorithm(AlgorithmKind::Mondrian);
            let mondrian = self.klimt.anonymize("mondrian", &self.dataset, &mondrian)?.cost;
            let (cost, ncp) = (grown.cost, [grown.loss("ncp"), built.loss("ncp")]);
            let (worse, dearer) = (ncp[0] / ncp[1], cost.cpu / mondrian.cpu);
            columns.line(k, &[&ncp[0], &ncp[1], &worse, &cost.wall, &cost.cpu, &mondrian.cpu, &dearer]);
        }
        Ok(())
    }
}

/// The rows of a table with a key, in batches and in ever longer beginnings; made once.
fn divide(table: &Path, folder: &Path, batch: u64, batches: usize) -> Result<Vec<(PathBuf, PathBuf)>> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let name = |kind: &str, number: usize| folder.join(format!("keyed-{batch}-{kind}-{number}.csv"));
    let files: Vec<(PathBuf, PathBuf)> =
        (1..=batches).map(|number| (name("batch", number), name("first", number))).collect();
    if files.iter().all(|(one, all)| one.exists() && all.exists()) {
        return Ok(files);
    }
    let mut lines = BufReader::with_capacity(1 << 20, File::open(table).map_err(failed)?).lines();
    let header = lines.next().ok_or("the table is empty")?.map_err(failed)?;
    let mut id = 0u64;
    for (number, (one, all)) in files.iter().enumerate() {
        if number == 0 {
            std::fs::write(all, format!("id,{header}\n")).map_err(failed)?;
        } else {
            std::fs::copy(&files[number - 1].1, all).map_err(failed)?;
        }
        let mut alone = BufWriter::with_capacity(1 << 20, File::create(one).map_err(failed)?);
        let longer = File::options().append(true).open(all).map_err(failed)?;
        let mut longer = BufWriter::with_capacity(1 << 20, longer);
        writeln!(alone, "id,{header}").map_err(failed)?;
        for line in lines.by_ref().take(batch as usize) {
            let line = line.map_err(failed)?;
            id += 1;
            writeln!(alone, "{id},{line}").and_then(|()| writeln!(longer, "{id},{line}")).map_err(failed)?;
        }
        alone.flush().and_then(|()| longer.flush()).map_err(failed)?;
    }
    Ok(files)
}
