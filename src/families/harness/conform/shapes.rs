//! Faults in the shape of an answer (connector §4), as pure functions of the contract and the answer.

use serde_json::Value;

use crate::contract::name::Key;
use crate::families::harness::contract::HarnessContract;

/// Returns the members that are missing or unknown.
fn wrong_keys(value: &Value, wanted: &[Key], optional: &[&[Key]]) -> Option<String> {
    let Some(object) = value.as_object() else { return Some("it is not an object".to_owned()) };
    if let Some(missing) = wanted.iter().find(|key| !object.contains_key(key.as_str())) {
        return Some(format!("`{missing}` is missing"));
    }
    let is_known = |name: &String| {
        wanted.iter().chain(optional.iter().copied().flatten()).any(|key| key.as_str() == name)
    };
    let surplus = object.keys().find(|name| !is_known(name))?;
    Some(format!("`{surplus}` is not a key of it"))
}

/// Returns the fault of the members of a success of the command `id`.
pub(super) fn success(contract: &HarnessContract, id: &str, value: &Value) -> Option<String> {
    let envelope = &contract.envelope;
    // Only health carries the readiness keys; whether it does is another probe.
    let readiness = match id {
        "health" => contract.readiness_keys(),
        // The host reads `runtime.command_readiness` beside `data`.
        "doctor" if !contract.readiness_keys().is_empty() => {
            Key::parse("runtime").into_iter().collect()
        }
        _ => Vec::new(),
    };
    let fault = wrong_keys(value, &envelope.success_keys, &[&envelope.optional_keys, &readiness]);
    let data = || value.get("data").is_none_or(|data| !data.is_object());
    fault.or_else(|| data().then(|| "`data` is not an object".to_owned()))
}

/// Returns the fault of the members of a failure, and of its `error`.
pub(super) fn failure(contract: &HarnessContract, value: &Value) -> Option<String> {
    let envelope = &contract.envelope;
    wrong_keys(value, &envelope.error_keys, &[&envelope.optional_keys]).or_else(|| {
        let error = value.get("error").unwrap_or(&Value::Null);
        let optional = &envelope.optional_error_object_keys;
        let fault = wrong_keys(error, &envelope.error_object_keys, &[optional]);
        fault.map(|fault| format!("in `error`: {fault}")).or_else(|| {
            let text = |name| error.get(name).is_some_and(Value::is_string);
            let typed = text("code")
                && text("message")
                && error.get("details").is_some_and(Value::is_object);
            (!typed).then(|| "a member of `error` has another type".to_owned())
        })
    })
}

/// Returns the fault of the member `meta`.
pub(super) fn meta(contract: &HarnessContract, value: &Value) -> Option<String> {
    let meta = value.get("meta").unwrap_or(&Value::Null);
    let text = |name: &str| meta.get(name).and_then(Value::as_str).unwrap_or_default();
    let fault = wrong_keys(meta, &contract.envelope.meta_keys, &[]).or_else(|| {
        if !contract.modes.iter().any(|known| known.as_str() == text("mode")) {
            Some("`mode` is not one of the modes".to_owned())
        } else if !meta.get("duration_ms").is_some_and(Value::is_number) {
            Some("`duration_ms` is not a number".to_owned())
        } else if !is_utc(text("timestamp")) {
            Some("`timestamp` is not an ISO 8601 time in UTC".to_owned())
        } else if text("version").is_empty() {
            Some("`version` is not a string".to_owned())
        } else {
            None
        }
    });
    fault.map(|fault| format!("in `meta`: {fault}"))
}

/// `2026-03-31T12:00:00Z`, with or without a fraction, or with the offset 0.
fn is_utc(text: &str) -> bool {
    let is_zero = text.ends_with('Z') || text.ends_with("+00:00");
    is_zero && text.parse::<jiff::Timestamp>().is_ok()
}

/// Returns the contradiction between exit code and error code of an answer, and the contract.
pub(super) fn exit(contract: &HarnessContract, code: &str, exit: i32) -> Option<String> {
    if !contract.exit_codes.iter().any(|known| i32::from(known.code) == exit) {
        return Some(format!("exit {exit} is not in the contract"));
    }
    let known = contract.error_codes.iter().find(|(name, _)| name.as_str() == code);
    let wanted = known.map(|(_, spec)| spec.exit)?;
    (i32::from(wanted) != exit && exit != 0)
        .then(|| format!("`{code}` has exit {wanted}, not {exit}"))
}
