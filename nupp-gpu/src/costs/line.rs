//! A JSON object on one line, written by hand.
//!
//! A log needs six kinds of values and no reader, so this is all of JSON that there is here. A library
//! for it would bring its derive macro, and with it syn, into the build of every kernel crate.

use std::fmt::{Display, Write};

/// The fields of an object, in the order in which they were given, without the braces.
#[derive(Debug, Default)]
pub(crate) struct Line {
    text: String,
}

impl Line {
    /// The fields as they stand in an object.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Names are ours and hold nothing that JSON escapes.
    fn key(&mut self, name: &'static str) {
        if !self.text.is_empty() {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    fn raw(mut self, name: &'static str, value: impl Display) -> Self {
        self.key(name);
        // Writing to a string does not fail.
        let _ = write!(self.text, "{value}");
        self
    }

    pub(crate) fn integer(self, name: &'static str, value: u64) -> Self {
        self.raw(name, value)
    }

    pub(crate) fn integer_or_null(self, name: &'static str, value: Option<u64>) -> Self {
        match value {
            Some(value) => self.raw(name, value),
            None => self.raw(name, "null"),
        }
    }

    pub(crate) fn flag(self, name: &'static str, value: bool) -> Self {
        self.raw(name, value)
    }

    /// A number in the fewest digits that give it back; `null` for what is no number.
    pub(crate) fn number(self, name: &'static str, value: f64) -> Self {
        match value.is_finite() {
            true => self.raw(name, value),
            false => self.raw(name, "null"),
        }
    }

    pub(crate) fn text(mut self, name: &'static str, value: &str) -> Self {
        self.key(name);
        self.text.push('"');
        for letter in value.chars() {
            self.letter(letter);
        }
        self.text.push('"');
        self
    }

    fn letter(&mut self, letter: char) {
        match letter {
            '"' => self.text.push_str("\\\""),
            '\\' => self.text.push_str("\\\\"),
            '\0'..='\u{1f}' => {
                let _ = write!(self.text, "\\u{:04x}", u32::from(letter));
            }
            _ => self.text.push(letter),
        }
    }

    pub(crate) fn integers(mut self, name: &'static str, values: &[u32]) -> Self {
        self.key(name);
        self.text.push('[');
        for (position, value) in values.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            let _ = write!(self.text, "{comma}{value}");
        }
        self.text.push(']');
        self
    }

    pub(crate) fn objects(
        mut self,
        name: &'static str,
        values: impl Iterator<Item = Line>,
    ) -> Self {
        self.key(name);
        self.text.push('[');
        for (position, value) in values.enumerate() {
            let comma = if position == 0 { "" } else { "," };
            let _ = write!(self.text, "{comma}{{{}}}", value.text);
        }
        self.text.push(']');
        self
    }

    /// These fields, then those of another.
    pub(crate) fn and(mut self, other: &Line) -> Self {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push(',');
        }
        self.text.push_str(&other.text);
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(line: Line) -> Value {
        assert!(!line.as_str().contains('\n'));
        serde_json::from_str(&format!("{{{}}}", line.as_str())).unwrap()
    }

    #[test]
    fn every_letter_comes_back() {
        let all: String = ('\0'..='\u{17f}')
            .chain(['\u{2028}', '\u{fffd}', '𝄞'])
            .collect();
        let line = Line::default().text("text", &all);
        assert_eq!(read(line), json!({ "text": all }));
    }

    #[test]
    fn numbers_come_back_exactly() {
        let line = Line::default()
            .integer("most", u64::MAX)
            .number("small", 1e-9)
            .number("period", f64::from(83.333_336_f32))
            .number("none", f64::NAN)
            .flag("flag", true);
        let read = read(line);
        assert_eq!(read["most"].as_u64(), Some(u64::MAX));
        assert_eq!(
            read["small"].as_f64().map(f64::to_bits),
            Some(1e-9_f64.to_bits())
        );
        let period = f64::from(83.333_336_f32).to_bits();
        assert_eq!(read["period"].as_f64().map(f64::to_bits), Some(period));
        assert_eq!(read["none"], Value::Null);
        assert_eq!(read["flag"], json!(true));
    }

    #[test]
    fn lists_and_objects_nest() {
        let one = || Line::default().integer("a", 1).text("b", "x\"y");
        let line = (Line::default().integers("empty", &[]))
            .integers("some", &[1, 2, u32::MAX])
            .objects("objects", [one(), one()].into_iter())
            .and(&one());
        let expected = json!({
            "empty": [],
            "some": [1, 2, u32::MAX],
            "objects": [{ "a": 1, "b": "x\"y" }, { "a": 1, "b": "x\"y" }],
            "a": 1,
            "b": "x\"y",
        });
        assert_eq!(read(line), expected);
    }
}
