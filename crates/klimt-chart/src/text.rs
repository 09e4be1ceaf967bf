//! Texts and numbers as a chart shows them.

/// A text that may stand in HTML and XML, between tags and in quoted attributes. Characters that XML does not know at all
/// become the replacement character.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' | '\r' => safe.push(' '),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            // What turns the direction of writing would turn what stands beside it too.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push('\u{fffd}'),
            _ => safe.push(letter),
        }
    }
    safe
}

/// A text of at most a number of characters; a longer one ends in an ellipsis.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_string(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// About how wide a text is at a size of the letters.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '|' | ' ' | ':' | '[' | ']' | '(' | ')' => 0.32,
        'm' | 'w' | 'M' | 'W' | '…' | '—' => 0.9,
        'A'..='Z' | '=' => 0.68,
        '\u{2e80}'.. => 1.05,
        _ => 0.56,
    };
    text.chars().map(letter).sum::<f64>() * size
}

/// The longest beginning of a text that is no wider than this.
pub(crate) fn fit(text: &str, room: f64, size: f64) -> String {
    let (mut most, mut fitting) = (text.chars().count(), text.to_string());
    while most > 2 && width(&fitting, size) > room {
        most -= (most / 8).max(1);
        fitting = shorten(text, most);
    }
    fitting
}

/// A number for a person: thousands apart, millions as `M`, and no more than four digits that matter.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return String::from("–");
    }
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:.2e}");
    }
    for (unit, letter) in [(1e12, "T"), (1e9, "G"), (1e6, "M")] {
        if size >= unit * 0.999_95 {
            return format!("{}{letter}", digits(value / unit));
        }
    }
    digits(value)
}

/// Four digits that matter, and all before the point.
fn digits(value: f64) -> String {
    let before = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let places = (3 - before).clamp(0, 8) as usize;
    let text = format!("{value:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, rest) = text.split_once('.').map_or((text, String::new()), |(w, r)| (w, format!(".{r}")));
    let mut apart = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    let sign = if apart == "0" && rest.is_empty() { "" } else { sign };
    format!("{sign}{apart}{rest}")
}
