//! Own users, mounts, processes, shared memory and network.

use std::{fs, io};

use rustix::{
    net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, socket},
    process::{getegid, geteuid},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, configure_capability_in_ambient_set,
        set_capabilities,
    },
};

/// Shuts the process in; its children are the first of their process namespace. Users and groups keep their numbers, so
/// that files belong to whom they belonged before.
pub(super) fn enter(network: bool) -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let mut flags = UnshareFlags::NEWUSER | UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    flags.set(UnshareFlags::NEWNET, !network);
    #[allow(deprecated, reason = "what would be unsafe is a table of files of one's own, which is not asked for")]
    rustix::thread::unshare(flags)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    if !network {
        raise_loopback()?;
    }
    hand_down_powers()
}

/// Who is not root loses its powers over the namespace with the next program, and the first process inside still needs
/// these two: for its `/proc`, and to give all of them away.
fn hand_down_powers() -> io::Result<()> {
    let needed = CapabilitySet::SYS_ADMIN | CapabilitySet::SETPCAP;
    let sets = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: needed, ..sets })?;
    for one in needed.iter() {
        configure_capability_in_ambient_set(one, true)?;
    }
    Ok(())
}

/// A new network has a loopback that is down; tests of servers need it. RTM_NEWLINK of interface 1, answered by an
/// NLMSG_ERROR whose number is 0 where it worked.
fn raise_loopback() -> io::Result<()> {
    const UP: u32 = 1;
    // The protocol of number 0: NETLINK_ROUTE.
    let socket = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    let mut message = Vec::new();
    message.extend(32_u32.to_ne_bytes());
    message.extend(16_u16.to_ne_bytes());
    message.extend(5_u16.to_ne_bytes());
    message.extend([0; 8]);
    message.extend([0; 4]);
    for word in [1, UP, UP] {
        message.extend(u32::to_ne_bytes(word));
    }
    send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0; 64];
    recv(&socket, &mut answer, RecvFlags::empty())?;
    match i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]) {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}
