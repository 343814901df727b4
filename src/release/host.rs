//! Releases on a GitHub-compatible host. Its responses are not trusted before a signature is verified.

use std::collections::BTreeMap;

use semver::Version;
use serde_json::Value;

use crate::strict_json;
use crate::system::environment;
use crate::system::http::{Address, Client, Head, HttpError, Request, Secret, Sink};

use super::answer;
use super::fault::{Fault, ReleaseError, Stage};
use super::repository::Repository;

/// The API of github.com.
const GITHUB_API: &str = "https://api.github.com";
/// Largest description of a release, in bytes.
const MAX_DESCRIPTION: u64 = 4 * 1024 * 1024;
/// Largest number of assets of a release.
const MAX_ASSETS: usize = 1000;
/// Longest tag, in bytes.
const MAX_TAG: usize = 64;
/// Longest name, in bytes.
const MAX_NAME: usize = 255;

/// Parses a tag of a repository as a version; `None` if it is not one.
pub type TagReader = fn(&str) -> Option<Version>;

/// A host with its API and, for that API only, a token.
pub struct ReleasesApi {
    client: Client,
    api: Address,
    token: Option<Secret>,
    tags: TagReader,
}

/// One published release.
#[derive(Clone, Debug)]
pub struct Release {
    pub tag: String,
    pub version: Version,
    assets: BTreeMap<String, Asset>,
}

/// One file of a release.
#[derive(Clone, Debug)]
pub struct Asset {
    pub name: String,
    /// In bytes, according to the host.
    pub size: Option<u64>,
    pub address: Address,
}

impl ReleasesApi {
    /// The host in the environment; the default is github.com.
    ///
    /// # Errors
    /// If the address is not allowed.
    pub fn from_environment(client: Client) -> Result<Self, ReleaseError> {
        let named = environment::read(environment::AOS_UPDATE_API_URL);
        let api = Address::parse(named.as_deref().unwrap_or(GITHUB_API))
            .map_err(|error| Fault::Api(error).at(Stage::Discover))?;
        let token = environment::read(environment::GITHUB_TOKEN)
            .filter(|_| api.host() == "api.github.com" && api.is_encrypted() || tokens_over_http())
            .and_then(|token| Secret::bearer(&token));
        Ok(Self { client, api, token, tags: tag_version })
    }

    /// The same host for repositories whose tags are not all `vMAJOR.MINOR.PATCH[-pre]`.
    #[must_use]
    pub fn reading(self, tags: TagReader) -> Self {
        Self { tags, ..self }
    }

    /// The newest published release.
    ///
    /// # Errors
    /// If the host has none, or its response is not valid.
    pub fn latest(&self, repository: &Repository) -> Result<Release, ReleaseError> {
        let what = format!("a published release of {repository}");
        self.release(&format!("repos/{repository}/releases/latest"), &what)
            .map_err(|fault| fault.at(Stage::Discover))
    }

    /// The release with exactly this tag.
    ///
    /// # Errors
    /// If there is none, or the host returns another release.
    pub fn tagged(&self, repository: &Repository, tag: &str) -> Result<Release, ReleaseError> {
        let what = format!("the release `{tag}` of {repository}");
        let release = self
            .release(&format!("repos/{repository}/releases/tags/{tag}"), &what)
            .map_err(|fault| fault.at(Stage::Discover))?;
        if release.tag != tag {
            let (asked, answered) = (tag.to_owned(), release.tag);
            return Err(Fault::OtherTag { asked, answered }.at(Stage::Discover));
        }
        Ok(release)
    }

    fn release(&self, path: &str, what: &str) -> Result<Release, Fault> {
        let mut body = Vec::new();
        let request = Request {
            address: &self.api.below(path),
            accept: "application/vnd.github+json",
            secret: self.token.as_ref(),
            max_bytes: MAX_DESCRIPTION,
        };
        self.ask_api(request, what, &mut body)?;
        parse(&body, self.tags)
    }

    /// The archive of a repository at `tag`, as the host packs it; the host may redirect to another of its hosts.
    pub(super) fn pack(
        &self,
        repository: &Repository,
        tag: &str,
        max_bytes: u64,
        body: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let request = Request {
            address: &self.api.below(&format!("repos/{repository}/tarball/{tag}")),
            accept: "*/*",
            secret: self.token.as_ref(),
            max_bytes,
        };
        self.ask_api(request, &format!("the tag `{tag}` of {repository}"), body)
    }

