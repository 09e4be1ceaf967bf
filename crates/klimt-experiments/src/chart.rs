//! Charts as SVG: bars, and lines.

use std::fmt::Write;

/// One value per label, in one colour.
pub struct Series {
    /// What it is.
    pub name: &'static str,
    /// One value per label.
    pub values: Vec<f64>,
    /// Its colour.
    pub colour: &'static str,
}

/// The colours of lines, in turn.
const COLOURS: [&str; 6] = ["#8c2f39", "#c9a227", "#3a5a78", "#5b8e7d", "#7a5195", "#444444"];

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 360.0;
/// Where the bars stand: left, right, top, bottom.
const FRAME: (f64, f64, f64, f64) = (48.0, 844.0, 56.0, 320.0);

/// Groups of bars side by side, from 1 upwards, with a line at a value to compare with.
pub fn chart(title: &str, labels: &[String], series: &[Series], (line, said): (f64, &str)) -> String {
    let (left, right, top, bottom) = FRAME;
    let most = series.iter().flat_map(|one| &one.values).copied().fold(line, f64::max).min(3.0);
    let height = |value: f64| ((value.min(most) - 1.0).max(0.0)) / (most - 1.0) * (bottom - top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\"><title>{title}</title>\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\
         <text x=\"{left}\" y=\"22\" font-size=\"15\" fill=\"#222222\">{title}</text>"
    );
    for (at, one) in series.iter().enumerate() {
        let x = left + 200.0 * at as f64;
        write!(
            svg,
            "<rect x=\"{x}\" y=\"32\" width=\"12\" height=\"12\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"42\" fill=\"#222222\">{}</text>",
            one.colour,
            x + 18.0,
            one.name
        )
        .expect("a text takes everything");
    }
    let step = (right - left) / labels.len().max(1) as f64;
    let bar = step * 0.8 / series.len().max(1) as f64;
    for (at, label) in labels.iter().enumerate() {
        let start = left + step * (at as f64 + 0.1);
        for (number, one) in series.iter().enumerate() {
            let (value, x) = (one.values[at], start + bar * number as f64);
            let y = bottom - height(value);
            write!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\">\
                 <title>{label}, {}: {value:.4}</title></rect>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"8.5\" text-anchor=\"middle\" fill=\"#222222\">{value:.2}</text>",
                bar - 1.0,
                bottom - y,
                one.colour,
                one.name,
                x + bar / 2.0,
                y - 3.0
            )
            .expect("a text takes everything");
        }
        write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#222222\">{label}</text>",
            start + step * 0.4,
            bottom + 18.0
        )
        .expect("a text takes everything");
    }
    let y = bottom - height(line);
    write!(
        svg,
        "<line x1=\"{left}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\" stroke=\"#222222\"/>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#222222\">1</text>\
         <line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#a33a3a\" stroke-dasharray=\"5 4\"/>\
         <text x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#a33a3a\">{said}</text></svg>",
        left - 6.0,
        bottom + 4.0,
        y - 5.0
    )
    .expect("a text takes everything");
    svg.push('\n');
    svg
}

/// Lines over labels at even distances, from 0 upwards; each is named at the top. A value that is not a number is left
/// out.
pub fn lines(title: &str, labels: &[String], series: &[(&str, Vec<f64>)]) -> String {
    let (left, right, top, bottom) = FRAME;
    let most = series.iter().flat_map(|(_, values)| values).copied().fold(f64::MIN_POSITIVE, f64::max);
    let x = |at: usize| left + (right - left) * (at as f64 + 0.5) / labels.len().max(1) as f64;
    let y = |value: f64| bottom - value / most * (bottom - top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\"><title>{title}</title>\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\
         <text x=\"{left}\" y=\"22\" font-size=\"15\" fill=\"#222222\">{title}</text>\
         <line x1=\"{left}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\" stroke=\"#222222\"/>\
         <text x=\"{left}\" y=\"{}\" font-size=\"10\" fill=\"#222222\">{most:.0}</text>",
        top - 2.0
    );
    for (at, label) in labels.iter().enumerate() {
        let place = format!("x=\"{:.1}\" y=\"{}\"", x(at), bottom + 18.0);
        svg.push_str(&format!("<text {place} text-anchor=\"middle\" fill=\"#222222\">{label}</text>"));
    }
    for (number, (name, values)) in series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let finite = || values.iter().enumerate().filter(|(_, value)| value.is_finite());
        let points: Vec<String> =
            finite().map(|(at, &value)| format!("{:.1},{:.1}", x(at), y(value))).collect();
        let key = left + 110.0 * (number as f64 + 1.0);
        svg.push_str(&format!(
            "<line x1=\"{key}\" y1=\"38\" x2=\"{}\" y2=\"38\" stroke=\"{colour}\" stroke-width=\"3\"/>\
             <text x=\"{}\" y=\"42\" fill=\"#222222\">{name}</text>\
             <polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            key + 18.0,
            key + 24.0,
            points.join(" ")
        ));
        for (at, &value) in finite() {
            svg.push_str(&format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"><title>{}, {name}: {value:.4}</title></circle>",
                x(at),
                y(value),
                labels[at]
            ));
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_its_values_and_leaves_out_what_is_no_number() {
        let labels = ["a", "b", "c"].map(String::from);
        let svg = lines("t", &labels, &[("one", vec![10.0, 5.0, 0.0]), ("two", vec![f64::NAN, 10.0, 5.0])]);
        assert!(svg.contains("<polyline points=\"180.7,56.0 446.0,188.0 711.3,320.0\""), "{svg}");
        assert!(svg.contains("<polyline points=\"446.0,56.0 711.3,188.0\""), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 5);
    }
}
