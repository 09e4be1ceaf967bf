//! Rules for every chart, and positions of marks.

use super::*;
use proptest::prelude::*;

/// Whether tags are balanced, texts escaped, and every number of a place finite and on the sheet (or near it).
fn sound(svg: &str, (width, height): (f64, f64)) -> Result<(), String> {
    let mut open: Vec<String> = Vec::new();
    let mut rest = svg.trim_end();
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        if text.contains('>') || text.replace("&amp;", "").replace("&lt;", "").contains("& ") {
            return Err(format!("a text is not escaped: {text}"));
        }
        let end = rest.find('>').ok_or("a tag does not end")?;
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let last = open.pop().ok_or("a tag closes nothing")?;
            if last != name {
                return Err(format!("{last} is closed by {name}"));
            }
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap_or("").to_string();
        for (key, value) in attributes(tag)? {
            let most = match key.as_str() {
                "x" | "x1" | "x2" | "width" | "cx" => width,
                "y" | "y1" | "y2" | "height" | "cy" => height,
                _ => continue,
            };
            let number: f64 = match value.as_str() {
                "100%" => continue,
                value => value.parse().map_err(|_| format!("{key}={value} in {tag}"))?,
            };
            if !(-60.0..=most + 60.0).contains(&number) {
                return Err(format!("{key}={value} is off the sheet in {tag}"));
            }
        }
        if tag.contains("NaN") || tag.contains("inf ") || tag.contains("inf\"") {
            return Err(format!("no number in {tag}"));
        }
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never closed: {open:?}")) }
}

fn attributes(tag: &str) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    let mut rest = tag.split_once(' ').map_or("", |(_, rest)| rest);
    while let Some((key, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').ok_or(format!("an attribute does not end: {tag}"))?;
        found.push((key.trim().to_string(), value.to_string()));
        rest = after;
    }
    Ok(found)
}

fn frame(text: &str) -> Frame {
    Frame::new(text, text)
}

/// One chart of each kind from the same numbers and texts.
fn every(text: &str, values: &[f64], log: bool) -> Vec<(&'static str, String, (f64, f64))> {
    let axis = |name: &str| if log { Axis::new(name).log() } else { Axis::new(name) };
    let labels: Vec<String> = values.iter().map(|value| format!("{text} {value}")).collect();
    let pairs: Vec<(f64, f64)> = values.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let areas: Vec<Area> = pairs
        .iter()
        .map(|&(a, b)| Area { x: (a, b), y: (b, a), weight: a, label: text.to_string() })
        .collect();
    let bins: Vec<Bin> = pairs.iter().map(|&(a, b)| Bin::new(a, b, a)).collect();
    let mut frontier = Frontier::new(frame(text), axis(text), axis("y"));
    for &(x, y) in &pairs {
        frontier = frontier.with(format!("{text}{}", x as i64 % 9), text, x, y);
    }
    let charts: Vec<(&str, Box<dyn Chart>)> = vec![
        (
            "lines",
            Box::new(
                Lines::over(frame(text), axis(text), axis("y"))
                    .with(text, pairs.clone())
                    .with_rule(2.0, text),
            ),
        ),
        (
            "labels",
            Box::new(
                Lines::over_labels(frame(text), text, labels.clone(), axis(text)).with_values("", values),
            ),
        ),
        (
            "bars",
            Box::new(
                Bars::new(frame(text), labels.clone(), axis(text))
                    .with(text, values.to_vec())
                    .with("b", values.to_vec())
                    .with_rule(1.0, text)
                    .with_values(),
            ),
        ),
        (
            "right",
            Box::new(
                Bars::new(frame(text), labels, axis(text))
                    .with(text, values.to_vec())
                    .with_values()
                    .to_the_right(),
            ),
        ),
        (
            "histogram",
            Box::new(
                Histogram::new(frame(text), axis(text), Axis::new("n"))
                    .with(text, bins.clone())
                    .with("b", bins.clone()),
            ),
        ),
        ("area", Box::new(Histogram::new(frame(text), axis(text), axis("n")).with(text, bins).by_area())),
        (
            "scatter",
            Box::new(
                Scatter::new(frame(text), axis(text), axis("y"))
                    .with(text, pairs)
                    .with_boxes(text, areas.clone())
                    .with_cells(text, areas),
            ),
        ),
        ("frontier", Box::new(frontier)),
    ];
    let drawn = |(name, chart): (&'static str, Box<dyn Chart>)| {
        let size = (chart.frame().width(), chart.frame().height());
        [(name, chart.svg(), size), (name, chart.inline("a\"b"), size)]
    };
    charts.into_iter().flat_map(drawn).collect()
}

fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1e3..1e3f64,
        Just(0.0),
        Just(-0.0),
        any::<f64>(),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MAX),
        Just(f64::MIN),
        Just(f64::MIN_POSITIVE),
        Just(5.0),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_values_and_no_texts_break_a_chart(
        text in any::<String>(),
        values in prop::collection::vec(any_value(), 0..40),
        log in any::<bool>(),
    ) {
        for (name, svg, size) in every(&text, &values, log) {
            if let Err(problem) = sound(&svg, size) {
                prop_assert!(false, "{name}: {problem}");
            }
        }
    }

    #[test]
    fn the_frontier_is_what_nothing_beats(
        places in prop::collection::vec((0..6u8, 0..6u8), 0..30),
    ) {
        let places: Vec<(f64, f64)> = places.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect();
        let beats = |a: (f64, f64), b: (f64, f64)| a.0 <= b.0 && a.1 <= b.1 && a != b;
        let expected: Vec<usize> =
            (0..places.len()).filter(|&at| !places.iter().any(|&other| beats(other, places[at]))).collect();
        let mut found = undominated(&places);
        found.sort_unstable();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn ticks_are_few_round_and_inside(low in -1e6..1e6f64, span in 1e-3..1e9f64) {
        let axis = Axis::new("");
        let laid = axis.laid([low, low + span].into_iter(), (0.0, 100.0), false);
        let ticks = axis.marks(&laid);
        prop_assert!((3..=12).contains(&ticks.len()), "{ticks:?}");
        prop_assert!(laid.low <= low && laid.high >= low + span);
        for tick in &ticks {
            prop_assert!(tick.at >= laid.low && tick.at <= laid.high);
        }
    }
}

