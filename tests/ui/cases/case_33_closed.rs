//! What was closed is gone: rustc refuses to use it again, and says where it was closed.

use nupp::{Buffer, Context, View};

nupp::nupp! {
    @aot(target = "gpu")
    local function bump(exclusive values: span.WriteSpan<uint32>, step: uint32): nil
        for index = 1, #values do
            values[index] = values[index] + step
        end
    end
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn buffer(context: &Context, values: Buffer<u32>) -> Outcome {
    values.close()?;
    context.upload(&values, &[1, 2])?;
    Ok(())
}

fn view(context: &Context, part: View<u32>) -> Outcome {
    part.close()?;
    context.download_blocking(&part)?;
    Ok(())
}

fn kernel(kernel: bump::Kernel, values: &Buffer<u32>) -> Outcome {
    kernel.close()?;
    kernel.bind(values)?.dispatch(1)?;
    Ok(())
}

fn binding(binding: bump::Binding) -> Outcome {
    binding.close()?;
    binding.dispatch(1)?;
    Ok(())
}

fn context(context: Context) -> Outcome {
    context.close()?;
    context.synchronize_blocking()?;
    Ok(())
}

fn main() {}
