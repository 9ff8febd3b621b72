"""Turns in Discord, where they are remembered too."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

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
    """A turn; the first words of a person open the turn, further words joined."""
    users = [each for each in events if each.kind == "user"]
    ids = {id(each): EventId(f"{turn}-{number}" if number else turn) for number, each in enumerate(users)}
    named = tuple(replace(each, id=ids.get(id(each), each.id)) for each in events)
    return TurnEnded(window=WINDOW, turn_id=TurnId(turn), outcome="answered", events=named)


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


def test_words_that_joined_a_turn_are_kept_too_and_the_answer_once(rig: FactsRig) -> None:
    ended = ended_turn(
        event("user", "My wife is Anne", 0), event("user", "We live in Oslo", 3), event("agent", "Hi", 5)
    )
    hear(rig, ended, ended)

    assert sorted(rig.turns(NAME)) == ["Hi", "My wife is Anne", "We live in Oslo"]
    assert sorted(rig.facts(NAME)) == ["The user said: My wife is Anne", "The user said: We live in Oslo"]


def test_the_answer_to_a_picture_and_to_words_that_joined_is_kept(rig: FactsRig) -> None:
    ended = ended_turn(event("user", "", 0), event("user", "We live in Oslo", 3), event("agent", "A nice place", 5))
    hear(rig, ended, ended)
    rig.wait(5)
    rig.live_again(ended)
    rig.wait(5)

    assert sorted(rig.turns(NAME)) == ["A nice place", "We live in Oslo"]
    assert rig.model.purposes() == ["facts.extract"]


def test_a_turn_that_is_told_again_before_all_entries_are_known_is_not_read_again(rig: FactsRig) -> None:
    ended = ended_turn(event("user", "My wife is Anne", 0), event("agent", "Hello", 5))
    hear(rig, ended)
    rig.wait(5)
    rig.live_again(ended)
    rig.wait(5)

    assert len(rig.turns(NAME)) == 2
    assert rig.model.purposes() == ["facts.extract"]


def test_the_operator_is_told_of_a_turn_that_is_lost_behind_too_many(
    rig: FactsRig, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(call: str, _data: bytes) -> None:
        if call == "write":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    rig.disk.before = refuse
    hear(rig, *(ended_turn(event("user", f"words {number}", 0), turn=f"t{number}") for number in range(201)))

    lost = [record.getMessage() for record in caplog.records if "not kept" in record.getMessage()]
    assert len(lost) == 1
    assert "t0" in lost[0]


def test_a_turn_that_is_told_again_while_the_disk_is_full_drives_no_other_turn_out(rig: FactsRig) -> None:
    def refuse(call: str, _data: bytes) -> None:
        if call == "write":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    rig.disk.before = refuse
    again = ended_turn(event("user", "We live in Oslo", 3), turn="t2")
    hear(rig, ended_turn(event("user", "My wife is Anne", 0)), *[again] * 200)
    rig.disk.before = lambda _call, _data: None
    rig.wait(60)

    assert sorted(rig.turns(NAME)) == ["My wife is Anne", "We live in Oslo"]


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
