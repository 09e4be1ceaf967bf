//! The threads that a run works with.

use klimt_core::{Error, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The stack of a worker. Parts are cut, and trees of cuts walked, by recursion with small frames, which goes as deep as
/// there are cuts above a group. Only what is used of a stack takes memory.
pub const STACK: usize = 16 << 20;

/// How many threads read, partition and write. The result of a run does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    threads: usize,
}

impl Workers {
    /// So many threads, at least one; all cores where nothing is said.
    pub fn new(threads: Option<usize>) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Workers { threads: threads.unwrap_or_else(cores).max(1) }
    }

    /// How many there are.
    pub fn threads(self) -> usize {
        self.threads
    }

    /// Runs something on threads of its own, whatever stack the caller has and whatever other pools there are.
    pub fn run<T: Send>(self, work: impl FnOnce(&ThreadPool) -> Result<T> + Send) -> Result<T> {
        let named = |thread: usize| format!("klimt-{thread}");
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).stack_size(STACK).thread_name(named);
        let pool = pool.build().map_err(|e| Error::resource(format!("no threads can be started: {e}")))?;
        pool.install(|| work(&pool))
    }
}
