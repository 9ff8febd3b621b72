"""Messages whose events Discord never sends, sends late or sends twice: each is found in the history, and told once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.discord.incoming.fetching import Fetcher
from domain.log.watermark import Watermark
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from lab.playground.world.records import ChannelKind
from messages.base import MessageId, Surface, Window
from messages.context import KeptMessage
from messages.discord import UserMessageNotLogged
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.incoming.gaps import HISTORY, QUICK, kept, open_post, read_up_to
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.patience import eventually

CDN = "GET /attachments/"
OFTEN = timing(look_every_s=0.3, look_pause_s=0.0)


def place(playground: PlaygroundServer, kind: str) -> int:
    """A channel of a kind."""
    match kind:
        case "channel":
            return defaults.GENERAL_ID
        case "thread":
            return playground.create_thread(defaults.GENERAL_ID, "in a thread")
        case _:
            return playground.open_dm()


def lose(life: Life, *texts: str, channel_id: int = defaults.GENERAL_ID, first: str = "before") -> None:
    """Say `first`, wait until it is heard, then say texts of which no event comes."""
    heard = len(life.messages.now())
    life.say(first, channel_id)
    life.messages.wait(heard + 1)
    life.playground.gateway_faults(lose_messages=len(texts))
    for text in texts:
        life.say(text, channel_id)


KINDS = pytest.mark.parametrize("kind", ["channel", "thread", "direct"])


@pytest.mark.req("X-201")
@KINDS
def test_a_message_that_no_event_tells_is_found_without_a_new_session(
    playground: PlaygroundServer, start_life: StartLife, kind: str
) -> None:
    life = start_life(timing=OFTEN, dms=True)
    number = place(playground, kind)
    lose(life, "lost", channel_id=number)
    life.say("after", number)
    assert sorted(life.texts(3)) == ["after", "before", "lost"]


@KINDS
def test_a_message_that_no_event_tells_and_none_follows_is_found(
    playground: PlaygroundServer, start_life: StartLife, kind: str
) -> None:
    life = start_life(timing=OFTEN, dms=True)
    number = place(playground, kind)
    lose(life, "lost", channel_id=number)
    assert life.texts(2) == ["before", "lost"]


@KINDS
@pytest.mark.parametrize("is_killed", [False, True])
def test_the_next_life_finds_what_no_event_told(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, kind: str, is_killed: bool
) -> None:
    life = start_life(dms=True, **kept(tmp_path))
    number = place(playground, kind)
    lose(life, "lost", channel_id=number)
    life.say("after", number)
    life.messages.wait(2)
    eventually(lambda: number in read_up_to(tmp_path))
    data = kept(tmp_path, dms=True)
    life.stop()
    second = start_life(**(data if is_killed else kept(tmp_path, dms=True)))
    eventually(lambda: "lost" in [message.text for message in second.messages.now()])


def test_a_new_session_and_a_resumed_one_find_what_no_event_told(life: Life) -> None:
    playground = life.playground
    lose(life, "lost")
    life.say("after")
    playground.drop(4000)
    eventually(lambda: playground.counters().get("resumes", 0) == 1)
    assert sorted(life.texts(3)) == ["after", "before", "lost"]
    playground.gateway_faults(lose_messages=1)
    life.say("lost again")
    life.say("after that")
    life.messages.wait(4)
    playground.op9(False)
    life.online.wait(2)
    assert sorted(life.texts(5)) == ["after", "after that", "before", "lost", "lost again"]


def test_an_event_that_comes_after_a_look_has_found_its_message_is_told_once(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(timing=OFTEN)
    life.say("before")
    life.messages.wait(1)
    playground.gateway_faults(delay_messages=1)
    life.say("late")
    life.say("after")
    life.messages.wait(3)
    playground.send_delayed()
    life.say("end")
    eventually(lambda: "end" in [message.text for message in life.messages.now()])
    assert sorted(life.texts(4)) == ["after", "before", "end", "late"]


def test_an_event_that_comes_twice_is_told_once(life: Life) -> None:
    life.playground.gateway_faults(double_messages=1)
    life.say("twice")
    life.say("end")
    assert life.texts(2) == ["twice", "end"]


def test_an_event_that_comes_while_a_look_is_under_way_is_told_once(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(timing=OFTEN)
    life.say("before")
    life.messages.wait(1)
    playground.gateway_faults(delay_messages=1)
    playground.inject("delay", HISTORY, delay_s=0.5)
    life.say("late")
    eventually(lambda: playground.counters()["faults_fired"] == 1)
    playground.send_delayed()
    life.say("end")
    eventually(lambda: "end" in [message.text for message in life.messages.now()])
    eventually(lambda: len(playground.requests("GET", "/messages")) > 4)
    assert sorted(life.texts(3)) == ["before", "end", "late"]


@KINDS
def test_a_message_that_its_window_could_not_log_is_passed_on_until_it_can(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, kind: str
) -> None:
    life = start_life(timing=OFTEN, **kept(tmp_path, dms=True))
    number = place(playground, kind)
    life.say("before", number)
    life.messages.wait(1)
    life.unstorable.add("on a full disk")
    life.say("on a full disk", number)
    life.say("after", number)
    assert life.texts(4).count("on a full disk") >= 2
    after = next(int(message.message_id) for message in life.messages.now() if message.text == "after")
    assert read_up_to(tmp_path).get(number, 0) < after
    life.unstorable.clear()
    eventually(lambda: read_up_to(tmp_path).get(number, 0) >= after)
    assert [message.text for message in life.messages.now()].count("after") == 1


def test_no_more_than_a_page_is_read_at_a_look(playground: PlaygroundServer, start_life: StartLife) -> None:
    life = start_life(timing=timing(look_every_s=0.5, look_pause_s=0.0))
    playground.gateway_faults(lose_messages=150)
    for number in range(150):
        life.say(str(number))
    assert life.texts(150) == [str(number) for number in range(150)]


@pytest.mark.parametrize("is_followed", [False, True])
def test_the_first_message_of_a_new_thread_is_found_though_no_event_tells_it(
    playground: PlaygroundServer, start_life: StartLife, is_followed: bool
) -> None:
    life = start_life(timing=OFTEN)
    thread = playground.create_thread(defaults.GENERAL_ID, "new")
    playground.gateway_faults(lose_messages=1)
    life.say("first", thread)
    if is_followed:
        life.say("second", thread)
    told = ["first", "second"] if is_followed else ["first"]
    assert sorted(life.texts(len(told))) == told


def test_the_first_message_of_a_post_in_a_forum_is_found(playground: PlaygroundServer, start_life: StartLife) -> None:
    forum = playground.create_channel("forum", forum=True)
    life = start_life(timing=OFTEN, channels=(str(forum),))
    playground.gateway_faults(lose_messages=1)
    life.say("lost", playground.create_thread(forum, "post"))
    assert life.texts(1) == ["lost"]


def test_the_first_message_of_a_private_thread_that_takes_the_bot_in_is_found(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    """discord/discord-api-docs#3405: the bot hears of such a thread only when it becomes a member."""
    life = start_life(timing=OFTEN)
    thread = playground.create_thread(defaults.GENERAL_ID, "private", private=True)
    playground.gateway_faults(lose_messages=1)
    life.say("lost", thread)
    assert life.texts(1) == ["lost"]


