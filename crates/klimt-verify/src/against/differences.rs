//! Checks the rows that joined or left between two releases.
//!
//! An attacker who knows that somebody has just joined looks for that row only among the newcomers of its group; one who
//! knows that somebody has left only among the leavers.

use super::{ChangedRows, Difference, candidates::Sets, judge::SetJudge, linked::LinkedRows};
use klimt_core::Result;

/// The differences between each release and the next newer one, newest first; judged where there is a judge.
pub(super) fn between(linked: &LinkedRows, judge: &mut Option<SetJudge<'_>>) -> Result<Vec<Difference>> {
    let pairs = 1..linked.files.len();
    let difference = |older: usize| {
        Ok(Difference {
            newer: linked.files[older - 1].name.clone(),
            older: linked.files[older].name.clone(),
            newcomers: changed(linked, older - 1, older, judge)?,
            leavers: changed(linked, older, older - 1, judge)?,
        })
    };
    pairs.map(difference).collect()
}

/// The rows of one release that another does not have, by their groups.
fn changed(
    linked: &LinkedRows,
    of: usize,
    other: usize,
    judge: &mut Option<SetJudge<'_>>,
) -> Result<ChangedRows> {
    let members = linked.files[of].members.iter().copied();
    let rows: Vec<u32> = members.filter(|&row| linked.mask(row) >> other & 1 == 0).collect();
    let groups = rows.iter().map(|&row| linked.group(row, of)).collect();
    let sets = Sets::new(of, rows, groups, |_| true);
    let verdict = judge.as_mut().map(|judge| judge.judge(&sets)).transpose()?;
    Ok(ChangedRows {
        rows: sets.rows.len() as u64,
        groups: sets.judged().count() as u64,
        smallest: sets.smallest(),
        violating_rows: verdict.map(|verdict| verdict.rows),
    })
}
