"""Requests of either system, as the model's server receives them."""

from __future__ import annotations

import json
from typing import Any

from domain.facts import prompts
from domain.facts.reconcile import Existing
from lab.loopback_model.answers import Received

PEERS_RULES = 'You manage a memory. Events are "ADD", "UPDATE", "DELETE" and "NONE".'


def received(path: str = "/v1/chat/completions", **body: Any) -> Received:
    """One with this body."""
    return Received(path, {}, body, json.dumps(body).encode())


def chat(user: str, system: str = "", **more: Any) -> Received:
    """One with these words."""
    first = [{"role": "system", "content": system}] if system else []
    return received(messages=[*first, {"role": "user", "content": user}], **more)


def ours_extraction(words: str) -> Received:
    """As ours asks for facts."""
    system, text = prompts.extraction_prompt([words])
    return chat(text, system)


def ours_reconciliation(existing: list[str], new: list[str]) -> Received:
    """As ours asks what becomes of new facts."""
    known = [Existing(id=f"id{place}", content=text) for place, text in enumerate(existing)]
    return chat(prompts.reconciliation_text(known, new), prompts.UPDATE_MEMORY_PROMPT)


def peers(user: str, system: str, wanted: str, kind: dict[str, Any]) -> Received:
    """As the peer's library asks for a structured answer by a tool."""
    parameters = {"type": "object", "properties": {wanted: kind}}
    tool = {"type": "function", "function": {"name": "final_result", "parameters": parameters}}
    return chat(user, system, tools=[tool], tool_choice="required")


def peers_extraction(words: str) -> Received:
    """As the peer asks for facts."""
    return peers(words, "You extract.", "response", {"type": "array", "items": {"type": "string"}})


def peers_summary(words: str) -> Received:
    """As the peer asks for a summary."""
    return peers(words, "You summarize.", "summary", {"type": "string"})


def peers_reconciliation(existing: list[str], new: list[str]) -> Received:
    """As the peer asks what becomes of new facts."""
    known = [{"id": place, "text": text} for place, text in enumerate(existing)]
    words = f"Current memory:\n```\n{json.dumps(known, indent=2)}\n```\n\nNew facts:\n```\n{json.dumps(new)}\n```"
    return chat(words, PEERS_RULES, response_format={"type": "json_object"})