def test_what_is_said_in_a_thread_that_is_opened_again_is_found(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    thread = playground.create_thread(defaults.GENERAL_ID, "old")
    playground.say(thread, "before")
    playground.change_thread(thread, archived=True)
    life = start_life(timing=OFTEN)
    life.say("live")
    life.messages.wait(1)
    playground.gateway_faults(lose_messages=1)
    playground.change_thread(thread, archived=False)
    life.say("lost", thread)
    eventually(lambda: "lost" in [message.text for message in life.messages.now()])


def test_what_is_said_in_a_thread_of_an_earlier_session_that_is_opened_again_is_found(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(timing=OFTEN, catchup_hours=1e-7)
    thread = playground.create_thread(defaults.GENERAL_ID, "known")
    life.say("before", thread)
    life.messages.wait(1)
    playground.change_thread(thread, archived=True)
    for _ in range(3):
        lose(life, first="later")
    playground.op9(False)
    life.online.wait(2)
    playground.gateway_faults(lose_messages=1)
    playground.change_thread(thread, archived=False)
    life.say("lost", thread)
    eventually(lambda: "lost" in [message.text for message in life.messages.now()])


@pytest.mark.parametrize(("fault", "status"), [("refused", 403), ("refused", 404), ("503", 503), ("refused", 429)])
def test_a_look_that_fails_confirms_nothing(
    playground: PlaygroundServer, start_life: StartLife, fault: str, status: int
) -> None:
    life = start_life(timing=OFTEN)
    life.say("before")
    life.messages.wait(1)
    playground.inject(fault, HISTORY, times=3, status=status)
    lose(life, "lost", first="more")
    life.say("after")
    assert sorted(life.texts(4)) == ["after", "before", "lost", "more"]


def test_a_message_without_an_event_is_found_in_a_thread_that_was_quiet_for_longer_than_the_catch_up(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    life = start_life(timing=OFTEN, catchup_hours=1e-7, **kept(tmp_path))
    thread = playground.create_thread(defaults.GENERAL_ID, "quiet")
    life.say("before", thread)
    life.messages.wait(1)
    eventually(lambda: thread in read_up_to(tmp_path))
    for _ in range(3):
        lose(life, first="later")
    lose(life, "lost", channel_id=thread, first="once more")
    for _ in range(3):
        lose(life, first="later still")
    eventually(lambda: "lost" in [message.text for message in life.messages.now()])
    looks = len(playground.requests("GET", f"/channels/{thread}/messages"))
    eventually(lambda: len(playground.requests("GET", "/threads/active")) > 9)
    assert len(playground.requests("GET", f"/channels/{thread}/messages")) <= looks + 2


NO_HISTORY = 1 << 16
NO_WORDS_IN_THREADS = 1 << 38


@pytest.mark.parametrize("kind", ["channel", "thread"])
def test_an_empty_page_confirms_nothing_while_the_bot_may_not_read_history(
    playground: PlaygroundServer, start_life: StartLife, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    """discord/discord-api-docs#455: without that permission Discord refuses nothing, and lists no message."""
    life = start_life(timing=OFTEN)
    number = place(playground, kind)
    playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID, deny=NO_HISTORY)
    lose(life, "lost", channel_id=number)
    life.say("after", number)
    eventually(lambda: f"channel {number} is looked into later" in caplog.text)
    assert sorted(life.texts(2)) == ["after", "before"]
    playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID)
    assert sorted(life.texts(3)) == ["after", "before", "lost"]


def test_a_gap_stays_open_while_the_bot_may_not_read_history(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    playground.say(defaults.GENERAL_ID, "missed")
    playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID, deny=NO_HISTORY)
    life = start_life(last_seen={GENERAL.address.key: "1"}, timing=QUICK)
    life.say("live")
    assert life.texts(1) == ["live"]
    playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID)
    assert sorted(life.texts(2)) == ["live", "missed"]


def test_words_that_were_edited_before_a_look_are_the_new_ones_and_deleted_ones_stay_away(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(timing=OFTEN)
    playground.gateway_faults(lose_messages=2)
    edited, deleted = life.say("old words"), life.say("gone")
    playground.edit(defaults.GENERAL_ID, edited, "new words")
    playground.delete(defaults.GENERAL_ID, deleted)
    life.say("reply", reply_to=edited)
    life.texts(2)
    looks = len(playground.requests("GET", "/messages"))
    eventually(lambda: len(playground.requests("GET", "/messages")) > looks + 2)
    assert sorted(message.text for message in life.messages.now()) == ["new words", "reply"]


def test_what_is_in_the_log_is_neither_told_again_nor_counted_nor_fetched_by_the_next_life(
    start_life: StartLife, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    fetch = Fetcher.fetch

    async def counted(self: Fetcher, address: str, most_bytes: int) -> bytearray:
        fetched.append(address)
        return await fetch(self, address, most_bytes)

    monkeypatch.setattr(Fetcher, "fetch", counted)
    life = start_life(**kept(tmp_path), turns_per_user=3)
    said = [life.say(text, attachments=[("notes.txt", b"words")]) for text in ("one", "two", "three")]
    life.messages.wait(3)
    eventually(lambda: defaults.GENERAL_ID in read_up_to(tmp_path))
    life.stop()
    assert len(fetched) == 3
    logged = tuple(KeptMessage(message_id=str(number), words="0" * 16) for number in said[:2])
    options = kept(tmp_path, turns_per_user=3, kept={GENERAL: logged}, last_seen={GENERAL.address.key: str(said[2])})
    second = start_life(**options)
    second.say("new")
    told = {message.text.split("\n")[0]: message for message in second.messages.wait(2)}
    assert list(told) == ["three", "new"]
    assert told["new"].wants_answer
    assert len(fetched) == 4


def test_what_the_logs_of_own_threads_have_is_not_counted_by_the_next_life(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    start_life(**kept(tmp_path)).stop()
    life = start_life(**kept(tmp_path), opens_threads=True)
    numbers = [life.say(text) for text in ("one", "two", "three")]
    life.messages.wait(3)
    last_seen = {thread_window(number).address.key: str(number) for number in numbers}
    options = kept(tmp_path, last_seen=last_seen)
    life.stop()

    second = start_life(**options, opens_threads=True, turns_per_user=3)

    second.say("new")
    eventually(lambda: "new" in [message.text for message in second.messages.now()])
    assert [message.wants_answer for message in second.messages.now()] == [True] * 4


def test_a_question_answered_in_its_channel_gets_no_thread_while_its_window_does_not_tell_what_it_has(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    """No thread could be opened in the life before."""
    start_life(**kept(tmp_path)).stop()
    question = playground.say(defaults.GENERAL_ID, "answered in the channel")
    logged = (KeptMessage(message_id=str(question), words="0" * 16),)
    options = kept(tmp_path, kept={GENERAL: logged}, last_seen={GENERAL.address.key: str(question)})

    life = start_life(**options, opens_threads=True, timing=timing(compare_timeout_s=0.0))

    live = life.say("live")
    eventually(lambda: "live" in [message.text for message in life.messages.now()])
    assert [message.window for message in life.messages.now()] == [thread_window(live)]


def test_a_question_answered_in_its_channel_gets_no_thread_though_the_channel_was_kept_as_a_thread(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    """The life before met the channel by a message alone, without the event of the channel's making."""
    question = playground.say(defaults.GENERAL_ID, "answered in the channel")
    logged = (KeptMessage(message_id=str(question), words="0" * 16),)
    mark = Watermark(surface=Surface.DISCORD_THREAD, first=0, upto=question - 1)
    options = kept(tmp_path, kept={GENERAL: logged}, last_seen={GENERAL.address.key: str(question)})

    life = start_life(**options | {"watermarks": {defaults.GENERAL_ID: mark}}, opens_threads=True)

    live = life.say("live")
    eventually(lambda: "live" in [message.text for message in life.messages.now()])
    assert [message.window for message in life.messages.now()] == [thread_window(live)]


def test_what_a_log_only_quotes_is_told(playground: PlaygroundServer, start_life: StartLife) -> None:
    number = playground.say(defaults.GENERAL_ID, "quoted elsewhere")
    quoted = (KeptMessage(message_id=str(number)),)
    life = start_life(last_seen={GENERAL.address.key: "1"}, kept={GENERAL: quoted})
    assert life.texts(1) == ["quoted elsewhere"]


@pytest.mark.parametrize("kind", ["thread", "direct"])
def test_a_lost_first_message_is_found_by_the_life_after_a_kill_before_the_channel_was_kept(
    playground: PlaygroundServer, start_life: StartLife, kind: str, tmp_path: Path
) -> None:
    """Campaign of kills, seed 48, batch 126: only the second message was in the thread's log, and no watermark."""
    before = playground.say(defaults.GENERAL_ID, "before")
    start_life(**kept(tmp_path), dms=True).stop()
    assert read_up_to(tmp_path) == {defaults.GENERAL_ID: before}
    number = place(playground, kind)
    playground.say(number, "first")
    second = playground.say(number, "second")
    surface = {"thread": Surface.DISCORD_THREAD, "direct": Surface.DISCORD_DM}[kind]
    window = Window(surface=surface, id=str(number))
    logged = {window: (KeptMessage(message_id=str(second), words="0" * 16),)}

    life = start_life(**kept(tmp_path, kept=logged, last_seen={window.address.key: str(second)}), dms=True)

    life.say("live", number)
    assert life.texts(2) == ["first", "live"]


@pytest.mark.parametrize("is_named", [False, True])
def test_a_lost_first_message_of_a_private_thread_archived_before_the_next_life_is_found(
    playground: PlaygroundServer, start_life: StartLife, is_named: bool, tmp_path: Path
) -> None:
    """Nothing that Discord lists is newer than the thread, which therefore seems to be made in the new session.

    Args:
        is_named: True if the thread's log names the second message; otherwise the log was begun, and no more.
    """
    playground.say(defaults.GENERAL_ID, "before")
    start_life(**kept(tmp_path)).stop()
    thread = playground.create_thread(defaults.GENERAL_ID, "archived", private=True)
    playground.say(thread, "first")
    second = playground.say(thread, "second")
    playground.change_thread(thread, archived=True)
    window = thread_window(thread)
    logged = {window: (KeptMessage(message_id=str(second), words="0" * 16),)} if is_named else {}
    last_seen = {window.address.key: str(second) if is_named else "0"}

    life = start_life(**kept(tmp_path, kept=logged, last_seen=last_seen), timing=OFTEN)

    missed = ["first"] if is_named else ["first", "second"]
    assert life.texts(len(missed)) == missed


class FailingMeanwhile(dict[Window, tuple[KeptMessage, ...]]):
    """Content of the windows' logs; before the first answer a window fails to log a message."""

    def __init__(self) -> None:
        super().__init__()
        self.fail: Callable[[], None] | None = None

    def get(self, window: Window, default: Any = None) -> Any:
        fail, self.fail = self.fail, None
        if fail is not None:
            fail()
        return super().get(window, default)


def look(playground: PlaygroundServer) -> None:
    """Have a session go on after a break: history is read anew."""
    resumes = playground.counters().get("resumes", 0)
    playground.drop(4000)
    eventually(lambda: playground.counters().get("resumes", 0) > resumes)


def test_a_message_that_cannot_be_logged_while_a_look_waits_for_its_window_is_found_again(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    logs = FailingMeanwhile()
    life = start_life(kept=logs)
    life.say("before")
    life.messages.wait(1)
    life.logs = False
    slow = life.say("on a slow disk, full at last")
    life.messages.wait(2)
    life.logs = True
    playground.gateway_faults(lose_messages=1)
    life.say("lost")
    logs.fail = lambda: life.tell(UserMessageNotLogged(window=GENERAL, message_id=MessageId(str(slow))))

    look(playground)

    assert life.texts(4)[2:] == ["on a slow disk, full at last", "lost"]


@pytest.mark.parametrize("kind", ["post", "thread"])
def test_a_lost_first_message_is_answered_though_it_began_the_thread_of_the_second(
    playground: PlaygroundServer, start_life: StartLife, kind: str
) -> None:
    forum = playground.create_channel("forum", forum=True)
    life = start_life(channels=(str(defaults.GENERAL_ID), str(forum)))
    life.say("before")
    life.messages.wait(1)
    playground.gateway_faults(lose_messages=1, lose_threads=int(kind == "post"))
    if kind == "post":
        thread = open_post(playground, forum, "lost")
    else:
        thread = playground.create_thread(defaults.GENERAL_ID, "by hand", message_id=life.say("lost"))
    life.say("second", thread)
    eventually(lambda: "second" in [message.text for message in life.messages.now()])

    look(playground)

    eventually(lambda: "lost" in [message.text for message in life.messages.now() if message.wants_answer])
    assert [message.wants_answer for message in life.messages.now()] == [True] * 3


def test_a_starter_of_somebody_who_is_not_heard_is_told_at_once(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(allowed_users=frozenset({str(defaults.YOU_ID)}))
    starter = life.say("not for the bot", user=defaults.GUEST_ID)
    life.say("what is this?", playground.create_thread(defaults.GENERAL_ID, "by hand", message_id=starter))
    assert life.texts(2) == ["not for the bot", "what is this?"]


def test_one_look_finds_the_first_message_of_a_thread_of_which_no_event_tells(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    forum = playground.create_channel("forum", forum=True)
    life = start_life(channels=(str(forum),))
    playground.gateway_faults(lose_messages=1, lose_threads=1)
    open_post(playground, forum, "lost")

    look(playground)

    assert life.texts(1) == ["lost"]


def test_a_lost_first_message_of_a_new_channel_is_found_by_the_life_after_a_kill_before_the_channel_was_kept(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    category = playground.create_channel("heard", kind=ChannelKind.CATEGORY)
    playground.create_channel("old", parent_id=category)
    start_life(**kept(tmp_path), channels=(str(category),)).stop()
    number = playground.create_channel("new", parent_id=category)
    playground.say(number, "first")
    second = playground.say(number, "second")
    window = Window(surface=Surface.DISCORD_CHANNEL, id=str(number))
    logged = {window: (KeptMessage(message_id=str(second), words="0" * 16),)}
    options = kept(tmp_path, kept=logged, last_seen={window.address.key: str(second)})

    life = start_life(**options, channels=(str(category),))

    life.say("live", number)
    assert life.texts(2) == ["first", "live"]


def test_a_doubled_message_told_once_more_behind_a_slow_file_is_found_again_if_it_cannot_be_logged(
    life: Life,
) -> None:
    life.logs = False
    number = life.say("on a full disk")
    doubled = {"member": {"roles": [], "flags": 0, "joined_at": "2026-01-01T00:00:00+00:00"}}
    doubled |= life.playground.messages(defaults.GENERAL_ID)[-1] | {"guild_id": str(defaults.GUILD_ID)}
    life.messages.wait(1)
    failed = UserMessageNotLogged(window=GENERAL, message_id=MessageId(str(number)))
    life.playground.inject("delay", CDN, delay_s=0.5)
    life.say("slow", attachments=[("notes.txt", b"words")])
    life.playground.dispatch("MESSAGE_CREATE", doubled)
    eventually(lambda: life.playground.counters()["faults_fired"] == 1)
    life.tell(failed)
    assert life.texts(3)[2] == "on a full disk"
    life.playground.gateway_faults(lose_messages=1)
    life.say("lost")
    look(life.playground)
    life.messages.wait(4)

    life.tell(failed)
    look(life.playground)

    assert life.texts(5)[3:] == ["lost", "on a full disk"]


def test_a_message_that_its_own_thread_could_not_log_is_answered_nowhere_else_while_discord_does_not_answer(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    """The thread's log may have the message: only the sync may have failed."""
    life = start_life(timing=timing(gap_again_s=0.05), opens_threads=True)
    life.unstorable.add("on a failing disk")
    number = life.say("on a failing disk")
    life.messages.wait(1)
    playground.change_thread(number, archived=True)
    opened = len(playground.requests("POST", "/threads"))
    playground.inject("503", "POST .*/threads", times=9)

    look(playground)

    assert {message.window for message in life.messages.wait(2)} == {thread_window(number)}
    assert len(playground.requests("POST", "/threads")) > opened + 9


def test_a_message_that_may_be_on_its_way_into_its_own_thread_is_answered_there_though_no_thread_can_be_opened(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    """Only Discord's part was started anew: the thread's window has the message still in its mailbox."""
    start_life(**kept(tmp_path)).stop()
    life = start_life(**kept(tmp_path), opens_threads=True)
    number = life.say("question")
    life.messages.wait(1)
    life.stop()
    playground.inject("503", "POST .*/threads", times=1_000_000)

    second = start_life(**kept(tmp_path), opens_threads=True)

    assert [message.window for message in second.messages.wait(1)] == [thread_window(number)]


def test_a_message_that_its_channel_could_not_log_gets_no_thread_afterwards(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    """The channel's log may have the message, and answer the message as soon as the log can be written."""
    life = start_life(opens_threads=True)
    life.unstorable.add("on a failing disk")
    playground.inject("503", "POST .*/threads", times=4)
    life.say("on a failing disk")
    life.messages.wait(1)

    look(playground)

    assert [message.window for message in life.messages.wait(2)] == [GENERAL, GENERAL]


def test_a_missed_message_with_a_thread_in_which_the_bot_may_not_write_is_answered_in_its_channel(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path
) -> None:
    start_life(**kept(tmp_path)).stop()
    number = playground.say(defaults.GENERAL_ID, "missed")
    playground.create_thread(defaults.GENERAL_ID, "by hand", message_id=number)
    playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID, deny=NO_WORDS_IN_THREADS)

    life = start_life(**kept(tmp_path), opens_threads=True)

    assert [message.window for message in life.messages.wait(1)] == [GENERAL]
