//! Runs: the loops over the lanes of a block that hold straight-line operations.
//!
//! What a run computes is a local of its loop. A value that a later run reads is kept in an array
//! of the block besides, `v7s` for `v7`, and a run loads from it once; masks are arrays of all
//! ones or zero. Which values those are is known only when the whole region has been printed, so
//! it is printed until what it uses stays the same: twice, or once more for each link of a chain
//! of values that nobody reads. While a run is open, lines of the surrounding code go before it.

use super::fun::Fun;
use nupp_core::ir::entity::{Scalar, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Names that are read, and names that another run reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    read: BTreeSet<String>,
    across: BTreeSet<String>,
}

/// The open run, and what is known of all of them.
#[derive(Clone, Debug, Default)]
pub struct Run {
    number: u32,
    lines: Vec<String>,
    after: Vec<String>,
    /// In which run a name was last made a local.
    homes: BTreeMap<String, u32>,
    /// The slices that the open run stores to.
    stored: Vec<String>,
    /// The lane's own number: its name and how a lane computes it.
    own: (&'static str, &'static str),
    own_used: bool,
    /// How often that was said: the number of the loop over blocks.
    place: u32,
    seen: Uses,
    known: Option<Uses>,
}

impl Run {
    /// No run yet, with what an earlier printing has found out.
    pub fn knowing(known: Option<Uses>) -> Self {
        Run {
            known,
            ..Run::default()
        }
    }

    /// What this printing has found out.
    pub fn seen(&self) -> &Uses {
        &self.seen
    }

    /// Whether this printing has found out nothing new.
    pub fn settled(&self) -> bool {
        self.known.as_ref() == Some(&self.seen)
    }

    /// Says how a lane computes its own number, `name`.
    pub fn own_number(&mut self, name: &'static str, expression: &'static str) {
        self.own = (name, expression);
        self.place += 1;
    }
}

fn zero(ty: Scalar) -> &'static str {
    match ty {
        Scalar::F32 => "0.0_f32",
        Scalar::I32 => "0_i32",
        Scalar::U32 | Scalar::Bool => "0_u32",
    }
}

/// A choice between two texts of a type.
pub fn select(ty: Scalar, cond: &str, yes: &str, no: &str) -> String {
    if yes == no {
        return yes.to_owned();
    }
    match (ty, yes, no) {
        (Scalar::Bool, "true", "false") => cond.to_owned(),
        (Scalar::Bool, "false", "true") => format!("!{cond}"),
        (Scalar::Bool, "true", _) => format!("{cond} | {no}"),
        (Scalar::Bool, _, "false") => format!("{cond} & {yes}"),
        (Scalar::Bool, "false", _) => format!("!{cond} & {no}"),
        (Scalar::Bool, _, "true") => format!("!{cond} | {yes}"),
        _ => format!("rt::select({cond}, {yes}, {no})"),
    }
}

