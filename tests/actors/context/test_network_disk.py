"""Window on a file system behind a network: errors that come late, with the loss of bytes, and descriptors gone stale."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from domain.log.event import Kind
from messages.base import MessageId, RequestId
from messages.context import KeptMessagesTold, TellKeptMessages
from messages.discord import Delivered, PostMessage
from tests.actors.context.retractions import new_window
from tests.actors.context.rig import CHANNEL, Rig, of_type, texts

LATE = [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.ESTALE]


class Server:
    """File server: takes writes, and refuses to keep them while it is unwell."""

    def __init__(self, rig: Rig, root: Path) -> None:
        self._disk, self._root = rig.disk, root
        rig.disk.before = self._before
        self.refuses_at, self.number = "", 0
        self.refusals = 0

    def _before(self, call: str, _data: bytes) -> None:
        if call == self.refuses_at:
            self.refusals += 1
            self._lose_unsynced()
            raise OSError(self.number, os.strerror(self.number))

    def _lose_unsynced(self) -> None:
        """Show the file as the server has it, as a client does whose pages were refused."""
        for path in self._root.glob("logs/*/*/*.md"):
            if (there := self._disk.surviving(path)) is not None and len(there) < path.stat().st_size:
                os.truncate(path, len(there))


@pytest.mark.req("X-257")
@pytest.mark.parametrize("number", LATE, ids=errno.errorcode.get)
@pytest.mark.parametrize("call", ["sync", "write"])
def test_a_question_that_a_server_refuses_late_is_told_and_the_next_is_answered(
    tmp_path: Path, number: int, call: str
) -> None:
    rig = Rig(tmp_path)
    server = Server(rig, tmp_path)
    rig.say("before", 1)
    rig.answer("yes")
    first = rig.deliver()

    server.refuses_at, server.number = call, number
    rig.say("not kept", 2)
    assert rig.requests() == []
    *early, notice = rig.posts()
    assert os.strerror(number) in notice.text
    server.refuses_at = ""
    rig.say("after", 3)
    asked = rig.answer("again")

    assert server.refusals
    assert texts(asked) == ["before", "yes", "after"]
    shown = deliver_all(rig, *early)
    # The word that the first answer was shown was not synced: Discord is asked for it again, under the same nonce.
    assert [post.text for post in shown] == ["yes", "again"]
    assert (shown[0].nonce, shown[0].look_first) == (first.nonce, True)
    assert rig.logs()
    rig.stop()


@pytest.mark.req("X-257")
@pytest.mark.parametrize("number", LATE, ids=errno.errorcode.get)
def test_an_answer_that_a_server_refuses_late_is_shown_only_when_it_is_kept(tmp_path: Path, number: int) -> None:
    rig = Rig(tmp_path)
    server = Server(rig, tmp_path)
    rig.say("a question", 1)
    server.refuses_at, server.number = "sync", number
    rig.answer("an answer")
    assert deliver_all(rig) == []
    server.refuses_at = ""
    rig.clock.advance(600)
    rig.system.run()
    rig.answer("an answer that is kept")

    assert server.refusals
    assert [post.text for post in deliver_all(rig)] == ["an answer that is kept"]
    assert rig.kinds() == [Kind.USER, Kind.SYSTEM, Kind.AGENT, Kind.DELIVERY]
    rig.stop()


@pytest.mark.parametrize("call", ["write", "sync"])
def test_a_message_whose_descriptor_has_gone_stale_is_logged_at_once_in_its_place(tmp_path: Path, call: str) -> None:
    rig = Rig(tmp_path)
    rig.say("before", 1)
    rig.answer("yes")
    deliver_all(rig)
    is_stale = True

    def forgets(each: str, _data: bytes) -> None:
        nonlocal is_stale
        if each == "open":
            is_stale = False
        if each == call and is_stale:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    rig.disk.before = forgets
    rig.say("meanwhile", 2)
    assert not [post for post in rig.posts() if "cannot store" in post.text]
    assert texts(rig.answer("well")) == ["before", "yes", "meanwhile"]
    rig.say("after", 3)
    assert [event.content for event in rig.events() if event.kind is Kind.USER] == ["before", "meanwhile", "after"]
    assert listed(rig) == {"1", "2", "3"}
    rig.stop()


def test_a_message_whose_sync_failed_is_listed_as_logged_once_it_is_safe(tmp_path: Path) -> None:
    """The surface would not look for the message again, and a power loss would take it out of the log."""
    rig = Rig(tmp_path)
    rig.say("before", 1)
    rig.answer("yes")
    deliver_all(rig)

    def fails(call: str, _data: bytes) -> None:
        if call == "sync":
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    rig.disk.before = fails
    rig.say("not known to be kept", 2)
    assert listed(rig) == {"1"}
    rig.disk.before = lambda _call, _data: None
    rig.advance(60)
    assert listed(rig) == {"1", "2"}
    rig.stop()


def test_a_message_once_safe_stays_listed_though_a_later_log_is_lost_too(tmp_path: Path) -> None:
    """Otherwise the surface would not compare the message with Discord, and never notice a missed deletion."""
    rig = Rig(tmp_path)
    rig.say("before", 1, wants_answer=False)
    fail_sync(rig, "kept at the second attempt", 2)
    rig.tell(CHANNEL, new_window(rig))
    rig.listener.drain()
    rig.say("in the new window", 3, wants_answer=False)
    fail_sync(rig, "kept at the second attempt too", 4)
    assert listed(rig) == {"1", "2", "3", "4"}
    rig.stop()


def fail_sync(rig: Rig, text: str, number: int) -> None:
    """Have the sync of one message fail, and the log be opened again."""

    def fails(call: str, _data: bytes) -> None:
        if call == "sync":
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    rig.disk.before = fails
    rig.say(text, number, wants_answer=False)
    rig.disk.before = lambda _call, _data: None
    rig.advance(60)


def listed(rig: Rig) -> set[str]:
    """People's messages in the log, as the window says."""
    rig.tell(CHANNEL, TellKeptMessages(request_id=RequestId("k"), reply_to=rig.listener.address, window=CHANNEL))
    (reply,) = of_type(KeptMessagesTold, rig.listener.drain())
    return {each.message_id for each in reply.messages if each.words}


def deliver_all(rig: Rig, *early: PostMessage) -> list[PostMessage]:
    """The surface shows some texts, then all further texts that it is given, one after another."""
    shown: list[PostMessage] = []
    while posts := [*(early if not shown else ()), *rig.posts()]:
        for number, post in enumerate(posts, len(shown)):
            done = Delivered(request_id=post.request_id, message_ids=(MessageId(str(2 * 10**18 + number)),))
            rig.tell(CHANNEL, done)
        shown += posts
    return shown
