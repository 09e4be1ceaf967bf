//! Queries as text that looks like SQL.
//!
//! ```text
//! SELECT COUNT(*) FROM adult a WHERE a.age BETWEEN 37 AND 77 AND marital IN ('Divorced', 'Widowed') WEIGHT 2;
//! ```
//!
//! Names may hold hyphens and stand in double quotes, texts stand in single quotes, numbers and dates need none. Queries
//! end with a semicolon or where the next one starts; what follows `--` in a line is a comment.

use super::{Aggregate, End, Function, Predicate, Query, Test, Workload};
use crate::{Error, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A word, a number or a name, and whether it stood in double quotes.
    Word(String, bool),
    /// A text in single quotes.
    Text(String),
    /// A bracket, a comma, a star, a semicolon or a comparison.
    Sign(&'static str),
}

const SIGNS: [&str; 12] = ["<=", ">=", "<>", "!=", "<", ">", "=", "(", ")", ",", "*", ";"];

/// Reads a workload.
pub fn parse(text: &str) -> Result<Workload> {
    let mut reader = WorkloadReader::new(text)?;
    let mut queries = Vec::new();
    loop {
        while reader.takes(";") {}
        if reader.is_done() {
            return Ok(Workload { queries });
        }
        reader.query = queries.len() + 1;
        queries.push(reader.statement()?);
        if !(reader.is_done() || reader.is_word("SELECT") || reader.is_sign(";")) {
            return Err(reader.expected("AND, WEIGHT or the end of the query"));
        }
    }
}

/// Reads what follows `WHERE`.
pub fn condition(text: &str) -> Result<Vec<Predicate>> {
    let mut reader = WorkloadReader::new(text)?;
    let found = reader.conjunction()?;
    if reader.is_done() { Ok(found) } else { Err(reader.expected("AND or the end")) }
}

/// Reads what follows `SELECT`.
pub fn select(text: &str) -> Result<Aggregate> {
    let mut reader = WorkloadReader::new(text)?;
    let found = reader.aggregate()?;
    if reader.is_done() { Ok(found) } else { Err(reader.expected("the end")) }
}

struct WorkloadReader {
    /// Each with its line.
    tokens: Vec<(Token, usize)>,
    at: usize,
    query: usize,
}

impl WorkloadReader {
    fn new(text: &str) -> Result<Self> {
        Ok(WorkloadReader { tokens: tokens(text)?, at: 0, query: 1 })
    }

    fn is_done(&self) -> bool {
        self.at == self.tokens.len()
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(found)) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found, false)) if found.eq_ignore_ascii_case(word))
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// An error that names the expected token; the actual text is not shown, as it may be a value.
    fn expected(&self, what: &str) -> Error {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, line)| *line);
        Error::input(format!("query {}, line {line}: expected {what}", self.query)).with_help(
            "such as SELECT COUNT(*) WHERE age BETWEEN 30 AND 39 AND sex = 'F'; OR and NOT are not understood",
        )
    }

    fn need(&mut self, sign: &str) -> Result<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.expected(sign)) }
    }

    fn statement(&mut self) -> Result<Query> {
        if !self.takes_word("SELECT") {
            return Err(self.expected("SELECT"));
        }
        let aggregate = self.aggregate()?;
        let mut tables = Vec::new();
        if self.takes_word("FROM") {
            tables.push(self.name()?);
            self.takes_word("AS");
            if !["WHERE", "WEIGHT", "SELECT"].iter().any(|word| self.is_word(word))
                && matches!(self.peek(), Some(Token::Word(..)))
            {
                tables.push(self.name()?);
            }
        }
        let predicates = if self.takes_word("WHERE") { self.conjunction()? } else { Vec::new() };
        let weight = if self.takes_word("WEIGHT") { self.weight()? } else { 1.0 };
        let mut query = Query { name: None, aggregate, predicates, weight };
        strip(&mut query, &tables);
        Ok(query)
    }

    fn weight(&mut self) -> Result<f64> {
        let wrong = self.expected("a weight, a number that is not negative");
        let text = self.value()?;
        text.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0).ok_or(wrong)
    }

    fn aggregate(&mut self) -> Result<Aggregate> {
        let function = match () {
            () if self.takes_word("COUNT") => None,
            () if self.takes_word("SUM") => Some(Function::Sum),
            () if self.takes_word("AVG") => Some(Function::Avg),
            () if self.takes_word("MIN") => Some(Function::Min),
            () if self.takes_word("MAX") => Some(Function::Max),
            () => return Err(self.expected("COUNT(*), SUM, AVG, MIN or MAX of a column")),
        };
        self.need("(")?;
        let aggregate = match function {
            Some(function) => Aggregate::Of(function, self.name()?),
            None if self.takes("*") => Aggregate::Count,
            None => return Err(self.expected("*: only rows are counted")),
        };
        self.need(")")?;
        Ok(aggregate)
    }

    fn conjunction(&mut self) -> Result<Vec<Predicate>> {
        let mut all = vec![self.predicate()?];
        while self.takes_word("AND") {
            all.push(self.predicate()?);
        }
        Ok(all)
    }

    fn predicate(&mut self) -> Result<Predicate> {
        let column = self.name()?;
        let end = |text: String, included: bool| Some(End { text, included });
        let test = if self.takes_word("BETWEEN") {
            let from = self.value()?;
            if !self.takes_word("AND") {
                return Err(self.expected("AND"));
            }
            Test::Range { from: end(from, true), to: end(self.value()?, true) }
        } else if self.takes_word("IN") {
            Test::In(self.list()?)
        } else if self.takes_word("IS") {
            if !self.takes_word("NULL") {
                return Err(self.expected("NULL"));
            }
            Test::Missing
        } else if self.takes("=") {
            Test::In(vec![self.value()?])
        } else if self.takes("<=") {
            Test::Range { from: None, to: end(self.value()?, true) }
        } else if self.takes("<") {
            Test::Range { from: None, to: end(self.value()?, false) }
        } else if self.takes(">=") {
            Test::Range { from: end(self.value()?, true), to: None }
        } else if self.takes(">") {
            Test::Range { from: end(self.value()?, false), to: None }
        } else {
            return Err(self.expected("=, <, <=, >, >=, BETWEEN, IN or IS NULL"));
        };
        Ok(Predicate { column, test })
    }

    fn list(&mut self) -> Result<Vec<String>> {
        self.need("(")?;
        let mut values = vec![self.value()?];
        while self.takes(",") {
            values.push(self.value()?);
        }
        self.need(")")?;
        Ok(values)
    }

    fn name(&mut self) -> Result<String> {
        match self.peek().cloned() {
            Some(Token::Word(name, _)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected("the name of a column")),
        }
    }

    fn value(&mut self) -> Result<String> {
        match self.peek().cloned() {
            Some(Token::Word(value, false) | Token::Text(value)) => {
                self.at += 1;
                Ok(value)
            }
            _ => Err(self.expected("a value; texts stand in single quotes")),
        }
    }
}

