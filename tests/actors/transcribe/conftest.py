"""A loopback transcription server and a bench for every test that asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.loopback_speech.server import LoopbackSpeech
from tests.actors.transcribe.bench import Bench

MakeBench = Callable[..., Bench]


@pytest.fixture
def server() -> Iterator[LoopbackSpeech]:
    with LoopbackSpeech() as speech:
        yield speech


@pytest.fixture
def make_bench(server: LoopbackSpeech, tmp_path: Path) -> Iterator[MakeBench]:
    benches: list[Bench] = []

    def make(**settings: Any) -> Bench:
        benches.append(Bench(server, tmp_path, **settings))
        return benches[-1]

    yield make
    server.release()
    for bench in benches:
        bench.system.stop()


@pytest.fixture
def bench(make_bench: MakeBench) -> Bench:
    return make_bench()
