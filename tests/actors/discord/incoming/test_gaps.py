"""Gaps in what was heard: whatever opens one, what was said in it is told once, and holds up nobody else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import ManualClock
from domain.log.watermark import FILE_NAME, Watermark, line_of, watermarks_in
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Surface
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, thread_window, timing, until

QUICK = timing(attempts=1, gap_hold_s=0.2, gap_again_s=0.05, gap_again_limit_s=0.1)
HISTORY = f"GET /channels/{defaults.GENERAL_ID}/messages"


def read_up_to(root: Path) -> dict[int, int]:
    """Channel -> how far it was read, as it is kept."""
    try:
        data = (root / FILE_NAME).read_bytes()
    except FileNotFoundError:
        return {}
    return {channel_id: watermark.upto for channel_id, watermark in watermarks_in(data).items()}


def kept(root: Path, **options: Any) -> dict[str, Any]:
    """Options of a life that knows what the one before kept below `root`."""
    data = (root / FILE_NAME).read_bytes() if (root / FILE_NAME).exists() else b""
    return {"data_root": root, "watermarks": watermarks_in(data)} | options


class TestWhatIsKept:
    """How far a channel was read outlives the agent, and never says too much."""

    def test_a_channel_is_kept_when_it_is_met(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        before = playground.say(defaults.GENERAL_ID, "before the agent")
        start_life(**kept(tmp_path))
        assert read_up_to(tmp_path) == {defaults.GENERAL_ID: before}
        playground.say(defaults.GENERAL_ID, "said at once after a kill")
        second = start_life(**kept(tmp_path))
        assert second.texts(1) == ["said at once after a kill"]

    def test_it_follows_what_is_logged(self, start_life: StartLife, tmp_path: Path) -> None:
        life = start_life(**kept(tmp_path))
        newest = life.say("hello")
        until(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == newest)

    def test_what_no_window_has_logged_is_read_again(self, start_life: StartLife, tmp_path: Path) -> None:
        life = start_life(**kept(tmp_path))
        thread = life.playground.create_thread(defaults.GENERAL_ID, "new")
        life.logs = False
        life.say("in the channel")
        life.say("first in a thread", thread)
        life.messages.wait(2)
        life.logs = True
        elsewhere = life.playground.create_thread(defaults.GENERAL_ID, "other")
        logged = life.say("logged", elsewhere)
        until(lambda: read_up_to(tmp_path).get(elsewhere) == logged)
        life.stop()
        second = start_life(**kept(tmp_path))
        assert {message.text for message in second.messages.wait(2)} == {"in the channel", "first in a thread"}
        second.say("live")
        assert second.texts(3)[2] == "live"

    def test_what_was_read_back_and_no_window_has_logged_is_read_again(
        self, playground: PlaygroundServer, tmp_path: Path
    ) -> None:
        mark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=1)
        missed = playground.say(defaults.GENERAL_ID, "missed")
        thread = playground.create_thread(defaults.GENERAL_ID, "other")
        first = Life(playground, data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark})
        first.logs = False
        with first:
            first.messages.wait(1)
            first.logs = True
            logged = first.say("logged", thread)
            until(lambda: read_up_to(tmp_path).get(thread) == logged)
        assert read_up_to(tmp_path)[defaults.GENERAL_ID] < missed
        with Life(playground, **kept(tmp_path)) as second:
            assert second.texts(1) == ["missed"]

    def test_what_is_refused_needs_no_log(self, start_life: StartLife, tmp_path: Path) -> None:
        people = frozenset({str(defaults.YOU_ID)})
        life = start_life(**kept(tmp_path, allowed_users=people))
        strangers = life.say("not for us", user=defaults.GUEST_ID)
        until(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == strangers)

    def test_a_disk_that_is_full_is_tried_again(
        self, start_life: StartLife, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("actors.discord.incoming.watermarks._WRITE_AGAIN_S", 0.1)
        (tmp_path / FILE_NAME).mkdir()
        life = start_life(data_root=tmp_path)
        newest = life.say("hello")
        assert life.texts(1) == ["hello"]
        (tmp_path / FILE_NAME).rmdir()
        until(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == newest)

    def test_a_window_with_a_log_and_no_watermark_is_read_back(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        playground.say(defaults.GENERAL_ID, "missed")
        life = start_life(last_seen={GENERAL.address.key: "0"})
        assert life.texts(1) == ["missed"]


class TestThreads:
    """A thread that nobody knows of is read back as far as the channel above it was met."""

    def test_a_thread_met_while_away_is_read_from_its_beginning(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        old = playground.create_thread(defaults.GENERAL_ID, "older than the agent")
        playground.say(old, "older than the agent")
        start_life(**kept(tmp_path)).stop()
        (tmp_path / FILE_NAME).write_bytes(
            b"".join(
                line_of(channel_id, watermark)
                for channel_id, watermark in watermarks_in((tmp_path / FILE_NAME).read_bytes()).items()
                if channel_id == defaults.GENERAL_ID
            )
        )
        new = playground.create_thread(defaults.GENERAL_ID, "new")
        playground.say(new, "first")
        playground.say(defaults.GENERAL_ID, "newer than the first of the thread")
        second = start_life(**kept(tmp_path))
        told = {(message.window, message.text) for message in second.messages.wait(2)}
        assert told == {(thread_window(new), "first"), (GENERAL, "newer than the first of the thread")}

    def test_an_archived_thread_that_wakes_up_is_read_first(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        life = start_life(**kept(tmp_path))
        thread = playground.create_thread(defaults.GENERAL_ID, "sleepy")
        life.say("before", thread)
        life.messages.wait(1)
        life.stop()
        playground.say(thread, "missed")
        playground.change_thread(thread, archived=True)
        playground.inject("html", "GET .*/threads/archived", times=1, status=403)
        second = start_life(**kept(tmp_path))
        second.say("wakes it", thread)
        assert second.texts(2) == ["missed", "wakes it"]

    def test_a_thread_made_in_this_session_is_not_asked_for(self, start_life: StartLife, tmp_path: Path) -> None:
        life = start_life(**kept(tmp_path))
        thread = life.playground.create_thread(defaults.GENERAL_ID, "new")
        life.say("first", thread)
        assert life.texts(1) == ["first"]
        assert life.playground.requests("GET", "/messages") == []


class TestDirectMessages:
    """Conversations with one person are caught up with, though Discord lists none of them."""

    def test_what_was_said_while_away_is_told(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        dm = playground.open_dm()
        life = start_life(**kept(tmp_path, dms=True))
        life.say("before", dm)
        life.messages.wait(1)
        life.stop()
        playground.say(dm, "missed")
        second = start_life(**kept(tmp_path, dms=True))
        second.say("live", dm)
        (missed, _) = second.messages.wait(2)
        assert second.texts(2) == ["missed", "live"]
        assert missed.window.surface is Surface.DISCORD_DM
        assert missed.audience == life.messages.now()[0].audience

    def test_an_invalid_session_leaves_no_gap(self, start_life: StartLife) -> None:
        life = start_life(dms=True)
        dm = life.playground.open_dm()
        life.say("before", dm)
        life.messages.wait(1)
        life.playground.op9(False)
        life.say("during", dm)
        assert life.texts(2) == ["before", "during"]

    def test_the_first_message_of_a_person_is_kept_before_it_is_told(
        self, start_life: StartLife, tmp_path: Path
    ) -> None:
        life = start_life(**kept(tmp_path, dms=True))
        life.logs = False
        dm = life.playground.open_dm()
        life.say("hello", dm)
        life.messages.wait(1)
        assert dm in read_up_to(tmp_path)
        second = start_life(**kept(tmp_path, dms=True))
        assert second.texts(1) == ["hello"]

    def test_they_are_not_asked_for_where_they_are_not_heard(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        dm = playground.open_dm()
        mark = Watermark(surface=Surface.DISCORD_DM, first=0, upto=1)
        playground.say(dm, "hello")
        life = start_life(watermarks={dm: mark}, dms=False)
        life.say("live")
        assert life.texts(1) == ["live"]
        assert playground.requests("GET", f"/channels/{dm}") == []


class TestFailures:
    """What fails is tried until it works; what is refused is given up."""

    def test_history_that_fails_is_waited_for(self, playground: PlaygroundServer, start_life: StartLife) -> None:
        playground.say(defaults.GENERAL_ID, "missed")
        playground.inject("503", HISTORY, times=9)
        life = start_life(last_seen={GENERAL.address.key: "1"})
        life.say("live")
        assert life.texts(2) == ["missed", "live"]

    def test_history_that_is_refused_is_given_up_for_good(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        playground.say(defaults.GENERAL_ID, "nobody may read it")
        mark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=1)
        playground.inject("html", HISTORY, times=1_000_000, status=403)
        life = start_life(data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark})
        live = life.say("live")
        assert life.texts(1) == ["live"]
        until(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == live)
        assert watermarks_in((tmp_path / FILE_NAME).read_bytes())[defaults.GENERAL_ID].gaps == ()

    def test_history_that_fails_for_long_is_passed_on_late(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        mark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=1)
        missed = [playground.say(defaults.GENERAL_ID, f"missed {number}") for number in range(3)]
        playground.inject("503", HISTORY, times=1_000_000)
        life = start_life(data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark}, timing=QUICK)
        live = life.say("live")
        assert life.texts(1) == ["live"]
        until(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == live)
        (gap,) = watermarks_in((tmp_path / FILE_NAME).read_bytes())[defaults.GENERAL_ID].gaps
        assert (gap.after, gap.upto) == (1, missed[-1])
        playground.clear_faults()
        assert life.texts(4) == ["live", "missed 0", "missed 1", "missed 2"]
        until(lambda: not watermarks_in((tmp_path / FILE_NAME).read_bytes())[defaults.GENERAL_ID].gaps)

    def test_a_gap_that_was_open_at_a_kill_is_read_in_the_next_life(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        mark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=1)
        playground.say(defaults.GENERAL_ID, "missed")
        playground.inject("503", HISTORY, times=1_000_000)
        life = start_life(data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark}, timing=QUICK)
        live = life.say("live")
        until(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == live)
        life.stop()
        playground.clear_faults()
        second = start_life(**kept(tmp_path))
        assert second.texts(1) == ["missed"]

    def test_archived_threads_that_cannot_be_listed_are_read_late(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        life = start_life(**kept(tmp_path))
        life.say("before")
        life.messages.wait(1)
        life.stop()
        thread = playground.create_thread(defaults.GENERAL_ID, "closed")
        playground.say(thread, "missed")
        playground.change_thread(thread, archived=True)
        playground.inject("503", "GET .*/threads/archived", times=3)
        second = start_life(**kept(tmp_path, timing=QUICK))
        assert second.texts(1) == ["missed"]

    def test_a_message_that_cannot_be_read_costs_itself(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        for text in ("missed 1", "weird", "missed 2"):
            number = playground.say(defaults.GENERAL_ID, text)
            if text == "weird":
                playground.garble(number)
        life = start_life(last_seen={GENERAL.address.key: "1"})
        life.say("live")
        assert life.texts(3) == ["missed 1", "missed 2", "live"]

    def test_a_refusal_in_one_channel_says_nothing_of_another(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        thread = playground.create_thread(defaults.GENERAL_ID, "open")
        playground.say(defaults.GENERAL_ID, "hidden")
        playground.say(thread, "missed")
        playground.inject("html", HISTORY, status=403)
        seen = {GENERAL.address.key: "1", thread_window(thread).address.key: "1"}
        life = start_life(last_seen=seen)
        assert life.texts(1) == ["missed"]


class TestOthers:
    """Catching up in one channel holds up no other."""

    def test_people_who_cannot_be_looked_up_hold_up_only_themselves(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        role = playground.add_role("friends", defaults.GUEST_ID)
        allowed = {"allowed_users": frozenset({str(defaults.YOU_ID)}), "allowed_roles": frozenset({str(role)})}
        threads = [playground.create_thread(defaults.GENERAL_ID, f"thread {number}") for number in range(10)]
        for thread in threads[:-1]:
            playground.say(thread, "by role", user=defaults.GUEST_ID)
            playground.say(thread, "by id")
        playground.say(threads[-1], "alone")
        playground.inject("503", "GET .*/members/", times=1_000_000)
        seen = {thread_window(thread).address.key: "1" for thread in threads}
        life = start_life(last_seen=seen, timing=QUICK, **allowed)
        life.say("live", threads[-1])
        assert sorted(life.texts(11)) == ["alone", *["by id"] * 9, "live"]
        playground.clear_faults()
        assert sorted(life.texts(20)) == ["alone", *["by id"] * 9, *["by role"] * 9, "live"]

    def test_silent_history_holds_up_only_its_own_channel(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        threads = [playground.create_thread(defaults.GENERAL_ID, f"thread {number}") for number in range(6)]
        for thread in threads:
            playground.say(thread, "missed")
        for thread in threads[:-1]:
            playground.inject("delay", f"GET /channels/{thread}/messages", times=1_000_000, delay_s=30.0)
        life = start_life(last_seen={thread_window(thread).address.key: "1" for thread in threads})
        life.say("live", threads[-1])
        assert life.texts(2) == ["missed", "live"]


class TestClocks:
    """How old a message is, is said by Discord's clock."""

    @pytest.mark.parametrize("hours", [-100_000, -25, 25, 100_000])
    def test_a_wrong_clock_of_ours_silences_nobody(
        self, playground: PlaygroundServer, start_life: StartLife, hours: int
    ) -> None:
        playground.say(defaults.GENERAL_ID, "missed")
        clock = ManualClock(datetime.now(UTC) + timedelta(hours=hours))
        life = start_life(last_seen={GENERAL.address.key: "1"}, clock=clock)
        life.say("live")
        assert [(each.text, each.wants_answer) for each in life.messages.wait(2)] == [("missed", True), ("live", True)]


def test_both_of_two_readers_of_a_gap_tell_nothing_twice(life: Life) -> None:
    life.say("before")
    life.messages.wait(1)
    life.playground.inject("delay", HISTORY, times=1, delay_s=0.5)
    for text in ("during 1", "during 2"):
        life.playground.op9(False)
        life.say(text)
    life.say("after")
    assert life.texts(4) == ["before", "during 1", "during 2", "after"]
