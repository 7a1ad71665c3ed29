//! A program that owns its context, buffers, kernel and bindings in one struct, in an order that is
//! wrong for languages where order matters, and is moved, taken apart and closed.

use nupp::{Buffer, Context};

use crate::kernels::affine;
use crate::{context, numbers};

struct App {
    context: Context,
    bindings: Vec<affine::Binding>,
    kernel: affine::Kernel,
    input: Buffer<u32>,
    output: Buffer<u32>,
}

impl App {
    fn new(context: Context, len: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let input = context.buffer(len)?;
        let output = context.buffer(len)?;
        context.upload(&input, &numbers(len))?;
        let kernel = affine::compile(&context)?;
        let bindings = vec![kernel.bind(&output, &input)?];
        Ok(Self {
            context,
            bindings,
            kernel,
            input,
            output,
        })
    }

    fn step(&mut self, factor: u32) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
        for binding in &self.bindings {
            binding.dispatch(factor, 1)?;
        }
        Ok(self.context.download_blocking(&self.output)?)
    }

    /// What the program ends with: everything is let go of, the context last.
    fn close(self) -> Result<(), Box<dyn std::error::Error>> {
        for binding in self.bindings {
            binding.close()?;
        }
        self.kernel.close()?;
        self.input.close()?;
        self.output.close()?;
        self.context.close()?;
        Ok(())
    }
}

#[test]
fn an_app_owns_what_it_uses() {
    let Some(context) = context() else { return };
    let app = App::new(context, 257).unwrap();
    // It is moved, also to another thread.
    let mut app = Box::new(app);
    let mut app = std::thread::spawn(move || {
        app.step(2).unwrap();
        app
    })
    .join()
    .unwrap();
    let expected: Vec<u32> = numbers(257).iter().map(|x| x * 3 + 1).collect();
    assert_eq!(app.step(3).unwrap(), expected);
    app.close().unwrap();
}

#[test]
fn an_app_may_be_dropped_as_it_stands() {
    let Some(context) = context() else { return };
    let mut app = App::new(context, 9).unwrap();
    app.step(1).unwrap();
    let App {
        output, bindings, ..
    } = app;
    // The context goes on for what is left.
    bindings[0].dispatch(5, 0).unwrap();
    let got = output.context().clone().download_blocking(&output).unwrap();
    assert_eq!(got, numbers(9).iter().map(|x| x * 5).collect::<Vec<_>>());
}
