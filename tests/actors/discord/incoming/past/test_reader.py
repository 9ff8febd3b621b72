"""Places and pages of the past: archived threads too, of all authors, and nothing that was withdrawn meanwhile."""

from __future__ import annotations

import pytest

from lab.playground.world import defaults
from lab.playground.world.records import ChannelKind
from messages.base import ChannelId, Message, MessageId, RequestId, Window
from messages.context import RetractMessages, ReviseMessage
from messages.past import (
    CategoriesFound,
    FindCategories,
    ListPast,
    PastDelayed,
    PastListed,
    PastPlace,
    PastRead,
    ReadPast,
    SettlePast,
)
from messages.socket import Refused
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.patience import PATIENCE_S, eventually

HISTORY = 1 << 16
NEWEST = (1 << 63) - 1


def ask(life: Life, message: ListPast | ReadPast) -> Message:
    """Reply to a question, asked again while what was missed live is read."""
    replies: list[Message] = []

    def is_answered() -> bool:
        life.tell(message)
        reply = life.edge.receive(PATIENCE_S, lambda each: getattr(each, "request_id", "") == message.request_id)
        replies[:] = [reply]
        return not isinstance(reply, PastDelayed)

    eventually(is_answered)
    return replies[0]


def list_places(life: Life) -> dict[Window, PastPlace]:
    listed = ask(life, ListPast(request_id=RequestId("l"), reply_to=life.edge.address))
    assert isinstance(listed, PastListed)
    return {each.window: each for each in listed.places}


def read(life: Life, window: Window = GENERAL, before: int = NEWEST, after: int = 0) -> PastRead:
    page = ask(
        life,
        ReadPast(request_id=RequestId("r"), reply_to=life.edge.address, window=window, before=before, after=after),
    )
    assert isinstance(page, PastRead), page
    return page


@pytest.mark.req("X-254")
def test_threads_are_listed_that_are_archived_and_private(life: Life) -> None:
    server = life.playground
    active = server.create_thread(defaults.GENERAL_ID, "active")
    old = server.create_thread(defaults.GENERAL_ID, "old")
    closed = server.create_thread(defaults.GENERAL_ID, "closed", private=True)
    hidden = server.create_thread(defaults.GENERAL_ID, "hidden", private=True, with_bot=False)
    for thread in (old, closed):
        server.say(thread, "a word")
        server.change_thread(thread, archived=True)
    places = list_places(life)
    assert {GENERAL, *map(thread_window, (active, old, closed))} <= places.keys()
    assert thread_window(hidden) not in places
    assert [message.text for message in read(life, thread_window(closed)).messages] == ["a word"]


@pytest.mark.req("X-254")
def test_pages_go_back_to_the_first_message_with_everybodys_words(life: Life) -> None:
    server = life.playground
    first = life.say("good morning")
    bot = server.add_user("Newsbot", bot=True)
    life.say("the news", user=bot)
    answer = life.say("thanks", reply_to=first)
    for number in range(120):
        life.say(f"number {number}")
    assert list_places(life)[GENERAL].newest >= first
    page = read(life)
    assert (len(page.messages), page.is_last, page.audience.split(":")[-1]) == (100, False, "everyone")
    rest = read(life, before=page.oldest)
    texts = [message.text for message in (*rest.messages, *page.messages)]
    assert texts == ["good morning", "the news", "thanks", *(f"number {number}" for number in range(120))]
    assert rest.is_last
    assert {message.message_id: message.reply_to_message_id for message in rest.messages}[
        MessageId(str(answer))
    ] == str(first)
    assert [each.text for each in read(life, after=answer).messages] == texts[-100:]
    assert read(life, before=first).messages == ()


def test_the_bots_own_messages_are_marked(life: Life) -> None:
    bot = life.playground.add_user("Newsbot", bot=True)
    life.say("the news", user=bot)
    life.delivered("an answer")
    assert [(message.text, message.is_own) for message in read(life).messages] == [
        ("the news", False),
        ("an answer", True),
    ]


