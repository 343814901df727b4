//! A network that ends at this machine's loopback, and no local sockets, for this process and all it starts; no way back.
//!
//! Linux only. On other systems, or if the system does not allow it, the result has the reason.

use super::restriction::RestrictionError;

/// Sockets with a path that programs of this machine listen on, such as those of containers and of ssh agents. They are
/// reachable in every network namespace, and can be listed only before this process has its own.
#[must_use]
pub fn local_sockets() -> Vec<std::path::PathBuf> {
    #[cfg(target_os = "linux")]
    return linux::local_sockets();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// Hides these sockets from this process and all it starts, in a mount namespace. Must run after `cut_off_network`, before
/// any other thread exists.
///
/// # Errors
/// Says in one sentence why the system does not allow it.
pub fn hide_sockets(sockets: &[std::path::PathBuf]) -> Result<(), RestrictionError> {
    #[cfg(target_os = "linux")]
    return linux::hide_sockets(sockets);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = sockets;
        Err(RestrictionError::NoMountNamespaces)
    }
}

/// Cuts this process off from every network but loopback. Must run before any other thread exists.
///
/// # Errors
/// Says in one sentence why the system does not allow it; the network is as before then.
#[cfg(target_os = "linux")]
pub fn cut_off_network() -> Result<(), RestrictionError> {
    linux::cut_off()
}

