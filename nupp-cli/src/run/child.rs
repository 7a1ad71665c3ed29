//! A command that this program runs and whose end it passes on.
//!
//! A terminal sends its interrupt to both. This program then waits for the command to end in its own way,
//! so that the log is read after the last line; a request to terminate that reaches this program alone is
//! handed on.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use crate::Failure;

/// The variable that a context takes the name of its log from.
const COSTS_VARIABLE: &str = "NUPP_GPU_COSTS";

/// A command that runs.
pub struct Running {
    child: Child,
}

/// How a command ended.
pub struct Ended {
    /// Its exit status; 128 and the signal, as shells have it, where one ended it.
    pub status: u8,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// Starts a command whose contexts write to this log.
pub fn start(command: &[OsString], log: &Path) -> Result<Running, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::Usage("there is no command to run".to_owned()));
    };
    signals::hold();
    let started = Command::new(program)
        .args(arguments)
        .env(COSTS_VARIABLE, log)
        .spawn();
    let child = started.map_err(|fault| {
        let program = program.to_string_lossy();
        Failure::Usage(format!("`{program}` could not be started: {fault}"))
    })?;
    signals::pass_to(Some(child.id()));
    Ok(Running { child })
}

impl Running {
    /// The system's number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Result<Ended, Failure> {
        let status = self.child.wait().map_err(lost)?;
        Ok(ended(status))
    }

    /// Whether it has ended, and how.
    pub fn ended(&mut self) -> Result<Option<Ended>, Failure> {
        let status = self.child.try_wait().map_err(lost)?;
        Ok(status.map(ended))
    }
}

fn lost(fault: std::io::Error) -> Failure {
    Failure::Usage(format!("the command cannot be waited for: {fault}"))
}

fn ended(status: ExitStatus) -> Ended {
    signals::pass_to(None);
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None;
    let status = match (status.code(), signal) {
        (Some(code), _) => u8::try_from(code).unwrap_or(1),
        (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(1),
        (None, None) => 1,
    };
    Ended { status, signal }
}

#[cfg(unix)]
mod signals {
    use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

    /// The process that a request to terminate is handed on to; 0 where there is none.
    static CHILD: AtomicI32 = AtomicI32::new(0);

    /// Whether a request to terminate came, which may be before the process is known.
    static ASKED: AtomicBool = AtomicBool::new(false);

    extern "C" fn answer(signal: libc::c_int) {
        if signal == libc::SIGTERM {
            ASKED.store(true, Ordering::SeqCst);
            hand_on();
        }
    }

    /// Hands a request on if there is one and a process to have it.
    fn hand_on() {
        let child = CHILD.load(Ordering::SeqCst);
        if child > 0 && ASKED.swap(false, Ordering::SeqCst) {
            // SAFETY: `kill` may be called in a handler, and takes two numbers.
            unsafe { libc::kill(child, libc::SIGTERM) };
        }
    }

    /// Goes on when a signal comes that is for the command. A handler, unlike a signal that is ignored, is not
    /// handed down to it.
    pub fn hold() {
        let handler = answer as extern "C" fn(libc::c_int);
        for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
            // SAFETY: the handler is a function of the right type that reads an atomic and calls `kill`,
            // both of which a handler may do.
            let before = unsafe { libc::signal(signal, handler as libc::sighandler_t) };
            if before == libc::SIG_IGN {
                // SAFETY: what stood there before is put back: who started this program wants it ignored.
                unsafe { libc::signal(signal, before) };
            }
        }
    }

    pub fn pass_to(process: Option<u32>) {
        let process = process.and_then(|process| i32::try_from(process).ok());
        CHILD.store(process.unwrap_or_default(), Ordering::SeqCst);
        hand_on();
    }
}

#[cfg(not(unix))]
mod signals {
    pub fn hold() {}

    pub fn pass_to(_: Option<u32>) {}
}
