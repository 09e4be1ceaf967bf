//! Risk before and after, by what an attacker can do.

use crate::html::{Html, Table, count, number, percent, text};
use crate::report::Report;
use klimt_chart::{Axis, Bars, Frame};
use klimt_core::risk::Risk;

pub(crate) fn body(report: &Report<'_>) -> Html {
    let mut out = Html::default();
    let (before, after) = (&report.risks.before, &report.risks.after);
    singling_out(report, &mut out);
    linkability(before, after, &mut out);
    inference(report, &mut out);
    out
}

fn singling_out(report: &Report<'_>, out: &mut Html) {
    let (before, after) = (&report.risks.before, &report.risks.after);
    out.heading("Singling out");
    out.paragraph("Can somebody be told apart from everybody else, by the quasi-identifiers alone?");
    let mut table = Table::new("Rows that are told apart", &["measure", "#original", "#release"]);
    let share = |risk: &Risk| number(percent(risk.unique_share), risk.unique_share);
    table.row(vec![text("unique rows"), count(before.unique), count(after.unique)]);
    table.row(vec![text("share of all rows"), share(before), share(after)]);
    table.row(vec![text("smallest group"), count(before.smallest_group), count(after.smallest_group)]);
    if let Some(below) = report.findings.below {
        table.row(vec![text(format!("rows in groups below {}", below.k)), text("–"), count(below.rows)]);
    }
    out.table(&table);
    for (column, rows) in report.risks.contributions.iter().filter(|(_, rows)| *rows > 0) {
        out.warning(
            &format!(
                "{} of the unique rows of the release are unique by {column}.",
                crate::html::thousands(*rows)
            ),
            false,
        );
    }
}

fn linkability(before: &Risk, after: &Risk, out: &mut Html) {
    out.heading("Linkability");
    out.paragraph(
        "Can a row be linked to a person? A prosecutor knows that the person is in the table, a journalist does not know who \
         of the population is, and a marketer tries every row.",
    );
    let above = format!("#rows above {}", after.threshold);
    let mut table = Table::new(
        "The chance of finding the right row",
        &[
            "attacker",
            "#highest, original",
            "#highest, release",
            "#average, original",
            "#average, release",
            &above,
        ],
    );
    let share = |share: f64| number(percent(share), share);
    for (name, a, b) in [
        ("prosecutor", &before.prosecutor, &after.prosecutor),
        ("journalist", &before.journalist, &after.journalist),
    ] {
        table.row(vec![
            text(name),
            share(a.highest),
            share(b.highest),
            share(a.average),
            share(b.average),
            share(b.above_threshold),
        ]);
    }
    table.row(vec![
        text("marketer"),
        text("–"),
        text("–"),
        share(before.marketer),
        share(after.marketer),
        text("–"),
    ]);
    out.table(&table);
    let frame = Frame::new(
        "Average chance of finding the right row",
        "For each attacker in the original and in the release, in per cent",
    )
    .sized(860.0, 260.0);
    let labels = ["prosecutor", "journalist", "marketer"].map(String::from).to_vec();
    let values = |risk: &Risk| {
        [risk.prosecutor.average, risk.journalist.average, risk.marketer].map(|v| v * 100.0).to_vec()
    };
    let chart = Bars::new(frame, labels.clone(), Axis::new("per cent"))
        .with("original", values(before))
        .with("release", values(after))
        .with_values()
        .to_the_right();
    let mut data = Table::new("Average chance, in per cent", &["attacker", "#original", "#release"]);
    for (at, label) in labels.iter().enumerate() {
        let cell = |risk: &Risk| number(klimt_chart::number(values(risk)[at]), values(risk)[at]);
        data.row(vec![text(label), cell(before), cell(after)]);
    }
    out.figure("attackers", &chart, &data);
    if let Some(population) = &after.population {
        out.paragraph(&format!(
            "The table is a sample of {} people; {:.0} of them are estimated to be unique by what the release tells (Zayatz).",
            crate::html::thousands(population.size),
            population.zayatz.uniques
        ));
    }
}

fn inference(report: &Report<'_>, out: &mut Html) {
    out.heading("Inference");
    if report.risks.inference.is_empty() {
        out.paragraph("No column was named as sensitive, so nothing is said of what can be inferred.");
        return;
    }
    out.paragraph(
        "Can a sensitive value be known without finding the row, because all rows of a group share it?",
    );
    let mut table = Table::new(
        "Rows whose sensitive value is certain",
        &["column", "#original", "#release", "#least different values in a group"],
    );
    for found in &report.risks.inference {
        table.row(vec![
            text(&found.column),
            number(percent(found.certain_before), found.certain_before),
            number(percent(found.certain_after), found.certain_after),
            count(found.least_distinct),
        ]);
    }
    out.table(&table);
}
