"""A question in a channel opens a thread from its message, in which it is answered; `discord.threads = "auto"`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.log.event import Event, Kind
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, GENERAL_ID, YOU_ID
from lab.playground.world.records import ChannelKind
from tests.e2e.stage import Process, Stage, bot_texts, events, of_kind
from tests.patience import eventually
from tests.real.people.reports import forward, poll

CREATE_PUBLIC_THREADS = 1 << 35
SEND_IN_THREADS = 1 << 38
OPENING = ("POST", "/threads")
MENTION = f"<@{BOT_ID}>"


@pytest.fixture
def begin(server: PlaygroundServer, tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Starts an agent with threads for questions; ended with the test."""
    begun: list[Stage] = []

    def start(**given: Any) -> Stage:
        options: dict[str, Any] = {"discord.threads": "auto", "discord.answer": "mentions"} | given
        begun.append(Stage(server, tmp_path / "data", **options))
        return begun[-1]

    yield start
    for stage in begun:
        stage.stop()


def answer_in(server: PlaygroundServer, place: int, after: int = 0) -> str:
    """The bot's first answer in a channel or thread, once it exists."""
    eventually(lambda: place in channel_ids(server))
    return str(server.wait_for_reply(place, after=after)["content"])


def channel_ids(server: PlaygroundServer) -> set[int]:
    return server.run(lambda: set(server.hub.world.channels))


def name_of(server: PlaygroundServer, channel_id: int) -> str:
    return server.run(lambda: server.hub.world.channels[channel_id].name)


def openings(server: PlaygroundServer) -> int:
    return len(server.requests(*OPENING))


def log_events(stage: Stage, window: int, surface: str = "discord-thread") -> list[Event]:
    return events(stage.data, surface, window)


