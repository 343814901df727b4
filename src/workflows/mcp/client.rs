//! The configuration of a client, ready to be pasted.

use std::path::Path;

use crate::contract::suggestion;
use crate::mcp::config::{self, CLIENTS, McpClient, ServerEntry};
use crate::report::answers::mcp::{ClientConfiguration, ClientList, KnownClient, McpConfigAnswer};
use crate::report::{ErrorCode, Failure, Outcome};
use crate::system::files;
use crate::visible::{Visible, excerpt, visible};

use super::{ClientRequest, sources};

/// Longest name of a server.
const MAX_NAME: usize = 40;

/// Lists the clients, or prints the configuration of one.
///
/// # Errors
/// Returns an error if a client or a package is unknown.
pub fn configuration(request: &ClientRequest) -> Result<Outcome, Failure> {
    let Some(id) = &request.client else { return Ok(list()) };
    let client = McpClient::find(id).ok_or_else(|| unknown(id))?;
    let here = [".".to_owned()];
    let packages = if request.packages.is_empty() { &here[..] } else { &request.packages };
    let packages: Vec<_> = packages.iter().map(|package| absolute(package)).collect();
    let (names, secrets) = sources::named(&packages)?;
    let name = request.name.clone().unwrap_or_else(|| names.join("-"));
    let name: String = excerpt(&name, MAX_NAME)
        .chars()
        .map(|symbol| match symbol {
            symbol if symbol.is_ascii_alphanumeric() || matches!(symbol, '-' | '_') => symbol,
            _ => '-',
        })
        .collect();
    let mut arguments = vec!["mcp".to_owned(), "serve".to_owned()];
    arguments.extend(packages);
    if let Some(mode) = request.mode {
        arguments.extend(["--allow-mode".to_owned(), mode.as_str().to_owned()]);
    }
    if !request.tools.is_empty() {
        arguments.extend(["--tools".to_owned(), request.tools.join(",")]);
    }
    let server = ServerEntry { name, command: "aos".to_owned(), arguments, secrets };
    let text = config::text(client, &server);
    let data = McpConfigAnswer::Configuration(ClientConfiguration {
        client: client.id,
        files: client.files.to_vec(),
        server: server.name.clone(),
        content: text.clone(),
        secrets: server.secrets.clone(),
        advice: (!server.secrets.is_empty()).then(|| client.advice().to_owned()),
    });
    let mut spoken = visible!(
        "{}: add this to {}\n\n{}",
        client.title,
        client.files.join(" or "),
        Visible::block(text.trim_end())
    );
    if !server.secrets.is_empty() {
        spoken.push(&visible!("\n\n{}: {}", server.secrets.join(", "), client.advice()));
    }
    Ok(Outcome::new(data, spoken).raw(Visible::block(&text)))
}

fn list() -> Outcome {
    let known = |client: &McpClient| KnownClient {
        id: client.id,
        title: client.title,
        files: client.files.to_vec(),
    };
    let clients = CLIENTS.iter().map(known).collect();
    let lines = CLIENTS
        .iter()
        .map(|client| visible!("{:16} {:16} {}", client.id, client.title, client.files.join(", ")));
    Outcome::new(McpConfigAnswer::Clients(ClientList { clients }), Visible::joined(lines, "\n"))
}

fn unknown(id: &str) -> Failure {
    let known: Vec<_> = CLIENTS.iter().map(|client| client.id).collect();
    let hint = match suggestion::nearest(id, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Clients are {}", known.join(", ")),
        None => format!("use one of {}", known.join(", ")),
    };
    Failure::new(ErrorCode::Validation, format!("`{}` is not a supported client", excerpt(id, 60)))
        .hint(hint)
        .detail("known_clients", known)
}

/// Makes a path absolute, because a client starts the server in a directory of its own choice. Names stay names.
fn absolute(package: &str) -> String {
    match files::canonical(Path::new(package)) {
        Ok(path) => path.display().to_string(),
        Err(_) => package.to_owned(),
    }
}
