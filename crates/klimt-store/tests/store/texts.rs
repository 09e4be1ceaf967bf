//! Texts that are published as they are: an empty one is not a missing one.

use crate::world::{Person, World, batch_table};
use klimt_core::Result;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::partition::Partitioning;
use klimt_core::parts::{PartSink, Way, Whole};
use klimt_core::spill::{Block, HeldRows};
use klimt_core::table::{
    Codes, Column, ColumnData, ColumnSpec, Distinct, EMPTY_TEXT, Encoding, Role, Table, TextChunk, TextColumn,
};
use klimt_store::{Batch, Store};
use std::sync::Arc;

/// The column `note` as a release publishes it.
#[derive(Default)]
struct Notes(Vec<Option<String>>);

impl PartSink for Notes {
    fn begin(&mut self, _: &Whole<'_>) -> Result<()> {
        Ok(())
    }

    fn part(&mut self, table: Table, _: Partitioning, _: &Way) -> Result<()> {
        let ColumnData::Texts(texts) = &table.columns()[0].data else { panic!("notes are texts") };
        let note = |row| String::from_utf8(texts.get(row).to_vec()).unwrap();
        self.0.extend((0..table.rows()).map(|row| (!texts.is_missing(row)).then(|| note(row))));
        Ok(())
    }

    fn slice(&mut self, _: Table, _: Partitioning, _: &Way, _: bool) -> Result<()> {
        unreachable!("small tables have no groups larger than memory")
    }
}

/// A note is missing, empty or a text, by the number of a row.
fn note(number: usize) -> Option<&'static str> {
    [None, Some(""), Some("x"), Some("a text that is longer than others")][number % 4]
}

/// Notes as columns of texts have them.
fn as_texts(rows: usize) -> ColumnData {
    let (mut texts, mut chunk) = (TextColumn::default(), TextChunk::default());
    let stored = |text: &'static str| if text.is_empty() { EMPTY_TEXT } else { text.as_bytes() };
    (0..rows).for_each(|row| chunk.push(note(row).map_or(b"", stored)));
    texts.push_chunk(chunk);
    ColumnData::Texts(texts)
}

/// Notes as columns of few values have them.
fn as_codes(rows: usize) -> ColumnData {
    let spec = ColumnSpec::new("note", Role::Insensitive);
    let values = [note(1), note(2), note(3)].map(Option::unwrap);
    let Encoding { domain, codes } =
        Encoding::of(&spec, Distinct::Texts(values.into_iter().collect()), true).unwrap();
    let missing = domain.missing_code().unwrap();
    let code = |row: usize| note(row).map_or(missing, |_| codes[row % 4 - 1]);
    let codes = Codes::collect(domain.cardinality(), (0..rows).map(code));
    ColumnData::Coded { domain: Arc::new(domain), codes }
}

#[test]
fn empty_texts_are_not_missing_ones() {
    for data in [as_texts as fn(usize) -> ColumnData, as_codes] {
        let world = World::new();
        world.create(2, &[]);
        let people: Vec<Person> =
            (0..40).map(|at| [(20 + at).to_string(), "red".into(), "Wien".into(), "flu".into()]).collect();
        let rows: Vec<(u32, &Person)> = (0..).zip(&people).collect();
        let table = batch_table(&rows);
        let columns = table.columns().iter().map(|column| match column.name.as_str() {
            "note" => Column { data: data(rows.len()), ..column.clone() },
            _ => column.clone(),
        });
        let table = Table::new(rows.len(), columns.collect()).unwrap();
        let frame = Block::empty(&table).into_table(&table).unwrap();
        let source = HeldRows::new(&table, 7);
        let mut store = world.open();
        store
            .insert(
                &Batch { frame: &frame, source: &source, empty_texts: &[], name: "batch" },
                &world.means(),
            )
            .unwrap();
        store.compact(&world.means()).unwrap();
        let mut notes = Notes::default();
        store.release(World::asked(2, LeafGrouping::LeafScan, false)).unwrap().write(&mut notes).unwrap();
        let mut expected: Vec<Option<String>> =
            (0..rows.len()).map(|row| note(row).map(String::from)).collect();
        notes.0.sort();
        expected.sort();
        assert_eq!(notes.0, expected);
    }
}

/// The columns of a release in which empty texts are published as such.
fn empty_texts(world: &World) -> Vec<String> {
    let mut store = world.open();
    let mut releasing = store.release(World::asked(2, LeafGrouping::LeafScan, false)).unwrap();
    releasing.write(&mut Notes::default()).unwrap();
    releasing.empty_texts()
}

/// An empty sensitive text counts as missing; a release publishes it as it was, unless others were missing.
#[test]
fn empty_sensitive_texts_are_published_as_such() {
    let world = World::new();
    world.create(2, &[]);
    let people: Vec<Person> = (0..20)
        .map(|at| [(20 + at).to_string(), "red".into(), "Wien".into(), ["", "flu"][at % 2].into()])
        .collect();
    let rows = |from: u32| (from..).zip(&people).collect::<Vec<(u32, &Person)>>();
    let names = [String::from("illness")];
    let insert = |from: u32, empty_texts: &[String]| {
        let insert = |store: &mut Store, batch: &Batch<'_>| {
            store.insert(&Batch { empty_texts, ..*batch }, &world.means())
        };
        world.change(&rows(from), insert).unwrap();
    };
    insert(0, &names);
    insert(100, &names);
    assert_eq!(empty_texts(&world), names);
    world.open().compact(&world.means()).unwrap();
    assert_eq!(empty_texts(&world), names, "a store that was made anew remembers");
    insert(200, &[]);
    assert!(empty_texts(&world).is_empty(), "both are published as missing");
}
