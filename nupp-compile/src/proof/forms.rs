//! One form a written span: all its writes, and the reads of own elements, name the element in one
//! way, so that no two lanes ever meet in it.

use nupp_core::ir::entity::SpanId;
use nupp_core::ir::kernel::SpanDecl;
use nupp_front::diag::{Code, Diagnostic};
use nupp_front::span::SrcSpan;

/// How a written span's element is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `index`.
    Element,
    /// `(index - 1) * stride + j + 1`.
    Block {
        /// Elements a lane owns.
        stride: u32,
    },
    /// `groupIndex * stride + slot + 1`.
    GroupBlock {
        /// Elements a group owns.
        stride: u32,
        /// How lanes share them.
        owned: Owned,
    },
    /// `groupIndex + 1`, by one lane.
    GroupSlot {
        /// The lane.
        lane: u32,
    },
    /// Declared scatter.
    Scatter,
}

/// A family, whatever its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owned {
    /// `localIndex + k * size`.
    Strided,
    /// `localIndex * stride + j`.
    Blocked(u32),
}

/// One access of a written span.
#[derive(Clone, Debug)]
pub(crate) struct SpanUse {
    /// The span.
    pub span: SpanId,
    /// Its form.
    pub form: Form,
    /// Whether it writes.
    pub write: bool,
    /// Where.
    pub at: SrcSpan,
    /// The calls of helpers that led there.
    pub calls: Vec<SrcSpan>,
    /// As written.
    pub text: String,
}

/// Refuses spans that are used in more than one form.
pub(crate) fn check(uses: &[SpanUse], spans: &[SpanDecl]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (at, span) in spans.iter().enumerate() {
        let own: Vec<&SpanUse> = uses.iter().filter(|u| u.span.index() == at).collect();
        let Some(first) = own.iter().find(|u| u.write).or(own.first()) else {
            continue;
        };
        let Some(other) = own.iter().find(|u| u.form != first.form) else {
            continue;
        };
        found.push(mixed(&span.name, first, other));
    }
    found
}

fn mixed(name: &str, first: &SpanUse, other: &SpanUse) -> Diagnostic {
    let verb = |u: &SpanUse| if u.write { "written" } else { "read" };
    let text = if let (Form::GroupSlot { lane: a }, Form::GroupSlot { lane: b }) =
        (first.form, other.form)
    {
        format!(
            "`{name}` is {} by lane {b} here and by lane {a} elsewhere",
            verb(other)
        )
    } else {
        let again = match (other.write, first.write) {
            (true, true) | (false, false) => "",
            (true, false) => "read ",
            (false, true) => "written ",
        };
        format!(
            "`{name}` is {} as {} here and {again}as {} elsewhere",
            verb(other),
            describe(other),
            describe(first)
        )
    };
    let help = "name the element in one way everywhere, or write the second result to a span of \
                its own";
    let mut mistake = Diagnostic::new(Code::WriteForms, other.at, text)
        .note(
            Some(first.at),
            format!("{} as {} here", verb(first), describe(first)),
        )
        .help(help);
    for call in other.calls.iter().rev() {
        mistake = mistake.note(Some(*call), "in a helper called here");
    }
    mistake
}

fn describe(u: &SpanUse) -> String {
    match u.form {
        Form::Scatter => "a declared scatter".to_string(),
        Form::GroupSlot { lane } => format!("`{}` by lane {lane}", u.text),
        Form::Element | Form::Block { .. } | Form::GroupBlock { .. } => format!("`{}`", u.text),
    }
}
