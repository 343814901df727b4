//! The variables of one call: those of its sandbox, of the mock it is led to, of the fixture, and its secrets.

use std::path::Path;

use super::call::ToolCall;
use super::fixture::Fixture;
use super::sandbox::Sandbox;
use super::secrets::Sentinel;

/// Whatever goes elsewhere is led to the mock by these, where it is counted and answered.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

/// The context of a call besides its sandbox.
pub struct Surroundings<'a> {
    /// Address of the mock, or one at which nothing listens.
    pub url: &'a str,
    pub fixture: Option<&'a Fixture>,
    /// Where Python keeps bytecode.
    pub bytecode: Option<&'a Path>,
    pub secrets: &'a [Sentinel],
}

impl Surroundings<'_> {
    /// All variables of the call; later ones count.
    #[must_use]
    pub fn variables(&self, call: &ToolCall, sandbox: &Sandbox) -> Vec<(String, String)> {
        let mut variables = sandbox.environment();
        let mut set = |name: &str, value: String| variables.push((name.to_owned(), value));
        for name in PROXIES {
            set(name, self.url.to_owned());
        }
        for name in ["NO_PROXY", "no_proxy"] {
            set(name, "127.0.0.1,localhost,::1".to_owned());
        }
        match self.bytecode {
            Some(place) => set("PYTHONPYCACHEPREFIX", place.display().to_string()),
            None => set("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
        }
        if let Some(fixture) = self.fixture {
            let base = format!("{}{}", self.url, fixture.base_path);
            if let Some(name) = &fixture.base_url_env {
                set(name, base.clone());
            }
            for (name, value) in &fixture.environment {
                if call.secrets.is_some() || !fixture.public.contains(name) {
                    set(name, value.replace("{base_url}", &base));
                }
            }
        }
        for secret in self.secrets {
            set(&secret.name, secret.value.clone());
        }
        for (name, value) in &call.environment {
            set(name, value.clone());
        }
        variables
    }
}
