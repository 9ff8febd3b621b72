from __future__ import annotations

from typing import Any

import msgspec
import pytest

from actors.observer.tap import TappedMessage
from actors.observer.tracing.spans import spans_of
from actors.observer.turns import MOST_SPANS, MOST_TURNS, Turns
from messages.base import Address, Message, RequestId, Surface, TurnId, Window
from messages.embedder import EMBEDDER, EmbedTexts, TextRole, TextsEmbedded
from messages.memory import MEMORY
from messages.model import MODEL, ModelDelta, ModelReply, ModelRequest, StopReason, Usage
from messages.turn import PrepareTurn, TurnContribution, TurnEnded

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="123456789012345678")
OTHER = Window(surface=Surface.DISCORD_THREAD, id="223456789012345678")


def prepare(request_id: str, turn: str = "t1", window: Window = WINDOW) -> PrepareTurn:
    return PrepareTurn(
        request_id=RequestId(request_id),
        reply_to=window.address,
        window=window,
        turn_id=TurnId(turn),
        author_id="1",
        author_name="Anne",
        text="hi",
        visible=(),
    )


def embed(request_id: str) -> EmbedTexts:
    return EmbedTexts(request_id=RequestId(request_id), reply_to=MEMORY, texts=("hi",), role=TextRole.QUERY)


def call(request_id: str) -> ModelRequest:
    return ModelRequest(
        request_id=RequestId(request_id),
        reply_to=WINDOW.address,
        window=WINDOW,
        system_prompt="",
        messages=(),
        tools=(),
    )


def reply(request_id: str) -> ModelReply:
    usage = Usage(prompt_tokens=12, completion_tokens=3, cost_usd=0.5)
    stop = StopReason.STOP
    return ModelReply(
        request_id=RequestId(request_id), text="", tool_calls=(), stop_reason=stop, usage=usage, model="m"
    )


class Story:
    """Messages as they are heard, each a tenth of a second after the one before."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.at = 100.0

    def hear(self, to: Address, message: Message, within: str | None = None) -> None:
        self.turns.hear(TappedMessage(self.at, to, message, RequestId(within) if within else None))
        self.at = round(self.at + 0.1, 3)

    def render(self, window: str = "") -> dict[str, Any]:
        turn = self.turns.of(window)
        assert turn is not None
        return turn.as_dict(self.at)


def contribution(request_id: str) -> TurnContribution:
    return TurnContribution(request_id=RequestId(request_id), contributor="memory", block="")


@pytest.mark.req("X-186")
def test_a_turn_is_who_was_asked_and_until_when() -> None:
    story = Story()
    story.hear(MEMORY, prepare("a"))
    story.hear(EMBEDDER, embed("b"), within="a")
    story.hear(MEMORY, TextsEmbedded(request_id=RequestId("b"), model="m", vectors=(b"",)))
    story.hear(WINDOW.address, contribution("a"))
    story.hear(MODEL, call("c"))
    story.hear(MODEL, reply("c"))  # which a call tells its own actor first
    story.hear(WINDOW.address, reply("c"))
    story.hear(MEMORY, TurnEnded(window=WINDOW, turn_id=TurnId("t1"), outcome="answered", events=()))

    shown = story.render()
    assert [(each["who"], each["what"], each["from"], each["to"], each["in"]) for each in shown["spans"]] == [
        ("memory", "PrepareTurn", 0.0, 300.0, None),
        ("embedder", "EmbedTexts", 100.0, 200.0, 0),
        ("model", "ModelRequest", 400.0, 600.0, None),
    ]
    model = shown["spans"][2]
    assert (model["in_tokens"], model["out_tokens"], model["usd"], model["model"]) == (12, 3, 0.5, "m")
    assert (shown["outcome"], shown["ms"]) == ("answered", 700.0)


def test_a_question_without_an_answer_is_open_and_the_turn_goes_on() -> None:
    story = Story()
    story.hear(MEMORY, prepare("a"))
    story.hear(MODEL, call("c"))
    story.hear(WINDOW.address, ModelDelta(request_id=RequestId("c"), text="so far"))
    story.hear(MODEL, call("d"))

    shown = story.render()
    assert [each["to"] for each in shown["spans"]] == [None, 200.0, None]
    assert (shown["outcome"], shown["ms"]) == ("", 400.0)


def test_the_newest_turn_is_that_in_which_something_was_told_last() -> None:
    story = Story()
    story.hear(MEMORY, prepare("a"))
    story.hear(MEMORY, prepare("b", window=OTHER))
    assert story.render()["window"] == OTHER.address.key
    story.hear(WINDOW.address, contribution("a"))
    assert story.render()["window"] == WINDOW.address.key
    assert story.render(OTHER.address.key)["spans"][0]["to"] is None


def test_a_new_turn_takes_the_place_of_the_one_before() -> None:
    story = Story()
    story.hear(MEMORY, prepare("a"))
    story.hear(MEMORY, prepare("b", turn="t2"))
    story.hear(WINDOW.address, contribution("a"))

    shown = story.render()
    assert shown["turn"] == "t2"
    assert [each["to"] for each in shown["spans"]] == [None]


def test_what_belongs_to_no_turn_is_passed_over() -> None:
    story = Story()
    story.hear(EMBEDDER, embed("b"))
    story.hear(MODEL, call("c"))
    story.hear(MEMORY, TextsEmbedded(request_id=RequestId("z"), model="m", vectors=()))
    story.hear(MEMORY, TurnEnded(window=WINDOW, turn_id=TurnId("t1"), outcome="answered", events=()))

    assert story.turns.of("") is None


def test_what_is_remembered_is_bounded() -> None:
    story = Story()
    for number in range(MOST_TURNS + 5):
        window = Window(surface=Surface.DISCORD_THREAD, id=str(10**17 + number))
        story.hear(MEMORY, prepare(f"q{number}", window=window))
    assert story.turns.of(f"discord-thread/{10**17 + 4}") is None
    assert story.turns.of(f"discord-thread/{10**17 + 5}") is not None
    story.hear(MEMORY, prepare("a"))
    for number in range(MOST_SPANS + 2):
        story.hear(MODEL, call(f"c{number}"))
    shown = story.render()
    assert (len(shown["spans"]), shown["left_out"]) == (MOST_SPANS, 3)


@pytest.mark.req("X-250")
def test_no_word_that_was_said_is_in_what_is_shown_or_traced() -> None:
    story = Story()
    story.hear(MEMORY, msgspec.structs.replace(prepare("q1"), text="quagmire", author_name="quagmire"))
    story.hear(EMBEDDER, msgspec.structs.replace(embed("q2"), texts=("quagmire",)), within="q1")
    story.hear(WINDOW.address, msgspec.structs.replace(reply("q1"), text="quagmire"))
    turn = story.turns.of(WINDOW.address.key)
    assert turn is not None

    assert "quagmire" not in repr((story.render(), turn, spans_of(turn)))
    assert len(turn.spans) == 2
