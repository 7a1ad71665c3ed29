//! The schema of the cost log as its page has it, and lines read back against it.
//!
//! The tables of `docs/costs.md` are the only copy: a field that is written and not described fails
//! here, and so does one that is described and not written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value};

const PAGE: &str = include_str!("../../../docs/costs.md");
const COLUMNS: &str = "| field | type | unit | what it is |";
const EVERY_LINE: &str = "every line";
const SLOT: &str = "slot";

/// The type of each field.
type Table = BTreeMap<&'static str, &'static str>;

/// The tables under each heading; an operation with several has one of them in each line.
pub struct Schema {
    tables: BTreeMap<&'static str, Vec<Table>>,
}

impl Schema {
    pub fn read() -> Self {
        let mut tables = BTreeMap::<_, Vec<Table>>::new();
        let mut heading = None;
        let mut open = false;
        for line in PAGE.lines() {
            if let Some(name) = line.strip_prefix("### ") {
                heading = Some(name.trim_matches('`'));
            }
            let row = line.starts_with('|');
            if row && !open {
                assert_eq!(line, COLUMNS);
                let heading = heading.expect("a table under a heading");
                tables.entry(heading).or_default().push(Table::new());
            } else if row && !line.starts_with("| ---") {
                let all = heading.and_then(|heading| tables.get_mut(heading));
                let table = all.and_then(|all| all.last_mut()).unwrap();
                let (field, kind) = parse(line);
                assert!(table.insert(field, kind).is_none(), "{field} twice");
            }
            open = row;
        }
        Self { tables }
    }

    /// The names of the operations.
    pub fn operations(&self) -> BTreeSet<&'static str> {
        let all = self.tables.keys().copied();
        all.filter(|name| ![EVERY_LINE, SLOT].contains(name))
            .collect()
    }

    /// How many tables an operation has.
    pub fn forms(&self, operation: &str) -> usize {
        self.tables[operation].len()
    }

    /// Holds a line to the tables, and returns which of its operation's it has.
    pub fn check(&self, line: &Line) -> usize {
        let common = &self.tables[EVERY_LINE][0];
        let tables = self.tables.get(line.operation());
        let tables = tables.unwrap_or_else(|| panic!("{line:?} is of no known operation"));
        let own = |name: &&String| !common.contains_key(name.as_str());
        let names: BTreeSet<&str> = line.fields.keys().filter(own).map(String::as_str).collect();
        let form = tables
            .iter()
            .position(|table| table.keys().copied().eq(names.iter().copied()));
        let form = form.unwrap_or_else(|| panic!("{line:?} has the fields of no table"));
        for (name, kind) in common.iter().chain(&tables[form]) {
            self.value(name, kind, &line.fields[*name]);
        }
        form
    }

    fn value(&self, name: &str, kind: &str, value: &Value) {
        let integers = |value: &Value| {
            let list = value.as_array();
            list.is_some_and(|list| list.iter().all(Value::is_u64))
        };
        let fits = match kind {
            "integer" => value.is_u64(),
            "integer or null" => value.is_u64() || value.is_null(),
            "number" => value.is_number(),
            "number or null" => value.is_number() || value.is_null(),
            "text" => value.is_string(),
            "flag" => value.is_boolean(),
            "integers" => integers(value),
            "slots" => {
                let table = &self.tables[SLOT][0];
                for slot in value.as_array().expect("a list of slots") {
                    let slot = slot.as_object().expect("a slot");
                    assert!(slot.keys().eq(table.keys()), "{slot:?}");
                    for (name, kind) in table {
                        self.value(name, kind, &slot[*name]);
                    }
                }
                true
            }
            _ => panic!("{name} is of the unknown type {kind}"),
        };
        assert!(fits, "{name} is no {kind}: {value}");
    }
}

/// Field and type of a row, whose unit is that of its name.
fn parse(row: &'static str) -> (&'static str, &'static str) {
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let &["", field, kind, unit, meaning, ""] = cells.as_slice() else {
        panic!("{row} has other columns")
    };
    let field = field.trim_matches('`');
    // A name says its unit, wherever it has one of these.
    for (ends, expected) in [
        (&["Ns"][..], "ns"),
        (&["Us"], "us"),
        (&["Ms"], "ms"),
        (&["bytes", "Bytes"], "bytes"),
        (&["Tick", "ticks"], "ticks"),
    ] {
        let named = ends.iter().any(|end| field.ends_with(end));
        assert_eq!(named, unit == expected, "{row}");
    }
    assert!(!meaning.is_empty(), "{row}");
    (field, kind)
}

/// A line of a log.
#[derive(Debug)]
pub struct Line {
    fields: Map<String, Value>,
}

impl Line {
    pub fn operation(&self) -> &str {
        self.text("operation")
    }

    pub fn get(&self, name: &str) -> &Value {
        let value = self.fields.get(name);
        value.unwrap_or_else(|| panic!("{self:?} has no {name}"))
    }

    pub fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    pub fn text(&self, name: &str) -> &str {
        self.get(name).as_str().unwrap()
    }

    pub fn integer(&self, name: &str) -> u64 {
        self.get(name).as_u64().unwrap()
    }

    pub fn number(&self, name: &str) -> f64 {
        self.get(name).as_f64().unwrap()
    }

    /// Some integers in a row.
    pub fn integers<const N: usize>(&self, names: [&str; N]) -> [u64; N] {
        names.map(|name| self.integer(name))
    }
}

/// The lines of a log, numbered without a gap, in the order of their times, each as documented.
pub fn read(path: &Path) -> Vec<Line> {
    let schema = Schema::read();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'));
    let lines: Vec<Line> = text
        .lines()
        .map(|line| match serde_json::from_str(line) {
            Ok(Value::Object(fields)) => Line { fields },
            other => panic!("{line} is no object: {other:?}"),
        })
        .collect();
    let mut time = 0;
    for (position, line) in (1..).zip(&lines) {
        schema.check(line);
        assert_eq!(line.integers(["schemaVersion", "sequence"]), [1, position]);
        assert!(line.integer("timeNs") >= time, "{line:?}");
        time = line.integer("timeNs");
    }
    lines
}

/// Those of an operation.
pub fn of<'a>(lines: &'a [Line], operation: &str) -> Vec<&'a Line> {
    assert!(Schema::read().operations().contains(operation));
    lines
        .iter()
        .filter(|line| line.operation() == operation)
        .collect()
}
