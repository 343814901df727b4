//! The one Tera set-up: our delimiters, no escaping, undefined names are errors.
//!
//! Values reach source code only through the filters `py`, `go`, `toml` and `json`, which quote.

use std::error::Error as _;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tera::{Context, Delimiters, Kwargs, State, Tera};

use super::literal::{go, python};
use super::record_text;

/// Largest output of one template, in bytes.
const MAX_OUTPUT: usize = 8 * 1024 * 1024;

/// How often a render is looked at that has not ended.
const TICK: Duration = Duration::from_millis(20);
/// Looks that do not count: a busy machine may start a thread late.
const FREE_TICKS: u32 = 10;
/// Most looks that count in one process, which are ten seconds.
const MAX_TICKS: u32 = 500;
/// The ticks that are left: a template is rendered for many answers, and all of them share this time.
static TICKS: AtomicU32 = AtomicU32::new(MAX_TICKS);
/// Most memory that may come into use during a render, in bytes.
const MAX_MEMORY: u64 = 1024 * 1024 * 1024;

/// Most times that templates with faults are parsed again, because others were parsed that they include.
const MAX_PASSES: usize = 8;

/// True if a template has used up the resources of the process: no other one should be rendered.
#[must_use]
pub fn is_spent() -> bool {
    TICKS.load(Relaxed) == 0
}

/// How much memory this process uses, in bytes, if the system reports it.
pub type MemoryReader = fn() -> Option<u64>;

/// The function that reads the memory in use; without it, only time and output are bounded.
static MEMORY: OnceLock<MemoryReader> = OnceLock::new();

/// Lets every render end that uses too much memory.
pub fn watch_memory(reader: MemoryReader) {
    let _ = MEMORY.set(reader);
}

/// Start marks of the template language; no output may contain one.
pub const MARKS: [&str; 3] = ["{=", "{%", "{#"];

/// A template that does not give text.
#[derive(Debug, thiserror::Error)]
#[error("template `{template}`{}: {detail}", place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default())]
pub struct RenderError {
    pub template: String,
    pub detail: String,
    /// Line and column in the template, from 1.
    pub place: Option<(usize, usize)>,
}

/// Renders templates with one context.
pub struct Engine {
    tera: Arc<Tera>,
    context: Arc<Context>,
    /// Whether time and memory are bounded.
    is_watched: bool,
}

impl Engine {
    /// An engine whose variables are the members of `variables`, bounded in time and memory.
    ///
    /// # Errors
    /// Returns an error if the variables are not an object.
    pub fn new(variables: &Value) -> Result<Self, RenderError> {
        let mut tera = Tera::new();
        let delimiters = Delimiters {
            variable_start: "{=".into(),
            variable_end: "=}".into(),
            ..Delimiters::default()
        };
        tera.set_delimiters(delimiters).map_err(|error| fault("(set-up)", &error))?;
        tera.autoescape_on(Vec::<&str>::new());
        tera.register_filter("py", |value: &tera::Value, _: Kwargs, _: &State<'_>| {
            python::value(&plain(value))
        });
        tera.register_filter("go", |value: &tera::Value, _: Kwargs, _: &State<'_>| {
            go::string(plain(value).as_str().unwrap_or_default())
        });
        tera.register_filter("json", |value: &tera::Value, _: Kwargs, _: &State<'_>| {
            plain(value).to_string()
        });
        tera.register_filter("toml", |value: &tera::Value, _: Kwargs, _: &State<'_>| {
            let value = plain(value);
            value.as_str().map_or_else(|| value.to_string(), toml_text)
        });
        let context =
            Context::from_serialize(variables).map_err(|error| fault("(variables)", &error))?;
        Ok(Self { tera: Arc::new(tera), context: Arc::new(context), is_watched: true })
    }

    /// The same for templates of this program, whose work is known.
    #[must_use]
    pub fn trusted(self) -> Self {
        Self { is_watched: false, ..self }
    }

    /// Adds or replaces one variable.
    pub fn set(&mut self, name: &'static str, value: &Value) {
        Arc::make_mut(&mut self.context).insert(name, value);
    }

    /// Renders one template; each text is parsed once.
    ///
    /// # Errors
    /// On a syntax error or an undefined name, with its place in the template.
    pub fn render(&mut self, name: &str, text: &str) -> Result<String, RenderError> {
        self.parse(name, text)?;
        let output = match self.is_watched {
            true => self.watched(name)?,
            false => output(&self.tera, &self.context, name)?,
        };
        String::from_utf8(output).map_err(|error| whole(name, error.to_string()))
    }

    /// Renders in a separate thread, which is abandoned if it does not end: a template can count for years without
    /// writing a byte, and double a text until the memory is full.
    fn watched(&self, name: &str) -> Result<Vec<u8>, RenderError> {
        let in_use = || MEMORY.get().and_then(|read| read());
        let before = in_use();
        let (sender, receiver) = mpsc::channel();
        let (tera, context) = (Arc::clone(&self.tera), Arc::clone(&self.context));
        let work = name.to_owned();
        let started = std::thread::Builder::new().name("render".to_owned()).spawn(move || {
            let rendered = output(&tera, &context, &work);
            drop((tera, context));
            let _ = sender.send(rendered);
        });
        started.map_err(|error| whole(name, format!("it cannot be rendered: {error}")))?;
        let mut tick = 0_u32;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(rendered) => return rendered,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(whole(name, "the template engine failed on it".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            tick += 1;
            let spend = |left: u32| left.checked_sub(1);
            if tick > FREE_TICKS && TICKS.fetch_update(Relaxed, Relaxed, spend).is_err() {
                let seconds = TICK.saturating_mul(MAX_TICKS).as_secs();
                return Err(whole(name, format!("rendering takes longer than {seconds} seconds")));
            }
            if let (Some(before), Some(now)) = (before, in_use())
                && now.saturating_sub(before) > MAX_MEMORY
            {
                // The abandoned rendering still runs, so no other one is started.
                TICKS.store(0, Relaxed);
                let reason = format!("rendering uses more than {MAX_MEMORY} bytes of memory");
                return Err(whole(name, reason));
            }
        }
    }

    /// Parses templates that may include each other, in any order.
    ///
    /// # Errors
    /// On the first fault.
    pub fn parse_all(&mut self, texts: &[(&str, &str)]) -> Result<(), RenderError> {
        let tera = Arc::make_mut(&mut self.tera);
        tera.add_raw_templates(texts.iter().copied()).map_err(|error| fault("", &error))
    }

    /// The faults of templates that may include each other.
    pub fn faults(&mut self, texts: &[(&str, &str)]) -> Vec<RenderError> {
        if self.parse_all(texts).is_ok() {
            return Vec::new();
        }
        let (mut left, mut faults) = (texts.to_vec(), Vec::new());
        for _ in 0..MAX_PASSES {
            faults.clear();
            let before = left.len();
            left.retain(|(name, text)| match self.parse(name, text) {
                Ok(()) => false,
                Err(error) => {
                    faults.push(error);
                    true
                }
            });
            if left.len() == before {
                break;
            }
        }
        faults
    }

    /// Parses one template.
    ///
    /// # Errors
    /// On a syntax error, with its place in the template.
    pub fn parse(&mut self, name: &str, text: &str) -> Result<(), RenderError> {
        if self.tera.contains_template(name) {
            return Ok(());
        }
        let tera = Arc::make_mut(&mut self.tera);
        tera.add_raw_template(name, text).map_err(|error| fault(name, &error))
    }
}

