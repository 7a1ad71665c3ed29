//! What naga writes of a module for backends that take text: GLSL, HLSL and MSL.
//!
//! Nobody here compiles these texts. What is looked at is how deeply their brackets nest, which a
//! compiler of shaders may bear badly: clang refuses more than 256, and a driver was seen to compute wrong
//! values of choices in 80 others. naga itself, unoptimised, overflows the stack of a thread at some 120.

use naga::back::{glsl, hlsl, msl};
use naga::valid::ModuleInfo;

/// Brackets of all kinds, one in the other, that every compiler bears.
const MOST: usize = 100;

/// What naga's writers, which recur as expressions nest, may use before it is known how deep they go.
const STACK: usize = 256 << 20;

/// Refuses a module whose text, in any of the languages, nests too deeply.
pub(crate) fn check(module: &naga::Module, info: &ModuleInfo) -> Result<(), String> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let judged = thread.spawn_scoped(scope, || judge(module, info));
        let judged = judged.map_err(|fault| fault.to_string())?;
        judged
            .join()
            .unwrap_or_else(|_| Err("naga's writer panics".to_owned()))
    })
}

fn judge(module: &naga::Module, info: &ModuleInfo) -> Result<(), String> {
    let texts = [
        ("GLSL", glsl(module, info)?),
        ("HLSL", hlsl(module, info)?),
        ("MSL", msl(module, info)?),
    ];
    let too_deep = texts.iter().find(|(_, text)| nesting(text) > MOST);
    too_deep.map_or(Ok(()), |(language, text)| {
        let depth = nesting(text);
        Err(format!("as {language} it has {depth} brackets in brackets"))
    })
}

fn glsl(module: &naga::Module, info: &ModuleInfo) -> Result<String, String> {
    let options = glsl::Options {
        version: glsl::Version::Desktop(430),
        ..Default::default()
    };
    let entry = glsl::PipelineOptions {
        shader_stage: naga::ShaderStage::Compute,
        entry_point: module.entry_points[0].name.clone(),
        multiview: None,
    };
    let mut text = String::new();
    let policies = naga::proc::BoundsCheckPolicies::default();
    glsl::Writer::new(&mut text, module, info, &options, &entry, policies)
        .and_then(|mut writer| writer.write())
        .map_err(|fault| format!("naga writes no GLSL: {fault}"))?;
    Ok(text)
}

fn hlsl(module: &naga::Module, info: &ModuleInfo) -> Result<String, String> {
    let (options, entry) = (hlsl::Options::default(), hlsl::PipelineOptions::default());
    let mut text = String::new();
    hlsl::Writer::new(&mut text, &options, &entry)
        .write(module, info, None)
        .map_err(|fault| format!("naga writes no HLSL: {fault}"))?;
    Ok(text)
}

fn msl(module: &naga::Module, info: &ModuleInfo) -> Result<String, String> {
    let (options, entry) = (msl::Options::default(), msl::PipelineOptions::default());
    let (text, _) = msl::write_string(module, info, &options, &entry)
        .map_err(|fault| format!("naga writes no MSL: {fault}"))?;
    Ok(text)
}

/// The most brackets of any kind that stand one in the other.
fn nesting(text: &str) -> usize {
    let mut open = 0_usize;
    let depths = text.bytes().map(|byte| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open
    });
    depths.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::nesting;

    #[test]
    fn brackets_of_all_kinds_nest() {
        assert_eq!(nesting(""), 0);
        assert_eq!(nesting("f(a) + g(b)"), 1);
        assert_eq!(nesting("{ a[(b + c)] = ((d)); }"), 3);
    }
}
