//! Runs Device IR under adversarial schedules and watches for races.
