"""Who reads which window: told when a session opens, and whenever Discord says that it is otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actors.discord.incoming.readership import Readership
from actors.kernel import Actor
from domain.policy.audience import admits
from lab.playground.world import defaults
from messages.base import Address, Message, MessageId, RequestId, Window
from messages.context import RetractMessages, ReviseMessage
from messages.discord import (
    DescribeReaders,
    Readers,
    ReadersChanged,
    ReadersDescribed,
    ReadersListed,
    TellReaders,
)
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, thread_window
from tests.patience import PATIENCE_S, eventually

VIEW = 1 << 10
HISTORY = 1 << 16


class Ledger:
    """What a listener knows."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._edge = life.system.edge("ledger")
        self._readers: dict[str, Readers | None] = {}

    @property
    def address(self) -> Address:
        return self._edge.address

    def ask(self) -> dict[str, Readers | None]:
        """What Discord's actor knows now."""
        self._life.tell(TellReaders(reply_to=self.address))
        listed = self._edge.receive(PATIENCE_S, lambda message: isinstance(message, ReadersListed))
        assert isinstance(listed, ReadersListed)
        return {each.window.id: each.readers for each in listed.windows}


@pytest.fixture
def office(life: Life) -> Callable[[], Readers | None]:
    """Who reads the channel, as is known once `admits` no longer says what it said."""
    ledger = Ledger(life)
    return lambda: ledger.ask().get(GENERAL.id)


def test_whatever_changes_for_a_channel_is_known_without_a_word_in_it(
    life: Life, office: Callable[[], Readers | None]
) -> None:
    server = life.playground
    open_to_all = office()
    assert open_to_all is not None
    role = server.add_role("contractor")

    overwrites = {role: {"deny": VIEW}, defaults.GUEST_ID: {"deny": HISTORY}, defaults.GUILD_ID: {"deny": VIEW}}
    for target, denied in overwrites.items():
        server.overwrite(defaults.GENERAL_ID, target, is_member=target == defaults.GUEST_ID, **denied)
        eventually(lambda: not admits(office(), open_to_all))
        server.overwrite(defaults.GENERAL_ID, target)
        eventually(lambda: admits(office(), open_to_all))
    server.change_role(defaults.GUILD_ID, HISTORY)
    eventually(lambda: not admits(office(), open_to_all))
    server.change_role(role, VIEW)
    eventually(lambda: _gives(office(), role))
    server.remove_role(role)
    eventually(lambda: not _gives(office(), role))
    server.delete_channel(defaults.GENERAL_ID)
    eventually(lambda: office() is None)


def _gives(readers: Readers | None, role: int) -> bool:
    return readers is not None and str(role) in readers.sees.giving_roles


def test_a_thread_is_known_as_long_as_it_is_there_archived_or_not(start_life: StartLife) -> None:
    life = start_life()
    server, ledger = life.playground, Ledger(life)
    public = server.create_thread(defaults.GENERAL_ID, "public")
    private = server.create_thread(defaults.GENERAL_ID, "private", private=True)
    eventually(lambda: {str(public), str(private)} <= ledger.ask().keys())
    known = ledger.ask()
    assert known[str(public)] == known[GENERAL.id]
    assert known[str(private)] is not None
    assert known[str(private)].is_private  # type: ignore[union-attr]

    server.change_thread(public, archived=True)
    life.say("afterwards")
    life.messages.wait(1)
    assert str(public) in ledger.ask()
    server.delete_channel(public)
    eventually(lambda: str(public) not in ledger.ask())


def test_threads_share_what_their_channel_says_of_its_readers(life: Life) -> None:
    """It is two kilobytes, and there may be as many threads as there were questions."""
    server, ledger = life.playground, Ledger(life)
    threads = [str(server.create_thread(defaults.GENERAL_ID, name)) for name in ("one", "two", "three")]
    eventually(lambda: set(threads) <= ledger.ask().keys())
    known = ledger.ask()

    assert len({id(known[window]) for window in (GENERAL.id, *threads)}) == 1


def test_an_archived_thread_with_a_log_is_asked_for_and_a_deleted_one_is_nobodys(start_life: StartLife) -> None:
    life = start_life()
    server = life.playground
    there, gone = (server.create_thread(defaults.GENERAL_ID, name) for name in ("there", "gone"))
    life.stop()
    server.change_thread(there, archived=True)
    server.change_thread(gone, archived=True)
    server.delete_channel(gone)

    life = start_life(last_seen={thread_window(each).address.key: str(each) for each in (there, gone)})
    ledger = Ledger(life)

    eventually(lambda: str(there) in ledger.ask())
    assert str(gone) not in ledger.ask()


def test_a_deleted_thread_does_not_come_back_with_a_message_that_waited_for_its_file(start_life: StartLife) -> None:
    life = start_life()
    server, ledger = life.playground, Ledger(life)
    thread = server.create_thread(defaults.GENERAL_ID, "plans")
    eventually(lambda: str(thread) in ledger.ask())
    server.inject("delay", "attachments", delay_s=0.5)

    life.say("look at this", thread, attachments=[("a.txt", b"words")])
    server.delete_channel(thread)
    eventually(lambda: str(thread) not in ledger.ask())
    life.messages.wait(1)

    assert str(thread) not in ledger.ask()


def test_nor_does_one_that_was_deleted_before_a_new_session_began(start_life: StartLife) -> None:
    life = start_life()
    server, ledger = life.playground, Ledger(life)
    thread = server.create_thread(defaults.GENERAL_ID, "plans")
    eventually(lambda: str(thread) in ledger.ask())
    server.inject("delay", "attachments", delay_s=2.0)

    life.say("look at this", thread, attachments=[("a.txt", b"words")])
    eventually(lambda: server.counters().get("faults_fired") == 1)
    server.op9(resumable=False)
    server.delete_channel(thread)
    life.online.wait(2)
    assert not life.messages.now()
    life.messages.wait(1)

    assert str(thread) not in ledger.ask()


