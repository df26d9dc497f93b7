//! System calls that no build, test or editor needs, and that open ways around the other walls.

use std::collections::BTreeMap;

use libc as c;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Error = Box<dyn std::error::Error>;

/// Looking into other processes; mounts; namespaces; keys; programs in the kernel; files by number instead of name;
/// queues that make calls which no filter sees (io_uring).
const REFUSED: &[i64] = &[
    c::SYS_ptrace,
    c::SYS_process_vm_readv,
    c::SYS_process_vm_writev,
    c::SYS_kcmp,
    c::SYS_pidfd_getfd,
    c::SYS_mount,
    c::SYS_umount2,
    c::SYS_pivot_root,
    c::SYS_chroot,
    c::SYS_move_mount,
    c::SYS_open_tree,
    c::SYS_fsopen,
    c::SYS_fsconfig,
    c::SYS_fsmount,
    c::SYS_fspick,
    c::SYS_mount_setattr,
    c::SYS_setns,
    c::SYS_keyctl,
    c::SYS_add_key,
    c::SYS_request_key,
    c::SYS_bpf,
    c::SYS_perf_event_open,
    c::SYS_userfaultfd,
    c::SYS_init_module,
    c::SYS_finit_module,
    c::SYS_delete_module,
    c::SYS_kexec_load,
    c::SYS_reboot,
    c::SYS_swapon,
    c::SYS_swapoff,
    c::SYS_acct,
    c::SYS_quotactl,
    c::SYS_settimeofday,
    c::SYS_clock_settime,
    c::SYS_clock_adjtime,
    c::SYS_adjtimex,
    c::SYS_sethostname,
    c::SYS_setdomainname,
    c::SYS_open_by_handle_at,
    c::SYS_name_to_handle_at,
    c::SYS_fanotify_init,
    c::SYS_syslog,
    c::SYS_vhangup,
    c::SYS_io_uring_setup,
    c::SYS_io_uring_enter,
    c::SYS_io_uring_register,
];

const NEW_NAMESPACES: [c::c_int; 8] = [
    c::CLONE_NEWUSER,
    c::CLONE_NEWNS,
    c::CLONE_NEWPID,
    c::CLONE_NEWNET,
    c::CLONE_NEWIPC,
    c::CLONE_NEWUTS,
    c::CLONE_NEWCGROUP,
    0x80, // CLONE_NEWTIME
];

/// Whether sockets of the internet are refused as well: where there is no network of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    Local,
    Internet,
}

pub(super) fn apply(sockets: Sockets) -> Result<(), Error> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let namespaces = || -> Result<Vec<SeccompRule>, Error> {
        let bits = NEW_NAMESPACES.into_iter().map(|flag| u64::from(flag as u32));
        bits.map(|bit| rule(vec![(0, Compare::MaskedEq(bit), bit)])).collect()
    };
    rules.insert(c::SYS_unshare, namespaces()?);
    rules.insert(c::SYS_clone, namespaces()?);
    // Pretending to type at somebody's terminal.
    let typed = [c::TIOCSTI, c::TIOCLINUX].map(|request| rule(vec![(1, Compare::Eq, request)]));
    rules.insert(c::SYS_ioctl, typed.into_iter().collect::<Result<_, _>>()?);
    rules.insert(c::SYS_socket, refused_sockets(sockets)?);
    install(rules, c::EPERM)?;
    // Its flags are in memory, where no filter looks; without it everybody takes `clone`.
    install(Rules::from([(c::SYS_clone3, Vec::new())]), c::ENOSYS)
}

/// Every family but the listed; of netlink only the list of interfaces.
fn refused_sockets(sockets: Sockets) -> Result<Vec<SeccompRule>, Error> {
    let internet = [c::AF_INET, c::AF_INET6];
    let allowed =
        [c::AF_UNIX, c::AF_NETLINK].into_iter().chain(internet.into_iter().filter(|_| sockets == Sockets::Internet));
    let others = allowed.map(|family| (0, Compare::Ne, family as u64)).collect();
    let netlink = vec![(0, Compare::Eq, c::AF_NETLINK as u64), (2, Compare::Ne, c::NETLINK_ROUTE as u64)];
    Ok(vec![rule(others)?, rule(netlink)?])
}

fn rule(conditions: Vec<(u8, Compare, u64)>) -> Result<SeccompRule, Error> {
    let conditions = conditions
        .into_iter()
        .map(|(argument, compare, value)| SeccompCondition::new(argument, Length::Dword, compare, value));
    Ok(SeccompRule::new(conditions.collect::<Result<_, _>>()?)?)
}

fn install(mut rules: Rules, error: c::c_int) -> Result<(), Error> {
    if cfg!(target_arch = "x86_64") {
        // The same calls by their second numbers (x32), where a kernel still has them.
        let second: Vec<_> = rules.iter().map(|(call, rules)| (call | 0x4000_0000, rules.clone())).collect();
        rules.extend(second);
    }
    let refuse = SeccompAction::Errno(error as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(apply_filter(&program)?)
}
