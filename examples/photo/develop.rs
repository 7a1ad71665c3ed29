//! The development of a photograph, step by step: on the CPU, and on a GPU, where nothing is awaited
//! between the steps and what lies between them stays on the device.

use crate::kernels::{
    Rgb, TAPS, blend, blur_columns, blur_rows, levels, luminance, sharpen, tiles, tone, weigh,
};
use crate::picture::Photo;
use nupp::{Context, reduce};
use std::error::Error;

const LIFT: f32 = 0.6;
const AMOUNT: f32 = 1.4;
const STRENGTH: f32 = 0.22;
/// One over twice the square of the blur's standard deviation, which is 3 pixels.
const SHARPNESS: f32 = 1.0 / 18.0;

/// What the steps leave.
pub struct Developed {
    /// The developed picture.
    pub pixels: Vec<u32>,
    /// The luminance before levelling.
    pub light: Vec<f32>,
    /// The least, the greatest and the sum of the luminances.
    pub extent: [f32; 3],
    /// The blurred picture, tile by tile.
    pub glow: Vec<Rgb>,
}

impl Developed {
    /// All that is compared, by name.
    pub fn parts(&self) -> [(&'static str, &[u8]); 4] {
        [
            ("luminance", bytemuck::cast_slice(&self.light)),
            ("min, max, sum", bytemuck::cast_slice(&self.extent)),
            ("blur", bytemuck::cast_slice(&self.glow)),
            ("pixels", bytemuck::cast_slice(&self.pixels)),
        ]
    }
}

/// Develops on the calling thread; the three reductions alone take every core.
pub fn on_cpu(photo: &Photo) -> Result<Developed, Box<dyn Error>> {
    let (width, height, len) = (photo.width, photo.height, photo.pixels.len());
    let blank = Rgb {
        r: 0.0,
        g: 0.0,
        b: 0.0,
    };
    let mut toned = vec![blank; len];
    tone(&mut toned, &photo.pixels, LIFT)?;
    let mut sharp = vec![blank; len];
    sharpen(&mut sharp, &toned, width, height, AMOUNT)?;

    let mut light = vec![0.0; len];
    luminance(&mut light, &sharp)?;
    let least = reduce::cpu::min(&light)?;
    let greatest = reduce::cpu::max(&light)?;
    let sum = reduce::cpu::sum(&light)?;
    let mut level = vec![blank; len];
    levels(&mut level, &sharp, &[least], &[greatest], &[sum])?;

    let mut weights = [0.0; TAPS];
    weigh(&mut weights, SHARPNESS)?;
    let mut rows = vec![blank; tiles(width, height) * 256];
    blur_rows(&mut rows, &level, &weights, width, height)?;
    let mut glow = vec![blank; rows.len()];
    blur_columns(&mut glow, &rows, &weights, width, height)?;

    let mut pixels = vec![0; len];
    blend(&mut pixels, &level, &glow, width, STRENGTH)?;
    Ok(Developed {
        pixels,
        light,
        extent: [least, greatest, sum],
        glow,
    })
}

/// Develops on a device.
pub fn on_gpu(context: &Context, photo: &Photo) -> Result<Developed, Box<dyn Error>> {
    let (width, height, len) = (photo.width, photo.height, photo.pixels.len());
    let picture = || context.buffer::<Rgb>(len);
    let tiled = || context.buffer::<Rgb>(tiles(width, height) * 256);

    let source = context.buffer::<u32>(len)?;
    context.upload(&source, &photo.pixels)?;
    let toned = picture()?;
    let bind = tone::compile(context)?.bind(&toned, &source)?;
    bind.dispatch(LIFT)?;
    let sharp = picture()?;
    let bind = sharpen::compile(context)?.bind(&sharp, &toned)?;
    bind.dispatch(width, height, AMOUNT)?;

    let light = context.buffer::<f32>(len)?;
    let bind = luminance::compile(context)?.bind(&light, &sharp)?;
    bind.dispatch()?;
    let least = reduce::Plan::min(context, &light)?;
    let greatest = reduce::Plan::max(context, &light)?;
    let sum = reduce::Plan::sum(context, &light)?;
    for plan in [&least, &greatest, &sum] {
        plan.dispatch()?;
    }
    let level = picture()?;
    let [low, high, total] = [least.result(), greatest.result(), sum.result()];
    let bind = levels::compile(context)?.bind(&level, &sharp, low, high, total)?;
    bind.dispatch()?;

    let weights = context.buffer::<f32>(TAPS)?;
    weigh::compile(context)?
        .bind(&weights)?
        .dispatch(SHARPNESS)?;
    let (rows, glow) = (tiled()?, tiled()?);
    let bind = blur_rows::compile(context)?.bind(&rows, &level, &weights)?;
    bind.dispatch(width, height)?;
    let bind = blur_columns::compile(context)?.bind(&glow, &rows, &weights)?;
    bind.dispatch(width, height)?;

    let pixels = context.buffer::<u32>(len)?;
    let bind = blend::compile(context)?.bind(&pixels, &level, &glow)?;
    bind.dispatch(width, STRENGTH)?;
    let value = |buffer| Ok::<_, Box<dyn Error>>(context.download_blocking(buffer)?[0]);
    Ok(Developed {
        pixels: context.download_blocking(&pixels)?,
        light: context.download_blocking(&light)?,
        extent: [value(low)?, value(high)?, value(total)?],
        glow: context.download_blocking(&glow)?,
    })
}
