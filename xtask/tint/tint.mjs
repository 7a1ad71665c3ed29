// Checks WGSL files with Tint, as `tint --format none FILE` does: prints each message and exits 1
// if any is an error. The software driver is only needed because Dawn compiles on a device.
import { readFileSync } from "node:fs";

const driver = "/usr/lib/chromium/vk_swiftshader_icd.json";
process.env.VK_DRIVER_FILES = driver;
process.env.VK_ICD_FILENAMES = driver;
process.env.XDG_RUNTIME_DIR ??= process.env.TMPDIR ?? ".";
const { create } = await import("webgpu");

const adapter = await create([]).requestAdapter();
if (!adapter) {
  console.error("tint.mjs: no WebGPU adapter on SwiftShader");
  process.exit(2);
}
const device = await adapter.requestDevice({
  requiredLimits: { maxStorageBuffersPerShaderStage: adapter.limits.maxStorageBuffersPerShaderStage },
});
device.addEventListener?.("uncapturederror", (event) => event.preventDefault?.());
let failed = false;
for (const file of process.argv.slice(2).filter((argument) => argument.endsWith(".wgsl"))) {
  device.pushErrorScope("validation");
  const shader = device.createShaderModule({ code: readFileSync(file, "utf8") });
  await device.popErrorScope();
  for (const message of (await shader.getCompilationInfo()).messages) {
    console.error(`${file}:${message.lineNum}:${message.linePos} ${message.type}: ${message.message}`);
    failed ||= message.type === "error";
  }
}
process.exit(failed ? 1 : 0);
