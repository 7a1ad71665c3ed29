//! What Linux says of a process and its threads, in `/proc`, and the clock that samples are put on.
//!
//! A process that has gone is no fault: there is nothing to say of it.

use std::collections::BTreeMap;
use std::fs;

/// A thread's CPU time.
pub struct Thread {
    pub number: u64,
    pub name: String,
    /// In whole ticks of the kernel's accounting, 10 ms most often.
    pub user_ns: u64,
    pub system_ns: u64,
    /// Both to the nanosecond, where the kernel keeps it.
    pub cpu_ns: Option<u64>,
}

/// Nanoseconds of the clock that `CLOCK_MONOTONIC` is.
pub fn monotonic() -> Option<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes one `timespec` to where the pointer leads, which is a local one.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let whole = u64::try_from(time.tv_sec)
        .ok()?
        .checked_mul(1_000_000_000)?;
    let nanoseconds = whole.checked_add(u64::try_from(time.tv_nsec).ok()?)?;
    (failed == 0).then_some(nanoseconds)
}

/// Nanoseconds of a tick of the kernel's accounting.
pub fn tick_ns() -> Option<u64> {
    // SAFETY: `sysconf` takes a number and returns one.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    1_000_000_000_u64.checked_div(u64::try_from(ticks).ok()?)
}

/// A process and those that it started, as far as they run.
pub fn family(root: u64) -> Vec<u64> {
    let mut children = BTreeMap::<u64, Vec<u64>>::new();
    for process in numbers("/proc") {
        let stat = fs::read_to_string(format!("/proc/{process}/stat"));
        let parent = stat.ok().and_then(|stat| field(&stat, 1));
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(process);
        }
    }
    let mut family = vec![root];
    let mut next = 0;
    while let Some(process) = family.get(next) {
        family.extend(children.remove(process).unwrap_or_default());
        next += 1;
    }
    family
}

/// The threads of a process; none if it is gone.
pub fn threads(process: u64, tick_ns: u64) -> Vec<Thread> {
    let folder = format!("/proc/{process}/task");
    let threads = numbers(&folder).into_iter().filter_map(|number| {
        let stat = fs::read_to_string(format!("{folder}/{number}/stat")).ok()?;
        let name = stat.split_once('(')?.1.rsplit_once(')')?.0;
        let exact = fs::read_to_string(format!("{folder}/{number}/schedstat")).ok();
        let exact = exact.and_then(|text| text.split_whitespace().next()?.parse().ok());
        Some(Thread {
            number,
            name: name.to_owned(),
            user_ns: field(&stat, 11)?.saturating_mul(tick_ns),
            system_ns: field(&stat, 12)?.saturating_mul(tick_ns),
            cpu_ns: exact,
        })
    });
    threads.collect()
}

/// Bytes of memory that a process has resident.
pub fn resident_bytes(process: u64) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// A number of a `stat` file, counted from 0 behind the name, which may hold anything.
fn field(stat: &str, position: usize) -> Option<u64> {
    let fields = stat.rsplit_once(')')?.1;
    fields.split_whitespace().nth(position)?.parse().ok()
}

/// The entries of a folder that are numbers, in order.
fn numbers(folder: &str) -> Vec<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<u64> = names.collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hide_no_numbers() {
        let stat = "7 (a) 9 (b) S 3 7 7 0 -1 64 1 2 3 4 55 66 0 0";
        assert_eq!(field(stat, 1), Some(3));
        assert_eq!(field(stat, 11), Some(55));
        assert_eq!(field(stat, 12), Some(66));
    }

    #[test]
    fn this_process_and_its_child() {
        let own = u64::from(std::process::id());
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let family = family(own);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(family.starts_with(&[own]) && family.contains(&u64::from(child.id())));
        let threads = threads(own, tick_ns().unwrap());
        assert!(threads.iter().any(|thread| thread.number == own));
        assert!(resident_bytes(own).unwrap() > 0);
        assert_eq!(super::threads(u64::MAX, 1).len(), 0);
    }
}
