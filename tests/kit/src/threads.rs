//! The threads of this process, for tests that count those of one name.

/// How many threads have this name, of at most 15 bytes; none where the system does not tell.
pub fn named(name: &str) -> Option<usize> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let names = tasks.flatten().map(|task| {
        // One that ends meanwhile has no name any more.
        std::fs::read_to_string(task.path().join("comm")).unwrap_or_default()
    });
    Some(names.filter(|there| there.trim_end() == name).count())
}

#[test]
fn a_thread_is_counted_by_its_name() {
    let (begin, end) = (std::sync::Barrier::new(3), std::sync::Barrier::new(3));
    let named = std::thread::scope(|scope| {
        for _ in 0..2 {
            let thread = std::thread::Builder::new().name("counted".to_owned());
            let body = || {
                begin.wait();
                end.wait();
            };
            thread.spawn_scoped(scope, body).expect("a thread");
        }
        begin.wait();
        let there = [named("counted"), named("count")];
        end.wait();
        there
    });
    assert!(
        named == [Some(2), Some(0)] || named == [None; 2],
        "{named:?}"
    );
}
