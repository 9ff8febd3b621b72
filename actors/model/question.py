"""Question for the route of a model: what litellm has to know for it, without any key. Pure."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

import msgspec

from actors.model.route import placeholder
from messages.base import make_ready

_KEYS = re.compile(r"[A-Z0-9_]+_(API_KEY|KEY|TOKEN)")
_PLACE_NAMES = re.compile(
    r"[A-Z0-9_]+_(API_BASE|BASE_URL|API_VERSION|API_TYPE|ENDPOINT|ORGANIZATION|ORG|PROJECT)"
    r"|PATH|HOME|LANG|LC_ALL|TMPDIR|SSL_CERT_FILE|SSL_CERT_DIR|LITELLM_[A-Z0-9_]*"
)
_STAND_IN = "http://own-server.invalid"
"""Before the last part of an address: so many addresses of servers of one's own are one question."""
_END = "/v1"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Inputs that determine a route."""

    model: str
    """As litellm names it."""
    api_base: str
    """Of a server of one's own; empty for the provider's."""
    key_names: tuple[str, ...]
    """Variables whose keys are handed over."""
    environment: tuple[tuple[str, str], ...]
    """Of the environment what litellm may go by, with placeholders for keys."""


def question_for(model: str, api_base: str, key_names: Iterable[str], environment: Mapping[str, str]) -> Question:
    """The question; equal for all that has the same answer.

    Args:
        model: As litellm names it.
        api_base: Of a server of one's own; empty for the provider's.
        key_names: Variables whose keys are handed over.
        environment: The process's; no key is taken from it.
    """
    said = []
    for name, value in sorted(environment.items()):
        if _KEYS.fullmatch(name):
            said.append((name, placeholder(name)))
        elif _PLACE_NAMES.fullmatch(name):
            said.append((name, value))
    front = _front(api_base)
    return Question(
        model=model,
        api_base=_STAND_IN + api_base[len(front) :] if front else api_base,
        key_names=tuple(sorted(name for name in key_names if name.isidentifier())),
        environment=tuple(said),
    )


def address_for(address: str, api_base: str) -> str:
    """The address of a route's answer, of the server that was asked about."""
    front = _front(api_base)
    return front + address[len(_STAND_IN) :] if front and address.startswith(_STAND_IN) else address


def _front(api_base: str) -> str:
    """Irrelevant front of a base: a machine without a name, or the path before the version; empty if there is none.

    litellm treats some hosts by their names, so named hosts stay.
    """
    base = api_base.rstrip("/")
    try:
        host = urlsplit(base).hostname or ""
        is_nameless = host == "localhost" or bool(ipaddress.ip_address(host))
    except ValueError:
        is_nameless = False
    return base.removesuffix(_END) if is_nameless and base.endswith(_END) and "?" not in base else ""


make_ready(__name__)
