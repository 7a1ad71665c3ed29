//! Why an access of a form was refused: an element at the loop index, a block, a slot of scratch, and
//! what of its form is not there.

use super::access::Wanted;
use super::seq::Index;
use super::state::Lower;
use crate::proof::explain::{self, Numbers};
use crate::proof::guards::{contradiction, one_sided};
use crate::proof::reason::{Reasoner, Term};
use crate::proof::world::Rule;
use nupp_core::ir::build::Def;
use nupp_core::ir::entity::{Scalar, ScratchId, SpanId, Value};
use nupp_core::ir::kernel::{CmpOp, Elem, Guard, GuardCond, LengthCond, LengthSum};
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::hir::{Expr, ExprKind, LocalId, Name, Shape, Target};
use nupp_front::span::SrcSpan;

impl<'a> Lower<'a> {
    /// A span that no guard makes as long as the primary.
    pub(super) fn refuse_unequal(&mut self, want: Wanted<'a>, primary: SpanId, offset: i64) {
        let element = self.element_text(want);
        let (span, first) = (self.kernel_name(want.span), self.kernel_name(primary));
        let known = one_sided(&self.world, &self.guards, want.span, primary);
        let guard = known.and_then(|chain| chain.first().copied());
        if let Some(guard) = self.other_relation(want.span, primary) {
            let index = self.map_index();
            let test = match offset {
                0 => format!("{index} <= #{span}"),
                1 => format!("{index} < #{span}"),
                k if k > 1 => format!("{k} <= #{span} and {index} <= #{span} - {k}"),
                k => format!("{index} > {} and {index} <= #{span}", -k),
            };
            let mistake = explain::related(want.at, &element, &span, &first, &guard, &test);
            self.report(mistake);
            return;
        }
        let mistake = match guard {
            Some(at) if offset == 0 => {
                let text = &self.guards[at as usize].text;
                explain::one_sided(want.at, &element, &span, (&first, &self.map_index()), text)
            }
            _ => explain::unequal(want.at, &element, &span, &first),
        };
        self.report(mistake);
    }

    /// What the author calls the numbers that say which lane this is.
    fn numbers(&self) -> Numbers {
        let name = |local: LocalId| self.kernel.func.locals[local.index()].name.text.clone();
        match &self.kernel.shape {
            Shape::Map { index, .. } => Numbers::Map {
                index: name(*index),
            },
            Shape::Workgroups(groups) => Numbers::Groups {
                group: name(groups.group),
                lane: self
                    .lane
                    .map_or_else(|| "localIndex".to_owned(), |(_, local)| name(local)),
                size: groups.size,
            },
        }
    }

    /// A local that an index reads under the name of a number that says which lane this is, and the
    /// number it hides.
    pub(super) fn hiding(&self, index: &Expr) -> Option<(Name, &'static str)> {
        if self.frames.len() > 1 {
            return None;
        }
        let locals = &self.kernel.func.locals;
        let mut numbers = Vec::new();
        match &self.kernel.shape {
            Shape::Map { index, .. } => numbers.push((*index, "the loop's index")),
            Shape::Workgroups(groups) => numbers.push((groups.group, "the group's number")),
        }
        numbers.extend(self.lane.map(|(_, local)| (local, "the lane's number")));
        let mut read = Vec::new();
        super::exits::locals_of(index, &mut read);
        let name = |id: LocalId| &locals[id.index()].name;
        read.into_iter().find_map(|id| {
            let hidden = numbers
                .iter()
                .find(|(number, _)| *number != id && name(*number).text == name(id).text)?;
            Some((name(id).clone(), hidden.1))
        })
    }

    /// Says of a mistake that a name of its index is not what it seems.
    pub(super) fn explain_hiding(&self, mistake: &mut Diagnostic, index: &Expr) {
        if let Some((name, number)) = self.hiding(index) {
            let note = format!(
                "the element's `{}` is this one, and hides {number}",
                name.text
            );
            mistake.notes.push((Some(name.at), note));
            mistake.help = Some(format!("give this `{}` another name", name.text));
        }
    }

    /// The name of a map's index.
    fn map_index(&self) -> String {
        match self.numbers() {
            Numbers::Map { index } => index,
            Numbers::Groups { .. } => String::new(),
        }
    }

