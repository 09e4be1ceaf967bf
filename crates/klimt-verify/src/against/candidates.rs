//! The candidates of linked rows.

use super::linked::{LinkedRows, files};
use hashbrown::HashMap;

/// Rows in classes, some of which are to be judged.
pub(super) struct Sets {
    /// The release whose sensitive values count.
    pub file: usize,
    /// The rows.
    pub rows: Vec<u32>,
    /// The class of each.
    pub classes: Vec<u32>,
    /// How many rows each class has.
    pub sizes: Vec<u64>,
    /// How many rows of each class are hidden by this class alone; one that hides none is not judged.
    pub hidden: Vec<u64>,
}

impl Sets {
    /// Puts rows into classes; `hides` says whether a row is hidden by its class alone.
    pub fn new(file: usize, rows: Vec<u32>, classes: Vec<u32>, hides: impl Fn(u32) -> bool) -> Self {
        let count = classes.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut sizes, mut hidden) = (vec![0; count], vec![0; count]);
        for (&row, &class) in rows.iter().zip(&classes) {
            sizes[class as usize] += 1;
            hidden[class as usize] += u64::from(hides(row));
        }
        Sets { file, rows, classes, sizes, hidden }
    }

    /// The number and the size of each class that is judged, ascending by number.
    pub fn judged(&self) -> impl Iterator<Item = (u32, u64)> {
        let all = (0u32..).zip(self.sizes.iter().zip(&self.hidden));
        all.filter(|(_, (_, hidden))| **hidden > 0).map(|(class, (&size, _))| (class, size))
    }

    /// The size of the smallest class that is judged.
    pub fn smallest(&self) -> Option<u64> {
        self.judged().map(|(_, size)| size).min()
    }
}

/// Finds candidates, for one set of releases after the other.
pub(super) struct Candidates<'l> {
    linked: &'l LinkedRows,
    /// For each release, the search in which each of its groups was met last.
    met: Vec<Vec<u32>>,
    searches: u32,
}

impl<'l> Candidates<'l> {
    pub fn new(linked: &'l LinkedRows) -> Self {
        let met = linked.files.iter().map(|file| vec![0; file.groups()]).collect();
        Candidates { linked, met, searches: 0 }
    }

    /// The candidates of rows that appear in exactly the releases of a mask, at least two.
    ///
    /// Only the groups that these rows have in one release are looked at, the one with the most groups: rare masks cost
    /// little, and all masks together look at a row no more often than its group has masks.
    pub fn of(&mut self, mask: u64, rows: &[u32]) -> Sets {
        let linked = self.linked;
        let finest = files(mask).max_by_key(|&file| linked.files[file].groups()).unwrap_or(0);
        let found = self.within(finest, mask, rows);
        let mut classes: Vec<u32> = found.iter().map(|&row| linked.group(row, finest)).collect();
        for file in files(mask).filter(|&file| file != finest) {
            refine(&mut classes, found.iter().map(|&row| linked.group(row, file)));
        }
        Sets::new(mask.trailing_zeros() as usize, found, classes, |row| linked.mask(row) == mask)
    }

    /// The rows of the groups of some rows in a release, those that appear in all releases of a mask.
    fn within(&mut self, file: usize, mask: u64, rows: &[u32]) -> Vec<u32> {
        let linked = self.linked;
        self.searches += 1;
        let mut found = Vec::with_capacity(rows.len());
        for &row in rows {
            let group = linked.group(row, file);
            let met = &mut self.met[file][group as usize];
            if std::mem::replace(met, self.searches) != self.searches {
                let members = linked.files[file].rows_of(group).iter();
                found.extend(members.filter(|&&member| linked.mask(member) & mask == mask));
            }
        }
        found
    }
}

/// Splits classes by groups; new classes are numbered in the order in which they come.
fn refine(classes: &mut [u32], groups: impl Iterator<Item = u32>) {
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    for (class, group) in classes.iter_mut().zip(groups) {
        let next = numbers.len() as u32;
        *class = *numbers.entry(u64::from(*class) << 32 | u64::from(group)).or_insert(next);
    }
}
