//! Estimates of population uniques against populations in which they are known.

use super::{Question, Risk, Share};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    (uniform(random) * bound as f64) as usize
}

/// The group of every person of a population that follows Pitman's model.
fn pitman_population(random: &mut ChaCha8Rng, people: usize, alpha: f64, theta: f64) -> Vec<usize> {
    let (mut group_of, mut sizes) = (Vec::with_capacity(people), Vec::<usize>::new());
    for i in 0..people {
        let founds = uniform(random) * (theta + i as f64) < theta + alpha * sizes.len() as f64;
        let group = if founds {
            sizes.push(0);
            sizes.len() - 1
        } else {
            // A group of j people is chosen with weight j, and kept with the chance (j − α)/j.
            loop {
                let group: usize = group_of[below(random, i)];
                if uniform(random) * sizes[group] as f64 >= alpha {
                    break group;
                }
            }
        };
        sizes[group] += 1;
        group_of.push(group);
    }
    group_of
}

/// The group of every person when the r-th of `groups` groups attracts people by r^-power.
fn zipf_population(random: &mut ChaCha8Rng, people: usize, groups: usize, power: f64) -> Vec<usize> {
    let mut sums = Vec::with_capacity(groups);
    let mut sum = 0.0;
    for rank in 1..=groups {
        sum += (rank as f64).powf(-power);
        sums.push(sum);
    }
    (0..people).map(|_| uniform(random) * sum).map(|x| sums.partition_point(|&sum| sum <= x)).collect()
}

fn sizes(group_of: &[usize]) -> Vec<u64> {
    let mut counts = BTreeMap::<usize, u64>::new();
    group_of.iter().for_each(|&group| *counts.entry(group).or_default() += 1);
    counts.into_values().collect()
}

/// The estimates by Zayatz and by Pitman over the true number of uniques, for a sample of some per cent.
fn ratios(random: &mut ChaCha8Rng, mut population: Vec<usize>, percent: u8) -> (f64, f64) {
    let unique = sizes(&population).iter().filter(|&&size| size == 1).count() as f64;
    let sampled = population.len() * usize::from(percent) / 100;
    for at in 0..sampled {
        let other = at + below(random, population.len() - at);
        population.swap(at, other);
    }
    let question = Question::new(Some(Share::percent(percent)), Share::percent(20)).unwrap();
    let found = Risk::of(sizes(&population[..sampled]), &question).population.unwrap();
    assert_eq!(found.size, population.len() as u64);
    (found.zayatz.uniques / unique, found.pitman.unwrap().uniques / unique)
}

#[test]
fn pitman_finds_the_uniques_of_its_own_model() {
    let random = &mut ChaCha8Rng::seed_from_u64(1);
    for (alpha, theta) in [(0.3, 200.0), (0.5, 100.0), (0.8, 10.0), (0.0, 2000.0)] {
        for percent in [5, 20, 50] {
            let population = pitman_population(random, 40_000, alpha, theta);
            let (_, pitman) = ratios(random, population, percent);
            assert!((0.8..1.25).contains(&pitman), "{alpha} {theta} {percent} %: {pitman}");
        }
    }
}

#[test]
fn both_are_near_for_skewed_populations() {
    let random = &mut ChaCha8Rng::seed_from_u64(2);
    for power in [0.8, 1.2, 1.6] {
        for percent in [20, 50] {
            let population = zipf_population(random, 40_000, 50_000, power);
            let (zayatz, pitman) = ratios(random, population, percent);
            assert!((0.8..1.5).contains(&pitman), "{power} {percent} %: {pitman}");
            assert!((0.8..1.5).contains(&zayatz), "{power} {percent} %: {zayatz}");
        }
    }
}

#[test]
fn zayatz_is_too_high_for_small_samples() {
    let random = &mut ChaCha8Rng::seed_from_u64(3);
    let population = pitman_population(random, 40_000, 0.0, 2000.0);
    let (zayatz, pitman) = ratios(random, population, 5);
    assert!(zayatz > 3.0 && (0.7..1.4).contains(&pitman), "{zayatz} {pitman}");
}
