//! Random histories of a store: whatever comes, goes, changes and comes back, its releases are safe together, by
//! `klimt-verify`'s definition (`klimt verify --against --strict`).
//!
//! `KLIMT_HISTORIES=10000 cargo test -p klimt-store histories` plays so many; `KLIMT_SEED` is the number of the first.

use crate::world::{Person, Seen, World};
use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::requirement::{KAnonymity, Requirement};
use klimt_core::table::{ColumnSpec, Role, ValueType};
use klimt_core::{ErrorKind, registry};
use klimt_store::ReleaseRequest;
use klimt_verify::Tally;
use klimt_verify::against::Releases;
use klimt_verify::claims::{PromiseFacts, check};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// As many histories are played unless another number is asked for.
const HISTORIES: u64 = 300;

/// Requirements of the illness besides k.
const REQUIREMENTS: [&[(&str, &str)]; 9] = [
    &[],
    &[("l-diversity", "distinct:2")],
    &[("l-diversity", "distinct:3")],
    &[("l-diversity", "entropy:1.7")],
    &[("l-diversity", "recursive:3:2")],
    &[("t-closeness", "0.4")],
    &[("t-closeness", "0.35:ordered")],
    &[("alpha", "0.6")],
    &[("l-diversity", "distinct:2"), ("t-closeness", "0.5:equal")],
];

/// A sequence of numbers that looks random (SplitMix64).
struct Dice(u64);

impl Dice {
    /// A number below another.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn one_of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[self.below(values.len() as u64) as usize]
    }

    fn person(&mut self) -> Person {
        let age = if self.below(8) == 0 { String::new() } else { (20 + self.below(40)).to_string() };
        let colour = self.one_of(&["red", "blue", "green", ""]).to_string();
        let place = self.one_of(&["Wien", "Graz", "Bern", "Basel", "Paris", ""]).to_string();
        let illness = self.one_of(&["flu", "flu", "cold", "cold", "cancer", "gout"]).to_string();
        [age, colour, place, illness]
    }

    /// Some of the keys, each once.
    fn some(&mut self, keys: impl Iterator<Item = u32>, most: u64) -> Vec<u32> {
        let mut keys: Vec<u32> = keys.collect();
        let many = self.below(most + 1).min(keys.len() as u64);
        (0..many).map(|_| keys.swap_remove(self.below(keys.len() as u64) as usize)).collect()
    }
}

/// The life of a store, and everything that was released from it.
struct Life {
    world: World,
    dice: Dice,
    k: u64,
    requirements: &'static [(&'static str, &'static str)],
    /// The rows of the store.
    rows: BTreeMap<u32, Person>,
    /// Those who have left, as they were.
    gone: BTreeMap<u32, Person>,
    next: u32,
    /// The releases, and whether each may tell who joined and left.
    releases: Vec<(Seen, bool)>,
    held_back: u64,
}

