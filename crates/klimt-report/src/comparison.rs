//! The page that puts algorithms and values of k side by side.

use crate::html::{Html, Table, count, number, percent, text, thousands};
use crate::page::{Page, Section};
use klimt_chart::{Axis, Chart, Frame, Frontier, Lines, undominated};

/// What one setting came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// How many groups there are.
    pub groups: u64,
    /// The size of the smallest.
    pub smallest: u64,
    /// Rows that are left out.
    pub suppressed: u64,
    /// The losses by name.
    pub losses: Vec<(&'static str, f64)>,
    /// The highest chance of being found.
    pub highest: f64,
    /// The average chance of being found.
    pub average: f64,
    /// Seconds that passed.
    pub wall: f64,
    /// Seconds of all processors.
    pub cpu: f64,
    /// What is proven.
    pub proven: String,
}

/// One setting, and what came of it or why nothing did.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// The algorithm.
    pub algorithm: String,
    /// The least size of groups.
    pub k: u64,
    /// What came of it.
    pub outcome: Result<Tried, String>,
}

/// All that the page is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The name of the table, without its folder.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Its quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// What was required besides k.
    pub requirements: Vec<String>,
    /// The loss that settings are compared by, and what it means.
    pub loss: (&'static str, &'static str),
    /// The settings.
    pub trials: Vec<Trial>,
    /// The command that made the page.
    pub command: String,
}

impl Tried {
    /// A loss by name; not a number where it does not apply.
    pub fn loss(&self, id: &str) -> f64 {
        self.losses.iter().find(|(name, _)| *name == id).map_or(f64::NAN, |(_, loss)| *loss)
    }
}

impl Comparison {
    /// The numbers of the trials that no other beats in risk and loss.
    pub fn frontier(&self) -> Vec<usize> {
        let cost = |trial: &Trial| match &trial.outcome {
            Ok(tried) => (tried.highest, tried.loss(self.loss.0)),
            Err(_) => (f64::NAN, f64::NAN),
        };
        undominated(&self.trials.iter().map(cost).collect::<Vec<_>>())
    }