    /// A guard that relates two spans, where they cannot be equally long beside it.
    fn other_relation(&self, a: SpanId, b: SpanId) -> Option<String> {
        let sum = |span| LengthSum {
            terms: vec![(1, span)],
            constant: 0,
        };
        let equal = Guard {
            cond: GuardCond::Lengths(LengthCond::Cmp {
                op: CmpOp::Eq,
                lhs: sum(a),
                rhs: sum(b),
            }),
            message: None,
            text: String::new(),
        };
        let mut guards = self.guards.clone();
        guards.push(equal);
        let chain = contradiction(&self.world, &guards)?;
        let own = chain
            .into_iter()
            .find(|at| (*at as usize) < self.guards.len())?;
        Some(self.guards[own as usize].text.clone())
    }

    /// An offset of the index that may leave the span.
    pub(super) fn refuse_offset(&mut self, want: Wanted<'a>, offset: i64) {
        let element = self.element_text(want);
        let span = self.kernel_name(want.span);
        let index = self.map_index();
        let mistake = explain::offset(want.at, &element, &span, &index, offset);
        self.report(mistake);
    }

    /// A written span at an element that is not the lane's own.
    pub(super) fn refuse_elsewhere(&mut self, want: Wanted<'a>) {
        let element = self.element_text(want);
        let span = self.span_name(want.span);
        let mut mistake = if want.write {
            let index = self.names().expr(want.index.authored);
            let stride = self
                .index_value
                .map_or(0, |index| self.world.modular(want.index.value).take(index));
            let place = (span.as_str(), index.as_str());
            let shared = matches!(self.world.b.def(want.index.value), Def::Const(_));
            explain::elsewhere(want.at, &element, place, &self.numbers(), (stride, shared))
        } else {
            let elem = self.elem_text(self.spans[want.span.index()].elem);
            explain::cross_read(want.at, &element, &self.kernel_name(want.span), &elem)
        };
        self.explain_hiding(&mut mistake, want.index.authored);
        self.report(mistake);
    }

    /// An element's type, as an author writes it.
    fn elem_text(&self, elem: Elem) -> String {
        match elem {
            Elem::Scalar(Scalar::F32) => "float".to_owned(),
            Elem::Scalar(Scalar::I32) => "int32".to_owned(),
            Elem::Scalar(Scalar::U32) => "uint32".to_owned(),
            Elem::Scalar(Scalar::Bool) => "boolean".to_owned(),
            Elem::Struct(id) => self.structs[id.index()].name.clone(),
        }
    }

    /// A block of elements that no guard makes room for.
    pub(super) fn refuse_block(&mut self, want: Wanted<'a>, primary: SpanId, stride: u32) {
        let element = self.element_text(want);
        let (span, first) = (self.kernel_name(want.span), self.kernel_name(primary));
        let mistake = explain::block(want.at, &element, &span, &first, stride);
        self.report(mistake);
    }

    /// A slot that may leave its block.
    pub(super) fn refuse_block_slot(&mut self, want: Wanted<'a>, stride: u32) {
        let element = self.element_text(want);
        let span = self.span_name(want.span);
        let slot = self.slot_of_block(want.index.authored);
        let mistake = explain::block_slot(
            want.at,
            &element,
            &span,
            &self.numbers(),
            stride,
            slot.as_deref(),
        );
        self.report(mistake);
    }

    /// A block of a group whose first element may wrap.
    pub(super) fn refuse_group_wrap(&mut self, want: Wanted<'a>, stride: u32) {
        let Rule::Groups { span, divisor, .. } = self.world.rule else {
            return;
        };
        let element = self.element_text(want);
        let name = self.kernel_name(span);
        let Numbers::Groups { group, .. } = self.numbers() else {
            return;
        };
        let mistake = explain::group_wraps(want.at, &element, (&name, divisor), &group, stride);
        self.report(mistake);
    }

    /// Adds to the test of the mistake just reported that the group's block does not wrap.
    pub(super) fn also_below(&mut self, stride: u32) {
        let Numbers::Groups { group, .. } = self.numbers() else {
            return;
        };
        let safe = (1u64 << 32) / u64::from(stride);
        if let Some(help) = self.mistakes.last_mut().and_then(|m| m.help.as_mut()) {
            *help = help.replacen("under `if ", &format!("under `if {group} < {safe} and "), 1);
        }
    }

