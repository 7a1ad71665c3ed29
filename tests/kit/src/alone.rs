//! A test that runs itself again in a process of its own, where it is alone with what belongs to a whole
//! process: its memory, bounds that the system sets, variables that are read once.

use std::process::Command;

/// Set in the process that a test has started, to the test's name.
const MARK: &str = "NUPP_TEST_ALONE";

/// Whether this is the process that the test of this name has started.
pub fn is(test: &str) -> bool {
    std::env::var(MARK).is_ok_and(|name| name == test)
}

/// Runs the test of this name, its modules included, in a process of its own with these variables, and
/// stops the caller with what it said if it did not pass. Where `first` is not empty, it is a command of
/// `sh` that prepares the process.
pub fn run(test: &str, first: &str, variables: &[(&str, &str)]) {
    let this = std::env::current_exe().expect("this program has a path");
    let mut command = if first.is_empty() {
        Command::new(this)
    } else {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{first} && exec \"$0\" \"$@\"")]);
        shell.arg(this);
        shell
    };
    command.args(["--exact", test, "--nocapture"]);
    command.env(MARK, test).envs(variables.iter().copied());
    let output = command.output().expect("it starts");
    let [said, complained] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{}\n{said}\n{complained}",
        output.status
    );
}
