"""Order of answers with any judge: the one on this machine, and the test's own."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from actors.embedder.backend import CallError
from actors.embedder.litellm_provider import Scores
from actors.facts.reranking.judge import Judge, LocalJudge
from domain.policy.retrying import Fault, FaultKind
from messages.base import RequestId
from messages.embedder import RERANKER, TextsReranked
from messages.model import CallKind, CallOutcome, CallSpent
from tests.actors.facts.reranking.rig import Rig, Runtime, folder_in, words_in_common
from tests.crash import CRASH
from tests.patience import PATIENCE_S


class Told:
    """Judge under the test's control."""

    are_logits = False
    model = "told/judge"

    def __init__(self, act: Callable[[Sequence[str]], Sequence[float]], loads: Exception | None = None) -> None:
        self.act = act
        self.loads = loads
        self.closed = threading.Event()

    async def warm_up(self) -> None:
        if self.loads is not None:
            raise self.loads

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Sequence[float]:
        return self.act(texts)

    async def close(self) -> None:
        self.closed.set()


class Silent(Told):
    """A judge that never answers."""

    def __init__(self) -> None:
        super().__init__(lambda texts: [0.5] * len(texts))

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Sequence[float]:
        if "held" in texts:
            await asyncio.Event().wait()
        return self.act(texts)


@pytest.fixture
def rig_of() -> Iterator[Callable[[Judge], Rig]]:
    made: list[Rig] = []

    def make(judge: Judge) -> Rig:
        made.append(Rig(lambda _now: judge))
        return made[-1]

    yield make
    for rig in made:
        rig.system.stop()


def local(root: Path, **given: Any) -> tuple[LocalJudge, Runtime]:
    runtime = Runtime(**given)
    return LocalJudge(folder_in(root / "model"), lambda: runtime), runtime


@pytest.mark.req("X-83")
def test_a_model_on_this_machine_gives_logits(tmp_path: Path, rig_of: Callable[[Judge], Rig]) -> None:
    judge, runtime = local(tmp_path)
    rig = rig_of(judge)

    answer = rig.answer(rig.ask("cats and dogs", "cats", "nothing"))

    assert isinstance(answer, TextsReranked)
    assert (answer.scores, answer.are_logits) == ((1.0, 0.0), True)
    assert runtime.opened == [str(tmp_path / "model" / "model.onnx")]


def test_what_it_needs_is_loaded_at_the_start_and_once(tmp_path: Path, rig_of: Callable[[Judge], Rig]) -> None:
    judge, runtime = local(tmp_path)
    rig = rig_of(judge)

    for _ in range(3):
        rig.scores("a", "b")

    assert len(runtime.opened) == 1


def test_no_texts_are_answered_with_no_scores(rig_of: Callable[[Judge], Rig]) -> None:
    rig = rig_of(Told(lambda texts: 1 / 0))  # type: ignore[arg-type, return-value]

    assert rig.scores("query") == ()


FAILURES: dict[str, tuple[Exception, str]] = {
    "key": (CallError(Fault(FaultKind.KEY, 401)), "key for the model's server is missing or was refused (401)"),
    "no model": (FileNotFoundError("the folder has no model"), "the folder has no model"),
    "no library": (ImportError("No module named 'onnxruntime'"), "No module named 'onnxruntime'"),
    "odd": (ValueError("the model gives (3, 4)"), "the model gives (3, 4)"),
    "late": (TimeoutError(), f"the reranker did not answer within {PATIENCE_S:g} s"),
}


@pytest.mark.parametrize(("error", "words"), FAILURES.values(), ids=FAILURES)
def test_what_a_judge_cannot_do_is_told_and_the_next_is_served(
    rig_of: Callable[[Judge], Rig], error: Exception, words: str
) -> None:
    def act(texts: Sequence[str]) -> Sequence[float]:
        if texts[0] == "bad":
            raise error
        return [0.5]

    rig = rig_of(Told(act))

    assert words in rig.reason(rig.ask("query", "bad"))
    assert rig.scores("query", "good") == (0.5,)
    assert (rig.figures()["judged"], rig.figures()["failed"]) == (1, 1)


def test_another_number_of_scores_is_a_failure(rig_of: Callable[[Judge], Rig]) -> None:
    rig = rig_of(Told(lambda _texts: [0.5]))

    assert rig.reason(rig.ask("query", "a", "b")) == "the reranker gave 1 scores for 2 texts"


def test_a_fault_of_its_own_is_logged_and_its_asker_told(
    rig_of: Callable[[Judge], Rig], caplog: pytest.LogCaptureFixture
) -> None:
    rig = rig_of(Told(lambda texts: [1 / 0 for _ in texts]))

    assert rig.reason(rig.ask("query", "the secret plan")) == "the reranker failed"
    rig.system.stop()  # its loop logs the fault after the answer
    assert "ZeroDivisionError" in caplog.text
    assert "secret plan" not in caplog.text


def test_one_that_cannot_be_loaded_says_so_once(
    rig_of: Callable[[Judge], Rig], caplog: pytest.LogCaptureFixture
) -> None:
    error = FileNotFoundError("the folder has no model")

    def act(_texts: Sequence[str]) -> Sequence[float]:
        raise error

    rig = rig_of(Told(act, loads=error))
    for _ in range(3):
        assert "has no model" in rig.reason(rig.ask("query", "text"))

    said = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(said) == 1
    assert rig.figures()["last_error"] == "reranker: the folder has no model"


def test_a_request_is_answered_within_its_deadline_and_others_do_not_wait_for_it(
    rig_of: Callable[[Judge], Rig],
) -> None:
    rig = rig_of(Silent())

    late = rig.ask("query", "held", deadline_s=0.3)

    assert rig.scores("query", "text") == (0.5,)
    assert rig.reason(late) == "the reranker did not answer within 0.3 s"