def test_listeners_hear_of_each_change(start_life: StartLife) -> None:
    heard: list[Message] = []

    class Listener(Actor):
        def handle(self, message: Message) -> None:
            heard.append(message)

    life = start_life(wait=False, reader_listeners=(Address("listener"),), listener=Listener)
    life.online.wait(1)
    eventually(lambda: any(isinstance(message, ReadersListed) for message in heard))
    life.playground.overwrite(defaults.GENERAL_ID, defaults.GUILD_ID, deny=VIEW)

    eventually(lambda: isinstance(heard[-1], ReadersChanged))
    (changed,) = heard[-1].windows  # type: ignore[attr-defined]
    assert changed.window == GENERAL


def test_a_thread_that_comes_or_goes_is_told_of_without_a_look_at_all_others(
    start_life: StartLife, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Message] = []

    class Listener(Actor):
        def handle(self, message: Message) -> None:
            heard.append(message)

    life = start_life(wait=False, reader_listeners=(Address("listener"),), listener=Listener)
    life.online.wait(1)
    eventually(lambda: any(isinstance(message, ReadersListed) for message in heard))
    looks: list[Readership] = []
    monkeypatch.setattr(Readership, "_current", lambda self: looks.append(self))

    thread = life.playground.create_thread(defaults.GENERAL_ID, "private", private=True)
    eventually(lambda: isinstance(heard[-1], ReadersChanged))
    (came,) = heard[-1].windows  # type: ignore[attr-defined]
    life.playground.delete_channel(thread)
    eventually(lambda: isinstance(heard[-1], ReadersChanged) and heard[-1].windows[0].readers is None)

    assert came.window == heard[-1].windows[0].window == thread_window(thread)  # type: ignore[attr-defined]
    assert came.readers is not None
    assert looks == []


def test_what_people_delete_and_edit_reaches_the_window_and_their_embeds_do_not(life: Life) -> None:
    server = life.playground
    first, second, third = (life.say(text) for text in ("one", "two", "three"))
    life.messages.wait(3)
    server.edit(defaults.GENERAL_ID, first, "uno")
    server.delete(defaults.GENERAL_ID, second)
    server.delete_many(defaults.GENERAL_ID, [third, first])
    eventually(lambda: sum(isinstance(message, RetractMessages) for message in life.told.now()) == 2)

    edits = [message for message in life.told.now() if isinstance(message, ReviseMessage)]
    assert [(edit.window, edit.message_id, edit.text) for edit in edits] == [(GENERAL, str(first), "uno")]
    taken = [message.message_ids for message in life.told.now() if isinstance(message, RetractMessages)]
    assert taken == [(MessageId(str(second)),), (MessageId(str(first)), MessageId(str(third)))]


def test_what_another_bot_edits_reaches_the_window_and_what_the_agent_edits_does_not(life: Life) -> None:
    server = life.playground
    (shown,) = life.delivered("working on it")
    said = life.say("build 7 failed", user=server.add_user("CI", bot=True))
    server.edit(defaults.GENERAL_ID, int(shown), "done")
    server.edit(defaults.GENERAL_ID, said, "build 7 passed")
    eventually(lambda: any(isinstance(message, ReviseMessage) for message in life.told.now()))

    edits = [message for message in life.told.now() if isinstance(message, ReviseMessage)]
    assert [(edit.message_id, edit.text) for edit in edits] == [(str(said), "build 7 passed")]


def test_whoever_asks_is_told_of_these_windows_and_of_what_is_gone_that_nobody_knows(life: Life) -> None:
    server, edge = life.playground, life.system.edge("inquirer")
    public = thread_window(server.create_thread(defaults.GENERAL_ID, "open"))
    private = thread_window(server.create_thread(defaults.GENERAL_ID, "closed", private=True))
    gone = thread_window(server.create_thread(defaults.GENERAL_ID, "gone", private=True))
    windows = (GENERAL, public, private, gone)

    def described() -> dict[Window, Readers | None]:
        life.tell(DescribeReaders(request_id=RequestId("who"), reply_to=edge.address, windows=windows))
        reply = edge.receive(PATIENCE_S, lambda message: isinstance(message, ReadersDescribed))
        assert isinstance(reply, ReadersDescribed)
        return {each.window: each.readers for each in reply.windows}

    eventually(lambda: all(described().values()))
    server.delete_channel(int(gone.id))
    eventually(lambda: described()[gone] is None)
    readers = described()
    assert list(readers) == list(windows)
    assert admits(readers[GENERAL], readers[private])
    assert admits(readers[public], readers[GENERAL])
    assert not admits(readers[private], readers[public])


def test_while_the_connection_is_lost_nobody_is_known_to_read_anything(start_life: StartLife) -> None:
    heard: list[ReadersListed | ReadersChanged] = []

    class Listener(Actor):
        def handle(self, message: Message) -> None:
            assert isinstance(message, ReadersListed | ReadersChanged)
            heard.append(message)

    life = start_life(wait=False, reader_listeners=(Address("listener"),), listener=Listener)
    life.online.wait(1)
    eventually(lambda: any(message.windows for message in heard))

    for resumable in (True, False):
        heard.clear()
        life.playground.op9(resumable=resumable)
        eventually(lambda: any(message.windows for message in heard))
        assert heard[0] == ReadersListed(windows=())
