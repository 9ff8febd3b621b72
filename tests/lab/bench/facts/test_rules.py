from __future__ import annotations

import json

from domain.facts import prompts
from lab.bench.facts.rules import CallKind, answer_call, kind_of
from lab.bench.facts.words import fact, message
from lab.loopback_model.answers import Answer, Received
from tests.lab.bench.facts.requests import (
    chat,
    ours_extraction,
    ours_reconciliation,
    peers_extraction,
    peers_reconciliation,
    peers_summary,
    received,
)

OLD, NEW = [fact("some", 1), fact("some", 2)], [fact("some", 2), fact("some", 3)]
UNCHANGED = [{"id": place, "text": text, "event": "NONE"} for place, text in enumerate(OLD)]
RECONCILED = [*UNCHANGED, {"id": 2, "text": NEW[1], "event": "ADD"}]


def answer_to(request: Received) -> Answer:
    reply = answer_call(kind_of(request), request)
    assert isinstance(reply, Answer)
    return reply


def test_calls_of_both_systems_are_told_apart() -> None:
    calls = [
        (ours_extraction("words"), CallKind.EXTRACT),
        (peers_extraction("words"), CallKind.EXTRACT),
        (ours_reconciliation(OLD, NEW), CallKind.RECONCILE),
        (peers_reconciliation(OLD, NEW), CallKind.RECONCILE),
        (chat("facts", f"{prompts.BRIEF_PROMPT} more"), CallKind.SUMMARIZE),
        (chat("facts", f"{prompts.ROLLING_PROMPT} more"), CallKind.SUMMARIZE),
        (peers_summary("facts"), CallKind.SUMMARIZE),
        (chat("What is UPDATE?", "You are a helper."), CallKind.CHAT),
        (chat("words", tools=[{"type": "function", "function": {"name": "bash"}}]), CallKind.CHAT),
        (received("/v1/embeddings", input=["a"]), CallKind.EMBED),
        (received("/v1/models"), CallKind.OTHER),
    ]
    assert [kind_of(request) for request, _ in calls] == [kind for _, kind in calls]


def test_facts_are_answered_as_a_bare_list_or_by_the_tool_that_is_wanted() -> None:
    words = message("some", 5)
    assert json.loads(answer_to(ours_extraction(words)).text) == [fact("some", 5)]
    (call,) = answer_to(peers_extraction(words)).calls
    assert (call.name, json.loads(call.arguments)) == ("final_result", {"response": [fact("some", 5)]})


def test_reconciliation_keeps_what_is_there_and_adds_what_is_new() -> None:
    assert json.loads(answer_to(ours_reconciliation(OLD, NEW)).text) == RECONCILED
    assert json.loads(answer_to(peers_reconciliation(OLD, NEW)).text) == {"response": RECONCILED}


def test_a_summary_is_words_or_an_argument_of_bounded_length() -> None:
    assert "locker" in answer_to(chat(fact("some", 1), f"{prompts.BRIEF_PROMPT} more")).text
    (call,) = answer_to(peers_summary("words " * 1_000)).calls
    assert len(json.loads(call.arguments)["summary"]) < 700


def test_an_answer_names_the_mark_of_its_message_whatever_stands_before_it() -> None:
    words = f"Long-term memory:\n[memory] {fact('some', 1)}\n\nCurrent message: {message('some', 2)}"
    assert answer_to(chat(words)).text == "I have noted that, mark-some-2."
    assert answer_to(chat([{"type": "text", "text": message("some", 3)}])).text.endswith("mark-some-3.")  # type: ignore[arg-type]
