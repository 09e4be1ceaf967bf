//! Colours, markers and dashes, which distinguish series.
//!
//! A page that takes charts in sets these custom properties; where it sets none, the fixed colours are used:
//! `--chart-1` to `--chart-6`, `--chart-ink`, `--chart-muted`, `--chart-grid`, `--chart-warn`.

/// The fixed colours of series, on white, in turn.
pub const SERIES: [&str; 6] = ["#a67c00", "#0b62a4", "#a83218", "#0a8a6b", "#b06fc0", "#4d4d4d"];

/// The colours of series on a dark page, in turn.
pub const SERIES_ON_DARK: [&str; 6] = ["#e2b441", "#62b5f0", "#e8724f", "#4fd0a7", "#a46fc8", "#e8e8e8"];

/// The fixed colour of texts.
pub const INK: &str = "#22201c";
/// The fixed colour of the names of axes and ticks.
pub const MUTED: &str = "#6b655c";
/// The fixed colour of lines that help the eye.
pub const GRID: &str = "#e4dfd5";
/// The fixed colour behind everything.
pub const PAPER: &str = "#ffffff";
/// The fixed colour of lines to compare with.
pub const WARN: &str = "#a3282a";

/// The dashes of lines, in turn; other than six, as colours are, so that the two together repeat late.
pub(crate) const DASHES: [&str; 5] = ["", "8 4", "2 3", "10 3 2 3", "5 2 1 2 1 2"];

/// The markers of points, in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Plus,
    Cross,
    Down,
}

impl Marker {
    const ALL: [Marker; 7] = [
        Marker::Circle,
        Marker::Square,
        Marker::Triangle,
        Marker::Diamond,
        Marker::Plus,
        Marker::Cross,
        Marker::Down,
    ];

    /// The marker of a series.
    pub fn of(series: usize) -> Self {
        Self::ALL[series % Self::ALL.len()]
    }

    /// Its outline around a place, and whether it is filled.
    pub fn path(self, x: f64, y: f64, size: f64) -> (String, bool) {
        let r = size;
        let polygon = |points: &[(f64, f64)]| {
            let mut path = String::new();
            for (at, (dx, dy)) in points.iter().enumerate() {
                let verb = if at == 0 { 'M' } else { 'L' };
                path.push_str(&format!("{verb}{:.1} {:.1}", x + dx * r, y + dy * r));
            }
            path
        };
        let closed = |points: &[(f64, f64)]| (format!("{}Z", polygon(points)), true);
        match self {
            Marker::Circle => (
                format!(
                    "M{:.1} {y:.1}a{r} {r} 0 1 0 {:.1} 0a{r} {r} 0 1 0 {:.1} 0Z",
                    x - r,
                    2.0 * r,
                    -2.0 * r
                ),
                true,
            ),
            Marker::Square => closed(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Triangle => closed(&[(0.0, -1.2), (1.1, 0.9), (-1.1, 0.9)]),
            Marker::Down => closed(&[(0.0, 1.2), (1.1, -0.9), (-1.1, -0.9)]),
            Marker::Diamond => closed(&[(0.0, -1.3), (1.2, 0.0), (0.0, 1.3), (-1.2, 0.0)]),
            Marker::Plus => (
                format!("{}{}", polygon(&[(-1.2, 0.0), (1.2, 0.0)]), polygon(&[(0.0, -1.2), (0.0, 1.2)])),
                false,
            ),
            Marker::Cross => (
                format!("{}{}", polygon(&[(-1.0, -1.0), (1.0, 1.0)]), polygon(&[(-1.0, 1.0), (1.0, -1.0)])),
                false,
            ),
        }
    }
}
