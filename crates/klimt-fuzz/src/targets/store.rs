//! Values of a store: pages, the state and the columns' values, as if an attacker who has the secret had damaged and
//! sealed them again.

use klimt_store::damage;

/// The first byte chooses what the rest is taken for.
pub fn run(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    match first % 3 {
        0 => damage::page(bytes),
        1 => damage::state(bytes),
        _ => damage::spec(bytes),
    }
}

/// A sound value of each.
pub fn samples() -> Vec<Vec<u8>> {
    let values = damage::samples();
    values.into_iter().zip(0u8..).map(|(value, kind)| [vec![kind], value].concat()).collect()
}
