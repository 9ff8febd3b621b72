"""Owner of a TCP connection's other end on this machine, by the kernel's tables of sockets."""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
OVERFLOW_UID = Path("/proc/sys/kernel/overflowuid")
"""Uid for every user without a uid in this process's user namespace."""
_NOBODY = 65_534

Endpoint = tuple[str, int]
"""IP address and port."""


def uid_of_peer(peer: Endpoint, own: Endpoint, tables: Sequence[Path] = TABLES) -> int | None:
    """Uid of the owner of a loopback connection's other end; None if the kernel does not tell.

    A socket closed by its process has no owner any more: the kernel names root, with no inode. With thousands of
    sockets the look-up takes milliseconds, so an event loop calls this function in a thread.

    Args:
        peer: The other end, from `getpeername`.
        own: This end, from `getsockname`.
        tables: Files in the form of `/proc/net/tcp`, the same for all processes of a network namespace.
    """
    addresses = _plain(peer[0]), _plain(own[0])
    if not all(address.is_loopback for address in addresses) or (peer[1], addresses[0]) == (own[1], addresses[1]):
        return None
    rows = {
        f"{_table_words(peer[0], as_ipv6=wide)}:{peer[1]:04X} {_table_words(own[0], as_ipv6=wide)}:{own[1]:04X} "
        for wide in (False, True)
    }
    for table in tables:
        try:
            text = table.read_text("ascii", "replace")
        except OSError:
            continue
        for row in rows:
            if (place := text.find(f": {row}")) >= 0 and (uid := _owner(text[place:].partition("\n")[0])) is not None:
                return uid
    return None


def tells_uids(host: str, uid: int) -> bool:
    """True if the kernel names `uid`, this process's own, as the owner of this process's connection at `host`."""
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
    """The address; an IPv4 address mapped into IPv6 in its IPv4 form."""
    parsed = ip_address(address.partition("%")[0])
    return (parsed.ipv4_mapped or parsed) if isinstance(parsed, IPv6Address) else parsed


def _table_words(address: str, *, as_ipv6: bool) -> str:
    """Address in the notation of the kernel's tables: words of 32 bits, each in the byte order of the machine."""
    plain = _plain(address)
    packed = b"\0" * 10 + b"\xff\xff" + plain.packed if as_ipv6 and isinstance(plain, IPv4Address) else plain.packed
    return "".join(f"{word:08X}" for word in struct.unpack(f"={len(packed) // 4}I", packed))


def _owner(row: str) -> int | None:
    """Uid of a row without its leading number; None without an inode, or for a user without a uid here."""
    fields = row.split()
    with suppress(ValueError, IndexError):
        uid, inode = int(fields[7]), int(fields[9])
        return uid if inode and uid != _overflow_uid() else None
    return None


def _overflow_uid() -> int:
    try:
        return int(OVERFLOW_UID.read_text("ascii"))
    except (OSError, ValueError):
        return _NOBODY
