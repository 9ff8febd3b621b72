from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from actors.cluster.shared import DOUBLED, head_codec, host_codec
from actors.cluster.wire import CONTROL, PROTOCOLS, Handled, every_message, schema_digest
from messages.base import Address, Message, RequestId, Surface, Window
from messages.discord import DISCORD
from messages.shell import SHELL
from messages.skills import ListSkills
from messages.socket import SOCKET
from messages.status import DescribeYourself
from tests.actors.cluster.test_ledger import user_message
from tests.messages.catalogue import all_messages, modules

HEAD, HOST, OTHER = head_codec(), host_codec("h1"), host_codec("h2")


def question(reply_to: Address) -> DescribeYourself:
    return DescribeYourself(request_id=RequestId("r"), reply_to=reply_to)


def test_every_message_of_every_protocol_can_cross() -> None:
    assert {module.__name__ for module in PROTOCOLS} == {each.__name__ for each in modules()} - {"messages.base"}
    assert set(every_message()) == set(all_messages())


def test_a_message_comes_back_as_it_was() -> None:
    window = Window(surface=Surface.DISCORD_THREAD, id="12")

    assert HOST.decode(HEAD.encode(window.address, user_message(1))) == (window.address, user_message(1))
    assert user_message(1).sent_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_an_answer_finds_the_actor_of_the_host_that_asked() -> None:
    to, asked = HEAD.decode(HOST.encode(Address("memory"), question(SOCKET)))
    assert (to, asked.reply_to) == (Address("memory"), Address("socket@h1"))

    answer = ListSkills(request_id=RequestId("r"), reply_to=DISCORD)
    to, _ = HOST.decode(HEAD.encode(asked.reply_to, answer))
    assert to == SOCKET


def test_an_answer_finds_the_actor_of_the_head_that_asked_a_window() -> None:
    window = Window(surface=Surface.DISCORD_THREAD, id="12")
    _, asked = HOST.decode(HEAD.encode(window.address, question(SOCKET)))
    assert asked.reply_to == Address("socket@head")

    to, _ = HEAD.decode(HOST.encode(asked.reply_to, question(SHELL)))
    assert to == SOCKET


def test_only_names_that_both_sides_have_are_changed() -> None:
    for address in (DISCORD, Address("context", "discord-thread/1"), Address("edge", "status")):
        _, asked = HOST.decode(HEAD.encode(CONTROL, question(address)))
        assert asked.reply_to == address
    assert set(DOUBLED) == {"local-model", "model", "shell", "skills", "socket", "web"}


def test_an_address_of_another_host_stays_what_it_is() -> None:
    _, asked = HEAD.decode(OTHER.encode(Address("memory"), question(SHELL)))
    _, asked = HOST.decode(HEAD.encode(Address("context", "discord-thread/1"), asked))

    assert asked.reply_to == Address("shell@h2")


def test_a_word_about_the_link_itself_crosses_too() -> None:
    assert HEAD.decode(HOST.encode(CONTROL, Handled([1], ["a"], [], []))) == (CONTROL, Handled([1], ["a"], [], []))


def test_what_is_no_message_is_an_error() -> None:
    with pytest.raises(msgspec.MsgspecError):
        HOST.decode(b"\x93\xa1a\xa1b\x81\xa4type\xa7Unknown")


def test_programs_of_two_versions_are_told_apart() -> None:
    class Other(Message, frozen=True, kw_only=True, gc=False):
        more: int = 0

    types = every_message()
    assert schema_digest(types) == schema_digest(reversed(types))
    assert schema_digest(types) != schema_digest((*types, Other))
