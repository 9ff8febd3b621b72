from __future__ import annotations

import errno
import struct
from dataclasses import dataclass

import pytest

from actors.linux.syscall_numbers import PROCESSORS
from actors.shell.sandbox.filter import FORBIDDEN, OF_NOBODYS_MEMORY, build_filter

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
MACHINES = tuple(PROCESSORS)
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK = 1, 2, 10, 16, 17, 40
STREAM, DATAGRAM, CLOEXEC = 1, 2, 0o2000000
RESERVING = (0x40305828, 0x4030582A, 0x40305839, 0x4030580A, 0x40305824)
"""FS_IOC_RESVSP, _RESVSP64 and _ZERO_RANGE, XFS_IOC_ALLOCSP and _ALLOCSP64: take blocks of the disk."""

NEEDED_BY_NO_COMMAND = {
    "other processes": "ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd",
    "keys": "keyctl add_key request_key",
    "programs in the kernel, and faults that it hands out": "bpf userfaultfd perf_event_open",
    "queues of work": "io_setup io_submit io_uring_setup io_uring_enter io_uring_register",
    "mounts": "mount umount2 pivot_root move_mount open_tree open_tree_attr fsopen fsconfig fsmount fspick mount_setattr "
    "statmount listmount",
    "namespaces and roots": "setns unshare chroot",
    "the machine": "kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff reboot acct quotactl "
    "quotactl_fd syslog lookup_dcookie iopl ioperm modify_ldt vhangup",
    "the clock": "settimeofday clock_settime clock_adjtime adjtimex",
    "files past their paths": "open_by_handle_at name_to_handle_at fanotify_init fanotify_mark",
    "memory of others": "move_pages migrate_pages",
}
OF_NO_PROCESS = "memfd_create memfd_secret shmget msgget semget"


@dataclass(frozen=True)
class Machine:
    """Runs a filter as the kernel does."""

    name: str
    program: bytes

    def verdict(self, name: str, *arguments: int) -> int:
        processor = PROCESSORS[self.name]
        return self.run(processor.numbers[name], processor.audit_arch, arguments)

    def run(self, number: int, convention: int, arguments: tuple[int, ...] = ()) -> int:
        data = struct.pack("=IIQ6Q", number, convention, 0, *(*arguments, *(0,) * 6)[:6])
        steps = list(struct.iter_unpack("<HBBI", self.program))
        at = accumulator = 0
        while True:
            code, then, otherwise, operand = steps[at]
            at += 1
            match code:
                case 0x20:
                    accumulator = struct.unpack_from("=I", data, operand)[0]
                case 0x54:
                    accumulator &= operand
                case 0x06:
                    return int(operand)
                case 0x15:
                    at += then if accumulator == operand else otherwise
                case 0x45:
                    at += then if accumulator & operand else otherwise
                case 0x35:
                    at += then if accumulator >= operand else otherwise
                case _:
                    raise AssertionError(f"no such instruction: {code:#x}")


@pytest.fixture(params=MACHINES)
def grouped_machine(request: pytest.FixtureRequest) -> Machine:
    """As where a control group bounds the command's memory."""
    return Machine(request.param, build_filter(request.param, bounds_memory=False))


@pytest.fixture(params=MACHINES)
def ungrouped_machine(request: pytest.FixtureRequest) -> Machine:
    """As where none does."""
    return Machine(request.param, build_filter(request.param, bounds_memory=True))


def refusal_code(reason: int) -> int:
    return ERRNO | reason


def test_what_is_named_is_refused_and_the_rest_allowed(grouped_machine: Machine, ungrouped_machine: Machine) -> None:
    for machine in (grouped_machine, ungrouped_machine):
        numbers = PROCESSORS[machine.name].numbers
        for name in FORBIDDEN:
            if name in numbers:
                assert machine.verdict(name) == refusal_code(errno.EPERM), name
        free = set(range(500)) - set(numbers.values())
        assert {machine.run(number, PROCESSORS[machine.name].audit_arch) for number in free} == {ALLOW}


def test_every_class_of_calls_that_no_command_needs_is_named(ungrouped_machine: Machine) -> None:
    """The product's own lists are not asked: what goes missing there would go missing here."""
    numbers = PROCESSORS[ungrouped_machine.name].numbers
    for calls in (*NEEDED_BY_NO_COMMAND.values(), OF_NO_PROCESS):
        for name in calls.split():
            if name in numbers:
                assert ungrouped_machine.verdict(name) == refusal_code(errno.EPERM), name
    named = {name for calls in NEEDED_BY_NO_COMMAND.values() for name in calls.split()}
    assert (named, OF_NO_PROCESS.split()) == (set(FORBIDDEN), OF_NOBODYS_MEMORY)


def test_another_calling_convention_ends_the_process(grouped_machine: Machine, ungrouped_machine: Machine) -> None:
    for machine in (grouped_machine, ungrouped_machine):
        processor = PROCESSORS[machine.name]
        assert machine.run(1, 0x40000003) == KILL
        if processor.first_foreign_number is not None:
            assert machine.run(processor.first_foreign_number + 1, processor.audit_arch) == KILL


