"""Record of a window: outputs and chat from the logs, without retracted events."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from domain.log.parser import parse
from domain.turn.conversation import Conversation, rebuild
from messages.base import EventId
from messages.model import Role

CHAT_CHARS = 40_000
"""Characters shown of the chat's end."""
_ENDLESS = 10**12


class Record:
    """Reader of a window's logs, without state."""

    def __init__(self, data_root: Path | None) -> None:
        """Begin without reading.

        Args:
            data_root: Folder of the logs; None without logs.
        """
        self._root = data_root

    def texts_of(self, log: str, newest: str, events: Collection[EventId]) -> dict[EventId, str]:
        """Output texts of commands, except retracted results and results with a pending retraction.

        Args:
            log: Path of the log below the data root.
            newest: Path of the window's newest log, which has the pending retractions of all logs.
            events: Results.
        """
        conversation = self._conversation(log)
        if conversation is None:
            return {}
        if newest != log and (present := self._conversation(newest)) is not None:
            conversation.pending |= present.pending
        calls = (call for turn in conversation.calls() for call in turn.calls)
        return {call.event: call.text for call in calls if call.event in events}

    def chat(self, log: str, names: dict[EventId, str]) -> str | None:
        """The conversation as a document: all words, and each call without its output.

        Args:
            log: Path of the log below the data root.
            names: Result -> its reference.
        """
        conversation = self._conversation(log)
        if conversation is None:
            return None
        text = "\n\n".join(_transcript(conversation, names))
        if len(text) <= CHAT_CHARS:
            return text
        end = text[-CHAT_CHARS:].partition("\n")[2]
        return f"[Showing the last {len(end)} of {len(text)} characters]\n\n{end}"

    def _conversation(self, log: str) -> Conversation | None:
        if self._root is None or not log:
            return None
        try:
            data = (self._root / log).read_bytes()
        except FileNotFoundError:
            return None
        return rebuild((logged.event for logged in parse(data).events), _ENDLESS, counted_result_chars=0)


def _transcript(conversation: Conversation, names: dict[EventId, str]) -> Iterator[str]:
    calls = {turn.turn_id: iter(turn.calls) for turn in conversation.calls()}
    for turn in conversation.readable:
        yield f"person: {turn.prompt}"
        for step in turn.steps:
            if step.role is Role.TOOL:
                call = next(calls[turn.id], None)
                yield f"result: {names.get(call.event, 'an output') if call is not None else 'an output'}"
                continue
            if step.text:
                yield f"{'agent' if step.role is Role.ASSISTANT else 'person'}: {step.text}"
            for tool_call in step.tool_calls:
                yield f"call: {tool_call.name} {tool_call.arguments_json}"