fn output(tera: &Tera, context: &Context, name: &str) -> Result<Vec<u8>, RenderError> {
    let mut output = BoundedText::default();
    let rendered = tera.render_to(name, context, &mut output);
    rendered.map_err(|error| fault(name, &error))?;
    Ok(output.0)
}

/// A fault that has no place in the template.
fn whole(template: &str, detail: String) -> RenderError {
    RenderError { template: template.to_owned(), detail, place: None }
}

/// The output of one template, up to a limit.
#[derive(Default)]
struct BoundedText(Vec<u8>);

impl std::io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            let reason = format!("it renders to more than {MAX_OUTPUT} bytes");
            return Err(std::io::Error::other(reason));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A TOML string; a text with quotes of its own stays readable as a literal one.
fn toml_text(text: &str) -> String {
    let is_literal = text.contains('"') && !text.contains('\'') && !text.contains(char::is_control);
    if is_literal { format!("'{text}'") } else { record_text::quote(text) }
}

/// A template value as JSON data.
fn plain(value: &tera::Value) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

fn fault(template: &str, error: &tera::Error) -> RenderError {
    if let tera::ErrorKind::SyntaxError(report) | tera::ErrorKind::RenderingError(report) =
        error.kind()
    {
        let span = report.span();
        return RenderError {
            template: template.to_owned(),
            detail: in_our_marks(report.message()),
            place: Some((span.start_line, span.start_col + 1)),
        };
    }
    if let tera::ErrorKind::Msg(text) = error.kind()
        && let Some(drawn) = drawn(template, text)
    {
        return drawn;
    }
    let mut detail = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        detail.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    RenderError { template: template.to_owned(), detail, place: None }
}

/// Reads `error: MESSAGE\n --> TEMPLATE:LINE:COLUMN\n` with a drawing below it, which is for terminals only.
fn drawn(template: &str, text: &str) -> Option<RenderError> {
    let (message, rest) = text.split_once("\n --> ")?;
    let place = rest.lines().next()?;
    let mut parts = place.rsplitn(3, ':');
    let (column, line, found) = (parts.next()?, parts.next()?, parts.next()?);
    Some(RenderError {
        template: if template.is_empty() { found } else { template }.to_owned(),
        detail: in_our_marks(message.strip_prefix("error: ").unwrap_or(message)),
        place: Some((line.parse().ok()?, column.parse().ok()?)),
    })
}

/// The parser names the marks of its own language.
fn in_our_marks(message: &str) -> String {
    message.trim_end_matches('.').replace("expected }}", "expected `=}`").replace('\n', ", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_quoted_by_the_filters_and_other_braces_stay() {
        let mut engine = Engine::new(&json!({"name": "a\"b", "list": ["x"]})).unwrap();
        let text = engine
            .render("t", "{= name | py =} {= list | py =} {= name | toml =} ${{ github.ref }}")
            .unwrap();
        assert_eq!(text, r#"'a"b' ["x"] 'a"b' ${{ github.ref }}"#);
    }

    #[test]
    fn an_undefined_name_is_an_error_that_names_the_template() {
        let mut engine = Engine::new(&json!({})).unwrap();
        let error = engine.render("dir/file.py", "x\n{= nope =}\n").unwrap_err();
        assert_eq!(error.template, "dir/file.py");
        assert!(error.detail.contains("nope"), "{error}");
    }
}
