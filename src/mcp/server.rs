//! The handler for the SDK: lists tools, calls them on separate threads, and notifies clients of changes.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProgressToken, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool as Described,
    ToolAnnotations,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::contract::json_schema;
use crate::system::{interrupt, program};
use crate::visible::excerpt;

use super::answer::{self, ToolFault};
use super::catalogue::{Catalogue, Refusal};
use super::finder;
use super::mode::ToolMode;
use super::provider::Call;
use super::session::McpSession;
use super::tool::McpTool;

/// Pieces of output that wait for the client; more are dropped.
const MAX_PROGRESS: usize = 256;
/// Longest message of one piece.
const MAX_MESSAGE: usize = 2_000;
/// Interval of progress messages for a call without output.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Longest name of a method in an error, in characters.
const MAX_METHOD: usize = 80;
/// Requests that this server answers.
const METHODS: [&str; 6] =
    ["initialize", "ping", "server/discover", "subscriptions/listen", "tools/call", "tools/list"];

/// The server of one session.
pub struct Server {
    session: Arc<McpSession>,
}

impl Server {
    #[must_use]
    pub fn new(session: Arc<McpSession>) -> Self {
        Self { session }
    }

    /// Answers a call, in every way of naming its tool.
    async fn called(
        &self,
        name: &str,
        mut arguments: Map<String, Value>,
        context: RequestContext<RoleServer>,
    ) -> Result<Result<Value, ToolFault>, ErrorData> {
        let catalogue = self.session.catalogue();
        if !catalogue.is_searched {
            return self.direct(name, arguments, &catalogue, context).await;
        }
        let own = finder::tools(&catalogue).into_iter().find(|tool| tool.name == name);
        if let Some(tool) = own
            && let Err(fault) = fits(&tool.input, &arguments, "E_VALIDATION")
        {
            return Ok(Err(fault));
        }
        match name {
            finder::SEARCH => Ok(Ok(finder::search(&catalogue, &arguments))),
            finder::DESCRIBE => Ok(finder::describe(&catalogue, &arguments)),
            finder::CALL => {
                let (name, inner) = finder::called(&mut arguments);
                // A model chose this name, so the error lets it choose again.
                match catalogue.find(&name) {
                    Err(refusal) => Ok(Err(finder::unknown(&name, refusal))),
                    Ok(_) => self.direct(&name, inner, &catalogue, context).await,
                }
            }
            _ => self.direct(name, arguments, &catalogue, context).await,
        }
    }

    async fn direct(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        catalogue: &Arc<Catalogue>,
        context: RequestContext<RoleServer>,
    ) -> Result<Result<Value, ToolFault>, ErrorData> {
        let found = match catalogue.find(name) {
            Ok(found) => found,
            Err(Refusal::Unknown) => {
                let message = format!("the tool `{}` does not exist", excerpt(name, 80));
                return Err(ErrorData::invalid_params(message, None));
            }
            Err(refusal) => return Ok(Err(finder::unknown(name, refusal))),
        };
        let invalid = found.provider.invalid_code();
        if let Err(fault) = fits(&found.tool.input, &arguments, invalid) {
            return Ok(Err(fault));
        }
        let Some(_turn) = self.session.turn().await else {
            let message = "too many calls are waiting; wait until some of them end";
            return Ok(Err(ToolFault::new("E_RATE_LIMITED", message).retryable()));
        };
        let (tool, provider) = (found.tool.clone(), Arc::clone(found.provider));
        let token = context.meta.get_progress_token();
        let (sender, receiver) = mpsc::channel(MAX_PROGRESS);
        let reporter =
            token.map(|token| tokio::spawn(report(context.peer.clone(), token, receiver)));
        let wants_progress = reporter.is_some();
        let (withdrawn, session) = (context.ct.clone(), Arc::clone(&self.session));
        let work = tokio::task::spawn_blocking(move || {
            // A chunk is dropped if the queue is full or the client is gone.
            let progress = move |text: String| drop(sender.try_send(excerpt(&text, MAX_MESSAGE)));
            let is_cancelled =
                || withdrawn.is_cancelled() || session.is_over() || interrupt::requested();
            provider.call(&Call {
                tool: &tool,
                arguments: &arguments,
                progress: wants_progress.then_some(&progress),
                is_cancelled: &is_cancelled,
            })
        });
        let answer = work.await.unwrap_or_else(|_| {
            Err(ToolFault::new("E_UNKNOWN", "aos itself failed in this call; this is a bug in aos"))
        });
        if let Some(reporter) = reporter {
            // Progress is sent before the result.
            let _ = reporter.await;
        }
        Ok(answer)
    }
}

