//! Values of a store that are not what the store wrote, though their seals are right: for fuzzing. Whatever the bytes are,
//! they are read or refused; nothing panics.

use crate::bytes::ByteWriter;
use crate::dictionary::{Dictionary, MissingTexts, StoreFrame};
use crate::page::{Page, PageEntry, dimensions};
use crate::secret::Secret;
use crate::spec::{FORMAT, Spec, StoredColumn};
use crate::state::StoreState;
use crate::vault::{SEAL, SealedValue, ValueName, ValueSource};
use klimt_core::Result;
use klimt_core::partition::{CutNode, CutTree, Descent};
use klimt_core::table::Role;

/// The page that everything is about.
const PAGE: u32 = 1;

/// Reads bytes as the rows of a page; what is read is written and read again as the same.
pub fn page(bytes: &[u8]) {
    let values = ResealedValues::new();
    let frame = values.frame();
    // The first word says how many rows there are: that many keys and histories are at hand.
    let rows = bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word)).min(1000);
    let Ok(page) = values.load(bytes.to_vec(), rows, &frame) else { return };
    let (descent, codes) = (Descent::over(&page.tree, &frame.table), dimensions(&page.rows.block, &frame));
    for row in 0..page.rows.len() {
        descent.leaf(|dimension| codes[dimension].get(row));
    }
    let (_, [written, ..]) = page.seal(PAGE, &frame, &values.secret).expect("a page is written");
    let again = values.load(written.bytes[SEAL..].to_vec(), rows, &frame).expect("what was written is read");
    assert!(page.tree == again.tree, "a page changes when it is written");
}

/// Reads bytes as the state of a store.
pub fn state(bytes: &[u8]) {
    let mut values = ResealedValues::new();
    values.put(ValueName::STATE, bytes.to_vec());
    let _ = StoreState::load(&values.spec, &values);
}

/// Reads bytes as what a store is about.
pub fn spec(bytes: &[u8]) {
    let Ok(spec) = Spec::from_bytes(bytes) else { return };
    let written = spec.to_bytes().expect("a spec is written");
    let again = Spec::from_bytes(&written).expect("what was written is read");
    assert_eq!(written, again.to_bytes().expect("a spec is written"), "a spec changes when it is written");
    let _ = spec.requirements(spec.k);
    let _ = spec.columns.iter().map(Dictionary::new).collect::<Result<Vec<_>>>();
}

/// A sound value of each: a page, a state, a spec.
pub fn samples() -> Vec<Vec<u8>> {
    let values = ResealedValues::new();
    vec![sample_page(), sample_state(&values), values.spec.to_bytes().unwrap_or_default()]
}

/// Three rows, cut twice.
fn sample_page() -> Vec<u8> {
    let leaf = CutNode::Leaf { rows: 1 };
    let first = CutNode::Threshold { dimension: 0, code: 0, shared: false, missing_left: false, right: 2 };
    let second = CutNode::Subset { dimension: 1, first: 0, len: 1, shared: false, right: 2 };
    let tree = CutTree { nodes: vec![first, leaf, second, leaf, leaf], members: vec![0] };
    let mut writer = ByteWriter::default();
    writer.word(3);
    writer.tree(&tree, |_, code| code);
    writer.words(&[0, 1, 1]);
    writer.words(&[0, 0, 1]);
    [b"one", b"two", b"abc"].iter().for_each(|text| writer.text(*text));
    writer.bytes
}

/// A store of one page.
fn sample_state(values: &ResealedValues) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    writer.long(1);
    // The next page, releases, histories; the first and the next chunk of people's past.
    [2, 0, 1, 0, 0].into_iter().for_each(|word| writer.word(word));
    for _ in &values.spec.columns {
        writer.word(1);
        writer.byte(0);
        writer.word(2);
        (1..3).for_each(|count| writer.long(count));
    }
    writer.word(1);
    let entry = values.entry(&sample_page(), 3);
    [entry.page, entry.rows, entry.leaves, entry.smallest].into_iter().for_each(|word| writer.word(word));
    entry.seals.iter().for_each(|seal| writer.bytes.extend_from_slice(seal));
    writer.word(0);
    writer.tree(&CutTree { nodes: vec![CutNode::Leaf { rows: 3 }], members: Vec::new() }, |_, code| code);
    writer.bytes
}

/// Values in memory that are sealed when they are read.
struct ResealedValues {
    spec: Spec,
    secret: Secret,
    values: Vec<(ValueName, Vec<u8>)>,
}

