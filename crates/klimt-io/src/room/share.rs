//! A part of a pool that several takers share.

use klimt_core::memory::{Pool, Reservation};
use std::sync::{Mutex, PoisonError};

/// Bytes of a pool that several takers share, up to a limit.
#[derive(Debug)]
pub struct PoolShare<'p> {
    most: usize,
    held: Mutex<Reservation<'p>>,
}

impl<'p> PoolShare<'p> {
    /// An empty share, limited to `most` bytes.
    pub fn new(pool: &'p Pool, most: usize) -> Option<Self> {
        Some(PoolShare { most, held: Mutex::new(pool.take(0)?) })
    }

    /// Takes or gives back what a taker needs more or less than before; returns whether there was enough.
    pub fn resize(&self, before: usize, after: usize) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if after <= before {
            let rest = held.bytes() - (before - after);
            held.shrink_to(rest);
            return true;
        }
        held.bytes() + (after - before) <= self.most && held.grow(after - before)
    }

    /// How many bytes are taken.
    pub fn bytes(&self) -> usize {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).bytes()
    }

    /// Gives all back.
    pub fn clear(&self) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).shrink_to(0);
    }
}
