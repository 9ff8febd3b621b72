"""Place of the gateway's memories in a request: a conversation of a chat program, charged for each place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from domain.facts.block_place import SYSTEM_ROLES, BlockPlace
from domain.facts.chat_request import read_request, upstream_body
from domain.facts.injection import Line, block
from lab.loopback_model.prefix_cache import Charge, PrefixCache

BETWEEN_S = 20.0
"""Time between two requests, by the provider's clock."""
_MEMORIES = 5
_MARK = {"cache_control": {"type": "ephemeral"}}
_THINGS = ("crane", "quay", "ferry")
_FACTS = [f"The user told of the {name} of berth {number}" for number in range(12) for name in _THINGS]
_CHARS = 8_000


def charge_conversation(place: BlockPlace, turns: int) -> list[Charge]:
    """Charges for a conversation in which each question brings other memories.

    Args:
        place: Of the memories.
        turns: Questions of the user.
    """
    cache, charges = PrefixCache(), list[Charge]()
    messages: list[dict[str, str]] = [{"role": "system", "content": "You answer questions about a harbour. " * 40}]
    for number in range(turns):
        question = f"Matter {number} of the harbour: " + "the crane, the quay and the ferry are late again. " * 8
        messages.append({"role": "user", "content": question})
        request = read_request(json.dumps({"model": "m", "messages": messages}).encode())
        sent = json.loads(upstream_body(request, _memories(number), place))["messages"]
        charges.append(cache.charge(_with_marks(sent), BETWEEN_S * number))
        answer = f"Answer {number}: " + "the matter is as follows, in plain words. " * 12
        messages.append({"role": "assistant", "content": answer})
    return charges


def _memories(number: int) -> str:
    lines = [Line("memory", _FACTS[(number * 7 + place * 5) % len(_FACTS)]) for place in range(_MEMORIES)]
    return block(f"The user has told of {number} matters of the harbour.", lines, _CHARS)


def _with_marks(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The request in the provider's form, kept up to the system's words, the last answer and the question."""
    system = [_text(message) for message in messages if message["role"] in SYSTEM_ROLES]
    talk = [message for message in messages if message["role"] not in SYSTEM_ROLES]
    blocks = list(_blocks(talk))
    return {"model": "m", "system": [*system[:-1], *(each | _MARK for each in system[-1:])], "messages": blocks}


def _blocks(talk: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for place, message in enumerate(talk):
        part = _text(message) | (_MARK if place >= len(talk) - 2 else {})
        yield {"role": message["role"], "content": [part]}


def _text(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": message["content"]}
