//! The calls of `aos check` in CI, and whether their failure makes CI fail.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::pipelines::is_pipeline;
use crate::contract::{Finding, ProjectFiles};
use crate::plan::RelativePath;
use crate::visible::excerpt;

use super::conditions::{Certainty, Elsewhen, condition, never_on_changes, never_run};
use super::indirect::Scripts;
use super::jobs;
use super::programs;
use super::shell::{GuardCall, ShellMode};
use super::yaml::{self, YamlNode};
use super::{IGNORED, NOT_IN_CI, SWITCHED_OFF};

/// Largest pipeline that is read, in bytes.
const MAX_PIPELINE: usize = 512 * 1024;
/// Members whose text is run by a shell.
const SCRIPTS: &[&str] = &[
    "run",
    "script",
    "before_script",
    "after_script",
    "bash",
    "sh",
    "pwsh",
    "powershell",
    "command",
    "commands",
    "test_script",
    "build_script",
    "install",
    "inlineScript",
];
/// Members that let a failure pass.
const LENIENT: &[&str] = &[
    "continue-on-error",
    "continue_on_error",
    "continueOnError",
    "allow_failure",
    "allow-failure",
    "soft_fail",
    "ignore_failure",
    "ignoreFailure",
];
/// The exit code of drift.
const DRIFT: &str = "6";

/// One call in a pipeline.
struct PipelineCall {
    path: String,
    line: u32,
    ignored: Option<String>,
    /// The call counts, but no change starts the workflow.
    elsewhen: Option<Elsewhen>,
}

/// Returns the finding about the guard in CI, if there is one. `has_workflow` says that the project was made with a
/// workflow that calls `aos check`.
pub fn finding(
    repository: &ProjectFiles,
    managed: &BTreeSet<RelativePath>,
    has_workflow: bool,
) -> Option<Finding> {
    let prefix = &repository.around.prefix;
    let managed: Vec<String> = managed
        .iter()
        .map(|path| match prefix.is_empty() {
            true => path.to_string(),
            false => format!("{prefix}/{path}"),
        })
        .collect();
    let own = repository.files.iter().filter(|(path, _)| is_pipeline(path));
    let own = own.map(|(path, file)| (path.clone(), file.bytes.as_slice()));
    let up = "../".repeat(repository.around.depth());
    let above = repository.around.files.iter().filter(|(path, _)| is_pipeline(path));
    let above = above.map(|(path, bytes)| (format!("{up}{path}"), bytes.as_slice()));
    let mut calls = Vec::new();
    let mut is_elsewhere = false;
    for (path, bytes) in own.chain(above) {
        if bytes.len() > MAX_PIPELINE {
            continue;
        }
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        let mut walk = PipelineWalk {
            path,
            scripts: Scripts::new(repository),
            managed: &managed,
            sets_path: false,
            calls: Vec::new(),
            is_elsewhere: false,
        };
        walk.file(text);
        is_elsewhere |= walk.is_elsewhere;
        calls.extend(walk.calls);
        if calls.iter().any(PipelineCall::counts) {
            return None;
        }
    }
    let ignored = calls.iter().find_map(|call| Some((call, call.ignored.as_deref()?)));
    if let Some((call, reason)) = ignored {
        let message = format!("`aos check` has no effect here: {}", excerpt(reason, 200));
        let mut finding = IGNORED.finding(&call.path, message);
        finding.line = Some(call.line);
        return Some(finding);
    }
    let mut elsewhen = calls.iter().filter_map(|call| Some((call, call.elsewhen.as_ref()?)));
    let of_changes = |(_, elsewhen): &(_, &Elsewhen)| elsewhen.certainty != Certainty::Release;
    let elsewhen = elsewhen.clone().find(of_changes).or_else(|| elsewhen.next());
    // A workflow of another repository may do it.
    let is_deleted = has_workflow
        && !is_elsewhere
        && repository.ci_is_known
        && !may_be_elsewhere(repository)
        && elsewhen.is_none_or(|(_, elsewhen)| elsewhen.certainty == Certainty::Release);
    if is_deleted {
        let message = "no workflow runs `aos check` on changes any more".to_owned();
        return Some(SWITCHED_OFF.finding(".", message));
    }
    if let Some((call, elsewhen)) = elsewhen {
        let reason = excerpt(&elsewhen.reason, 200);
        let message = format!("not every change runs `aos check`: {reason}");
        let is_off = has_workflow && elsewhen.certainty == Certainty::Off;
        let rule = if is_off { &SWITCHED_OFF } else { &NOT_IN_CI };
        return Some(rule.finding(&call.path, message));
    }
    let finding = || NOT_IN_CI.finding(".", "no CI workflow runs `aos check`".to_owned());
    (!is_elsewhere).then(finding)
}

