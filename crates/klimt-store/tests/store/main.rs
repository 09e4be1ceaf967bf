//! A store against a model of it: a map from keys to rows, and every release as sets of rows.

mod histories;
mod texts;
mod world;

use klimt_core::algorithm::rtree::LeafGrouping;
use klimt_core::{ErrorKind, Result};
use klimt_store::{Batch, Size, Store};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use world::{Person, Seen, World};

/// The requirements besides k.
fn distinct(diversity: bool) -> Vec<(&'static str, &'static str)> {
    if diversity { vec![("l-diversity", "distinct:2")] } else { Vec::new() }
}

/// Whether some people satisfy what was promised.
fn enough(people: &BTreeSet<u32>, k: u64, diversity: bool, illness: impl Fn(u32) -> String) -> bool {
    let illnesses: BTreeSet<String> = people.iter().map(|&id| illness(id)).collect();
    people.len() as u64 >= k && (!diversity || illnesses.len() >= 2)
}

/// The candidates of everybody who is in several releases, by the definition: whoever was, wherever they were, with them.
fn check_candidates(releases: &[Seen], k: u64, diversity: bool) {
    let Some(newest) = releases.last() else { return };
    let group = |release: &Seen, id: u32| release.groups.iter().position(|group| group.contains(&id));
    for &id in newest.rows.keys() {
        let been: Vec<(&Seen, usize)> =
            releases.iter().filter_map(|release| Some((release, group(release, id)?))).collect();
        if been.len() < 2 {
            continue;
        }
        let mut candidates = been[0].0.groups[been[0].1].clone();
        for (release, group) in &been[1..] {
            candidates = candidates.intersection(&release.groups[*group]).copied().collect();
        }
        let fine = enough(&candidates, k, diversity, |id| newest.rows[&id][3].clone());
        assert!(fine, "{} candidates in {} releases", candidates.len(), been.len());
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<Person>),
    Update(Vec<(usize, Person)>),
    Delete(Vec<usize>),
    Release { times: u64, by: bool, hold_back: bool },
    Compact,
}

fn person() -> impl Strategy<Value = Person> {
    let age = prop_oneof![5 => (20u32..60).prop_map(|age| age.to_string()), 1 => Just(String::new())];
    let colour = prop::sample::select(vec!["red", "blue", "green", ""]).prop_map(String::from);
    let place =
        prop::sample::select(vec!["Wien", "Graz", "Bern", "Basel", "Paris", ""]).prop_map(String::from);
    let illness = prop::sample::select(vec!["flu", "cold", "cancer"]).prop_map(String::from);
    (age, colour, place, illness).prop_map(|(age, colour, place, illness)| [age, colour, place, illness])
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => prop::collection::vec(person(), 0..60).prop_map(Step::Insert),
        2 => prop::collection::vec((0usize..1000, person()), 0..6).prop_map(Step::Update),
        2 => prop::collection::vec(0usize..1000, 0..12).prop_map(Step::Delete),
        4 => (1u64..4, any::<bool>(), any::<bool>())
            .prop_map(|(times, by, hold_back)| Step::Release { times, by, hold_back }),
        1 => Just(Step::Compact),
    ]
}

/// Some keys of the model, each once.
fn some_keys(model: &BTreeMap<u32, Person>, picks: impl Iterator<Item = usize>) -> Vec<u32> {
    let keys: Vec<u32> = model.keys().copied().collect();
    let picked: BTreeSet<u32> =
        picks.filter(|_| !keys.is_empty()).map(|pick| keys[pick % keys.len()]).collect();
    picked.into_iter().collect()
}

