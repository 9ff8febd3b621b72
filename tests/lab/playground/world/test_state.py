from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.playground.world import defaults
from lab.playground.world.errors import ApiError
from lab.playground.world.history import History
from lab.playground.world.records import Channel, Draft, Message, MessageFlag
from lab.playground.world.snowflake import DISCORD_EPOCH_MS, SnowflakeSource
from lab.playground.world.state import World
from tests.lab.playground.fakes import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def world(clock: HandClock) -> World:
    return World(clock)


def general(world: World) -> Channel:
    return world.channel(defaults.GENERAL_ID)


def post(world: World, text: str, nonce: str | None = None) -> Message:
    return world.post(general(world), Draft(author=world.bot, content=text, nonce=nonce))


def code_of(refused: pytest.ExceptionInfo[ApiError]) -> int:
    return refused.value.code


def test_ids_increase_even_when_the_clock_goes_back(clock: HandClock) -> None:
    new_id = SnowflakeSource(clock).next
    ids = [new_id(), new_id()]
    clock.advance(-3600)
    ids.append(new_id())
    clock.advance(7200)
    ids.append(new_id())

    assert ids == sorted(set(ids))
    moments = [((each >> 22) + DISCORD_EPOCH_MS) / 1000 for each in (ids[0], ids[-1])]
    assert moments == pytest.approx([1_800_000_000.0, 1_800_003_600.0], abs=0.001)


def test_the_default_ids_are_stable_snowflakes_of_18_digits(world: World) -> None:
    ids = [*world.channels, *world.users, defaults.GUILD_ID]

    assert [len(str(each)) for each in ids] == [18] * len(ids)
    assert set(world.channels) == {defaults.GENERAL_ID, defaults.ELSEWHERE_ID}
    assert set(world.users) == {defaults.YOU_ID, defaults.GUEST_ID, defaults.BOT_ID}


def test_a_nonce_is_remembered_for_five_minutes(world: World, clock: HandClock) -> None:
    sent = post(world, "once", nonce="n")
    clock.advance(299)
    early = world.posted_with(general(world), world.bot, "n")
    clock.advance(2)
    late = world.posted_with(general(world), world.bot, "n")

    assert (early, late) == (sent, None)


def test_a_nonce_belongs_to_its_author_and_channel(world: World) -> None:
    post(world, "once", nonce="n")

    assert world.posted_with(general(world), world.user(defaults.YOU_ID), "n") is None
    assert world.posted_with(world.channel(defaults.ELSEWHERE_ID), world.bot, "n") is None


def test_a_message_has_one_thread_at_most(world: World) -> None:
    starter = post(world, "topic")
    thread = world.create_thread(general(world), "a", world.bot, starter=starter)
    with pytest.raises(ApiError) as refused:
        world.create_thread(general(world), "b", world.bot, starter=starter)

    assert thread.id == starter.id
    assert starter.flags & MessageFlag.HAS_THREAD
    assert code_of(refused) == 160004


def test_there_are_no_threads_in_threads(world: World) -> None:
    thread = world.create_thread(general(world), "a", world.bot)
    with pytest.raises(ApiError) as refused:
        world.create_thread(thread, "b", world.bot)

    assert code_of(refused) == 50024


def test_a_private_thread_is_seen_by_its_members_only(world: World) -> None:
    you, guest = world.user(defaults.YOU_ID), world.user(defaults.GUEST_ID)
    thread = world.create_thread(general(world), "a", you, private=True)
    world.join_thread(thread, guest)

    assert [world.may_see(user, thread) for user in (you, guest, world.bot)] == [True, True, False]


def test_typing_ends_after_ten_seconds_or_with_a_message(world: World, clock: HandClock) -> None:
    channel = general(world)
    world.start_typing(channel, world.bot)
    clock.advance(9.9)
    during = world.is_typing(channel, world.bot)
    clock.advance(0.2)
    after = world.is_typing(channel, world.bot)
    world.start_typing(channel, world.bot)
    post(world, "said")

    assert (during, after, world.is_typing(channel, world.bot)) == (True, False, False)


def test_filling_a_deferred_answer_is_no_edit_and_changing_it_is(world: World) -> None:
    answer = world.post(general(world), Draft(author=world.bot, flags=MessageFlag.LOADING))
    world.revise(answer, "filled")
    filled = (answer.content, answer.edited_at, answer.flags)
    world.revise(answer, "changed")

    assert filled == ("filled", None, 0)
    assert answer.edited_at is not None


def test_deleting_a_channel_takes_its_threads_along(world: World) -> None:
    thread = world.create_thread(general(world), "a", world.bot)
    gone = world.delete_channel(general(world))

    assert [channel.id for channel in gone] == [thread.id, defaults.GENERAL_ID]
    assert world.threads == {}
    with pytest.raises(ApiError) as refused:
        world.channel(thread.id)
    assert code_of(refused) == 10003


class Entry:
    def __init__(self, entry_id: int) -> None:
        self.id = entry_id


@given(
    ids=st.lists(st.integers(1, 60), unique=True, max_size=40),
    removed=st.sets(st.integers(1, 60), max_size=10),
    pivot=st.integers(0, 61),
    limit=st.integers(1, 20),
)
def test_history_pages_as_a_sorted_list_would(ids: list[int], removed: set[int], pivot: int, limit: int) -> None:
    history: History[Entry] = History(1000)
    for entry_id in ids:
        history.add(Entry(entry_id))
    for entry_id in removed:
        history.remove(entry_id)
    left = sorted(set(ids) - removed)

    assert [e.id for e in history.before(pivot, limit)] == [i for i in left if i < pivot][-limit:][::-1]
    assert [e.id for e in history.before(None, limit)] == left[-limit:][::-1]
    assert [e.id for e in history.after(pivot, limit)] == [i for i in left if i > pivot][:limit][::-1]
    assert len(history) == len(left)


def test_history_forgets_the_oldest_beyond_its_limit() -> None:
    history: History[Entry] = History(8)
    for entry_id in range(1, 101):
        history.add(Entry(entry_id))

    assert len(history) <= 8
    assert history.get(100) is not None
    assert history.get(1) is None
    with pytest.raises(ValueError, match="limit 0"):
        History(0)
