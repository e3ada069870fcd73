/// What became of an unfinished command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    /// The line, completed as far as that is clear.
    pub line: String,
    /// What may follow, when there is a choice.
    pub choices: Vec<String>,
    /// Makes each completion another, even of the same line.
    pub number: usize,
}

/// A command and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TerminalEntry {
    /// Counted up.
    pub number: usize,
    /// The line.
    pub line: String,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// It ended with an error.
    pub failed: bool,
    /// It still waits.
    pub waiting: bool,
}

impl TerminalEntry {
    /// The first line that it printed.
    pub fn first_line(&self) -> &str {
        let printed = |text: &'_ str| text.lines().find(|line| !line.trim().is_empty()).is_some();
        let text =
            if printed(&self.stderr) && (self.failed || !printed(&self.stdout)) { &self.stderr } else { &self.stdout };
        text.lines().find(|line| !line.trim().is_empty()).unwrap_or("")
    }
}