fn live(world: World, k: u64, diversity: bool, steps: Vec<Step>) {
    world.create(k, &distinct(diversity));
    let (mut model, mut next, mut releases): (BTreeMap<u32, Person>, u32, Vec<Seen>) =
        (BTreeMap::new(), 1, Vec::new());
    for step in steps {
        match step {
            Step::Insert(people) => {
                let rows: Vec<(u32, &Person)> = (next..).zip(&people).collect();
                world.change(&rows, |store, batch| store.insert(batch, &world.means())).unwrap();
                next += people.len() as u32;
                model.extend(rows.into_iter().map(|(id, person)| (id, person.clone())));
            }
            Step::Update(changes) => {
                let keys = some_keys(&model, changes.iter().map(|(pick, _)| *pick));
                let rows: Vec<(u32, &Person)> =
                    keys.into_iter().zip(changes.iter().map(|(_, person)| person)).collect();
                world.change(&rows, |store, batch| store.update(batch, &world.means())).unwrap();
                model.extend(rows.into_iter().map(|(id, person)| (id, person.clone())));
            }
            Step::Delete(picks) => {
                let keys = some_keys(&model, picks.into_iter());
                let nobody = ["", "", "Wien", ""].map(String::from);
                let rows: Vec<(u32, &Person)> = keys.iter().map(|&key| (key, &nobody)).collect();
                world.change(&rows, |store, batch| store.delete(batch, &world.means())).unwrap();
                keys.iter().for_each(|key| assert!(model.remove(key).is_some()));
            }
            Step::Compact => {
                world.open().compact(&world.means()).unwrap();
            }
            Step::Release { times, by, hold_back } => {
                let by = if by { LeafGrouping::Level } else { LeafGrouping::LeafScan };
                match world.release(k * times, by, hold_back) {
                    Ok((seen, listed)) => {
                        assert_eq!(listed.rows + listed.held_back, model.len() as u64);
                        assert!(hold_back || listed.held_back == 0);
                        assert!(seen.rows.iter().all(|(id, person)| model[id] == *person));
                        for group in &seen.groups {
                            assert!(enough(group, k * times, diversity, |id| model[&id][3].clone()));
                        }
                        releases.push(seen);
                        check_candidates(&releases, k, diversity);
                        assert_eq!(world.open().status().unwrap().waiting, 0);
                    }
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Unsatisfied, "{error}"),
                }
            }
        }
        let status = world.open().status().unwrap();
        assert_eq!((status.rows, status.releases.len()), (model.len() as u64, releases.len()));
        assert!(model.is_empty() || status.groups >= 1);
        let many = status.rows >= k;
        assert!(!many || diversity || status.smallest >= k, "a leaf has {} rows", status.smallest);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_store_holds_what_came_and_its_releases_are_safe_together(
        k in 2u64..5,
        diversity in any::<bool>(),
        patient in any::<bool>(),
        steps in prop::collection::vec(step(), 1..12),
    ) {
        live(if patient { World::patient() } else { World::new() }, k, diversity, steps);
    }
}

fn people(rows: u32) -> Vec<Person> {
    let ages = |row: u32| (20 + row * 7 % 53).to_string();
    let person = |row: u32| {
        let colour = ["red", "blue", "green"][row as usize % 3];
        let place = ["Wien", "Graz", "Bern", "Basel", "Paris"][row as usize * 11 % 5];
        [ages(row), colour.to_string(), place.to_string(), ["flu", "cold"][row as usize % 2].to_string()]
    };
    (0..rows).map(person).collect()
}

#[test]
fn pages_are_divided_and_given_up_and_nothing_is_lost() {
    let world = World::new();
    world.create(3, &[]);
    let all = people(20_000);
    let rows: Vec<(u32, &Person)> = (1..).zip(&all).collect();
    for lot in rows.chunks(5_000) {
        world.change(lot, |store, batch| store.insert(batch, &world.means())).unwrap();
    }
    let full = world.open().status().unwrap();
    assert!(full.pages > 4 && full.height > 1, "{full:?}");
    world.change(&rows[..19_990], |store, batch| store.delete(batch, &world.means())).unwrap();
    let few = world.open().status().unwrap();
    assert_eq!((few.rows, few.pages), (10, 1));
    let (seen, _) = world.release(3, LeafGrouping::LeafScan, false).unwrap();
    assert_eq!(seen.rows.keys().copied().collect::<Vec<_>>(), (19_991..=20_000).collect::<Vec<_>>());
    world.change(&rows[19_990..19_998], |store, batch| store.delete(batch, &world.means())).unwrap();
    assert!(world.release(3, LeafGrouping::LeafScan, true).is_err(), "two people are too few");
}

