"""Room for pins: how many a window is shown, and who is told that they are more than there is room for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.memory.recall.commands import COMMANDS
from actors.memory.search.visibility import Scope
from actors.part import Answer, Level, Wording
from messages.base import MessageId, RequestId, Surface, UserId, Window
from messages.context import PinMemory
from messages.memory import DescribeMemory, MemoryDescribed
from tests.actors.cli.test_doctor_findings import checks
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.rig import MemoryRig

THREAD = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
OTHER = Window(surface=Surface.DISCORD_THREAD, id="910000000000000098")
PRIVATE = "1:910000000000000011:private"
PUBLIC = "1:910000000000000011:everyone"
EACH = 12
"""Pins of one window: they have room, and twice as many have not."""


def pin(rig: MemoryRig, window: Window, audience: str, count: int = EACH) -> None:
    rig.exchange("Good morning", "Hello.", window, audience=audience)
    for number in range(count):
        command = PinMemory(
            request_id=RequestId(f"{window.id}-{number}"),
            reply_to=rig.asker.address,
            window=window,
            asked_by=UserId("7"),
            asked_by_name="Alice",
            message_id=MessageId(""),
            text=f"Rule {number} of {window.id}: "
            + "whatever the weather may be, the door is to be closed at night " * 2,
            audience=audience,
        )
        rig.tell(window.address, command)
    rig.asker.drain()
    rig.advance(1)


def room(rig: MemoryRig, window: Window) -> tuple[int, int]:
    told = rig.ask(DescribeMemory, window=window)
    assert isinstance(told, MemoryDescribed)
    return told.pins_here, told.pins_given


class Plain(Wording):
    """Wording of raw text."""

    def sanitise(self, text: str) -> str:
        return text

    def quote(self, text: str, chars: int) -> str:
        return text[:chars]


def counts(rig: MemoryRig) -> str:
    """Text of `/memory stats` in the channel."""
    told = rig.ask(DescribeMemory, window=CHANNEL)
    assert isinstance(told, MemoryDescribed)
    (stats,) = [command for command in COMMANDS if command.name == "memory stats"]
    answer: Callable[[Any, Plain], Answer] = stats.answer
    return answer(told, Plain()).text


@pytest.mark.req("S0-68", "X-06")
def test_pins_of_all_that_a_window_may_be_shown_are_counted_against_its_one_block(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    pin(rig, CHANNEL, PUBLIC)
    assert room(rig, CHANNEL) == (EACH, EACH)
    pin(rig, THREAD, PUBLIC)
    rooms = [room(rig, CHANNEL), room(rig, THREAD)]
    for here, given in rooms:
        assert here == 2 * EACH
        assert EACH - 1 <= given < here, "a pin of another window takes more room, for its path is longer"
    assert (rig.stats().pins_here, rig.stats().pins_given) in rooms
    rig.stop()


@pytest.mark.parametrize(("scope", "most"), [("audience", EACH), ("context", EACH), ("global", 2 * EACH)])
def test_pins_that_no_window_is_shown_together_do_not_crowd_one_another_for_the_operator(
    tmp_path: Path, scope: Scope, most: int
) -> None:
    rig = MemoryRig(tmp_path, scope=scope)
    pin(rig, THREAD, PRIVATE)
    pin(rig, OTHER, PRIVATE)
    told = rig.stats()
    assert (told.pins, told.pins_here) == (2 * EACH, most)
    rig.stop()


@pytest.mark.req("S0-68", "X-06")
def test_the_counts_of_the_memory_say_that_pins_have_no_room(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    pin(rig, CHANNEL, PUBLIC)
    assert "more than there is room for" not in counts(rig)
    pin(rig, THREAD, PUBLIC)
    assert f"{2 * EACH} pins are more than there is room for" in counts(rig)
    rig.stop()


@pytest.mark.req("S0-68", "X-06")
@pytest.mark.parametrize(("count", "level"), [(EACH, Level.OK), (2 * EACH, Level.WARN)])
def test_doctor_says_that_pins_have_no_room(tmp_path: Path, count: int, level: Level) -> None:
    rig = MemoryRig(tmp_path / "data")
    pin(rig, CHANNEL, PUBLIC, count)
    pin(rig, OTHER, PRIVATE)
    rig.stop()
    found = checks(tmp_path)["memory"]
    assert found.level is level, found
    assert (f"{count} pins are more than there is room for" in found.detail) == (level is Level.WARN)
