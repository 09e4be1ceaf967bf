//! The words of a column's name, in small letters without accents.

/// The words of a name: parted at everything that is no letter or digit, between small and capital letters, and between
/// letters and digits. `patientName`, `patient_name` and `Patient.Name` have the same words.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let starts = before.is_some_and(|before| {
            (before.is_lowercase() && letter.is_uppercase())
                || before.is_alphabetic() != letter.is_alphabetic()
                || (before.is_uppercase() && letter.is_uppercase() && after.is_some_and(|c| c.is_lowercase()))
        });
        if starts || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            fold(letter, word);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Appends a letter in small, without its accent; German umlauts become two letters.
fn fold(letter: char, word: &mut String) {
    for letter in letter.to_lowercase() {
        match letter {
            'ä' => word.push_str("ae"),
            'ö' => word.push_str("oe"),
            'ü' => word.push_str("ue"),
            'ß' => word.push_str("ss"),
            'à' | 'á' | 'â' | 'ã' => word.push('a'),
            'è' | 'é' | 'ê' | 'ë' => word.push('e'),
            'ì' | 'í' | 'î' | 'ï' => word.push('i'),
            'ò' | 'ó' | 'ô' | 'õ' => word.push('o'),
            'ù' | 'ú' | 'û' => word.push('u'),
            'ç' => word.push('c'),
            'ñ' => word.push('n'),
            other => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_every_case_have_the_same_words() {
        for name in ["patientName", "patient_name", "Patient.Name", "PATIENT NAME", "patient-name"] {
            assert_eq!(words(name), ["patient", "name"], "{name}");
        }
        assert_eq!(words("IBANNumber"), ["iban", "number"]);
        assert_eq!(words("Versicherten-Nr."), ["versicherten", "nr"]);
        assert_eq!(words("ICD10"), ["icd", "10"]);
        assert_eq!(words("Straße"), ["strasse"]);
        assert_eq!(words("Téléphone"), ["telephone"]);
        assert!(words("_._").is_empty());
    }
}
