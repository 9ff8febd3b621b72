"""Names of conversations in a request's path and headers, for clients that cannot add a field to the body."""

from __future__ import annotations

import re
from urllib.parse import unquote

from aiohttp import web

from actors.gateway.errors import GatewayError
from domain.facts.chat_request import MOST_ID_CHARS

HEADERS = ("X-Memory-Id", "X-OpenWebUI-Chat-Id")
_NAMED = re.compile(r"/+v1/+([^/?]+)/+((?:chat/+completions|completions|embeddings|models|responses)/*(?:\?.*)?)")


def split_path(target: str) -> tuple[str, str]:
    """Conversation in a path, and the path without the name: `/v1/alice/models` is alice's `/v1/models`."""
    named = _NAMED.fullmatch(target)
    if named is None or named[1] in ("chat", "models"):
        return "", target
    return unquote(named[1]), f"/v1/{named[2]}"


def named_conversation(request: web.Request) -> str | None:
    """Conversation by the path, else by a header; None without a name.

    Raises:
        GatewayError: the name is too long.
    """
    name = split_path(request.raw_path)[0] or next(filter(None, map(request.headers.get, HEADERS)), None)
    if name is not None and (len(name) > MOST_ID_CHARS or not name.strip()):
        raise GatewayError(400, f"memory_id {name[:60]!r}: a text of 1 to {MOST_ID_CHARS} characters is required")
    return name