/// Where a batch is small beside the store, most of its rows wait. They are found by their keys, and released.
#[test]
fn rows_that_wait_are_rows_of_the_store() {
    let world = World::patient();
    world.create(3, &[]);
    let all = people(10_000);
    let rows: Vec<(u32, &Person)> = (1..).zip(&all).collect();
    let waiting = || world.open().status().unwrap().waiting;
    world.change(&rows[..9_000], |store, batch| store.insert(batch, &world.means())).unwrap();
    assert_eq!(waiting(), 0);
    for lot in rows[9_000..].chunks(250) {
        world.change(lot, |store, batch| store.insert(batch, &world.means())).unwrap();
    }
    assert!(waiting() > 500, "{}", waiting());
    let again = world.change(&rows[9_100..9_101], |store, batch| store.insert(batch, &world.means()));
    assert!(again.unwrap_err().to_string().contains("row 1: a row with this key is in the store"));
    let changed = ["61", "red", "Wien", "cold"].map(String::from);
    let updated = [(9_200, &changed), (5, &changed)];
    world.change(&updated, |store, batch| store.update(batch, &world.means())).unwrap();
    world.change(&rows[9_500..9_600], |store, batch| store.delete(batch, &world.means())).unwrap();
    let (seen, _) = world.release(3, LeafGrouping::LeafScan, false).unwrap();
    assert_eq!((waiting(), seen.rows.len()), (0, 9_900));
    for (id, person) in &rows {
        let expected = match id {
            9_501..=9_600 => None,
            5 | 9_200 => Some(&changed),
            _ => Some(*person),
        };
        assert_eq!(seen.rows.get(id), expected, "{id}");
    }
}

/// Newcomers make leaves divisible that hold together who was released together.
#[test]
fn newcomers_alone_keep_nobody_back() {
    for (diversity, world) in [(false, World::new()), (true, World::new()), (true, World::patient())] {
        world.create(3, &distinct(diversity));
        let mut all = people(3_000);
        for (at, person) in all.iter_mut().enumerate().take(1_500) {
            person[3] = if at % 29 == 0 { "cold" } else { "flu" }.to_string();
        }
        let rows: Vec<(u32, &Person)> = (1..).zip(&all).collect();
        world.change(&rows[..1_500], |store, batch| store.insert(batch, &world.means())).unwrap();
        let mut releases = vec![world.release(6, LeafGrouping::LeafScan, false).unwrap().0];
        for lot in rows[1_500..].chunks(500) {
            world.change(lot, |store, batch| store.insert(batch, &world.means())).unwrap();
            for (k, by) in [(6, LeafGrouping::LeafScan), (20, LeafGrouping::Level)] {
                releases.push(world.release(k, by, false).unwrap().0);
            }
        }
        assert_eq!(releases.last().unwrap().rows.len(), 3_000);
        check_candidates(&releases, 3, diversity);
        let before = world.open().status().unwrap();
        world.open().compact(&world.means()).unwrap();
        assert_eq!(world.open().status().unwrap().groups, before.groups, "released groups stay together");
    }
}

/// Missing values are cut off from all values, also from those that come later.
#[test]
fn values_beyond_all_others_do_not_join_what_is_missing() {
    let world = World::new();
    world.create(4, &[]);
    let person = |age: String| [age, "red".to_string(), "Wien".to_string(), "flu".to_string()];
    let ages = (20..60)
        .map(|age: u32| age.to_string())
        .chain((0..20).map(|_| String::new()))
        .chain(["95".into(), "96".into()]);
    let all: Vec<Person> = ages.map(person).collect();
    let rows: Vec<(u32, &Person)> = (1..).zip(&all).collect();
    for lot in [&rows[..60], &rows[60..]] {
        world.change(lot, |store, batch| store.insert(batch, &world.means())).unwrap();
    }
    let (seen, _) = world.release(4, LeafGrouping::LeafScan, false).unwrap();
    let old = seen.groups.iter().find(|group| group.contains(&61)).unwrap();
    assert!(old.contains(&62) && old.iter().all(|id| !seen.rows[id][0].is_empty()));
}

