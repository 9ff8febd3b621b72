"""Environment of HTTP clients: the operator's variables for proxies and certificates, read alike by all clients."""

from __future__ import annotations

import ipaddress
import logging
import os
import ssl
import urllib.request
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import certifi

log = logging.getLogger(__name__)

_PORTS = {"http": 80, "https": 443}
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables with a file or a folder of certificates; the first variable set counts."""


def proxy_for(address: str) -> str | None:
    """Proxy for an address from the environment; None for loopback, an exempt host, or without a usable proxy."""
    parts = urlsplit(address)
    host = (parts.hostname or "").rstrip(".")
    proxies = urllib.request.getproxies()
    if _is_loopback(host) or _is_exempt(host, parts.port or _PORTS.get(parts.scheme, 0), proxies.get("no", "")):
        return None
    for name in (parts.scheme, "all"):
        proxy = proxies.get(name, "")
        proxy = f"http://{proxy}" if proxy and "://" not in proxy else proxy
        scheme = urlsplit(proxy).scheme
        if scheme in _PORTS:
            return proxy
        if proxy:
            _say_unsupported(f"{name.upper()}_PROXY", scheme)
    return None


def proxy_name(proxy: str) -> str:
    """Host and port of a proxy, without any user and password in the address."""
    return urlsplit(proxy).netloc.rpartition("@")[2]


@cache
def trusted_certificates() -> ssl.SSLContext:
    """The operator's certificates, else the packages' certificates; read once in a process, for 30 ms."""
    for name in _CERTIFICATES:
        if not (value := os.environ.get(name)):
            continue
        place = Path(value)
        try:
            if place.is_dir():
                return ssl.create_default_context(capath=value)
            return ssl.create_default_context(cafile=value)
        except OSError as error:  # ssl.SSLError is one
            log.warning("%s %r has no certificates that can be read, and is not used: %s", name, value, error)
    return ssl.create_default_context(cafile=certifi.where())


@cache
def _say_unsupported(name: str, scheme: str) -> None:
    log.warning("%s names a %s proxy, which is not supported (http and https are): calls go without it", name, scheme)


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _is_exempt(host: str, port: int, exempt: str) -> bool:
    """True if a host is in a list in the form of NO_PROXY: names with subdomains, addresses, networks, and `*`."""
    for each in filter(None, (part.strip().casefold() for part in exempt.replace(" ", ",").split(","))):
        name, _, named_port = each.rpartition(":") if each.count(":") == 1 else (each, "", "")
        if named_port and named_port != str(port):
            continue
        if name == "*" or _is_in_network(host, name.strip("[]")):
            return True
        name = name.removeprefix("*").removeprefix(".")
        if name and (host == name or host.endswith(f".{name}")):
            return True
    return False


def _is_in_network(host: str, network: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    return False
