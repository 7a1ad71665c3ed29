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
