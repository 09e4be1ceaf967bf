//! "Did you mean": the nearest of the names that exist.

/// A hint with the nearest name, or nothing when none is near.
pub fn did_you_mean<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let wrong_lower = wrong.to_lowercase();
    let near = names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&wrong_lower, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    near.map_or(String::new(), |(_, name)| format!("; did you mean {name}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(did_you_mean("sexx", ["age", "sex"]), "; did you mean sex?");
        assert_eq!(did_you_mean("marital", ["age", "marital-status"]), "; did you mean marital-status?");
        assert_eq!(did_you_mean("zzz", ["age", "sex"]), "");
    }
}