#[test]
fn batches_with_wrong_keys_change_nothing() {
    let world = World::new();
    world.create(2, &[]);
    let all = people(20);
    let rows: Vec<(u32, &Person)> = (1..).zip(&all).collect();
    world.change(&rows[..10], |store, batch| store.insert(batch, &world.means())).unwrap();
    let refused =
        |rows: &[(u32, &Person)], what: &str, work: &dyn Fn(&mut Store, &Batch<'_>) -> Result<Size>| {
            let error = world.change(rows, work).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
            assert_eq!(error.kind(), ErrorKind::Input);
            assert_eq!(world.open().status().unwrap().rows, 10);
        };
    let means = world.means();
    refused(&rows[8..12], "batch: row 1: a row with this key is in the store", &|s, b| s.insert(b, &means));
    refused(&[rows[12], rows[13], rows[12]], "row 3: its key is that of row 1", &|s, b| s.insert(b, &means));
    refused(&rows[9..12], "batch: row 2: no row with this key", &|s, b| s.update(b, &means));
    refused(&rows[9..12], "batch: row 2: no row with this key", &|s, b| s.delete(b, &means));
}

#[test]
fn only_the_owner_reads_the_secret_and_only_one_process_uses_the_store() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.create(2, &[]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let secret = world.path().join("secret");
    let values = world.path().join("index.redb");
    assert_eq!((mode(&world.path()), mode(&secret), mode(&values)), (0o700, 0o600, 0o600));
    let open = world.open();
    let second = Store::open(&world.path(), &world.pool).unwrap_err();
    assert!(second.to_string().contains("another process is using the store"), "{second}");
    drop(open);
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(
        Store::open(&world.path(), &world.pool).unwrap_err().to_string().contains("others than its owner")
    );
}

/// No byte of the file can change without being noticed, or without being of no consequence.
#[test]
fn a_damaged_store_is_never_released_wrongly() {
    let world = World::new();
    world.create(3, &[]);
    let all = people(600);
    let rows: Vec<(u32, &Person)> = (1..).zip(&all).collect();
    world.change(&rows, |store, batch| store.insert(batch, &world.means())).unwrap();
    let file = world.path().join("index.redb");
    let whole = std::fs::read(&file).unwrap();
    let truth = |seen: &Seen| {
        seen.rows.len() == 600 && seen.rows.iter().all(|(id, person)| *person == all[*id as usize - 1])
    };
    let mut noticed = 0;
    for try_number in 0..300usize {
        let at = (try_number * 7919 + 4096) % whole.len();
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        std::fs::write(&file, &bytes).unwrap();
        let released = Store::open(&world.path(), &world.pool).and_then(|mut store| {
            let asked = World::asked(3, LeafGrouping::LeafScan, false);
            let mut releasing = store.release(asked)?;
            let mut seen = Seen::default();
            releasing.write(&mut seen)?;
            Ok(seen)
        });
        match released {
            Ok(seen) => assert!(truth(&seen), "byte {at}"),
            Err(error) => {
                assert!(error.to_string().contains("damaged"), "{error}");
                noticed += 1;
            }
        }
    }
    assert!(noticed > 20, "{noticed}");
}

/// Where differences are allowed, newcomers are hidden by those who were with them and nobody is held back.
#[test]
fn newcomers_stay_with_their_groups_where_differences_are_allowed() {
    let world = World::new();
    world.create(5, &[]);
    let all = people(1_300);
    let rows: Vec<(u32, &Person)> = (1..).zip(&all).collect();
    let mut released = 1_000;
    world.change(&rows[..released], |store, batch| store.insert(batch, &world.means())).unwrap();
    let mut releases = Vec::new();
    for lot in [&rows[..0], &rows[1_000..1_100], &rows[1_100..1_200], &rows[1_200..]] {
        world.change(lot, |store, batch| store.insert(batch, &world.means())).unwrap();
        released += lot.len();
        let asked = klimt_store::ReleaseRequest {
            allow_differences: true,
            ..World::asked(10, LeafGrouping::LeafScan, false)
        };
        releases.push(world.release_as(asked).unwrap().0);
        assert_eq!(releases.last().unwrap().rows.len(), released);
        check_candidates(&releases, 5, false);
    }
}