impl Fun<'_> {
    /// A statement of the open run.
    pub fn each(&mut self, statement: impl Into<String>) {
        self.run.lines.push(statement.into());
    }

    /// A statement after the loop of the open run.
    pub fn after(&mut self, statement: String) {
        self.run.after.push(statement);
    }

    /// Whether a name is read at all, as far as is known.
    pub fn wanted(&self, name: &str) -> bool {
        let known = self.run.known.as_ref();
        known.is_none_or(|known| known.read.contains(name))
    }

    /// Notes that a name is read.
    pub fn read(&mut self, name: &str) {
        self.run.seen.read.insert(name.to_owned());
    }

    /// Computes a value of the lane in the open run.
    pub fn keep(&mut self, name: &str, ty: Scalar, expression: &str) {
        if !self.wanted(name) {
            return;
        }
        self.each(format!("let {name} = {expression};"));
        self.run.homes.insert(name.to_owned(), self.run.number);
        let known = self.run.known.as_ref();
        if known.is_some_and(|known| known.across.contains(name)) {
            self.array(name, ty);
            self.put(name, ty, name);
        }
    }

    /// Computes a value of the lanes by a function of the whole block, between two runs.
    pub fn keep_block(&mut self, name: &str, function: &str, arguments: &[Value]) {
        if !self.wanted(name) {
            return;
        }
        let arrays: Vec<String> = arguments.iter().map(|&v| self.array_of(v)).collect();
        self.flush();
        let isa = super::ops::width_type(self.isa);
        let arrays = arrays.join(", &");
        self.out
            .line(format!("let {name}s = {function}::<{isa}, W>(&{arrays});"));
    }

    /// The array of a value's lanes.
    fn array_of(&mut self, value: Value) -> String {
        let text = self.name(value);
        if self.is_lane(value) && self.is_name(value) {
            self.read(&text);
            self.run.seen.across.insert(text.clone());
            format!("{text}s")
        } else {
            format!("[{text}; W]")
        }
    }

    /// Declares the array of a name.
    pub fn array(&mut self, name: &str, ty: Scalar) {
        self.out
            .line(format!("let mut {name}s = [{}; W];", zero(ty)));
    }

    /// Sets the lane's element of a name's array.
    pub fn put(&mut self, name: &str, ty: Scalar, text: &str) {
        self.each(match ty {
            Scalar::Bool => format!("{name}s[l] = rt::mask({text});"),
            Scalar::F32 | Scalar::I32 | Scalar::U32 => format!("{name}s[l] = {text};"),
        });
    }

    /// The text of a name in the open run.
    pub fn of_lane(&mut self, name: &str, ty: Scalar) -> String {
        self.read(name);
        if name == self.run.own.0 {
            self.run.own_used = true;
            self.read_own();
        } else if self.run.homes.get(name) != Some(&self.run.number) {
            self.run.seen.across.insert(name.to_owned());
            self.run.homes.insert(name.to_owned(), self.run.number);
            let set = if ty == Scalar::Bool { " != 0" } else { "" };
            self.each(format!("let {name} = {name}s[l]{set};"));
        }
        name.to_owned()
    }

    /// Whether the number of the block's first lane is read in this loop over blocks.
    pub fn wants_first(&self) -> bool {
        self.wanted(&format!("first of {}", self.run.place))
    }

    /// Notes that the number of the block's first lane is read.
    pub fn read_first(&mut self) {
        let name = format!("first of {}", self.run.place);
        self.read(&name);
    }

    /// A map's lane counts from its block's first lane.
    fn read_own(&mut self) {
        if self.run.own.1.contains("lane") {
            self.read_first();
        }
    }

    /// The text of a value in the open run.
    pub fn operand(&mut self, value: Value) -> String {
        let name = self.name(value);
        if self.is_lane(value) && self.is_name(value) {
            self.of_lane(&name, self.ty(value))
        } else {
            name
        }
    }

    /// Begins another run before an access to a slice that the open one stores to.
    pub fn settle_stores(&mut self, slice: &str) {
        if self.run.stored.iter().any(|stored| stored == slice) {
            self.flush();
        }
    }

    /// Notes that the open run stores to a slice.
    pub fn stores_to(&mut self, slice: &str) {
        self.run.stored.push(slice.to_owned());
    }

    /// Ends the open run.
    pub fn flush(&mut self) {
        let lines = std::mem::take(&mut self.run.lines);
        if !lines.is_empty() {
            self.out.open("for l in 0..W {");
            if std::mem::take(&mut self.run.own_used) {
                let (name, expression) = self.run.own;
                self.out.line(format!("let {name} = {expression};"));
            }
            for line in lines {
                self.out.line(line);
            }
            self.out.close("}");
        }
        self.run.own_used = false;
        for line in std::mem::take(&mut self.run.after) {
            self.out.line(line);
        }
        self.run.stored.clear();
        self.run.number += 1;
    }
}
