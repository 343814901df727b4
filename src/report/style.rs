//! Colour and layout of text for people.

use anstyle::{AnsiColor, Color, Style as Ansi};

/// How text is dressed; plain when colour is off.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
}

impl Style {
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.paint(text, Some(AnsiColor::Green), true)
    }

    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.paint(text, Some(AnsiColor::Red), true)
    }

    #[must_use]
    pub fn warning(self, text: &str) -> String {
        self.paint(text, Some(AnsiColor::Yellow), true)
    }

    #[must_use]
    pub fn accent(self, text: &str) -> String {
        self.paint(text, Some(AnsiColor::Cyan), false)
    }

    #[must_use]
    pub fn strong(self, text: &str) -> String {
        self.paint(text, None, true)
    }

    #[must_use]
    pub fn faint(self, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let style = Ansi::new().dimmed();
        format!("{}{text}{}", style.render(), style.render_reset())
    }

    fn paint(self, text: &str, color: Option<AnsiColor>, bold: bool) -> String {
        if !self.color {
            return text.to_owned();
        }
        let mut style = Ansi::new().fg_color(color.map(Color::Ansi));
        if bold {
            style = style.bold();
        }
        format!("{}{text}{}", style.render(), style.render_reset())
    }

    /// A unified diff with its added and removed lines coloured.
    #[must_use]
    pub fn diff(self, text: &str) -> String {
        let line = |line: &str| match line.as_bytes().first() {
            _ if line.starts_with("---") || line.starts_with("+++") => self.strong(line),
            Some(b'+') => self.paint(line, Some(AnsiColor::Green), false),
            Some(b'-') => self.paint(line, Some(AnsiColor::Red), false),
            Some(b'@') => self.paint(line, Some(AnsiColor::Cyan), false),
            _ => line.to_owned(),
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }
}
