"""Ways of requesting forgetting: a person's slash command with its button, and the operator's socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from actors.socket.client import AgentNotRunningError, RefusalError, ask_operator
from domain.policy.forgetting.rights import NO_SUCH_MESSAGE, NOTHING
from lab.bench.process import MeasurementError
from lab.chaos.forget.planting import IMPORTED, Planted
from lab.playground.server import PlaygroundServer

ANSWER_S = 120.0


class Way(StrEnum):
    """Kind of a forget request, with the channel."""

    MESSAGES = "messages"
    """Each message by the person."""
    PERSON = "person"
    """All of the person, by the person."""
    OPERATOR = "operator"
    """All of the person, by the operator."""
    TOPIC = "topic"
    """Search for each string, by the operator; then the person, since no search finds files and outputs."""
    WINDOW = "window"
    """The whole window, by the operator."""


class Asker:
    """Requester of forgetting, for one thread."""

    def __init__(self, server: PlaygroundServer, data_root: Path) -> None:
        """Begin without requests."""
        self._server, self._data_root = server, data_root

    def requests(self, way: Way, planted: Planted) -> list[Callable[[], None]]:
        """Requests to forget a person's strings, each to be called once."""
        window = {"surface": str(planted.window.surface), "id": planted.window.id}
        person = partial(self._by_operator, {"kind": "person", "window": window, "person_id": str(planted.user)})
        match way:
            case Way.MESSAGES:
                named = ({"message": str(message_id)} for message_id in planted.message_ids)
                return [partial(self._by_command, planted, "forget message", each) for each in named]
            case Way.PERSON:
                return [partial(self._by_command, planted, "forget person", {})]
            case Way.OPERATOR:
                return [person]
            case Way.TOPIC:
                texts = (text for text, how in planted.strings.items() if how in ("typed", "fact", IMPORTED))
                scopes = ({"kind": "topic", "window": window, "words": text} for text in texts)
                return [*(partial(self._by_operator, each) for each in scopes), person]
            case Way.WINDOW:
                return [partial(self._by_operator, {"kind": "window", "window": window})]

    def count_unfinished(self) -> int:
        """Number of unfinished requests; -1 if no agent answers."""
        try:
            listed = ask_operator(self._data_root, "forget.list", ANSWER_S)
        except (AgentNotRunningError, RefusalError):
            return -1
        return sum(each["state"] != "done" for each in listed["forgets"])

    def _by_operator(self, scope: Mapping[str, object]) -> None:
        """Count and carry out; no matches are no fault, since an earlier request may have taken all."""
        try:
            preview = ask_operator(self._data_root, "forget.preview", ANSWER_S, scope=scope)
        except RefusalError as error:
            if _is_nothing(str(error)):
                return
            raise
        ask_operator(self._data_root, "forget.carry-out", ANSWER_S, preview_id=preview["preview_id"], why="benchmark")

    def _by_command(self, planted: Planted, command: str, options: dict[str, Any]) -> None:
        outcome = self._server.slash(planted.channel_id, command, options, user=planted.user, timeout_s=ANSWER_S)
        answer = self._server.wait_for_answer(outcome.id, timeout_s=ANSWER_S) or {}
        buttons = [each["custom_id"] for row in answer.get("components", ()) for each in row["components"]]
        if not buttons:
            if _is_nothing(str(answer.get("content"))):
                return
            raise MeasurementError(f"/{command} was answered by {answer.get('content')!r}")
        confirmed = self._server.click(
            planted.channel_id, int(answer["id"]), buttons[0], user=planted.user, timeout_s=ANSWER_S
        )
        self._server.wait_for_answer(confirmed.id, timeout_s=ANSWER_S)


def _is_nothing(reason: str) -> bool:
    """True if a request was refused for lack of matches."""
    return NOTHING in reason or NO_SUCH_MESSAGE in reason
