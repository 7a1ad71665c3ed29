//! One route to the device, and an operation on it.

use std::fmt;

use nupp_core::ir::entity::Scalar;
use nupp_core::ir::op::ScalarOp;
use nupp_gpu::{Context, ContextOptions, ModuleForm, OpenError, RawKernel, Slot, SlotMut};
use nupp_testkit::operations;

use crate::operands;

/// Operands of one dispatch.
const CHUNK: usize = 1 << 22;

/// What an operation gave.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Results looked at.
    pub tried: u64,
    /// Those that are not right.
    pub wrong: u64,
    /// The first of them.
    pub example: Option<String>,
}

impl Row {
    /// Adds what other operands gave.
    pub fn add(&mut self, other: Row) {
        self.tried += other.tried;
        self.wrong += other.wrong;
        self.example = self.example.take().or(other.example);
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} wrong of {}", self.wrong, self.tried)?;
        match &self.example {
            Some(example) => write!(f, ": {example}"),
            None => Ok(()),
        }
    }
}

/// Whether an operation takes one number, so that all of its inputs can be tried.
pub fn is_unary(op: ScalarOp) -> bool {
    matches!(op.args(), [Scalar::F32 | Scalar::U32 | Scalar::I32])
}

/// The name of a form, as options and tables have it.
pub fn form_name(form: ModuleForm) -> &'static str {
    match form {
        ModuleForm::Spirv => "spirv",
        ModuleForm::Wgsl => "wgsl",
        ModuleForm::Native => "native",
    }
}

/// A device in one form of modules.
pub struct Route {
    /// The open device.
    pub context: Context,
    form: ModuleForm,
}

impl Route {
    /// The routes that the device has among these forms; the name is a part of its adapter's.
    pub fn all(device: Option<&str>, forms: &[ModuleForm]) -> Result<Vec<Route>, String> {
        let mut routes = Vec::new();
        for &form in forms {
            let options = ContextOptions::new().form(form);
            let options = device.map_or(options.clone(), |name| options.adapter(name));
            match Context::open_with(options) {
                Ok(context) => routes.push(Route { context, form }),
                Err(fault @ OpenError::NoDevice { .. }) => return Err(fault.to_string()),
                // A form that this device does not take is no route.
                Err(fault) => eprintln!("{form:?}: {fault}"),
            }
        }
        Ok(routes)
    }

    /// The form of its modules.
    pub fn name(&self) -> &'static str {
        form_name(self.form)
    }

    /// The kernel of an operation.
    pub fn kernel(&self, op: ScalarOp) -> Result<RawKernel, String> {
        let spec = operations::spec(op)?;
        let kernel = self.context.compile_raw(spec);
        kernel.map_err(said)
    }

    /// Edges, hard operands and 2^`bits` random ones.
    pub fn edges_and_random(&self, op: ScalarOp, bits: u32) -> Result<Row, String> {
        let mut row = self.try_all(op, &operands::chosen(op))?;
        let mut left = 1_usize << bits;
        let mut seed = 1;
        while left > 0 {
            let count = left.min(CHUNK);
            row.add(self.try_all(op, &operands::random(op, seed, count))?);
            left -= count;
            seed += 1;
        }
        Ok(row)
    }

    fn try_all(&self, op: ScalarOp, operands: &[Vec<u32>; 3]) -> Result<Row, String> {
        let kernel = self.kernel(op)?;
        let len = operands[0].len();
        let buffer = || self.context.buffer::<u32>(len).map_err(said);
        let (output, used) = (buffer()?, buffer()?);
        let mut slots = vec![SlotMut::from(&output).into(), SlotMut::from(&used).into()];
        for words in operands {
            let buffer = buffer()?;
            self.context.upload(&buffer, words).map_err(said)?;
            slots.push(Slot::from(&buffer).into());
        }
        let binding = kernel.bind(slots).map_err(said)?;
        binding.dispatch(&[]).map_err(said)?;
        let right = expected(op, operands);
        let download = |buffer| self.context.download_blocking(buffer).map_err(said);
        Ok(compare(
            op,
            operands,
            [&download(&output)?, &download(&used)?],
            &right,
        ))
    }
}

/// An error as the tool says it.
pub fn said(fault: impl std::error::Error) -> String {
    fault.to_string()
}

/// Works on parts of a list on all processors.
pub fn on_all<T: Send>(list: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = list.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (n, list) in list.chunks_mut(part).enumerate() {
            let work = &work;
            scope.spawn(move || work(n * part, list));
        }
    });
}

/// What is right, computed on all processors.
fn expected(op: ScalarOp, operands: &[Vec<u32>; 3]) -> Vec<(u32, Option<u32>)> {
    let mut right = vec![(0, None); operands[0].len()];
    on_all(&mut right, |first, right| {
        for (at, right) in (first..).zip(right) {
            *right = operations::value(op, operands.each_ref().map(|words| words[at]));
        }
    });
    right
}

fn compare(
    op: ScalarOp,
    operands: &[Vec<u32>; 3],
    [output, used]: [&[u32]; 2],
    right: &[(u32, Option<u32>)],
) -> Row {
    let mut row = Row {
        tried: right.len() as u64,
        ..Row::default()
    };
    for (at, (right, square)) in right.iter().enumerate() {
        let given = (output[at], square.map(|_| used[at]));
        if given == (*right, *square) {
            continue;
        }
        row.wrong += 1;
        row.example.get_or_insert_with(|| {
            let args: Vec<String> = operands[..op.args().len()]
                .iter()
                .map(|words| format!("{:#010x}", words[at]))
                .collect();
            let args = args.join(", ");
            match square.filter(|_| given.0 == *right) {
                Some(square) => format!(
                    "({args}), squared, gave {:#010x}, not {square:#010x}",
                    used[at]
                ),
                None => format!("({args}) gave {:#010x}, not {right:#010x}", output[at]),
            }
        });
    }
    row
}
