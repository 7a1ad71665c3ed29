//! Binding buffers to the spans of a kernel.
//!
//! Everything that the kernel's proofs rest on is checked here, once: the number, element and
//! access of the slots, that views which are written or used at the loop index are laid out for it,
//! every guard in source order, the lengths of spans used at the loop index, and that nothing written
//! is reachable through a second slot. After that a dispatch has nothing left to check but its
//! uniforms.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use nupp_core::artifact::{GuardOp, KernelSpec, UniformLayout, guard_holds};

use crate::buffer::Buffer;
use crate::check::Check;
use crate::compile::{bind_group, layout};
use crate::costs::Bound;
use crate::element::Element;
use crate::error::BindError;
use crate::held::StillHeld;
use crate::kernel::RawKernel;
use crate::launch::{Launch, TooLarge, count};
use crate::part::Part;
use crate::part::sealed::Located;
use crate::view::View;

/// What a kernel reads.
#[derive(Clone, Debug)]
pub struct Slot<T> {
    part: Part,
    element: PhantomData<fn() -> T>,
}

/// What a kernel writes.
#[derive(Clone, Debug)]
pub struct SlotMut<T> {
    part: Part,
    element: PhantomData<fn() -> T>,
}

/// A slot whose element type is looked at when it is bound.
#[derive(Clone, Debug)]
pub struct RawSlot {
    pub(crate) part: Part,
    pub(crate) write: bool,
}

impl<T: Element> From<&Buffer<T>> for Slot<T> {
    fn from(buffer: &Buffer<T>) -> Self {
        Self {
            part: buffer.part(),
            element: PhantomData,
        }
    }
}

impl<T: Element> From<&Buffer<T>> for SlotMut<T> {
    fn from(buffer: &Buffer<T>) -> Self {
        Self {
            part: buffer.part(),
            element: PhantomData,
        }
    }
}

impl<T: Element> From<&View<T>> for Slot<T> {
    fn from(view: &View<T>) -> Self {
        Self {
            part: view.part(),
            element: PhantomData,
        }
    }
}

impl<T: Element> From<&View<T>> for SlotMut<T> {
    fn from(view: &View<T>) -> Self {
        Self {
            part: view.part(),
            element: PhantomData,
        }
    }
}

impl<T> From<Slot<T>> for RawSlot {
    fn from(slot: Slot<T>) -> Self {
        Self {
            part: slot.part,
            write: false,
        }
    }
}

impl<T> From<SlotMut<T>> for RawSlot {
    fn from(slot: SlotMut<T>) -> Self {
        Self {
            part: slot.part,
            write: true,
        }
    }
}

/// Buffers bound to a kernel, ready to be dispatched any number of times. Clones are the same
/// binding.
#[derive(Clone)]
pub struct RawBinding {
    pub(crate) inner: Arc<BindingInner>,
}

pub(crate) struct BindingInner {
    pub(crate) group: wgpu::BindGroup,
    /// The words of the uniform block ahead of the authored ones.
    pub(crate) head: Vec<u32>,
    /// Words of the whole block.
    pub(crate) block: u32,
    pub(crate) launch: Result<Launch, TooLarge>,
    pub(crate) check: Option<Check>,
    pub(crate) kernel: RawKernel,
    /// Where the context has a cost log.
    pub(crate) costs: Option<Box<Bound>>,
    /// Held, so that a buffer or a view cannot be closed under a binding.
    _slots: Vec<RawSlot>,
}

impl RawKernel {
    /// Binds a slot to each span, in declaration order.
    pub fn bind(&self, slots: Vec<RawSlot>) -> Result<RawBinding, BindError> {
        let spec = self.spec();
        let timed = self.context().inner.costs.start();
        self.check_slots(&slots)?;
        let lengths: Vec<u32> = slots.iter().map(|slot| slot.part.extent()).collect();
        check_layouts(spec, &slots)?;
        check_guards(spec, &lengths)?;
        check_lengths(spec, &lengths)?;
        check_sharing(spec, &slots)?;
        let items = count(spec.kind, &lengths);
        let launch = Launch::fold(
            items,
            self.inner.compiled.covers,
            self.context().inner.row_limit,
        );
        let check = Check::of(self, &lengths)?;
        let group = self.group(&slots, check.as_ref())?;
        Ok(RawBinding {
            inner: Arc::new(BindingInner {
                group,
                head: head(spec, &slots, launch.ok()),
                block: layout(spec).words(),
                launch,
                check,
                kernel: self.clone(),
                costs: timed.map(|timed| timed.binding(self, &slots, items)),
                _slots: slots,
            }),
        })
    }

    /// Number, context, element and access of the slots.
    fn check_slots(&self, slots: &[RawSlot]) -> Result<(), BindError> {
        let spec = self.spec();
        let kernel = spec.name;
        if slots.len() != spec.bindings.len() {
            return Err(BindError::Count {
                kernel,
                spans: spec.bindings.len(),
                slots: slots.len(),
            });
        }
        for (binding, slot) in spec.bindings.iter().zip(slots) {
            let span = binding.name;
            let part = &slot.part;
            if !part.allocation().context.same(self.context()) {
                return Err(BindError::OtherContext { kernel, span });
            }
            if (binding.element, u64::from(binding.words) * 4) != (part.element(), part.size()) {
                return Err(BindError::Element {
                    kernel,
                    span,
                    needed: binding.element,
                    given: part.element(),
                });
            }
            if binding.write != slot.write {
                let [needed, given] = [binding.write, slot.write]
                    .map(|write| if write { "written" } else { "only read" });
                return Err(BindError::Access {
                    kernel,
                    span,
                    needed,
                    given,
                });
            }
        }
        Ok(())
    }

