//! Why the operating system does not restrict a program: the errors of `isolation` and `enclosure`.
//!
//! Each message is one sentence without a full stop, and names the setting to look at where there is one.

use std::path::PathBuf;

/// Why a restriction is not in force.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RestrictionError {
    #[error("only Linux has network namespaces")]
    NoNetworkNamespaces,
    #[error("only Linux has mount namespaces")]
    NoMountNamespaces,
    #[error("only Linux can restrict a program in this way")]
    OnlyLinux,
    #[error(
        "AppArmor prevents programs from creating namespaces, as on Ubuntu since 24.04; `sysctl kernel.apparmor_restrict_unprivileged_userns=0` as root allows it"
    )]
    AppArmor,
    #[error(
        "no more namespaces are allowed; look at `sysctl user.max_user_namespaces user.max_net_namespaces`, where 0 means none"
    )]
    NoMoreNamespaces,
    #[error(
        "namespaces are disabled for users; `sysctl kernel.unprivileged_userns_clone=1` as root enables them"
    )]
    DisabledNamespaces,
    #[error(
        "this user may not create namespaces; in a container, the seccomp profile or missing capabilities can be the reason"
    )]
    ForbiddenNamespaces,
    #[error("this kernel was built without network namespaces")]
    KernelWithoutNamespaces,
    #[error("the system allows no network namespace: {0}")]
    NetworkNamespace(&'static str),
    #[error("the network namespace has no loopback, so nothing can be tested in it: {0}")]
    NoLoopback(String),
    #[error("this machine has more than {0} local sockets")]
    TooManySockets(usize),
    #[error("the system allows no mount namespace: {0}")]
    MountNamespace(&'static str),
    #[error("mounts cannot be made private: {0}")]
    PrivateMounts(String),
    #[error("`{}` cannot be hidden: {error}", socket.display())]
    VisibleSocket { socket: PathBuf, error: String },
    #[error(
        "this kernel has no Landlock, or it is not enabled (`lsm=landlock,…`); it needs Linux 5.13"
    )]
    NoLandlock,
    #[error("it needs Landlock version 6, which is in Linux 6.12")]
    OldLandlock,
    #[error("Landlock refuses: {0}")]
    Landlock(String),
    #[error("no thread could be started to find it out")]
    NoThread,
    #[error("{0}")]
    Refused(String),
}