    /// `bins[input[index]] = bins[input[index]] + 1`: one mistake, whatever else is wrong with it.
    pub(super) fn refuse_histogram(&mut self, pairs: &[(Target, Expr)], at: SrcSpan) -> bool {
        let [(Target::Element(id, index), value)] = pairs else {
            return false;
        };
        let names = self.names();
        let element = names.expr(index);
        let same = |e: &Expr| matches!(&e.kind, ExprKind::Load(of, at) if of == id && names.expr(at) == element);
        if !super::exits::any(index, &|e| matches!(e.kind, ExprKind::Load(..)))
            || !super::exits::any(value, &same)
        {
            return false;
        }
        let span = self.span_name(self.span(*id));
        let text = format!(
            "lanes may add to one element: `{span}[{element}]` is read and written by each lane that comes to \
             this number"
        );
        let help = "count in scratch and reduce: in a workgroup kernel a lane counts in a slot of its own, \
                    `counts[localIndex] = counts[localIndex] + 1`, then `phases:reduceSum(counts)` adds them";
        self.report(Diagnostic::new(Code::WriteElsewhere, at, text).help(help));
        true
    }

    /// A read of a written span outside a phase.
    pub(super) fn refuse_controller_read(&mut self, want: Wanted<'a>) {
        let element = self.element_text(want);
        let text = format!(
            "`{element}` reads a written span between phases, where no lane owns an element"
        );
        let help = "read it in a phase, at the element that its lane writes: \
                    `phases:run(function(localIndex) ... end)`";
        self.report(Diagnostic::new(Code::CrossRead, want.at, text).help(help));
    }

    fn kernel_size(&self) -> u32 {
        match self.world.rule {
            Rule::Groups { size, .. } => size,
            Rule::Map { .. } => 1,
        }
    }

    /// The row that `localIndex * K + j` is in, where `j` is a counted variable that leaves it.
    pub(super) fn row_of_slot(&self, index: Index<'a>) -> Option<Row> {
        let (lane, _) = self.lane?;
        let mut sum = self.world.modular(index.value);
        let stride = sum.take(lane);
        let mut terms = sum.terms.into_iter();
        let (Some((value, 1)), None, 0) = (terms.next(), terms.next(), sum.constant) else {
            return None;
        };
        let Def::Counted { lo, hi } = self.world.b.def(value) else {
            return None;
        };
        let number = |v: Value| self.world.b.as_const(v).map(|c| c.bits as i32);
        let (lo, hi) = (number(*lo)?, number(*hi)?);
        let inside =
            i32::try_from(stride).is_ok_and(|stride| stride > 1 && lo == 0 && hi >= stride);
        let name = self.slot_of_block(index.authored)?;
        inside.then_some(Row { name, stride })
    }

    /// A slot outside its array.
    pub(super) fn refuse_slot(&mut self, array: ScratchId, index: Index<'a>, at: SrcSpan) {
        let element = self.slot_text(array, index.authored);
        let decl = &self.scratch[array.index()];
        let (name, count) = (self.array_name(array), decl.count);
        let term = Term::Value(index.value);
        let mut r = Reasoner::new(&self.world, &self.premises(false), &[term]);
        let (_, highest) = r.range_of(index.value);
        let text = self.names().expr(index.authored);
        let row = self.row_of_slot(index).filter(|row| {
            let size = self.kernel_size();
            u64::from(row.stride) * u64::from(size) <= u64::from(count)
        });
        let mut mistake = explain::slot(at, &element, &name, count, highest, &text);
        if let Some(row) = row {
            mistake.help = Some(row.help());
        }
        self.report(mistake);
    }
}

/// A row of slots that belongs to one lane.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What counts in it.
    name: String,
    /// How many slots it has.
    stride: u32,
}

impl Row {
    /// What keeps an access in it.
    pub(crate) fn help(&self) -> String {
        let Row { name, stride } = self;
        format!(
            "a lane's row has {stride} slots: write `for {name} = 0, {} do`, or touch it under \
             `if {name} < {stride} then ... end`",
            stride - 1
        )
    }
}
