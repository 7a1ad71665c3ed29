//! A summary for a person to read.
//!
//! Each figure says whose time it is: `device` is the device's own counter, `host` the host's clock.

use std::fmt::{self, Display, Formatter};

use super::read::Log;
use super::summary::{Kernel, Moved, Summary};
use crate::file::counted;

/// A time in nanoseconds, in the unit that suits it.
pub struct Time(pub f64);

/// Host time.
pub fn host(nanoseconds: u64) -> Time {
    Time(nanoseconds as f64)
}

fn device(milliseconds: Option<f64>) -> Time {
    Time(milliseconds.unwrap_or_default() * 1e6)
}

impl Display for Time {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            time if time < 1e3 => write!(to, "{time:.0} ns"),
            time if time < 1e6 => write!(to, "{:.2} µs", time / 1e3),
            time if time < 1e9 => write!(to, "{:.2} ms", time / 1e6),
            time => write!(to, "{:.2} s", time / 1e9),
        }
    }
}

/// A summary with the log that it is of.
pub struct Text<'a>(pub &'a Log, pub &'a Summary);

impl Display for Text<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let Self(log, summary) = self;
        write!(to, "{}", counted(log.lines, "line"))?;
        if let Some(process) = summary.process {
            write!(to, " of process {process} over {}", host(summary.end_ns))?;
        }
        writeln!(to)?;
        devices(to, summary)?;
        for one in &summary.kernels {
            kernel(to, one)?;
        }
        operations(to, summary)
    }
}

fn devices(to: &mut Formatter<'_>, summary: &Summary) -> fmt::Result {
    let (all, ended) = (summary.contexts(), summary.ended);
    writeln!(to, "\n{} opened, {ended} ended", counted(all, "context"))?;
    for device in &summary.devices {
        let kind = if device.software { ", a CPU" } else { "" };
        writeln!(
            to,
            "  {}: {} over {}{kind}, opened in {} (host)",
            device.context,
            device.adapter,
            device.backend,
            host(device.host_ns)
        )?;
        writeln!(to, "     driver {}", device.driver)?;
        match device.period_ns {
            Some(period) => writeln!(to, "     timestamps, a tick is {period} ns")?,
            None => writeln!(to, "     no device times: {}", device.timestamps)?,
        }
    }
    Ok(())
}

fn kernel(to: &mut Formatter<'_>, kernel: &Kernel) -> fmt::Result {
    writeln!(to, "\nkernel `{}`", kernel.name)?;
    write!(
        to,
        "  dispatches  {} first use, {} steady",
        kernel.first_use, kernel.steady_state
    )?;
    for (kind, items) in &kernel.work_items {
        write!(to, ", {items} {kind}s")?;
    }
    writeln!(to)?;
    if kernel.pipelines.count > 0 {
        let Moved { count, host_ns, .. } = kernel.pipelines;
        writeln!(to, "  pipelines   {count} made, host {}", host(host_ns))?;
    }
    if kernel.recording.count > 0 {
        writeln!(to, "  recording   host {}", host(kernel.recording.host_ns))?;
    }
    let times = &kernel.device_ms;
    if !times.is_empty() {
        writeln!(
            to,
            "  execution   device {} in {} timed; median {}, least {}, greatest {}",
            device(kernel.total_ms()),
            times.len(),
            device(kernel.median_ms()),
            device(times.first().copied()),
            device(times.last().copied())
        )?;
    }
    for (reason, count) in &kernel.unavailable {
        writeln!(to, "  execution   {count} without a device time: {reason}")?;
    }
    if kernel.untold > 0 {
        writeln!(
            to,
            "  execution   {} of which the log tells nothing",
            kernel.untold
        )?;
    }
    Ok(())
}

fn operations(to: &mut Formatter<'_>, summary: &Summary) -> fmt::Result {
    writeln!(
        to,
        "\n{:28}{:>8}{:>16}  {:>12}",
        "", "count", "bytes", "host time"
    )?;
    let mut row = |name: &str, moved: &Moved, bytes: bool, time: bool| {
        let bytes = if bytes {
            moved.bytes.to_string()
        } else {
            String::new()
        };
        let time = if time {
            host(moved.host_ns).to_string()
        } else {
            String::new()
        };
        let row = format!("{name:28}{:>8}{bytes:>16}  {time:>12}", moved.count);
        writeln!(to, "{}", row.trim_end())
    };
    row("buffers allocated", &summary.buffers.allocated, true, true)?;
    row("buffers released", &summary.buffers.released, true, false)?;
    row("bindings", &summary.bindings, false, true)?;
    row("uploads", &summary.uploads, true, true)?;
    row("downloads queued", &summary.download_queue, true, true)?;
    row(
        "downloads, batch and copy",
        &summary.download_map_copy,
        true,
        true,
    )?;
    row("downloads, read", &summary.download_host_copy, true, true)?;
    for (outcome, waits) in &summary.waits {
        row(&format!("waits, {outcome}"), waits, false, true)?;
    }
    writeln!(
        to,
        "\nat most {} bytes of buffers at once",
        summary.buffers.peak_bytes
    )
}
