//! A look at the footer of a Parquet file before it is decoded: how deep its schema is nested.
//!
//! The library goes down into a schema level by level, and a schema of thousands of levels would take all of the stack. The
//! footer is a structure in Thrift's compact protocol, whose second field lists the elements of the schema, parents before
//! their children, each with the number of these. What makes no sense here is left to the library, which says so.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The most levels of a schema.
pub const LEVELS: usize = 100;

/// The largest footer, in bytes.
const LARGEST: u64 = 1 << 29;

/// The kinds of values of the protocol.
mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const INTEGERS: std::ops::RangeInclusive<u8> = 4..=6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const STRUCTURE: u8 = 12;
}

/// Whether a file says of itself that its schema has more than [`LEVELS`] levels, or that its footer is larger than any
/// that is read.
pub fn is_too_deep(file: &File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    let mut end = [0; 8];
    if length < 12 {
        return Ok(false);
    }
    file.read_exact_at(&mut end, length - 8)?;
    let footer = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    if &end[4..] != b"PAR1" || footer > length - 12 {
        return Ok(false);
    }
    if footer > LARGEST {
        return Ok(true);
    }
    let mut bytes = vec![0; footer as usize];
    file.read_exact_at(&mut bytes, length - 8 - footer)?;
    Ok(levels(&bytes).is_some_and(|levels| levels > LEVELS))
}

/// How many levels the schema of a footer has, as far as that matters.
fn levels(footer: &[u8]) -> Option<usize> {
    let mut thrift = ThriftReader { bytes: footer };
    let mut field = 0;
    loop {
        let kind = thrift.field(&mut field)?;
        if field == 2 && kind == kind::LIST {
            break;
        }
        thrift.skip(kind, LEVELS)?;
    }
    let (many, _) = thrift.list()?;
    // The children that are still to come, of every element on the way to the next one.
    let (mut open, mut deepest): (Vec<u64>, usize) = (Vec::new(), 0);
    for _ in 0..many {
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        open.push(thrift.children()?);
        deepest = deepest.max(open.len());
        if deepest > LEVELS + 1 {
            break;
        }
    }
    Some(deepest.saturating_sub(1))
}

/// The unread bytes of a structure.
struct ThriftReader<'a> {
    bytes: &'a [u8],
}

impl ThriftReader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn take(&mut self, many: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(many).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The kind of the next field, whose number is put in the place of that of the one before; nothing at the end.
    fn field(&mut self, field: &mut u64) -> Option<u8> {
        let head = self.byte()?;
        *field = match head >> 4 {
            0 if head != 0 => self.number()? >> 1,
            step => *field + u64::from(step),
        };
        (head != 0).then_some(head & 15)
    }

    /// How many elements a list has, and of which kind.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let many = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        Some((many, head & 15))
    }

    /// Skips a value that holds others no deeper than this.
    fn skip(&mut self, kind: u8, deep: usize) -> Option<()> {
        match kind {
            kind::TRUE | kind::FALSE => Some(()),
            kind::BYTE => self.take(1),
            kind if kind::INTEGERS.contains(&kind) => self.number().map(drop),
            kind::DOUBLE => self.take(8),
            kind::BINARY => {
                let length = self.number()?;
                self.take(length)
            }
            kind::LIST | kind::SET => {
                let (many, kind) = self.list()?;
                // A truth in a list takes a byte.
                let kind = if kind <= kind::FALSE { kind::BYTE } else { kind };
                (0..many).try_for_each(|_| self.skip(kind, deep.checked_sub(1)?))
            }
            kind::STRUCTURE => {
                let mut field = 0;
                while self.bytes.first()? != &0 {
                    let kind = self.field(&mut field)?;
                    self.skip(kind, deep.checked_sub(1)?)?;
                }
                self.take(1)
            }
            _ => None,
        }
    }

    /// The number of children of a schema element, which is skipped.
    fn children(&mut self) -> Option<u64> {
        let (mut field, mut children) = (0, 0);
        while self.bytes.first()? != &0 {
            let kind = self.field(&mut field)?;
            if field == 5 && kind::INTEGERS.contains(&kind) {
                children = self.number()? >> 1;
            } else {
                self.skip(kind, LEVELS)?;
            }
        }
        self.take(1)?;
        Some(children)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer whose schema is a chain of this many groups above one column.
    fn chain(groups: usize) -> Vec<u8> {
        let mut bytes = vec![0x15, 0x02, 0x19, 0xfc];
        let mut many = groups as u64 + 2;
        while many >= 0x80 {
            bytes.push(many as u8 | 0x80);
            many >>= 7;
        }
        bytes.push(many as u8);
        for _ in 0..=groups {
            // A required group with the name "g" and one child.
            bytes.extend([0x35, 0x00, 0x18, 0x01, b'g', 0x15, 0x02, 0x00]);
        }
        bytes.extend([0x15, 0x02, 0x25, 0x00, 0x18, 0x01, b'c', 0x00]);
        bytes.push(0x00);
        bytes
    }

    #[test]
    fn levels_are_counted_without_going_down() {
        assert_eq!(levels(&chain(0)), Some(1));
        assert_eq!(levels(&chain(3)), Some(4));
        assert!(levels(&chain(20_000)).is_some_and(|levels| levels > LEVELS));
        for end in 0..chain(3).len() - 2 {
            // A footer that breaks off is for the library to refuse.
            let _ = levels(&chain(3)[..end]);
        }
    }

    #[test]
    fn a_file_with_a_deep_schema_is_refused() {
        let mut file = tempfile::tempfile().unwrap();
        use std::io::Write;
        let footer = chain(20_000);
        file.write_all(b"PAR1").unwrap();
        file.write_all(&footer).unwrap();
        file.write_all(&(footer.len() as u32).to_le_bytes()).unwrap();
        file.write_all(b"PAR1").unwrap();
        assert!(is_too_deep(&file).unwrap());
    }
}
