//! Names of columns on a command line: one way to quote them, for every flag.
//!
//! A name that holds a comma or an equals sign, begins with a quote, begins or ends with a blank, or is empty stands in
//! double quotes, in which a quote is doubled, as in CSV: `--qi '"height, cm",sex'`, `--type '"a=b"=integer'`. All other
//! names stand as they are, and blanks around them do not count.

/// The names of a list that is separated by commas; items without a name are left out.
pub fn list(text: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = match unquoted(rest)? {
            Some((name, after)) => (Some(name), after),
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let name = rest[..end].trim();
                ((!name.is_empty()).then(|| name.to_string()), &rest[end..])
            }
        };
        names.extend(name);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None if after.is_empty() => return Ok(names),
            None => return Err("a comma is needed after the closing quote of a name".to_string()),
        }
    }
}

/// A name and what stands behind the equals sign that follows it; `None` where there is no equals sign.
pub fn pair(text: &str) -> Result<Option<(String, &str)>, String> {
    match unquoted(text)? {
        None => Ok(text.split_once('=').map(|(name, value)| (name.trim().to_string(), value))),
        Some((name, after)) => match after.strip_prefix('=') {
            Some(value) => Ok(Some((name, value))),
            None if after.is_empty() => Ok(None),
            None => Err("an equals sign is needed after the closing quote of a name".to_string()),
        },
    }
}

/// A single name, in quotes or as it is.
pub fn single(text: &str) -> Result<String, String> {
    match unquoted(text)? {
        None => Ok(text.to_string()),
        Some((name, "")) => Ok(name),
        Some(_) => Err("nothing may stand after the closing quote of a name".to_string()),
    }
}

/// The name at the beginning of a text that stands in quotes, and what follows it; `None` where there is no quote.
fn unquoted(text: &str) -> Result<Option<(String, &str)>, String> {
    let Some(mut rest) = text.trim_start().strip_prefix('"') else { return Ok(None) };
    let mut name = String::new();
    while let Some(end) = rest.find('"') {
        name.push_str(&rest[..end]);
        match rest[end + 1..].strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Ok(Some((name, rest[end + 1..].trim_start()))),
        }
    }
    Err("the quote before a name is not closed; a quote inside a name is written twice".to_string())
}

/// A name as a flag takes it: in quotes where it needs them.
pub fn quoted(name: &str) -> String {
    let needs_quotes =
        name.is_empty() || name.starts_with('"') || name.contains([',', '=']) || name.trim() != name;
    if needs_quotes { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_string() }
}

/// A word of a command line, in the quotes of a shell where it needs them.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=%+@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A flag about a column for a message, as it would be typed: `--type age=text`.
pub fn flag(flag: &str, column: &str, value: Option<&str>) -> String {
    let value = value.map_or(String::new(), |value| format!("={value}"));
    format!("--{flag} {}", shell(&format!("{}{value}", quoted(column))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_stand_as_they_are_or_in_quotes() {
        assert_eq!(list("age, sex ,,zip").unwrap(), ["age", "sex", "zip"]);
        assert_eq!(list(r#" "a,b" ,c"#).unwrap(), ["a,b", "c"]);
        assert_eq!(list(r#"" a ","","say ""so""",x"y"#).unwrap(), [" a ", "", "say \"so\"", "x\"y"]);
        assert_eq!(list("").unwrap(), Vec::<String>::new());
        assert_eq!(list("Größe").unwrap(), ["Größe"]);
        assert!(list(r#""a"#).is_err() && list(r#""a"b"#).is_err());
        assert_eq!(pair("age=integer").unwrap(), Some(("age".to_string(), "integer")));
        assert_eq!(pair("age=a=b").unwrap(), Some(("age".to_string(), "a=b")));
        assert_eq!(pair(r#""a=b"=f=g"#).unwrap(), Some(("a=b".to_string(), "f=g")));
        assert_eq!(pair("0.5").unwrap(), None);
        assert!(pair(r#""a"b=c"#).is_err() && pair(r#""a=b"#).is_err());
        assert_eq!(single("a,b").unwrap(), "a,b");
        assert_eq!(single(r#""a""b""#).unwrap(), "a\"b");
        assert!(single(r#""a",b"#).is_err());
        assert_eq!(flag("type", "a=b c", Some("text")), "--type '\"a=b c\"=text'");
    }

    proptest! {
        #[test]
        fn any_name_can_be_named(names in prop::collection::vec(r#"[a"=, é]{0,5}"#, 1..5), value in "[a=,\"]{0,4}") {
            let joined = names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
            prop_assert_eq!(list(&joined).unwrap(), names.clone());
            let paired = format!("{}={value}", quoted(&names[0]));
            prop_assert_eq!(pair(&paired).unwrap(), Some((names[0].clone(), value.as_str())));
            prop_assert_eq!(single(&quoted(&names[0])).unwrap(), names[0].clone());
        }
    }
}
