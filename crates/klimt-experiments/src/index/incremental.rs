//! A store that grows batch by batch, beside one that is built anew each time (Figs. 7b and 11), and releases from it
//! beside Mondrian.

use crate::measure::{Cost, measure};
use crate::published::Published;
use crate::tables::{Input, Places};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The base k of the store, and that of the release that is compared.
const K: u64 = 5;

/// Ten batches of `batch` rows each.
pub fn incremental(places: &Places, batch: u64, threads: usize) -> Result<(), String> {
    const BATCHES: usize = 10;
    let input = places.agrawal(batch * BATCHES as u64)?;
    let run = Run { places, input: &input, threads };
    let files = divide(&input.path, &places.folder, batch, BATCHES)?;
    println!("{BATCHES} batches of {batch} rows, base k = {K}, {threads} threads");
    println!(
        "{:>10} {:>10} {:>10} {:>12} {:>12} {:>14} {:>14}",
        "rows", "insert s", "insert cpu", "rebuild s", "rebuild cpu", "insert/rebuild", "insert/last"
    );
    run.create("grown", &files[0].0)?;
    let (mut inserts, mut rebuilds) = (Vec::new(), Vec::new());
    for (one, all) in &files {
        inserts.push(run.insert("grown", one)?);
        run.create("built", one)?;
        rebuilds.push(run.insert("built", all)?);
    }
    let last = rebuilds[BATCHES - 1];
    for (number, (insert, rebuild)) in inserts.iter().zip(&rebuilds).enumerate() {
        println!(
            "{:>10} {:>10.2} {:>10.2} {:>12.2} {:>12.2} {:>14.2} {:>14.2}",
            (number as u64 + 1) * batch,
            insert.wall,
            insert.cpu,
            rebuild.wall,
            rebuild.cpu,
            insert.cpu / rebuild.cpu,
            insert.cpu / last.cpu,
        );
    }
    run.releases()
}

struct Run<'a> {
    places: &'a Places,
    input: &'a Input,
    threads: usize,
}

impl Run<'_> {
    fn store(&self, name: &str) -> PathBuf {
        self.places.folder.join(format!("store-{name}"))
    }

    fn command(&self, args: &[&str]) -> Vec<String> {
        let klimt = self.places.klimt.display().to_string();
        std::iter::once(klimt).chain(args.iter().map(|arg| arg.to_string())).collect()
    }

    fn create(&self, name: &str, like: &Path) -> Result<(), String> {
        let store = self.store(name);
        let _ = std::fs::remove_dir_all(&store);
        let (store, like, k) = (store.display().to_string(), like.display().to_string(), K.to_string());
        let qi = self.input.quasi_identifiers;
        let args = [
            "index", "create", &store, "--like", &like, "--key", "id", "--qi", qi, "--other", "drop", "-k",
            &k,
        ];
        measure(&self.command(&args)).map(|_| ())
    }

    fn insert(&self, name: &str, file: &Path) -> Result<Cost, String> {
        let (store, file) = (self.store(name).display().to_string(), file.display().to_string());
        let threads = format!("--threads={}", self.threads);
        measure(&self.command(&["index", "insert", &store, &file, "--quiet", &threads]))
    }

    fn release(&self, name: &str, k: u64) -> Result<(Cost, Value), String> {
        let store = self.store(name).display().to_string();
        let out = self.places.folder.join("out-index.csv").display().to_string();
        let (k, threads) = (k.to_string(), format!("--threads={}", self.threads));
        let cost =
            measure(&self.command(&["index", "release", &store, "-k", &k, "-o", &out, "--quiet", &threads]))?;
        let text = std::fs::read_to_string(format!("{out}.certificate.json")).map_err(|e| e.to_string())?;
        Ok((cost, serde_json::from_str(&text).map_err(|e| e.to_string())?))
    }

    /// Releases of the store that has grown, of the one that was built at once, and of Mondrian.
    fn releases(&self) -> Result<(), String> {
        println!(
            "\n{:>6} {:>12} {:>12} {:>8} {:>12} {:>12} {:>14} {:>14}",
            "k",
            "ncp grown",
            "ncp built",
            "ratio",
            "release s",
            "release cpu",
            "mondrian cpu",
            "cpu/mondrian"
        );
        for k in [K, 10, 25, 50] {
            let (cost, grown) = self.release("grown", k)?;
            let (_, built) = self.release("built", k)?;
            let flags = [
                format!("-k={k}"),
                format!("--threads={}", self.threads),
                "--algorithm=mondrian".to_string(),
            ];
            let qi = self.input.quasi_identifiers;
            let mondrian = Published::make(self.places, "mondrian", &self.input.path, qi, &flags)?;
            let ncp = |certificate: &Value| certificate["losses"]["ncp"].as_f64().unwrap_or(f64::NAN);
            println!(
                "{k:>6} {:>12.5} {:>12.5} {:>8.3} {:>12.2} {:>12.2} {:>14.2} {:>14.2}",
                ncp(&grown),
                ncp(&built),
                ncp(&grown) / ncp(&built),
                cost.wall,
                cost.cpu,
                mondrian.cost.cpu,
                cost.cpu / mondrian.cost.cpu,
            );
        }
        Ok(())
    }
}

/// The rows of a table with a key, in batches and in ever longer beginnings; made once.
fn divide(
    table: &Path,
    folder: &Path,
    batch: u64,
    batches: usize,
) -> Result<Vec<(PathBuf, PathBuf)>, String> {
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
