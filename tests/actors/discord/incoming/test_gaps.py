"""Gaps in what was heard: messages in a gap are told once, and hold up no other channel."""

from __future__ import annotations

import functools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import discord
import pytest

from actors.kernel import ManualClock
from actors.kernel.inspection import at_work
from domain.log.watermark import FILE_NAME, Watermark, line_of, watermarks_in
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from lab.playground.world.records import Draft
from messages.base import Surface
from messages.discord import DISCORD, StopIntake
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.incoming.gaps import HISTORY, OFTEN, QUICK, kept, read_up_to
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.patience import eventually


class TestWhatIsKept:
    """The watermark of a channel outlives the agent, and never says too much."""

    def test_a_channel_is_kept_when_it_is_met(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        before = playground.say(defaults.GENERAL_ID, "before the agent")
        start_life(**kept(tmp_path))
        assert read_up_to(tmp_path) == {defaults.GENERAL_ID: before}
        playground.say(defaults.GENERAL_ID, "said at once after a kill")
        second = start_life(**kept(tmp_path))
        assert second.texts(1) == ["said at once after a kill"]

    def test_what_comes_before_a_channel_is_met_is_not_kept_as_read(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        slow = timing(guilds_known_s=1.0, guild_ready_timeout_s=1.0)
        life = start_life(wait=False, timing=slow, **kept(tmp_path))
        playground.wait_until_online()
        life.logs = False
        life.say("at once")
        assert life.texts(1) == ["at once"]
        second = start_life(**kept(tmp_path))
        assert second.texts(1) == ["at once"]

    def test_it_follows_what_is_logged(self, start_life: StartLife, tmp_path: Path) -> None:
        life = start_life(**kept(tmp_path, timing=OFTEN))
        newest = life.say("hello")
        eventually(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == newest)

    def test_what_the_bot_said_last_is_not_looked_for(self, start_life: StartLife, tmp_path: Path) -> None:
        life = start_life(**kept(tmp_path, timing=OFTEN))
        life.say("hello")
        life.messages.wait(1)
        (answer,) = life.delivered("the answer")
        eventually(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == int(answer))
        life.stop()
        looks = life.playground.requests("GET", f"/channels/{defaults.GENERAL_ID}/messages")
        second = start_life(**kept(tmp_path))
        second.say("live")
        assert second.texts(1) == ["live"]
        assert second.playground.requests("GET", f"/channels/{defaults.GENERAL_ID}/messages") == looks

    def test_what_no_window_has_logged_is_read_again(self, start_life: StartLife, tmp_path: Path) -> None:
        life = start_life(**kept(tmp_path, timing=OFTEN))
        thread = life.playground.create_thread(defaults.GENERAL_ID, "new")
        life.logs = False
        life.say("in the channel")
        life.say("first in a thread", thread)
        life.messages.wait(2)
        life.logs = True
        elsewhere = life.playground.create_thread(defaults.GENERAL_ID, "other")
        logged = life.say("logged", elsewhere)
        eventually(lambda: read_up_to(tmp_path).get(elsewhere) == logged)
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
        first = Life(playground, data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark}, timing=OFTEN)
        first.logs = False
        with first:
            first.messages.wait(1)
            first.logs = True
            logged = first.say("logged", thread)
            eventually(lambda: read_up_to(tmp_path).get(thread) == logged)
        assert read_up_to(tmp_path)[defaults.GENERAL_ID] < missed
        with Life(playground, **kept(tmp_path)) as second:
            assert second.texts(1) == ["missed"]

    def test_what_is_refused_needs_no_log(self, start_life: StartLife, tmp_path: Path) -> None:
        people = frozenset({str(defaults.YOU_ID)})
        life = start_life(**kept(tmp_path, allowed_users=people, timing=OFTEN))
        strangers = life.say("not for us", user=defaults.GUEST_ID)
        eventually(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == strangers)

    def test_a_disk_that_is_full_is_tried_again(self, start_life: StartLife, tmp_path: Path) -> None:
        (tmp_path / FILE_NAME).mkdir()
        life = start_life(data_root=tmp_path, timing=replace(OFTEN, disk_again_s=0.1))
        newest = life.say("hello")
        assert life.texts(1) == ["hello"]
        (tmp_path / FILE_NAME).rmdir()
        eventually(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == newest)

    def test_a_window_with_a_log_and_no_watermark_is_read_back(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        playground.say(defaults.GENERAL_ID, "missed")
        life = start_life(last_seen={GENERAL.address.key: "0"})
        assert life.texts(1) == ["missed"]


class TestThreads:
    """An unknown thread is read back as far as the channel above it was met."""

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
        life = start_life(**kept(tmp_path, timing=OFTEN))
        thread = playground.create_thread(defaults.GENERAL_ID, "sleepy")
        before = life.say("before", thread)
        eventually(lambda: read_up_to(tmp_path).get(thread) == before)
        life.stop()
        playground.say(thread, "missed")
        playground.change_thread(thread, archived=True)
        playground.inject("refused", "GET .*/threads/archived", times=1, status=403)
        second = start_life(**kept(tmp_path))
        second.say("wakes it", thread)
        assert second.texts(2) == ["missed", "wakes it"]

    @pytest.mark.parametrize(("fault", "status"), [("html", 403), ("refused", 400)])
    def test_a_list_of_archived_threads_that_somebody_on_the_way_refuses_is_asked_for_again(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, fault: str, status: int
    ) -> None:
        life = start_life(**kept(tmp_path, timing=OFTEN))
        thread = playground.create_thread(defaults.GENERAL_ID, "sleepy")
        before = life.say("before", thread)
        eventually(lambda: read_up_to(tmp_path).get(thread) == before)
        life.stop()
        playground.say(thread, "missed")
        playground.change_thread(thread, archived=True)
        playground.inject(fault, "GET .*/threads/archived", times=5, status=status)
        second = start_life(**kept(tmp_path), timing=QUICK)
        assert second.texts(1) == ["missed"]

    @pytest.mark.parametrize("manages", [False, True])
    def test_a_private_thread_that_was_archived_meanwhile_is_read(
        self, playground: PlaygroundServer, start_life: StartLife, manages: bool
    ) -> None:
        if manages:
            permission = discord.Permissions(manage_threads=True).value
            playground.overwrite(defaults.GENERAL_ID, defaults.BOT_ID, allow=permission, is_member=True)
        thread = playground.create_thread(defaults.GENERAL_ID, "private", private=True)
        first = playground.say(thread, "before")
        playground.say(thread, "missed")
        playground.change_thread(thread, archived=True)
        life = start_life(last_seen={GENERAL.address.key: "1", thread_window(thread).address.key: str(first)})
        assert [(each.window, each.text) for each in life.messages.wait(1)] == [(thread_window(thread), "missed")]

    def test_a_thread_made_in_this_session_is_not_asked_for(self, start_life: StartLife, tmp_path: Path) -> None:
        life = start_life(**kept(tmp_path))
        thread = life.playground.create_thread(defaults.GENERAL_ID, "new")
        life.say("first", thread)
        assert life.texts(1) == ["first"]
        assert life.playground.requests("GET", "/messages") == []

    def test_a_server_that_was_out_is_read_as_after_a_new_session(
        self, start_life: StartLife, playground: PlaygroundServer
    ) -> None:
        life = start_life()
        life.say("before")
        life.messages.wait(1)
        hub = playground.hub
        draft = Draft(author=hub.world.user(defaults.YOU_ID), content="unheard")
        playground.run(lambda: hub.world.post(hub.world.channel(defaults.GENERAL_ID), draft))
        guild = playground.run(lambda: hub.payloads.guild(for_gateway=True))
        playground.dispatch("GUILD_DELETE", {"id": guild["id"], "unavailable": True})
        playground.dispatch("GUILD_CREATE", guild | {"unavailable": False})
        assert life.texts(2) == ["before", "unheard"]


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


class TestOutages:
    """A server is out while the session goes on."""

    @pytest.mark.parametrize("is_told", [True, False], ids=["told", "not-told"])
    def test_what_was_said_meanwhile_is_told_once_and_first(self, life: Life, is_told: bool) -> None:
        server = life.playground
        thread = server.create_thread(defaults.GENERAL_ID, "thread")
        for place in (defaults.GENERAL_ID, thread):
            life.say("before", place)
        life.messages.wait(2)
        if is_told:
            server.dispatch("GUILD_DELETE", {"id": str(defaults.GUILD_ID), "unavailable": True})
        world = server.hub.world
        for place in (defaults.GENERAL_ID, thread):
            draft = Draft(author=world.user(defaults.YOU_ID), content="meanwhile")
            server.run(functools.partial(world.post, world.channel(place), draft))
        guild = server.run(lambda: server.hub.payloads.guild(for_gateway=True))
        server.dispatch("GUILD_CREATE", guild | {"unavailable": False})
        for place in (defaults.GENERAL_ID, thread):
            life.say("after", place)
        told = life.messages.wait(6)
        for window in (GENERAL, thread_window(thread)):
            assert [each.text for each in told if each.window == window] == ["before", "meanwhile", "after"]


class TestClocks:
    """The age of a message is told by Discord's clock."""

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


@pytest.mark.req("X-242")
def test_who_reads_missed_messages_is_at_work_until_the_end_is_asked_for(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    start_life(**kept(tmp_path)).stop()
    playground.say(defaults.GENERAL_ID, "while away")
    playground.inject("delay", HISTORY, times=1_000_000, delay_s=600.0)
    life = start_life(**kept(tmp_path))
    eventually(lambda: DISCORD in at_work(life.system))
    life.tell(StopIntake())
    eventually(lambda: DISCORD not in at_work(life.system))


@pytest.mark.req("X-242")
def test_who_has_read_and_compared_everything_is_at_rest(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    start_life(**kept(tmp_path)).stop()
    playground.say(defaults.GENERAL_ID, "while away")
    life = start_life(**kept(tmp_path))
    assert life.texts(1) == ["while away"]
    eventually(lambda: DISCORD not in at_work(life.system))
