"""Expired events of a window: by the channel tables of the window, and never under a message that is being answered."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from domain.log.window import snowflake_time
from domain.policy.channel_rules import ChannelRule, ChannelRules
from messages.base import MessageId, RequestId, UserId, Window
from messages.context import StartNewWindow
from messages.forget import ForgettableListed, ListForgettable, Scope, ScopeKind
from messages.past import KeepPast, PastMessage
from messages.socket import Refused
from tests.actors.context.rig import CHANNEL, THREAD, Rig

CATEGORY = "910000000000000077"
DAY_S = 86_400.0
_NUMBERS = count()


def list_expired(rig: Rig) -> list[str] | str:
    """Texts that have expired, or why that is not said."""
    asker = rig.system.edge(f"asker-{next(_NUMBERS)}")
    scope = Scope(kind=ScopeKind.EXPIRED, window=CHANNEL)
    rig.tell(CHANNEL, ListForgettable(request_id=RequestId("l"), reply_to=asker.address, window=CHANNEL, scope=scope))
    (reply,) = asker.drain()
    if isinstance(reply, Refused):
        return reply.reason
    assert isinstance(reply, ForgettableListed)
    return [each.text for each in reply.events]


def converse(rig: Rig, text: str, message_id: int, **how: Any) -> None:
    rig.say(text, message_id, sent_at=rig.clock.now(), **how)
    rig.answer(f"answer to {text}")
    rig.deliver()


@pytest.mark.req("X-253")
@pytest.mark.parametrize(
    ("general", "table", "expires"), [("", "", False), ("30", "", True), ("30", "0", False), ("0", "30", True)]
)
def test_the_nearest_table_that_holds_says_what_has_expired(
    tmp_path: Path, general: str, table: str, expires: bool
) -> None:
    rules = ChannelRules({CATEGORY: ChannelRule(keep_days=table)}, ChannelRule(keep_days=general))
    rig = Rig(tmp_path, rules=rules)
    converse(rig, "an owl", 1, tables=(CATEGORY,))
    rig.advance(31 * DAY_S)
    converse(rig, "a cat", 2, tables=(CATEGORY,))
    assert list_expired(rig) == (["an owl", "answer to an owl"] if expires else [])
    rig.stop()


@pytest.mark.req("X-253")
def test_while_a_message_is_answered_nothing_expires(tmp_path: Path) -> None:
    rig = Rig(tmp_path, rules=ChannelRules({}, ChannelRule(keep_days="30")))
    converse(rig, "an owl", 1)
    rig.advance(31 * DAY_S)
    rig.say("a cat", 2, sent_at=rig.clock.now())
    assert list_expired(rig) == "a message is being answered there"
    rig.answer("a fine one")
    rig.deliver()
    assert list_expired(rig) == ["an owl", "answer to an owl"]
    rig.stop()


def list_expired_in(rig: Rig, window: Window) -> list[str]:
    """Texts that have expired in a window."""
    asker = rig.system.edge(f"asker-{next(_NUMBERS)}")
    scope = Scope(kind=ScopeKind.EXPIRED, window=window)
    rig.tell(window, ListForgettable(request_id=RequestId("l"), reply_to=asker.address, window=window, scope=scope))
    (reply,) = asker.drain()
    assert isinstance(reply, ForgettableListed)
    return [each.text for each in reply.events]


PLACE = f"1:{CHANNEL.id}:everyone"


@pytest.mark.req("X-253")
@pytest.mark.parametrize("is_new", [False, True], ids=["", "begun anew"])
@pytest.mark.parametrize(("general", "table", "expires"), [("", "30", True), ("30", "0", False), ("30", "365", False)])
def test_a_thread_has_the_days_of_its_channel_also_by_a_table_made_later(
    tmp_path: Path, general: str, table: str, expires: bool, is_new: bool
) -> None:
    rig = Rig(tmp_path)
    converse(rig, "an owl", 1, window=THREAD, audience=PLACE)
    if is_new:
        starter = rig.system.edge("starter")
        rig.tell(
            THREAD,
            StartNewWindow(request_id=RequestId("n"), reply_to=starter.address, window=THREAD, asked_by=UserId("1")),
        )
    rig.stop()
    rules = ChannelRules({CHANNEL.id: ChannelRule(keep_days=table)}, ChannelRule(keep_days=general))
    rig = Rig(tmp_path, rules=rules)
    rig.advance(31 * DAY_S)
    assert list_expired_in(rig, THREAD) == (["an owl", "answer to an owl"] if expires else [])
    rig.stop()


@pytest.mark.req("X-253")
def test_an_imported_thread_has_the_days_of_its_channel(tmp_path: Path) -> None:
    rules = ChannelRules({CHANNEL.id: ChannelRule(keep_days="0")}, ChannelRule(keep_days="30"))
    rig = Rig(tmp_path, rules=rules)
    past = PastMessage(
        message_id=MessageId("900000000000000001"),
        author_id=UserId("7"),
        author_name="Alice",
        text="an owl",
        typed_chars=6,
        sent_at=snowflake_time(900_000_000_000_000_001),
    )
    keeper = rig.system.edge("importer")
    rig.tell(
        THREAD,
        KeepPast(request_id=RequestId("k"), reply_to=keeper.address, window=THREAD, messages=(past,), audience=PLACE),
    )
    assert list_expired_in(rig, THREAD) == []
    rig.stop()
