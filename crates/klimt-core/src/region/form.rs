//! Published forms as texts: which raw values look like one, and how both are kept apart.
//!
//! A raw value that looks like a published form (`*`, `[1..9]`, `{a|b}`, or one of these after backslashes) is published
//! with a backslash before it. An interval is taken apart at its first `..`; where an end would be read wrongly, a
//! backslash stands before each of its dots and backslashes. The labels of a hierarchy are published as they are: its
//! domain knows them.

use std::borrow::Cow;

const ESCAPE: u8 = b'\\';

/// Whether a raw value would be taken for a published form.
pub fn looks_published(text: &str) -> bool {
    let form = text.trim_start_matches('\\');
    let set = form.len() > 1 && form.starts_with('{') && form.ends_with('}');
    form == "*" || set || inner(form).is_some_and(|inner| inner.contains(".."))
}

/// The text between the brackets of an interval.
fn inner(text: &str) -> Option<&str> {
    text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])
}

/// Puts a backslash before the raw value that `out` ends with, from a place on, where it looks like a published form.
pub fn guard_single(out: &mut Vec<u8>, start: usize) {
    // Hardly any value begins so, and the others need not be looked at.
    if !matches!(out.get(start), Some(b'*' | b'[' | b'(' | b'{' | b'\\')) {
        return;
    }
    if std::str::from_utf8(&out[start..]).is_ok_and(looks_published) {
        out.insert(start, ESCAPE);
    }
}

/// The raw value that a published text is; `None` for another form.
pub fn single(published: &str) -> Option<&str> {
    match published.strip_prefix('\\').filter(|raw| looks_published(raw)) {
        Some(raw) => Some(raw),
        None => (!looks_published(published)).then_some(published),
    }
}

/// Guards the ends of the interval that `out` ends with: the low one starts at one place, and the dots behind it at
/// another. Where they would be read wrongly, a backslash is put before each of their dots and backslashes.
pub fn guard_ends(out: &mut Vec<u8>, start: usize, dots: usize) {
    let low = &out[start..dots];
    let has_trap = low.ends_with(b".") || low.windows(2).any(|pair| pair == b"..");
    if !has_trap && !out[start..].contains(&ESCAPE) {
        return;
    }
    let ends = out.split_off(start);
    let (low, high) = (&ends[..dots - start], &ends[dots - start + 2..]);
    let text = std::str::from_utf8(&ends).ok();
    let read_back = text.and_then(split).is_some_and(|(l, h)| l.as_bytes() == low && h.as_bytes() == high);
    if read_back {
        return out.extend_from_slice(&ends);
    }
    write_escaped(low, out);
    out.extend_from_slice(b"..");
    write_escaped(high, out);
}

fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        if matches!(byte, b'.' | b'\\') {
            out.push(ESCAPE);
        }
        out.push(byte);
    }
}

/// The pairs of ends that a published interval may have, the one that [`guard_ends`] means first; none for another form.
/// Releases of others may hold further dots without a backslash, so every place where `..` stands follows.
pub fn interval_ends(published: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let inner = inner(published);
    let meant = inner.and_then(split);
    let others = inner.into_iter().flat_map(|inner| {
        let ends = move |at: usize| (Cow::Borrowed(&inner[..at]), Cow::Borrowed(&inner[at + 2..]));
        (0..inner.len()).filter(|&at| inner.as_bytes()[at..].starts_with(b"..")).map(ends)
    });
    meant.into_iter().chain(others)
}

/// Takes the ends of an interval apart at the first `..` that has no backslash before it.
fn split(ends: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let (bytes, mut at) = (ends.as_bytes(), 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b".." => return Some((unescaped(&ends[..at]), unescaped(&ends[at + 2..]))),
            [b'\\', b'.' | b'\\'] => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// The text without the backslashes before dots and backslashes.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let (mut raw, mut chars) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next_if(|next| matches!(next, '.' | '\\')) } else { None };
        raw.push(escaped.unwrap_or(c));
    }
    Cow::Owned(raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(text: &str) -> String {
        let mut out = text.as_bytes().to_vec();
        guard_single(&mut out, 0);
        String::from_utf8(out).unwrap()
    }

    fn ends(low: &str, high: &str) -> String {
        let mut out = format!("{low}..{high}").into_bytes();
        guard_ends(&mut out, 0, low.len());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_values_that_look_published_get_a_backslash() {
        for plain in [
            "",
            "5.",
            "25",
            "a..b",
            "[",
            "{",
            "}",
            "[1-9]",
            "(see note)",
            r"\",
            r"\\host\x",
            "**",
            "{a",
            "..",
            "[]",
        ] {
            assert_eq!(written(plain), plain);
            assert_eq!(single(plain), Some(plain));
        }
        for form in ["*", "[1..9]", "(3..4]", "{a|b}", "{}", "[..]", r"\*", r"\\{a}", "[..)"] {
            assert_eq!(written(form), format!("\\{form}"));
            assert_eq!(single(&written(form)), Some(form));
        }
        assert_eq!((single("*"), single("[1..9]"), single("{a|b}")), (None, None, None));
    }

    #[test]
    fn ends_are_escaped_only_where_they_would_be_misread() {
        for (low, high, text) in [
            ("25", "28", "25..28"),
            ("-1", ".5", "-1...5"),
            ("5.", "9", r"5\...9"),
            ("a..b", "c", r"a\.\.b..c"),
            ("a", "b..c", "a..b..c"),
            (r"a\b", "c", r"a\b..c"),
            (r"a\.", "c", r"a\\\...c"),
            ("x", r"\\y", r"x..\\\\y"),
        ] {
            assert_eq!(ends(low, high), text);
        }
        assert_eq!(interval_ends("{1..2}").count() + interval_ends("1..2").count(), 0);
        assert_eq!(interval_ends("[1...5]").next(), Some(("1".into(), ".5".into())));
    }

    fn weird() -> impl Strategy<Value = String> {
        prop_oneof![
            r"[\\.\[\](){}|*a1é]{0,8}",
            r"\PC{0,6}",
            "[0-9]{1,3}\\.?",
            "\\\\{0,2}[\\[(][0-9.]{2,6}[\\])]"
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_published_is_read_back(low in weird(), high in weird()) {
            let single_text = written(&low);
            prop_assert_eq!(single(&single_text), Some(low.as_str()));
            if !looks_published(&low) {
                prop_assert_eq!(&single_text, &low);
            }
            for brackets in ["[]", "(]", "[)", "()"] {
                let text = format!("{}{}{}", &brackets[..1], ends(&low, &high), &brackets[1..]);
                prop_assert_eq!(interval_ends(&text).next(), Some((low.as_str().into(), high.as_str().into())));
                prop_assert_eq!(single(&text), None);
            }
        }
    }
}
