//! Verifies a release written as CSV: RFC 4180, UTF-8, any delimiter.

mod fault;
mod layout;
mod record;
mod words;

pub use fault::{Fault, FaultKind};
pub use layout::Layout;

use crate::tally::{END, Tally};
use layout::RecordPart;
use record::{RecordField, Records};

/// Counts the records of a chunk of our own output in `tally`.
///
/// A chunk holds whole records and no header. The records of a release may be cut into chunks anywhere between
/// two records, and the chunks counted in any order and in any number of tallies that are merged later. A fault
/// in the text is a bug of ours; the tally is then of no use.
pub fn scan(layout: &Layout, chunk: &[u8], tally: &mut Tally) -> klimt_core::Result<()> {
    examine(layout, chunk, tally).map_err(|fault| fault.internal())
}

/// Counts the records of a chunk in `tally`, as [`scan`] does, and says what is wrong with the text and where.
///
/// Two fields are the same value when their decoded texts are: quotes around a field do not matter. Text that
/// readers are known to read in different ways (a quote inside an unquoted field, a lone carriage return) is a
/// fault: what cannot be read in one way only cannot be verified.
pub fn examine(layout: &Layout, chunk: &[u8], tally: &mut Tally) -> Result<(), Fault> {
    let columns = (layout.quasi_identifiers().len(), layout.sensitive().len());
    if columns != (tally.quasi_identifiers().len(), tally.sensitive().len()) {
        return Err(Fault { kind: FaultKind::Mismatch, line: 1 });
    }
    let records = Records::new(chunk, layout.dialect().delimiter)?;
    let scan = Scan {
        layout,
        chunk,
        records,
        tally,
        fields: Vec::new(),
        scratch: Vec::new(),
        run: RecordRun::default(),
    };
    scan.all()
}

/// The state of a scan over one chunk.
struct Scan<'a> {
    layout: &'a Layout,
    chunk: &'a [u8],
    records: Records<'a>,
    tally: &'a mut Tally,
    /// Fields of the present record: all that matter after [`Scan::split`], the sensitive ones after
    /// [`Scan::continues`].
    fields: Vec<RecordField>,
    scratch: Vec<u8>,
    run: RecordRun<'a>,
}

/// Consecutive records of one group. A release is mostly ordered by group, so runs are long and the bytes of the
/// quasi-identifiers repeat; that a record belongs to the run is then seen by comparing bytes, and neither
/// decoding nor hashing is needed.
#[derive(Default)]
struct RecordRun<'a> {
    /// The group; `None` before the first record.
    group: Option<u32>,
    key: Vec<u8>,
    rows: u64,
    /// The bytes of each stretch of quasi-identifiers, from the beginning of its first field up to and including
    /// what ends its last field. A record that has the same bytes in the same place has the same values there.
    stretches: Vec<&'a [u8]>,
}

