"""A turn with joined messages: order of the texts, and words of the search."""

from __future__ import annotations

from datetime import UTC, datetime

from domain.turn.turn import TAKEN_BACK, Aside, Turn
from messages.base import EventId, TurnId
from messages.model import ChatMessage, Role

BLOCK = 'INJECTED_CONTEXT_MEMORY\n{"a":1}'


def turn(name: str, text: str) -> Turn:
    return Turn(
        id=TurnId(name),
        message_id=name,
        author_id="21",
        author=f"author of {name}",
        text=text,
        at=datetime(2026, 1, 30, tzinfo=UTC),
        prompt=f"[header]\n{text}",
        message_ids=[name],
    )


def texts_of(one: Turn, *asides: Aside) -> list[str]:
    return [message.text for message in one.messages(BLOCK, asides)]


def test_the_block_stands_before_what_was_said_last() -> None:
    first = turn("a", "do it")
    assert texts_of(first) == [f"{BLOCK}\n\n[header]\ndo it"]
    first.add_step(ChatMessage(role=Role.ASSISTANT, text="working"))
    first.join(turn("b", "in blue"))
    first.join(turn("c", "and large"))
    first.add_step(ChatMessage(role=Role.ASSISTANT, text="more"))
    aside = Aside(4, (ChatMessage(role=Role.USER, text="aside"),))

    assert texts_of(first, aside) == [
        "[header]\ndo it",
        "working",
        "[header]\nin blue",
        f"{BLOCK}\n\n[header]\nand large",
        "more",
        "aside",
    ]
    assert [step.text for step in first.steps][2] == "[header]\nand large", "the turn itself has no block"


def test_what_was_said_in_one_go_is_looked_for_together_and_what_came_before_is_not() -> None:
    first = turn("a", "do it")
    first.join(turn("b", "in blue"))
    first.add_step(ChatMessage(role=Role.ASSISTANT, text="working"))
    first.join(turn("c", "and large"))
    first.join(turn("d", "and round"))

    assert first.newest is not None
    assert (first.newest.text, first.newest.author) == ("and large\n\nand round", "author of d")


def test_words_that_were_taken_back_are_not_looked_for() -> None:
    first = turn("a", "do it")
    first.join(turn("b", "in blue"))
    first.join(turn("c", "and large"))
    first.take_back(EventId("b"))

    assert first.newest is not None
    assert first.newest.text == ""
    assert texts_of(first) == ["[header]\ndo it", TAKEN_BACK, f"{BLOCK}\n\n[header]\nand large"]
