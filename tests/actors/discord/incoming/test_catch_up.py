from __future__ import annotations

import asyncio
import functools
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import discord

from actors.discord.actor import DiscordActor
from actors.discord.incoming.arrival import Admitted, Hearing
from actors.discord.incoming.authorization import NOT_HERE
from actors.discord.incoming.auto_threads import AutoThreads
from actors.discord.incoming.catch_up import CatchUp
from actors.discord.incoming.comparison import Comparison
from actors.discord.incoming.intake import Intake
from actors.discord.incoming.lane import HearingRecord, Rules
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.places.window_map import NoWindow, WindowMap
from actors.discord.incoming.preparation import Preparation
from actors.discord.incoming.reading.names import NameBook
from actors.discord.incoming.reading.starter import Starters
from actors.discord.incoming.seen import SeenMessages
from domain.log.watermark import Watermark
from domain.policy.access import Standing
from domain.policy.channel_rules import ChannelRules
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from lab.playground.world.records import Draft
from messages.base import Address, Message, Surface, Window
from messages.context import TellKeptMessages, UserMessage
from messages.discord import DISCORD
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import FAST, GENERAL, Life, thread_window
from tests.patience import eventually

GENERAL_KEY = GENERAL.address.key


def log_of(life: Life) -> dict[str, str]:
    """Window key -> newest message, as the logs of that life would say."""
    return {message.window.address.key: message.message_id for message in life.messages.now()}


def sessions(playground: PlaygroundServer) -> int:
    return playground.counters().get("identifies", 0)


def test_a_first_start_reads_no_history(playground: PlaygroundServer, start_life: StartLife) -> None:
    playground.say(defaults.GENERAL_ID, "long ago")
    playground.say(playground.create_thread(defaults.GENERAL_ID, "old"), "long ago too")
    life = start_life()
    life.say("now")
    assert life.texts(1) == ["now"]
    assert playground.requests("GET", "/messages") == []