/// Takes the name of the table off the names of columns.
fn strip(query: &mut Query, tables: &[String]) {
    let bare = |name: &mut String| {
        let prefix = |table: &String| {
            let (head, rest) = name.split_at_checked(table.len())?;
            let rest = rest.strip_prefix('.')?;
            (head.eq_ignore_ascii_case(table) && !rest.is_empty()).then(|| rest.to_string())
        };
        if let Some(rest) = tables.iter().find_map(prefix) {
            *name = rest;
        }
    };
    if let Aggregate::Of(_, column) = &mut query.aggregate {
        bare(column);
    }
    query.predicates.iter_mut().for_each(|predicate| bare(&mut predicate.column));
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>> {
    let (mut rest, mut line, mut found) = (text, 1, Vec::new());
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() || first == '\u{feff}' {
            line += usize::from(first == '\n');
            rest = &rest[first.len_utf8()..];
        } else if rest.starts_with("--") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if first == '\'' || first == '"' {
            let (inner, length) = quoted(rest, first)
                .ok_or_else(|| Error::input(format!("line {line}: a quote is never closed")))?;
            found.push((if first == '"' { Token::Word(inner, true) } else { Token::Text(inner) }, line));
            line += rest[..length].matches('\n').count();
            rest = &rest[length..];
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push((Token::Sign(sign), line));
            rest = &rest[sign.len()..];
        } else {
            let is_end = |c: char| c.is_whitespace() || "<>=!(),*;'\"".contains(c);
            // A sign that stands alone, such as !, is a word that nothing understands.
            let length = rest.find(is_end).unwrap_or(rest.len()).max(first.len_utf8());
            found.push((Token::Word(rest[..length].to_string(), false), line));
            rest = &rest[length..];
        }
    }
    Ok(found)
}

