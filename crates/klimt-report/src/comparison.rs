//! The page that puts algorithms and values of k side by side.

use crate::html::{Html, Table, count, number, percent, text, thousands};
use crate::page::{Page, Section};
use klimt_chart::{Axis, Chart, Frame, Frontier, Lines, undominated};
use serde::{Serialize, Serializer};

/// The release of a trial: its size, losses, risk and times.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialRelease {
    /// The number of groups.
    pub groups: u64,
    /// The size of the smallest group.
    pub smallest_group: u64,
    /// Rows that are left out.
    pub suppressed: u64,
    /// The losses by name, in the order of the registry.
    #[serde(serialize_with = "by_name")]
    pub losses: Vec<(&'static str, f64)>,
    /// The chances of being found.
    pub risk: TrialRisk,
    /// The time that it took.
    pub seconds: TrialSeconds,
    /// The claim that is proven of its loss.
    pub proven: String,
}

/// The chances of being found in a release.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrialRisk {
    /// The highest.
    pub highest: f64,
    /// The average.
    pub average: f64,
}

/// The time of a trial, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrialSeconds {
    /// By the clock.
    pub wall: f64,
    /// Of all processors.
    pub cpu: f64,
}

/// The end of a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TrialOutcome {
    /// A release, which was checked and thrown away.
    Release(TrialRelease),
    /// No release.
    Impossible {
        /// The reason.
        #[serde(rename = "impossible")]
        reason: String,
    },
}

/// One setting, and its outcome.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// The algorithm.
    pub algorithm: String,
    /// The least size of groups.
    pub k: u64,
    /// Whether no other setting has less risk and less loss.
    pub frontier: bool,
    /// A release, or the reason why there is none.
    #[serde(flatten)]
    pub outcome: TrialOutcome,
}

/// Algorithms and values of k side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of the table, without its folder.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Its quasi-identifiers.
    #[serde(skip)]
    pub quasi_identifiers: Vec<String>,
    /// The requirements besides k.
    pub requirements: Vec<String>,
    /// The loss by which settings are compared, and its meaning.
    #[serde(serialize_with = "name_alone")]
    pub loss: (&'static str, &'static str),
    /// The settings, in the order in which they were tried.
    pub trials: Vec<Trial>,
}

fn by_name<S: Serializer>(losses: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(losses.iter().copied())
}

fn name_alone<S: Serializer>(
    (name, _): &(&'static str, &'static str),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name)
}

impl TrialRelease {
    /// A loss by name, where it applies.
    pub fn loss(&self, id: &str) -> Option<f64> {
        self.losses.iter().find(|(name, _)| *name == id).map(|(_, loss)| *loss)
    }

    /// A loss as charts draw it: not a number where it does not apply.
    fn drawn_loss(&self, id: &str) -> f64 {
        self.loss(id).unwrap_or(f64::NAN)
    }
}

impl Trial {
    /// The release, where there is one.
    pub fn release(&self) -> Option<&TrialRelease> {
        match &self.outcome {
            TrialOutcome::Release(release) => Some(release),
            TrialOutcome::Impossible { .. } => None,
        }
    }

    /// The reason why there is no release, where there is none.
    pub fn reason(&self) -> Option<&str> {
        match &self.outcome {
            TrialOutcome::Release(_) => None,
            TrialOutcome::Impossible { reason } => Some(reason),
        }
    }
}

impl Comparison {
    /// Marks the trials that no other beats in risk and loss.
    pub fn mark_frontier(&mut self) {
        let frontier = self.undominated();
        for (at, trial) in self.trials.iter_mut().enumerate() {
            trial.frontier = frontier.contains(&at);
        }
    }

    /// The trials that no other beats in risk and loss, least risk first.
    pub fn frontier(&self) -> Vec<&Trial> {
        self.undominated().into_iter().map(|at| &self.trials[at]).collect()
    }

    fn undominated(&self) -> Vec<usize> {
        let cost = |trial: &Trial| match trial.release() {
            Some(release) => (release.risk.highest, release.drawn_loss(self.loss.0)),
            None => (f64::NAN, f64::NAN),
        };
        undominated(&self.trials.iter().map(cost).collect::<Vec<_>>())
    }