/// True if a CI that is not read completely, or a service for hooks, may run the check.
fn may_be_elsewhere(repository: &ProjectFiles) -> bool {
    let is_other = |path: &String| is_pipeline(path) && !path.contains("/workflows/");
    let hooks = repository.text(".pre-commit-config.yaml").unwrap_or_default();
    repository.files.keys().chain(repository.around.files.keys()).any(is_other)
        || hooks.contains("aos")
}

fn is_action_of_aos(text: &str) -> bool {
    let name = text.split('@').next().unwrap_or_default();
    name.split('/').count() == 2 && name.ends_with("/aos")
}

impl PipelineCall {
    fn counts(&self) -> bool {
        self.ignored.is_none() && self.elsewhen.is_none()
    }
}

/// One pipeline under examination.
struct PipelineWalk<'a> {
    path: String,
    scripts: Scripts<'a>,
    managed: &'a [String],
    /// Whether a step changes where programs are looked for.
    sets_path: bool,
    calls: Vec<PipelineCall>,
    /// Whether a workflow of another repository is called.
    is_elsewhere: bool,
}

/// The settings that a step inherits from the members above it.
#[derive(Clone, Default)]
struct StepContext {
    ignored: Option<String>,
    elsewhen: Option<Elsewhen>,
    shell: Option<String>,
    /// Conditions are expressions of GitHub.
    is_github: bool,
}

impl PipelineWalk<'_> {
    fn file(&mut self, text: &str) {
        self.sets_path = ["GITHUB_PATH", "PATH=", "PATH:"].iter().any(|word| text.contains(word))
            || self.scripts.moves_path();
        if self.path.ends_with("Jenkinsfile") {
            return self.groovy(text);
        }
        let Some(documents) = yaml::read(text) else {
            if text.contains("aos check") {
                let reason = "the file is not valid YAML".to_owned();
                self.calls.push(PipelineCall {
                    path: self.path.clone(),
                    line: 1,
                    ignored: Some(reason),
                    elsewhen: None,
                });
            }
            return;
        };
        let is_actions = self.path.contains("/workflows/") || self.path.starts_with(".github/");
        for document in &documents {
            let mut context = StepContext { is_github: is_actions, ..StepContext::default() };
            if is_actions {
                context.elsewhen =
                    document.member("on").and_then(|on| never_on_changes(on, self.managed));
            }
            match document {
                YamlNode::Table(members) if is_actions => {
                    self.workflow(document, members, &context)
                }
                _ => self.node(document, &context),
            }
        }
    }

    /// A workflow of GitHub: a job that needs one that does not run does not run either.
    fn workflow(
        &mut self,
        document: &YamlNode,
        members: &[(String, YamlNode)],
        context: &StepContext,
    ) {
        let never = jobs::needing(document, never_run);
        let not_always = jobs::needing(document, condition);
        let context = context.inside(document);
        for (key, value) in members {
            match value {
                YamlNode::Table(jobs) if key == "jobs" => {
                    for (name, job) in jobs {
                        let reason = |of: &BTreeMap<&str, String>| of.get(name.as_str()).cloned();
                        let mut context = context.clone();
                        context.ignored = context.ignored.or_else(|| reason(&never));
                        let unknown = |reason| Elsewhen { reason, certainty: Certainty::Unknown };
                        context.elsewhen =
                            context.elsewhen.or_else(|| reason(&not_always).map(unknown));
                        self.node(job, &context);
                    }
                }
                _ => self.node(value, &context),
            }
        }
    }

    fn node(&mut self, node: &YamlNode, context: &StepContext) {
        match node {
            YamlNode::Scalar { .. } => {}
            YamlNode::List(items) => items.iter().for_each(|item| self.node(item, context)),
            YamlNode::Table(members) => {
                let context = context.inside(node);
                for (key, value) in members {
                    if SCRIPTS.contains(&key.as_str()) && !self.script(key, value, &context) {
                        self.node(value, &context);
                    } else if key == "uses" {
                        self.uses(value, &context);
                    } else if !SCRIPTS.contains(&key.as_str()) {
                        self.node(value, &context);
                    }
                }
            }
        }
    }

    /// The texts of a member that a shell runs; false when it holds something else.
    fn script(&mut self, key: &str, value: &YamlNode, context: &StepContext) -> bool {
        let mut context = context.clone();
        if key == "after_script" {
            context
                .ignored
                .get_or_insert_with(|| "nothing in `after_script` fails a job".to_owned());
        }
        let shell = context.shell.as_deref().filter(|shell| programs::is_interpreter(shell));
        if let (Some(_), YamlNode::Scalar { text, line }) = (shell, value) {
            let calls = programs::calls(text);
            self.record(&calls, text, *line, &context);
            return true;
        }
        let mode = match (key, context.shell.as_deref()) {
            ("pwsh" | "powershell", _) => ShellMode::FILE,
            (_, Some(shell)) => ShellMode::of(shell),
            (_, None) => ShellMode::STEP,
        };
        match value {
            YamlNode::Scalar { text, line } => self.judge(text, *line, mode, &context),
            YamlNode::List(items) if items.iter().all(|item| item.text().is_some()) => {
                // Each is a line of one script.
                for item in items {
                    if let YamlNode::Scalar { text, line } = item {
                        self.judge(text, *line, mode, &context);
                    }
                }
            }
            YamlNode::List(_) | YamlNode::Table(_) => return false,
        }
        true
    }

    fn judge(&mut self, text: &str, line: u32, mode: ShellMode, context: &StepContext) {
        let calls = self.scripts.calls(text, mode);
        self.record(&calls, text, line, context);
    }

    fn record(&mut self, calls: &[GuardCall], text: &str, line: u32, context: &StepContext) {
        // A block begins in the line after its key.
        let offset = u32::from(text.contains('\n'));
        let stand_in = self.scripts.stand_in(text, self.sets_path);
        for call in calls {
            let own = || call.ignored.clone();
            let ignored = context.ignored.clone().or_else(own).or_else(|| stand_in.clone());
            let line = line.saturating_add(call.line).saturating_add(offset.min(call.line));
            self.calls.push(PipelineCall {
                path: self.path.clone(),
                line,
                ignored,
                elsewhen: context.elsewhen.clone(),
            });
        }
    }

    /// A local action is read; a workflow of another repository is not known.
    fn uses(&mut self, value: &YamlNode, context: &StepContext) {
        let YamlNode::Scalar { text, .. } = value else { return };
        match text.strip_prefix("./") {
            Some(place) => {
                let action = ["action.yml", "action.yaml"]
                    .map(|name| format!("{}/{name}", place.trim_end_matches('/')));
                let documents =
                    action.iter().find_map(|path| self.scripts.text(path)).and_then(yaml::read);
                for document in documents.unwrap_or_default() {
                    if let Some(runs) = document.member("runs") {
                        self.node(runs, context);
                    }
                }
            }
            // The action of aos itself.
            None if is_action_of_aos(text) => self.calls.push(PipelineCall {
                path: self.path.clone(),
                line: 1,
                ignored: context.ignored.clone(),
                elsewhen: context.elsewhen.clone(),
            }),
            None => self.is_elsewhere |= text.contains("/.github/workflows/"),
        }
    }

    fn groovy(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            let Some(at) = line.find("sh ").or_else(|| line.find("sh(")) else { continue };
            let script = line[at + 3..].replace(['\'', '"', '(', ')'], " ");
            for call in self.scripts.calls(&script, ShellMode::STEP) {
                let lenient = line
                    .contains("returnStatus")
                    .then(|| "`returnStatus` discards its exit code".to_owned());
                let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
                self.calls.push(PipelineCall {
                    path: self.path.clone(),
                    line,
                    ignored: lenient.or(call.ignored),
                    elsewhen: None,
                });
            }
        }
    }
}

