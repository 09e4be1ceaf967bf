//! Numbers and texts as bytes: the encoding of a store's values.

use klimt_core::partition::{CutNode, CutTree};
use klimt_core::table::Codes;
use klimt_core::{Error, Result};

/// A value of the store does not hold what was written to it.
pub(crate) fn damaged() -> Error {
    Error::input("the store is damaged: a part of it is not what was written")
        .with_help("nothing was released or changed; put a copy of the store in its place")
}

/// Appends numbers, little end first.
#[derive(Debug, Default)]
pub(crate) struct ByteWriter {
    pub bytes: Vec<u8>,
}

impl ByteWriter {
    pub fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub fn word(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn long(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn text(&mut self, text: &[u8]) {
        self.word(text.len() as u32);
        self.bytes.extend_from_slice(text);
    }

    /// Words of one width, as narrow as the greatest allows; the width goes first.
    pub fn words(&mut self, values: &[u32]) {
        let most = values.iter().copied().max().unwrap_or(0);
        match most {
            0..=0xff => {
                self.byte(1);
                self.bytes.extend(values.iter().map(|&value| value as u8));
            }
            0x100..=0xffff => {
                self.byte(2);
                self.bytes.extend(values.iter().flat_map(|&value| (value as u16).to_le_bytes()));
            }
            _ => {
                self.byte(4);
                self.bytes.extend(values.iter().flat_map(|&value| value.to_le_bytes()));
            }
        }
    }

    /// The cuts of a tree, with codes as `stored` gives them.
    pub fn tree(&mut self, tree: &CutTree, stored: impl Fn(usize, u32) -> u32) {
        self.word(tree.nodes.len() as u32);
        for node in &tree.nodes {
            match *node {
                CutNode::Leaf { rows } => {
                    self.byte(0);
                    self.word(rows);
                }
                CutNode::Threshold { dimension, code, missing_left, right, .. } => {
                    self.byte(if missing_left { 3 } else { 1 });
                    self.byte(dimension as u8);
                    self.word(stored(dimension as usize, code));
                    self.word(right);
                }
                CutNode::Subset { dimension, first, len, right, .. } => {
                    self.byte(2);
                    self.byte(dimension as u8);
                    self.word(len);
                    let members = &tree.members[first as usize..(first + len) as usize];
                    members.iter().for_each(|&code| self.word(stored(dimension as usize, code)));
                    self.word(right);
                }
            }
        }
    }
}

/// Reads what a [`ByteWriter`] has written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteReader<'b> {
    rest: &'b [u8],
}

impl<'b> ByteReader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        ByteReader { rest: bytes }
    }

    pub fn take(&mut self, len: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len).ok_or_else(damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn word(&mut self) -> Result<u32> {
        self.take(4)?.try_into().map(u32::from_le_bytes).map_err(|_| damaged())
    }

    pub fn long(&mut self) -> Result<u64> {
        self.take(8)?.try_into().map(u64::from_le_bytes).map_err(|_| damaged())
    }

    pub fn text(&mut self) -> Result<&'b [u8]> {
        let len = self.word()? as usize;
        self.take(len)
    }

    /// This many words of one width.
    pub fn words(&mut self, len: usize) -> Result<Vec<u32>> {
        let width = self.byte()? as usize;
        let bytes = self.take(len.checked_mul(width).ok_or_else(damaged)?)?;
        match width {
            1 => Ok(bytes.iter().map(|&value| u32::from(value)).collect()),
            2 => Ok(bytes.as_chunks().0.iter().map(|&value| u32::from(u16::from_le_bytes(value))).collect()),
            4 => Ok(bytes.as_chunks().0.iter().map(|&value| u32::from_le_bytes(value)).collect()),
            _ => Err(damaged()),
        }
    }

    /// This many words of one width, each as `code` gives it, as codes of a domain of this cardinality.
    pub fn codes(
        &mut self,
        len: usize,
        cardinality: usize,
        code: impl Fn(u32) -> Option<u32>,
    ) -> Result<Codes> {
        let width = self.byte()? as usize;
        let bytes = self.take(len.checked_mul(width).ok_or_else(damaged)?)?;
        let mut wrong = false;
        let mut known = |stored: u32| {
            code(stored).unwrap_or_else(|| {
                wrong = true;
                0
            })
        };
        let codes = match width {
            1 => Codes::collect(cardinality, bytes.iter().map(|&word| known(word.into()))),
            2 => {
                let words = bytes.as_chunks().0.iter().map(|&word| known(u16::from_le_bytes(word).into()));
                Codes::collect(cardinality, words)
            }
            4 => {
                let words = bytes.as_chunks().0.iter().map(|&word| known(u32::from_le_bytes(word)));
                Codes::collect(cardinality, words)
            }
            _ => return Err(damaged()),
        };
        if wrong { Err(damaged()) } else { Ok(codes) }
    }

    /// The cuts of a tree, with codes as `code` gives them.
    pub fn tree(&mut self, code: impl Fn(usize, u32) -> Result<u32>) -> Result<CutTree> {
        let len = self.word()?;
        let mut tree = CutTree::default();
        for _ in 0..len {
            let node = match self.byte()? {
                0 => CutNode::Leaf { rows: self.word()? },
                kind @ (1 | 3) => {
                    let dimension = u32::from(self.byte()?);
                    let code = code(dimension as usize, self.word()?)?;
                    let (missing_left, right) = (kind == 3, self.word()?);
                    CutNode::Threshold { dimension, code, shared: false, missing_left, right }
                }
                2 => {
                    let dimension = u32::from(self.byte()?);
                    let (first, len) = (tree.members.len() as u32, self.word()?);
                    for _ in 0..len {
                        tree.members.push(code(dimension as usize, self.word()?)?);
                    }
                    CutNode::Subset { dimension, first, len, shared: false, right: self.word()? }
                }
                _ => return Err(damaged()),
            };
            tree.nodes.push(node);
        }
        Ok(tree)
    }

    /// The unread bytes.
    pub fn rest(self) -> &'b [u8] {
        self.rest
    }

    /// Everything has been read.
    pub fn end(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(damaged()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let mut tree = CutTree::default();
        let root = tree.push_threshold(1, 300, false);
        tree.nodes.push(CutNode::Leaf { rows: 7 });
        tree.close_left(root);
        let cut = tree.push_subset(0, &[5, 2], false);
        tree.nodes.push(CutNode::Leaf { rows: 0 });
        tree.close_left(cut);
        tree.nodes.push(CutNode::Leaf { rows: 9 });
        let mut writer = ByteWriter::default();
        for values in [&[1, 255][..], &[256, 3], &[70_000], &[]] {
            writer.words(values);
        }
        writer.text(b"Gustav");
        writer.long(1 << 40);
        writer.tree(&tree, |dimension, code| code * 10 + dimension as u32);
        let mut reader = ByteReader::new(&writer.bytes);
        for values in [&[1, 255][..], &[256, 3], &[70_000], &[]] {
            assert_eq!(reader.words(values.len()).unwrap(), values);
        }
        assert_eq!((reader.text().unwrap(), reader.long().unwrap()), (&b"Gustav"[..], 1 << 40));
        assert_eq!(reader.tree(|_, stored| Ok(stored / 10)).unwrap(), tree);
        reader.end().unwrap();
        assert!(ByteReader::new(&writer.bytes[..writer.bytes.len() - 1]).end().is_err());
        assert!(ByteReader::new(&[9]).words(1).is_err());
    }
}
