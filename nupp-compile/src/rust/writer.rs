//! Indented text, line by line.

/// Text under construction.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// One line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// A line that opens a bracket.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// A line between two bracketed parts, such as `} else {`.
    pub fn turn(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
        self.depth += 1;
    }

    /// A line that closes a bracket.
    pub fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}