impl StepContext {
    /// Returns this context extended with the members of `node`, for the nodes in it.
    fn inside(&self, node: &YamlNode) -> Self {
        let mut inner = self.clone();
        let shell = node
            .member("shell")
            .or_else(|| node.member("defaults")?.member("run")?.member("shell"));
        if let Some(shell) = shell.and_then(YamlNode::text) {
            inner.shell = Some(shell.to_owned());
        }
        if inner.ignored.is_none() {
            inner.ignored = lenient(node).or_else(|| never_run(node)).or_else(|| outside(node));
        }
        if inner.elsewhen.is_none() && self.is_github {
            inner.elsewhen =
                condition(node).map(|reason| Elsewhen { reason, certainty: Certainty::Unknown });
        }
        inner
    }
}

fn lenient(node: &YamlNode) -> Option<String> {
    let (key, value) = LENIENT.iter().find_map(|key| Some((key, node.member(key)?)))?;
    let passes = match value {
        YamlNode::Scalar { text, .. } => {
            !matches!(text.as_str(), "false" | "no" | "off" | "0" | "")
        }
        // A list of exit codes that pass.
        YamlNode::List(_) | YamlNode::Table(_) => {
            value.scalars().iter().any(|code| matches!(*code, DRIFT | "*"))
        }
    };
    passes.then(|| format!("`{key}` lets a failure pass"))
}

/// A directory of the machine instead of one of the checkout.
fn outside(node: &YamlNode) -> Option<String> {
    let directory = node
        .member("working-directory")
        .or_else(|| node.member("defaults")?.member("run")?.member("working-directory"))?
        .text()?;
    let is_outside = directory.starts_with('/') && !directory.starts_with("/github/workspace")
        || directory.starts_with('~')
        || directory.as_bytes().get(1) == Some(&b':');
    is_outside.then(|| format!("it runs in `{directory}`, which is not in the checkout"))
}

/// The scripts of a package.json.
pub fn npm_script(text: &str, name: &str) -> Option<String> {
    let value: Value = crate::contract::json::parse(text.as_bytes()).ok()?;
    value.get("scripts")?.get(name)?.as_str().map(str::to_owned)
}
