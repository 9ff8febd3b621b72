"""Turns in Discord, where they are remembered too."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from messages.base import EventId, Surface, TurnId, Window
from messages.facts import FACTS
from messages.turn import LoggedEvent, TurnEnded
from tests.actors.facts.rig import FactsRig

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="910000000000000021")
NAME = "discord-thread/910000000000000021"
AT = datetime(2026, 11, 26, 9, tzinfo=UTC)


def event(kind: str, text: str, seconds: int) -> LoggedEvent:
    at = AT + timedelta(seconds=seconds)
    return LoggedEvent(id=EventId(kind), kind=kind, path="logs/x.md", line=1, at=at, author="anne", text=text)


def ended_turn(*events: LoggedEvent, turn: str = "t1") -> TurnEnded:
    return TurnEnded(window=WINDOW, turn_id=TurnId(turn), outcome="answered", events=events)


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data", ingest_discord=True)


def hear(rig: FactsRig, *told: TurnEnded) -> None:
    for message in told:
        rig.system.tell(FACTS, message)
    rig.system.run()


@pytest.mark.req("X-60", "X-70")
def test_a_turn_in_discord_is_kept_as_its_window_s_conversation(rig: FactsRig) -> None:
    hear(rig, ended_turn(event("user", "My wife is Anne", 0), event("agent", "Hello", 5)))

    (user,), (answer,) = rig.entries("turns/user/*.md", NAME), rig.entries("turns/assistant/*.md", NAME)
    assert (user.content, user.created_at, user.conversation) == ("My wife is Anne", AT, NAME)
    assert (answer.content, answer.created_at) == ("Hello", AT + timedelta(seconds=5))
    assert rig.facts(NAME) == ["The user said: My wife is Anne"]


def test_a_turn_that_is_told_again_is_kept_once_over_restarts(rig: FactsRig) -> None:
    told = ended_turn(event("user", "My wife is Anne", 0), event("agent", "Hello", 5))
    hear(rig, told, told)
    rig.live_again()
    hear(rig, told)

    assert len(rig.turns(NAME)) == 2
    assert rig.model.purposes() == ["facts.extract"]


def test_a_turn_without_an_answer_is_kept_and_one_without_words_is_not(rig: FactsRig) -> None:
    hear(rig, ended_turn(event("user", "My wife is Anne", 0)), ended_turn(event("agent", "Good morning", 9), turn="t2"))

    assert rig.turns(NAME) == ["My wife is Anne"]


def test_the_answer_at_the_same_moment_comes_after_the_words(rig: FactsRig) -> None:
    hear(rig, ended_turn(event("user", "My wife is Anne", 0), event("agent", "Hello", 0)))

    (user,), (answer,) = rig.entries("turns/user/*.md", NAME), rig.entries("turns/assistant/*.md", NAME)
    assert user.created_at < answer.created_at


def test_a_turn_s_texts_are_embedded_in_one_call(rig: FactsRig) -> None:
    rig.say("ok", "Hello, what may I do for you?")

    assert [each.texts for each in rig.embedder.asked] == [("ok", "Hello, what may I do for you?")]
