//! Seccomp: system calls that Landlock does not watch. They are refused, not punished: a program that tries one goes on.

use crate::model::walls::Network;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Calls that change modes, owners, times and attributes of files: Landlock lets them through wherever a file can be named.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// The same, as only the older architecture has them.
#[cfg(target_arch = "x86_64")]
const OLDER: &[i64] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[i64] = &[];

/// `fchmodat2`, which has one number on all architectures.
const FCHMODAT2: i64 = 452;

/// Calls that reach around walls: other processes' memory, the kernel's own tables, and rings that do what is refused here.
const AROUND: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_setns,
];

/// Closes them to this process for good; `false` on an architecture that the filter does not know.
pub(super) fn close(network: &Network) -> Result<bool, String> {
    let Some(arch) = arch() else { return Ok(false) };
    let filter = filter(network, arch).map_err(|error| error.to_string())?;
    let program: BpfProgram = filter.try_into().map_err(|error: seccompiler::BackendError| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())?;
    Ok(true)
}

/// Whether this architecture has the filter.
pub(super) fn are_known() -> bool {
    arch().is_some()
}

fn arch() -> Option<TargetArch> {
    TargetArch::try_from(std::env::consts::ARCH).ok()
}

fn filter(network: &Network, arch: TargetArch) -> Result<SeccompFilter, seccompiler::BackendError> {
    // A call without rules matches whatever its arguments are.
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = AROUND.iter().map(|call| (*call, Vec::new())).collect();
    if *network == Network::None {
        rules.extend(METADATA.iter().chain(OLDER).map(|call| (*call, Vec::new())));
        // Landlock closes TCP alone: whatever is no stream over IP, and no socket of this machine, is closed here.
        let mut closed = Vec::new();
        for family in [libc::AF_INET, libc::AF_INET6] {
            let of_family = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family as u64)?;
            closed.push(SeccompRule::new(vec![of_family])?);
        }
        for family in [libc::AF_PACKET, libc::AF_VSOCK, libc::AF_ALG] {
            let of_family = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family as u64)?;
            closed.push(SeccompRule::new(vec![of_family])?);
        }
        rules.insert(libc::SYS_socket, closed);
    }
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)
}
