//! A store in a folder of its own, and what comes out of it.

use klimt_core::Result;
use klimt_core::algorithm::rothko::Sampling;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::hierarchy::{ReadOptions, read_csv};
use klimt_core::job::Unobserved;
use klimt_core::memory::Pool;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{PartSink, Way, Whole};
use klimt_core::recode::SavedRequirement;
use klimt_core::region::Extents;
use klimt_core::spill::{Block, HeldRows, SpillFolder};
use klimt_core::split::SplitSpec;
use klimt_core::table::{
    Codes, Column, ColumnData, ColumnSpec, Distinct, Encoding, Role, Table, TextPool, ValueType,
};
use klimt_store::{Batch, LedgerEntry, Means, Promise, ReleaseRequest, Size, Spec, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The values of a person: age, colour, place and illness; missing where empty.
pub type Person = [String; 4];

const HIERARCHY: &str =
    "Wien;Austria;*\nGraz;Austria;*\nBern;Switzerland;*\nBasel;Switzerland;*\nParis;France;*\n";

fn column(name: &str, role: Role, values: &[&str]) -> Column {
    let mut spec = ColumnSpec::new(name, role);
    match name {
        "age" => spec.type_spec = Some(ValueType::Integer.into()),
        "place" => {
            spec.hierarchy =
                Some(Arc::new(read_csv("place", HIERARCHY.as_bytes(), &ReadOptions::default()).unwrap()))
        }
        _ => spec.type_spec = Some(ValueType::Text.into()),
    }
    let distinct: BTreeSet<&str> = values.iter().copied().filter(|value| !value.is_empty()).collect();
    let missing = values.contains(&"");
    let pool: TextPool = distinct.iter().copied().collect();
    let encoding = Encoding::of(&spec, Distinct::Texts(pool), missing).unwrap();
    let order: BTreeMap<&str, u32> = distinct.iter().copied().zip(encoding.codes.iter().copied()).collect();
    let absent = encoding.domain.missing_code();
    let code = |value: &&str| order.get(value).copied().or(absent).unwrap();
    let codes = Codes::collect(encoding.domain.cardinality(), values.iter().map(code));
    Column {
        name: name.to_string(),
        role,
        data: ColumnData::Coded { domain: Arc::new(encoding.domain), codes },
    }
}

/// A batch: the key, which is published too so that the model can tell rows apart, and the columns.
pub fn batch_table(rows: &[(u32, &Person)]) -> Table {
    let ids: Vec<String> = rows.iter().map(|(id, _)| id.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let values = |at: usize| rows.iter().map(|(_, person)| person[at].as_str()).collect::<Vec<_>>();
    let columns = vec![
        column("id", Role::Insensitive, &ids),
        column("note", Role::Insensitive, &ids),
        column("age", Role::QuasiIdentifier, &values(0)),
        column("colour", Role::QuasiIdentifier, &values(1)),
        column("place", Role::QuasiIdentifier, &values(2)),
        column("illness", Role::Sensitive, &values(3)),
    ];
    Table::new(rows.len(), columns).unwrap()
}

/// A release as the model sees it: who is in which group.
#[derive(Default)]
pub struct Seen {
    pub groups: Vec<BTreeSet<u32>>,
    /// The published values of each row, by its note.
    pub rows: BTreeMap<u32, Person>,
    /// The published text of each row: its quasi-identifiers and its illness.
    pub texts: BTreeMap<u32, [String; 4]>,
}

impl PartSink for Seen {
    fn begin(&mut self, _: &Whole<'_>) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, table: Table, mut partitioning: Partitioning, _: &Way) -> Result<()> {
        let domains = table.domains();
        partitioning.coalesce(&domains);
        let text = |column: usize, row: u32| {
            let mut out = Vec::new();
            table.columns()[column].write_text(row as usize, &mut out);
            String::from_utf8(out).unwrap()
        };
        for group in 0..partitioning.groups() {
            let mut members = BTreeSet::new();
            let cell = |dimension: usize| {
                let mut out = Vec::new();
                let domain = table.domain(dimension);
                partitioning.regions.cell(group, dimension, domain).write(domain, Extents::Compact, &mut out);
                String::from_utf8(out).unwrap()
            };
            let [age, colour, place] = [0, 1, 2].map(cell);
            for &row in partitioning.rows(group) {
                let id: u32 = text(0, row).parse().unwrap();
                assert!(members.insert(id));
                let person = [1, 2, 3, 4].map(|column| text(column, row));
                let shown = [age.clone(), colour.clone(), place.clone(), person[3].clone()];
                self.texts.insert(id, shown);
                assert!(self.rows.insert(id, person).is_none(), "a row is published once");
            }
            self.groups.push(members);
        }
        Ok(())
    }

    fn slice(&mut self, _: Table, _: Partitioning, _: &Way, _: bool) -> Result<()> {
        unreachable!("small tables have no groups larger than memory")
    }
}

pub struct World {
    folder: tempfile::TempDir,
    pub pool: Pool,
    spill: SpillFolder,
    work: usize,
}

impl World {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder::within(folder.path());
        World { folder, pool: Pool::new(256 << 20), spill, work: Means::WORK }
    }

    /// Rows that come may have to wait, however few there are.
    pub fn patient() -> Self {
        World { work: 0, ..World::new() }
    }

    pub fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("store")
    }

    pub fn means(&self) -> Means<'_> {
        let sampling = Sampling { alpha: 0.05, rows: None, seed: 0 };
        Means { pool: &self.pool, folder: &self.spill, sampling, observer: &Unobserved, work: self.work }
    }

    /// Makes the store, with a base k and other requirements of the illness: flags and parameters.
    pub fn create(&self, k: u64, requirements: &[(&str, &str)]) {
        let like = batch_table(&[(1, &["30", "red", "Wien", "flu"].map(String::from))]);
        let saved = |(flag, parameters): &(&str, &str)| SavedRequirement {
            flag: flag.to_string(),
            column: "illness".to_string(),
            parameters: parameters.to_string(),
        };
        let promise = Promise {
            k,
            requirements: requirements.iter().map(saved).collect(),
            split: SplitSpec::named("box"),
        };
        let spec = Spec::like(&like, "id", &|_| 1.0, Vec::new(), promise).unwrap();
        Store::create(&self.path(), &spec).unwrap();
    }

    pub fn open(&self) -> Store {
        Store::open(&self.path(), &self.pool).unwrap()
    }

    pub fn change(
        &self,
        rows: &[(u32, &Person)],
        work: impl FnOnce(&mut Store, &Batch<'_>) -> Result<Size>,
    ) -> Result<Size> {
        let table = batch_table(rows);
        let frame = Block::empty(&table).into_table(&table)?;
        let source = HeldRows::new(&table, 7);
        work(&mut self.open(), &Batch { frame: &frame, source: &source, empty_texts: &[], name: "batch" })
    }

    /// A release that hides differences.
    pub fn asked(k: u64, by: LeafGrouping, hold_back: bool) -> ReleaseRequest {
        ReleaseRequest { k, by, hold_back, allow_differences: false, audience: "all".to_string() }
    }

    pub fn release(&self, k: u64, by: LeafGrouping, hold_back: bool) -> Result<(Seen, LedgerEntry)> {
        self.release_as(World::asked(k, by, hold_back))
    }

    pub fn release_as(&self, asked: ReleaseRequest) -> Result<(Seen, LedgerEntry)> {
        let mut store = self.open();
        let mut releasing = store.release(asked)?;
        let mut seen = Seen::default();
        releasing.write(&mut seen)?;
        assert_eq!(seen.rows.len() as u64, releasing.rows());
        let groups = seen.groups.len() as u64;
        Ok((seen, releasing.enter("hash", groups)?))
    }
}
