//! Tests of limits: those that are asked of an adapter, and those that a kernel is compared with.

use nupp_core::device::claims::Checks;
use nupp_core::device::profile::Profile;

use crate::compile::compare;
use crate::error::CompileError;
use crate::failures::common;
use crate::fault::ready;
use crate::module::{Form, Module};
use crate::open;
use crate::options::DeviceInfo;

#[test]
fn an_adapter_is_asked_for_all_that_it_has() {
    let Some(context) = common::context() else {
        return;
    };
    let adapters = ready(open::list(wgpu::Backends::all())).expect("a list that is there at once");
    let open = context.device().identity();
    let of = |adapter: &&wgpu::Adapter| DeviceInfo::of(&adapter.get_info()) == open;
    let adapter = adapters.iter().find(of).expect("the open adapter");
    let [asked, offered] = [&context.inner.limits, &adapter.limits()].map(|limits| {
        [
            limits.max_storage_buffer_binding_size,
            limits.max_buffer_size,
            u64::from(limits.max_storage_buffers_per_shader_stage),
            u64::from(limits.max_compute_workgroup_storage_size),
            u64::from(limits.max_compute_invocations_per_workgroup),
        ]
    });
    assert_eq!(asked, offered);
    assert_eq!(context.inner.gpu.device.limits(), context.inner.limits);
}

#[test]
fn a_kernel_is_compared_with_every_limit_that_it_meets() {
    let Some(context) = common::context() else {
        return;
    };
    let spec = common::affine();
    let module = Module::emit(spec, &Profile::CONSERVATIVE, Form::Spirv).expect("a module");
    let short = |change: fn(&mut wgpu::Limits)| {
        let mut limits = context.inner.limits.clone();
        change(&mut limits);
        match compare(spec, &module, &limits) {
            Err(CompileError::Limit {
                kernel: "affine",
                what,
                needed,
                offered,
            }) => (what, needed, offered),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(compare(spec, &module, &context.inner.limits), Ok(()));
    let lanes = u64::from(module.workgroup);
    assert_eq!(
        short(|limits| limits.max_compute_workgroup_size_x = 1),
        ("lanes in a workgroup", lanes, 1)
    );
    assert_eq!(
        short(|limits| limits.max_compute_invocations_per_workgroup = 1),
        ("lanes in a workgroup", lanes, 1)
    );
    assert_eq!(
        short(|limits| limits.max_storage_buffers_per_shader_stage = 1),
        ("storage buffers", 2, 1)
    );
    assert_eq!(
        short(|limits| limits.max_bindings_per_bind_group = 2),
        ("bindings in a group", 3, 2)
    );
    assert_eq!(
        short(|limits| limits.max_uniform_buffer_binding_size = 16),
        ("bytes of uniforms", 48, 16)
    );
    // A checked module binds what its lanes claim as well.
    let checked = Module {
        checks: Checks {
            scatter: true,
            loops: false,
        },
        ..module.clone()
    };
    let mut limits = context.inner.limits.clone();
    limits.max_storage_buffers_per_shader_stage = 2;
    assert_eq!(compare(spec, &module, &limits), Ok(()));
    let refused = compare(spec, &checked, &limits).expect_err("three are needed");
    let text = "kernel `affine` needs 3 storage buffers, this device offers 2";
    assert_eq!(refused.to_string(), text);
}
