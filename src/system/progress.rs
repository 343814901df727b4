//! Progress of a download, on stderr, and only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::visible::Visible;

/// A line on the terminal that is updated in place; invisible elsewhere.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts a line with the text `what`. Hidden with `--quiet`, and if stderr is not a terminal.
    #[must_use]
    pub fn start(what: &'static str, is_quiet: bool) -> Self {
        let target =
            if is_quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_message(what);
        Self { bar }
    }

    /// `done` of `total` bytes have arrived.
    pub fn advance(&self, done: u64, total: Option<u64>) {
        if let Some(total) = total.filter(|total| self.bar.length() != Some(*total)) {
            self.bar.set_length(total);
            // If the style is invalid, the default style is used.
            if let Ok(style) =
                ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec}")
            {
                self.bar.set_style(style);
            }
        }
        self.bar.set_position(done);
    }

    /// Changes the text of the line.
    pub fn say(&self, what: Visible) {
        self.bar.set_message(what.into_string());
        self.bar.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
