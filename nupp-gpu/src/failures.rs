//! Tests of what a device does wrong, which need the inside of a context to provoke it.

use std::time::{Duration, Instant};

use nupp_core::device::profile::Profile;
use nupp_core::ir::samples;
use nupp_gpu::{
    BufferError, CompileError, Context, DeviceError, DeviceInfo, DispatchError, OpenError, SlotMut,
    SyncError, TransferError,
};

use crate::fault::{Gpu, lock, ready};
use crate::module::Module;
use crate::part::sealed::Located;
use crate::{ContextOptions, ModuleForm, compile, open};

#[path = "../tests/common/mod.rs"]
pub(crate) mod common;

/// Loses the device the only way there is to provoke it; the runtime itself never does.
pub(crate) fn lose(context: &Context) {
    context.inner.gpu.device.destroy();
    // The loss is told by a callback, which runs in a poll.
    let _ = context.inner.gpu.poll(Some(Duration::ZERO));
}

fn is_lost(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Lost { .. })
}

#[test]
fn after_a_loss_every_call_says_so_and_opening_again_gives_the_same_bits() {
    let Some(context) = common::context() else {
        return;
    };
    let [map, groups] = [samples::map(), samples::groups()].map(common::embedded::embed);
    let same_bits = |context: &Context| {
        let kernels = [map, groups].map(|spec| context.compile_raw(spec).unwrap());
        common::embedded::check_map(context, &kernels[0], 5000);
        common::embedded::check_groups(context, &kernels[1], 256 * 7);
    };
    same_bits(&context);
    let buffer = context.buffer::<u32>(64).unwrap();
    let kernel = context.compile_raw(common::bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    binding.dispatch(&[1]).unwrap();
    context.enqueue_download(&buffer).unwrap();
    lose(&context);

    let slots = || vec![SlotMut::from(&buffer).into()];
    assert!(matches!(context.buffer::<u32>(4), Err(BufferError::Device(e)) if is_lost(&e)));
    assert!(
        matches!(context.compile_raw(common::affine()), Err(CompileError::Device { cause, .. }) if is_lost(&cause))
    );
    assert!(
        matches!(kernel.bind(slots()), Err(crate::BindError::Device { cause, .. }) if is_lost(&cause))
    );
    for _ in 0..2 {
        assert!(
            matches!(binding.dispatch(&[1]), Err(DispatchError::Device { cause, .. }) if is_lost(&cause))
        );
        assert!(
            matches!(context.upload(&buffer, &[0; 64]), Err(TransferError::Device(e)) if is_lost(&e))
        );
        assert!(
            matches!(context.enqueue_download(&buffer), Err(TransferError::Device(e)) if is_lost(&e))
        );
        assert!(
            matches!(context.download_blocking(&buffer), Err(TransferError::Device(e)) if is_lost(&e))
        );
        assert!(
            matches!(pollster::block_on(context.download(&buffer)), Err(TransferError::Device(e)) if is_lost(&e))
        );
        assert!(matches!(context.flush(), Err(SyncError::Device(e)) if is_lost(&e)));
        assert!(matches!(context.synchronize_blocking(), Err(SyncError::Device(e)) if is_lost(&e)));
        assert!(
            matches!(pollster::block_on(context.synchronize()), Err(SyncError::Device(e)) if is_lost(&e))
        );
    }
    drop((buffer, binding, kernel, context));

    let again = common::context().expect("a device was there");
    let buffer = again.buffer::<u32>(2).unwrap();
    again.upload(&buffer, &[5, 6]).unwrap();
    assert_eq!(again.download_blocking(&buffer).unwrap(), [5, 6]);
    same_bits(&again);
}

#[test]
fn after_a_loss_errors_name_the_kernel() {
    let Some(context) = common::context() else {
        return;
    };
    let buffer = context.buffer::<u32>(64).unwrap();
    let kernel = context.compile_raw(common::bump()).unwrap();
    let slots = || vec![SlotMut::from(&buffer).into()];
    let binding = kernel.bind(slots()).unwrap();
    binding.dispatch(&[1]).unwrap();
    context.flush().unwrap();
    lose(&context);
    let text = context.synchronize_blocking().unwrap_err().to_string();
    assert!(text.ends_with("; the last batch ran `bump`"), "{text}");
    let named = [
        context
            .compile_raw(common::affine())
            .map(drop)
            .unwrap_err()
            .to_string(),
        kernel.bind(slots()).map(drop).unwrap_err().to_string(),
        binding.dispatch(&[1]).unwrap_err().to_string(),
    ];
    let begins = [
        "compiling kernel `affine`",
        "binding kernel `bump`",
        "dispatching kernel `bump`",
    ];
    for (text, begin) in named.iter().zip(begins) {
        let begin = format!("{begin}: the device was lost: ");
        assert!(text.starts_with(&begin), "{text}");
    }
}

#[test]
fn a_driver_that_refuses_to_open_is_named_with_what_it_said() {
    if common::context().is_none() {
        return;
    }
    let adapters = ready(open::list(wgpu::Backends::all())).expect("a list that is there at once");
    let adapter = &adapters[0];
    let info = DeviceInfo::of(&adapter.get_info()).unwrap();
    let mut limits = adapter.limits();
    let offered = limits.max_compute_workgroup_storage_size;
    limits.max_compute_workgroup_storage_size = offered + 1;
    let asked = open::request(adapter, &info, wgpu::Features::empty(), &limits);
    let refused = ready(asked)
        .expect("an answer at once")
        .map(drop)
        .unwrap_err();
    let text = refused.to_string();
    assert!(matches!(refused, OpenError::Refused { .. }), "{text}");
    let numbers = [offered, offered + 1].map(|number| number.to_string());
    assert!(
        text.starts_with(&format!("{info} did not open: ")),
        "{text}"
    );
    assert!(numbers.iter().all(|number| text.contains(number)), "{text}");
    assert!(!text.contains('\n'), "{text}");
}

#[test]
fn native_modules_fail_as_the_others_do() {
    let options = ContextOptions::new().form(ModuleForm::Native);
    let Some(context) = common::context_with(options) else {
        return;
    };
    let spec = common::embedded::embed(samples::map());
    let adapters = ready(open::list(wgpu::Backends::VULKAN)).expect("a list that is there at once");
    // A device that was not opened for native modules.
    let plain = wgpu::DeviceDescriptor::default();
    let (device, queue) = pollster::block_on(adapters[0].request_device(&plain)).unwrap();
    let gpu = Gpu::new(device, queue);
    for _ in 0..2 {
        let module =
            Module::emit(spec, &Profile::CONSERVATIVE, context.inner.forms.first()).unwrap();
        let digest = module.digest();
        match compile::build(&gpu, spec, module, digest, None) {
            Err(DeviceError::Validation { text }) => {
                assert!(text.contains("PASSTHROUGH_SHADERS"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
    context.compile_raw(spec).unwrap().close().unwrap();
    lose(&context);
    assert!(
        matches!(context.compile_raw(spec), Err(CompileError::Device { cause, .. }) if is_lost(&cause))
    );
}

#[test]
fn a_pending_future_hears_of_the_loss() {
    let Some(context) = common::context() else {
        return;
    };
    let buffer = context.buffer::<u32>(200_000).unwrap();
    let kernel = context.compile_raw(common::bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    for _ in 0..100 {
        binding.dispatch(&[1]).unwrap();
    }
    let future = context.download(&buffer);
    let loser = std::thread::spawn({
        let context = context.clone();
        move || lose(&context)
    });
    // It ends one way or the other: the work may have been done first.
    match pollster::block_on(future) {
        Ok(values) => assert_eq!(values, vec![100; 200_000]),
        Err(TransferError::Wait(SyncError::Device(_)) | TransferError::Device(_)) => {}
        Err(other) => panic!("{other}"),
    }
    loser.join().unwrap();
    // Whoever polls next runs the callback of the loss, which may be the waiter.
    let start = Instant::now();
    while context.synchronize_blocking().is_ok() {
        assert!(start.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn an_error_that_nothing_waited_for_fails_the_next_call() {
    let Some(context) = common::context() else {
        return;
    };
    let buffer = context.buffer::<u32>(2).unwrap();
    // No such mixture of usages is allowed, and no scope is open.
    drop(
        context
            .inner
            .gpu
            .device
            .create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            }),
    );
    match context.upload(&buffer, &[1, 2]) {
        Err(TransferError::Device(DeviceError::Earlier { cause })) => {
            assert!(matches!(*cause, DeviceError::Validation { .. }));
            let text = cause.to_string();
            assert!(!text.contains('\n'), "{text}");
        }
        other => panic!("{other:?}"),
    }
    context.upload(&buffer, &[1, 2]).unwrap();
    assert_eq!(context.download_blocking(&buffer).unwrap(), [1, 2]);
}

#[test]
fn an_earlier_error_leaves_queued_downloads_to_the_next_synchronize() {
    let Some(context) = common::context() else {
        return;
    };
    let buffer = context.buffer::<u32>(2).unwrap();
    context.upload(&buffer, &[1, 2]).unwrap();
    context.enqueue_download(&buffer).unwrap();
    context
        .inner
        .gpu
        .faults
        .store(DeviceError::OutOfMemory { bytes: None });
    assert!(matches!(
        context.synchronize_blocking(),
        Err(SyncError::Device(DeviceError::Earlier { .. }))
    ));
    let mut out = [0; 2];
    assert_eq!(
        context.read_downloaded(&buffer, &mut out),
        Err(TransferError::NotReady)
    );
    context.synchronize_blocking().unwrap();
    context.read_downloaded(&buffer, &mut out).unwrap();
    assert_eq!(out, [1, 2]);
}

#[test]
fn a_batch_that_fails_names_its_kernels_and_fails_its_downloads() {
    let Some(context) = common::context() else {
        return;
    };
    let gpu = &context.inner.gpu;
    let buffer = context.buffer::<u32>(2).unwrap();
    let kernel = context.compile_raw(common::bump()).unwrap();
    let binding = kernel.bind(vec![SlotMut::from(&buffer).into()]).unwrap();
    binding.dispatch(&[1]).unwrap();
    context.enqueue_download(&buffer).unwrap();
    // A copy that no device allows spoils the batch.
    let source = &context.inner.uniforms;
    lock(&context.inner.recorder)
        .snapshot(gpu, source, &spoiled(&context))
        .unwrap();
    match context.synchronize_blocking() {
        Err(SyncError::Device(DeviceError::Batch { kernels, cause })) => {
            assert_eq!(kernels, "`bump`");
            assert!(matches!(*cause, DeviceError::Validation { .. }));
        }
        other => panic!("{other:?}"),
    }
    let mut out = [9, 9];
    assert!(matches!(
        context.read_downloaded(&buffer, &mut out),
        Err(TransferError::Device(DeviceError::Batch { .. }))
    ));
    assert_eq!(out, [9, 9]);
    // The failure is told; the context goes on.
    binding.dispatch(&[4]).unwrap();
    assert_eq!(context.download_blocking(&buffer).unwrap(), [4, 4]);
}

/// A snapshot that the uniforms cannot be copied into: they may not be copied from.
pub(crate) fn spoiled(context: &Context) -> std::sync::Arc<crate::transfer::Snapshot> {
    let buffer = context.buffer::<u32>(4).unwrap();
    std::sync::Arc::new(
        crate::transfer::Snapshot::new(
            &context.inner.gpu,
            &context.inner.staging,
            buffer.part().bytes().unwrap(),
        )
        .unwrap(),
    )
}
