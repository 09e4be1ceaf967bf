//! Tables of numbers on the terminal.

/// A value that stands in a table.
pub trait Cell {
    /// The value with so many digits after the point.
    fn shown(&self, digits: usize) -> String;
}

impl Cell for f64 {
    fn shown(&self, digits: usize) -> String {
        if self.is_nan() { "-".to_string() } else { format!("{self:.digits$}") }
    }
}

impl Cell for u64 {
    fn shown(&self, _: usize) -> String {
        self.to_string()
    }
}

impl Cell for String {
    fn shown(&self, _: usize) -> String {
        self.clone()
    }
}

impl Cell for &str {
    fn shown(&self, _: usize) -> String {
        self.to_string()
    }
}

/// The columns of a table: a name for each line, then values.
pub struct Columns {
    name: usize,
    values: Vec<(usize, usize)>,
}

impl Columns {
    /// Prints the head of a table: how wide names are, then the title of each column, and the digits of its values.
    pub fn new(head: &str, name: usize, columns: &[(&str, usize)]) -> Self {
        let values: Vec<(usize, usize)> =
            columns.iter().map(|(title, digits)| (title.chars().count().max(9), *digits)).collect();
        let titles = columns.iter().zip(&values).map(|((title, _), (width, _))| format!(" {title:>width$}"));
        println!("{head:<name$}{}", titles.collect::<String>());
        Columns { name, values }
    }

    /// Prints a line.
    pub fn line(&self, name: impl std::fmt::Display, values: &[&dyn Cell]) {
        println!("{}", self.text(&name.to_string(), values));
    }

    fn text(&self, name: &str, values: &[&dyn Cell]) -> String {
        let cell = |(value, (width, digits)): (&&dyn Cell, &(usize, usize))| {
            format!(" {:>width$}", value.shown(*digits))
        };
        let cells: String = values.iter().zip(&self.values).map(cell).collect();
        format!("{name:<width$}{cells}", width = self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_under_their_titles() {
        let columns = Columns::new("k", 5, &[("dm", 1), ("a longer title", 0), ("proven", 0)]);
        let line = columns.text("10", &[&1.25, &7u64, &"optimal"]);
        assert_eq!(line, "10          1.2              7   optimal");
        assert_eq!(columns.text("", &[&f64::NAN]), "              -");
    }
}