@pytest.mark.req("X-251")
def test_categories_are_those_of_now_and_empty_where_there_is_none(life: Life) -> None:
    server = life.playground
    category = server.create_channel("Archive", kind=ChannelKind.CATEGORY)
    forum = server.create_channel("help", forum=True, parent_id=category)
    channels = tuple(ChannelId(str(each)) for each in (forum, defaults.GENERAL_ID, 17))
    request = FindCategories(request_id=RequestId("c"), reply_to=life.edge.address, channels=channels)

    def find() -> tuple[str, ...]:
        life.tell(request)
        reply = life.edge.receive(PATIENCE_S, lambda each: isinstance(each, CategoriesFound))
        assert isinstance(reply, CategoriesFound)
        return reply.categories

    eventually(lambda: find() == (str(category), "", ""))
    server.move_channel(forum, None)
    eventually(lambda: find() == ("", "", ""))


def test_what_was_deleted_or_edited_behind_its_page_is_told_to_the_window_again(life: Life) -> None:
    gone, changed, kept = (life.say(text) for text in ("secret", "wrong", "right"))
    page = eventually(lambda: page if len((page := read(life)).messages) == 3 else None)  # all are logged by now
    assert page is not None
    ids = tuple(message.message_id for message in page.messages)
    life.playground.delete(defaults.GENERAL_ID, gone)
    life.playground.edit(defaults.GENERAL_ID, changed, "better")
    told = life.told

    def is_told(times: int) -> bool:
        retractions = [each for each in told.now() if isinstance(each, RetractMessages)]
        revisions = [each for each in told.now() if isinstance(each, ReviseMessage)]
        return (len(retractions), len(revisions)) == (times, times)

    eventually(lambda: is_told(1))
    life.tell(SettlePast(window=GENERAL, message_ids=ids))
    eventually(lambda: is_told(2))
    (*_, last) = (each for each in told.now() if isinstance(each, RetractMessages))
    assert last == RetractMessages(window=GENERAL, message_ids=(MessageId(str(gone)),))
    (*_, edit) = (each for each in told.now() if isinstance(each, ReviseMessage))
    assert (edit.message_id, edit.text) == (str(changed), "better")
    assert str(kept) in ids


@pytest.mark.parametrize("fault", ["lost", "unlogged"])
def test_a_message_still_to_be_answered_is_no_past(life: Life, fault: str) -> None:
    """A window that had the message in an imported log would take the message itself for a repetition."""
    life.say("before")
    life.messages.wait(1)
    life.playground.gateway_faults(lose_messages=int(fault == "lost"))
    life.unstorable.add("unlogged")
    life.say(fault)
    life.say("after")
    eventually(lambda: "after" in [message.text for message in life.messages.now()])
    assert [message.text for message in read(life).messages] == ["before", "after"]


def test_a_channel_whose_history_the_bot_may_not_read_is_left_out(life: Life) -> None:
    life.say("hello")
    life.playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID, deny=HISTORY)
    eventually(lambda: GENERAL not in list_places(life))
    refused = ask(life, ReadPast(request_id=RequestId("r"), reply_to=life.edge.address, window=GENERAL, before=NEWEST))
    assert isinstance(refused, Refused)
    assert "may not read its history" in refused.reason


@pytest.mark.req("X-254")
def test_places_are_listed_when_all_servers_are_known(start_life: StartLife) -> None:
    life = start_life(wait=False)
    assert GENERAL in list_places(life)


@pytest.mark.req("X-271")
def test_a_page_is_read_when_no_answer_is_being_written(start_life: StartLife) -> None:
    life = start_life(timing=timing(gives_way_s=PATIENCE_S))
    thread = thread_window(life.playground.create_thread(defaults.GENERAL_ID, "another matter"))
    list_places(life)
    life.type(True)
    life.tell(ReadPast(request_id=RequestId("p"), reply_to=life.edge.address, window=GENERAL, before=NEWEST))
    life.delivered("a call behind that one", thread)
    life.say("said meanwhile")
    life.type(False)

    page = life.edge.receive(PATIENCE_S, lambda each: getattr(each, "request_id", "") == "p")

    assert isinstance(page, PastRead)
    assert [message.text for message in page.messages] == ["said meanwhile"]


@pytest.mark.req("X-271")
def test_a_page_does_not_wait_for_an_answer_that_takes_long(life: Life) -> None:
    life.say("hello")
    life.type(True)

    assert [message.text for message in read(life).messages] == ["hello"]
