//! Which counts add up to a given range: cuts of a set by sizes alone.

/// Some of the counts, which descend, whose sum is as close to `most` as possible, and at least `least`; nothing where no
/// sum lies between these.
///
/// Every sum up to `most` knows through which count it was first reached. Equal counts are taken as one class, so that it
/// takes `most` steps for each different count. Greedy filling only fails where all counts are less than `least`, and
/// all together less than three times `least`: `most` is then less than one and a half times `least`.
pub(super) fn evenest_sum(counts: &[u32], least: u32, most: u32) -> Option<Vec<usize>> {
    let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if rows.checked_sub(u64::from(*counts.first()?))? < u64::from(least) {
        return None;
    }
    // The first count of the class, and how many of the class are taken.
    let mut reached: Vec<Option<(usize, usize)>> = vec![None; most as usize + 1];
    reached[0] = Some((usize::MAX, 0));
    let mut first = 0;
    for class in counts.chunk_by(|a, b| a == b) {
        let count = class[0] as usize;
        for sum in count..reached.len() {
            if reached[sum].is_some() {
                continue;
            }
            reached[sum] = match reached[sum - count] {
                Some((same, taken)) if same == first => (taken < class.len()).then_some((first, taken + 1)),
                before => before.map(|_| (first, 1)),
            };
        }
        first += class.len();
    }
    let mut sum = (least as usize..reached.len()).rev().find(|&sum| reached[sum].is_some())?;
    let mut chosen = Vec::new();
    while let Some((first, taken)) = reached[sum].filter(|_| sum > 0) {
        chosen.extend(first..first + taken);
        sum -= taken * counts[first] as usize;
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_three_two_two_two_make_two_of_six() {
        let chosen = evenest_sum(&[3, 3, 2, 2, 2], 6, 6).unwrap();
        assert!(chosen == [0, 1] || chosen == [2, 3, 4], "{chosen:?}");
        assert_eq!(evenest_sum(&[4, 4, 4], 6, 6), None);
        assert_eq!(evenest_sum(&[5, 4, 4], 5, 6), Some(vec![0]));
    }

    proptest! {
        #[test]
        fn sums_are_those_of_all_subsets(
            mut counts in prop::collection::vec(1u32..9, 1..10), least in 1u32..20, more in 0u32..20,
        ) {
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let most = least + more;
            let sum = |subset: u32| (0..counts.len()).filter(|at| subset >> at & 1 == 1).map(|at| counts[at]).sum::<u32>();
            let all: u32 = counts.iter().sum();
            let allowed = |&sum: &u32| (least..=most).contains(&sum) && all - sum >= least;
            let expected = (0..1u32 << counts.len()).map(sum).filter(allowed).max();
            let found = evenest_sum(&counts, least, most.min(all / 2)).map(|chosen| {
                let mut once = chosen.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), chosen.len());
                chosen.iter().map(|&at| counts[at]).sum::<u32>()
            });
            // With a side of at most half of the rows: where any cut is allowable, so is one of these.
            let expected = expected.map(|_| (0..1u32 << counts.len()).map(sum))
                .and_then(|sums| sums.filter(|sum| allowed(sum) && *sum <= all / 2).max());
            prop_assert_eq!(found, expected);
        }
    }
}
