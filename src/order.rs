//! Sorting and collecting in order, compiled once instead of once for each type.
//!
//! `slice::sort_by` and `BTreeMap::from_iter` are made again for every type and every comparison, some four kilobytes
//! each; the library has about a hundred of them. Here the comparisons decide an order of places, which is the same
//! code for all, and only the comparing and the moving are made for the type.

use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Stable sorting of a slice, as `sort`, `sort_by` and `sort_by_key` do it, in O(n log n) comparisons; a slice that is
/// in order already costs one comparison for each item.
pub trait Order<T> {
    /// Sorts by the items themselves.
    fn order(&mut self)
    where
        T: Ord;

    /// Sorts by a comparison.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key of each item, made at every comparison.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);

    /// Sorts by a key of each item that is dear: made once.
    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }

    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let ranks = ranks(self.len(), &mut |left, right| match (self.get(left), self.get(right)) {
            (Some(left), Some(right)) => compare(left, right),
            _ => Ordering::Equal,
        });
        move_to(ranks, &mut |from, to| self.swap(from, to));
    }

    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|left, right| key(left).cmp(&key(right)));
    }

    fn order_by_cached_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K) {
        let keys: Vec<K> = self.iter().map(key).collect();
        let ranks = ranks(keys.len(), &mut |left, right| keys.get(left).cmp(&keys.get(right)));
        move_to(ranks, &mut |from, to| self.swap(from, to));
    }
}

/// The places of the `limit` smallest of so many items, the smallest first. Faster than sorting all where few are
/// wanted. Places compare equal only with themselves.
pub fn smallest(length: usize, limit: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..length).collect();
    if limit < length {
        places.select_nth_unstable_by(limit, |left, right| compare(*left, *right));
        places.truncate(limit);
    }
    places.order_by(|left, right| compare(*left, *right));
    places
}

/// Collecting into ordered maps and sets; of equal keys the last counts.
pub trait Collect: Iterator + Sized {
    /// The entries as a map.
    fn collect_map<K: Ord, V>(self) -> BTreeMap<K, V>
    where
        Self: Iterator<Item = (K, V)>,
    {
        let mut map = BTreeMap::new();
        self.for_each(|(key, value)| {
            map.insert(key, value);
        });
        map
    }

    /// The members as a JSON object.
    fn collect_object(self) -> Map<String, Value>
    where
        Self: Iterator<Item = (String, Value)>,
    {
        let mut object = Map::new();
        self.for_each(|(key, value)| {
            object.insert(key, value);
        });
        object
    }

    /// The items as a set.
    fn collect_set(self) -> BTreeSet<Self::Item>
    where
        Self::Item: Ord,
    {
        let mut set = BTreeSet::new();
        self.for_each(|item| {
            set.insert(item);
        });
        set
    }
}

impl<I: Iterator> Collect for I {}

/// The place that each of the items gets: a merge sort from the bottom up.
fn ranks(length: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..length).collect();
    let mut merged = Vec::with_capacity(length);
    let mut width = 1usize;
    while width < length {
        for runs in sorted.chunks(width.saturating_mul(2)) {
            let (left, right) = runs.split_at(width.min(runs.len()));
            merge(left, right, &mut merged, compare);
        }
        std::mem::swap(&mut sorted, &mut merged);
        merged.clear();
        width = width.saturating_mul(2);
    }
    merged.resize(length, 0);
    for (rank, index) in sorted.into_iter().enumerate() {
        if let Some(of) = merged.get_mut(index) {
            *of = rank;
        }
    }
    merged
}

/// Merges two runs; of equals, those of the left run come first.
fn merge(
    mut left: &[usize],
    mut right: &[usize],
    merged: &mut Vec<usize>,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) {
    // In order already: one comparison for both runs.
    if let (Some(last), Some(first)) = (left.last(), right.first())
        && compare(*last, *first) == Ordering::Greater
    {
        while let (Some((a, left_rest)), Some((b, right_rest))) = (left.split_first(), right.split_first()) {
            if compare(*a, *b) == Ordering::Greater {
                merged.push(*b);
                right = right_rest;
            } else {
                merged.push(*a);
                left = left_rest;
            }
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
}

/// Moves every item to its rank, one swap for each that moves.
fn move_to(mut ranks: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for place in 0..ranks.len() {
        while let Some(rank) = ranks.get(place).copied().filter(|rank| *rank != place) {
            swap(place, rank);
            ranks.swap(place, rank);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, the same every time.
    fn numbers(count: usize, below: u64) -> Vec<u64> {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let next = std::iter::from_fn(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            Some(state % below)
        });
        next.take(count).collect()
    }

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        for length in (0..70).chain([127, 128, 129, 1000, 4097]) {
            let mut ours: Vec<(u64, usize)> = numbers(length, 50).into_iter().zip(0..).collect();
            let mut theirs = ours.clone();
            ours.order_by_key(|(number, _)| *number);
            theirs.sort_by_key(|(number, _)| *number);
            assert_eq!(ours, theirs, "equal numbers stay in their order, {length} of them");
            ours.order_by(|a, b| b.cmp(a));
            theirs.sort_by(|a, b| b.cmp(a));
            assert_eq!(ours, theirs);
            ours.order();
            assert!(ours.is_sorted());
        }
    }

    #[test]
    fn what_is_in_order_costs_one_comparison_an_item_and_anything_else_n_log_n() {
        let comparisons = |mut items: Vec<u64>| {
            let mut count = 0;
            items.order_by(|a, b| {
                count += 1;
                a.cmp(b)
            });
            assert!(items.is_sorted());
            count
        };
        assert_eq!(comparisons((0..5000).collect()), 4999);
        assert!(comparisons(numbers(5000, u64::MAX)) < 5000 * 15);
        assert!(comparisons((0..5000).rev().collect()) < 5000 * 15);
    }

    #[test]
    fn the_smallest_are_those_of_the_sorted_list() {
        let items: Vec<(u64, usize)> = numbers(500, 50).into_iter().zip(0..).collect();
        let mut sorted = items.clone();
        sorted.order_by_cached_key(|item| *item);
        assert!(sorted.is_sorted());
        for limit in [0, 1, 17, 499, 500, 501] {
            let places = smallest(items.len(), limit, &mut |a, b| items[a].cmp(&items[b]));
            let found: Vec<_> = places.into_iter().map(|place| items[place]).collect();
            assert_eq!(found, sorted[..limit.min(500)], "the {limit} smallest");
        }
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let map = [("b", 1), ("a", 2), ("b", 3)].into_iter().collect_map();
        assert_eq!(map, BTreeMap::from([("a", 2), ("b", 3)]));
        assert_eq!(["b", "a", "b"].into_iter().collect_set(), BTreeSet::from(["a", "b"]));
    }
}