    /// With the token, and again without it if the host refuses the token.
    fn ask_api(
        &self,
        mut request: Request<'_>,
        what: &str,
        body: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let mut counted = Counted { sink: body, received: 0, is_page: false };
        let mut answer = self.client.get(&request, &mut counted);
        if answer.as_ref().is_ok_and(|head| head.status == 401) && request.secret.is_some() {
            request.secret = None;
            answer = self.client.get(&request, &mut counted);
        }
        let portal = || Fault::CaptivePortal { host: self.api.host(), what: what.to_owned() };
        let head = answer.map_err(|error| match error {
            HttpError::TooLarge { .. } if counted.is_page => portal(),
            error => Fault::Http(error),
        })?;
        answer::accept(&head, &self.api.host(), what, self.token.is_some())?;
        if counted.is_page { Err(portal()) } else { Ok(()) }
    }

    /// The bytes of an asset, at most `max_bytes`; never with the token.
    pub(super) fn download(
        &self,
        asset: &Asset,
        max_bytes: u64,
        sink: &mut dyn Sink,
    ) -> Result<u64, Fault> {
        let request = Request {
            address: &asset.address,
            accept: "application/octet-stream",
            secret: None,
            max_bytes: max_bytes.min(asset.size.unwrap_or(max_bytes)),
        };
        let what = format!("`{}`", asset.name);
        let mut counted = Counted { sink, received: 0, is_page: false };
        let head =
            self.client.get(&request, &mut counted).map_err(|error| match (error, asset.size) {
                (HttpError::TooLarge { .. }, _) if counted.is_page => {
                    Fault::CaptivePortal { host: asset.address.host(), what: what.clone() }
                }
                (HttpError::TooLarge { limit }, Some(expected)) if limit == expected => {
                    Fault::Long { name: asset.name.clone(), expected }
                }
                (error, _) => Fault::Http(error),
            })?;
        answer::accept(&head, &asset.address.host(), &what, false)?;
        let received = counted.received;
        match asset.size {
            // A page of exactly the right size fails the comparison of digests later.
            size if counted.is_page && size != Some(received) => {
                Err(Fault::CaptivePortal { host: asset.address.host(), what })
            }
            Some(expected) if received < expected => {
                Err(Fault::Short { name: asset.name.clone(), received, expected })
            }
            _ => Ok(received),
        }
    }
}

/// Debug builds only: lets a test observe the token without a TLS certificate.
fn tokens_over_http() -> bool {
    cfg!(debug_assertions) && environment::read("AOS_TEST_TOKEN_OVER_HTTP").is_some()
}

struct Counted<'a> {
    sink: &'a mut dyn Sink,
    received: u64,
    /// Whether the response is a web page, which is never an asset.
    is_page: bool,
}

impl Sink for Counted<'_> {
    fn begin(&mut self, head: &Head) {
        self.is_page = head.media_type == "text/html";
        self.sink.begin(head);
    }

    fn take(&mut self, piece: &[u8]) -> std::io::Result<()> {
        self.received += piece.len() as u64;
        self.sink.take(piece)
    }
}

impl Release {
    /// The page of the release, for people; computed, not taken from the host.
    #[must_use]
    pub fn page(&self, repository: &Repository) -> String {
        format!("{}/releases/tag/{}", repository.url(), self.tag)
    }

    /// The asset with exactly this name.
    #[must_use]
    pub fn asset(&self, name: &str) -> Option<&Asset> {
        self.assets.get(name)
    }

    /// The names of all assets, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.assets.keys().cloned().collect()
    }
}

