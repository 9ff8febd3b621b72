"""Searches and expansions beside turns: no window can starve another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.memory.recall.line_offsets import SLICE_BYTES
from actors.memory.recall.lookups import AT_ONCE, MOST_OF_WINDOW, PATIENCE_S
from messages.base import EventId, Message, RequestId, Surface, TurnId, Window, request_id_of
from messages.memory import MemoriesFound, SearchMemory
from messages.socket import Refused
from messages.turn import ExpandReference, LoggedEvent, PrepareTurn, ReferenceExpanded, TurnContribution, TurnEnded
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.rig import MEMORY, PUBLIC, MemoryRig

QUERY_TIMEOUT_S = 5.0


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[MemoryRig]:
    rig = MemoryRig(tmp_path)
    rig.exchange("My cat is called Zorro", "A fine name.")
    yield rig
    rig.stop()


def window(number: int) -> Window:
    return Window(surface=Surface.DISCORD_THREAD, id=str(920000000000000000 + number))


def search(rig: MemoryRig, name: str, asking: Window) -> SearchMemory:
    return SearchMemory(request_id=RequestId(name), reply_to=rig.asker.address, window=asking, query="cat")


def turn(rig: MemoryRig, name: str, asking: Window) -> PrepareTurn:
    return PrepareTurn(
        request_id=RequestId(name),
        reply_to=rig.asker.address,
        window=asking,
        turn_id=TurnId("t"),
        author_id="1",
        author_name="Alice",
        text="What is my cat called?",
        visible=(),
        audience=PUBLIC,
    )


def answers(rig: MemoryRig, *messages: Message) -> list[Message]:
    """Replies to messages that all wait before the first is handled, in order of arrival."""
    for message in messages:
        rig.system.tell(MEMORY, message)
    rig.system.run()
    return rig.asker.drain()


def names(messages: list[Message]) -> list[str]:
    return [request_id_of(message) for message in messages]


def test_a_turn_is_served_before_all_searches_but_those_that_are_begun(rig: MemoryRig) -> None:
    searches = [search(rig, f"{one}-{each}", window(one)) for one in range(16) for each in range(8)]

    served = answers(rig, *searches, turn(rig, "turn", CHANNEL))

    assert len(served) == len(searches) + 1
    assert names(served).index("turn") <= 2 * AT_ONCE
    assert isinstance(served[names(served).index("turn")], TurnContribution)


def test_no_more_searches_are_at_the_embedder_than_are_served_at_once(rig: MemoryRig) -> None:
    rig.brain.mood = "silent"

    assert answers(rig, *(search(rig, str(one), window(one)) for one in range(16))) == []

    assert len(rig.brain.held) == AT_ONCE


def test_windows_are_served_in_turn(rig: MemoryRig) -> None:
    many = [search(rig, f"many-{each}", window(1)) for each in range(MOST_OF_WINDOW)]

    served = names(answers(rig, *many, search(rig, "one", window(2))))

    assert served.index("one") <= AT_ONCE
    assert [name for name in served if name != "one"] == [f"many-{each}" for each in range(MOST_OF_WINDOW)]


def test_of_one_window_no_more_than_a_few_wait_and_the_rest_is_told_at_once(rig: MemoryRig) -> None:
    rig.brain.mood = "silent"
    many = [search(rig, str(each), window(1)) for each in range(MOST_OF_WINDOW + AT_ONCE + 3)]

    refused = answers(rig, *many, search(rig, "other", window(2)))

    assert names(refused) == [str(each) for each in range(MOST_OF_WINDOW + AT_ONCE, len(many))]
    assert all(isinstance(each, Refused) and "lookups of this window wait" in each.reason for each in refused)


def test_what_nobody_waits_for_any_more_is_not_looked_up(rig: MemoryRig) -> None:
    rig.brain.mood = "silent"
    assert answers(rig, *(search(rig, str(one), window(one)) for one in range(200))) == []

    for _ in range(int(PATIENCE_S / QUERY_TIMEOUT_S) + 2):
        rig.advance(QUERY_TIMEOUT_S)

    served = rig.asker.drain()
    assert len(served) == 200
    late = [each for each in served if isinstance(each, Refused)]
    assert all("not begun within 50 s" in each.reason for each in late)
    assert len(late) > 180
    assert len(rig.brain.asked) < 20


def test_a_search_that_fails_makes_room_for_the_next(rig: MemoryRig) -> None:
    rig.brain.mood = "failing"

    served = answers(rig, *(search(rig, str(each), window(1)) for each in range(5)))

    assert [type(each) for each in served] == [MemoriesFound] * 5


def test_a_restart_refuses_what_waits(rig: MemoryRig) -> None:
    rig.brain.mood = "silent"
    assert answers(rig, search(rig, "1", window(1)), search(rig, "2", window(1))) == []

    rig.stop()

    assert [each.reason for each in rig.asker.drain() if isinstance(each, Refused)] == [
        "the memory restarted; try again"
    ] * 2


def test_an_expansion_far_down_a_long_log_is_read_in_slices_between_which_turns_are_served(
    rig: MemoryRig,
) -> None:
    above = 4 * SLICE_BYTES // 100
    path = "logs/discord-channel/910000000000000055/20260101T000000Z_0001.md"
    lines = ["x" * 99] * (above + 1_000)
    lines[above - 1] = "## 2026-01-01T00:00:00.000Z user e1"
    lines[above + 1] = f"<!-- end e1 bytes=100 hash={'0' * 16} -->"
    (rig.root / path).parent.mkdir(parents=True)
    (rig.root / path).write_text("\n".join(lines))
    event = LoggedEvent(
        id=EventId("e1"), kind="user", path=path, line=above, at=rig.clock.now(), author="Alice", text="words"
    )
    asking = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000055")
    ended = TurnEnded(window=asking, turn_id=TurnId("e1"), outcome="answered", events=(event,), audience=PUBLIC)
    rig.tell(MEMORY, ended)
    expansion = ExpandReference(
        request_id=RequestId("far"), reply_to=rig.asker.address, window=asking, path=path, line=above
    )

    served = answers(rig, expansion, turn(rig, "turn", CHANNEL))

    assert names(served) == ["turn", "far"]
    far = served[1]
    assert isinstance(far, ReferenceExpanded)
    assert far.text.split("\n") == lines[far.first_line - 1 : far.last_line]
    assert far.first_line < above < far.last_line
