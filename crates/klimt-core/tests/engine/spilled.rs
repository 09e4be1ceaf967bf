//! Blocks of rows come back from disk as they were.

use crate::common::table;
use klimt_core::spill::{Block, Rows, SpillFolder, SpilledPart};
use klimt_core::table::{Column, ColumnData, Role, Table, TextChunk, TextColumn};
use proptest::prelude::*;

/// A table with a column of few codes, one of many, and one of texts, some long.
fn mixed(cells: &[(u32, u32, String)]) -> Table {
    let texts: Vec<Vec<String>> = cells
        .iter()
        .enumerate()
        .map(|(row, (a, b, _))| vec![(a % 7).to_string(), (b * 1000 + row as u32).to_string()])
        .collect();
    let mut columns = table(&texts, &[]).columns().to_vec();
    let mut chunk = TextChunk::default();
    cells.iter().for_each(|(_, _, text)| chunk.push(text.as_bytes()));
    let mut column = TextColumn::default();
    column.push_chunk(chunk);
    columns.push(Column { name: "t".to_string(), role: Role::Insensitive, data: ColumnData::Texts(column) });
    Table::new(cells.len(), columns).unwrap()
}

fn texts(table: &Table) -> Vec<Vec<Vec<u8>>> {
    let row = |row: usize| {
        let cell = |column: &Column| {
            let mut text = Vec::new();
            column.write_text(row, &mut text);
            text
        };
        table.columns().iter().map(cell).collect()
    };
    (0..table.rows()).map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn rows_come_back(
        cells in prop::collection::vec((any::<u32>(), 0..99_999u32, "[a-zé]{0,30}"), 1..300),
        block in 1..80usize,
    ) {
        let table = mixed(&cells);
        let frame = Block::empty(&table).into_table(&table).unwrap();
        let folder = SpillFolder::within(&std::env::temp_dir());
        let file = folder.file().unwrap();
        let all: Vec<u32> = (0..table.rows() as u32).collect();
        let places: Vec<_> = all
            .chunks(block)
            .map(|rows| {
                let mut block = Block::empty(&frame);
                block.append_table(&table, rows);
                let mut bytes = Vec::new();
                block.encode(&mut bytes);
                assert_eq!(bytes.len(), block.encoded_len());
                file.append(&bytes).unwrap()
            })
            .collect();
        let part = SpilledPart::new(&file, places, table.rows() as u64);
        prop_assert_eq!(part.bytes(), folder.traffic().written());
        let mut back = Block::empty(&frame);
        part.append_to(&mut back).unwrap();
        prop_assert_eq!(texts(&back.clone().into_table(&frame).unwrap()), texts(&table));
        let (mut one, mut again) = (Block::empty(&frame), Block::empty(&frame));
        for number in 0..part.blocks() {
            part.read(number, &mut one).unwrap();
            again.append(&one);
        }
        prop_assert_eq!(&again, &back);
        // Damage is noticed.
        let mut bytes = Vec::new();
        back.encode(&mut bytes);
        prop_assert!(Block::empty(&frame).append_encoded(&bytes[..bytes.len() - 1]).is_err());
        bytes.push(0);
        prop_assert!(Block::empty(&frame).append_encoded(&bytes).is_err());
    }
}
