//! Settings as words of a certificate: a choice by its name, a number or a share as a text.
//!
//! The modules are for `#[serde(with = …)]`: [`one`] for a setting that may be missing, [`list`] for several values, and
//! [`by_column`] for a value per column.

use super::settings::{RecordedOrder, ReleaseOrigin};
use super::types::RecordedDomain;
use crate::settings::{Levels, SplitSet, Start, Technique, TimeLimit, share};
use klimt_core::Choice;
use klimt_core::algorithm::gensearch::Priority;
use klimt_core::algorithm::mondrian::{HierarchyCut, Model};
use klimt_core::algorithm::optimal::Effort;
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::algorithm::scheme::{Direction, Scheme};
use klimt_core::recode::StatisticKind;
use klimt_core::region::Extents;
use klimt_core::registry::AlgorithmKind;
use klimt_core::risk::Share;
use klimt_core::table::TypeSpec;

/// A value that a certificate writes as a word.
pub(crate) trait Word: Sized {
    /// The word.
    fn word(&self) -> String;
    /// The value of a word.
    fn of_word(word: &str) -> Option<Self>;
}

macro_rules! choices {
    ($($choice:ty),*) => {$(
        impl Word for $choice {
            fn word(&self) -> String {
                self.name().to_string()
            }
            fn of_word(word: &str) -> Option<Self> {
                Self::named(word)
            }
        }
    )*};
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl Word for $text {
            fn word(&self) -> String {
                self.to_string()
            }
            fn of_word(word: &str) -> Option<Self> {
                word.parse().ok()
            }
        }
    )*};
}

choices!(
    Model,
    HierarchyCut,
    Effort,
    LeafGrouping,
    Direction,
    Scheme,
    StatisticKind,
    Extents,
    Priority,
    Start,
    Technique
);
texts!(u64, usize, SplitSet, TimeLimit, Levels, TypeSpec);

impl Word for f64 {
    fn word(&self) -> String {
        self.to_string()
    }

    fn of_word(word: &str) -> Option<Self> {
        word.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

impl Word for Share {
    fn word(&self) -> String {
        if *self == Share::ZERO { "none".to_string() } else { self.to_string() }
    }

    fn of_word(word: &str) -> Option<Self> {
        share(word).ok()
    }
}

/// The word for the groups of a store.
const STORE: &str = "index";

impl Word for ReleaseOrigin {
    fn word(&self) -> String {
        match self {
            ReleaseOrigin::Algorithm(algorithm) => algorithm.name().to_string(),
            ReleaseOrigin::Store => STORE.to_string(),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        match AlgorithmKind::named(word) {
            Some(algorithm) => Some(ReleaseOrigin::Algorithm(algorithm)),
            None => (word == STORE).then_some(ReleaseOrigin::Store),
        }
    }
}

impl Word for RecordedOrder {
    fn word(&self) -> String {
        match self {
            RecordedOrder::Kept => "kept".to_string(),
            RecordedOrder::Shuffled => "shuffled within groups".to_string(),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        [RecordedOrder::Kept, RecordedOrder::Shuffled].into_iter().find(|order| order.word() == word)
    }
}

/// Stands for the values of a file that declare the domain of a column.
const BY_FILE: &str = "the values of a file";

impl Word for RecordedDomain {
    fn word(&self) -> String {
        match self {
            RecordedDomain::Range(range) => range.clone(),
            RecordedDomain::File => BY_FILE.to_string(),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            BY_FILE => RecordedDomain::File,
            range => RecordedDomain::Range(range.to_string()),
        })
    }
}

/// Reads a word that must be one of a setting.
fn read<'de, T: Word, D: serde::Deserializer<'de>>(word: &str) -> Result<T, D::Error> {
    T::of_word(word).ok_or_else(|| serde::de::Error::custom("a setting has a value that klimt does not know"))
}

/// A setting that may be missing.
pub(super) mod one {
    use super::{Word, read};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<T: Word, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.serialize_str(&value.word()),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        let word = Option::<String>::deserialize(deserializer)?;
        word.map(|word| read::<T, D>(&word)).transpose()
    }
}

/// Several values.
pub(super) mod list {
    use super::{Word, read};
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<T: Word, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(Word::word))
    }

    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        words.iter().map(|word| read::<T, D>(word)).collect()
    }
}

/// A value per column.
pub(super) mod by_column {
    use super::{Word, read};
    use serde::{Deserialize, Deserializer, Serializer};
    use std::collections::BTreeMap;

    pub fn serialize<T: Word, S: Serializer>(
        values: &BTreeMap<String, T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(values.iter().map(|(column, value)| (column, value.word())))
    }

    pub fn deserialize<'de, T: Word, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, T>, D::Error> {
        let words = BTreeMap::<String, String>::deserialize(deserializer)?;
        words.into_iter().map(|(column, word)| Ok((column, read::<T, D>(&word)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        fn same<T: Word + PartialEq + std::fmt::Debug>(value: T, word: &str) {
            assert_eq!(value.word(), word);
            assert_eq!(T::of_word(word), Some(value));
        }
        same(ReleaseOrigin::Store, "index");
        same(ReleaseOrigin::Algorithm(AlgorithmKind::RothkoS), "rothko-s");
        same(RecordedOrder::Shuffled, "shuffled within groups");
        same(RecordedDomain::File, "the values of a file");
        same(RecordedDomain::Range("0..120".to_string()), "0..120");
        same(Share::ZERO, "none");
        same(Share::percent(5), "5%");
        same(1.25, "1.25");
        assert_eq!(f64::of_word("NaN"), None);
        same(HierarchyCut::default(), HierarchyCut::default().name());
        assert_eq!(Effort::of_word("most"), None);
        assert_eq!(ReleaseOrigin::of_word("mondrain"), None);
    }
}
