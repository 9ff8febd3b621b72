"""Guard against requests to private addresses (SSRF): blocks reads from this machine and its network."""

from __future__ import annotations

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

AddressInfo = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]
"""Entry of the result of `socket.getaddrinfo`."""

MAX_RECEIVED_BYTES = 4 * 1024 * 1024
"""Most bytes on a connection; twice the limit of a page, to leave room for headers and frames."""
_CLOSED_V4 = tuple(
    map(
        IPv4Network,
        (
            "192.0.0.0/24",  # protocol assignments, of which older Pythons take parts for public; Oracle's metadata
            "192.88.99.0/24",  # relays of 6to4
            "168.63.129.16/32",  # Azure's metadata and resolver
            "192.80.8.124/32",  # Equinix Metal's metadata
            "161.26.0.0/16",  # IBM's services within its cloud, and the next
            "166.8.0.0/14",
        ),
    )
)
"""Internal networks of clouds and operators, missing from the registries of special addresses."""
_OPEN_V6 = IPv6Network("2000::/3")
"""Global unicast: all else is of links, sites, groups and translations."""
_CLOSED_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
            "2001:db8::/32",  # documentation, and the last
            "2002::/16",  # 6to4: leads to any IPv4 address
            "3ffe::/16",  # given back
            "3fff::/20",
        ),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
"""Marker before the IPv4 address in the lower half of an ISATAP address, in any network."""
HostPort = tuple[str, int]
"""IP address and port."""


class ForbiddenAddressError(OSError):
    """A host name led to a forbidden address."""


def is_public(address: str) -> bool:
    """True if an IP address belongs to the internet at large."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = _embedded(ip)
        return _is_open_v6(ip) if inner is None else is_public(str(inner))
    is_special = ip.is_multicast or ip.is_reserved or ip.is_unspecified
    return ip.is_global and not is_special and not any(ip in network for network in _CLOSED_V4)


def is_own(address: str, family: int) -> bool:
    """True if `address` is one of this machine's own; no packet is sent to find out."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, 9))
        except OSError:
            return False  # no way there: connecting will fail as well
        return bool(probe.getsockname()[0] == address)


class TooMuchReceivedError(OSError):
    """A server sent more than a connection may bring."""


class PublicAddresses:
    """Socket factory that refuses addresses outside the public internet and counts the bytes its sockets receive.

    The factory sees the very address of the connection. So neither a redirect nor a name that changes between two
    look-ups (DNS rebinding) nor an odd spelling of an address gets past the guard.
    """

    def __init__(
        self,
        also_open: frozenset[HostPort] = frozenset(),
        most_bytes: int = MAX_RECEIVED_BYTES,
        owns: Callable[[str, int], bool] = is_own,
    ) -> None:
        """Begin without sockets.

        Args:
            also_open: Allowed addresses outside the public internet.
            most_bytes: Most bytes a socket may receive, of any kind.
            owns: True if an address is this machine's.
        """
        self._owns = owns
        self._also_open = also_open
        self._most_bytes = most_bytes
        self.received_bytes = 0
        """Bytes received by all sockets."""

    def __call__(self, info: AddressInfo) -> socket.socket:
        """Make a socket for the address.

        Raises:
            ForbiddenAddressError: the address is not public.
        """
        family, kind, protocol, _, host_port = info
        host, port = host_port[:2]
        if (host, port) in self._also_open:
            return _BoundedSocket(self, family, kind, protocol)
        if not is_public(host):
            raise ForbiddenAddressError(f"{host} is not a public address: only those are read")
        if self._owns(host, family):
            raise ForbiddenAddressError(f"{host} is an address of this machine: only other public ones are read")
        return _BoundedSocket(self, family, kind, protocol)

    def count(self, size: int, total: int) -> None:
        """Count bytes received by a socket.

        Raises:
            TooMuchReceivedError: the socket has received too many bytes.
        """
        self.received_bytes += size
        if total > self._most_bytes:
            raise TooMuchReceivedError(f"the server sent more than {self._most_bytes} bytes")


class _BoundedSocket(socket.socket):
    """Socket that counts bytes below headers, compression and chunk frames, so no answer can hide its length."""

    def __init__(self, meter: PublicAddresses, family: int, kind: int, protocol: int) -> None:
        super().__init__(family, kind, protocol)
        self._meter = meter
        self._total = 0

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        data = super().recv(bufsize, flags)
        self._count(len(data))
        return data

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0, /) -> int:
        size = super().recv_into(buffer, nbytes, flags)
        self._count(size)
        return size

    def _count(self, size: int) -> None:
        self._total += size
        self._meter.count(size, self._total)


def _is_open_v6(ip: IPv6Address) -> bool:
    leads_to_v4 = int(ip) >> 32 & 0xFFFF_FFFF in _ISATAP
    return ip in _OPEN_V6 and ip.is_global and not leads_to_v4 and not any(ip in network for network in _CLOSED_V6)


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address embedded in an IPv6 address, as networks without IPv4 name public addresses."""
    return IPv4Address(int(ip) & 0xFFFF_FFFF) if ip in _NAT64 else ip.ipv4_mapped
