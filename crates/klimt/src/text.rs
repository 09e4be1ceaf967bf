//! Numbers and warnings as people read them.

pub use klimt_core::words::thousands as count;

/// Whether so many of a table's rows are nearly all of them.
pub fn nearly_all(part: u64, rows: u64) -> bool {
    u128::from(part) * 10 > u128::from(rows) * 9
}

/// Tables with no more rows than this have few values twice anyway.
const FEW_ROWS: u64 = 20;

/// The warning about a column that is published as it is and has hardly any value twice.
pub fn nearly_unique(name: &str, distinct: u64, rows: u64) -> Option<String> {
    let unique = rows > FEW_ROWS && nearly_all(distinct, rows);
    unique.then(|| {
        format!(
            "column {name} has {} different values in {} rows: it tells almost every row apart (make it an identifier or \
             a quasi-identifier)",
            count(distinct),
            count(rows)
        )
    })
}