impl Scan<'_> {
    fn all(mut self) -> Result<(), Fault> {
        let mut at = 0;
        while at < self.chunk.len() {
            let (group, next) = self.record(at)?;
            at = self.rest_of_run(group, next)?;
        }
        self.finish_run();
        Ok(())
    }

    /// Counts the records from `at` on that are seen to belong to the run, and says where the first other one
    /// begins.
    fn rest_of_run(&mut self, group: u32, mut at: usize) -> Result<usize, Fault> {
        let mut rows = 0;
        while at < self.chunk.len() {
            let Some(next) = self.continues(at) else { break };
            rows += 1;
            self.tally.meet(group);
            if !self.fields.is_empty() {
                self.observe_continued(at, group)?;
            }
            at = next;
        }
        self.run.rows += rows;
        Ok(at)
    }

    /// Where the record after the one at `at` begins, if it can be seen from the bytes that the one at `at`
    /// belongs to the run. Its sensitive fields are then in `fields`, in the order of the record.
    #[inline]
    fn continues(&mut self, mut at: usize) -> Option<usize> {
        self.fields.clear();
        let columns = self.layout.columns();
        let mut stretches = self.run.stretches.iter();
        for part in self.layout.parts() {
            match *part {
                RecordPart::Stretch { .. } => {
                    let bytes = stretches.next()?;
                    if !self.records.is_at(at, bytes) {
                        return None;
                    }
                    at += bytes.len();
                }
                RecordPart::Gap(fields) => at = self.records.plain_skip(at, fields)?,
                RecordPart::Sensitive { column, .. } => {
                    let field = self.records.field(at).ok()?;
                    if field.last != (column + 1 == columns) {
                        return None;
                    }
                    self.fields.push(field);
                    at = field.next;
                }
            }
        }
        match columns - self.layout.needed() {
            0 => Some(at),
            fields => self.records.plain_end(at, fields),
        }
    }

    /// Counts the sensitive values of a record that [`Scan::continues`] the run.
    fn observe_continued(&mut self, at: usize, group: u32) -> Result<(), Fault> {
        let layout = self.layout;
        let numbers = layout.parts().iter().filter_map(|part| match part {
            RecordPart::Sensitive { number, .. } => Some(*number),
            _ => None,
        });
        for (index, number) in numbers.enumerate() {
            self.observe(at, group, number, self.fields[index])?;
        }
        Ok(())
    }

    /// Takes the record at `at` apart, counts it and says to which group it belongs and where the next begins.
    fn record(&mut self, at: usize) -> Result<(u32, usize), Fault> {
        let next = self.split(at)?;
        self.scratch.clear();
        for &column in self.layout.quasi_identifiers() {
            self.records.push_value(&self.fields[column], &mut self.scratch);
            self.scratch.push(END);
        }
        let group = match self.run.group {
            Some(group) if self.scratch == self.run.key => group,
            _ => {
                self.finish_run();
                let group = self.tally.group(&self.scratch);
                let group = group.ok_or_else(|| self.records.fault(at, FaultKind::TooMany))?;
                std::mem::swap(&mut self.scratch, &mut self.run.key);
                self.run.group = Some(group);
                group
            }
        };
        self.run.rows += 1;
        self.tally.meet(group);
        self.remember_stretches();
        for (number, &column) in self.layout.sensitive().iter().enumerate() {
            self.observe(at, group, number, self.fields[column])?;
        }
        Ok((group, next))
    }

    /// Fills `fields` with the fields of the record at `at`, up to the last that matters, and says where the next
    /// record begins.
    fn split(&mut self, at: usize) -> Result<usize, Fault> {
        self.fields.clear();
        let (columns, needed) = (self.layout.columns(), self.layout.needed());
        let mut next = at;
        for column in 0..columns {
            if column == needed
                && let Some(end) = self.records.plain_end(next, columns - column)
            {
                return Ok(end);
            }
            let field = self.records.field(next)?;
            if field.last != (column + 1 == columns) {
                let found = self.records.count_fields(at)?;
                return Err(self.records.fault(at, FaultKind::FieldCount { found, expected: columns }));
            }
            next = field.next;
            if column < needed {
                self.fields.push(field);
            }
        }
        Ok(next)
    }

    fn remember_stretches(&mut self) {
        self.run.stretches.clear();
        for part in self.layout.parts() {
            if let RecordPart::Stretch { first, last } = *part {
                self.run.stretches.push(&self.chunk[self.fields[first].begin..self.fields[last].next]);
            }
        }
    }

    /// Counts the value of a sensitive field.
    fn observe(&mut self, at: usize, group: u32, number: usize, field: RecordField) -> Result<(), Fault> {
        self.scratch.clear();
        self.records.push_value(&field, &mut self.scratch);
        let counted = self.tally.observe(group, number, &self.scratch);
        counted.ok_or_else(|| self.records.fault(at, FaultKind::TooMany))
    }

    fn finish_run(&mut self) {
        if let Some(group) = self.run.group {
            self.tally.count(group, std::mem::take(&mut self.run.rows));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use klimt_core::ErrorKind;
    use klimt_io::csv::Dialect;

    fn scanned(layout: &Layout, chunk: &str) -> klimt_core::Result<u64> {
        let mut tally = Tally::new(&["age"], &[]);
        scan(layout, chunk.as_bytes(), &mut tally).map(|()| tally.rows())
    }

    #[test]
    fn a_fault_of_our_own_output_is_a_bug() {
        let layout = Layout::new(2, vec![0], Dialect::default()).unwrap();
        assert_eq!(scanned(&layout, "1,a\n1,\"b\n\"\n1,c"), Ok(3));
        let error = scanned(&layout, "1,a\n1,\"b\n\"\n1,secret\"\n").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        assert!(error.message().contains("line 4 of a chunk"), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn a_layout_of_other_columns_is_a_bug() {
        let layout = Layout::new(2, vec![0, 1], Dialect::default()).unwrap();
        assert_eq!(scanned(&layout, "").unwrap_err().kind(), ErrorKind::Internal);
    }

    #[test]
    fn an_empty_line_is_a_missing_value_of_the_only_column() {
        let layout = Layout::new(1, vec![0], Dialect::default()).unwrap();
        assert_eq!(scanned(&layout, "\n\r\n\"\"\n1\n"), Ok(4));
        assert_eq!(scanned(&layout, ""), Ok(0));
    }

    #[test]
    fn the_last_record_needs_no_line_end() {
        let layout = Layout::new(2, vec![0], Dialect::default()).unwrap();
        for last in ["1,b", "1,\"b\"", "\"1\",\"\"", "1,", "1,\"say \"\"b\"\"\""] {
            assert_eq!(scanned(&layout, last), Ok(1), "{last}");
            assert_eq!(scanned(&layout, &format!("1,\"a\"\r\n{last}")), Ok(2), "{last}");
        }
    }

    #[test]
    fn a_carriage_return_at_the_end_of_a_chunk_ends_no_line() {
        for quasi_identifiers in [vec![0], vec![1], vec![0, 1], vec![]] {
            let layout = Layout::new(2, quasi_identifiers, Dialect::default()).unwrap();
            let mut tally = Tally::new(&vec!["x"; layout.quasi_identifiers().len()], &[]);
            for chunk in ["1,a\n1,a\r", "1,b\r\n1,\"a\"\r", "1,\"a\n\"\r"] {
                let fault = examine(&layout, chunk.as_bytes(), &mut tally).unwrap_err();
                assert_eq!((fault.kind, fault.line), (FaultKind::StrayCarriageReturn, 2), "{chunk:?}");
            }
        }
    }
}
