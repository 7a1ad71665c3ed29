//! The kernel of the README: `cargo run --release --example quickstart`.

use nupp::{Context, nupp};

nupp! {
    @aot(target = "gpu")
    local function scale(exclusive output: span.WriteSpan<float>,
        borrows input: span.Span<float>, factor: float): nil
        assert(#output == #input, "output and input differ in length")
        for index = 1, #output do
            output[index] = input[index] * factor
        end
    end
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let input = [1.0_f32, 2.5, -3.0];
    let mut on_cpu = [0.0; 3];
    scale(&mut on_cpu, &input, 0.1)?;
    println!("CPU: {on_cpu:?}");
    if !nupp::available() {
        println!("GPU: there is none here");
        return Ok(());
    }
    let context = Context::open()?;
    let (output, source) = (context.buffer::<f32>(3)?, context.buffer::<f32>(3)?);
    context.upload(&source, &input)?;
    let kernel = scale::compile(&context)?;
    kernel.bind(&output, &source)?.dispatch(0.1)?;
    let on_gpu = context.download_blocking(&output)?;
    println!("GPU: {on_gpu:?} on {}", context.device().adapter);
    let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&on_cpu), bits(&on_gpu));
    Ok(())
}
