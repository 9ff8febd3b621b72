from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.playground.gateway.events import INTENT_CONTENT, INTENT_MESSAGES, Event
from lab.playground.gateway.feed import Feed
from lab.playground.gateway.session import ReplayBuffer
from lab.playground.world import rules
from lab.playground.world.errors import ApiError
from lab.playground.world.faults import FaultQueue
from lab.playground.world.files import FileStore
from lab.playground.world.limits import RateLimiter
from lab.playground.world.mentions import find_mentions
from tests.lab.playground.fakes import HandClock

YOU, ROLE = 910000000000000021, 910000000000000001


# rules


def test_text_is_trimmed_and_bounded_as_discord_does() -> None:
    assert rules.clean_content("\n  hi \n") == "hi"
    assert rules.clean_content(None) == ""
    assert len(rules.clean_content("x" * 2000 + "\n\n")) == 2000
    with pytest.raises(ApiError, match="50035"):
        rules.clean_content("x" * 2001)
    with pytest.raises(ApiError, match="50035"):
        rules.clean_content(7)


def test_an_embed_beyond_a_limit_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, object]] = [
        {"title": "x" * 257},
        {"description": "x" * 4097},
        {"footer": {"text": "x" * 2049}},
        {"author": {"name": "x" * 257}},
        {"fields": [{"name": "x" * 257, "value": "v"}]},
        {"fields": [{"name": "n", "value": "x" * 1025}]},
        {"fields": [{"name": "n", "value": "v"}] * 26},
    ]
    for embed in cases:
        with subtests.test(embed=embed), pytest.raises(ApiError, match="50035"):
            rules.clean_embeds([embed])


def test_embeds_at_their_limits_pass() -> None:
    fields = [{"name": "n", "value": "v"}] * 25

    assert len(rules.clean_embeds([{"title": "x" * 256, "description": "x" * 4096, "fields": fields}] + [{}] * 9)) == 10
    with pytest.raises(ApiError):
        rules.clean_embeds([{}] * 11)


@pytest.mark.parametrize("nonce", ["x" * 26, "é" * 26])
def test_a_nonce_above_25_characters_is_refused(nonce: str) -> None:
    assert rules.clean_nonce("x" * 25) == "x" * 25
    with pytest.raises(ApiError, match="50035"):
        rules.clean_nonce(nonce)


# mentions


def test_allowed_mentions_decide_whom_a_text_mentions(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, object] | None, tuple[int, ...], tuple[int, ...], bool]] = [
        (None, (YOU,), (ROLE,), True),
        ({"parse": []}, (), (), False),
        ({"parse": ["users"]}, (YOU,), (), False),
        ({"parse": ["everyone", "roles"]}, (), (ROLE,), True),
        ({"parse": [], "users": [str(YOU)]}, (YOU,), (), False),
        ({"users": [1]}, (), (), False),
    ]
    for allowed, users, roles, everyone in cases:
        with subtests.test(allowed=allowed, users=users, roles=roles, everyone=everyone):
            text = f"@everyone <@{YOU}> <@!{YOU}> <@&{ROLE}> <@910000000000000099>"
            mentions = find_mentions(text, allowed, {YOU}, {ROLE})

            assert (mentions.users, mentions.roles, mentions.everyone) == (users, roles, everyone)


# replay


@given(count=st.integers(0, 60), most_kept=st.integers(1, 30), seen=st.integers(0, 60))
def test_a_replay_is_complete_or_refused(count: int, most_kept: int, seen: int) -> None:
    buffer = ReplayBuffer(limit_events=most_kept)
    for seq in range(1, count + 1):
        buffer.add(seq, "E", b"x")
    replayed = buffer.after(seen)

    if replayed is None:
        assert count - seen > most_kept
    else:
        assert [seq for seq, _, _ in replayed] == list(range(seen + 1, count + 1))


def test_a_replay_buffer_is_bounded_in_bytes() -> None:
    buffer = ReplayBuffer(limit_bytes=100)
    for seq in range(1, 11):
        buffer.add(seq, "E", b"x" * 30)

    assert buffer.after(0) is None
    assert len(buffer.after(7) or ()) == 3


# faults


