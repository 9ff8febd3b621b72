"""Owner of a TCP connection's other end on this machine, as the kernel's tables of sockets name it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
OVERFLOW_UID = Path("/proc/sys/kernel/overflowuid")
"""Uid that stands for every user who has none in this process's user namespace."""
_NOBODY = 65_534
_WORD = 8
"""Hexadecimal digits of one 32-bit word, in the byte order of the machine."""
_FIELDS = 10
"""Columns of a row up to and with the inode."""

Endpoint = tuple[str, int]
"""IP address and port."""


def uid_of_peer(peer: Endpoint, own: Endpoint, tables: Sequence[Path] = TABLES) -> int | None:
    """Uid of the user whose socket is the other end of a loopback connection; None if the kernel does not tell.

    A socket that its process has closed has no owner any more: the kernel names root, with no inode.

    Args:
        peer: The other end, as `getpeername` gives it.
        own: This end, as `getsockname` gives it.
        tables: Files in the form of `/proc/net/tcp`, which are the same for all processes of a network namespace.
    """
    wanted = {(_plain(peer[0]), peer[1]), (_plain(own[0]), own[1])}
    if len(wanted) < 2 or not all(address.is_loopback for address, _ in wanted):
        return None
    first, second = (_plain(peer[0]), peer[1]), (_plain(own[0]), own[1])
    for table in tables:
        for local, remote, uid, inode in _rows(table, peer[1]):
            if (local, remote) == (first, second) and inode and uid != _overflow_uid():
                return uid
    return None


def tells_uids(host: str, uid: int) -> bool:
    """True if the kernel names `uid`, this process's own, as the owner of a connection that it makes at `host`."""
    with suppress(OSError):
        family, _, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as listener:
            listener.bind(address)
            listener.listen(1)
            with socket.create_connection(listener.getsockname()[:2], timeout=1.0) as client:
                accepted, _ = listener.accept()
                with accepted:
                    return uid_of_peer(client.getsockname()[:2], accepted.getsockname()[:2]) == uid
    return False


def _plain(address: str) -> IPv4Address | IPv6Address:
    """The address; one of IPv4 that is mapped into IPv6 as that of IPv4."""
    parsed = ip_address(address.partition("%")[0])
    return (parsed.ipv4_mapped or parsed) if isinstance(parsed, IPv6Address) else parsed


def _rows(
    table: Path, port: int
) -> Iterator[tuple[tuple[IPv4Address | IPv6Address, int], tuple[IPv4Address | IPv6Address, int], int, int]]:
    """Local end, remote end, uid and inode of each socket in `table` whose local port is `port`."""
    try:
        text = table.read_text("ascii", "replace")
    except OSError:
        return
    ending = f":{port:04X}"
    for line in text.splitlines()[1:]:
        fields = line.split(None, _FIELDS)
        if len(fields) >= _FIELDS and fields[1].endswith(ending):
            with suppress(ValueError):
                yield _endpoint(fields[1]), _endpoint(fields[2]), int(fields[7]), int(fields[9])


def _endpoint(field: str) -> tuple[IPv4Address | IPv6Address, int]:
    """Endpoint that the kernel writes as words of the machine's byte order, a colon, and the port.

    Raises:
        ValueError: `field` has another form.
    """
    digits, _, port = field.partition(":")
    words = [int(digits[start : start + _WORD], 16) for start in range(0, len(digits), _WORD)]
    return _plain(str(ip_address(struct.pack(f"={len(words)}I", *words)))), int(port, 16)


def _overflow_uid() -> int:
    try:
        return int(OVERFLOW_UID.read_text("ascii"))
    except (OSError, ValueError):
        return _NOBODY