def test_processes_and_threads_are_made_but_no_namespaces(grouped_machine: Machine, ungrouped_machine: Machine) -> None:
    for machine in (grouped_machine, ungrouped_machine):
        assert machine.verdict("clone", 0x01200011) == ALLOW
        assert machine.verdict("clone", 0x003D0F00) == ALLOW
        for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
            assert machine.verdict("clone", flag | 17) == refusal_code(errno.EPERM)
        assert machine.verdict("clone3") == refusal_code(errno.ENOSYS)


def test_modes_are_set_but_for_set_id_bits(grouped_machine: Machine) -> None:
    assert grouped_machine.verdict("fchmodat", 0, 0, 0o755) == ALLOW
    for bits in (0o4755, 0o2755):
        assert grouped_machine.verdict("fchmodat", 0, 0, bits) == refusal_code(errno.EPERM)
        assert grouped_machine.verdict("fchmod", 0, bits) == refusal_code(errno.EPERM)


def test_no_file_is_made_with_set_id_bits_whatever_call_makes_it(subtests: pytest.Subtests) -> None:
    """A mode that a call does not use may be anything: what a register held before."""
    creating, nameless, only_opening = 0o101, 0o20200002, 0o2000000
    for name in MACHINES:
        machine = Machine(name, build_filter(name, bounds_memory=False))
        numbers = PROCESSORS[name].numbers
        for bits in (0o4755, 0o2755, 0o106755):
            for call, before in {"mknod": 1, "mknodat": 2, "creat": 1}.items():
                with subtests.test(machine=name, call=call, bits=oct(bits)):
                    if call in numbers:
                        assert machine.verdict(call, *[0] * before, bits) == refusal_code(errno.EPERM)
                        assert machine.verdict(call, *[0] * before, bits & 0o100777) == ALLOW
            for call, before in {"open": 1, "openat": 2}.items():
                with subtests.test(machine=name, call=call, bits=oct(bits)):
                    if call in numbers:
                        for flags in (creating, nameless):
                            assert machine.verdict(call, *[0] * before, flags, bits) == refusal_code(errno.EPERM)
                            assert machine.verdict(call, *[0] * before, flags, bits & 0o777) == ALLOW
                        assert machine.verdict(call, *[0] * before, only_opening, bits) == ALLOW
        assert machine.verdict("openat2") == refusal_code(errno.ENOSYS), "its mode lies in memory"


def test_a_session_is_begun_unless_the_kernel_would_give_each_as_much_of_the_processor(
    subtests: pytest.Subtests,
) -> None:
    for name in MACHINES:
        for bounds_memory in (False, True):
            with subtests.test(machine=name, bounds_memory=bounds_memory):
                free = Machine(name, build_filter(name, bounds_memory=bounds_memory))
                bounded = Machine(name, build_filter(name, bounds_memory=bounds_memory, bounds_sessions=True))
                assert free.verdict("setsid") == ALLOW
                assert bounded.verdict("setsid") == refusal_code(errno.EPERM)


def test_sockets_of_the_usual_kinds_are_made(grouped_machine: Machine) -> None:
    for domain in (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK):
        assert grouped_machine.verdict("socket", domain, DATAGRAM) == ALLOW
    for domain in (AF_PACKET, AF_VSOCK, 38):
        assert grouped_machine.verdict("socket", domain, STREAM) == refusal_code(errno.EAFNOSUPPORT)


def test_memory_of_nobodys_is_made_only_where_a_group_counts_it(
    grouped_machine: Machine, ungrouped_machine: Machine
) -> None:
    for name in OF_NOBODYS_MEMORY:
        assert grouped_machine.verdict(name) == ALLOW
        assert ungrouped_machine.verdict(name) == refusal_code(errno.EPERM)


def test_disk_is_not_taken_in_advance_and_others_are_not_made_to_wait(grouped_machine: Machine) -> None:
    assert grouped_machine.verdict("fallocate") == refusal_code(errno.EOPNOTSUPP)
    for request in RESERVING:
        assert grouped_machine.verdict("ioctl", 3, request) == refusal_code(errno.EOPNOTSUPP)
        assert grouped_machine.verdict("ioctl", 3, request | 1 << 40) == refusal_code(errno.EOPNOTSUPP)
    for request in (0x5401, 0x541B, 0x40049409):
        assert grouped_machine.verdict("ioctl", 3, request) == ALLOW
    for code in (1024, 1026):
        assert grouped_machine.verdict("fcntl", 3, code) == refusal_code(errno.EPERM)
    assert grouped_machine.verdict("fcntl", 3, 1) == ALLOW
    assert grouped_machine.verdict("ioprio_set", 3, 0) == refusal_code(errno.EPERM)
    assert grouped_machine.verdict("ioprio_set", 1, 0) == ALLOW


def test_a_processor_that_is_not_known_has_no_filter() -> None:
    with pytest.raises(ValueError, match="processor 'riscv64': filters are known for x86_64, aarch64"):
        build_filter("riscv64", bounds_memory=True)


def test_the_kernel_takes_no_longer_program(grouped_machine: Machine, ungrouped_machine: Machine) -> None:
    assert max(len(grouped_machine.program), len(ungrouped_machine.program)) // 8 <= 4096
