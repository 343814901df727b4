//! Options of lists (agent-cli §8.1): each one changes the requests to the upstream, or the response.

use serde_json::Value;

use super::fixture::Sample;
use super::lab::ProbeCaller;
use super::listing::name;
use super::shot::Answered;
use super::stop::ProbeStep;

/// Options that choose a page or the form of the response.
const NO_FILTERS: &[&str] =
    &["cursor", "offset", "limit", "page", "page-size", "page-token", "fields", "format"];
/// A value that no upstream knows.
const UNKNOWN: &str = "aos-no-such-value";
/// Most values of one option that are tried.
const MAX_VALUES: usize = 6;

/// The effects of one call.
#[derive(PartialEq)]
struct CallEffect {
    /// Method, target and body of each request.
    requests: Vec<String>,
    headers: Vec<String>,
    exit: Option<i32>,
    data: Value,
}

impl CallEffect {
    /// True if the calls differ in more than headers.
    fn differs(&self, other: &Self) -> bool {
        (&self.requests, &self.exit, &self.data) != (&other.requests, &other.exit, &other.data)
    }
}

/// Fails if an option of this list has no effect.
///
/// # Errors
/// Returns an error if it has none, or if there is nothing to compare.
pub fn examine(lab: &ProbeCaller<'_>, sample: &Sample) -> ProbeStep {
    let command = lab.declared(&sample.path)?;
    let params = command["params"].as_array().into_iter().flatten();
    for param in params.filter(|param| param["required"] != true) {
        let option = name(param);
        let values = values(param);
        if values.is_empty() || NO_FILTERS.contains(&option.as_str()) {
            continue;
        }
        let flag = format!("--{option}");
        let plain = sample.with(&without(&sample.args, &flag));
        let (base, shot) = effect(lab, &plain)?;
        if !shot.is_ok() {
            continue;
        }
        let given = given(&sample.args, &flag);
        let mut last = shot;
        let mut has_effect = false;
        for value in given.into_iter().chain(values).take(MAX_VALUES) {
            let call = plain.iter().cloned().chain([flag.clone(), value]).collect::<Vec<_>>();
            let (found, shot) = effect(lab, &call)?;
            last = shot;
            // A tool may send headers that differ in each call, such as the id of a request.
            has_effect = found.differs(&base)
                || found.headers != base.headers && effect(lab, &plain)?.0.headers == base.headers;
            if has_effect {
                break;
            }
        }
        let message = format!(
            "`{flag}` of `{}` changes neither a request to the upstream nor the response",
            sample.path
        );
        last.expect(has_effect, message)?;
    }
    Ok(())
}

/// Values for an option that filters: those of a closed set, or one that nothing has.
fn values(param: &Value) -> Vec<String> {
    let closed = param["values"].as_array().into_iter().flatten();
    let closed: Vec<String> = closed.filter_map(Value::as_str).map(str::to_owned).collect();
    match (closed.len(), param["type"].as_str()) {
        (0, Some("string" | "list")) => vec![UNKNOWN.to_owned()],
        (0 | 1, _) => Vec::new(),
        _ => closed,
    }
}

/// Arguments without an option and its value.
fn without(arguments: &[String], flag: &str) -> Vec<String> {
    let joined = format!("{flag}=");
    let mut kept = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == flag {
            words.next();
        } else if !word.starts_with(&joined) {
            kept.push(word.clone());
        }
    }
    kept
}

/// The value that the arguments give an option.
fn given(arguments: &[String], flag: &str) -> Option<String> {
    let joined = format!("{flag}=");
    let separate = arguments.windows(2).find(|pair| pair[0] == flag).map(|pair| pair[1].clone());
    separate
        .or_else(|| arguments.iter().find_map(|word| word.strip_prefix(&joined)).map(str::to_owned))
}

fn effect(lab: &ProbeCaller<'_>, call: &[String]) -> ProbeStep<(CallEffect, Answered)> {
    let requests = |lab: &ProbeCaller<'_>| {
        if lab.fixture.local {
            return Ok(Vec::new());
        }
        lab.with_upstream(|upstream| upstream.mock.requests())
    };
    let before = requests(lab)?.len();
    let shot = lab.call(call);
    let sent: Vec<_> = requests(lab)?.into_iter().skip(before).collect();
    let text = sent.iter().map(|request| {
        let body = String::from_utf8_lossy(&request.body);
        format!("{} {}\n{body}", request.method, request.target)
    });
    let headers = sent.iter().flat_map(|request| &request.headers);
    let effect = CallEffect {
        requests: text.collect(),
        headers: headers.map(|(name, value)| format!("{name}: {value}")).collect(),
        exit: shot.exit(),
        data: shot.data().clone(),
    };
    Ok((effect, shot))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_option_is_taken_out_of_the_arguments_of_a_sample() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let arguments = words("--project atlas --state=open --all");
        assert_eq!(without(&arguments, "--project"), words("--state=open --all"));
        assert_eq!(without(&arguments, "--state"), words("--project atlas --all"));
        assert_eq!(given(&arguments, "--project").as_deref(), Some("atlas"));
        assert_eq!(given(&arguments, "--state").as_deref(), Some("open"));
        assert_eq!(given(&arguments, "--query"), None);
    }

    #[test]
    fn numbers_flags_and_options_with_one_value_are_no_filters() {
        let closed = json!({"type": "string", "values": ["open", "closed"]});
        assert_eq!(values(&closed), ["open", "closed"]);
        assert_eq!(values(&json!({"type": "string"})), [UNKNOWN]);
        for param in [
            json!({"type": "integer"}),
            json!({"type": "boolean"}),
            json!({"type": "string", "values": ["json"]}),
        ] {
            assert_eq!(values(&param), Vec::<String>::new(), "{param}");
        }
    }
}
