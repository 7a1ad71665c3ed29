//! The lines of a cost log, each held to the schema, and what is wrong with the others.
//!
//! A line that is not as documented is left out and named; the ones after it are read. A last line without
//! its end is what a process leaves that died while it wrote, which is said and is no fault of the log.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::schema;

/// A line that is as documented.
pub struct Record {
    fields: Map<String, Value>,
}

/// What is wrong with a line.
pub struct Fault {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

/// A log as far as it can be read.
#[derive(Default)]
pub struct Log {
    /// Lines that are as documented, of the first process.
    pub records: Vec<Record>,
    /// What is wrong with the others.
    pub faults: Vec<Fault>,
    /// Whole lines in the file.
    pub lines: usize,
    /// Whether there is a last line that is cut off.
    pub cut: bool,
}

// A record was checked, so that a field which is asked for is there and of its type.
impl Record {
    /// The name of its operation.
    pub fn operation(&self) -> &str {
        self.text("operation")
    }

    /// A text.
    pub fn text(&self, name: &str) -> &str {
        let value = self.fields.get(name);
        value.and_then(Value::as_str).unwrap_or_default()
    }

    /// An integer.
    pub fn integer(&self, name: &str) -> u64 {
        self.optional(name).unwrap_or_default()
    }

    /// An integer, or nothing where it is null.
    pub fn optional(&self, name: &str) -> Option<u64> {
        self.fields.get(name).and_then(Value::as_u64)
    }

    /// A number, or nothing where it is null or of the other form of the operation.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.fields.get(name).and_then(Value::as_f64)
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool) == Some(true)
    }
}

impl Log {
    /// Reads the bytes of a file.
    pub fn read(bytes: &[u8]) -> Self {
        let mut log = Self::default();
        let mut order = Order {
            due: Some(1),
            ..Order::default()
        };
        for (line, bytes) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            let whole = bytes.ends_with(b"\n");
            match record(bytes) {
                Err(_) if !whole => {
                    log.cut = true;
                    continue;
                }
                Err(text) => {
                    order.due = None;
                    log.faults.push(Fault { line, text });
                }
                Ok(record) => match order.place(&record) {
                    Place::Next => log.records.push(record),
                    Place::Gap(text) => {
                        log.faults.push(Fault { line, text });
                        log.records.push(record);
                    }
                    Place::Foreign(text) => {
                        let text = text.into_iter();
                        log.faults.extend(text.map(|text| Fault { line, text }));
                    }
                },
            }
            log.lines += 1;
        }
        log
    }
}

fn record(bytes: &[u8]) -> Result<Record, String> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(fields)) => {
            schema::check(&fields)?;
            Ok(Record { fields })
        }
        Ok(_) => Err("no JSON object".to_owned()),
        // The place that the library adds is one in this line alone, and the line has its number already.
        Err(fault) => {
            let text = fault.to_string();
            let text = text
                .rsplit_once(" at line ")
                .map_or(text.as_str(), |(text, _)| text);
            Err(format!("no JSON: {text} (column {})", fault.column()))
        }
    }
}

/// Whether a line stands where its number belongs.
enum Place {
    Next,
    /// Lines are missing before it.
    Gap(String),
    /// Another process wrote it, which is told once of each.
    Foreign(Option<String>),
}

/// Which line is due.
#[derive(Default)]
struct Order {
    process: Option<u64>,
    others: BTreeSet<u64>,
    /// The number of the next line; nothing behind one that could not be read.
    due: Option<u64>,
}

impl Order {
    fn place(&mut self, record: &Record) -> Place {
        let (process, sequence) = (record.integer("process"), record.integer("sequence"));
        let own = *self.process.get_or_insert(process);
        if process != own {
            let told = self.others.insert(process).then(|| {
                format!(
                    "process {process} wrote to the file of process {own}; its lines are left out"
                )
            });
            return Place::Foreign(told);
        }
        let due = std::mem::replace(&mut self.due, sequence.checked_add(1));
        match due {
            Some(due) if due != sequence => Place::Gap(format!(
                "sequence is {sequence} where {due} is due: lines are missing or out of order"
            )),
            _ => Place::Next,
        }
    }
}