    /// The page; `again` is how it is made again, in the words of a front end.
    pub fn html(&self, again: &str) -> String {
        let mut top = Html::default();
        self.summary(&mut top);
        let sections = vec![
            Section::new("frontier", "Risk and loss", self.by_risk()),
            Section::new("cost", "Loss against k", self.by_k()),
            Section::new("time", "Time against k", self.by_time()),
            Section::new("trials", "All settings", self.all()),
            Section::new("again", "How to make this page again", make_again(again)),
        ];
        let asked = match self.requirements.is_empty() {
            true => String::new(),
            false => format!(" Besides k: {}.", self.requirements.join("; ")),
        };
        Page {
            title: format!("Comparison: {}", self.table),
            subtitle: format!(
                "{} rows, quasi-identifiers {}.{asked}",
                thousands(self.rows),
                self.quasi_identifiers.join(", ")
            ),
            summary: top,
            sections,
        }
        .html()
    }

    fn done(&self) -> impl Iterator<Item = (&Trial, &TrialRelease)> {
        self.trials.iter().filter_map(|trial| Some((trial, trial.release()?)))
    }

    fn algorithms(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for trial in &self.trials {
            if !names.contains(&trial.algorithm.as_str()) {
                names.push(&trial.algorithm);
            }
        }
        names
    }

    fn summary(&self, out: &mut Html) {
        let done = self.done().count();
        let (loss, _) = self.loss;
        if done == 0 {
            out.verdict(false, "Nothing to compare.", "No setting could be tried: the table below says why.");
            return;
        }
        let names: Vec<String> = self.frontier().into_iter().map(name).collect();
        out.verdict(
            true,
            &format!("{} of {} settings", names.len(), self.trials.len()),
            &format!(
                "are worth considering: no other has less risk and less {loss}. They are {}.",
                listed(&names)
            ),
        );
        let least = self.done().min_by(|a, b| a.1.drawn_loss(loss).total_cmp(&b.1.drawn_loss(loss)));
        let safest = self.done().min_by(|a, b| a.1.risk.highest.total_cmp(&b.1.risk.highest));
        let quickest = self.done().min_by(|a, b| a.1.seconds.cpu.total_cmp(&b.1.seconds.cpu));
        let mut figures = Vec::new();
        figures.push(("Settings tried", format!("{done}"), format!("of {} asked for", self.trials.len())));
        figures.extend(least.map(|(trial, release)| {
            (
                "Least loss",
                klimt_chart::number(release.drawn_loss(loss)),
                format!("{loss}, by {}", name(trial)),
            )
        }));
        figures.extend(safest.map(|(trial, release)| {
            (
                "Least risk",
                percent(release.risk.highest),
                format!("highest chance to be found, by {}", name(trial)),
            )
        }));
        figures.extend(quickest.map(|(trial, release)| {
            ("Quickest", format!("{:.2} s", release.seconds.cpu), format!("of CPU time, by {}", name(trial)))
        }));
        out.figures(&figures);
    }

    fn by_risk(&self) -> Html {
        let (loss, meaning) = self.loss;
        let frame = Frame::new(
            format!("Highest chance of being found, and {loss}"),
            format!("Less is better in both; settings that no other beats are joined and named. {loss}: {meaning}."),
        )
        .sized(860.0, 440.0);
        let mut chart =
            Frontier::new(frame, Axis::new("chance of being found, in per cent"), Axis::new(loss).from(0.0));
        for (trial, release) in self.done() {
            let (risk, loss) = (release.risk.highest * 100.0, release.drawn_loss(loss));
            chart = chart.with(&trial.algorithm, name(trial), risk, loss);
        }
        let mut data =
            Table::new("On the frontier", &["setting", "#chance of being found", &format!("#{loss}")]);
        for trial in self.frontier() {
            let Some(release) = trial.release() else { continue };
            let (risk, value) = (release.risk.highest, release.drawn_loss(loss));
            data.row(vec![
                text(name(trial)),
                number(percent(risk), risk),
                number(klimt_chart::number(value), value),
            ]);
        }
        let mut out = Html::default();
        out.figure("risk-and-loss", &chart, &data);
        out
    }

