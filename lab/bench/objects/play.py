"""Play of a story: its events as the core logs them, the real fold, and the request of each model call."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from actors.kernel import ManualClock
from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.text.token_estimate import weighed_chars
from domain.turn.call_result import complete_wording
from domain.turn.compaction import CUT
from domain.turn.conversation import Conversation
from domain.turn.spoken import spoken_turns
from domain.turn.worded import AS_LOGGED, Worded
from domain.workspace.files.session_state import SessionState
from domain.workspace.handover import handover
from domain.workspace.said_words import SaidWords, said_words
from lab.bench.objects import prose
from lab.bench.objects.request import Sums, request_of, sums_of
from lab.bench.objects.story import Exchange, Step, Story
from lab.bench.objects.work_folder import WorkFolder
from messages.base import TurnId
from messages.model import ChatMessage
from messages.turn import TurnShown

HISTORY_TOKENS = 100_000
STARTS_AT = datetime(2037, 1, 1, tzinfo=UTC)
"""Time later than the creation of any file, so no file counts as possibly still changing."""
STEP_S = 2.0
"""Seconds between two events."""


@dataclass(frozen=True, slots=True)
class WordingRequest:
    """Description of a request for the code that words the request."""

    turn_id: TurnId
    turns: tuple[TurnShown, ...]
    breaks_from: TurnId


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a history, as of `Conversation`."""

    history_tokens: int
    counted_result_chars: int | None
    hands_over: bool = False
    """True if a cut comes after a handover of people's own words, as with `workspace.compaction`."""


PLAIN = Bounds(HISTORY_TOKENS, None)


Word = Callable[[WordingRequest], Worded]
"""Wording of a request."""


def moments_of(clock: ManualClock) -> Callable[[], datetime]:
    """Clock of a story: each reading is a moment later than the last."""

    def now() -> datetime:
        clock.advance(STEP_S)
        return clock.now()

    return now


class Play:
    """Run of a story in a folder."""

    def __init__(self, story: Story, folder: WorkFolder, bounds: Bounds, now: Callable[[], datetime]) -> None:
        """Begin before the first event."""
        self._story = story
        self._now = now
        self._folder = folder
        self._conversation = Conversation(
            bounds.history_tokens, bounds.counted_result_chars, awaits_cuts=bounds.hands_over
        )
        self._spoken_words: list[SaidWords] = []
        self._head = ""
        self._hands_over = bounds.hands_over
        self.cuts = 0
        self._numbers = itertools.count(1)
        self._block = ""
        self._shown_block: tuple[TurnId, str] = (TurnId(""), "")
        """Turn and block of the last request."""

    def model_calls(self) -> Iterator[TurnId]:
        """Turn of each model call, as soon as the call is due."""
        for exchange in self._story.exchanges:
            turn = self._prompt(exchange)
            self._block = exchange.block
            self._cut(turn)
            yield turn
            for calls in exchange.rounds:
                self._run(turn, calls)
                yield turn
            self._log(Kind.AGENT, exchange.answer, {"turn": turn, "final": True})

    def ask(self, turn: TurnId) -> WordingRequest:
        """Description of the turn's next request, for the wording."""
        before, self._shown_block = self._shown_block, (turn, self._block)
        breaks_from = before[0] if before[1] and before != self._shown_block else TurnId("")
        return WordingRequest(turn, self._conversation.calls(turn), breaks_from)

    def messages(self, call: WordingRequest, worded: Worded) -> tuple[ChatMessage, ...]:
        """A request's messages."""
        if worded is not AS_LOGGED:
            limit_chars = self._conversation.limit_chars
            worded = complete_wording(call.turns, call.turn_id, worded, limit_chars, is_first=False)
        return self._conversation.request(call.turn_id, self._block, worded=worded, head=self._head)

    def _cut(self, turn: TurnId) -> None:
        """Hand over people's words from the turns to be cut, if wanted, and drop the turns."""
        head_chars = weighed_chars(self._head)
        plan = self._conversation.compaction.plan(turn, head_chars) if self._hands_over else None
        if plan is None:
            return
        self.cuts += 1
        self._spoken_words += said_words(
            spoken_turns(self._conversation, "logs/bench.md", {}, plan.cut[0].id, plan.cut[-1].id)
        )
        self._head = handover(SessionState(), b"", self._spoken_words)
        self._log(Kind.SYSTEM, "cut", {"what": CUT, "first_kept": plan.first_kept})

    def _prompt(self, exchange: Exchange) -> TurnId:
        meta: dict[str, MetaValue] = {
            "author": "Ann",
            "author_id": "7",
            "message_id": str(10**18 + next(self._numbers)),
        }
        return TurnId(self._log(Kind.USER, exchange.prompt, meta).id)

    def _run(self, turn: TurnId, calls: tuple[Step, ...]) -> None:
        """Run a round: the model requests all calls at once, and the calls run in sequence."""
        self._log(Kind.AGENT, "", {"turn": turn, "final": False})
        asked_at = self._now()
        ended = [(self._folder.run(step, self._now()), self._now()) for step in calls]
        common: list[dict[str, MetaValue]] = [
            {"turn": turn, "call_id": f"call_{next(self._numbers):020}", "tool": "bash"} for _ in calls
        ]
        for meta, (ran, _) in zip(common, ended, strict=True):
            self._log(Kind.TOOL_CALL, json.dumps({"command": ran.command}), meta, asked_at)
        result: dict[str, MetaValue] = {"outcome": "exited", "seconds": 0.1, "exit_code": 0, "error": False}
        for meta, (ran, at) in zip(common, ended, strict=True):
            self._log(Kind.TOOL_RESULT, ran.text, meta | result, at)

    def _log(self, kind: Kind, text: str, meta: Mapping[str, MetaValue], at: datetime | None = None) -> Event:
        logged = event(f"e{next(self._numbers):08}", at or self._now(), kind, text, meta)
        self._conversation.add(logged)
        return logged


def play_story(story: Story, folder: Path, bounds: Bounds, word: Word, clock: ManualClock) -> Sums:
    """Sums over the requests of a whole story."""
    instructions, now = prose.instructions(), moments_of(clock)
    play = Play(story, WorkFolder(folder, story, now()), bounds, now)
    requests = (request_of(instructions, play.messages(call, word(call))) for call in map(play.ask, play.model_calls()))
    return sums_of(requests, ((exchange.prompt, exchange.answer) for exchange in story.exchanges))
