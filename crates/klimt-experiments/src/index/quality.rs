//! What releases lose, and how well they answer range queries (Fig. 10 to 12).

use super::{IndexArgs, groups, k_alone};
use crate::queries::Queries;
use crate::release::Release;
use crate::rothko::engine::read;
use crate::tables::Places;
use klimt_core::algorithm::rtree::{LeafGrouping, granular};
use klimt_core::partition::Partitioning;
use klimt_core::region::Extents;
use klimt_core::split::SplitSpec;
use klimt_core::table::Table;
use klimt_core::workload::Errors;

/// A release, as it would be published, and what it is called.
struct Shown<'a> {
    name: &'a str,
    groups: Partitioning,
    extents: Extents,
}

fn print(table: &Table, k: u64, asked: &[Queries; 2], shown: Shown<'_>) -> Result<(), String> {
    let release = Release::new(table, shown.groups, shown.extents);
    let losses = release.losses(k, &["ncp", "kl", "dm"])?;
    println!(
        "{k:>5} {:<24} {:>9.5} {:>9.4} {:>12.0} {:>12.2} {:>12.3}",
        shown.name,
        losses[0],
        losses[1],
        losses[2],
        asked[0].mean(&release, Errors::matched)?,
        asked[1].mean(&release, Errors::matched)?,
    );
    Ok(())
}

/// Mondrian with the boundaries of its regions and compacted, beside the tree at every k, the tree's leaves of the first
/// k scanned to the others, and a tree that prefers the first column.
pub fn quality(args: &IndexArgs, places: &Places) -> Result<(), String> {
    let base = args.k.first().copied().unwrap_or(5);
    for input in
        [places.adult(args.quality_rows)?, Some(places.agrawal(args.quality_rows)?)].into_iter().flatten()
    {
        let table = read(&input, &[])?;
        let all: Vec<usize> = (0..table.dimensions()).collect();
        let asked =
            [Queries::ranges(&table, &all, args.queries)?, Queries::ranges(&table, &all[..1], args.queries)?];
        println!("\n{}, {} rows, {} queries", input.name, table.rows(), args.queries);
        println!(
            "{:>5} {:<24} {:>9} {:>9} {:>12} {:>12} {:>12}",
            "k", "", "ncp", "kl", "dm", "error, all", "first column"
        );
        let leaves = groups(&table, &k_alone(&table, base)?, &SplitSpec::named("box"), true)?;
        let preferred =
            SplitSpec { preferred: vec![table.dimension(0).name.clone()], ..SplitSpec::named("box") };
        for &k in &args.k {
            let bound = k_alone(&table, k)?;
            let median = groups(&table, &bound, &SplitSpec::named("median"), true)?;
            let parts = [table.rows() as u32];
            let granular = |by| granular(&leaves, &table, &bound, by, &parts).map_err(|e| e.to_string());
            let boxes = |spec: &SplitSpec| groups(&table, &bound, spec, true);
            let compact = |name, groups| Shown { name, groups, extents: Extents::Compact };
            let mut shown = vec![
                Shown { name: "mondrian, uncompacted", groups: median.clone(), extents: Extents::Region },
                compact("mondrian, compacted", median),
                compact("rtree", boxes(&SplitSpec::named("box"))?),
                compact("rtree, box:area", boxes(&SplitSpec::named("box:area"))?),
                compact("rtree, first preferred", boxes(&preferred)?),
            ];
            if k > base {
                shown.push(compact("leaf scan", granular(LeafGrouping::LeafScan)?));
                shown.push(compact("level", granular(LeafGrouping::Level)?));
            }
            for shown in shown {
                print(&table, k, &asked, shown)?;
            }
        }
    }
    Ok(())
}
