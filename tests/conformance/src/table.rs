//! The table: an operation a row, a route a column.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use nupp_core::ir::op::ScalarOp;
use serde::Serialize;

use crate::run::{Route, Row};

/// What a device gave on each route.
#[derive(Default, Serialize)]
pub struct Table {
    device: String,
    routes: Vec<Column>,
}

#[derive(Serialize)]
struct Column {
    form: String,
    profile: BTreeMap<&'static str, &'static str>,
    operations: Vec<Cell>,
}

#[derive(Serialize)]
struct Cell {
    operation: &'static str,
    tried: u64,
    wrong: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
}

impl Table {
    /// Begins a route.
    pub fn column(&mut self, route: &Route) -> Result<usize, String> {
        let device = route.context.device();
        self.device = device.to_string();
        let arithmetic = device.arithmetic().map_err(|fault| fault.to_string())?;
        let routes = arithmetic.routes();
        self.routes.push(Column {
            form: route.name().to_owned(),
            profile: routes
                .iter()
                .map(|(op, route)| (*op, route.name()))
                .collect(),
            operations: Vec::new(),
        });
        Ok(self.routes.len() - 1)
    }

    /// Enters what an operation gave.
    pub fn enter(&mut self, column: usize, op: ScalarOp, row: Row) {
        self.routes[column].operations.push(Cell {
            operation: op.name(),
            tried: row.tried,
            wrong: row.wrong,
            example: row.example,
        });
    }

    /// Whether no result was wrong.
    pub fn is_right(&self) -> bool {
        let mut cells = self.routes.iter().flat_map(|column| &column.operations);
        cells.all(|cell| cell.wrong == 0)
    }

    /// The table as people read it.
    pub fn markdown(&self) -> String {
        let mut text = format!("# {}\n\n", self.device);
        text.push_str("What each operation rests on, as the probe found it:\n\n");
        self.head(&mut text, "operation");
        if let Some(first) = self.routes.first() {
            for operation in first.profile.keys() {
                let cells = self
                    .routes
                    .iter()
                    .map(|column| column.profile[operation].to_owned());
                line(&mut text, operation, cells);
            }
        }
        text.push_str("\nResults that are not right to the bit, of those looked at:\n\n");
        self.head(&mut text, "operation");
        let rows = self
            .routes
            .first()
            .map_or(0, |column| column.operations.len());
        for row in 0..rows {
            let cells = self.routes.iter().map(|column| &column.operations[row]);
            let shown = cells.map(|cell| format!("{} of {}", cell.wrong, cell.tried));
            line(&mut text, self.routes[0].operations[row].operation, shown);
        }
        for column in &self.routes {
            for cell in &column.operations {
                if let Some(example) = &cell.example {
                    let _ = writeln!(text, "\n{}, {}{example}.", column.form, cell.operation);
                }
            }
        }
        text
    }

    fn head(&self, text: &mut String, first: &str) {
        line(
            text,
            first,
            self.routes.iter().map(|column| column.form.clone()),
        );
        line(text, "---", self.routes.iter().map(|_| "---".to_owned()));
    }

    /// Writes it both ways.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let failed = |fault: &dyn std::error::Error| format!("{}: {fault}", path.display());
        let json = serde_json::to_string_pretty(self).map_err(|fault| failed(&fault))?;
        std::fs::write(path.with_extension("md"), self.markdown())
            .map_err(|fault| failed(&fault))?;
        std::fs::write(path.with_extension("json"), json + "\n").map_err(|fault| failed(&fault))
    }
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let _ = writeln!(
        text,
        "| {first} | {} |",
        cells.collect::<Vec<_>>().join(" | ")
    );
}
