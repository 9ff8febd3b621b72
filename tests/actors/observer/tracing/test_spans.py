from __future__ import annotations

from actors.observer.tracing.spans import spans_of
from actors.observer.turns import Span, Turn
from messages.base import Address
from messages.model import Usage

WINDOW = Address("context", "discord_thread/123456789012345678")


def turn(*spans: Span, outcome: str = "answered", end: float | None = 12.0) -> Turn:
    return Turn("discord_thread/1", "t1", 10.0, end, outcome, list(spans))


def test_a_turn_is_the_root_of_its_questions() -> None:
    asked = Span("memory", "PrepareTurn", WINDOW, 10.0, 10.5, None, "TurnContribution")
    within = Span("embedder", "EmbedTexts", Address("memory"), 10.1, 10.4, 0, "TextsEmbedded")

    root, first, second = spans_of(turn(asked, within))

    assert (root.name, root.begin, root.end, root.parent, root.has_failed) == ("turn", 10.0, 12.0, None, False)
    assert root.attributes == {
        "remembrancer.window": "discord_thread/1",
        "remembrancer.turn": "t1",
        "remembrancer.outcome": "answered",
    }
    assert (first.name, first.begin, first.end, first.parent) == ("memory PrepareTurn", 10.0, 10.5, 0)
    assert (second.name, second.parent, second.has_failed) == ("embedder EmbedTexts", 1, False)
    assert second.attributes == {
        "remembrancer.actor": "embedder",
        "remembrancer.asker": "memory",
        "remembrancer.question": "EmbedTexts",
        "remembrancer.answer": "TextsEmbedded",
    }


def test_a_call_of_a_model_has_its_tokens_by_their_common_names() -> None:
    usage = Usage(prompt_tokens=12, completion_tokens=3, cost_usd=0.5)
    call = Span("model", "ModelRequest", WINDOW, 10.0, 11.0, None, "ModelReply", usage, "m")

    said = spans_of(turn(call))[1].attributes

    assert (said["gen_ai.operation.name"], said["gen_ai.request.model"]) == ("chat", "m")
    assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == (12, 3)
    assert said["remembrancer.cost_usd"] == 0.5


def test_what_nobody_answered_ends_with_the_turn_and_has_failed() -> None:
    early = Span("model", "ModelRequest", WINDOW, 10.0)
    late = Span("discord", "PostMessage", WINDOW, 12.5)

    root, first, second = spans_of(turn(early, late))

    assert (first.end, first.has_failed) == (12.0, True)
    assert (second.begin, second.end, second.has_failed) == (12.5, 12.5, True)
    assert not root.has_failed


def test_a_turn_ends_with_its_last_answer_and_fails_with_its_outcome() -> None:
    late = Span("discord", "PostMessage", WINDOW, 11.5, 13.0, None, "Posted")
    failed = turn(late, outcome="failed")
    failed.left_out = 2

    root = spans_of(failed)[0]

    assert (root.end, root.has_failed) == (13.0, True)
    assert root.attributes["remembrancer.spans_left_out"] == 2
