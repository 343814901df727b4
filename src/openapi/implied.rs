//! Credentials that an API needs although `security` does not say so, and requirements that mean one credential.
//!
//! A parameter for a key is the way to send it if the description has no schemes. Nothing else is assumed.

use super::model::{ApiDescription, InputPlace, Requirements, SecurityScheme};

/// The name of the scheme that a parameter describes.
const SCHEME: &str = "parameter";

/// Adds the credential that parameters ask for, and merges schemes that are sent in the same header.
pub(super) fn add(api: &mut ApiDescription) {
    let schemes = &api.schemes;
    for requirements in api.endpoints.iter_mut().filter_map(|one| one.security.as_mut()) {
        for names in requirements {
            merge(names, |name| schemes.get(name));
        }
    }
    if api.schemes.is_empty() {
        of_parameters(api);
    }
}

/// Keeps one of the schemes that `Authorization` can have only once: a token before a key of any form.
fn merge<'a>(names: &mut Vec<String>, scheme: impl Fn(&str) -> Option<&'a SecurityScheme>) {
    let is_token = |name: &String| {
        matches!(scheme(name), Some(SecurityScheme::Bearer | SecurityScheme::ReadyToken))
    };
    let Some(first) = names.iter().find(|name| is_token(name)).cloned() else { return };
    let is_key = |name: &String| matches!(scheme(name), Some(SecurityScheme::Header(header)) if header == "Authorization");
    names.retain(|name| *name == first || !is_token(name) && !is_key(name));
}

/// Makes a scheme of the parameter by which most operations take a key.
fn of_parameters(api: &mut ApiDescription) {
    let mut found: Vec<(SecurityScheme, usize)> = Vec::new();
    for credential in api.endpoints.iter().filter_map(|endpoint| endpoint.credential.as_ref()) {
        match found.iter_mut().find(|(known, _)| known == credential) {
            Some((_, count)) => *count += 1,
            None => found.push((credential.clone(), 1)),
        }
    }
    // A parameter of few operations is about a token, and not a way to send one.
    let few = api.endpoints.len().div_ceil(3);
    let most = found.iter().map(|(_, count)| *count).max();
    let Some(most) = most.filter(|most| *most >= few) else { return };
    let Some((scheme, _)) = found.into_iter().find(|(_, count)| *count == most) else { return };
    let name = match &scheme {
        SecurityScheme::Header(name) | SecurityScheme::Query(name) => name.clone(),
        _ => return,
    };
    let shown = crate::visible::excerpt(&name, 60);
    api.notes.push(format!(
        "the description has no security schemes; the parameter `{shown}` is sent as the credential"
    ));
    for endpoint in &mut api.endpoints {
        let asks = endpoint.credential.as_ref() == Some(&scheme);
        if asks {
            endpoint.inputs.retain(|input| {
                input.name != name || !matches!(input.place, InputPlace::Header | InputPlace::Query)
            });
        }
        let needed: Requirements = if asks { vec![vec![SCHEME.to_owned()]] } else { Vec::new() };
        endpoint.security = Some(needed);
    }
    api.schemes.insert(SCHEME.to_owned(), scheme);
}

#[cfg(test)]
mod tests {
    use crate::openapi::{ApiPlan, ApiWishes, CredentialForm, plan, read};

    fn planned(rest: &str) -> ApiPlan {
        let text = format!(
            "openapi: 3.1.0\ninfo: {{title: A, version: '1'}}\nservers: [{{url: 'https://a.example'}}]\n{rest}"
        );
        let nothing = |_: &str| Err("no files".into());
        let api = read("api.yaml", text.into_bytes(), &nothing).unwrap();
        plan(&api, &ApiWishes::default(), ("ACME", 54)).unwrap()
    }

    #[test]
    fn a_parameter_for_a_key_is_the_way_to_send_it_where_no_scheme_is_described() {
        for (place, name, form) in [
            ("query", "api_key", CredentialForm::Query("api_key".to_owned())),
            ("header", "X-Api-Key", CredentialForm::Header("X-Api-Key".to_owned())),
            ("header", "authorization", CredentialForm::Header("Authorization".to_owned())),
        ] {
            let found = planned(&format!(
                "paths:\n  /a: {{get: {{parameters: [{{name: {name}, in: {place}, required: true, schema: {{type: string}}}}], responses: {{}}}}}}\n  /b: {{get: {{responses: {{}}}}}}"
            ));
            assert_eq!(found.credentials.form, form);
            let public: Vec<_> =
                found.commands.iter().map(|one| (one.is_public, one.options.len())).collect();
            assert_eq!(public, [(false, 0), (true, 0)], "{name}");
            assert!(found.notes[0].contains(name) || name == "authorization", "{:?}", found.notes);
        }
        // One operation of many that takes a token is about that token.
        let paths: Vec<_> =
            (0..8).map(|at| format!("  /p{at}: {{get: {{responses: {{}}}}}}")).collect();
        let few = planned(&format!(
            "paths:\n  /t: {{get: {{parameters: [{{name: token, in: query, schema: {{type: string}}}}], responses: {{}}}}}}\n{}",
            paths.join("\n")
        ));
        assert_eq!(few.credentials.form, CredentialForm::None);
    }

    #[test]
    fn two_schemes_of_one_header_are_one_credential() {
        let schemes = "components: {securitySchemes: {key: {type: apiKey, in: header, name: authorization}, token: {type: http, scheme: bearer}, oauth: {type: oauth2, flows: {}}, other: {type: apiKey, in: header, name: X-App}}}";
        let all = |security: &str| {
            let found = planned(&format!(
                "security: {security}\npaths:\n  /a: {{get: {{responses: {{}}}}}}\n{schemes}"
            ));
            (found.credentials.form, found.credentials.more.len())
        };
        assert_eq!(all("[{key: [], token: []}]"), (CredentialForm::Bearer, 0));
        assert_eq!(all("[{oauth: [], token: []}]"), (CredentialForm::Bearer, 0));
        assert_eq!(all("[{other: [], key: [], token: []}]"), (CredentialForm::Bearer, 1));
    }

    #[test]
    fn two_keys_of_one_name_have_two_variables() {
        let found = planned(
            "security: [{a: [], b: [], c: []}]\npaths:\n  /a: {get: {responses: {}}}\ncomponents: {securitySchemes: {a: {type: apiKey, in: header, name: X-Key}, b: {type: apiKey, in: header, name: key}, c: {type: apiKey, in: query, name: key}}}",
        );
        let more: Vec<_> = found.credentials.more.iter().map(|key| key.variable.as_str()).collect();
        assert_eq!(found.credentials.secret, "ACME_KEY");
        assert_eq!(more, ["ACME_KEY_HEADER", "ACME_KEY_QUERY"]);
    }

    #[test]
    fn a_scheme_that_no_operation_asks_for_is_named_with_the_answer_that_sends_it() {
        for (scheme, answer) in [
            ("{type: http, scheme: bearer}", "`--set auth=bearer`"),
            ("{type: apiKey, in: header, name: X-K}", "`--set auth=header --set auth_header=X-K`"),
            ("{type: http, scheme: basic}", "`--set auth=basic`"),
        ] {
            let found = planned(&format!(
                "paths:\n  /a: {{get: {{responses: {{}}}}}}\ncomponents: {{securitySchemes: {{it: {scheme}}}}}"
            ));
            assert_eq!(found.credentials.form, CredentialForm::None);
            assert!(found.notes[0].contains(answer), "{:?}", found.notes);
        }
    }
}