    /// The page.
    pub fn html(&self) -> String {
        let mut top = Html::default();
        self.summary(&mut top);
        let sections = vec![
            Section::new("frontier", "Risk and loss", self.by_risk()),
            Section::new("cost", "Loss against k", self.by_k()),
            Section::new("time", "Time against k", self.by_time()),
            Section::new("trials", "All settings", self.all()),
            Section::new("again", "How to make this page again", self.again()),
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

    fn done(&self) -> impl Iterator<Item = (&Trial, &Tried)> {
        self.trials.iter().filter_map(|trial| Some((trial, trial.outcome.as_ref().ok()?)))
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
        let (frontier, done) = (self.frontier(), self.done().count());
        let (loss, _) = self.loss;
        if done == 0 {
            out.verdict(false, "Nothing to compare.", "No setting could be tried: the table below says why.");
            return;
        }
        let names: Vec<String> = frontier.iter().map(|&at| name(&self.trials[at])).collect();
        out.verdict(
            true,
            &format!("{} of {} settings", frontier.len(), self.trials.len()),
            &format!(
                "are worth considering: no other has less risk and less {loss}. They are {}.",
                listed(&names)
            ),
        );
        let least = self.done().min_by(|a, b| a.1.loss(loss).total_cmp(&b.1.loss(loss)));
        let safest = self.done().min_by(|a, b| a.1.highest.total_cmp(&b.1.highest));
        let quickest = self.done().min_by(|a, b| a.1.cpu.total_cmp(&b.1.cpu));
        let mut figures = Vec::new();
        figures.push(("Settings tried", format!("{done}"), format!("of {} asked for", self.trials.len())));
        figures.extend(least.map(|(trial, tried)| {
            ("Least loss", klimt_chart::number(tried.loss(loss)), format!("{loss}, by {}", name(trial)))
        }));
        figures.extend(safest.map(|(trial, tried)| {
            ("Least risk", percent(tried.highest), format!("highest chance to be found, by {}", name(trial)))
        }));
        figures.extend(quickest.map(|(trial, tried)| {
            ("Quickest", format!("{:.2} s", tried.cpu), format!("of CPU time, by {}", name(trial)))
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
        for (trial, tried) in self.done() {
            chart = chart.with(&trial.algorithm, name(trial), tried.highest * 100.0, tried.loss(loss));
        }
        let mut data =
            Table::new("On the frontier", &["setting", "#chance of being found", &format!("#{loss}")]);
        for at in self.frontier() {
            if let Ok(tried) = &self.trials[at].outcome {
                let value = tried.loss(loss);
                data.row(vec![
                    text(name(&self.trials[at])),
                    number(percent(tried.highest), tried.highest),
                    number(klimt_chart::number(value), value),
                ]);
            }
        }
        let mut out = Html::default();
        out.figure("risk-and-loss", &chart, &data);
        out
    }

    /// A line for each algorithm over k.
    fn over_k(&self, id: &str, frame: Frame, y: Axis, value: &dyn Fn(&Tried) -> f64, out: &mut Html) {
        let mut chart = Lines::over(frame, Axis::new("k").log(), y);
        let mut data = Table::new(chart.frame().title.clone(), &["algorithm", "#k", "#value"]);
        for algorithm in self.algorithms() {
            let mut points: Vec<(f64, f64)> = self
                .done()
                .filter(|(trial, _)| trial.algorithm == algorithm)
                .map(|(trial, tried)| (trial.k as f64, value(tried)))
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
        self.over_k("loss-by-k", frame, Axis::new(loss).from(0.0), &|tried| tried.loss(loss), &mut out);
        out
    }

    fn by_time(&self) -> Html {
        let mut out = Html::default();
        let frame =
            Frame::new("Seconds that passed", "Finding the groups and measuring them; both axes logarithmic");
        self.over_k("wall-by-k", frame, Axis::new("seconds").log(), &|tried| tried.wall, &mut out);
        let frame =
            Frame::new("Seconds of all processors", "The same, added up over threads; both axes logarithmic");
        self.over_k("cpu-by-k", frame, Axis::new("CPU seconds").log(), &|tried| tried.cpu, &mut out);
        out
    }

    fn all(&self) -> Html {
        let frontier = self.frontier();
        let mut ids: Vec<&str> = Vec::new();
        for id in self.done().flat_map(|(_, tried)| tried.losses.iter().map(|(id, _)| *id)) {
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
        for (at, trial) in self.trials.iter().enumerate() {
            let Ok(tried) = &trial.outcome else { continue };
            let mut row = vec![
                text(&trial.algorithm),
                count(trial.k),
                text(if frontier.contains(&at) { "yes" } else { "" }),
                count(tried.groups),
                count(tried.suppressed),
                number(percent(tried.highest), tried.highest),
                number(percent(tried.average), tried.average),
            ];
            row.extend(ids.iter().map(|id| number(klimt_chart::number(tried.loss(id)), tried.loss(id))));
            row.push(number(format!("{:.2}", tried.wall), tried.wall));
            row.push(number(format!("{:.2}", tried.cpu), tried.cpu));
            row.push(text(&tried.proven));
            table.row(row);
        }
        let mut out = Html::default();
        if !table.rows.is_empty() {
            out.table(&table);
        }
        let mut failed = Table::new("Settings that could not be tried", &["algorithm", "#k", "why"]);
        for trial in &self.trials {
            if let Err(why) = &trial.outcome {
                failed.row(vec![text(&trial.algorithm), count(trial.k), text(why)]);
            }
        }
        if !failed.rows.is_empty() {
            out.table(&failed);
        }
        out
    }

    fn again(&self) -> Html {
        let mut out = Html::default();
        out.verbatim(&self.command);
        out.remark(
            "Times depend on the machine and on what else it does; searches may find more in more time.",
        );
        out
    }
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