def test_what_was_said_between_two_lives_is_told_once_and_first(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life()
    life.say("before")
    life.messages.wait(1)
    life.stop()
    for number in range(230):
        playground.say(defaults.GENERAL_ID, f"missed {number}", reply_to=None)
    playground.inject("delay", "GET .*/messages", delay_s=0.3)
    second = start_life(last_seen=log_of(life))
    second.say("live")
    assert second.texts(231) == [f"missed {number}" for number in range(230)] + ["live"]


def test_only_people_who_are_heard_are_caught_up(playground: PlaygroundServer, start_life: StartLife) -> None:
    role = playground.add_role("friends", defaults.GUEST_ID)
    stranger = playground.add_user("Stranger")
    allowed = {"allowed_users": frozenset({str(defaults.YOU_ID)}), "allowed_roles": frozenset({str(role)})}
    life = start_life(**allowed)
    life.say("before")
    life.messages.wait(1)
    life.delivered("the bot's own")
    life.stop()
    for user, text in ((defaults.YOU_ID, "by id"), (stranger, "stranger"), (defaults.GUEST_ID, "by role")):
        playground.say(defaults.GENERAL_ID, text, user=user)
    playground.say(defaults.GENERAL_ID, "by role again", user=defaults.GUEST_ID)
    second = start_life(last_seen=log_of(life), **allowed)
    second.say("live")
    assert second.texts(4) == ["by id", "by role", "by role again", "live"]
    assert len(playground.requests("GET", f"/members/{defaults.GUEST_ID}")) == 1


def test_threads_old_new_and_archived_meanwhile_are_caught_up(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life()
    starter = life.say("an old message")
    known, silent = (playground.create_thread(defaults.GENERAL_ID, name) for name in ("known", "silent"))
    untouched = playground.create_thread(defaults.GENERAL_ID, "untouched")
    said = life.say("in known", known)
    last = life.say("in untouched", untouched)
    life.messages.wait(3)
    life.stop()
    playground.say(known, "missed in known")
    playground.say(silent, "missed in silent")
    fresh = playground.create_thread(defaults.GENERAL_ID, "fresh", message_id=starter)
    playground.say(fresh, "missed in fresh")
    closed = playground.create_thread(defaults.GENERAL_ID, "closed")
    playground.say(closed, "missed in closed")
    playground.change_thread(closed, archived=True)
    foreign = playground.create_thread(defaults.ELSEWHERE_ID, "foreign")
    playground.say(foreign, "not ours")
    read = {known: said, untouched: last}
    whole = {each: Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=upto) for each, upto in read.items()}
    second = start_life(last_seen=log_of(life), watermarks=whole)
    assert {(message.window, message.text) for message in second.messages.wait(5)} == {
        (thread_window(known), "missed in known"),
        (thread_window(silent), "missed in silent"),
        (thread_window(fresh), "an old message"),
        (thread_window(fresh), "missed in fresh"),
        (thread_window(closed), "missed in closed"),
    }
    second.say("live")
    second.messages.wait(5)
    assert playground.requests("GET", f"/channels/{untouched}/messages") == []


def test_a_lost_connection_is_resumed_without_a_gap(life: Life) -> None:
    life.say("before")
    life.playground.drop(4000)
    life.say("during")
    life.playground.op7()
    life.say("during op 7")
    life.playground.wait_until_online()
    life.playground.gateway_faults(duplicate_after_resume=1)
    life.playground.drop(1006)
    life.say("after a reset")
    life.playground.wait_until_online()
    life.say("after")
    assert life.texts(5) == ["before", "during", "during op 7", "after a reset", "after"]
    assert life.playground.counters()["resumes"] >= 2


def test_an_event_that_comes_twice_is_told_once(life: Life) -> None:
    life.say("once")
    life.messages.wait(1)
    life.playground.gateway_faults(duplicate_after_resume=1)
    life.playground.drop(4000)
    eventually(lambda: life.playground.counters().get("resumes", 0) == 1)
    life.playground.wait_until_online()
    life.say("end")
    assert life.texts(2) == ["once", "end"]


def test_an_invalid_session_leaves_no_gap(playground: PlaygroundServer, start_life: StartLife) -> None:
    life = start_life()
    life.say("before")
    life.messages.wait(1)
    playground.op9(False)
    said = [f"during {number}" for number in range(5)]
    for text in said:
        playground.say(defaults.GENERAL_ID, text)
    thread = playground.create_thread(defaults.GENERAL_ID, "meanwhile")
    playground.say(thread, "in a new thread")
    life.online.wait(2)
    life.say("after")
    told = [message.text for message in life.messages.wait(8)]
    assert [text for text in told if text != "in a new thread"] == ["before", *said, "after"]
    assert told.count("in a new thread") == 1
    assert sessions(playground) == 2


def test_a_first_message_in_the_first_gap_is_told_though_nothing_was_ever_said(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life()
    playground.op9(False)
    playground.say(defaults.GENERAL_ID, "the very first")
    thread = playground.create_thread(defaults.GENERAL_ID, "meanwhile")
    playground.say(thread, "the first in a thread")
    assert {message.text for message in life.messages.wait(2)} == {"the very first", "the first in a thread"}


def test_what_comes_while_history_is_read_waits_its_turn(playground: PlaygroundServer, start_life: StartLife) -> None:
    life = start_life()
    life.say("before")
    life.messages.wait(1)
    life.stop()
    playground.say(defaults.GENERAL_ID, "missed")
    thread = playground.create_thread(defaults.GENERAL_ID, "quick")
    playground.inject("delay", f"GET /channels/{defaults.GENERAL_ID}/messages", delay_s=0.6)
    second = start_life(last_seen=log_of(life))
    eventually(lambda: playground.counters()["faults_fired"] == 1)
    second.say("live")
    outcome = playground.slash(defaults.GENERAL_ID, "new")
    second.say("after the command")
    second.say("not held up", thread)
    assert second.texts(1) == ["not held up"]
    told = [message for message in second.told.wait(6) if not isinstance(message, TellKeptMessages)]
    kinds = [getattr(message, "text", "/new") for message in told]
    assert kinds == ["not held up", "missed", "live", "/new", "after the command"]
    assert playground.wait_for_answer(outcome.id) is not None


def test_a_server_that_comes_back_later_is_caught_up(playground: PlaygroundServer, start_life: StartLife) -> None:
    first = start_life()
    first.say("before")
    first.messages.wait(1)
    first.stop()
    playground.delete_channel(defaults.GENERAL_ID)
    life = start_life(last_seen=log_of(first))
    world = playground.hub.world
    channel = playground.run(lambda: world.create_channel("general", channel_id=defaults.GENERAL_ID))
    playground.inject("delay", "GET .*/messages", delay_s=0.3)
    for text in ("missed", "missed too"):
        draft = Draft(author=world.user(defaults.YOU_ID), content=text)
        playground.run(functools.partial(world.post, channel, draft))
    guild = playground.run(lambda: playground.hub.payloads.guild(for_gateway=True))
    playground.dispatch("GUILD_CREATE", guild | {"unavailable": False})
    life.say("live")
    assert life.texts(3) == ["missed", "missed too", "live"]


def test_history_that_is_refused_holds_nothing_up(playground: PlaygroundServer, start_life: StartLife) -> None:
    playground.say(defaults.GENERAL_ID, "unseen")
    playground.inject("refused", "GET .*/messages", status=403)
    life = start_life(last_seen={GENERAL_KEY: "1"})
    life.say("live")
    assert life.texts(1) == ["live"]


def test_history_that_fails_in_the_middle_is_read_on(playground: PlaygroundServer, start_life: StartLife) -> None:
    for number in range(150):
        playground.say(defaults.GENERAL_ID, str(number))
    playground.inject("abort-after", "GET .*/messages", times=2)
    life = start_life(last_seen={GENERAL_KEY: "1"})
    assert life.texts(150) == [str(number) for number in range(150)]


def test_what_earlier_lives_had_seen_is_held_once(start_life: StartLife) -> None:
    """Of a hundred thousand windows it is 30 MB, and the watermarks have it."""
    life = start_life(last_seen={thread_window(970000000000000001).address.key: "5"})
    (mailbox,) = [each for each in life.system.mailboxes() if each.address == DISCORD]
    assert isinstance(mailbox.actor, DiscordActor)

    assert mailbox.actor._around.last_seen == {}
    assert mailbox.actor._around.watermarks == {}
    assert mailbox.actor._parts.intake.watermarks.knows(thread_window(970000000000000001))


class Conversation:
    """One person's, who writes for the first time: all that a catch-up needs around it, on a disk that a test holds up."""

    address = Address("discord")
    window = Window(surface=Surface.DISCORD_DM, id="7")

    def __init__(self) -> None:
        self.told: list[str] = []
        self.disk_is_ready = asyncio.Event()
        around: Any = self
        window_map = WindowMap(())
        threads = AutoThreads(
            rest=around,
            window_map=window_map,
            policy=ChannelPolicy(ChannelRules(), window_map),
            watermarks=around,
            scrub=str,
            timing=FAST,
        )
        rules = Rules(authorization=around, admission=around, threads=threads)
        record = HearingRecord(seen=SeenMessages(), watermarks=around)
        preparation = Preparation(
            host=around,
            window_map=self.window_map,
            policy=threads.policy,
            names=NameBook(around, lambda _channel: True),
            starters=Starters(around, knows=lambda _window: True, awaits=record.awaits, arrival=record.arrival),
            unpacking=around,
        )
        self.intake = Intake(
            host=around, rules=rules, preparation=preparation, record=record, readership=around, timing=FAST
        )
        comparison = Comparison(
            host=around, intake=self.intake, rest=around, inquire=around.tell, timing=FAST, on_own=around.never
        )
        self.catch_up = CatchUp(intake=self.intake, rest=around, comparison=comparison, timing=FAST)

    def say(self, number: int, words: str) -> None:
        author = SimpleNamespace(id=1, display_name="Anne")
        message: Any = SimpleNamespace(
            id=number,
            author=author,
            webhook_id=None,
            type=discord.MessageType.default,
            wire={"type": 0, "content": words, "author": {"id": "1"}},
            content=words,
            channel=SimpleNamespace(id=7),
            guild=None,
            reference=None,
            created_at=datetime(2026, 11, 26, tzinfo=UTC),
        )
        self.catch_up.hear(message)

    # the actor, the rules, and how far channels were read

    def tell(self, _to: Address, message: Message) -> None:
        assert isinstance(message, UserMessage)
        self.told.append(message.text)

    @property
    def window_map(self) -> Any:
        return SimpleNamespace(window_of=lambda _channel: self.window, audience_of=lambda _channel: "")

    def judge(self, _origin: object) -> Admitted:
        return Admitted(self.window, Standing.MEMBER)

    async def inquire(self, origin: object, _roles: object) -> Admitted:
        return self.judge(origin)

    def hearing(self, _arrival: object, _admitted: object) -> Hearing:
        return Hearing()

    def is_current(self, _channel_id: int) -> bool:
        return bool(self.intake.seen.newest_in("7"))

    def has(self, channel_id: int) -> bool:
        return self.is_current(channel_id)

    def gaps(self, _channel_id: int) -> tuple[()]:
        return ()

    def surface_of(self, _channel_id: int) -> Surface:
        return self.window.surface

    async def secure(self) -> None:
        await self.disk_is_ready.wait()

    def never(self, *_: object, **__: object) -> bool:
        return False

    notice = lose = logs_thread = never

    def meet(self, *_: object) -> bool:
        return True


class Elsewhere(Conversation):
    """A place that is not the bot's."""

    settle = Conversation.never

    @property
    def window_map(self) -> Any:
        return SimpleNamespace(window_of=lambda _channel: NoWindow.ELSEWHERE)

    def judge(self, _origin: object) -> Any:
        return NOT_HERE


def test_messages_elsewhere_are_not_remembered_in_the_place_of_messages_to_the_bot() -> None:
    async def run() -> bool:
        conversation = Elsewhere()
        conversation.say(101, "not for the bot")
        return conversation.intake.seen.has(101)

    assert not asyncio.run(run())


def test_what_waits_for_a_slow_disk_is_passed_on_though_a_new_session_begins_meanwhile() -> None:
    async def run() -> list[list[str]]:
        conversation, told = Conversation(), list[list[str]]()
        conversation.say(101, "the first words")
        await asyncio.sleep(0)
        conversation.intake.hold()
        conversation.say(102, "in the new session")
        conversation.disk_is_ready.set()
        for is_released in (False, True):
            if is_released:
                conversation.intake.release(())
            for _ in range(20):
                await asyncio.sleep(0)
            told.append(list(conversation.told))
        return told

    assert asyncio.run(run()) == [["the first words"], ["the first words", "in the new session"]]
