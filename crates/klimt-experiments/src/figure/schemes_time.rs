//! The time of searches for the best generalization (Figs. 10, 11 and 13 of *Towards Optimal k-Anonymization*).
//!
//! The search is that of the paper, with its own seeding and prunings and nothing that klimt adds. CPU time of one thread;
//! of a search that was not over in its time, that time is the least that it takes.

use super::Context;
use super::claim::{At, Claim, Is, MUCH, Of};
use super::outcome::{Outcome, Run, Size};
use super::registry::Figure;
use super::schemes::{Schemed, names};
use super::sweep::Sweep;
use crate::Result;
use crate::adult::FOUR;
use crate::number::Measured;
use crate::schemes::SCHEMES;
use klimt_core::algorithm::scheme::{Direction, Pruning, Scheme};

/// The experiments of this file.
pub const FIGURES: &[Figure] = &[
    Figure::experiment(
        "schemes-10",
        "Bottom-up beside top-down, by k and by the number of attributes",
        &[
            turning(0, [WAYS[0], WAYS[1]], At::UpTo(3.0), Is::Below(1.0), SMALL_K),
            turning(0, [WAYS[2], WAYS[3]], At::UpTo(3.0), Is::Below(1.0), SMALL_K),
            turning(0, [WAYS[0], WAYS[1]], At::Above(9.0), Is::Over(1.0), LARGE_K),
            turning(0, [WAYS[2], WAYS[3]], At::Above(9.0), Is::Over(1.0), LARGE_K),
            turning(1, [WAYS[0], WAYS[1]], At::First, Is::Below(1.0), FEW),
            turning(1, [WAYS[2], WAYS[3]], At::First, Is::Below(1.0), FEW),
            turning(1, [WAYS[0], WAYS[1]], At::Last, Is::Over(1.0), MANY),
            turning(1, [WAYS[2], WAYS[3]], At::Last, Is::Over(1.0), MANY),
        ],
        directions,
    ),
    Figure::experiment(
        "schemes-11",
        "Time of the six schemes, by the number of attributes and by k",
        &[
            larger("BHS"),
            larger("GHS"),
            larger("GOPS"),
            larger("GSPS"),
            larger("OPS"),
            larger("SPS"),
            slower("BHS"),
            slower("GHS"),
            slower("GOPS"),
            slower("GSPS"),
            slower("OPS"),
            slower("SPS"),
        ],
        schemes,
    ),
    Figure::experiment(
        "schemes-13",
        "What seeding and rearrangement save",
        &[
            Claim::new(
                "The combination of these two techniques could reduce the running time by up to 60%.",
                Of::Ratio((0, WITH[3]), (0, WITH[0])),
                At::Best,
                Is::AtMost(0.4),
            ),
            Claim::new(
                "Seeding & modified BFS can reduce the running time by up to 40%.",
                Of::Ratio((0, WITH[1]), (0, WITH[0])),
                At::Best,
                Is::AtMost(0.6),
            ),
            Claim::new(
                "In general, the first technique is more effective.",
                Of::Ratio((0, WITH[1]), (0, WITH[2])),
                At::Mean,
                Is::Below(1.0),
            ),
            Claim::new(
                "Node & applicator rearrangement can improve the performance, too.",
                Of::Ratio((0, WITH[2]), (0, WITH[0])),
                At::Mean,
                Is::Below(1.0),
            ),
        ],
        techniques,
    ),
];

const SMALL_K: &str = "The bottom-up approach runs faster for small k values like 2 or 3.";
const LARGE_K: &str =
    "For larger k values like 10, 15 or 20, the top-down approach finds the optimum faster.";
const FEW: &str = "The bottom-up approach outperforms the top-down approach when the QI size is small,";
const MANY: &str = "and the top-down approach works better when the QI size is large.";

