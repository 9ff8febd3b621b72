"""Guard against requests to private addresses (SSRF): nothing of this machine or its network is read."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from yarl import URL

from actors.web.errors import WebError

AddressInfo = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int]]
"""What `socket.getaddrinfo` gives for each address."""

MAX_URL_CHARACTERS = 4_000
_PROTOCOL_ASSIGNMENTS = IPv4Network("192.0.0.0/24")  # older Pythons take parts of it for public
_NAT64 = IPv6Network("64:ff9b::/96")
_PORTS = (80, 443)
_FIRST_FREE_PORT = 1024


HostPort = tuple[str, int]
"""IP address and port."""


class ForbiddenAddressError(OSError):
    """A host name led to an address that may not be read."""


def page_url(text: str) -> URL:
    """The address that `text` names, if its form allows reading it; where it leads is judged when connecting.

    Raises:
        WebError: it is malformed, or breaks a rule.
    """
    quoted = repr(text[:200])
    if len(text) > MAX_URL_CHARACTERS:
        raise WebError(f"the address {quoted}… has {len(text)} characters: at most {MAX_URL_CHARACTERS} are read")
    try:
        url = URL(text.strip())
        port = url.port
    except ValueError as error:
        raise WebError(f"{quoted} is not an address: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise WebError(f"{quoted}: only http:// and https:// addresses with a host are read")
    if url.user is not None or url.password is not None:
        raise WebError("addresses with a user name or password are not read")
    if port not in _PORTS and (port is None or port < _FIRST_FREE_PORT):
        raise WebError(f"port {port} is not read: only 80, 443 and those from {_FIRST_FREE_PORT} on")
    return url


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the internet at large."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        inner = _embedded(ip)
        if inner is not None:
            return is_public(str(inner))
        if ip.is_site_local:
            return False
    elif ip in _PROTOCOL_ASSIGNMENTS:
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not ip.is_unspecified


def is_own(address: str, family: int) -> bool:
    """Whether `address` is one of this machine's own; nothing is sent to find out."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, 9))
        except OSError:
            return False  # no way there: connecting will fail as well
        return bool(probe.getsockname()[0] == address)


class PublicAddresses:
    """Socket factory that refuses addresses which are not public.

    It sees the very address that is connected to, so neither a redirect nor a name that changes its mind between two
    look-ups (DNS rebinding) nor an odd spelling of an address gets past it.
    """

    def __init__(self, also_open: frozenset[HostPort] = frozenset()) -> None:
        """Nothing is opened yet.

        Args:
            also_open: What may be read though it is not public.
        """
        self._also_open = also_open

    def __call__(self, info: AddressInfo) -> socket.socket:
        """A socket for that address.

        Raises:
            ForbiddenAddressError: it is not public.
        """
        family, kind, protocol, _, host_port = info
        host, port = host_port[:2]
        if (host, port) in self._also_open:
            return socket.socket(family, kind, protocol)
        if not is_public(host):
            raise ForbiddenAddressError(f"{host} is not a public address: only those are read")
        if is_own(host, family):
            raise ForbiddenAddressError(f"{host} is an address of this machine: only other public ones are read")
        return socket.socket(family, kind, protocol)


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address to which an IPv6 address leads by way of some translation."""
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    teredo = ip.teredo
    return ip.ipv4_mapped or ip.sixtofour or (teredo[1] if teredo else None)
