//! Pipelines kept between runs of a program: what the driver compiled, in one file a device.
//!
//! The program names a folder ([`ContextOptions::pipeline_cache`](crate::ContextOptions::pipeline_cache)) and says when to write
//! ([`Context::save_pipelines`]). What is kept is the driver's own data, found by backend and device and
//! used only where the driver's words about itself and a digest of all of it are as they were when it
//! was written; the driver compares its own identity once more. Bits never depend on it: a verdict on
//! arithmetic is not kept, and a pipeline is made of the same module either way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::context::Context;
use crate::error::CacheError;
use crate::fault::Gpu;
use crate::options::DeviceInfo;

/// What a file begins with.
const MAGIC: &[u8] = b"nupp pipelines 1\n";
/// Bytes of the digest that follows.
const DIGEST: usize = 32;

/// The driver's cache of a context, and where it is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    cache: wgpu::PipelineCache,
    path: PathBuf,
    identity: String,
}

impl Kept {
    /// The cache of a device, with what a folder keeps for it; none where wgpu offers none.
    pub(crate) fn open(
        folder: &Path,
        gpu: &Gpu,
        adapter: &wgpu::AdapterInfo,
        device: &DeviceInfo,
    ) -> Option<Self> {
        if !gpu
            .device
            .features()
            .contains(wgpu::Features::PIPELINE_CACHE)
        {
            return None;
        }
        let path = folder.join(wgpu::util::pipeline_cache_key(adapter)?);
        let identity = device.to_string();
        // A file that is missing or of another driver is written anew when pipelines are saved.
        let kept = fs::read(&path).unwrap_or_default();
        let descriptor = wgpu::PipelineCacheDescriptor {
            label: Some("nupp"),
            data: unpack(&kept, &identity),
            fallback: true,
        };
        // SAFETY: the data is what `get_data` gave for this device and driver: its digest, which
        // covers the driver's name and version, is right. wgpu compares the driver's identifier.
        let cache = unsafe { gpu.device.create_pipeline_cache(&descriptor) };
        Some(Self {
            cache,
            path,
            identity,
        })
    }

    /// What pipelines are created with.
    pub(crate) fn cache(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Writes the file in one step, so that whoever reads meanwhile finds the old one or the new.
    fn save(&self) -> io::Result<u64> {
        let data = self.cache.get_data().unwrap_or_default();
        let bytes = pack(&data, &self.identity);
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let own = format!("{}-{:?}", std::process::id(), std::thread::current().id());
        let unfinished = self.path.with_extension(own);
        fs::write(&unfinished, &bytes)?;
        fs::rename(&unfinished, &self.path).inspect_err(|_| {
            // The error that is reported is the first one.
            let _ = fs::remove_file(&unfinished);
        })?;
        Ok(bytes.len() as u64)
    }
}

fn digest(identity: &str, data: &[u8]) -> [u8; DIGEST] {
    let hash = Sha256::new().chain_update(identity).chain_update([0]);
    hash.chain_update(data).finalize().into()
}

fn pack(data: &[u8], identity: &str) -> Vec<u8> {
    [MAGIC, &digest(identity, data), data].concat()
}

/// The driver's data, where the file is whole and was written for this driver.
fn unpack<'a>(file: &'a [u8], identity: &str) -> Option<&'a [u8]> {
    let (found, data) = file.strip_prefix(MAGIC)?.split_at_checked(DIGEST)?;
    (found == digest(identity, data)).then_some(data)
}

impl Context {
    /// Writes the pipelines that were compiled so far into the folder that the options name, and says how
    /// many bytes the file has. The next context that is opened with that folder, in this process or
    /// another, has the driver take them from there.
    ///
    /// # Errors
    /// `CacheError::NoFolder` where the options name none, `CacheError::Unsupported` where wgpu keeps no
    /// pipelines for the device (only Vulkan's drivers offer it), `CacheError::Write` where the file
    /// cannot be written.
    pub fn save_pipelines(&self) -> Result<u64, CacheError> {
        let inner = &*self.inner;
        if inner.options.pipelines.is_none() {
            return Err(CacheError::NoFolder);
        }
        let kept = inner.kept.as_ref().ok_or_else(|| CacheError::Unsupported {
            device: inner.info.to_string(),
        })?;
        kept.save().map_err(|error| CacheError::Write {
            path: kept.path.clone(),
            reason: error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_file_of_the_same_driver_is_used() {
        let file = pack(b"what a driver compiled", "a driver, version 1");
        let read = |file: &[u8], identity| unpack(file, identity).map(<[u8]>::to_vec);
        let whole = Some(b"what a driver compiled".to_vec());
        assert_eq!(read(&file, "a driver, version 1"), whole);
        assert_eq!(read(&file, "a driver, version 2"), None);
        for end in 0..file.len() {
            assert_eq!(
                read(&file[..end], "a driver, version 1"),
                None,
                "{end} bytes"
            );
        }
        for at in 0..file.len() {
            let mut other = file.clone();
            other[at] ^= 0x10;
            assert_eq!(read(&other, "a driver, version 1"), None, "byte {at}");
        }
    }
}
