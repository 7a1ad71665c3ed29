//! Installs what the tests need and a fresh Debian machine lacks: two software Vulkan drivers
//! (lavapipe, and SwiftShader inside Chromium), Mesa's OpenGL, the SPIR-V validator, and Tint.
//!
//! Nothing is installed that is there already. Tint is not packaged by Debian: where no `tint` is
//! on the path, Dawn's Node.js binding brings it, run on SwiftShader by `xtask/tint/tint.mjs`.

use crate::step::{on_path, root, run};
use std::path::{Path, PathBuf};

/// Where the tools of the lanes are.
pub struct Tools {
    /// The manifest of the lavapipe driver.
    pub lavapipe: String,
    /// The manifest of the SwiftShader driver.
    pub swiftshader: String,
    /// The command that checks one WGSL file.
    pub tint: String,
}

const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Installs what is missing and says where everything is.
pub fn setup() -> Result<Tools, String> {
    let mut packages = Vec::new();
    let mut need = |there: bool, package: &'static str| {
        if !there && !packages.contains(&package) {
            packages.push(package);
        }
    };
    need(lavapipe().is_some(), "mesa-vulkan-drivers");
    need(library("libvulkan.so.1"), "libvulkan1");
    need(library("libEGL.so.1"), "libegl1");
    need(library("libEGL_mesa.so.0"), "libegl-mesa0");
    need(Path::new(SWIFTSHADER).is_file(), "chromium");
    need(on_path("spirv-val"), "spirv-tools");
    if !on_path("tint") {
        need(on_path("node"), "nodejs");
        need(on_path("npm"), "npm");
    }
    if !packages.is_empty() {
        apt(&packages)?;
    }
    let lavapipe = lavapipe().ok_or("no manifest of lavapipe under /usr/share/vulkan/icd.d")?;
    if !Path::new(SWIFTSHADER).is_file() {
        return Err(format!("no SwiftShader driver at {SWIFTSHADER}"));
    }
    Ok(Tools {
        lavapipe: lavapipe.display().to_string(),
        swiftshader: SWIFTSHADER.into(),
        tint: tint()?,
    })
}

fn lavapipe() -> Option<PathBuf> {
    let folder = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
    let mut manifests: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    manifests.sort();
    manifests.into_iter().find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd"))
    })
}

fn library(name: &str) -> bool {
    let folders = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
    ];
    folders
        .iter()
        .any(|folder| Path::new(folder).join(name).exists())
}

fn apt(packages: &[&str]) -> Result<(), String> {
    if !on_path("apt-get") {
        return Err(format!(
            "this machine lacks {} (names of Debian's packages), and apt-get is not here to install them",
            packages.join(", ")
        ));
    }
    let root_user = std::fs::metadata("/proc/self")
        .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let sudo: &[&str] = if root_user { &[] } else { &["sudo"] };
    run(&[sudo, &["apt-get", "update", "-qq"]].concat(), &[])?;
    let install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"];
    run(
        &[sudo, &install, packages].concat(),
        &[("DEBIAN_FRONTEND", "noninteractive")],
    )
}

fn tint() -> Result<String, String> {
    if on_path("tint") {
        return Ok("tint".into());
    }
    let folder = root().join("xtask/tint");
    if !folder.join("node_modules/webgpu").is_dir() {
        let folder = folder.display().to_string();
        run(
            &["npm", "ci", "--no-audit", "--no-fund", "--prefix", &folder],
            &[],
        )?;
    }
    Ok(format!("node {}", folder.join("tint.mjs").display()))
}
