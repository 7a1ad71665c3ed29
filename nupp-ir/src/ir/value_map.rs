//! A table with at most one entry a value.
//!
//! Values are small integers in a row, so that the entries lie in a vector: nothing is hashed, and
//! whatever walks a table does so in one order.

use super::entity::Value;

/// What is known of some of a kernel's values.
#[derive(Clone, Debug)]
pub struct ValueMap<T>(Vec<Option<T>>);

impl<T> Default for ValueMap<T> {
    fn default() -> Self {
        ValueMap(Vec::new())
    }
}

impl<T> ValueMap<T> {
    /// The entry of a value.
    pub fn get(&self, value: &Value) -> Option<&T> {
        match self.0.get(value.index()) {
            Some(Some(entry)) => Some(entry),
            Some(None) | None => None,
        }
    }

    /// Sets the entry of a value.
    pub fn insert(&mut self, value: Value, entry: T) {
        let at = value.index();
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at] = Some(entry);
    }

    /// Forgets the entry of a value.
    pub fn remove(&mut self, value: &Value) {
        if let Some(entry) = self.0.get_mut(value.index()) {
            *entry = None;
        }
    }
}

impl<T> Extend<(Value, T)> for ValueMap<T> {
    fn extend<I: IntoIterator<Item = (Value, T)>>(&mut self, entries: I) {
        for (value, entry) in entries {
            self.insert(value, entry);
        }
    }
}
