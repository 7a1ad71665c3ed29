//! The fields of each operation of a cost log, and whether a line has them.
//!
//! `docs/costs.md` is where they are described; a test here holds this table to that page, as another
//! holds what `nupp-gpu` writes to it.

use serde_json::{Map, Value};

/// The version of the schema that is read here.
pub const VERSION: u64 = 1;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer,
    IntegerOrNull,
    Number,
    NumberOrNull,
    Text,
    Flag,
    Integers,
    Slots,
}

use Kind::{Flag, Integer, IntegerOrNull, Integers, Number, NumberOrNull, Slots, Text};

type Fields = &'static [(&'static str, Kind)];

/// Those of every line.
const COMMON: Fields = &[
    ("schemaVersion", Integer),
    ("process", Integer),
    ("sequence", Integer),
    ("context", Integer),
    ("operation", Text),
    ("timeNs", Integer),
];

const SLOT: Fields = &[
    ("version", Integer),
    ("span", Text),
    ("buffer", Integer),
    ("access", Text),
    ("offset", Integer),
    ("extent", Integer),
    ("dimensions", Integers),
    ("strides", Integers),
];

const COPY: Fields = &[("hostNs", Integer), ("buffer", Integer), ("bytes", Integer)];

/// Those of each operation; one with several lists has one of them in each line.
const OPERATIONS: &[(&str, &[Fields])] = &[
    (
        "adapterDevice",
        &[&[
            ("hostNs", Integer),
            ("backend", Text),
            ("adapter", Text),
            ("driver", Text),
            ("software", Flag),
            ("clockUnixUs", Integer),
            ("clockMonotonicNs", IntegerOrNull),
            ("timestamps", Text),
            ("periodNs", NumberOrNull),
        ]],
    ),
    (
        "bufferAllocate",
        &[&[
            ("hostNs", Integer),
            ("buffer", Integer),
            ("element", Text),
            ("elements", Integer),
            ("bytes", Integer),
            ("allocatedBytes", Integer),
        ]],
    ),
    (
        "bufferRelease",
        &[&[("buffer", Integer), ("allocatedBytes", Integer)]],
    ),
    (
        "pipelineCreate",
        &[&[
            ("hostNs", Integer),
            ("pipeline", Integer),
            ("kernel", Text),
            ("digest", Text),
            ("form", Text),
            ("profile", Text),
            ("hardwareWidth", Integer),
            ("covers", Integer),
        ]],
    ),
    (
        "bindingCreate",
        &[&[
            ("hostNs", Integer),
            ("binding", Integer),
            ("pipeline", Integer),
            ("kernel", Text),
            ("workItems", Integer),
            ("slots", Integer),
        ]],
    ),
    (
        "bindBuffer",
        &[&[
            ("binding", Integer),
            ("slot", Integer),
            ("element", Text),
            ("span", Text),
            ("buffer", Integer),
            ("access", Text),
            ("offset", Integer),
            ("extent", Integer),
            ("dimensions", Integers),
            ("strides", Integers),
        ]],
    ),
    (
        "upload",
        &[&[
            ("hostNs", Integer),
            ("buffer", Integer),
            ("version", Integer),
            ("offsetBytes", Integer),
            ("bytes", Integer),
            ("stagedBytes", Integer),
        ]],
    ),
    (
        "dispatch",
        &[&[
            ("hostNs", Integer),
            ("binding", Integer),
            ("pipeline", Integer),
            ("kernel", Text),
            ("use", Text),
            ("bindingReused", Flag),
            ("workItem", Text),
            ("workItems", Integer),
            ("workgroups", Integer),
            ("uniforms", Integers),
            ("slots", Slots),
        ]],
    ),
    (
        "synchronizeWait",
        &[&[("hostNs", Integer), ("outcome", Text)]],
    ),
    (
        "downloadQueue",
        &[&[
            ("hostNs", Integer),
            ("buffer", Integer),
            ("version", Integer),
            ("offsetBytes", Integer),
            ("bytes", Integer),
        ]],
    ),
    ("downloadMapCopy", &[COPY]),
    ("downloadHostCopy", &[COPY]),
    (
        "kernelExecution",
        &[
            &[
                ("dispatch", Integer),
                ("kernel", Text),
                ("gpuMs", Number),
                ("ticks", Integer),
                ("beginTick", Integer),
                ("endTick", Integer),
                ("periodNs", Number),
            ],
            &[
                ("dispatch", Integer),
                ("kernel", Text),
                ("unavailable", Text),
            ],
        ],
    ),
    (
        "contextCleanup",
        &[&[
            ("hostNs", Integer),
            ("buffers", Integer),
            ("pipelines", Integer),
            ("bindings", Integer),
            ("dispatches", Integer),
            ("inFlight", Flag),
        ]],
    ),
];

