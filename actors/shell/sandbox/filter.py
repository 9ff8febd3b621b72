"""The seccomp filter: which system calls a command may not make, as a program for the kernel.

It is the second wall, behind namespaces or Landlock: it takes away parts of the kernel that no command needs and in
which most of its faults were found, and with Landlock also what that does not cover (modes, times and attributes of
files, other processes' limits and priorities, sockets in the file system).
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from actors.linux.syscall_numbers import PROCESSORS, Processor

FORBIDDEN = [
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "kcmp",
    "pidfd_getfd",
    "keyctl",
    "add_key",
    "request_key",
    "bpf",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "perf_event_open",
    "mount",
    "umount2",
    "pivot_root",
    "move_mount",
    "open_tree",
    "open_tree_attr",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "statmount",
    "listmount",
    "setns",
    "unshare",
    "chroot",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "swapon",
    "swapoff",
    "reboot",
    "acct",
    "quotactl",
    "quotactl_fd",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "open_by_handle_at",
    "name_to_handle_at",
    "syslog",
    "lookup_dcookie",
    "iopl",
    "ioperm",
    "modify_ldt",
    "vhangup",
    "fanotify_init",
    "fanotify_mark",
    "move_pages",
    "migrate_pages",
]
"""With every wrapper."""
SHARED_WITH_OTHERS = [
    "inotify_add_watch",
    "shmget",
    "shmat",
    "shmctl",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "semget",
    "semop",
    "semtimedop",
    "semctl",
    "mq_open",
    "mq_unlink",
]
"""Forbidden without namespaces: they reach what others of the same user have, or see what others do."""
OF_ITSELF_ONLY = {
    "prlimit64": (0,),
    "ioprio_set": (1,),
    "setpriority": (0, 1),
    "sched_setaffinity": (0,),
    "sched_setscheduler": (0,),
    "sched_setparam": (0,),
    "sched_setattr": (0,),
}
"""Without namespaces, these arguments must be 0, which is the caller itself; any other number may be the agent."""
ATTRIBUTES = [
    "setxattr",
    "lsetxattr",
    "fsetxattr",
    "setxattrat",
    "removexattr",
    "lremovexattr",
    "fremovexattr",
    "removexattrat",
    "file_setattr",
]
MODE_ARGUMENT = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2}
BROKERED = [
    "connect",
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "lchown",
    "fchown",
    "fchownat",
    "utime",
    "utimes",
    "futimesat",
    "utimensat",
]
"""Without namespaces, the watching process does these in the command's stead if they concern the command's own files:
Landlock 7 rules over none of them."""

WAITING_OTHERS = (1024, 1026)
"""F_SETLEASE and F_NOTIFY of `fcntl`: who has a lease on a log that it may only read makes the agent wait 45 s to open
it for writing."""
OF_A_USER = 3
"""IOPRIO_WHO_USER: with 0 for who, all processes of the command's user, the agent among them."""
NAMESPACES = 0x7E020080
"""CLONE_NEW… of `clone`: time, cgroup, uts, ipc, user, pid, net, and ns."""
SET_ID_BITS = 0o6000
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
SOCK_STREAM, SOCK_SEQPACKET, SOCK_TYPE_MASK = 1, 5, 0xF

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_NOTIFY = 0x7FC00000
_ERRNO = 0x00050000
_LOAD, _AND, _RETURN = 0x20, 0x54, 0x06
_IF_EQUAL, _IF_ANY_BIT, _IF_AT_LEAST = 0x15, 0x45, 0x35
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


@dataclass(frozen=True, slots=True)
class _Instruction:
    code: int
    operand: int
    then: int = 0
    otherwise: int = 0

    def packed(self) -> bytes:
        """As `struct sock_filter`."""
        return struct.pack("<HBBI", self.code, self.then, self.otherwise, self.operand)


@cache
def build_filter(machine: str, *, has_namespaces: bool, has_network: bool) -> bytes:
    """The filter, as an array of `struct sock_filter`.

    Args:
        machine: As `os.uname().machine`.
        has_namespaces: Whether bubblewrap is around it; else it has to do more, and needs the broker.
        has_network: Whether sockets to other machines may be made.

    Raises:
        ValueError: the processor is not known.
    """
    if machine not in PROCESSORS:
        raise ValueError(f"processor {machine!r}: filters are known for {', '.join(PROCESSORS)}")
    processor = PROCESSORS[machine]
    program = [*_of_this_convention(processor)]
    rules = _rules_with_namespaces() if has_namespaces else _rules_alone(has_network)
    for name, body in rules:
        if name in processor.numbers:
            program += [_Instruction(_IF_EQUAL, processor.numbers[name], 0, len(body)), *body]
    program.append(_Instruction(_RETURN, _ALLOW))
    return b"".join(instruction.packed() for instruction in program)


_Rules = Iterator[tuple[str, list[_Instruction]]]
"""Name of a call -> what decides on it; always ends in a return."""


