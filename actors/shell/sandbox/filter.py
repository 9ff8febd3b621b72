"""Seccomp filter: the system calls forbidden to a command, as a program for the kernel.

The filter is the second wall, behind namespaces: it closes parts of the kernel that no command needs and that had
most of the kernel's faults, and ways to take memory and disk that cannot be counted in time.
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
    "io_setup",
    "io_submit",
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
OF_NOBODYS_MEMORY = ["memfd_create", "memfd_secret", "shmget", "msgget", "semget"]
"""Calls that make memory without an owning process, so no limit of a process counts the memory and the kernel's killer
cannot see the user; forbidden unless a control group counts the memory."""
MODE_ARGUMENT = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1, "mknod": 1, "mknodat": 2}
OPENING = {"open": (1, 2), "openat": (2, 3)}
"""Calls that make a file with certain flags -> the arguments of the flags and of the mode."""
MAKES_A_FILE = 0o100 | 0o20000000
"""O_CREAT and O_TMPFILE without O_DIRECTORY; without either flag the mode is a register's leftover."""
BEGINNING_A_SESSION = "setsid"
"""Call that makes a scheduling group if the kernel has a group per session, with as much time as the agent's group."""
PREALLOCATING = "fallocate"
"""Takes gigabytes of disk in a moment, faster than anybody could look; C libraries then write instead."""
PREALLOCATING_KIND = ord("X")
"""Kind of the `ioctl` requests with the same effect, despite any limit on a file's size; XFS brought the requests, and
all file systems have them."""
WAITING_OTHERS = (1024, 1026)
"""F_SETLEASE and F_NOTIFY of `fcntl`: a lease on a readable log makes the agent wait 45 s to open the log for writing.
"""
OF_A_USER = 3
"""IOPRIO_WHO_USER: before Linux 5.16 all processes of the command's user, the agent among them."""
NAMESPACES = 0x7E020080
"""CLONE_NEW… of `clone`: time, cgroup, uts, ipc, user, pid, net, and ns."""
SET_ID_BITS = 0o6000
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
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

    def encode(self) -> bytes:
        """As `struct sock_filter`."""
        return struct.pack("<HBBI", self.code, self.then, self.otherwise, self.operand)


@cache
def build_filter(machine: str, *, bounds_memory: bool, bounds_sessions: bool = False) -> bytes:
    """The filter, as an array of `struct sock_filter`.

    Args:
        machine: As `os.uname().machine`.
        bounds_memory: True if memory without an owning process must be forbidden, because no control group counts such
            memory.
        bounds_sessions: True if no session may be begun, because the processor is shared out among sessions.

    Raises:
        ValueError: the processor is not known.
    """
    if machine not in PROCESSORS:
        raise ValueError(f"processor {machine!r}: filters are known for {', '.join(PROCESSORS)}")
    processor = PROCESSORS[machine]
    program = [*_of_this_convention(processor)]
    for name, body in _rules(bounds_memory=bounds_memory, bounds_sessions=bounds_sessions):
        if name in processor.numbers:
            program += [_Instruction(_IF_EQUAL, processor.numbers[name], 0, len(body)), *body]
    program.append(_Instruction(_RETURN, _ALLOW))
    return b"".join(instruction.encode() for instruction in program)


_Rules = Iterator[tuple[str, list[_Instruction]]]
"""Name of a call -> instructions to decide on the call; always ends in a return."""


def _of_this_convention(processor: Processor) -> Iterator[_Instruction]:
    """Kill callers with another convention, since numbers mean other calls there; leave the number loaded."""
    yield _Instruction(_LOAD, _ARCHITECTURE)
    yield _Instruction(_IF_EQUAL, processor.audit_arch, 1, 0)
    yield _Instruction(_RETURN, _KILL_PROCESS)
    yield _Instruction(_LOAD, _NUMBER)
    if processor.first_foreign_number is not None:
        yield _Instruction(_IF_AT_LEAST, processor.first_foreign_number, 0, 1)
        yield _Instruction(_RETURN, _KILL_PROCESS)


