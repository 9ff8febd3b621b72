"""Conversations that a real engine counts: SmolLM2 cut to one layer, whose tokens and template are the whole one's."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from domain.memory.expansion import EXPANSION_PREFIX
from domain.turn.prompt import FILES_BLOCK, MEMORY_PREFIX
from lab.bench.cache.engine import Counted, open_engine
from lab.bench.cache.run import CACHE, measure
from lab.bench.cache.talk import PLAIN, STAYING, answer_of, request_figures
from lab.bench.process import MeasurementError
from lab.loopback_model.answers import Received
from tests.actors.local_model.one_layer import cut_to_one_layer
from tests.actors.local_model.rig import weights

QUESTION = "What do we know? Please run: date"


@pytest.mark.slow
@pytest.mark.req("X-229")
def test_with_memory_and_all_layers_each_request_begins_with_what_stays_of_the_one_before(tmp_path: Path) -> None:
    model = cut_to_one_layer(weights(), tmp_path / "one.gguf")

    rows = measure(lambda _: None, quick=True, engine=f"local/{model}")

    whole, first, second = rows.values()
    assert next(iter(rows)) == STAYING[-1]
    assert first["requests"] == second["requests"] == 2
    assert whole["prompt_tokens"] == first["prompt_tokens"] + second["prompt_tokens"] > 4_000
    assert second["taken_out_tokens"] > 100  # memories were brought
    assert second["of_before"] < 0.95 <= whole["of_staying"]
    assert CACHE.is_sound(rows, quick=True)


class Letters:
    """Engine whose tokens are letters."""

    def prompt(self, body: dict[str, Any]) -> str:
        return "".join(f"<{message['role']}\n{message['content']}>" for message in body["messages"])

    def tokens(self, text: str) -> int:
        return len(text)


def request_of(cached: int, *messages: tuple[str, str]) -> Counted:
    body = {"messages": [{"role": role, "content": content} for role, content in messages]}
    return Counted(body, len(Letters().prompt(body)), cached)


def shares(requests: Iterable[Counted]) -> list[tuple[float, float]]:
    return [(row.get("of_before", 1), row.get("of_staying", 1)) for row in request_figures(Letters(), list(requests))]


def test_what_stays_is_all_before_the_blocks_of_a_turn_that_has_ended() -> None:
    system, result = ("system", f"{MEMORY_PREFIX} may come. " * 10), ("tool", "Monday " * 20)
    failures: list[object] = []
    for prefix in (EXPANSION_PREFIX, MEMORY_PREFIX, FILES_BLOCK):
        block = ("user", f"{prefix}\n{{}}\n\n{QUESTION}")
        staying = request_of(0, system).prompt + len("<user\n")
        one, two = request_of(0, system, block), request_of(0, system, block, result)
        same_start = Counted(two.body, two.prompt, one.prompt)
        after = request_of(staying, system, ("user", QUESTION), result, ("assistant", "Monday"), ("user", QUESTION))
        by_way = shares((one, same_start, after))
        if by_way != [(1, 1), (1, 1), (staying / two.prompt, 1)]:
            failures.append((prefix, by_way))
        broken = Counted(after.body, after.prompt, staying // 2)
        half = Counted(two.body, two.prompt, staying)  # within a turn nothing is taken out
        wanted = [(staying / one.prompt,) * 2, (staying // 2 / two.prompt, staying // 2 / staying)]
        if shares((one, half, broken))[1:] != wanted:
            failures.append((prefix, "broken"))
    assert not failures


def test_a_share_below_the_bound_fails_the_command() -> None:
    good = {"of_before": 0.96, "of_staying": 0.96}
    rows = {name: dict(good) for name in STAYING}
    assert CACHE.is_sound(rows, quick=True)
    assert not CACHE.is_sound(rows | {PLAIN: {**good, "of_before": 0.94}}, quick=True)
    assert all(not CACHE.is_sound(rows | {name: {**good, "of_staying": 0.94}}, quick=True) for name in STAYING)


def test_the_script_runs_the_command_that_a_question_names() -> None:
    def ask(*messages: dict[str, str]) -> Received:
        return Received("/v1/chat/completions", {}, {"messages": list(messages)}, b"")

    question = {"role": "user", "content": QUESTION}
    (call,) = answer_of(ask(question)).calls
    assert json.loads(call.arguments) == {"command": "date"}
    assert not answer_of(ask(question, {"role": "tool", "content": "Monday"})).calls
    assert answer_of(ask({"role": "user", "content": "My crane is yellow."})).text == "Noted."


def test_a_model_that_is_not_on_this_machine_is_an_error_with_its_name() -> None:
    with pytest.raises(MeasurementError, match=r"none\.gguf cannot be read"), open_engine("local//none.gguf"):
        pass
