//! Colour and layout of text for people.

use anstyle::{AnsiColor, Color, Style as Ansi};

use crate::visible::{Shown, Visible};

/// The style of text; plain if colour is off.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
}

impl Style {
    #[must_use]
    pub fn good(self, text: impl Shown) -> Visible {
        self.paint(text.shown(), Some(AnsiColor::Green), true)
    }

    #[must_use]
    pub fn bad(self, text: impl Shown) -> Visible {
        self.paint(text.shown(), Some(AnsiColor::Red), true)
    }

    #[must_use]
    pub fn warning(self, text: impl Shown) -> Visible {
        self.paint(text.shown(), Some(AnsiColor::Yellow), true)
    }

    #[must_use]
    pub fn accent(self, text: impl Shown) -> Visible {
        self.paint(text.shown(), Some(AnsiColor::Cyan), false)
    }

    #[must_use]
    pub fn strong(self, text: impl Shown) -> Visible {
        self.paint(text.shown(), None, true)
    }

    #[must_use]
    pub fn faint(self, text: impl Shown) -> Visible {
        let text = text.shown();
        if self.color { text.painted(Ansi::new().dimmed()) } else { text }
    }

    fn paint(self, text: Visible, color: Option<AnsiColor>, bold: bool) -> Visible {
        if !self.color {
            return text;
        }
        let style = Ansi::new().fg_color(color.map(Color::Ansi));
        text.painted(if bold { style.bold() } else { style })
    }

    /// The lines of a unified diff, its added and removed lines coloured.
    pub fn diff(self, text: &str) -> impl Iterator<Item = Visible> {
        text.lines().map(move |line| {
            let shown = Visible::content(line);
            match line.as_bytes().first() {
                _ if line.starts_with("---") || line.starts_with("+++") => self.strong(shown),
                Some(b'+') => self.paint(shown, Some(AnsiColor::Green), false),
                Some(b'-') => self.paint(shown, Some(AnsiColor::Red), false),
                Some(b'@') => self.paint(shown, Some(AnsiColor::Cyan), false),
                _ => shown,
            }
        })
    }
}
