//! Finds the domain of each column once everything is on disk, and the translation of its pieces.

use super::finish::{Readers, ReadingResult, all, rank};
use super::gather::{Spill, too_many};
use super::limits::{PER_JOINED_TEXT, ReadingLimits};
use super::piece::PieceKind;
use super::spilled::{BlockIndex, SpilledTable, with_bytes};
use super::translate::{CodeTables, Translation, UnitCodes};
use crate::column::{
    Doubt, JoinedDictionary, NAMED_ROWS, NumberSet, Ranks, Suspicion, UnfitLocations, is_kept, marker,
};
use crate::source::ColumnPlan;
use klimt_core::memory::Reservation;
use klimt_core::spill::SpillFile;
use klimt_core::table::{
    Codes, Column, ColumnData, ColumnSpec, CommonSpelling, DeclaredDomain, Distinct, Domain, Encoding, Guard,
    Role, Spelling, Table, TextColumn, TextPool, TypeSpec, UnfitReason, ValueType,
};
use klimt_core::{Error, Result};
use std::collections::{BTreeSet, HashSet};

/// The results of all readers for a column.
struct ColumnResults {
    /// By reader, the texts of its dictionary.
    texts: Vec<TextPool>,
    /// How what was read as numbers is spelt.
    spelled: CommonSpelling,
}

/// Joins what readers know, in their order.
fn join(readers: Readers, width: usize) -> Vec<ColumnResults> {
    let nothing = || ColumnResults { texts: Vec::new(), spelled: CommonSpelling::Nothing };
    let mut columns: Vec<ColumnResults> = (0..width).map(|_| nothing()).collect();
    for reader in readers {
        for (known, remains) in columns.iter_mut().zip(reader) {
            known.texts.push(remains.dictionary.into_texts());
            known.spelled = known.spelled.join(remains.spelled);
        }
    }
    columns
}

/// The length of a long number.
const LONG_NUMBER: usize = 20;
/// A range of numbers is shorter than this: its codes and that of the missing value fit in 32 bits.
const LONGEST_RANGE: i128 = u32::MAX as i128;