    fn group(
        &self,
        slots: &[RawSlot],
        check: Option<&Check>,
    ) -> Result<wgpu::BindGroup, BindError> {
        let spec = self.spec();
        let inner = &*self.context().inner;
        let failed = |cause| BindError::Device {
            kernel: spec.name,
            cause,
        };
        inner.gpu.faults.check().map_err(failed)?;
        let spans = slots.iter().map(|slot| &slot.part.allocation().raw);
        let buffers = spans.chain(check.map(Check::claims));
        let compiled = &self.inner.compiled;
        bind_group(inner, spec.name, compiled, buffers, layout(spec)).map_err(failed)
    }
}

/// Views are laid out for what the kernel does through them: at the loop index it meets consecutive
/// elements, and what it writes is one element an index and nothing between them.
fn check_layouts(spec: &'static KernelSpec, slots: &[RawSlot]) -> Result<(), BindError> {
    for (binding, slot) in spec.bindings.iter().zip(slots) {
        let Some(layout) = slot.part.layout() else {
            continue;
        };
        let (kernel, span) = (spec.name, binding.name);
        let shape = || (layout.dimensions().to_vec(), layout.strides().to_vec());
        if binding.loop_indexed && !layout.is_dense() {
            let (dimensions, strides) = shape();
            return Err(BindError::NotDense {
                kernel,
                span,
                dimensions,
                strides,
            });
        }
        if slot.write && !layout.is_injective() {
            let (dimensions, strides) = shape();
            return Err(BindError::Overlap {
                kernel,
                span,
                dimensions,
                strides,
            });
        }
        if slot.write && layout.count() != layout.extent() {
            let (dimensions, strides) = shape();
            return Err(BindError::Gaps {
                kernel,
                span,
                dimensions,
                strides,
                elements: layout.count(),
                extent: layout.extent(),
            });
        }
    }
    Ok(())
}

/// Every guard, in source order.
fn check_guards(spec: &'static KernelSpec, lengths: &[u32]) -> Result<(), BindError> {
    for guard in spec.guards {
        if guard_holds(guard.cond, lengths) {
            continue;
        }
        let mut named: Vec<(&'static str, u32)> = Vec::new();
        for op in guard.cond {
            let GuardOp::Length(span) = *op else { continue };
            let span = span as usize;
            if let (Some(binding), Some(length)) = (spec.bindings.get(span), lengths.get(span))
                && !named.iter().any(|(name, _)| *name == binding.name)
            {
                named.push((binding.name, *length));
            }
        }
        return Err(BindError::Guard {
            kernel: spec.name,
            message: guard.message,
            text: guard.text,
            lengths: named,
        });
    }
    Ok(())
}

/// The spans used at the loop index are as long as the dispatch.
fn check_lengths(spec: &'static KernelSpec, lengths: &[u32]) -> Result<(), BindError> {
    let needed = count(spec.kind, lengths);
    for (binding, given) in spec.bindings.iter().zip(lengths) {
        if binding.loop_indexed && *given != needed {
            return Err(BindError::Length {
                kernel: spec.name,
                span: binding.name,
                needed,
                given: *given,
            });
        }
    }
    Ok(())
}

/// No allocation stands in two slots if one of them writes.
fn check_sharing(spec: &'static KernelSpec, slots: &[RawSlot]) -> Result<(), BindError> {
    for (second, slot) in slots.iter().enumerate() {
        for (first, other) in slots[..second].iter().enumerate() {
            let same = Arc::ptr_eq(slot.part.allocation(), other.part.allocation());
            if same && (slot.write || other.write) {
                return Err(BindError::Shared {
                    kernel: spec.name,
                    first: spec.bindings[first].name,
                    second: spec.bindings[second].name,
                });
            }
        }
    }
    Ok(())
}

/// The system words of the uniform block and those of the spans; the recorder puts in which
/// workgroups a launch has.
fn head(spec: &KernelSpec, slots: &[RawSlot], launch: Option<Launch>) -> Vec<u32> {
    let layout = layout(spec);
    let mut words = vec![0; layout.uniform(0) as usize];
    if let Some(launch) = launch {
        words[UniformLayout::COUNT as usize] = launch.count;
    }
    for (span, slot) in (0..).zip(slots) {
        words[layout.length(span) as usize] = slot.part.extent();
        words[layout.offset(span) as usize] = slot.part.offset();
    }
    words
}

impl RawBinding {
    /// The kernel that it binds.
    pub fn kernel(&self) -> &RawKernel {
        &self.inner.kernel
    }

    /// Lets go of its buffers now, unless a clone still holds it. Work in flight is not disturbed.
    pub fn close(self) -> Result<(), StillHeld<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(inner) => {
                drop(inner);
                Ok(())
            }
            Err(inner) => Err(StillHeld::new("binding", Self { inner })),
        }
    }
}

impl fmt::Debug for RawBinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawBinding")
            .field("kernel", &self.inner.kernel.spec().name)
            .field("launch", &self.inner.launch)
            .finish_non_exhaustive()
    }
}
