//! Pictures in memory, and as PNG files.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter};

/// A picture as packed pixels, row by row, red in the lowest byte.
pub struct Photo {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u32>,
}

/// Reads a picture of any colour type, opaque.
pub fn read(path: &str) -> Result<Photo, Box<dyn Error>> {
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

/// Writes pixels that have the size of `photo`.
pub fn write(path: &str, photo: &Photo, pixels: &[u32]) -> Result<(), Box<dyn Error>> {
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