impl Life {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let world = if dice.below(3) == 0 { World::patient() } else { World::new() };
        let requirements = REQUIREMENTS[dice.below(REQUIREMENTS.len() as u64) as usize];
        let k = 2 + dice.below(4);
        world.create(k, requirements);
        let (rows, gone) = (BTreeMap::new(), BTreeMap::new());
        Life { world, dice, k, requirements, rows, gone, next: 1, releases: Vec::new(), held_back: 0 }
    }

    /// Plays a history. It begins with some rows and a release, so that others can be compared with it.
    fn play(mut self) -> Self {
        let first = 10 + self.dice.below(120);
        self.insert(first);
        self.release();
        for _ in 0..3 + self.dice.below(12) {
            match self.dice.below(12) {
                0..=2 => {
                    let rows = self.dice.below(40);
                    self.insert(rows);
                }
                3 => self.update(),
                4 | 5 => self.delete(),
                6 | 7 => self.bring_back(),
                8 => drop(self.world.open().compact(&self.world.means()).unwrap()),
                _ => self.release(),
            }
        }
        self.release();
        self
    }

    fn put(&mut self, rows: &[(u32, Person)], update: bool) {
        let world = &self.world;
        let borrowed: Vec<(u32, &Person)> = rows.iter().map(|(id, person)| (*id, person)).collect();
        world
            .change(&borrowed, |store, batch| match update {
                true => store.update(batch, &world.means()),
                false => store.insert(batch, &world.means()),
            })
            .unwrap();
        self.rows.extend(rows.iter().cloned());
    }

    fn insert(&mut self, many: u64) {
        let rows: Vec<(u32, Person)> = (self.next..).zip((0..many).map(|_| self.dice.person())).collect();
        self.next += many as u32;
        self.put(&rows, false);
    }

    fn update(&mut self) {
        let keys = self.dice.some(self.rows.keys().copied(), 6);
        let rows: Vec<(u32, Person)> = keys
            .into_iter()
            .map(|key| {
                let mut person = self.dice.person();
                if self.dice.below(2) == 0 {
                    // Only the illness changes.
                    person[..3].clone_from_slice(&self.rows[&key][..3]);
                }
                (key, person)
            })
            .collect();
        self.put(&rows, true);
    }

    fn delete(&mut self) {
        let most = [3, 12, 60][self.dice.below(3) as usize];
        let keys = self.dice.some(self.rows.keys().copied(), most);
        let rows: Vec<(u32, Person)> = keys.iter().map(|key| (*key, self.rows[key].clone())).collect();
        let borrowed: Vec<(u32, &Person)> = rows.iter().map(|(id, person)| (*id, person)).collect();
        let world = &self.world;
        world.change(&borrowed, |store, batch| store.delete(batch, &world.means())).unwrap();
        keys.iter().for_each(|key| drop(self.rows.remove(key)));
        self.gone.extend(rows);
    }

    /// Some of those who have left come back, as they were or as others.
    fn bring_back(&mut self) {
        let keys = self.dice.some(self.gone.keys().copied(), 20);
        let rows: Vec<(u32, Person)> = keys
            .into_iter()
            .map(|key| {
                let before = self.gone.remove(&key).unwrap();
                (key, if self.dice.below(2) == 0 { before } else { self.dice.person() })
            })
            .collect();
        self.put(&rows, false);
    }

    fn release(&mut self) {
        let k = self.k * (1 + self.dice.below(3));
        let by = if self.dice.below(3) == 0 { LeafGrouping::Level } else { LeafGrouping::LeafScan };
        let (hold_back, allow_differences) = (self.dice.below(4) > 0, self.dice.below(10) == 0);
        let asked = ReleaseRequest { k, by, hold_back, allow_differences, audience: "all".to_string() };
        match self.world.release_as(asked) {
            Ok((seen, listed)) => {
                assert_eq!(listed.rows + listed.held_back, self.rows.len() as u64);
                assert!(hold_back || listed.held_back == 0);
                assert!(seen.rows.iter().all(|(id, person)| self.rows[id] == *person));
                self.held_back += listed.held_back;
                self.releases.push((seen, allow_differences));
                self.check(k);
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsatisfied, "{error}"),
        }
    }

    fn required(&self, k: u64) -> Vec<Box<dyn Requirement>> {
        let mut all: Vec<Box<dyn Requirement>> = vec![Box::new(KAnonymity::new(k).unwrap())];
        let others = self.requirements.iter();
        all.extend(others.map(|(flag, text)| registry::requirement(flag, "illness", text).unwrap()));
        all
    }

    /// Checks the newest release: by itself, beside each earlier one, and beside all of them.
    fn check(&mut self, k: u64) {
        let Some(((newest, allowed), earlier)) = self.releases.split_last() else { return };
        let mut tally = Tally::new(&["age", "colour", "place"], &["illness"]);
        for [age, colour, place, illness] in newest.texts.values() {
            tally.add(&[age, colour, place], &[illness]).unwrap();
        }
        let outcomes = check(&tally, &self.required(k), &facts()).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.holds), "{outcomes:?}");
        let all: Vec<&Seen> = self.releases.iter().rev().map(|(seen, _)| seen).collect();
        let strict = self.releases.iter().all(|(_, allowed)| !allowed);
        self.against(&all, strict);
        if !allowed {
            earlier.iter().for_each(|(seen, _)| self.against(&[newest, seen], true));
        }
        let dice = &mut self.dice;
        let hidden = self.releases.iter().rev().filter(|(_, allowed)| !allowed);
        let some: Vec<&Seen> = hidden.filter(|_| dice.below(2) == 0).map(|(seen, _)| seen).collect();
        self.against(&some, true);
    }

    /// Releases beside each other, newest first.
    fn against(&self, seen: &[&Seen], strict: bool) {
        let mut releases = Releases::new(&["age", "colour", "place"], &["illness"]);
        for (number, seen) in seen.iter().enumerate() {
            releases.begin(&number.to_string()).unwrap();
            for (id, [age, colour, place, illness]) in &seen.texts {
                assert_eq!(releases.add(u128::from(*id), &[age, colour, place], &[illness]).unwrap(), None);
            }
        }
        let report = releases.check(&self.required(self.k), &facts(), strict).unwrap();
        assert!(report.holds(), "{strict} {report:#?}");
    }
}

fn facts() -> PromiseFacts {
    let mut spec = ColumnSpec::new("illness", Role::Sensitive);
    spec.type_spec = Some(ValueType::Text.into());
    PromiseFacts { sensitive: [("illness".to_string(), spec)].into(), ..PromiseFacts::default() }
}

fn asked_for(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn histories_of_a_store_are_safe_together() {
    let (first, many) = (asked_for("KLIMT_SEED", 1), asked_for("KLIMT_HISTORIES", HISTORIES));
    let played: Vec<(u64, u64, u64, u64)> = (first..first + many)
        .into_par_iter()
        .map(|seed| {
            let life = std::panic::catch_unwind(|| Life::new(seed).play());
            let life =
                life.unwrap_or_else(|_| panic!("history {seed} fails: KLIMT_SEED={seed} KLIMT_HISTORIES=1"));
            let rows = life.releases.iter().map(|(seen, _)| seen.rows.len() as u64).sum();
            (1, life.releases.len() as u64, rows, life.held_back)
        })
        .collect();
    let sum = |of: fn(&(u64, u64, u64, u64)) -> u64| played.iter().map(of).sum::<u64>();
    let (releases, rows, held) = (sum(|one| one.1), sum(|one| one.2), sum(|one| one.3));
    println!("{many} histories, {releases} releases of {rows} rows, {held} held back");
    assert!(releases > many, "most histories have several releases: {releases}");
    assert!(held < rows, "most rows are released: {held} of {rows} were held back");
}
