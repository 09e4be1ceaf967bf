//! The canvas that marks are drawn on: an SVG in the making.

use crate::frame::Frame;
use crate::palette::{self, DASHES, Marker};
use crate::text::escape;
use std::fmt::Write;

/// Where colours come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// They are fixed.
    Fixed,
    /// The page sets them.
    Variables,
}

/// A colour by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Series(usize),
    Text,
    Muted,
    Grid,
    Warn,
}

/// Where a text stands from its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lettering {
    pub anchor: Anchor,
    pub size: f64,
    pub colour: Colour,
    /// Upwards, as the name of a vertical axis.
    pub upright: bool,
}

impl Lettering {
    /// The names of ticks.
    pub const TICK: Lettering =
        Lettering { anchor: Anchor::Middle, size: 12.0, colour: Colour::Muted, upright: false };
    /// Names of series and marks.
    pub const NAME: Lettering =
        Lettering { anchor: Anchor::Start, size: 12.0, colour: Colour::Text, upright: false };

    pub fn anchored(self, anchor: Anchor) -> Self {
        Lettering { anchor, ..self }
    }
}

/// An SVG in the making.
pub(crate) struct Canvas {
    out: String,
    ink: Ink,
}

impl Canvas {
    /// Begins an SVG with its name and description.
    pub fn new(frame: &Frame, ink: Ink, id: &str) -> Self {
        let (width, height, id) = (frame.width(), frame.height(), escape(id));
        let (title, description) = (escape(&frame.title), escape(&frame.description));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" font-family=\"system-ui, sans-serif\">\
             <title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{description}</desc>"
        );
        if ink == Ink::Fixed {
            write!(out, "<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>", palette::PAPER).expect(TAKES);
        }
        Canvas { out, ink }
    }

    /// Whether the title is drawn: a page has captions.
    pub fn has_title(&self) -> bool {
        self.ink == Ink::Fixed
    }

    pub fn finish(mut self) -> String {
        self.out.push_str("</svg>");
        self.out
    }

    fn colour(&self, colour: Colour) -> String {
        let (name, fixed) = match colour {
            Colour::Series(series) => {
                let at = series % palette::SERIES.len();
                (format!("{}", at + 1), palette::SERIES[at])
            }
            Colour::Text => (String::from("ink"), palette::INK),
            Colour::Muted => (String::from("muted"), palette::MUTED),
            Colour::Grid => (String::from("grid"), palette::GRID),
            Colour::Warn => (String::from("warn"), palette::WARN),
        };
        match self.ink {
            Ink::Fixed => fixed.to_string(),
            Ink::Variables => format!("var(--chart-{name},{fixed})"),
        }
    }

    /// A text at a place.
    pub fn text(&mut self, x: f64, y: f64, text: &str, lettering: Lettering) {
        let anchor = match lettering.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (size, fill, text) = (lettering.size, self.colour(lettering.colour), escape(text));
        let turn = if lettering.upright {
            format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"")
        } else {
            String::new()
        };
        write!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{turn}>{text}</text>"
        )
        .expect(TAKES);
    }

    /// A straight line; dashed where it is to compare with.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: Colour, dashed: bool) {
        let stroke = self.colour(colour);
        let dash = if dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        write!(
            self.out,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\"{dash}/>"
        )
        .expect(TAKES);
    }

    /// A line through places, in the colour and dash of a series.
    pub fn path(&mut self, points: &[(f64, f64)], series: usize) {
        let stroke = self.colour(Colour::Series(series));
        let dash = match DASHES[series % DASHES.len()] {
            "" => String::new(),
            dash => format!(" stroke-dasharray=\"{dash}\""),
        };
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        write!(
            self.out,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\" \
             stroke-linejoin=\"round\"{dash}/>"
        )
        .expect(TAKES);
    }

    /// The marker of a series, with what it stands for; a marker of a legend stands for nothing.
    pub fn marker(&mut self, (x, y): (f64, f64), series: usize, size: f64, meaning: &str) {
        let colour = self.colour(Colour::Series(series));
        let (path, filled) = Marker::of(series).path(x, y, size);
        let fill = if filled { colour.as_str() } else { "none" };
        write!(self.out, "<path d=\"{path}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"")
            .expect(TAKES);
        self.meaning("path", meaning);
    }

    /// A bar of a series. Bars of odd series are hatched by a lighter filling with a full outline.
    pub fn bar(&mut self, corner: (f64, f64), size: (f64, f64), series: usize, meaning: &str) {
        let opacity = if series.is_multiple_of(2) { 0.95 } else { 0.45 };
        self.area(corner, size, Colour::Series(series), (opacity, 1.0), meaning);
    }

    /// A rectangle filled and outlined so strongly.
    pub fn area(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        colour: Colour,
        (fill, stroke): (f64, f64),
        meaning: &str,
    ) {
        let colour = self.colour(colour);
        let (width, height) = (width.max(0.0), height.max(0.0));
        write!(
            self.out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\" \
             fill-opacity=\"{fill:.2}\" stroke=\"{colour}\" stroke-opacity=\"{stroke:.2}\""
        )
        .expect(TAKES);
        self.meaning("rect", meaning);
    }

    fn meaning(&mut self, element: &str, meaning: &str) {
        match meaning {
            "" => self.out.push_str("/>"),
            _ => write!(self.out, "><title>{}</title></{element}>", escape(meaning)).expect(TAKES),
        }
    }
}

/// Writing to a text cannot fail.
const TAKES: &str = "a text takes everything";
