pub const SCHEMA_VERSION: &str = "1.0";
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum ErrorCode {
    Integrity,
    Io,
    Unknown,
    Usage,
    Validation,
    NotFound,
    Auth,
    Config,
    Forbidden,
    ConfirmationRequired,
    Conflict,
    Network,
    RateLimited,
    Server,
    Timeout,
    Interrupted,
    Drift,
    SkillSync,
}
impl ErrorCode {
pub const ALL: [Self; 18] = [Self::Integrity,Self::Io,Self::Unknown,Self::Usage,Self::Validation,Self::NotFound,Self::Auth,Self::Config,Self::Forbidden,Self::ConfirmationRequired,Self::Conflict,Self::Network,Self::RateLimited,Self::Server,Self::Timeout,Self::Interrupted,Self::Drift,Self::SkillSync];
pub const fn as_str(self) -> &'static str { match self {Self::Integrity => "E_INTEGRITY",Self::Io => "E_IO",Self::Unknown => "E_UNKNOWN",Self::Usage => "E_USAGE",Self::Validation => "E_VALIDATION",Self::NotFound => "E_NOT_FOUND",Self::Auth => "E_AUTH",Self::Config => "E_CONFIG",Self::Forbidden => "E_FORBIDDEN",Self::ConfirmationRequired => "E_CONFIRMATION_REQUIRED",Self::Conflict => "E_CONFLICT",Self::Network => "E_NETWORK",Self::RateLimited => "E_RATE_LIMITED",Self::Server => "E_SERVER",Self::Timeout => "E_TIMEOUT",Self::Interrupted => "E_INTERRUPTED",Self::Drift => "E_DRIFT",Self::SkillSync => "E_SKILL_SYNC"}}
pub const fn exit(self) -> u8 { match self {Self::Integrity => 1,Self::Io => 1,Self::Unknown => 1,Self::Usage => 2,Self::Validation => 2,Self::NotFound => 3,Self::Auth => 4,Self::Config => 4,Self::Forbidden => 4,Self::ConfirmationRequired => 5,Self::Conflict => 6,Self::Network => 7,Self::RateLimited => 7,Self::Server => 7,Self::Timeout => 8,Self::Interrupted => 130,Self::Drift => 6,Self::SkillSync => 7}}
pub const fn retryable(self) -> bool { match self {Self::Integrity => false,Self::Io => false,Self::Unknown => false,Self::Usage => false,Self::Validation => false,Self::NotFound => false,Self::Auth => false,Self::Config => false,Self::Forbidden => false,Self::ConfirmationRequired => false,Self::Conflict => false,Self::Network => true,Self::RateLimited => true,Self::Server => true,Self::Timeout => true,Self::Interrupted => true,Self::Drift => false,Self::SkillSync => true}}
pub const fn is_core(self) -> bool { match self {Self::Integrity => true,Self::Io => true,Self::Unknown => true,Self::Usage => true,Self::Validation => true,Self::NotFound => true,Self::Auth => true,Self::Config => true,Self::Forbidden => true,Self::ConfirmationRequired => true,Self::Conflict => true,Self::Network => true,Self::RateLimited => true,Self::Server => true,Self::Timeout => true,Self::Interrupted => true,Self::Drift => false,Self::SkillSync => false}}
}
pub const SUCCESS_KEYS: [&str; 4] = ["ok", "schema_version", "data", "meta"];
pub const FAILURE_KEYS: [&str; 4] = ["ok", "schema_version", "error", "meta"];
pub const ERROR_KEYS: [&str; 4] = ["code", "message", "details", "retryable"];
pub const EXIT_CODES: [(u8, &str); 11] = [(0, "success"),(1, "failure without a narrower code; read the error"),(2, "usage or validation; fix the arguments"),(3, "not found; do not retry"),(4, "credentials, permission or configuration; tell the user"),(5, "confirmation token missing; run the dry run"),(6, "conflict or unusable token; read the state again"),(7, "transient network, rate limit or server failure; back off and retry"),(8, "timeout; back off and retry"),(9, "a person has to act; relay, then resume"),(130, "interrupted by a signal; safe to run again")];
