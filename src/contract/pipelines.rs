//! The locations of pipelines of CI systems, relative to the top of a repository.

/// Files that a CI system reads.
pub const FILES: &[&str] = &[
    ".gitlab-ci.yml",
    ".gitlab-ci.yaml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".woodpecker.yaml",
    ".travis.yml",
    ".cirrus.yml",
    "appveyor.yml",
    ".appveyor.yml",
    ".build.yml",
    "Jenkinsfile",
];
/// Directories whose YAML files a CI system reads.
pub const DIRECTORIES: &[&str] = &[
    ".github/workflows",
    ".forgejo/workflows",
    ".gitea/workflows",
    ".gitlab",
    ".gitlab-ci",
    ".azure-pipelines",
    ".buildkite",
    ".woodpecker",
    ".builds",
];

/// True if a CI system reads the file at `path`.
#[must_use]
pub fn is_pipeline(path: &str) -> bool {
    let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    let is_inside =
        |directory: &&str| path.strip_prefix(*directory).is_some_and(|rest| rest.starts_with('/'));
    FILES.contains(&path) || is_yaml && DIRECTORIES.iter().any(is_inside)
}