#[test]
fn a_line_goes_through_its_values_and_breaks_where_there_is_none() {
    let labels = ["a", "b", "c", "d"].map(String::from).to_vec();
    let svg = Lines::over_labels(frame("t"), "", labels, Axis::new(""))
        .with_values("one", &[10.0, 5.0, 0.0, 5.0])
        .with_values("two", &[10.0, f64::NAN, 5.0, 10.0])
        .svg();
    let lines: Vec<&str> = svg.split("<polyline points=\"").skip(3).collect();
    assert_eq!(lines.len(), 2, "{svg}");
    let places = |line: &str| -> Vec<(f64, f64)> {
        let points = line.split('"').next().unwrap();
        points
            .split(' ')
            .map(|point| point.split_once(',').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect()
    };
    let (one, two) = (places(lines[0]), places(lines[1]));
    assert_eq!((one.len(), two.len()), (4, 2));
    assert_eq!(one[1].1, (one[0].1 + one[2].1) / 2.0, "half the value is half the way");
    assert!(one[0].1 < one[2].1, "more is higher");
    assert_eq!(two, [(one[2].0, one[1].1), (one[3].0, one[0].1)]);
    // Seven values, and a marker for each of the two in the legend.
    assert_eq!(svg.matches("<path").count(), 7 + 2);
}

#[test]
fn bars_stand_on_the_end_of_the_axis_and_are_cut_off_at_the_other() {
    let labels = ["a", "b", "c"].map(String::from).to_vec();
    let svg =
        Bars::new(frame("t"), labels, Axis::new("").from(1.0).to(3.0)).with("", vec![1.0, 2.0, 9.0]).svg();
    let heights: Vec<f64> =
        svg.split("height=\"").skip(2).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect();
    assert_eq!(heights.len(), 3);
    assert_eq!(heights[0], 0.0);
    assert!((heights[2] - 2.0 * heights[1]).abs() < 0.11, "{heights:?}");
    assert!(svg.contains("c: 9"), "the mark still tells the value");
}

#[test]
fn on_a_log_axis_equal_ratios_are_equal_distances() {
    let axis = Axis::new("").log();
    let laid = axis.laid([1.0, 10.0, 1000.0, -5.0, 0.0].into_iter(), (0.0, 300.0), false);
    let places = [1.0, 10.0, 100.0, 1000.0].map(|value| laid.at(value).round());
    assert_eq!(places, [0.0, 100.0, 200.0, 300.0]);
    assert!(!axis.takes(0.0) && !axis.takes(-5.0));
}

#[test]
fn bins_of_different_widths_have_areas_that_are_counts() {
    let bins = vec![Bin::new(0.0, 1.0, 10.0), Bin::new(1.0, 11.0, 100.0)];
    let histogram = Histogram::new(frame("t"), Axis::new(""), Axis::new("")).with("", bins).by_area();
    assert_eq!(
        histogram.height(&histogram.series[0].bins[0]),
        histogram.height(&histogram.series[0].bins[1])
    );
}

#[test]
fn every_text_is_escaped() {
    let nasty = "<script>alert('1')</script>&\"\u{0}\u{202e}";
    for (name, svg, _) in every(nasty, &[1.0, 2.0, 5.0], false) {
        assert!(!svg.contains("<script"), "{name}: {svg}");
        assert!(!svg.contains('\u{0}') && !svg.contains('\u{202e}'), "{name}");
    }
    assert_eq!(escape("a<b>&\"c'\u{1}"), "a&lt;b&gt;&amp;&quot;c&#39;\u{fffd}");
}

#[test]
fn charts_say_what_they_are_and_a_page_sets_their_colours() {
    for (name, svg, _) in every("name", &[1.0, 2.0, 5.0], false) {
        assert!(
            svg.contains("role=\"img\"") && svg.contains("<title id=") && svg.contains("<desc id="),
            "{name}"
        );
        let inline = !svg.ends_with('\n');
        assert_eq!(svg.contains("var(--chart-"), inline, "{name}");
        assert!(svg.matches("<title>").count() > 1, "{name}: marks say what they stand for");
        assert!(!svg.contains("style="), "{name}: pages that allow no inline styles take charts in");
    }
}

#[test]
fn labels_are_thinned_out_and_shortened() {
    let labels: Vec<String> = (0..500).map(|at| format!("a rather long label {at}")).collect();
    let svg = Bars::new(frame("t"), labels, Axis::new("")).with("", vec![1.0; 500]).svg();
    let shown = svg.matches("…</text>").count();
    assert!((2..60).contains(&shown), "{shown}");
    assert_eq!(shorten("ääää", 3), "ää…");
    assert_eq!(shorten("äää", 3), "äää");
}

#[test]
fn a_chart_of_nothing_says_so() {
    for (name, svg, _) in
        every("t", &[], false).into_iter().chain(every("t", &[f64::NAN, -1.0, f64::NAN], true))
    {
        assert!(svg.contains("nothing to show"), "{name}: {svg}");
    }
}

#[test]
fn numbers_are_short() {
    let shown = [0.0, -0.0, 1.0, 1234.0, 12345.6, 0.1234567, 2_500_000.0, 1e-7, 999_999.9, -0.05, f64::NAN]
        .map(number);
    assert_eq!(
        shown,
        ["0", "0", "1", "1,234", "12,346", "0.1235", "2.5M", "1.00e-7", "1M", "-0.05", "–"].map(String::from)
    );
}

/// A colour as eyes without one kind of cones see it (Machado and others, 2009, full severity), on a linear
/// scale.
fn seen(colour: &str, eyes: usize) -> [f64; 3] {
    const EYES: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    ];
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[1 + 2 * at..3 + 2 * at], 16).unwrap()) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let linear = [0, 1, 2].map(channel);
    EYES[eyes]
        .map(|row| row.iter().zip(linear).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0).powf(1.0 / 2.4))
}

#[test]
fn colours_differ_for_all_eyes_and_from_the_paper() {
    for palette in [palette::SERIES, palette::SERIES_ON_DARK] {
        for eyes in 0..3 {
            for (at, a) in palette.iter().enumerate() {
                for b in &palette[at + 1..] {
                    let (x, y) = (seen(a, eyes), seen(b, eyes));
                    let distance: f64 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
                    assert!(distance > 0.15, "{a} and {b} for eyes {eyes}: {distance:.3}");
                }
            }
        }
    }
    let luminance = |colour: &str| {
        let [r, g, b] = seen(colour, 0).map(|value| value.powf(2.4));
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    for colour in palette::SERIES {
        assert!(1.05 / (luminance(colour) + 0.05) >= 3.0, "{colour} on white");
    }
    for colour in palette::SERIES_ON_DARK {
        assert!((luminance(colour) + 0.05) / (luminance("#1b1a17") + 0.05) >= 3.0, "{colour} on dark");
    }
}