impl Kind {
    /// As the page of the log names it.
    const fn name(self) -> &'static str {
        match self {
            Integer => "integer",
            IntegerOrNull => "integer or null",
            Number => "number",
            NumberOrNull => "number or null",
            Text => "text",
            Flag => "flag",
            Integers => "integers",
            Slots => "slots",
        }
    }

    fn fits(self, value: &Value) -> bool {
        let list = |fits: fn(&Value) -> bool| value.as_array().is_some_and(|l| l.iter().all(fits));
        match self {
            Integer => value.is_u64(),
            IntegerOrNull => value.is_u64() || value.is_null(),
            Number => value.is_number(),
            NumberOrNull => value.is_number() || value.is_null(),
            Text => value.is_string(),
            Flag => value.is_boolean(),
            Integers => list(Value::is_u64),
            Slots => list(|slot| {
                let fields = slot.as_object();
                fields.is_some_and(|fields| complaint("slot", fields, &[SLOT]).is_none())
            }),
        }
    }
}

/// What is wrong with the fields of a line, if something is.
pub fn check(fields: &Map<String, Value>) -> Result<(), String> {
    match fields.get("schemaVersion") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => {
            return Err(format!(
                "schemaVersion is {version}, and this program reads {VERSION}"
            ));
        }
        None => return Err("there is no schemaVersion: this is no line of a cost log".to_owned()),
    }
    let Some(operation) = fields.get("operation").and_then(Value::as_str) else {
        return Err("the line has no operation".to_owned());
    };
    let Some((_, forms)) = OPERATIONS.iter().find(|(name, _)| *name == operation) else {
        return Err(format!("unknown operation `{operation}`"));
    };
    // Of several forms, what is told is about the one that most fields belong to.
    let belongs = |form: &&Fields| {
        form.iter()
            .filter(|(name, _)| fields.contains_key(*name))
            .count()
    };
    let form = forms.iter().max_by_key(belongs).copied().unwrap_or(&[]);
    match complaint(operation, fields, &[COMMON, form]) {
        None => Ok(()),
        Some(complaint) => Err(complaint),
    }
}

/// The first field that is missing, of another type, or not known.
fn complaint(of: &str, fields: &Map<String, Value>, tables: &[Fields]) -> Option<String> {
    let known = || tables.iter().copied().flatten();
    for (name, kind) in known() {
        match fields.get(*name) {
            None => return Some(format!("`{of}` has no field `{name}`")),
            Some(value) if !kind.fits(value) => {
                let kind = kind.name();
                return Some(format!("field `{name}` of `{of}` is not of type {kind}"));
            }
            Some(_) => {}
        }
    }
    let unknown = fields
        .keys()
        .find(|field| known().all(|(name, _)| name != field));
    unknown.map(|field| format!("unknown field `{field}` of `{of}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables of the page under `### ` headings, in order.
    fn page() -> Vec<(String, Vec<(String, String)>)> {
        let mut tables = Vec::new();
        let (mut heading, mut open) = (String::new(), false);
        for line in include_str!("../../../docs/costs.md").lines() {
            if let Some(name) = line.strip_prefix("### ") {
                heading = name.trim_matches('`').to_owned();
            }
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            match cells.as_slice() {
                ["", "field", "type", "unit", ..] => {
                    tables.push((heading.clone(), Vec::new()));
                    open = true;
                }
                ["", field, kind, _, _, ""] if open && !field.starts_with("---") => {
                    let row = (field.trim_matches('`').to_owned(), (*kind).to_owned());
                    tables.last_mut().unwrap().1.push(row);
                }
                ["", ..] if open && cells.len() > 1 => {}
                _ => open = false,
            }
        }
        tables
    }

    #[test]
    fn the_table_is_that_of_the_page() {
        let mut here: Vec<(&str, Fields)> = vec![("every line", COMMON), ("slot", SLOT)];
        for (operation, forms) in OPERATIONS {
            here.extend(forms.iter().map(|form| (*operation, *form)));
        }
        let mut here: Vec<(String, Vec<(String, String)>)> = here
            .into_iter()
            .map(|(name, fields)| {
                let fields = fields
                    .iter()
                    .map(|(field, kind)| ((*field).to_owned(), kind.name().to_owned()));
                (name.to_owned(), fields.collect())
            })
            .collect();
        let mut page = page();
        here.sort();
        page.sort();
        assert_eq!(here, page);
    }
}
