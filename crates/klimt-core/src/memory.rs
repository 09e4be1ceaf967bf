//! The memory that a run may take, as an account that is passed to all code that takes some.

pub use crate::words::amount;
use crate::{Error, Remedy, Result};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A budget in bytes. What takes memory in proportion to the data asks here first, and gives back by dropping its
/// [`Reservation`].
#[derive(Debug)]
pub struct Pool {
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
}

/// Bytes that are taken from a [`Pool`] until this is dropped.
#[derive(Debug)]
pub struct Reservation<'p> {
    pool: &'p Pool,
    bytes: usize,
}

impl Pool {
    /// A budget in bytes.
    pub fn new(limit: usize) -> Self {
        Pool { limit, used: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    /// All that there is.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The bytes that are left.
    pub fn left(&self) -> usize {
        self.limit.saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// The most that was taken at once.
    pub fn peak(&self) -> usize {
        self.peak.load(Ordering::Relaxed)
    }

    /// Takes a number of bytes, where they are left.
    pub fn take(&self, bytes: usize) -> Option<Reservation<'_>> {
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|&sum| sum <= self.limit)
        });
        let before = taken.ok()?;
        self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        Some(Reservation { pool: self, bytes })
    }

    /// Takes a number of bytes, or fails with their purpose and the budget that would suffice.
    pub fn reserve(&self, bytes: usize, purpose: &str) -> Result<Reservation<'_>> {
        self.take(bytes).ok_or_else(|| {
            let needed = self.limit - self.left() + bytes;
            Error::resource(format!("{} of memory are too little for {purpose}", amount(self.limit)))
                .with_help(Remedy::RaiseMemory(needed))
        })
    }
}

impl Reservation<'_> {
    /// How many bytes are taken.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes more; returns whether there was enough.
    pub fn grow(&mut self, bytes: usize) -> bool {
        match self.pool.take(bytes) {
            None => false,
            Some(more) => {
                std::mem::forget(more);
                self.bytes += bytes;
                true
            }
        }
    }

    /// Gives back all but this number of bytes.
    pub fn shrink_to(&mut self, bytes: usize) {
        let spare = self.bytes.saturating_sub(bytes);
        self.pool.used.fetch_sub(spare, Ordering::Relaxed);
        self.bytes -= spare;
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.pool.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Words;

    #[test]
    fn what_is_taken_is_given_back() {
        let pool = Pool::new(100);
        let mut first = pool.take(60).unwrap();
        assert!(pool.take(41).is_none());
        assert!(!first.grow(41));
        assert!(first.grow(40));
        assert_eq!((first.bytes(), pool.left()), (100, 0));
        first.shrink_to(30);
        assert_eq!(pool.left(), 70);
        let second = pool.reserve(70, "a test").unwrap();
        let error = pool.reserve(20_000_000, "a test").unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Resource);
        assert!(error.help(Words::Flags)[0].contains("21MB"), "{error}");
        drop((first, second));
        assert_eq!((pool.left(), pool.peak()), (100, 100));
    }
}
