from __future__ import annotations

import pytest

from actors.cli.try_it import playground_connection
from actors.discord.incoming.comparison import MOST_LISTED
from domain.log.kept import FORGOTTEN_WORDS
from domain.log.watermark import Watermark
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Surface, Window
from messages.context import KeptMessage, RetractMessages, ReviseMessage, TellKeptMessages, UserMessage
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.incoming.gaps import open_post
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.patience import eventually

HISTORY = r"GET /channels/\d+/messages"


def kept_messages(*message_ids: int) -> tuple[KeptMessage, ...]:
    return tuple(KeptMessage(message_id=str(message_id)) for message_id in message_ids)


def find_retracted(life: Life) -> list[tuple[str, ...]]:
    return [told.message_ids for told in life.told.now() if isinstance(told, RetractMessages)]


def find_asked(life: Life) -> list[Window]:
    return [told.window for told in life.told.now() if isinstance(told, TellKeptMessages)]


def test_what_discord_did_not_tell_in_all_attempts_is_asked_again_later(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    gone, there = (playground.say(defaults.GENERAL_ID, text) for text in ("gone", "there"))
    playground.delete(defaults.GENERAL_ID, gone)
    waits = timing(compare_again_s=0.1)
    playground.inject("503", HISTORY, times=waits.attempts + 1)
    last_seen = {GENERAL.address.key: str(there)}
    life = start_life(last_seen=last_seen, kept={GENERAL: kept_messages(gone, there)}, timing=waits)
    eventually(lambda: bool(find_retracted(life)))

    assert find_retracted(life) == [(str(gone),)]
    assert len(find_asked(life)) == 2


@pytest.mark.req("X-245")
def test_a_forgotten_message_is_neither_taken_for_deleted_nor_for_edited(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    forgotten, edited, gone = (playground.say(defaults.GENERAL_ID, text) for text in ("forgotten", "edited", "gone"))
    playground.edit(defaults.GENERAL_ID, edited, "other words")
    for message_id in (forgotten, gone):
        playground.delete(defaults.GENERAL_ID, message_id)
    held = [KeptMessage(message_id=str(each), words=FORGOTTEN_WORDS) for each in (forgotten, edited)]
    life = start_life(last_seen={GENERAL.address.key: str(gone)}, kept={GENERAL: (*held, *kept_messages(gone))})
    eventually(lambda: bool(find_retracted(life)))

    assert find_retracted(life) == [(str(gone),)]
    assert not any(isinstance(told, ReviseMessage) for told in life.told.now())


def test_a_message_that_cannot_be_read_hides_no_deletion_and_is_not_taken_for_deleted(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    gone, odd, there = (playground.say(defaults.GENERAL_ID, text) for text in ("gone", "odd", "there"))
    playground.delete(defaults.GENERAL_ID, gone)
    playground.garble(odd)
    life = start_life(last_seen={GENERAL.address.key: str(there)}, kept={GENERAL: kept_messages(gone, odd, there)})
    eventually(lambda: bool(find_retracted(life)))

    assert find_retracted(life) == [(str(gone),)]


def test_what_is_older_than_a_playground_was_said_in_another_and_is_not_taken_for_deleted(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    connection = playground_connection(playground)
    earlier = playground.first_id - 1
    gone, there = (playground.say(defaults.GENERAL_ID, text) for text in ("gone", "there"))
    playground.delete(defaults.GENERAL_ID, gone)
    life = start_life(
        first_id=connection.first_id,
        last_seen={GENERAL.address.key: str(there)},
        kept={GENERAL: kept_messages(earlier, gone, there)},
    )
    eventually(lambda: bool(find_retracted(life)))

    assert find_retracted(life) == [(str(gone),)]


def test_the_first_message_of_a_long_post_in_a_forum_is_not_taken_for_deleted(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    forum = playground.create_channel("forum", forum=True)
    post = open_post(playground, forum, "first")
    numbers = [playground.say(post, str(number)) for number in range(MOST_LISTED + 2)]
    playground.delete(post, gone := numbers[-2])
    life = start_life(
        channels=(str(forum),),
        last_seen={thread_window(post).address.key: str(numbers[-1])},
        watermarks={post: Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=numbers[-1])},
        kept={thread_window(post): kept_messages(post, gone, numbers[-1])},
    )
    eventually(lambda: bool(find_retracted(life)))

    assert find_retracted(life) == [(str(gone),)]


def test_what_was_missed_is_passed_on_before_anything_is_compared(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    seen = playground.say(defaults.GENERAL_ID, "seen")
    thread = playground.create_thread(defaults.GENERAL_ID, "nothing is missed here")
    last = playground.say(thread, "last")
    playground.say(defaults.GENERAL_ID, "missed")
    playground.inject("delay", HISTORY, delay_s=0.3)
    whole = {thread: Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=last)}
    logs = {GENERAL.address.key: str(seen), thread_window(thread).address.key: str(last)}
    life = start_life(last_seen=logs, watermarks=whole)
    eventually(lambda: len(find_asked(life)) == 3)

    is_it_logged = [TellKeptMessages, UserMessage]
    assert [type(told) for told in life.told.now()] == [*is_it_logged, TellKeptMessages, TellKeptMessages]


def test_of_many_windows_those_used_last_go_first_and_those_that_hold_nothing_cost_no_call(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    threads = [playground.create_thread(defaults.GENERAL_ID, str(number)) for number in range(12)]
    last = [playground.say(thread, "last") for thread in threads]
    keys = [thread_window(thread).address.key for thread in threads]
    kept = {thread_window(threads[0]): kept_messages(last[0])}
    life = start_life(last_seen=dict(zip(keys, map(str, last), strict=True)), kept=kept)
    eventually(lambda: len(find_asked(life)) >= len(threads) and len(playground.requests("GET", "/messages")) == 1)

    assert find_asked(life)[0] == thread_window(threads[-1])
    assert find_retracted(life) == []