const fn turning(panel: usize, ways: [&'static str; 2], at: At, is: Is, says: &'static str) -> Claim {
    Claim::new(says, Of::Ratio((panel, ways[0]), (panel, ways[1])), at, is)
}

const fn larger(scheme: &'static str) -> Claim {
    let says = "The exponentially increasing search space greatly increases the running time.";
    Claim::new(says, Of::Ends((0, scheme)), At::Every, Is::AtLeast(MUCH)).reading("greatly")
}

const fn slower(scheme: &'static str) -> Claim {
    let says = "The running time increases as k increases for each generalization scheme.";
    Claim::new(says, Of::Steps((1, scheme)), At::Every, Is::AtLeast(1.0))
}

/// Ever more columns.
const COLUMNS: [&[&str]; 4] = [&["age"], &["age", "race"], &["age", "race", "sex"], &FOUR];

fn ks(context: &Context) -> Vec<u64> {
    context.ks(&[2, 10], &[2, 5, 20], &[2, 3, 5, 10, 15, 20])
}

/// The CPU time of a search; the least that it takes where it was not over.
fn seconds(
    context: &Context,
    schemed: &Schemed,
    k: u64,
    direction: Direction,
    pruning: Pruning,
) -> Result<Measured> {
    let limit = context.limit();
    let work = || schemed.search(k, "dm", direction, pruning, limit).map(|found| found.over);
    Ok(context.clocked(work)?.cpu())
}

fn outcome(context: &Context, panels: Vec<Sweep>) -> Result<Outcome> {
    let open = |sweep: &Sweep| {
        let all = sweep.series.iter().flat_map(|(_, values)| values);
        all.filter(|value| value.high.is_infinite()).count()
    };
    let notes = format!(
        "{} searches were not over after {} s: what they take is known only to be more",
        panels.iter().map(open).sum::<usize>(),
        context.limit()
    );
    let rows = context.adult().rows();
    let sizes = vec![Size::new("rows", rows, 30_162), Size::new("attributes", FOUR.len(), 4)];
    Ok(Outcome::new(panels, Run::new(context.adult().described(), sizes, notes)))
}

const WAYS: [&str; 4] = ["OPS, bottom-up", "OPS, top-down", "SPS, bottom-up", "SPS, top-down"];

fn both_ways(context: &Context, columns: &[&str], k: u64) -> Result<Vec<Measured>> {
    let mut line = Vec::new();
    for scheme in [Scheme::Ops, Scheme::Sps] {
        let schemed = Schemed::new(context.adult(), columns, scheme)?;
        for direction in [Direction::BottomUp, Direction::TopDown] {
            line.push(seconds(context, &schemed, k, direction, Pruning::AS_PUBLISHED)?);
        }
    }
    Ok(line)
}

/// The k of panels that vary the attributes.
const K: u64 = 5;

fn directions(context: &Context) -> Result<Outcome> {
    let by_k = Sweep::new("By k", "k", "CPU seconds", &WAYS).log();
    let by_k = by_k.run(&ks(context), |&k| both_ways(context, &FOUR, k))?;
    let by_columns =
        Sweep::new(&format!("By the number of attributes, k = {K}"), "attributes", "CPU seconds", &WAYS);
    let by_columns =
        by_columns.log().run(&[1usize, 2, 3, 4], |&many| both_ways(context, COLUMNS[many - 1], K))?;
    outcome(context, vec![by_k, by_columns])
}

fn all_schemes(context: &Context, columns: &[&str], k: u64) -> Result<Vec<Measured>> {
    let each = SCHEMES.iter().map(|scheme| {
        let schemed = Schemed::new(context.adult(), columns, *scheme)?;
        seconds(context, &schemed, k, Direction::BottomUp, Pruning::AS_PUBLISHED)
    });
    each.collect()
}

fn schemes(context: &Context) -> Result<Outcome> {
    let by_columns =
        Sweep::new(&format!("By the number of attributes, k = {K}"), "attributes", "CPU seconds", &names());
    let by_columns =
        by_columns.log().run(&[1usize, 2, 3, 4], |&many| all_schemes(context, COLUMNS[many - 1], K))?;
    let by_k = Sweep::new("By k", "k", "CPU seconds", &names()).log();
    let by_k = by_k.run(&ks(context), |&k| all_schemes(context, &FOUR, k))?;
    outcome(context, vec![by_columns, by_k])
}

/// The paper does not say which.
const K_OF_TECHNIQUES: u64 = 10;

const WITH: [&str; 4] = ["neither", "seeding & modified search", "rearrangement", "both"];

fn techniques(context: &Context) -> Result<Outcome> {
    let title = format!("CPU time with the techniques, k = {K_OF_TECHNIQUES}");
    let sweep = Sweep::new(&title, "scheme", "CPU seconds", &WITH).log().bars();
    // SPS is not over in any time that all figures together may take.
    let schemed = [("GOPS", Scheme::Gops), ("OPS", Scheme::Ops), ("GSPS", Scheme::Gsps)];
    let sweep = sweep.run(&schemed.map(|(name, _)| name), |name| {
        let scheme =
            schemed.iter().find(|(known, _)| known == name).map_or(Scheme::Ops, |(_, scheme)| *scheme);
        let schemed = Schemed::new(context.adult(), &FOUR, scheme)?;
        let with = |seeding: bool, order: bool| {
            let pruning = Pruning {
                seeding,
                reconsider: seeding,
                nodes: order,
                applicators: order,
                ..Pruning::AS_PUBLISHED
            };
            seconds(context, &schemed, K_OF_TECHNIQUES, Direction::BottomUp, pruning)
        };
        Ok(vec![with(false, false)?, with(true, false)?, with(false, true)?, with(true, true)?])
    })?;
    let mut outcome = outcome(context, vec![sweep])?;
    outcome.run.sizes.push(Size::unsaid("schemes", schemed.map(|(name, _)| name).join(" ")));
    Ok(outcome)
}
