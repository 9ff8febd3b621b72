"""Agreement of head and hosts: the actors on a host, and the encoding of messages. Pure."""

from __future__ import annotations

from actors.cluster.wire import HEAD, Codec, every_message
from messages.base import CONTEXT_KIND
from messages.model import LOCAL_MODEL, MODEL
from messages.shell import SHELL
from messages.skills import SKILLS
from messages.socket import SOCKET
from messages.web import WEB

DOUBLED = frozenset(address.kind for address in (MODEL, SHELL, SKILLS, SOCKET, WEB)) | {LOCAL_MODEL}
"""Kinds that the head and each host have: helpers of turns and commands, at no hop's cost."""
HOST_KINDS = DOUBLED | {CONTEXT_KIND}
"""All kinds of a host; messages to any other kind go to the head."""


def head_codec() -> Codec:
    """The head's side of all links."""
    return Codec(HEAD, DOUBLED, every_message())


def host_codec(name: str) -> Codec:
    """Codec of a host's side of the link."""
    return Codec(name, DOUBLED, every_message())
