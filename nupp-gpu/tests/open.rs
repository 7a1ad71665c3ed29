//! Opening: what is found, and what a refusal says.

mod common;

use common::{context, context_with};
use nupp_gpu::{Backend, Context, ContextOptions, OpenError, adapters, available};

#[test]
fn an_open_device_says_what_it_is() {
    let Some(context) = context() else { return };
    let device = context.device();
    assert!(!device.adapter.is_empty());
    assert!(device.to_string().contains(device.backend.name()));
    assert!(available());
    assert!(adapters().contains(&device));
}

#[test]
fn no_device_lists_what_is_there() {
    let options = ContextOptions::new()
        .backend(Backend::Vulkan)
        .adapter("no such adapter");
    let Err(OpenError::NoDevice { wanted, seen }) = Context::open_with(options) else {
        panic!("an adapter of that name was found")
    };
    assert_eq!(wanted, "vulkan, name with `no such adapter`");
    assert_eq!(seen.len(), adapters().len());
}

#[test]
fn a_name_part_chooses() {
    for device in adapters() {
        let part: String = device.adapter.chars().take(6).collect();
        let options = ContextOptions::new()
            .backend(device.backend)
            .adapter(part.to_uppercase());
        let Some(context) = context_with(options) else {
            return;
        };
        assert!(context.device().adapter.starts_with(&part));
    }
}

#[test]
fn many_threads_may_open_at_once() {
    if context().is_none() {
        return;
    }
    std::thread::scope(|scope| {
        for lane in 0..4u32 {
            scope.spawn(move || {
                for turn in 0..4 {
                    let context = Context::open().unwrap();
                    let buffer = context.buffer::<u32>(2).unwrap();
                    context.upload(&buffer, &[lane, turn]).unwrap();
                    assert_eq!(context.download_blocking(&buffer).unwrap(), [lane, turn]);
                    assert!(available());
                }
            });
        }
    });
}

#[test]
fn opening_may_be_awaited() {
    if context().is_none() {
        return;
    }
    let opened = pollster::block_on(Context::open_async(ContextOptions::default()));
    assert!(opened.is_ok());
}

/// Two devices reached through OpenGL, listed and used by four threads at once: each has a context of its
/// own, of which another's thread takes nothing away.
#[cfg(feature = "gles")]
#[test]
fn devices_of_opengl_do_not_meet() {
    let options = || ContextOptions::new().backend(Backend::Gl);
    let [Some(first), Some(second)] = [(); 2].map(|()| context_with(options())) else {
        return;
    };
    std::thread::scope(|scope| {
        for lane in 0..4_u32 {
            let context = if lane % 2 == 0 { &first } else { &second };
            scope.spawn(move || {
                for turn in 0..50 {
                    let buffer = context.buffer::<u32>(2).unwrap();
                    context.upload(&buffer, &[lane, turn]).unwrap();
                    assert_eq!(context.download_blocking(&buffer).unwrap(), [lane, turn]);
                    if turn % 10 == 0 {
                        assert!(adapters().iter().any(|info| info.backend == Backend::Gl));
                    }
                }
            });
        }
    });
}

/// OpenGL is taken where it is asked for, or where nothing else has the name.
#[cfg(feature = "gles")]
#[test]
fn opengl_is_the_last_resort() {
    if context_with(ContextOptions::new().backend(Backend::Gl)).is_none() {
        return;
    }
    let all = adapters();
    let is_gl = |info: &nupp_gpu::DeviceInfo| info.backend == Backend::Gl;
    let first = all.iter().position(is_gl).unwrap();
    assert!(all[first..].iter().all(is_gl), "the others come first");
    for info in &all {
        let named = ContextOptions::new().adapter(info.adapter.clone());
        let opened = Context::open_with(named).unwrap();
        let has_name = |other: &&nupp_gpu::DeviceInfo| other.adapter.contains(&info.adapter);
        let right = all.iter().find(has_name).unwrap();
        assert_eq!(opened.device().backend, right.backend);
    }
}
