"""What the rows stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from lab.playground.server import PlaygroundServer
from tests.actors.context.conftest import safe_disk
from tests.actors.discord.conftest import life, start_life
from tests.actors.embedder.conftest import google_genai
from tests.actors.embedder.conftest import server as embeddings
from tests.actors.embedder.rig import Rig as EmbedderRig
from tests.actors.scheduler.conftest import channel, disk, file, start
from tests.e2e.conftest import process, server, stage

__all__ = [
    "channel",
    "disk",
    "embeddings",
    "file",
    "google_genai",
    "life",
    "process",
    "safe_disk",
    "server",
    "stage",
    "start",
    "start_life",
]


@pytest.fixture
def playground(server: PlaygroundServer) -> PlaygroundServer:
    """The same as `server`, as lives of the Discord actor call it."""
    return server


@pytest.fixture
def make_embedder(google_genai: None, embeddings: object) -> Iterator[Callable[..., EmbedderRig]]:
    """Embedders before one loopback server, stopped at the end."""
    made: list[EmbedderRig] = []

    def make(**settings: object) -> EmbedderRig:
        made.append(EmbedderRig(embeddings, **settings))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for rig in made:
        rig.system.stop()