def test_a_model_that_takes_too_long_stops_and_serves_the_next(tmp_path: Path, rig_of: Callable[[Judge], Rig]) -> None:
    held = threading.Event()

    def slow(fed: dict[str, Any]) -> Any:
        if fed["input_ids"].shape[0] == 8:
            assert held.wait(PATIENCE_S)
        return words_in_common(fed)

    judge, runtime = local(tmp_path, model=slow)
    rig = rig_of(judge)
    assert rig.scores("cat", "cat") == (1.0,)

    reason = rig.reason(rig.ask("cat", *["cat"] * 80, deadline_s=0.3))
    held.set()
    while not isinstance(rig.answer(rig.ask("cat", "cat")), TextsReranked):
        pass

    assert reason == "the reranker did not answer within 0.3 s"
    assert len(runtime.fed) == 3


def test_the_same_request_twice_is_one_request(rig_of: Callable[[Judge], Rig]) -> None:
    calls: list[Sequence[str]] = []
    release = threading.Event()

    def act(texts: Sequence[str]) -> Sequence[float]:
        calls.append(texts)
        assert release.wait(PATIENCE_S)
        return [0.5]

    rig = rig_of(Told(act))
    request_id = rig.ask("query", "text", request_id=RequestId("same"))
    rig.ask("query", "text", request_id=request_id)
    assert rig.figures()["waiting"] == 1
    release.set()

    rig.answer(request_id)
    assert (rig.figures()["waiting"], len(calls)) == (0, 1)
    assert not rig.has_answer()


def test_who_waits_when_it_stops_is_told_once(rig_of: Callable[[Judge], Rig]) -> None:
    judge = Silent()
    rig = rig_of(judge)
    requests = [rig.ask("query", "held") for _ in range(3)]
    rig.figures()

    rig.system.stop()

    assert [rig.reason(request_id) for request_id in requests] == ["the reranker restarted"] * 3
    assert not rig.has_answer()
    assert judge.closed.is_set()


@pytest.mark.slow
@pytest.mark.crashes
def test_after_a_crash_it_works_on_and_nobody_waits_for_ever(rig_of: Callable[[Judge], Rig]) -> None:
    rig = rig_of(Silent())
    lost = rig.ask("query", "held")
    rig.figures()

    rig.system.tell(RERANKER, CRASH)

    assert rig.reason(lost) == "the reranker restarted"
    assert rig.scores("query", "text") == (0.5,)


def spent_in(rig: Rig) -> CallSpent:
    heard = rig.ear.receive(PATIENCE_S, lambda message: isinstance(message, CallSpent))
    assert isinstance(heard, CallSpent)
    return heard


def test_what_a_services_judgement_takes_is_told_as_it_counts_it(rig_of: Callable[[Judge], Rig]) -> None:
    rig = rig_of(Told(lambda texts: Scores([0.5] * len(texts), 321)))
    rig.scores("query", "text")

    spent = spent_in(rig)
    assert (spent.kind, spent.model, spent.owner) == (CallKind.RERANKING, "told/judge", "reranker")
    assert (spent.prompt_tokens, spent.is_estimated, spent.outcome) == (321, False, CallOutcome.ANSWERED)


def test_what_it_does_not_count_is_guessed_for_each_text_with_the_query(rig_of: Callable[[Judge], Rig]) -> None:
    rig = rig_of(Told(lambda texts: [0.5] * len(texts)))
    rig.scores("q" * 8, "t" * 4, "t" * 12)

    spent = spent_in(rig)
    assert (spent.prompt_tokens, spent.is_estimated) == (2 + 1 + 2 + 3, True)


def test_a_refused_judgement_takes_nothing(rig_of: Callable[[Judge], Rig]) -> None:
    def refuse(_texts: Sequence[str]) -> Sequence[float]:
        raise CallError(Fault(FaultKind.KEY, 401))

    rig = rig_of(Told(refuse))
    rig.answer(rig.ask("query", "text"))

    spent = spent_in(rig)
    assert (spent.prompt_tokens, spent.is_estimated, spent.outcome) == (0, False, CallOutcome.FAILED)


def test_each_judgement_that_goes_out_is_told_once_before_its_end(rig_of: Callable[[Judge], Rig]) -> None:
    def act(texts: Sequence[str]) -> Sequence[float]:
        if "refused" in texts:
            raise CallError(Fault(FaultKind.KEY, 401))
        return [1 / ("odd" not in texts)] * len(texts)

    rig = rig_of(Told(act))
    for text in ("text", "refused", "odd"):
        rig.answer(rig.ask("query", text))
        spent = spent_in(rig)
        assert (spent.kind, spent.attempt) == (CallKind.RERANKING, 1)
        assert spent.outcome is (CallOutcome.ANSWERED if text == "text" else CallOutcome.FAILED)
    assert rig.ear.drain() == []


def test_a_judgement_whose_judge_cannot_be_loaded_does_not_go_out(rig_of: Callable[[Judge], Rig]) -> None:
    rig = rig_of(Told(lambda texts: [0.5] * len(texts), ImportError("no library")))
    rig.answer(rig.ask("query", "text"))

    assert spent_in(rig).outcome is CallOutcome.FAILED
    assert rig.ear.drain() == []


def test_a_model_on_this_machine_takes_nothing_and_is_not_told(tmp_path: Path, rig_of: Callable[[Judge], Rig]) -> None:
    rig = rig_of(local(tmp_path)[0])
    rig.scores("query", "text")

    assert rig.ear.drain() == []
