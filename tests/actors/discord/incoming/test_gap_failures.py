"""Gaps that cannot be read at once: what fails is tried until it works, and nobody else waits for it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from actors.discord.incoming.admission import Admission
from actors.discord.incoming.arrival import Admitted, Hearing, MessageArrival
from domain.log.watermark import FILE_NAME, Watermark, watermarks_in
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Surface
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.incoming.gaps import HISTORY, OFTEN, QUICK, kept, read_up_to
from tests.actors.discord.life import GENERAL, thread_window, timing
from tests.patience import PATIENCE_S, eventually

GENERAL_HISTORY = f"/channels/{defaults.GENERAL_ID}/messages"


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
        playground.inject("refused", HISTORY, times=1_000_000, status=404)
        life = start_life(data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark})
        life.say("live")
        assert life.texts(1) == ["live"]
        eventually(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID, 1) > 1)
        assert watermarks_in((tmp_path / FILE_NAME).read_bytes())[defaults.GENERAL_ID].gaps == ()

    @pytest.mark.parametrize("is_killed", [False, True])
    def test_history_that_was_closed_for_a_while_is_read_when_people_have_opened_it_again(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, is_killed: bool
    ) -> None:
        start_life(**kept(tmp_path)).stop()
        playground.say(defaults.GENERAL_ID, "missed")
        playground.inject("refused", HISTORY, times=1_000_000, status=403)
        life = start_life(**kept(tmp_path), timing=OFTEN)
        life.say("live")
        assert life.texts(1) == ["live"]
        if is_killed:
            life.stop()
            life = start_life(**kept(tmp_path), timing=OFTEN)
        playground.clear_faults()
        eventually(lambda: "missed" in [message.text for message in life.messages.now()])

    @pytest.mark.parametrize(("fault", "status"), [("html", 403), ("html", 404), ("refused", 400)])
    def test_what_is_no_refusal_of_discords_is_never_given_up(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, fault: str, status: int
    ) -> None:
        """A page is of somebody on the way, and a call that is wrong today may be right tomorrow."""
        playground.say(defaults.GENERAL_ID, "missed")
        mark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=1)
        playground.inject(fault, HISTORY, times=1_000_000, status=status)
        life = start_life(data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark}, timing=QUICK)
        life.say("live")
        assert life.texts(1) == ["live"]
        playground.clear_faults()
        assert life.texts(2) == ["live", "missed"]

    def test_history_that_fails_for_long_is_passed_on_late(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        mark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=1)
        for number in range(3):
            playground.say(defaults.GENERAL_ID, f"missed {number}")
        playground.inject("503", HISTORY, times=1_000_000)
        life = start_life(data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark}, timing=QUICK)
        live = life.say("live")
        assert life.texts(1) == ["live"]
        assert read_up_to(tmp_path).get(defaults.GENERAL_ID, 1) == 1
        playground.clear_faults()
        assert life.texts(4) == ["live", "missed 0", "missed 1", "missed 2"]
        eventually(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == live)

    def test_a_gap_that_was_open_at_a_kill_is_read_in_the_next_life(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        mark = Watermark(surface=Surface.DISCORD_CHANNEL, first=1, upto=1)
        playground.say(defaults.GENERAL_ID, "missed")
        playground.inject("503", HISTORY, times=1_000_000)
        life = start_life(data_root=tmp_path, watermarks={defaults.GENERAL_ID: mark}, timing=QUICK)
        life.say("live")
        assert life.texts(1) == ["live"]
        life.stop()
        playground.clear_faults()
        second = start_life(**kept(tmp_path, watermarks={defaults.GENERAL_ID: mark}))
        assert second.texts(2) == ["missed", "live"]

    def test_archived_threads_that_cannot_be_listed_are_read_late(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
    ) -> None:
        life = start_life(**kept(tmp_path, timing=OFTEN))
        before = life.say("before")
        eventually(lambda: read_up_to(tmp_path).get(defaults.GENERAL_ID) == before)
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

    def test_a_message_that_cannot_be_passed_on_costs_itself_and_is_read_again(
        self, playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        start_life(**kept(tmp_path)).stop()
        for text in ("missed 1", "weird", "missed 2"):
            playground.say(defaults.GENERAL_ID, text)
        hearing = Admission.hearing

        def fail(self: Admission, arrival: MessageArrival, admitted: Admitted) -> Hearing:
            if arrival.message.content == "weird":
                raise RuntimeError
            return hearing(self, arrival, admitted)

        with monkeypatch.context() as patch:
            patch.setattr(Admission, "hearing", fail)
            life = start_life(**kept(tmp_path))
            life.say("live")
            assert life.texts(3) == ["missed 1", "missed 2", "live"]
            life.stop()
        assert "weird" in start_life(**kept(tmp_path)).texts(1)

    def test_a_refusal_in_one_channel_says_nothing_of_another(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        thread = playground.create_thread(defaults.GENERAL_ID, "open")
        playground.say(defaults.GENERAL_ID, "hidden")
        playground.say(thread, "missed")
        playground.inject("refused", HISTORY, status=403)
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

    def test_who_cannot_be_looked_up_within_a_long_rate_limit_is_heard_after_it(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        role = playground.add_role("friends", defaults.GUEST_ID)
        playground.say(defaults.GENERAL_ID, "by role", user=defaults.GUEST_ID)
        playground.inject("429-user", "GET .*/members/", retry_after_s=40.0)
        allowed = {"allowed_users": frozenset({str(defaults.YOU_ID)}), "allowed_roles": frozenset({str(role)})}
        life = start_life(last_seen={GENERAL.address.key: "1"}, timing=QUICK, **allowed)
        assert life.texts(1) == ["by role"]

    @pytest.mark.parametrize("call", ["POST .*/threads$", "GET .*/members/"])
    def test_an_answer_without_its_parts_costs_no_message(
        self, playground: PlaygroundServer, start_life: StartLife, call: str
    ) -> None:
        role = playground.add_role("friends", defaults.GUEST_ID)
        playground.say(defaults.GENERAL_ID, "by role", user=defaults.GUEST_ID)
        playground.inject("unreadable", call)
        allowed = {"allowed_users": frozenset({str(defaults.YOU_ID)}), "allowed_roles": frozenset({str(role)})}
        last_seen = {GENERAL.address.key: "1"}
        life = start_life(last_seen=last_seen, timing=QUICK, opens_threads="threads" in call, **allowed)
        assert life.texts(1) == ["by role"]

    def test_an_answer_without_its_parts_costs_no_message_that_was_put_aside_before(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        role = playground.add_role("friends", defaults.GUEST_ID)
        playground.say(defaults.GENERAL_ID, "by role", user=defaults.GUEST_ID)
        for fault in ("503", "unreadable"):
            playground.inject(fault, "GET .*/members/")
        allowed = {"allowed_users": frozenset({str(defaults.YOU_ID)}), "allowed_roles": frozenset({str(role)})}
        life = start_life(last_seen={GENERAL.address.key: "1"}, timing=QUICK, **allowed)
        assert life.texts(1) == ["by role"]

    def test_a_message_that_fails_again_and_again_is_tried_once_a_round(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        role = playground.add_role("friends", defaults.GUEST_ID)
        allowed = {"allowed_users": frozenset({str(defaults.YOU_ID)}), "allowed_roles": frozenset({str(role)})}
        life = start_life(timing=timing(look_every_s=0.5, look_pause_s=0.0), **allowed)
        life.say("before")
        life.messages.wait(1)
        playground.inject("unreadable", "GET .*/members/", times=1_000_000)
        playground.gateway_faults(lose_messages=1)
        life.say("by role", user=defaults.GUEST_ID)
        for number in range(120):
            life.say(str(number))
        life.messages.wait(121)
        rounds, looks = (partial(playground.requests, "GET", path) for path in ("/threads/active", GENERAL_HISTORY))
        rounds_before, looks_before = len(rounds()), len(looks())
        eventually(lambda: len(rounds()) > rounds_before + 4)
        assert len(looks()) - looks_before <= 3 * (len(rounds()) - rounds_before)

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

    def test_many_silent_histories_hold_up_no_other(self, playground: PlaygroundServer, start_life: StartLife) -> None:
        threads = [playground.create_thread(defaults.GENERAL_ID, f"thread {number}") for number in range(30)]
        for thread in threads:
            playground.say(thread, "missed")
        for thread in threads[:-1]:
            playground.inject("delay", f"GET /channels/{thread}/messages", times=1_000_000, delay_s=5 * PATIENCE_S)
        quick = timing(call_timeout_s=600.0, turn_s=0.1)
        life = start_life(last_seen={thread_window(thread).address.key: "1" for thread in threads}, timing=quick)
        life.say("live", threads[-1])
        assert life.texts(2) == ["missed", "live"]

    def test_silent_history_holds_up_what_is_live_no_longer_than_history_that_fails(
        self, playground: PlaygroundServer, start_life: StartLife
    ) -> None:
        playground.say(defaults.GENERAL_ID, "missed")
        playground.inject("delay", HISTORY, times=1_000_000, delay_s=600.0)
        slow = timing(call_timeout_s=600.0, gap_hold_s=0.5, gap_again_s=0.05, gap_again_limit_s=0.1)
        life = start_life(last_seen={GENERAL.address.key: "1"}, timing=slow)
        life.say("live")
        assert life.texts(1) == ["live"]