/// Cuts this process off from every network but loopback.
///
/// # Errors
/// Always: only Linux has network namespaces.
#[cfg(not(target_os = "linux"))]
pub fn cut_off_network() -> Result<(), RestrictionError> {
    Err(RestrictionError::NoNetworkNamespaces)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::net::{Ipv4Addr, TcpListener, TcpStream};
    use std::path::{Path, PathBuf};

    use nix::errno::Errno;
    use nix::sched::{CloneFlags, unshare};
    use rustix::mount::{MountPropagationFlags, mount_bind, mount_change};
    use rustix::net::netlink::SocketAddrNetlink;
    use rustix::net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with,
    };

    use super::super::files::Kind;
    use super::super::restriction::RestrictionError;

    /// Where some distributions say that a user namespace comes without the rights that are needed here.
    const RESTRICTED: &str = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
    /// Where others switch them off.
    const SWITCHED_OFF: &str = "/proc/sys/kernel/unprivileged_userns_clone";
    /// Kind of the message that changes a network interface.
    const RTM_NEWLINK: u16 = 16;
    /// A request that wants to be acknowledged.
    const NLM_F_REQUEST_ACK: u16 = 5;
    const NLMSG_ERROR: u16 = 2;
    const IFF_UP: u32 = 1;
    /// Loopback is the first interface of a namespace.
    const LOOPBACK: i32 = 1;

    pub(super) fn cut_off() -> Result<(), RestrictionError> {
        if unshare(CloneFlags::CLONE_NEWNET).is_err() {
            if says(RESTRICTED, b"1") {
                return Err(RestrictionError::AppArmor);
            }
            let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)
                .map_err(|error| refused(error, says(SWITCHED_OFF, b"0")))?;
            // Without the maps, files belong to the user `nobody`; the process can still work.
            let _ = write("/proc/self/setgroups", "deny");
            let _ = write("/proc/self/uid_map", &format!("{0} {0} 1", user.as_raw()));
            let _ = write("/proc/self/gid_map", &format!("{0} {0} 1", group.as_raw()));
        }
        raise_loopback()
            .and_then(|()| reach_loopback())
            .map_err(|error| RestrictionError::NoLoopback(error.to_string()))
    }

    /// Most sockets that are hidden, and the largest list of them.
    const MAX_SOCKETS: usize = 4_000;
    const MAX_LIST: u64 = 8 * 1024 * 1024;

    pub(super) fn local_sockets() -> Vec<PathBuf> {
        let list = super::super::files::read(Path::new("/proc/net/unix"), MAX_LIST);
        let text = list.map(|loaded| String::from_utf8_lossy(&loaded.bytes).into_owned());
        let mut sockets = paths(&text.unwrap_or_default());
        sockets.retain(|path| matches!(super::super::files::kind(path), Ok(Kind::Other)));
        sockets
    }

    /// The last word of each line that has a path; abstract names begin with `@`.
    fn paths(list: &str) -> Vec<PathBuf> {
        let paths = list.lines().filter_map(|line| line.find(" /").map(|at| line[at + 1..].into()));
        let paths: std::collections::BTreeSet<PathBuf> = paths.collect();
        paths.into_iter().collect()
    }

    pub(super) fn hide_sockets(sockets: &[PathBuf]) -> Result<(), RestrictionError> {
        if sockets.len() > MAX_SOCKETS {
            return Err(RestrictionError::TooManySockets(MAX_SOCKETS));
        }
        unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC)
            .map_err(|error| RestrictionError::MountNamespace(error.desc()))?;
        let flags = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        mount_change("/", flags)
            .map_err(|error| RestrictionError::PrivateMounts(error.to_string()))?;
        for socket in sockets {
            match mount_bind("/dev/null", socket) {
                // It was removed meanwhile, or this user cannot reach it either.
                Ok(()) | Err(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS) => {}
                Err(error) => {
                    let error = error.to_string();
                    return Err(RestrictionError::VisibleSocket { socket: socket.clone(), error });
                }
            }
        }
        Ok(())
    }

    fn says(setting: &str, start: &[u8]) -> bool {
        super::super::files::read(std::path::Path::new(setting), 16)
            .is_ok_and(|loaded| loaded.bytes.starts_with(start))
    }

    /// Explains the error of the system, and names the setting to change.
    fn refused(error: Errno, is_switched_off: bool) -> RestrictionError {
        match error {
            Errno::ENOSPC | Errno::EUSERS => RestrictionError::NoMoreNamespaces,
            Errno::EPERM if is_switched_off => RestrictionError::DisabledNamespaces,
            Errno::EPERM | Errno::EACCES => RestrictionError::ForbiddenNamespaces,
            Errno::ENOSYS | Errno::EINVAL => RestrictionError::KernelWithoutNamespaces,
            other => RestrictionError::NetworkNamespace(other.desc()),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "only `system` accesses files")]
    fn write(path: &str, text: &str) -> std::io::Result<()> {
        std::fs::write(path, text)
    }

    fn raise_loopback() -> std::io::Result<()> {
        let socket =
            socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
        sendto(&socket, &request(), SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
        let mut answer = [0_u8; 256];
        let (length, _) = recv(&socket, answer.as_mut_slice(), RecvFlags::empty())?;
        let number = |at: usize| answer.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        let is_error = answer.get(4..6) == Some(NLMSG_ERROR.to_ne_bytes().as_slice());
        match number(16).map(i32::from_ne_bytes) {
            Some(0) if length >= 20 && is_error => Ok(()),
            Some(code) if is_error => Err(std::io::Error::from_raw_os_error(-code)),
            _ => Err(std::io::Error::other("the kernel sent an unexpected response")),
        }
    }

    /// "Interface 1 is up": a netlink header and an `ifinfomsg`.
    fn request() -> Vec<u8> {
        let mut message = Vec::with_capacity(32);
        message.extend(32_u32.to_ne_bytes());
        message.extend(RTM_NEWLINK.to_ne_bytes());
        message.extend(NLM_F_REQUEST_ACK.to_ne_bytes());
        // Sequence number and port: there is one request and one answer.
        message.extend([0; 8]);
        // Family and type of the device: any.
        message.extend([0; 4]);
        message.extend(LOOPBACK.to_ne_bytes());
        message.extend(IFF_UP.to_ne_bytes());
        message.extend(IFF_UP.to_ne_bytes());
        message
    }

    fn reach_loopback() -> std::io::Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        TcpStream::connect(listener.local_addr()?).map(drop)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn sockets_with_a_path_are_listed_once() {
            let list = "Num RefCount Protocol Flags Type St Inode Path\n0: 2 0 10000 1 1 9 /run/a b.sock\n1: 3 0 0 1 3 8\n2: 2 0 10000 1 1 7 @/tmp/x\n3: 3 0 0 1 3 6 /run/a b.sock\n";
            assert_eq!(paths(list), [PathBuf::from("/run/a b.sock")]);
        }

        #[test]
        fn a_refusal_says_what_it_means_and_where_to_look() {
            for (error, is_switched_off, wanted) in [
                (Errno::ENOSPC, false, "user.max_user_namespaces"),
                (Errno::EPERM, true, "kernel.unprivileged_userns_clone=1"),
                (Errno::EPERM, false, "container"),
                (Errno::EINVAL, false, "built without"),
            ] {
                let said = refused(error, is_switched_off).to_string();
                assert!(said.contains(wanted) && !said.contains("EN"), "{said}");
            }
            let restricted = RestrictionError::AppArmor.to_string();
            assert!(restricted.contains("kernel.apparmor_restrict_unprivileged_userns=0"));
        }
    }
}
