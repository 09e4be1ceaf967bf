//! What releases lose, and how well they answer range queries (Fig. 10 to 12).

use super::IndexArgs;
use crate::Result;
use crate::print::Columns;
use crate::releases::{Queries, loss, median, release, tree};
use klimt::prelude::*;
use klimt_core::algorithm::rtree::LeafGrouping;

/// Mondrian with the boundaries of its regions and compacted, beside the tree at every k, the tree's leaves of the first
/// k joined to the others, and a tree that prefers the first column.
pub fn quality(args: &IndexArgs) -> Result<()> {
    let base = args.k.first().copied().unwrap_or(5);
    for dataset in args.place.both(args.quality_rows)? {
        let all = dataset.quasi_identifiers();
        let asked = [&all[..], &all[..1]].map(|about| Queries::ranges(&dataset, about, args.queries));
        println!("\n{}, {} rows, {} queries", dataset.name, args.quality_rows, args.queries);
        let titles = [("ncp", 5), ("kl", 4), ("dm", 0), ("error, all", 2), ("first column", 3)];
        let columns = Columns::new("    k", 30, &titles);
        for &k in &args.k {
            let by_area = dataset.groups_of(k)?.algorithm(AlgorithmKind::RTree).split("box:area");
            let mut releases = vec![
                ("mondrian, uncompacted", median(&dataset, k, Extents::Region)?),
                ("mondrian, compacted", median(&dataset, k, Extents::Compact)?),
                ("rtree", tree(&dataset, k, None, None)?),
                ("rtree, box:area", release(&dataset, &by_area)?),
                ("rtree, first preferred", tree(&dataset, k, None, Some(&all[0]))?),
            ];
            if k > base {
                let joined = |by| tree(&dataset, k, Some((base, by)), None);
                releases.push(("leaf scan", joined(LeafGrouping::LeafScan)?));
                releases.push(("level", joined(LeafGrouping::Level)?));
            }
            for (name, release) in &releases {
                let [ncp, kl, dm] = ["ncp", "kl", "dm"].map(|name| loss(release, name));
                let (of_all, of_first) = (asked[0].matched(release)?, asked[1].matched(release)?);
                columns.line(format!("{k:>5} {name}"), &[&ncp, &kl, &dm, &of_all, &of_first]);
            }
        }
    }
    Ok(())
}