def test_a_fault_hits_what_it_matches_as_often_as_it_says() -> None:
    faults = FaultQueue()
    faults.inject("503", r"POST /channels/\d+/messages$", times=2)

    assert faults.take("GET", "/channels/1/messages") is None
    assert faults.take("POST", "/channels/1/messages/2") is None
    assert [faults.take("POST", "/channels/1/messages") is not None for _ in range(3)] == [True, True, False]
    assert (faults.fired, len(faults)) == (2, 0)


def test_an_impossible_fault_is_the_callers_mistake(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, int, str]] = [
        ("418", "", 1, "fault kind '418'"),
        ("503", "(", 1, "not a regular expression"),
        ("503", "", 0, "times=0"),
    ]
    for kind, match, times, rule in cases:
        with subtests.test(kind=kind, match=match), pytest.raises(ValueError, match=rule):
            FaultQueue().inject(kind, match, times)


# limits


def test_limits_are_headers_only_until_they_are_switched_on() -> None:
    clock = HandClock()
    limiter = RateLimiter(clock)
    off = [limiter.check("send", "1").allowed for _ in range(50)]
    limiter.enabled = True
    on = [limiter.check("send", "1") for _ in range(6)]
    elsewhere = limiter.check("send", "2")
    clock.advance(5.0)

    assert all(off)
    assert [verdict.allowed for verdict in on] == [True] * 5 + [False]
    assert on[4].headers["X-RateLimit-Remaining"] == "0"
    assert on[5].retry_after_s == 5.0
    assert elsewhere.allowed
    assert limiter.check("send", "1").allowed


# feed


def test_a_waiter_gets_the_event_of_its_channel_and_nothing_is_left_behind() -> None:
    async def scenario() -> tuple[Event, int]:
        feed = Feed()
        waiting = asyncio.create_task(feed.wait(lambda event: event.name == "B", 5, channel_id=2))
        await asyncio.sleep(0)
        for name, channel_id in (("A", 2), ("B", 1), ("B", 2)):
            feed.publish(Event(name, {}, channel_id=channel_id))
        return await waiting, len(feed.waiters)

    event, left = asyncio.run(scenario())
    assert (event.name, event.channel_id, event.seq, left) == ("B", 2, 3, 0)


def test_a_wait_ends_at_its_timeout_and_a_broken_predicate_fails_its_waiter_only() -> None:
    async def scenario() -> None:
        feed = Feed()
        with pytest.raises(TimeoutError):
            await feed.wait(lambda _: True, 0.01)
        broken = asyncio.create_task(feed.wait(lambda event: bool(event.payload["no"]), 5))
        sound = asyncio.create_task(feed.wait(lambda _: True, 5))
        await asyncio.sleep(0)
        feed.publish(Event("A", {}))
        assert (await sound).name == "A"
        with pytest.raises(KeyError):
            await broken

    asyncio.run(scenario())


def test_a_listener_that_raises_is_dropped_and_the_others_hear_on(caplog: pytest.LogCaptureFixture) -> None:
    feed, events = Feed(), list[str]()

    def broken(_: Event) -> None:
        raise RuntimeError("boom")

    feed.subscribe(broken)
    feed.subscribe(lambda event: events.append(event.name))
    feed.publish(Event("A", {}))
    feed.publish(Event("B", {}))

    assert events == ["A", "B"]
    assert len([r for r in caplog.records if r.levelname == "ERROR"]) == 1


@given(published=st.integers(0, 30), since=st.integers(0, 35))
def test_recent_events_can_be_read_again(published: int, since: int) -> None:
    feed = Feed(recent_limit=10)
    for _ in range(published):
        feed.publish(Event("E", {}))

    expected = [n for n in range(1, published + 1) if n > since and n > published - 10]
    assert [event.seq for event in feed.since(since)] == expected


def test_an_event_is_encoded_once_per_shape() -> None:
    event = Event("MESSAGE_CREATE", {"content": "x", "embeds": [1]}, intent=INTENT_MESSAGES, hide_content=True)

    assert event.encoded_for(INTENT_CONTENT) is event.to_json()
    assert event.encoded_for(0) is event.encoded_for(0)
    assert event.encoded_for(0) == b'{"content":"","embeds":[],"attachments":[],"components":[]}'


# files and names


def test_the_oldest_files_are_forgotten_when_there_is_no_room() -> None:
    store = FileStore(limit_bytes=10)
    for file_id in (1, 2, 3):
        store.put(file_id, b"xxxx")

    assert [store.get(file_id) is None for file_id in (1, 2, 3)] == [True, False, False]
