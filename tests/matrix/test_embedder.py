"""Rows 10-13: the embedder is slowed down, fails, lies, or refuses its key."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from lab.playground.server import PlaygroundServer
from messages.embedder import TextsEmbedded
from tests.actors.embedder.loopback import LoopbackEmbeddings, Reply
from tests.actors.embedder.rig import DIMENSIONS, Rig
from tests.e2e.stage import Stage
from tests.e2e.test_memory import is_whole, stats
from tests.patience import eventually

MakeEmbedder = Callable[..., Rig]
PROMPT_S = 60.0
"""Longer than a turn waits for a question's vector, which is told to be 0.5 s; far less than what the server asks for."""


def agent_with(server: PlaygroundServer, data: Path, embeddings: LoopbackEmbeddings) -> Stage:
    given: dict[str, Any] = {
        "embedder.provider": "google",
        "embedder.api_base": embeddings.address,
        "embedder.dimensions": 16,
    }
    given |= {"embedder.timeout_s": 2, "memory.query_timeout_s": 0.5}
    return Stage(server, data, {"GEMINI_API_KEY": "k"}, **given)


def stored_vectors(data: Path) -> list[int]:
    """Sizes of the vectors in the index, as another program sees them."""
    index = apsw.Connection(str(data / "memory" / "index.sqlite"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [size for (size,) in index.execute("SELECT length(embedding) FROM vectors")]
    finally:
        index.close()


def test_row_10_a_wait_that_the_embedder_asks_for_is_kept_and_delays_no_answer(
    server: PlaygroundServer, tmp_path: Path, embeddings: LoopbackEmbeddings, make_embedder: MakeEmbedder
) -> None:
    embeddings.always = Reply(status=429, headers={"Retry-After": "1800"})
    stage = agent_with(server, tmp_path / "data", embeddings)
    try:
        began = time.monotonic()
        assert "hello" in stage.ask("hello")
        assert time.monotonic() - began < PROMPT_S
        eventually(lambda: (stats(stage)["rows"], stats(stage)["pending"] + stats(stage)["failed"]) == (2, 2))
        eventually(lambda: len(embeddings.seen) == 1)
    finally:
        stage.stop()

    rig = make_embedder()
    embeddings.script, embeddings.always = [Reply(status=429, headers={"Retry-After": "1800"})], Reply()
    embeddings.seen.clear()
    request_id = rig.ask("one")
    rig.wait_until(calls_failed=1)
    rig.pass_time(1_799)
    assert (len(embeddings.seen), rig.has_answer()) == (1, False)
    rig.pass_time(2)
    assert len(rig.vectors(request_id)) == 1


@pytest.mark.parametrize(
    "reply", [Reply(status=500), Reply(held=True), Reply(reset=True)], ids=["500", "slow", "reset"]
)
def test_row_11_failures_in_passing_are_waited_out_longer_and_longer(make_embedder: MakeEmbedder, reply: Reply) -> None:
    rig = make_embedder(**({"timeout_s": 0.05} if reply.held else {}))
    rig.server.always = reply
    request_id = rig.ask("one")

    pauses = []
    for failures in range(1, 11):
        rig.wait_until(calls_failed=1 + failures)  # the text's call, and in each round a probe
        pauses.append(rig.pause_s())
        rig.pass_time(rig.pause_s() + 0.1)
    least = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert [low <= pause <= low + 0.5 for low, pause in zip(least, pauses, strict=True)] == [True] * 10

    rig.server.always = Reply()
    rig.server.release()
    while rig.figures()["requests_waiting"]:
        rig.pass_time(301)
    assert [len(vector) for vector in rig.vectors(request_id)] == [DIMENSIONS]


LIES: dict[str, Reply] = {
    "NaN": Reply(spoil=lambda vectors: [[math.nan] * len(vector) for vector in vectors]),
    "page": Reply(body=b"<html>captive portal</html>"),
}
"""A vector that is none, and an answer without any; all other kinds are in `tests/actors/embedder/test_failures.py`."""


def test_row_12_what_is_no_vector_is_never_stored(
    server: PlaygroundServer, tmp_path: Path, embeddings: LoopbackEmbeddings
) -> None:
    """One lie after another, until each has been told twice; what was lied about is stored once the truth is told."""
    stage = agent_with(server, tmp_path / "data", embeddings)
    try:
        for number, (name, lie) in enumerate(LIES.items()):
            embeddings.always = lie
            embeddings.seen.clear()
            assert name in stage.ask(f"hello, {name}")
            told = (2 * number + 2, 2 * number)
            eventually(lambda told=told: (stats(stage)["rows"], stats(stage)["ok"]) == told)  # type: ignore[misc]
            eventually(lambda: len(embeddings.seen) > 1)
            assert stored_vectors(stage.data) == [4 * DIMENSIONS] * 2 * number, name

            embeddings.always = Reply()
            eventually(lambda number=number: is_whole(stage, 2 * number + 2))  # type: ignore[misc]
            assert stored_vectors(stage.data) == [4 * DIMENSIONS] * 2 * (number + 1), name
    finally:
        stage.stop()


def test_row_13_a_key_that_is_refused_is_one_alert_and_no_storm(
    make_embedder: MakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    rig = make_embedder()
    rig.server.always = Reply(status=401, body={"error": {"code": 401, "message": "invalid authentication"}})
    requests = [rig.ask(f"text {number}") for number in range(50)]

    assert all(rig.failure(request_id).is_permanent for request_id in requests)
    rig.wait_until(calls_in_flight=0)
    calls = len(rig.server.seen)
    for _ in range(60):
        rig.pass_time(60)
        rig.wait_until(calls_in_flight=0)

    assert calls <= 4
    assert len(rig.server.seen) - calls <= 6, "in an hour"
    assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1
    rig.server.always = Reply()
    rig.pass_time(600)
    rig.wait_until(state="working")
    assert isinstance(rig.answer(rig.ask("mended")), TextsEmbedded)