def _rules(*, bounds_memory: bool, bounds_sessions: bool) -> _Rules:
    of_sessions = [BEGINNING_A_SESSION] if bounds_sessions else []
    for name in (*FORBIDDEN, *(OF_NOBODYS_MEMORY if bounds_memory else ()), *of_sessions):
        yield name, [_refuse(errno.EPERM)]
    yield PREALLOCATING, [_refuse(errno.EOPNOTSUPP)]
    yield "ioctl", [*_refuse_if_kind(1, PREALLOCATING_KIND), _Instruction(_RETURN, _ALLOW)]
    # Their flags lie in memory, which a filter cannot read; C libraries then use `clone` and `openat`.
    yield "clone3", [_refuse(errno.ENOSYS)]
    yield "openat2", [_refuse(errno.ENOSYS)]
    yield "clone", [*_refuse_if_any_bit(0, NAMESPACES), _Instruction(_RETURN, _ALLOW)]
    of_waiting = [step for code in WAITING_OTHERS for step in _refuse_if_equal(1, code)]
    yield "fcntl", [*of_waiting, _Instruction(_RETURN, _ALLOW)]
    yield "ioprio_set", [*_refuse_if_equal(0, OF_A_USER), _Instruction(_RETURN, _ALLOW)]
    for name, argument in MODE_ARGUMENT.items():
        yield name, [*_refuse_if_any_bit(argument, SET_ID_BITS), _Instruction(_RETURN, _ALLOW)]
    for name, (flags, mode) in OPENING.items():
        yield name, [*_refuse_if_both(flags, MAKES_A_FILE, mode, SET_ID_BITS), _Instruction(_RETURN, _ALLOW)]
    yield "socket", _only_domains(AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)


def _refuse(reason: int) -> _Instruction:
    return _Instruction(_RETURN, _ERRNO | reason)


def _refuse_if_any_bit(argument: int, bits: int) -> list[_Instruction]:
    return [
        _Instruction(_LOAD, _ARGUMENTS + 8 * argument),
        _Instruction(_IF_ANY_BIT, bits, 0, 1),
        _refuse(errno.EPERM),
    ]


def _refuse_if_both(first: int, first_bits: int, second: int, second_bits: int) -> list[_Instruction]:
    """Refuse if two arguments each have any of their bits."""
    then = _refuse_if_any_bit(second, second_bits)
    return [
        _Instruction(_LOAD, _ARGUMENTS + 8 * first),
        _Instruction(_IF_ANY_BIT, first_bits, 0, len(then)),
        *then,
    ]


def _refuse_if_equal(argument: int, value: int) -> list[_Instruction]:
    return [
        _Instruction(_LOAD, _ARGUMENTS + 8 * argument),
        _Instruction(_IF_EQUAL, value, 0, 1),
        _refuse(errno.EPERM),
    ]


def _refuse_if_kind(argument: int, kind: int) -> list[_Instruction]:
    """Refuse all requests of a kind, given by the second byte of their number."""
    return [
        _Instruction(_LOAD, _ARGUMENTS + 8 * argument),
        _Instruction(_AND, 0xFF00),
        _Instruction(_IF_EQUAL, kind << 8, 0, 1),
        _refuse(errno.EOPNOTSUPP),
    ]


def _only_domains(*domains: int) -> list[_Instruction]:
    """Refuse sockets of other kinds; ends in an allowing return."""
    last = len(domains) - 1
    tests = [_Instruction(_IF_EQUAL, domain, last - number + 1, 0) for number, domain in enumerate(domains)]
    steps = [_Instruction(_LOAD, _ARGUMENTS), *tests]
    return [*steps, _refuse(errno.EAFNOSUPPORT), _Instruction(_RETURN, _ALLOW)]
