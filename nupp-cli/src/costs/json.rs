//! A summary as one JSON object.
//!
//! Names and units are those of the log: `Ns` is host time, `Ms` the device's.

use serde_json::{Value, json};

use super::read::Log;
use super::summary::{Device, Kernel, Moved, Summary};

/// The summary of a log, and what is wrong with the log.
pub fn object(log: &Log, summary: &Summary) -> Value {
    let faults = log.faults.iter();
    let faults = faults.map(|fault| json!({ "line": fault.line, "text": fault.text }));
    let waits = summary.waits.iter();
    let waits = waits.map(|(outcome, waits)| (outcome.clone(), timed(waits)));
    let buffers = &summary.buffers;
    json!({
        "schemaVersion": super::schema::VERSION,
        "lines": log.lines,
        "cutOff": log.cut,
        "faults": faults.collect::<Vec<_>>(),
        "process": summary.process,
        "endNs": summary.end_ns,
        "clockMonotonicNs": summary.monotonic_ns,
        "contexts": { "opened": summary.contexts(), "ended": summary.ended },
        "devices": summary.devices.iter().map(device).collect::<Vec<_>>(),
        "kernels": summary.kernels.iter().map(kernel).collect::<Vec<_>>(),
        "buffers": {
            "allocated": moved(&buffers.allocated),
            "released": { "count": buffers.released.count, "bytes": buffers.released.bytes },
            "peakBytes": buffers.peak_bytes,
        },
        "bindings": timed(&summary.bindings),
        "uploads": moved(&summary.uploads),
        "downloadQueue": moved(&summary.download_queue),
        "downloadMapCopy": moved(&summary.download_map_copy),
        "downloadHostCopy": moved(&summary.download_host_copy),
        "waits": waits.collect::<serde_json::Map<_, _>>(),
    })
}

fn moved(moved: &Moved) -> Value {
    json!({ "count": moved.count, "bytes": moved.bytes, "hostNs": moved.host_ns })
}

fn timed(moved: &Moved) -> Value {
    json!({ "count": moved.count, "hostNs": moved.host_ns })
}

fn device(device: &Device) -> Value {
    json!({
        "context": device.context,
        "backend": device.backend,
        "adapter": device.adapter,
        "driver": device.driver,
        "software": device.software,
        "timestamps": device.timestamps,
        "periodNs": device.period_ns,
        "hostNs": device.host_ns,
    })
}

fn kernel(kernel: &Kernel) -> Value {
    let times = &kernel.device_ms;
    let unavailable = kernel.unavailable.iter();
    let unavailable =
        unavailable.map(|(reason, count)| json!({ "reason": reason, "dispatches": count }));
    json!({
        "kernel": kernel.name,
        "dispatches": { "firstUse": kernel.first_use, "steadyState": kernel.steady_state },
        "workItems": kernel.work_items,
        "recording": timed(&kernel.recording),
        "pipelines": timed(&kernel.pipelines),
        "device": {
            "dispatches": times.len(),
            "totalMs": kernel.total_ms(),
            "medianMs": kernel.median_ms(),
            "leastMs": times.first(),
            "greatestMs": times.last(),
        },
        "unavailable": unavailable.collect::<Vec<_>>(),
        "untold": kernel.untold,
    })
}
