//! `LeafScan` (Fig. 5): runs of neighbouring leaves become groups.

use crate::requirement::Checks;
use crate::statistics::Statistics;

/// Where runs of whole leaves end that satisfy every requirement: a run ends as soon as it does, and leaves that are left
/// over at the end join the last run. Leaves come in the order of the tree with their statistics. All of them together
/// satisfy the requirements.
pub fn leaf_scan(leaves: impl Iterator<Item = Statistics>, requirements: &Checks) -> Vec<usize> {
    let (mut ends, mut run, mut many) = (Vec::new(), None::<Statistics>, 0);
    for leaf in leaves {
        many += 1;
        let grown = match run.take() {
            None => leaf,
            Some(mut grown) => {
                grown.merge(&leaf);
                grown
            }
        };
        if requirements.satisfied(&grown) {
            ends.push(many);
        } else {
            run = Some(grown);
        }
    }
    match ends.last_mut() {
        Some(last) => *last = many,
        None if many > 0 => ends.push(many),
        None => {}
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use crate::table::Table;

    fn scan(sizes: &[u64], k: &str) -> Vec<usize> {
        let requirements = [registry::requirement("k", "", k).unwrap()];
        let checks = Checks::new(&requirements, &Table::new(100, Vec::new()).unwrap()).unwrap();
        let leaves = sizes.iter().map(|&count| Statistics { count, ..Statistics::default() });
        leaf_scan(leaves, &checks)
    }

    #[test]
    fn a_run_ends_as_soon_as_it_is_large_enough() {
        assert_eq!(scan(&[5, 5, 7, 12, 3, 8], "10"), [2, 4, 6]);
        assert_eq!(scan(&[5, 5, 7, 12, 3, 8], "5"), [1, 2, 3, 4, 6]);
    }

    #[test]
    fn what_is_left_over_joins_the_last_run() {
        assert_eq!(scan(&[10, 10, 9], "10"), [1, 3]);
        assert_eq!(scan(&[4, 4], "10"), [2]);
        assert!(scan(&[], "10").is_empty());
    }
}
