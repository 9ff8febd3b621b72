from __future__ import annotations

import errno
import struct
from dataclasses import dataclass

import pytest

from actors.linux.syscall_numbers import PROCESSORS
from actors.shell.sandbox.filter import BROKERED, FORBIDDEN, OF_ITSELF_ONLY, SHARED_WITH_OTHERS, build_filter

ALLOW, KILL, NOTIFY, ERRNO = 0x7FFF0000, 0x80000000, 0x7FC00000, 0x00050000
MACHINES = tuple(PROCESSORS)
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK = 1, 2, 10, 16, 17, 40
STREAM, DATAGRAM, CLOEXEC = 1, 2, 0o2000000


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
def wrapped(request: pytest.FixtureRequest) -> Machine:
    """As inside bubblewrap."""
    return Machine(request.param, build_filter(request.param, has_namespaces=True, has_network=False))


@pytest.fixture(params=MACHINES)
def alone(request: pytest.FixtureRequest) -> Machine:
    """As with Landlock."""
    return Machine(request.param, build_filter(request.param, has_namespaces=False, has_network=False))


def refused(reason: int) -> int:
    return ERRNO | reason


def test_what_is_named_is_refused_and_the_rest_allowed(wrapped: Machine, alone: Machine) -> None:
    for machine in (wrapped, alone):
        numbers = PROCESSORS[machine.name].numbers
        for name in FORBIDDEN:
            if name in numbers:
                assert machine.verdict(name) == refused(errno.EPERM), name
        free = set(range(500)) - set(numbers.values())
        assert {machine.run(number, PROCESSORS[machine.name].audit_arch) for number in free} == {ALLOW}


def test_another_calling_convention_ends_the_process(wrapped: Machine, alone: Machine) -> None:
    for machine in (wrapped, alone):
        processor = PROCESSORS[machine.name]
        assert machine.run(1, 0x40000003) == KILL
        if processor.first_foreign_number is not None:
            assert machine.run(processor.first_foreign_number + 1, processor.audit_arch) == KILL


def test_processes_and_threads_are_made_but_no_namespaces(wrapped: Machine, alone: Machine) -> None:
    for machine in (wrapped, alone):
        assert machine.verdict("clone", 0x01200011) == ALLOW
        assert machine.verdict("clone", 0x003D0F00) == ALLOW
        for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
            assert machine.verdict("clone", flag | 17) == refused(errno.EPERM)
        assert machine.verdict("clone3") == refused(errno.ENOSYS)


def test_with_namespaces_modes_are_set_but_for_set_id_bits(wrapped: Machine) -> None:
    assert wrapped.verdict("fchmodat", 0, 0, 0o755) == ALLOW
    for bits in (0o4755, 0o2755):
        assert wrapped.verdict("fchmodat", 0, 0, bits) == refused(errno.EPERM)
        assert wrapped.verdict("fchmod", 0, bits) == refused(errno.EPERM)


def test_with_namespaces_sockets_of_the_usual_kinds_are_made(wrapped: Machine) -> None:
    for domain in (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK):
        assert wrapped.verdict("socket", domain, DATAGRAM) == ALLOW
    for domain in (AF_PACKET, AF_VSOCK, 38):
        assert wrapped.verdict("socket", domain, STREAM) == refused(errno.EAFNOSUPPORT)


def test_alone_only_unix_sockets_that_must_connect_are_made(alone: Machine) -> None:
    for call in ("socket", "socketpair"):
        assert alone.verdict(call, AF_UNIX, STREAM | CLOEXEC) == ALLOW
        assert alone.verdict(call, AF_UNIX, 5) == ALLOW
        assert alone.verdict(call, AF_UNIX, DATAGRAM | CLOEXEC) == refused(errno.EPROTONOSUPPORT)
        for domain in (AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK):
            assert alone.verdict(call, domain, STREAM) == refused(errno.EAFNOSUPPORT)


@pytest.mark.parametrize("machine", MACHINES)
def test_alone_with_the_network_on_sockets_to_other_machines_are_made(machine: str) -> None:
    opened = Machine(machine, build_filter(machine, has_namespaces=False, has_network=True))
    for domain in (AF_INET, AF_INET6):
        assert opened.verdict("socket", domain, DATAGRAM) == ALLOW
    assert opened.verdict("socket", AF_UNIX, DATAGRAM) == refused(errno.EPROTONOSUPPORT)
    assert opened.verdict("socket", AF_PACKET, STREAM) == refused(errno.EAFNOSUPPORT)


def test_alone_limits_and_priorities_are_changed_for_oneself_only(alone: Machine) -> None:
    for name, arguments in OF_ITSELF_ONLY.items():
        assert alone.verdict(name) == ALLOW
        for argument in arguments:
            foreign = [0] * 6
            foreign[argument] = 4711
            assert alone.verdict(name, *foreign) == refused(errno.EPERM), name


def test_alone_what_landlock_does_not_rule_over_is_asked_for_or_refused(alone: Machine) -> None:
    numbers = PROCESSORS[alone.name].numbers
    assert {alone.verdict(name) for name in BROKERED if name in numbers} == {NOTIFY}
    assert {alone.verdict(name) for name in SHARED_WITH_OTHERS} == {refused(errno.EPERM)}
    assert alone.verdict("setxattr") == refused(errno.EOPNOTSUPP)


def test_a_processor_that_is_not_known_has_no_filter() -> None:
    with pytest.raises(ValueError, match="processor 'riscv64': filters are known for x86_64, aarch64"):
        build_filter("riscv64", has_namespaces=True, has_network=False)


def test_the_kernel_takes_no_longer_program(wrapped: Machine, alone: Machine) -> None:
    assert max(len(wrapped.program), len(alone.program)) // 8 <= 4096
