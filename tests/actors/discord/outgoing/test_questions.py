"""Questions with buttons: shown whole or not at all, ended on request, reported when deleted."""

from __future__ import annotations

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import MessageId
from messages.discord import DeliveryRefused, EndButtons, PostedButton
from messages.shell import QuestionDeleted
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life
from tests.patience import eventually

BUTTONS = (
    PostedButton(label="Allow", custom_id="allow:q1"),
    PostedButton(label="Refuse", custom_id="refuse:q1"),
)
SEND = r"POST /channels/\d+/messages$"


def custom_ids(playground: PlaygroundServer) -> list[str]:
    (message,) = playground.messages(defaults.GENERAL_ID)
    return [button["custom_id"] for row in message["components"] for button in row["components"]]


def test_a_question_has_its_buttons_until_it_is_ended_and_keeps_its_file(life: Life) -> None:
    (shown,) = life.delivered("May I?", buttons=BUTTONS, exact="the whole of it")
    assert custom_ids(life.playground) == ["allow:q1", "refuse:q1"]

    life.tell(EndButtons(window=GENERAL, message_id=MessageId(shown), text="May I?\n-# Allowed."))

    eventually(lambda: life.shown() == ["May I?\n-# Allowed."])
    assert custom_ids(life.playground) == []
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert len(message["attachments"]) == 1


def test_a_question_of_an_earlier_life_is_found_and_not_shown_twice(start_life: StartLife) -> None:
    first = start_life()
    (shown,) = first.delivered("May I?", buttons=BUTTONS)
    first.stop()
    second = start_life()
    assert second.delivered("May I?", buttons=BUTTONS, look_first=True) == (shown,)
    assert len(second.shown()) == 1


def test_a_question_asked_again_is_shown_beside_one_that_a_kill_left_with_its_buttons(start_life: StartLife) -> None:
    """The first was decided; the kill came before its buttons went, and the command is asked for again."""
    first = start_life()
    question = MessageId(str(first.say("please run it")))
    (old,) = first.delivered("May I?", buttons=BUTTONS, answers_message_id=question, nonce="first")
    first.stop()
    second = start_life()
    buttons = (PostedButton(label="Allow", custom_id="allow:second"),)
    (new,) = second.delivered("May I?", buttons=buttons, answers_message_id=question, nonce="second")
    assert new != old


def test_where_the_buttons_or_the_file_are_refused_nothing_is_shown(life: Life) -> None:
    for part in ("components", "attachments"):
        life.playground.inject("refused", SEND, status=400, code=50035, named=part)
        refused = life.not_delivered("May I?", buttons=BUTTONS, exact="the whole of it", nonce=part)
        assert isinstance(refused, DeliveryRefused)
    assert life.shown() == []


def test_a_deleted_question_is_reported_to_its_asker_and_nothing_else_is(life: Life) -> None:
    (plain,) = life.delivered("an answer")
    (shown,) = life.delivered("May I?", buttons=BUTTONS)
    for message_id in (plain, shown):
        life.playground.delete(defaults.GENERAL_ID, int(message_id))
    gone = life.edge.receive(10.0, lambda message: isinstance(message, QuestionDeleted))
    assert gone == QuestionDeleted(message_id=MessageId(shown))
