//! One chart of every kind, as files: `cargo run -p klimt-chart --example gallery -- FOLDER`.

use klimt_chart::{Area, Axis, Bars, Bin, Chart, Frame, Frontier, Histogram, Lines, Scatter};

fn main() -> std::io::Result<()> {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_string()));
    let labels = || [2, 5, 10, 25, 50, 100].map(|k| format!("k = {k}")).to_vec();
    let lines = Lines::over(
        Frame::new("Loss against k", "Three algorithms, both axes logarithmic"),
        Axis::new("k").log(),
        Axis::new("loss").log(),
    )
    .with("mondrian", vec![(2.0, 0.011), (5.0, 0.03), (10.0, 0.06), (100.0, 0.21)])
    .with("rtree", vec![(2.0, 0.009), (5.0, 0.02), (10.0, 0.05), (100.0, 0.19)])
    .with("local", vec![(2.0, 0.008), (5.0, 0.019), (10.0, f64::NAN), (100.0, 0.2)])
    .with_rule(0.1, "what users accept");
    let bars = Bars::new(Frame::new("Bars", "Two series"), labels(), Axis::new("DM"))
        .with("found", vec![2.5, 1.4, 1.2, 1.1, 1.06, 1.04])
        .with("proven", vec![2.4, 1.3, 1.1, 1.0, 1.0, 1.0])
        .with_values();
    let words = ["Never-married", "Married-civ-spouse", "Widowed <& others>"].map(String::from).to_vec();
    let right = Bars::new(Frame::new("Rows by value", "Before and after"), words, Axis::new("rows"))
        .with("before", vec![9726.0, 14065.0, 827.0])
        .with("after", vec![9000.0, 14800.0, 820.0])
        .with_values()
        .to_the_right();
    let bins =
        (0..20).map(|at| Bin::new(f64::from(at) * 5.0, f64::from(at) * 5.0 + 5.0, f64::from(at * (20 - at))));
    let histogram =
        Histogram::new(Frame::new("Ages", "In bins of five years"), Axis::new("age"), Axis::new("rows"))
            .with("before", bins.collect())
            .with(
                "after",
                vec![Bin::new(0.0, 30.0, 60.0), Bin::new(30.0, 70.0, 80.0), Bin::new(70.0, 100.0, 40.0)],
            );
    let area = |at: i32, weight: f64| {
        let (x, y) = (f64::from(at % 5) * 10.0, f64::from(at / 5) * 8.0);
        Area { x: (x, x + 9.0), y: (y, y + 7.0), weight, label: format!("{weight} rows") }
    };
    let plane = Scatter::new(Frame::new("Boxes", "Groups over points"), Axis::new("age"), Axis::new("hours"))
        .with("people", (0..60).map(|at| (f64::from(at * 7 % 50), f64::from(at * 11 % 40))).collect())
        .with_cells("original", (0..25).map(|at| area(at, f64::from(at))).collect())
        .with_boxes("published", (0..25).map(|at| area(at, 1.0)).collect());
    let mut frontier =
        Frontier::new(Frame::new("Risk and loss", "Less is better"), Axis::new("risk"), Axis::new("ncp"));
    for (at, kind) in ["mondrian", "rtree", "local"].into_iter().enumerate() {
        for k in [2, 5, 10, 50] {
            let loss = 0.02 * f64::from(k).sqrt() * (1.0 + 0.2 * at as f64);
            frontier = frontier.with(kind, format!("{kind}, k = {k}"), 1.0 / f64::from(k), loss);
        }
    }
    let charts: [(&str, &dyn Chart); 6] = [
        ("lines", &lines),
        ("bars", &bars),
        ("right", &right),
        ("histogram", &histogram),
        ("scatter", &plane),
        ("frontier", &frontier),
    ];
    charts
        .into_iter()
        .try_for_each(|(name, chart)| std::fs::write(folder.join(format!("{name}.svg")), chart.svg()))
}
