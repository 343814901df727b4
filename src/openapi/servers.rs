//! The address of an API: the servers of a description with their variables filled in, and the choice of one.

use super::document::Node;
use super::model::ApiServer;

/// Most servers that are looked at, and the longest address.
const MAX_SERVERS: usize = 50;
const MAX_URL: usize = 300;

/// The servers that a description, a path or an operation names.
#[must_use]
pub fn of(node: Node<'_>) -> Vec<ApiServer> {
    node.entries("servers").take(MAX_SERVERS).filter_map(server).collect()
}

fn server(node: Node<'_>) -> Option<ApiServer> {
    let mut url = node.text("url").to_owned();
    let mut variables = Vec::new();
    for (name, variable) in node.members("variables").take(20) {
        let default = variable.text("default");
        let mark = format!("{{{name}}}");
        if url.contains(&mark) {
            variables.push(crate::visible::excerpt(name, 40));
            url = url.replace(&mark, default);
        }
    }
    (url.len() <= MAX_URL)
        .then(|| ApiServer { url: url.trim_end_matches('/').to_owned(), variables })
}

/// The first https server that can be called as it is.
#[must_use]
pub fn usual(servers: &[ApiServer]) -> Option<&ApiServer> {
    servers.iter().find(|server| is_usable(&server.url))
}

/// An https address with a host and nothing that a base URL cannot have.
#[must_use]
pub fn is_usable(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else { return false };
    let place = rest.split('/').next().unwrap_or_default();
    let (host, port) = place.split_once(':').unwrap_or((place, "443"));
    // A percent-encoded part could be decoded on the way and then mean another path.
    let is_plain = !rest.contains('%') && !rest.split('/').any(|part| matches!(part, "." | ".."));
    !host.is_empty()
        && is_plain
        && port.parse::<u16>().is_ok_and(|port| port > 0)
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        && url.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte))
}

/// Returns the text before the path of an operation whose server is below `base`; `None` if it is elsewhere.
#[must_use]
pub fn prefix(base: &str, own: &[ApiServer]) -> Option<String> {
    let Some(first) = own.first() else { return Some(String::new()) };
    if own.iter().any(|server| server.url == base) {
        return Some(String::new());
    }
    let rest = match first.url.strip_prefix(base) {
        Some(rest) if !base.is_empty() => rest,
        _ if first.url.starts_with('/') && base.is_empty() => return None,
        _ => return None,
    };
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(url: &str) -> ApiServer {
        ApiServer { url: url.to_owned(), variables: Vec::new() }
    }

    #[test]
    fn the_first_https_server_is_meant() {
        let servers =
            ["http://a.example", "/v1", "https://b.example/v2", "https://c.example"].map(at);
        assert_eq!(usual(&servers), Some(&at("https://b.example/v2")));
        assert!(!is_usable("https://user@b.example"));
        assert!(!is_usable("https://b.example/{x}"));
        assert!(!is_usable("https://b.example/?q"));
        assert!(!is_usable("https://b.example:99999"));
        assert!(!is_usable("https://b.example/%0a"));
        assert!(!is_usable("https://b.example/../x"));
        assert!(is_usable("https://b.example:8443/v1"));
    }

    #[test]
    fn an_operation_elsewhere_is_told_from_one_below() {
        let base = "https://b.example";
        assert_eq!(prefix(base, &[]).as_deref(), Some(""));
        assert_eq!(prefix(base, &[at("https://b.example/upload")]).as_deref(), Some("/upload"));
        assert_eq!(prefix(base, &[at("https://b.example.evil/x")]), None);
        assert_eq!(prefix(base, &[at("https://c.example")]), None);
    }
}
