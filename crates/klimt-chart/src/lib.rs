//! Charts as SVG, for pages and for files.
//!
//! A chart is a small struct with public fields; [`Chart::svg`] draws it as a file of its own, with fixed light colours,
//! and [`Chart::inline`] as a part of a page, with colours that the page sets as CSS custom properties (see [`palette`]),
//! so that it is light or dark as the page is.
//!
//! Rules for every chart: it has a `<title>` and a `<desc>` and the role of an image; every mark says in a
//! `<title>` of its own what it stands for; series differ by marker, dash or pattern besides colour, and the
//! colours by lightness where eyes that see no red or green would confuse them; every text is escaped, long
//! texts are shortened, and labels that would run into each other are left out. Values that are not finite
//! are left out (on a log axis those that are not positive too), and a chart of nothing says so.

mod axis;
mod bars;
mod canvas;
mod frame;
mod frontier;
mod histogram;
mod lines;
pub mod palette;
mod scatter;
mod text;
mod ticks;

pub use axis::{Axis, Scale, Tick};
pub use bars::{Bars, Direction};
pub use frame::{Frame, Rule};
pub use frontier::{Candidate, Frontier, undominated};
pub use histogram::{Bin, Bins, Histogram};
pub use lines::{Line, LineAxis, Lines};
pub use scatter::{Area, Scatter};
pub use text::{escape, number, shorten};

use canvas::{Canvas, Ink};

/// Something that can be drawn.
pub trait Chart {
    /// Draws the chart: its frame, then its marks.
    #[doc(hidden)]
    fn draw(&self, canvas: &mut Sheet);

    /// Title and size.
    fn frame(&self) -> &Frame;

    /// The chart as a file of its own: fixed colours on white, with its title on top.
    fn svg(&self) -> String {
        let mut sheet = Sheet(Canvas::new(self.frame(), Ink::Fixed, "chart"));
        self.draw(&mut sheet);
        let mut text = sheet.0.finish();
        text.push('\n');
        text
    }

    /// The chart as a part of a page, in the colours of the page. The page says its title (a caption, say). No two charts
    /// of a page may have the same `id`.
    fn inline(&self, id: &str) -> String {
        let mut sheet = Sheet(Canvas::new(self.frame(), Ink::Variables, id));
        self.draw(&mut sheet);
        sheet.0.finish()
    }
}

/// The sheet that a chart is drawn on.
#[doc(hidden)]
pub struct Sheet(Canvas);

#[cfg(test)]
mod tests;
