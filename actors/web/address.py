"""Form of addresses that may be read; targets are judged when connecting."""

from __future__ import annotations

from yarl import URL

from actors.web.errors import WebError

MAX_URL_CHARACTERS = 4_000
_PORTS = (80, 443)
_FIRST_FREE_PORT = 1024


def page_url(text: str) -> URL:
    """Address in `text`, if its form allows reading; the target is judged when connecting.

    Raises:
        WebError: the address is malformed, or breaks a rule.
    """
    quoted = repr(text[:200])
    if len(text) > MAX_URL_CHARACTERS:
        raise WebError(f"the address {quoted}… has {len(text)} characters: at most {MAX_URL_CHARACTERS} are read")
    try:
        url = URL(text.strip())
        port = url.port
        host = url.host
    except ValueError as error:
        raise WebError(f"{quoted} is not an address: {error}") from None
    if url.scheme not in ("http", "https") or not host:
        raise WebError(f"{quoted}: only http:// and https:// addresses with a host are read")
    if url.user is not None or url.password is not None:
        raise WebError("addresses with a user name or password are not read")
    if port not in _PORTS and (port is None or port < _FIRST_FREE_PORT):
        raise WebError(f"port {port} is not read: only 80, 443 and those from {_FIRST_FREE_PORT} on")
    return url
