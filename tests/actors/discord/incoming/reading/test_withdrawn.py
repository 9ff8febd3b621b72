from __future__ import annotations

import pytest

from actors.discord.incoming.reading.withdrawn import Withdrawn
from messages.base import MessageId, Surface, Window
from messages.context import ReviseMessage
from messages.forget import DerivedForgotten
from tests.actors.discord.life import GENERAL, Life
from tests.forget_requests import forget_request

WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")


def edit(number: int) -> ReviseMessage:
    return ReviseMessage(window=WINDOW, message_id=MessageId(str(number)), text="quagmire", files=0)


@pytest.mark.req("X-250")
def test_the_words_of_a_forgotten_edit_are_not_kept_and_count_as_deleted() -> None:
    withdrawn = Withdrawn()
    withdrawn.edit(1, edit(1))
    withdrawn.edit(2, edit(2))

    withdrawn.forget([1, 3])

    assert withdrawn.edit_of(1) is None
    assert withdrawn.is_deleted(1)
    assert withdrawn.edit_of(2) == edit(2)
    assert not withdrawn.is_withdrawn(3)


def test_the_bot_answers_that_it_keeps_no_words_of_forgotten_messages(life: Life) -> None:
    message = life.say("said")
    life.tell(forget_request(life.edge.address, GENERAL, str(message)))

    answer = life.outcome("forget")

    assert isinstance(answer, DerivedForgotten)
    assert (answer.room, answer.count) == ("discord", 0)
