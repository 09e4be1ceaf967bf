//! Losses of a release whose parts come one after the other.

use super::groups::{borrowed, charge, needs_of, sums};
use super::{Cost, Groups, Loss, Original, Totals};
use crate::Result;
use crate::statistics::{Collector, Needs, Statistics};

/// The losses of the parts published so far. No tuple of the domain is in two parts.
///
/// A cost that depends on domains and not on other rows is bound once, to the columns, and added up. Losses
/// that need all rows at once are left out: the hierarchical discernibility and the non-uniform entropy count
/// the rows of the whole original that a cell could stand for, and the divergence needs to know all regions
/// where some of them overlap.
pub struct Sums<'l, 'a> {
    told: Vec<LossSum<'l>>,
    costs: Vec<Box<dyn Cost + 'a>>,
    sums: Vec<f64>,
    /// The statistics so far of a group whose rows come in slices.
    sliced: Option<Statistics>,
}

/// A loss that is still computed.
struct LossSum<'l> {
    loss: &'l dyn Loss,
    how: How,
}

enum How {
    /// By the cost with this number.
    Cost(usize),
    /// By what parts add.
    Parts(f64),
}

impl<'l, 'a> Sums<'l, 'a> {
    /// Nothing as yet, for those of the losses that apply to the columns of the original.
    pub fn new(losses: impl Iterator<Item = &'l dyn Loss>, frame: &Original<'a>) -> Self {
        let (mut told, mut costs) = (Vec::new(), Vec::new());
        for loss in losses {
            if !loss.ignores_other_rows() {
                told.push(LossSum { loss, how: How::Parts(0.0) });
            } else if let Some(cost) = loss.cost(frame) {
                told.push(LossSum { loss, how: How::Cost(costs.len()) });
                costs.push(cost);
            }
        }
        let sums = vec![0.0; costs.len()];
        Sums { told, costs, sums, sliced: None }
    }

    /// Adds the groups of the next part, whose table has the columns and domains of the frame.
    pub fn add(&mut self, part: &Original<'_>, groups: &dyn Groups) -> Result<()> {
        for (sum, more) in self.sums.iter_mut().zip(sums(&borrowed(&self.costs), part.table, groups)?) {
            *sum += more;
        }
        self.told.retain_mut(|told| match &mut told.how {
            How::Cost(_) => true,
            How::Parts(sum) => told.loss.part(part, groups).map(|more| *sum += more).is_some(),
        });
        Ok(())
    }

    /// Adds some rows of a group that is larger than memory. Its region is that of the whole group, which goes on in the
    /// next slice unless this is the last.
    pub fn add_slice(&mut self, part: &Original<'_>, group: &dyn Groups, last: bool) -> Result<()> {
        let costs = borrowed(&self.costs);
        let needs = needs_of(&costs);
        let collector = Collector::new(&Needs { extents: Vec::new(), ..needs.clone() }, part.table)?;
        for more in group.statistics(0..1, &collector) {
            match &mut self.sliced {
                Some(sliced) => sliced.merge(&more),
                None => self.sliced = Some(more),
            }
        }
        if let Some(mut whole) = self.sliced.take_if(|_| last) {
            charge(&costs, &needs, &mut whole, group, 0, &mut self.sums);
        }
        // What a part adds is seen from whole groups, and which other rows this one has is not known.
        self.told.retain(|told| matches!(told.how, How::Cost(_)));
        Ok(())
    }

    /// The losses of the release that the parts make up, by name, in the order in which they were given.
    pub fn finish(self, totals: &Totals) -> Vec<(&'static str, f64)> {
        let finished = |told: &LossSum<'_>| {
            let value = match told.how {
                How::Cost(number) => self.costs[number].finish(self.sums[number], totals),
                How::Parts(sum) => told.loss.of_parts(sum, totals),
            };
            (told.loss.id(), value)
        };
        self.told.iter().map(finished).collect()
    }
}
