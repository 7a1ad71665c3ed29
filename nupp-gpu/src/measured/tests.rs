//! The list is what the tables say, and a device is in it word for word or not at all.

use super::*;
use crate::options::Backend;
use crate::{ContextOptions, native::Native};

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct Table {
    device: String,
    routes: Vec<Column>,
}

#[derive(Deserialize)]
struct Column {
    form: String,
    profile: BTreeMap<String, String>,
    operations: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    wrong: u64,
}

fn tables() -> Vec<(String, Table)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/conformance");
    let entries = std::fs::read_dir(folder).expect("the tables");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut all: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a table");
            let name = path.file_stem().expect("a name").to_string_lossy();
            (
                name.into_owned(),
                serde_json::from_str(&text).expect("its form"),
            )
        })
        .collect();
    all.sort_by(|a: &(String, Table), b| a.0.cmp(&b.0));
    all
}

/// The forms of a table in which nothing was wrong, with the routes by name.
fn right(table: &Table) -> Vec<(String, BTreeMap<String, String>)> {
    let columns = table.routes.iter();
    let right = columns.filter(|column| {
        !column.operations.is_empty() && column.operations.iter().all(|cell| cell.wrong == 0)
    });
    right
        .map(|column| (column.form.clone(), column.profile.clone()))
        .collect()
}

/// Whether the device's driver says which version it is. Where it does not, as SwiftShader, a table says
/// nothing of the driver that another machine has under the same name.
fn says_its_version(table: &Table) -> bool {
    let driver = table.device.rsplit(" (").next().unwrap_or_default();
    driver.contains(|c: char| c.is_ascii_digit())
}

#[test]
fn the_list_is_what_the_tables_say() {
    let listed: Vec<_> = MEASURED
        .iter()
        .map(|row| {
            let forms = row.forms.iter().map(|(form, routes)| {
                let named = Profile::DEVICE.routes().into_iter().zip(routes);
                let named = named.map(|((op, _), route)| (op.to_owned(), route.name().to_owned()));
                (format!("{form:?}").to_lowercase(), named.collect())
            });
            (row.table.to_owned(), row.device.to_owned(), forms.collect())
        })
        .collect();
    let tables: Vec<_> = tables()
        .into_iter()
        .filter(|(_, table)| says_its_version(table))
        .map(|(name, table)| (name, table.device.clone(), right(&table)))
        .collect();
    assert_eq!(listed, tables);
}

fn device(driver: &str) -> DeviceInfo {
    DeviceInfo {
        backend: Backend::Vulkan,
        adapter: "NVIDIA H200".into(),
        driver: driver.into(),
        software: false,
    }
}

#[test]
fn another_driver_or_other_routes_are_probed_only() {
    let measured = Profile {
        from_int: Opaque,
        ..Profile::FUSED
    };
    let of = |driver, profile| Standing::of(&device(driver), Form::Spirv, profile);
    let known = of("NVIDIA 580.159.04", &measured);
    assert_eq!(
        known,
        Standing::Measured {
            table: "nvidia-h200"
        }
    );
    assert_eq!(
        known.to_string(),
        "measured (docs/conformance/nvidia-h200.md)"
    );
    assert_eq!(of("NVIDIA 580.159.05", &measured), Standing::ProbedOnly);
    assert_eq!(
        of("NVIDIA 580.159.04", &Profile::DEVICE),
        Standing::ProbedOnly
    );
    let refused: Result<Native, _> = Err("a test");
    let forms = crate::module::Forms::of(&ContextOptions::new(), refused).expect("the portable");
    let wgsl = forms.by_name(ModuleForm::Wgsl).expect("a portable form");
    let standing = Standing::of(&device("NVIDIA 580.159.04"), wgsl, &measured);
    assert_ne!(standing, Standing::ProbedOnly);
}