/// Checks that arguments match a schema.
fn fits(
    schema: &Map<String, Value>,
    arguments: &Map<String, Value>,
    code: &str,
) -> Result<(), ToolFault> {
    let (schema, arguments) = (Value::Object(schema.clone()), Value::Object(arguments.clone()));
    let faults = json_schema::faults(&schema, &arguments).map_err(|why| {
        ToolFault::new("E_UNKNOWN", format!("the schema of the tool is not valid: {why}"))
    })?;
    let Some(first) = faults.first() else { return Ok(()) };
    let place = first["path"].as_str().unwrap_or_default();
    let place = if place.is_empty() { String::new() } else { format!("`{place}`: ") };
    let message = first["message"].as_str().unwrap_or_default();
    let message = format!("the arguments do not match the schema: {place}{message}");
    Err(ToolFault::new(code, message).data(json!({"errors": faults})))
}

/// Forwards chunks of output, and reports that a call without output is still running.
async fn report(peer: Peer<RoleServer>, token: ProgressToken, mut pieces: mpsc::Receiver<String>) {
    let mut count = 0_u32;
    loop {
        let message = match tokio::time::timeout(HEARTBEAT, pieces.recv()).await {
            Ok(Some(message)) => message,
            Ok(None) => return,
            Err(_) => "still running".to_owned(),
        };
        count = count.saturating_add(1);
        let note =
            ProgressNotificationParam::new(token.clone(), f64::from(count)).with_message(message);
        if peer.notify_progress(note).await.is_err() {
            return;
        }
    }
}

fn described(tool: McpTool) -> Described {
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = Some(tool.mode == ToolMode::Readonly);
    annotations.destructive_hint = Some(tool.hints.is_destructive);
    annotations.idempotent_hint = Some(tool.hints.is_idempotent);
    annotations.open_world_hint = tool.hints.is_open_world;
    let description = (!tool.description.is_empty()).then(|| tool.description.into());
    let mut described = Described::new_with_raw(tool.name, description, tool.input);
    described.output_schema = tool.output.map(Arc::new);
    described.annotations = Some(annotations);
    described
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("aos", program::version()))
            .with_instructions(self.session.instructions())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // The list has one page, so no cursor was ever given.
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "the cursor is unknown; the list has one page",
                None,
            ));
        }
        let tools = self.session.catalogue().listed().into_iter().map(described).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = self.called(&request.name, arguments, context).await?;
        Ok(answer::result(answer).into())
    }

    /// Handles requests that the SDK could not read: an unknown method, or a known one with wrong parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = excerpt(&request.method, MAX_METHOD);
        if !METHODS.contains(&request.method.as_str()) {
            let message = format!("the method `{method}` is not supported");
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        let what = match request.params {
            None => "are missing",
            Some(_) => "do not have the form that the protocol describes",
        };
        Err(ErrorData::invalid_params(format!("the parameters of `{method}` {what}"), None))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.session.changes();
        tokio::spawn(async move {
            while changes.changed().await.is_ok()
                && context.peer.notify_tool_list_changed().await.is_ok()
            {}
        });
    }

    fn accepted_subscription_filter(
        &self,
        _requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.session.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => match changed {
                    Ok(()) if context.sink().notify_tool_list_changed().await.is_ok() => {}
                    _ => return Ok(()),
                },
            }
        }
    }
}