    /// A line for each algorithm over k.
    fn over_k(&self, id: &str, frame: Frame, y: Axis, value: &dyn Fn(&TrialRelease) -> f64, out: &mut Html) {
        let mut chart = Lines::over(frame, Axis::new("k").log(), y);
        let mut data = Table::new(chart.frame().title.clone(), &["algorithm", "#k", "#value"]);
        for algorithm in self.algorithms() {
            let mut points: Vec<(f64, f64)> = self
                .done()
                .filter(|(trial, _)| trial.algorithm == algorithm)
                .map(|(trial, release)| (trial.k as f64, value(release)))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            for &(k, value) in &points {
                data.row(vec![text(algorithm), count(k as u64), number(klimt_chart::number(value), value)]);
            }
            chart = chart.with(algorithm, points);
        }
        out.figure(id, &chart, &data);
    }

    fn by_k(&self) -> Html {
        let mut out = Html::default();
        let (loss, meaning) = self.loss;
        let frame = Frame::new(format!("{loss} against k"), format!("{meaning}, for each algorithm"));
        self.over_k(
            "loss-by-k",
            frame,
            Axis::new(loss).from(0.0),
            &|release| release.drawn_loss(loss),
            &mut out,
        );
        out
    }

    fn by_time(&self) -> Html {
        let mut out = Html::default();
        let frame =
            Frame::new("Seconds that passed", "Finding the groups and measuring them; both axes logarithmic");
        self.over_k(
            "wall-by-k",
            frame,
            Axis::new("seconds").log(),
            &|release| release.seconds.wall,
            &mut out,
        );
        let frame =
            Frame::new("Seconds of all processors", "The same, added up over threads; both axes logarithmic");
        self.over_k(
            "cpu-by-k",
            frame,
            Axis::new("CPU seconds").log(),
            &|release| release.seconds.cpu,
            &mut out,
        );
        out
    }

    fn all(&self) -> Html {
        let mut ids: Vec<&str> = Vec::new();
        for id in self.done().flat_map(|(_, release)| release.losses.iter().map(|(id, _)| *id)) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let mut heads = vec![
            String::from("algorithm"),
            String::from("#k"),
            String::from("frontier"),
            String::from("#groups"),
            String::from("#suppressed"),
            String::from("#highest risk"),
            String::from("#average risk"),
        ];
        heads.extend(ids.iter().map(|id| format!("#{id}")));
        heads.extend(["#seconds", "#CPU seconds", "proven"].map(String::from));
        let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
        let mut table = Table::new("Every setting with all its losses; click a heading to sort", &heads);
        for (trial, release) in self.done() {
            let mut row = vec![
                text(&trial.algorithm),
                count(trial.k),
                text(if trial.frontier { "yes" } else { "" }),
                count(release.groups),
                count(release.suppressed),
                number(percent(release.risk.highest), release.risk.highest),
                number(percent(release.risk.average), release.risk.average),
            ];
            row.extend(
                ids.iter()
                    .map(|id| number(klimt_chart::number(release.drawn_loss(id)), release.drawn_loss(id))),
            );
            let seconds = [release.seconds.wall, release.seconds.cpu];
            row.extend(seconds.map(|seconds| number(format!("{seconds:.2}"), seconds)));
            row.push(text(&release.proven));
            table.row(row);
        }
        let mut out = Html::default();
        if !table.rows.is_empty() {
            out.table(&table);
        }
        let mut failed = Table::new("Settings that could not be tried", &["algorithm", "#k", "why"]);
        for trial in &self.trials {
            if let Some(reason) = trial.reason() {
                failed.row(vec![text(&trial.algorithm), count(trial.k), text(reason)]);
            }
        }
        if !failed.rows.is_empty() {
            out.table(&failed);
        }
        out
    }
}

fn make_again(words: &str) -> Html {
    let mut out = Html::default();
    out.verbatim(words);
    out.remark("Times depend on the machine and on what else it does; searches may find more in more time.");
    out
}

fn name(trial: &Trial) -> String {
    format!("{}, k = {}", trial.algorithm, trial.k)
}

/// Names in a sentence; of many, the first ones.
fn listed(names: &[String]) -> String {
    const MOST: usize = 6;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("‘{name}’")).collect();
    match names.len().checked_sub(MOST) {
        None | Some(0) => shown.join("; "),
        Some(more) => format!("{}; and {more} more", shown.join("; ")),
    }
}
