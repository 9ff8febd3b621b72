"""Another model, or another size, between two starts: questions find memories at once, and no vectors are mixed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.embedder.loopback import RIGHT, LoopbackEmbeddings, Reply, Vectors
from tests.e2e.stage import Stage
from tests.e2e.test_memory import is_whole, stats, tell
from tests.patience import eventually
from tests.running_playground import server as server


def halves(vectors: Vectors) -> Vectors:
    return [vector[:8] for vector in vectors]


CHANGES: tuple[tuple[str, dict[str, Any], Reply], ...] = (
    ("metadist/synaplan#948, topoteretes/cognee#3547", {"embedder.dimensions": 8}, Reply(spoil=halves)),
    ("smaramwbc/statewave#421", {"embedder.model": "gemini-embedding-2"}, RIGHT),
)
"""Report, settings of the next start, and the answers of the changed model."""


@pytest.mark.slow
def test_questions_find_memories_while_all_turns_wait_for_vectors_of_another_model(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    failures = []
    for number, (source, change, answers) in enumerate(CHANGES):
        data = tmp_path / f"life{number}" / "data"
        data.parent.mkdir()
        with LoopbackEmbeddings() as embeddings:
            given: dict[str, Any] = {
                "embedder.provider": "google",
                "embedder.api_base": embeddings.address,
                "embedder.dimensions": 16,
                "memory.query_timeout_s": 0.5,
            }
            stage = Stage(server, data, {"GEMINI_API_KEY": "k"}, **given)
            thread = server.create_thread(GENERAL_ID, "aside")
            try:
                tell(stage, f"My bicycle is locked with the number 4711{number}", thread)
                eventually(lambda stage=stage: is_whole(stage, 2))  # type: ignore[misc]
            finally:
                stage.stop()
            server.wait_until_online(online=False)
            embeddings.always = Reply(held=True)
            stage = Stage(server, data, {"GEMINI_API_KEY": "k"}, **given | change)
            try:
                waiting = stats(stage)["pending"]
                answer = stage.ask("Which number is my bicycle locked with?")
                embeddings.always = answers
                embeddings.release()
                eventually(lambda stage=stage: is_whole(stage, 4))  # type: ignore[misc]
                later = stage.ask("What is the number of the lock of the bicycle?")
            finally:
                stage.stop()
            server.wait_until_online(online=False)
        if waiting != 2 or f"4711{number}" not in answer or f"4711{number}" not in later:
            failures.append((source, waiting, answer, later))
    assert not failures
