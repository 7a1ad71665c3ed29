//! Develops a photograph on the CPU and on the GPU and compares every byte.
//!
//! `cargo run --release --example photo -- [in.png [out.png]]`. Without a GPU it says so and goes on
//! with the CPU; it fails if any byte differs.

mod kernels;

use kernels::{Rgb, blend, luminance, sharpen, tone};
use nupp::{Context, OpenError};
use sha2::{Digest, Sha256};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::process::ExitCode;
use std::time::Instant;

const LIFT: f32 = 0.6;
const AMOUNT: f32 = 1.4;
const STRENGTH: f32 = 0.22;

/// A picture as packed pixels, row by row, red in the lowest byte.
struct Photo {
    width: u32,
    height: u32,
    pixels: Vec<u32>,
}

/// What each step leaves: the developed picture and its luminance.
struct Developed {
    pixels: Vec<u32>,
    light: Vec<f32>,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("error: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all that ran agreed.
fn run() -> Result<bool, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next();
    let asset = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/assets/chelsea.png");
    let photo = read(input.as_deref().unwrap_or(asset))?;
    println!("photograph: {} × {} pixels", photo.width, photo.height);

    let started = Instant::now();
    let cpu = on_cpu(&photo)?;
    report("CPU", &cpu, started);
    let same = match Context::open() {
        Ok(context) => {
            let device = context.device();
            println!(
                "GPU: {} ({}, {})",
                device.adapter, device.backend, device.driver
            );
            let started = Instant::now();
            let gpu = on_gpu(&context, &photo)?;
            report("GPU", &gpu, started);
            compare(&cpu, &gpu)
        }
        Err(OpenError::NoDevice { .. }) => {
            println!("GPU: there is none here, so the CPU's picture stands alone");
            true
        }
        Err(fault) => return Err(fault.into()),
    };
    if let Some(output) = arguments.next() {
        write(&output, &photo, &cpu.pixels)?;
        println!("wrote {output}");
    }
    Ok(same)
}

fn on_cpu(photo: &Photo) -> Result<Developed, Box<dyn Error>> {
    let len = photo.pixels.len();
    let blank = Rgb {
        r: 0.0,
        g: 0.0,
        b: 0.0,
    };
    let (mut toned, mut sharp) = (vec![blank; len], vec![blank; len]);
    let (mut light, mut pixels) = (vec![0.0; len], vec![0; len]);
    tone(&mut toned, &photo.pixels, LIFT)?;
    sharpen(&mut sharp, &toned, photo.width, photo.height, AMOUNT)?;
    luminance(&mut light, &sharp)?;
    blend(&mut pixels, &sharp, &light, STRENGTH)?;
    Ok(Developed { pixels, light })
}

/// Four dispatches with nothing awaited between them; the intermediates stay on the device.
fn on_gpu(context: &Context, photo: &Photo) -> Result<Developed, Box<dyn Error>> {
    let len = photo.pixels.len();
    let source = context.buffer::<u32>(len)?;
    let (toned, sharp) = (context.buffer::<Rgb>(len)?, context.buffer::<Rgb>(len)?);
    let (light, pixels) = (context.buffer::<f32>(len)?, context.buffer::<u32>(len)?);
    let tone = tone::compile(context)?.bind(&toned, &source)?;
    let sharpen = sharpen::compile(context)?.bind(&sharp, &toned)?;
    let luminance = luminance::compile(context)?.bind(&light, &sharp)?;
    let blend = blend::compile(context)?.bind(&pixels, &sharp, &light)?;

    context.upload(&source, &photo.pixels)?;
    tone.dispatch(LIFT)?;
    sharpen.dispatch(photo.width, photo.height, AMOUNT)?;
    luminance.dispatch()?;
    blend.dispatch(STRENGTH)?;
    let (pixels, light) = (
        context.download_blocking(&pixels)?,
        context.download_blocking(&light)?,
    );
    Ok(Developed { pixels, light })
}

fn report(who: &str, developed: &Developed, started: Instant) {
    let bytes: &[u8] = bytemuck::cast_slice(&developed.pixels);
    let light: &[u8] = bytemuck::cast_slice(&developed.light);
    println!("{who}: pixels    {}", hex(&Sha256::digest(bytes)));
    println!("{who}: luminance {}", hex(&Sha256::digest(light)));
    println!(
        "{who}: {:.1} ms, kernels compiled along the way",
        started.elapsed().as_secs_f64() * 1e3
    );
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares every byte and says what differs.
fn compare(cpu: &Developed, gpu: &Developed) -> bool {
    let differing = |a: &[u8], b: &[u8]| {
        if a.len() == b.len() {
            a.iter().zip(b).filter(|(a, b)| a != b).count()
        } else {
            a.len().max(b.len())
        }
    };
    let pixels = differing(
        bytemuck::cast_slice(&cpu.pixels),
        bytemuck::cast_slice(&gpu.pixels),
    );
    let light = differing(
        bytemuck::cast_slice(&cpu.light),
        bytemuck::cast_slice(&gpu.light),
    );
    if pixels + light == 0 {
        println!(
            "same: all {} bytes agree",
            4 * (cpu.pixels.len() + cpu.light.len())
        );
        return true;
    }
    println!("DIFFERENT: {pixels} bytes of the pixels and {light} bytes of the luminance");
    false
}

fn read(path: &str) -> Result<Photo, Box<dyn Error>> {
    let named = |fault: &dyn Error| format!("`{path}`: {fault}");
    let file = File::open(path).map_err(|fault| named(&fault))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|fault| named(&fault))?;
    let size = reader
        .output_buffer_size()
        .ok_or("a picture larger than memory")?;
    let mut bytes = vec![0; size];
    let frame = reader
        .next_frame(&mut bytes)
        .map_err(|fault| named(&fault))?;
    let bytes = &bytes[..frame.buffer_size()];
    let pixel = |r, g, b| u32::from_le_bytes([r, g, b, 255]);
    let pixels = match frame.color_type {
        png::ColorType::Rgb | png::ColorType::Rgba => bytes
            .chunks_exact(frame.color_type.samples())
            .map(|p| pixel(p[0], p[1], p[2]))
            .collect(),
        png::ColorType::Grayscale | png::ColorType::GrayscaleAlpha => bytes
            .chunks_exact(frame.color_type.samples())
            .map(|p| pixel(p[0], p[0], p[0]))
            .collect(),
        png::ColorType::Indexed => {
            return Err(format!("`{path}`: a palette that was not expanded").into());
        }
    };
    Ok(Photo {
        width: frame.width,
        height: frame.height,
        pixels,
    })
}

fn write(path: &str, photo: &Photo, pixels: &[u32]) -> Result<(), Box<dyn Error>> {
    let named = |fault: &dyn Error| format!("`{path}`: {fault}");
    let file = File::create(path).map_err(|fault| named(&fault))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), photo.width, photo.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let bytes: Vec<u8> = pixels
        .iter()
        .flat_map(|pixel| pixel.to_le_bytes())
        .collect();
    let mut writer = encoder.write_header().map_err(|fault| named(&fault))?;
    writer
        .write_image_data(&bytes)
        .map_err(|fault| named(&fault))?;
    writer.finish().map_err(|fault| named(&fault).into())
}