/// Makes the table of what was spilled.
pub fn settle<'a>(found: &ReadingResult<'_>, readers: Readers, spill: Spill<'a>) -> Result<SpilledTable<'a>> {
    let ReadingResult { path, plan, .. } = *found;
    let Spill { room, limits, file, entries, sets, dictionaries, numbers, index: entries_memory } = spill;
    let mut frame_numbers = vec![u32::MAX; plan.len()];
    let read = (0..plan.len()).filter(|&column| plan[column].spec.is_some());
    read.zip(0..).for_each(|(column, number)| frame_numbers[column] = number);
    let index = BlockIndex::of(&entries, &frame_numbers);
    drop(entries);
    entries_memory.clear();
    dictionaries.clear();
    numbers.clear();
    let readers = join(readers, plan.len());
    let texts: usize = readers.iter().flat_map(|known| &known.texts).map(TextPool::size).sum();
    let held: usize = texts + sets.iter().map(NumberSet::size).sum::<usize>() + index.size();
    let mut memory = room.pool.reserve(held, "what is known of the columns")?;
    let mut work = Settler { path, missing: &[], file: &file, index: &index, memory: &mut memory, limits };
    let ranged = work.choose_ranges(plan, &readers, sets)?;
    let (mut columns, mut translations, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut report = found.report.clone();
    let known = readers.into_iter().zip(ranged);
    for ((number, plan), (known, set)) in frame_numbers.iter().zip(plan).zip(known) {
        let Some(spec) = &plan.spec else { continue };
        work.missing = &plan.missing;
        match work.column(spec, *number, known, set)? {
            Ok((data, translation)) => {
                if let Some(doubt) = work.doubt(spec, *number, &data, &translation)? {
                    let lines = (found.lines)(Some(&file))?;
                    doubt.settle(spec, path, &lines, &mut problems, &mut report);
                }
                columns.push(Column { name: spec.name.clone(), role: spec.role, data });
                translations.push(translation);
            }
            Err(located) => {
                problems.push(located.error(path, &spec.name, &(found.lines)(Some(&file))?));
            }
        }
    }
    all(problems)?;
    let frame = Table::new(0, columns)?.with_dimensions_by(|column| rank(plan, column));
    Ok(SpilledTable::new(frame, file, index, translations, report, memory))
}

struct Settler<'s, 'a> {
    path: &'s str,
    /// The texts that stand for a missing value in the column at hand, besides the empty one.
    missing: &'s [String],
    file: &'s SpillFile,
    index: &'s BlockIndex,
    memory: &'s mut Reservation<'a>,
    limits: ReadingLimits,
}

/// The numbers of a column.
enum NumberDomain {
    /// There are none.
    None,
    /// The numbers fit in memory and are ranked.
    Ranked(NumberSet, Spelling),
    /// They have an order of their own, and only their ends are held.
    Range(NumberSet, Spelling),
    /// They are texts like others.
    Texts(NumberSet),
}

type SettledColumn = Result<(ColumnData, Translation), UnfitLocations>;

fn is_missing(missing: &[String], text: &[u8]) -> bool {
    text.is_empty() || missing.iter().any(|token| token.as_bytes() == text)
}

impl Settler<'_, '_> {
    fn is_missing(&self, text: &[u8]) -> bool {
        is_missing(self.missing, text)
    }

    /// Decides which columns of numbers are held, and of which only the ends are: those with the fewest numbers are
    /// held, as long as all of them take no more than their limit.
    fn choose_ranges(
        &self,
        plan: &[ColumnPlan],
        readers: &[ColumnResults],
        sets: Vec<NumberSet>,
    ) -> Result<Vec<NumberDomain>> {
        let mut chosen: Vec<NumberDomain> = Vec::with_capacity(plan.len());
        let mut counts = Vec::new();
        for (number, ((plan, known), mut set)) in plan.iter().zip(readers).zip(sets).enumerate() {
            let has_numbers = set.ends().is_some() || set.has_missing();
            let spec = plan.spec.as_ref().filter(|_| has_numbers);
            chosen.push(match spec.map(|spec| natural(spec, &plan.missing, known, &mut set)) {
                None => NumberDomain::None,
                Some(None) => NumberDomain::Texts(set),
                Some(Some(spelling)) => {
                    counts.push((set.count().unwrap_or(usize::MAX), number));
                    NumberDomain::Ranked(set, spelling)
                }
            });
        }
        counts.sort_unstable();
        let mut left = self.limits.numbers / size_of::<i64>();
        for (count, number) in counts {
            let NumberDomain::Ranked(mut set, spelling) =
                std::mem::replace(&mut chosen[number], NumberDomain::None)
            else {
                continue;
            };
            let range = set.ends().map_or(0, |(low, high)| i128::from(high) - i128::from(low) + 1);
            let dense = range == count as i128;
            let held = count <= left && !dense;
            if held {
                left -= count;
            }
            chosen[number] = match (held, range < LONGEST_RANGE) {
                (false, true) => NumberDomain::Range(set, spelling),
                (false, false) if count == usize::MAX => {
                    let name = plan[number].spec.as_ref().map_or("", |spec| &spec.name);
                    let needed = self.limits.memory_for_numbers(set.estimate());
                    return Err(too_many(self.path, &[name], self.limits.memory, needed));
                }
                _ => NumberDomain::Ranked(set, spelling),
            };
        }
        Ok(chosen)
    }

    /// The frame and the translation of a column.
    fn column(
        &mut self,
        spec: &ColumnSpec,
        number: u32,
        known: ColumnResults,
        mut numbers: NumberDomain,
    ) -> Result<SettledColumn> {
        let has_texts = self.index.of_column(number).any(|piece| piece.kind == PieceKind::Texts);
        if has_texts {
            return Ok(Ok((ColumnData::Texts(TextColumn::default()), Translation::Texts(known.texts))));
        }
        if let NumberDomain::Texts(set) = &mut numbers
            && let Some(located) = self.strays(spec, number, &known, set)?
        {
            return Ok(Err(located));
        }
        match numbers {
            NumberDomain::None => self.texts(spec, number, known, None),
            NumberDomain::Texts(set) => self.texts(spec, number, known, Some(set)),
            NumberDomain::Ranked(set, spelling) => self.numbers(spec, number, known, set, (spelling, false)),
            NumberDomain::Range(set, spelling) => self.numbers(spec, number, known, set, (spelling, true)),
        }
    }

    fn numbers(
        &mut self,
        spec: &ColumnSpec,
        number: u32,
        known: ColumnResults,
        set: NumberSet,
        (spelling, range): (Spelling, bool),
    ) -> Result<SettledColumn> {
        let in_texts = known.texts.iter().flat_map(TextPool::iter).any(|text| self.is_missing(text));
        let missing = set.has_missing() || in_texts;
        let digits = set.digits();
        let type_spec = spec.type_spec.clone().unwrap_or_else(|| spelling.value_type().into());
        let (first, last) = set.ends().unwrap_or((0, -1));
        let (domain, ranks) = if range {
            let count = (last - first + 1) as usize;
            let domain = Domain::of_range(type_spec, first, count as u32, spelling, missing);
            (domain, Ranks::Dense { first, count })
        } else {
            let ranks = set.into_ranks().ok_or_else(|| Error::internal("the numbers were given up"))?;
            self.take(spec, ranks.len() * size_of::<i64>())?;
            (Domain::of_numbers(type_spec, ranks.values(), spelling, missing), ranks)
        };
        let missing = domain.value_count() as u32;
        let code = |text: &[u8]| match CommonSpelling::read(text) {
            Some((units, own)) if !self.is_missing(text) => {
                ranks.rank(units * 10i64.pow(u32::from(digits - own.digits())))
            }
            _ => missing,
        };
        let tables = known.texts.iter().map(|texts| texts.iter().map(code).collect()).collect();
        let ends = declared(spec).and_then(|declared| {
            let (least, greatest) = declared.units(&axis_type(spec, spelling), spelling)?;
            Some((ranks.rank(least), ranks.rank(greatest)))
        });
        let units = Some(UnitCodes { ranks, codes: None, digits });
        let tables = CodeTables { tables, units, missing };
        let (Some(declared), Some(ends)) = (declared(spec), ends) else {
            return Ok(Ok((coded(domain), Translation::Codes(tables))));
        };
        let (outside, highest) = self.outside(number, ends, &tables)?;
        if outside.rows > 0 {
            return Ok(Err(outside));
        }
        let domain = domain.with_declared(Some(declared.codes(highest)));
        Ok(Ok((coded(domain), Translation::Codes(tables))))
    }

    /// Finds the rows whose values lie outside a declared range, the codes of whose ends are given, and the highest code
    /// that occurs.
    fn outside(
        &self,
        number: u32,
        (least, greatest): (u32, u32),
        tables: &CodeTables,
    ) -> Result<(UnfitLocations, u32)> {
        let mut highest = 0;
        let (mut rows, mut first_rows, mut values) = (0, Vec::new(), HashSet::new());
        let (mut row, mut codes) = (0, Vec::<u32>::new());
        for piece in self.index.of_column(number) {
            codes.clear();
            with_bytes(self.file, piece, |bytes| tables.append(piece, bytes, &mut codes))?;
            let outside = |code: u32| code != tables.missing && !(least..=greatest).contains(&code);
            for (at, &code) in codes.iter().enumerate().filter(|(_, code)| outside(**code)) {
                rows += 1;
                values.insert(code);
                if first_rows.len() < NAMED_ROWS {
                    first_rows.push(row + at);
                }
            }
            row += codes.len();
            highest =
                codes.iter().copied().filter(|&code| code != tables.missing).max().unwrap_or(0).max(highest);
        }
        let reason = UnfitReason::Domain;
        Ok((UnfitLocations { reason, values: values.len(), rows, first_rows, markers: Vec::new() }, highest))
    }

    /// A column of texts; of numbers too, where these do not lie in their own order or not all values are numbers.
    fn texts(
        &mut self,
        spec: &ColumnSpec,
        number: u32,
        known: ColumnResults,
        set: Option<NumberSet>,
    ) -> Result<SettledColumn> {
        let mut texts = known.texts;
        let readers = texts.len();
        let mut ranks = None;
        if let Some(mut set) = set {
            let (missing, digits) = (set.has_missing(), set.digits());
            let count = set.count();
            let spelling = known.spelled.spelling().or(count.filter(|&n| n == 0).map(|_| Spelling::WHOLE));
            let (Some(count), Some(spelling)) = (count, spelling) else {
                let different = set.estimate() + texts.iter().map(TextPool::len).sum::<usize>();
                let needed = self.limits.memory_for_texts(different, LONG_NUMBER);
                let needed = needed.max(self.limits.memory_for_numbers(different));
                return Err(too_many(self.path, &[&spec.name], self.limits.memory, needed));
            };
            self.take(spec, count * PER_JOINED_TEXT)?;
            let found = set.into_ranks().ok_or_else(|| Error::internal("the numbers were given up"))?;
            let mut spelt = TextPool::default();
            let mut text = Vec::new();
            for value in found.values() {
                text.clear();
                spelling.write(value, &mut text);
                spelt.push(&text);
            }
            if missing {
                spelt.push(b"");
            }
            texts.push(spelt);
            ranks = Some((found, digits));
        }
        let before = self.memory.bytes();
        self.take(spec, texts.iter().map(|texts| texts.len() * PER_JOINED_TEXT + texts.size()).sum())?;
        let missing = if is_kept(spec.role) { &[] } else { self.missing };
        let mut joined = JoinedDictionary::of(texts.iter(), missing);
        drop(texts);
        let distinct = Distinct::Texts(std::mem::take(&mut joined.distinct));
        let encoded = Encoding::of(spec, distinct, joined.has_missing);
        let tables = |by_text: Vec<Vec<u32>>, missing: u32| {
            let mut tables = by_text;
            let codes = (tables.len() > readers).then(|| tables.pop()).flatten();
            let units = ranks.map(|(ranks, digits)| UnitCodes { ranks, codes, digits });
            CodeTables { tables, units, missing }
        };
        match encoded {
            Ok(encoding) => {
                let missing = encoding.domain.value_count() as u32;
                let translation = Translation::Codes(tables(joined.tables(&encoding), missing));
                self.memory.shrink_to(before + translation.size());
                Ok(Ok((coded(encoding.domain), translation)))
            }
            Err(unfit) => {
                let flag = |number: &u32| u32::from(unfit.values.binary_search(&(*number as usize)).is_ok());
                let flags = joined.numbers.iter().map(|numbers| numbers.iter().map(flag).collect());
                let flags = tables(flags.collect(), 0);
                Ok(Err(self.locate(UnfitLocations::nowhere(&unfit, &joined), number, &flags)?))
            }
        }
    }

    /// Finds the rows of values that do not fit: those whose code is 1.
    fn locate(&self, mut located: UnfitLocations, number: u32, flags: &CodeTables) -> Result<UnfitLocations> {
        let (mut row, mut found) = (0, Vec::<u8>::new());
        for piece in self.index.of_column(number) {
            found.clear();
            with_bytes(self.file, piece, |bytes| flags.append(piece, bytes, &mut found))?;
            for at in memchr::memchr_iter(1, &found) {
                located.rows += 1;
                if located.first_rows.len() < NAMED_ROWS {
                    located.first_rows.push(row + at);
                }
            }
            row += found.len();
        }
        Ok(located)
    }

    /// Looks at all rows of a column whose values may make no sense together.
    fn doubt(
        &self,
        spec: &ColumnSpec,
        number: u32,
        data: &ColumnData,
        translation: &Translation,
    ) -> Result<Option<Doubt>> {
        let (ColumnData::Coded { domain, .. }, Translation::Codes(tables)) = (data, translation) else {
            return Ok(None);
        };
        let Some(mut suspicion) = Suspicion::of(spec, domain) else { return Ok(None) };
        let mut codes = Vec::<u32>::new();
        for piece in self.index.of_column(number) {
            codes.clear();
            with_bytes(self.file, piece, |bytes| tables.append(piece, bytes, &mut codes))?;
            codes.iter().for_each(|&code| suspicion.add(code));
        }
        Ok(suspicion.finish(domain))
    }

    /// The few texts among numbers, of a column that must not hold any: found before all numbers become texts, for which
    /// there may be no room.
    fn strays(
        &self,
        spec: &ColumnSpec,
        number: u32,
        known: &ColumnResults,
        set: &mut NumberSet,
    ) -> Result<Option<UnfitLocations>> {
        let untyped = spec.type_spec.is_none() && spec.order.is_none() && spec.hierarchy.is_none();
        let Some(spelling) = known.spelled.spelling().filter(|_| untyped && spec.guard == Guard::Refuse)
        else {
            return Ok(None);
        };
        let value_type = match spelling.value_type() {
            ValueType::Integer => ValueType::Decimal,
            other => other,
        };
        let typed = TypeSpec::from(value_type);
        let (mut strays, mut markers) = (HashSet::new(), BTreeSet::new());
        let mut judge = |text: &[u8]| {
            let spelt = std::str::from_utf8(text).unwrap_or_default();
            if self.is_missing(text) {
                return Suspicion::MISSING;
            }
            if typed.position(spelt).is_some() {
                return Suspicion::FITS;
            }
            strays.insert(text.to_vec());
            match marker(text) {
                None => Suspicion::STRAY,
                Some(text) => {
                    markers.insert(text.to_string());
                    Suspicion::MARKER
                }
            }
        };
        let tables = known.texts.iter().map(|texts| texts.iter().map(&mut judge).collect()).collect();
        let tables = CodeTables { tables, units: None, missing: Suspicion::MISSING };
        if strays.is_empty() {
            return Ok(None);
        }
        let mut suspicion = Suspicion::of_type(value_type);
        let mut codes = Vec::<u8>::new();
        for piece in self.index.of_column(number) {
            codes.clear();
            match piece.kind {
                // Whether some of the numbers are missing makes no difference to strays.
                PieceKind::Units { .. } => codes.resize(piece.rows as usize, Suspicion::FITS as u8),
                _ => with_bytes(self.file, piece, |bytes| tables.append(piece, bytes, &mut codes))?,
            }
            codes.iter().for_each(|&code| suspicion.add(code.into()));
        }
        Ok(suspicion.strays_among(set.estimate() as u64, strays.len(), markers.into_iter().collect()))
    }

    fn take(&mut self, spec: &ColumnSpec, bytes: usize) -> Result<()> {
        if self.memory.grow(bytes) {
            return Ok(());
        }
        Err(too_many(self.path, &[&spec.name], self.limits.memory, self.limits.memory + bytes))
    }
}

/// How all values of a column are spelt, where they are numbers that lie in their own order; the texts of its
/// dictionaries are then among the numbers.
fn natural(
    spec: &ColumnSpec,
    missing: &[String],
    known: &ColumnResults,
    set: &mut NumberSet,
) -> Option<Spelling> {
    let texts = || known.texts.iter().flat_map(TextPool::iter).filter(|text| !is_missing(missing, text));
    let mut spelled = known.spelled;
    for text in texts() {
        spelled = spelled.join(CommonSpelling::read(text)?.1);
    }
    let spelling = spelled.spelling()?;
    let own = spelling.value_type();
    let fits = |given: &TypeSpec| {
        let wider = given.value_type == ValueType::Decimal && own == ValueType::Integer;
        given.pattern.is_none() && (given.value_type == own || wider)
    };
    if spec.hierarchy.is_some() || spec.order.is_some() || !spec.type_spec.as_ref().is_none_or(fits) {
        return None;
    }
    // Ends that cannot be spelt as the values are make texts of all, as in memory.
    let ends = match declared(spec) {
        None => None,
        Some(declared) => Some(declared.units(&axis_type(spec, spelling), spelling)?),
    };
    for text in texts() {
        if let Some((units, own)) = CommonSpelling::read(text) {
            set.add_one(Some(units), own.digits());
        }
    }
    if let Some((least, greatest)) = ends {
        set.add_one(Some(least), spelled.digits());
        set.add_one(Some(greatest), spelled.digits());
    }
    Some(spelling)
}

/// The declared domain of a quasi-identifier.
fn declared(spec: &ColumnSpec) -> Option<&DeclaredDomain> {
    spec.declared.as_ref().filter(|_| spec.role == Role::QuasiIdentifier)
}

/// The type by which declared ends are read beside values of a spelling.
fn axis_type(spec: &ColumnSpec, spelling: Spelling) -> TypeSpec {
    spec.type_spec.clone().unwrap_or_else(|| match spelling.value_type() {
        ValueType::Integer => ValueType::Decimal.into(),
        own => own.into(),
    })
}

fn coded(domain: Domain) -> ColumnData {
    let codes = Codes::zeroed(domain.cardinality(), 0);
    ColumnData::Coded { domain: domain.into(), codes }
}