/// Reads the description of a release.
fn parse(body: &[u8], tags: TagReader) -> Result<Release, Fault> {
    let malformed = |reason: String| Fault::Malformed { reason };
    let text =
        std::str::from_utf8(body).map_err(|_| malformed("it is not UTF-8 text".to_owned()))?;
    let document = strict_json::read_folded(text)
        .map_err(|error| malformed(format!("it is not JSON ({error})")))?;
    let tag = document
        .get("tag_name")
        .and_then(Value::as_str)
        .ok_or_else(|| malformed("it has no `tag_name`".to_owned()))?;
    let version = tags(tag)
        .ok_or_else(|| malformed(format!("`{}` is not a version tag", answer::shown(tag))))?;
    if document.get("draft").and_then(Value::as_bool) == Some(true) {
        return Err(malformed(format!("`{tag}` is a draft")));
    }
    let listed = document
        .get("assets")
        .and_then(Value::as_array)
        .ok_or_else(|| malformed("it has no list of `assets`".to_owned()))?;
    if listed.len() > MAX_ASSETS {
        return Err(malformed(format!("it has more than {MAX_ASSETS} assets")));
    }
    let mut assets = BTreeMap::new();
    for entry in listed {
        let asset = asset(entry)?;
        if let Some(twice) = assets.insert(asset.name.clone(), asset) {
            return Err(malformed(format!("`{}` is listed twice", answer::shown(&twice.name))));
        }
    }
    Ok(Release { tag: tag.to_owned(), version, assets })
}

/// The version of a tag `vMAJOR.MINOR.PATCH[-pre]`; build metadata has no order and is refused.
fn tag_version(tag: &str) -> Option<Version> {
    let version = Version::parse(tag.strip_prefix('v')?).ok().filter(|_| tag.len() <= MAX_TAG)?;
    version.build.is_empty().then_some(version)
}

fn asset(entry: &Value) -> Result<Asset, Fault> {
    let malformed = |reason: String| Fault::Malformed { reason };
    let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
    // Names are shown to people and agents, so they may not contain invisible or bidi characters.
    let plain = |symbol: char| symbol.is_ascii_graphic() && !['/', '\\'].contains(&symbol);
    if !(1..=MAX_NAME).contains(&name.len()) || !name.chars().all(plain) {
        return Err(malformed(format!("`{}` is not a file name", answer::shown(name))));
    }
    let url = entry.get("browser_download_url").and_then(Value::as_str).unwrap_or_default();
    let address =
        Address::parse(url).map_err(|error| malformed(format!("asset `{name}`: {error}")))?;
    let size = entry.get("size").and_then(Value::as_u64);
    Ok(Asset { name: name.to_owned(), size, address })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(document: &Value) -> Result<Release, Fault> {
        parse(document.to_string().as_bytes(), tag_version)
    }

    fn good() -> Value {
        json!({
            "tag_name": "v1.2.3",
            "html_url": "https://github.com/acme/aos/releases/tag/v1.2.3",
            "assets": [{"name": "a", "size": 3, "browser_download_url": "https://x.example/a"}],
        })
    }

    #[test]
    fn a_release_has_a_version_and_assets() {
        let release = read(&good()).unwrap();
        assert_eq!(release.version, Version::new(1, 2, 3));
        assert_eq!(release.names(), ["a"]);
        assert_eq!(release.asset("a").unwrap().size, Some(3));
        assert!(release.asset("A").is_none());
    }

    #[test]
    fn a_malformed_release_is_refused() {
        let changes: [(&str, Value); 9] = [
            ("/tag_name", json!(null)),
            ("/tag_name", json!("1.2.3")),
            ("/tag_name", json!("v1.2.3+build")),
            ("/tag_name", json!("v1.2")),
            ("/tag_name", json!("../../x")),
            ("/assets", json!({})),
            ("/assets/0/name", json!("../a")),
            ("/assets/0/browser_download_url", json!("file:///etc/passwd")),
            ("/assets/0/browser_download_url", json!("http://x.example/a")),
        ];
        for (place, value) in changes {
            let mut document = good();
            *document.pointer_mut(place).unwrap() = value;
            assert!(matches!(read(&document), Err(Fault::Malformed { .. })), "{document}");
        }
        let mut twice = good();
        let first = twice["assets"][0].clone();
        twice["assets"].as_array_mut().unwrap().push(first);
        assert!(read(&twice).is_err());
        let mut draft = good();
        draft["draft"] = json!(true);
        assert!(read(&draft).is_err());
        for bytes in
            [&b"[]"[..], b"", b"{\"tag_name\": \"v1.2.3\", \"tag_name\": \"v1.2.4\"}", b"\xff"]
        {
            assert!(parse(bytes, tag_version).is_err());
        }
    }
}
