"""Requests to a model, as tests of the benchmark write them."""

from __future__ import annotations

from lab.bench.workspace.agent import window_of
from messages.base import Address, RequestId
from messages.model import ChatMessage, ModelRequest, Role

HANDOVER = 'INJECTED_CONTEXT_HANDOVER\n{"constraints":["Ask Mona first."]}\n\n'
MEMORIES = 'INJECTED_CONTEXT_RELEVANT_MEMORIES\n{"memories":[]}\n\n'
FILES = "<runtime_context>\n[MEMORY.md/Constraints]\n- Ask Mona first.\n</runtime_context>\n\n"


def request(*texts: str, system: str = "You help.", purpose: str = "") -> ModelRequest:
    """What people and the agent say by turns, beginning with a person."""
    roles = (Role.USER, Role.ASSISTANT)
    return ModelRequest(
        request_id=RequestId("r"),
        reply_to=Address("context"),
        window=window_of(0),
        system_prompt=system,
        messages=tuple(ChatMessage(role=roles[place % 2], text=text) for place, text in enumerate(texts)),
        tools=(),
        purpose=purpose,
    )