impl ValueSource for ResealedValues {
    fn bytes(&self, name: ValueName) -> Result<Option<Vec<u8>>> {
        let found = self.values.iter().rev().find(|(other, _)| *other == name);
        Ok(found.map(|(_, value)| SealedValue::new(&self.secret, name, value).bytes))
    }

    fn secret(&self) -> &Secret {
        &self.secret
    }
}

impl ResealedValues {
    /// A store of a number, a category and a text that is published as it is.
    fn new() -> Self {
        let column = |name: &str, role, value_type: &str| StoredColumn {
            name: name.to_string(),
            role,
            value_type: Some(value_type.to_string()),
            order: None,
            hierarchy: None,
            weight: 1.0,
        };
        let spec = Spec {
            format: FORMAT,
            key: "id".to_string(),
            columns: vec![
                column("age", Role::QuasiIdentifier, "integer"),
                column("city", Role::QuasiIdentifier, "text"),
                column("note", Role::Insensitive, "text"),
            ],
            k: 2,
            requirements: Vec::new(),
            missing: Vec::new(),
            split: "box".to_string(),
            capacity: 2,
            prefer: Vec::new(),
        };
        let mut values = ResealedValues { spec, secret: Secret::of(&[7; 32]), values: Vec::new() };
        for (number, texts) in [["25", "31"], ["Oslo", "Rome"], ["a", "b"]].into_iter().enumerate() {
            let mut writer = ByteWriter::default();
            writer.word(2);
            texts.iter().for_each(|text| writer.text(text.as_bytes()));
            values.put(ValueName::values(number as u32, 0), writer.bytes);
        }
        values
    }

    fn put(&mut self, name: ValueName, value: Vec<u8>) {
        self.values.push((name, value));
    }

    fn frame(&self) -> StoreFrame {
        let load = |(number, column)| Dictionary::load(column, number, (1, MissingTexts::Never), self);
        let dictionaries = self.spec.columns.iter().enumerate().map(load).collect::<Result<Vec<_>>>();
        dictionaries.and_then(|dictionaries| StoreFrame::of(&self.spec, &dictionaries)).expect("a frame")
    }

    /// The directory's entry of a page with these bytes.
    fn entry(&self, bytes: &[u8], rows: u32) -> PageEntry {
        let seal = |name, value: &[u8]| SealedValue::new(&self.secret, name, value).seal;
        let (keys, marks) = beside(rows);
        let seals = [
            seal(ValueName::page(PAGE), bytes),
            seal(ValueName::keys(PAGE), &keys),
            seal(ValueName::marks(PAGE), &marks),
        ];
        PageEntry { page: PAGE, rows, leaves: 1, smallest: 1, seals }
    }

    fn load(&self, bytes: Vec<u8>, rows: u32, frame: &StoreFrame) -> Result<Page> {
        let entry = self.entry(&bytes, rows);
        let (keys, marks) = beside(rows);
        let mut values = ResealedValues::new();
        values.put(ValueName::page(PAGE), bytes);
        values.put(ValueName::keys(PAGE), keys);
        values.put(ValueName::marks(PAGE), marks);
        Page::load(&entry, frame, &values)
    }
}

/// The keys and the histories of this many rows.
fn beside(rows: u32) -> (Vec<u8>, Vec<u8>) {
    let mut marks = ByteWriter::default();
    marks.words(&vec![0; rows as usize]);
    (vec![1; rows as usize * 16], marks.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_sound() {
        let values = ResealedValues::new();
        assert_eq!(values.load(sample_page(), 3, &values.frame()).unwrap().rows.len(), 3);
        let mut with_state = ResealedValues::new();
        with_state.put(ValueName::STATE, sample_state(&values));
        assert_eq!(StoreState::load(&with_state.spec, &with_state).unwrap().directory.rows(), 3);
        Spec::from_bytes(&samples()[2]).unwrap();
    }

    #[test]
    fn cuts_that_do_not_fit_together_are_refused() {
        let values = ResealedValues::new();
        let mut bytes = sample_page();
        // The first cut says that its right side starts two nodes on: byte 4 + 4 (lengths) + 1 + 1 + 4 (the cut).
        assert_eq!(bytes[14..18], [2, 0, 0, 0]);
        for wrong in [0, 1, 3, 200] {
            bytes[14] = wrong;
            assert!(values.load(bytes.clone(), 3, &values.frame()).is_err(), "{wrong}");
        }
    }
}
