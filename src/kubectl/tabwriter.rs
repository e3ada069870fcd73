//! Elastic tab stops: cells end at tabs, and neighbouring lines with a cell in the same place share its width.
//!
//! Follows Go's text/tabwriter, which kubectl uses for tables (get) and descriptions.

/// How cells are widened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Least width of a column, padding included.
    pub min_width: usize,
    /// Spaces behind the longest cell.
    pub padding: usize,
}

/// The layout of `kubectl get`.
pub(crate) const GET: Layout = Layout { min_width: 6, padding: 3 };
/// The layout of `kubectl describe`.
pub(crate) const DESCRIBE: Layout = Layout { min_width: 0, padding: 2 };

/// Replaces the tabs of a text by as many spaces as its columns need. The last cell of a line is not padded.
pub(crate) fn align(text: &str, layout: Layout) -> String {
    write(text, layout, None)
}

/// Like [`align`], but columns are never narrower than `remembered`, which is updated: for tables that grow while they
/// are watched.
pub(crate) fn align_from(text: &str, layout: Layout, remembered: &mut Vec<usize>) -> String {
    write(text, layout, Some(remembered))
}

fn write(text: &str, layout: Layout, remembered: Option<&mut Vec<usize>>) -> String {
    let lines: Vec<Vec<&str>> = text.split('\n').map(|line| line.split('\t').collect()).collect();
    let mut out = String::with_capacity(text.len().saturating_mul(2));
    let mut writer = Writer { lines: &lines, layout, widths: Vec::new(), out: &mut out, remembered };
    writer.format(0, lines.len());
    // Splitting at line ends yields one line too many.
    out.pop();
    out
}

struct Writer<'a> {
    lines: &'a [Vec<&'a str>],
    layout: Layout,
    widths: Vec<usize>,
    out: &'a mut String,
    remembered: Option<&'a mut Vec<usize>>,
}

impl Writer<'_> {
    /// Whether the line has a cell in this column that ends at a tab.
    fn has(&self, line: usize, column: usize) -> bool {
        self.lines.get(line).is_some_and(|cells| column + 1 < cells.len())
    }

    /// Writes the lines of a range whose columns to the left are known.
    fn format(&mut self, from: usize, to: usize) {
        let column = self.widths.len();
        let mut written = from;
        let mut line = from;
        while line < to {
            if !self.has(line, column) {
                line += 1;
                continue;
            }
            self.write_lines(written, line);
            written = line;
            let mut width = self.layout.min_width;
            while line < to && self.has(line, column) {
                let cell = self.lines.get(line).and_then(|cells| cells.get(column)).copied().unwrap_or("");
                width = width.max(cell.chars().count().saturating_add(self.layout.padding));
                line += 1;
            }
            if let Some(remembered) = &mut self.remembered {
                width = width.max(remembered.get(column).copied().unwrap_or(0));
                match remembered.get_mut(column) {
                    Some(known) => *known = width,
                    None => remembered.push(width),
                }
            }
            self.widths.push(width);
            self.format(written, line);
            self.widths.pop();
            written = line;
        }
        self.write_lines(written, to);
    }

    fn write_lines(&mut self, from: usize, to: usize) {
        for cells in self.lines.get(from..to).unwrap_or_default() {
            for (column, cell) in cells.iter().enumerate() {
                self.out.push_str(cell);
                if let Some(width) = self.widths.get(column) {
                    let spaces = width.saturating_sub(cell.chars().count());
                    self.out.extend(std::iter::repeat_n(' ', spaces));
                }
            }
            self.out.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_columns_are_at_least_six_wide_and_the_last_is_not_padded() {
        let table = "NAME\tDESIRED\tAGE\nnode-exporter\t3\t8s\n";
        assert_eq!(align(table, GET), "NAME            DESIRED   AGE\nnode-exporter   3         8s\n");
        assert_eq!(align("a\t3\t<none>\t8s\n", GET), "a     3     <none>   8s\n");
    }

    #[test]
    fn only_neighbouring_lines_share_a_column() {
        let text = "Name:\tx\nNode-Selector:\t<none>\nDesired: 3\nPods:\t1\n";
        assert_eq!(align(text, DESCRIBE), "Name:           x\nNode-Selector:  <none>\nDesired: 3\nPods:  1\n");
    }

    #[test]
    fn a_watched_table_keeps_its_widths() {
        let mut widths = Vec::new();
        assert_eq!(align_from("NAME\tAGE\nlong-name\t1s\n", GET, &mut widths), "NAME        AGE\nlong-name   1s\n");
        assert_eq!(align_from("a\t2s\n", GET, &mut widths), "a           2s\n");
    }
}