/// The text within quotes, of which two stand for one; and the length with quotes.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut inner = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            inner.push(c);
        } else if chars.next_if(|(_, next)| *next == quote).is_some() {
            inner.push(quote);
        } else {
            return Some((inner, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Query {
        let mut queries = parse(text).unwrap().queries;
        assert_eq!(queries.len(), 1, "{text}");
        queries.remove(0)
    }

    #[test]
    fn queries_are_read_as_sql_is() {
        let query = one("select count(*)\nFROM ADULT A -- people\nWHERE A.AGE between 37 and 77\n\
             AND a.marital-status IN ('Never ''married''', Divorced) AND \"odd, name\" >= -1.5 WEIGHT 2;");
        let range = Test::Range { from: Some(End::included("37")), to: Some(End::included("77")) };
        let all = [
            ("AGE", range),
            ("marital-status", Test::In(vec!["Never 'married'".into(), "Divorced".into()])),
            ("odd, name", Test::Range { from: Some(End::included("-1.5")), to: None }),
        ];
        let expected: Vec<Predicate> =
            all.into_iter().map(|(column, test)| Predicate { column: column.into(), test }).collect();
        assert_eq!(query.predicates, expected);
        assert_eq!((query.weight, &query.aggregate), (2.0, &Aggregate::Count));
    }

    #[test]
    fn queries_need_no_semicolon_between_them() {
        let all =
            parse("SELECT AVG(pay) SELECT COUNT(*) WHERE a IS NULL;; SELECT MIN(x) WHERE a<3 AND a > 1")
                .unwrap();
        assert_eq!(all.queries.len(), 3);
        assert_eq!(all.queries[0].aggregate, Aggregate::Of(Function::Avg, "pay".into()));
        assert_eq!(all.queries[1].predicates[0].test, Test::Missing);
        assert!(parse(" -- nothing\n").unwrap().queries.is_empty());
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for text in [
            "SELECT COUNT(*)",
            "SELECT SUM(\"a \"\"b\") WHERE x BETWEEN 1 AND 2 AND y = 'it''s' AND z IN (1,'2') WEIGHT 0.25",
            "SELECT MAX(q) WHERE x > 1 AND y <= '2020-01-01' AND z IS NULL",
        ] {
            let query = one(text);
            assert_eq!(one(&query.to_string()), query, "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_with_their_line_and_without_values() {
        for (text, said) in [
            ("SELECT COUNT(*)\nWHERE age IN (secret", "query 1, line 2: expected )"),
            ("SELECT COUNT(*); SELECT COUNT(age)", "query 2, line 1: expected *"),
            ("SELECT COUNT(*) WHERE a = 1 OR secret = 2", "expected AND, WEIGHT"),
            ("DELETE secret", "expected SELECT"),
            ("SELECT COUNT(*) WHERE a = 'secret", "never closed"),
            ("SELECT COUNT(*) WEIGHT -1", "a weight"),
            ("SELECT COUNT(*) WHERE a != 1", "expected =, <"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