@pytest.mark.req("X-210")
def test_each_question_has_a_thread_of_its_own_and_goes_on_there_without_a_mention(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    stage = begin()
    role = server.add_role("Night shift")
    server.say(GENERAL_ID, "nobody is asked here")
    first = server.say(GENERAL_ID, f"{MENTION} run: echo **one** for <@{YOU_ID}> of <@&{role}> in <#{GENERAL_ID}>")
    assert "one" in answer_in(server, first)
    second = server.say(GENERAL_ID, f"run: echo two {MENTION}")
    assert "two" in answer_in(server, second)

    followed = server.say(first, "run: echo three")
    assert "\nthree" in answer_in(server, first, after=followed)

    assert bot_texts(server) == []
    you = server.run(lambda: server.hub.world.user(YOU_ID).name)
    assert name_of(server, first) == f"run: echo one for @{you} of @Night shift in #general"
    assert name_of(server, second) == "run: echo two"
    assert [len(of_kind(log_events(stage, window), Kind.USER)) for window in (first, second)] == [2, 1]
    assert of_kind(log_events(stage, GENERAL_ID, "discord-channel"), Kind.USER) == ["nobody is asked here"]
    assert openings(server) == 2
    (message,) = [each for each in server.messages(first) if "**one**" in str(each["content"]) and is_by_bot(each)]
    assert "message_reference" not in message


def test_a_thread_is_named_from_a_forward_a_poll_and_a_sticker(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    begin(**{"discord.answer": "all"})
    parts = (
        forward(
            content=f"is <@{YOU_ID}> late?", mentions=[{"id": str(YOU_ID), "username": "you", "global_name": "Yo"}]
        ),
        poll("Where do we eat?", "Soup", "Pizza", expiry=None),
        {"sticker_items": [{"id": "3", "name": "wave_hello", "format_type": 1}]},
    )
    names = []
    for each in parts:
        question = server.say(GENERAL_ID, parts=each)
        answer_in(server, question)
        names.append(name_of(server, question))
    assert names == ["is @Yo late?", "poll: Where do we eat? Soup Pizza", "sticker: wave_hello"]


def is_by_bot(message: dict[str, Any]) -> bool:
    return bool(message["author"]["id"] == str(BOT_ID))


def test_reactions_stand_at_the_question_itself(server: PlaygroundServer, begin: Callable[..., Stage]) -> None:
    begin(**{"discord.reaction_after_s": 0})
    question = server.say(GENERAL_ID, f"run: echo one # {MENTION}")
    answer_in(server, question)

    def reactions() -> list[str]:
        (message,) = [each for each in server.messages(GENERAL_ID) if each["id"] == str(question)]
        return [each["emoji"]["name"] for each in message.get("reactions", ())]

    eventually(lambda: reactions() == ["✅"])


Spoil = Callable[[PlaygroundServer], None]


def deny(permission: int) -> Spoil:
    return lambda server: server.overwrite(GENERAL_ID, BOT_ID, deny=permission, is_member=True)


def refuse(status: int) -> Spoil:
    return lambda server: server.inject("refused", "POST .*/threads", status=status)


CASES = [
    ("no right to open: needle#252", deny(CREATE_PUBLIC_THREADS), 2),
    ("no right to write in threads: hermes-agent#86541", deny(SEND_IN_THREADS), 2),
    ("forbidden all the same", refuse(403), 1),
    ("a bad request, as of a name that a filter refuses", refuse(400), 1),
    ("the message is gone meanwhile", refuse(404), 1),
]
"""Case, cause, and number of questions."""


def test_where_no_thread_can_be_opened_the_channel_has_the_answer_and_the_log_a_word(
    server: PlaygroundServer, begin: Callable[..., Stage], subtests: pytest.Subtests, caplog: pytest.LogCaptureFixture
) -> None:
    """Never silently: hermes-agent#20243."""
    begin()
    for number, (case, spoil, questions) in enumerate(CASES):
        with subtests.test(case=case):
            server.overwrite(GENERAL_ID, BOT_ID, is_member=True)
            spoil(server)
            caplog.clear()
            for question in range(questions):
                said = server.say(GENERAL_ID, f"run: echo word{number}{question} # {MENTION}")
                assert f"\nword{number}{question}" in answer_in(server, GENERAL_ID, after=said)
            told = [each.getMessage() for each in caplog.records if "not in a thread" in each.getMessage()]
            assert len(told) == 1, told
            assert str(GENERAL_ID) in told[0]


def test_a_message_without_a_thread_to_come_is_answered_where_it_stands(
    server: PlaygroundServer, begin: Callable[..., Stage], caplog: pytest.LogCaptureFixture
) -> None:
    voice = server.create_channel("lounge", kind=ChannelKind.VOICE)
    forum = server.create_channel("ideas", forum=True)
    begin(channels=(GENERAL_ID, voice, forum), **{"discord.dms": True, "discord.allowed_users": ["*"]})
    thread, post = server.create_thread(GENERAL_ID, "by hand"), server.create_thread(forum, "an idea")
    direct = server.open_dm()
    failures = []
    for place in (voice, thread, post, direct):
        said = server.say(place, f"run: echo here # {MENTION}")
        if "\nhere" not in answer_in(server, place, after=said):
            failures.append(place)
    server.say(GENERAL_ID, f"{MENTION} stop")
    said = server.say(GENERAL_ID, f"run: echo last # {MENTION}")
    answer_in(server, said)
    assert not failures
    assert openings(server) == 1
    assert sum("voice channel" in each.getMessage() for each in caplog.records) == 1


def test_a_thread_that_is_there_already_is_the_place_and_one_that_is_locked_is_none(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    """Opened by a person or in an earlier life (openab#388, chat#279 of vercel, openclaw#7517): the thread of a message has its id."""
    begin().stop()
    server.wait_until_online(online=False)
    open_one, locked = (server.say(GENERAL_ID, f"run: echo {word} # {MENTION}") for word in ("open", "locked"))
    for message in (open_one, locked):
        server.create_thread(GENERAL_ID, "talk", message_id=message)
    server.change_thread(locked, locked=True)
    begin()
    assert "\nopen" in answer_in(server, open_one)
    assert "\nlocked" in answer_in(server, GENERAL_ID, after=locked)
    assert [("open" in text, "locked" in text) for text in bot_texts(server)] == [(False, True)]


def test_an_answer_of_discords_that_is_lost_opens_no_second_thread(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    """hermes-agent#73032: the thread was made, and only the answer that says so did not come."""
    begin()
    server.inject("abort-after", "POST .*/threads")
    said = server.say(GENERAL_ID, f"run: echo once # {MENTION}")
    assert "\nonce" in answer_in(server, said)
    assert bot_texts(server) == []
    assert sum("once" in text for text in bot_texts(server, said)) == 1


@pytest.fixture
def process(server: PlaygroundServer, tmp_path: Path) -> Iterator[Process]:
    """The agent in a process of its own, which opens threads for questions; not yet started."""
    made = Process(server, tmp_path / "data", more=f'[channels.{GENERAL_ID}]\nthreads = "auto"\n')
    yield made
    made.terminate()


@pytest.mark.req("X-210")
def test_a_kill_between_thread_and_answer_loses_and_doubles_nothing(server: PlaygroundServer, process: Process) -> None:
    process.start()
    answer_in(server, server.say(GENERAL_ID, "run: echo before"))
    server.inject("delay", "POST .*/messages$", delay_s=60.0)
    said = server.say(GENERAL_ID, "run: echo precious")
    eventually(lambda: said in channel_ids(server))
    process.kill()
    server.clear_faults()
    process.start()
    assert "\nprecious" in answer_in(server, said)
    process.kill()
    (process.data / "watermarks").unlink(missing_ok=True)
    process.start()
    later = server.say(GENERAL_ID, "run: echo later")
    assert "\nlater" in answer_in(server, later)
    process.terminate()
    assert sum("\nprecious" in text for text in bot_texts(server, said)) == 1
    assert of_kind(events(process.data, "discord-thread", said), Kind.USER) == ["run: echo precious"]
    assert bot_texts(server) == []


def test_a_question_that_is_deleted_or_edited_in_the_channel_is_so_in_its_thread(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    stage = begin()
    live, away = (server.say(GENERAL_ID, f"run: echo secret{word} # {MENTION}") for word in ("live", "away"))
    for place in (live, away):
        answer_in(server, place)

    def taken_back(place: int) -> list[str]:
        metas = [event.meta_dict() for event in log_events(stage, place) if event.kind is Kind.TOMBSTONE]
        return [str(meta["why"]) for meta in metas if meta["message_id"] == str(place)]

    server.delete(GENERAL_ID, live)
    eventually(lambda: taken_back(live) == ["deleted"])
    assert taken_back(away) == []
    stage.stop()
    server.wait_until_online(online=False)
    server.edit(GENERAL_ID, away, f"run: echo other words # {MENTION}")
    begin()
    eventually(lambda: taken_back(away) == ["edited"])