def _of_this_convention(processor: Processor) -> Iterator[_Instruction]:
    """End whoever calls by another convention, where the same numbers mean other calls; leave the number loaded."""
    yield _Instruction(_LOAD, _ARCHITECTURE)
    yield _Instruction(_IF_EQUAL, processor.audit_arch, 1, 0)
    yield _Instruction(_RETURN, _KILL_PROCESS)
    yield _Instruction(_LOAD, _NUMBER)
    if processor.first_foreign_number is not None:
        yield _Instruction(_IF_AT_LEAST, processor.first_foreign_number, 0, 1)
        yield _Instruction(_RETURN, _KILL_PROCESS)


def _rules_of_all() -> _Rules:
    for name in FORBIDDEN:
        yield name, [_refuse(errno.EPERM)]
    # Its flags lie in memory, which a filter cannot read; C libraries then use `clone`.
    yield "clone3", [_refuse(errno.ENOSYS)]
    yield "clone", [*_refuse_if_any_bit(0, NAMESPACES), _Instruction(_RETURN, _ALLOW)]
    of_waiting = [step for code in WAITING_OTHERS for step in _refuse_if_equal(1, code)]
    yield "fcntl", [*of_waiting, _Instruction(_RETURN, _ALLOW)]


def _rules_with_namespaces() -> _Rules:
    yield from _rules_of_all()
    for name, argument in MODE_ARGUMENT.items():
        yield name, [*_refuse_if_any_bit(argument, SET_ID_BITS), _Instruction(_RETURN, _ALLOW)]
    yield "socket", _only_domains(AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)


def _rules_alone(has_network: bool) -> _Rules:
    yield from _rules_of_all()
    for name in SHARED_WITH_OTHERS:
        yield name, [_refuse(errno.EPERM)]
    for name, arguments in OF_ITSELF_ONLY.items():
        body = [step for argument in arguments for step in _refuse_unless_zero(argument)]
        if name == "ioprio_set":
            body = [*_refuse_if_equal(0, OF_A_USER), *body]
        yield name, [*body, _Instruction(_RETURN, _ALLOW)]
    for name in ATTRIBUTES:
        yield name, [_refuse(errno.EOPNOTSUPP)]
    for name in BROKERED:
        yield name, [_Instruction(_RETURN, _NOTIFY)]
    # Datagrams are sent to an address without `connect`, so nobody could look at it.
    of_streams = [
        _Instruction(_LOAD, _ARGUMENTS + 8),
        _Instruction(_AND, SOCK_TYPE_MASK),
        _Instruction(_IF_EQUAL, SOCK_STREAM, 2, 0),
        _Instruction(_IF_EQUAL, SOCK_SEQPACKET, 1, 0),
        _refuse(errno.EPROTONOSUPPORT),
        _Instruction(_RETURN, _ALLOW),
    ]
    foreign = [AF_INET, AF_INET6] if has_network else []
    yield "socketpair", [*_only_domains(AF_UNIX)[:-1], *of_streams]
    yield "socket", [*_allowed_domains(*foreign), *_only_domains(AF_UNIX)[:-1], *of_streams]


def _refuse(reason: int) -> _Instruction:
    return _Instruction(_RETURN, _ERRNO | reason)


def _refuse_if_any_bit(argument: int, bits: int) -> list[_Instruction]:
    return [
        _Instruction(_LOAD, _ARGUMENTS + 8 * argument),
        _Instruction(_IF_ANY_BIT, bits, 0, 1),
        _refuse(errno.EPERM),
    ]


def _refuse_if_equal(argument: int, value: int) -> list[_Instruction]:
    return [
        _Instruction(_LOAD, _ARGUMENTS + 8 * argument),
        _Instruction(_IF_EQUAL, value, 0, 1),
        _refuse(errno.EPERM),
    ]


def _refuse_unless_zero(argument: int) -> list[_Instruction]:
    """The kernel takes these arguments as 32 bits."""
    return [_Instruction(_LOAD, _ARGUMENTS + 8 * argument), _Instruction(_IF_EQUAL, 0, 1, 0), _refuse(errno.EPERM)]


def _allowed_domains(*domains: int) -> list[_Instruction]:
    steps = [_Instruction(_LOAD, _ARGUMENTS)] if domains else []
    for domain in domains:
        steps += [_Instruction(_IF_EQUAL, domain, 0, 1), _Instruction(_RETURN, _ALLOW)]
    return steps


def _only_domains(*domains: int) -> list[_Instruction]:
    """Refuse sockets of other kinds; ends in an allowing return."""
    last = len(domains) - 1
    tests = [_Instruction(_IF_EQUAL, domain, last - number + 1, 0) for number, domain in enumerate(domains)]
    steps = [_Instruction(_LOAD, _ARGUMENTS), *tests]
    return [*steps, _refuse(errno.EAFNOSUPPORT), _Instruction(_RETURN, _ALLOW)]
