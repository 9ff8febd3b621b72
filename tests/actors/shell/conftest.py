from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.actors.shell.bench import ENCLOSING, LEVELS, Bench, level


def _available(choice: str) -> str:
    """`choice`; skips the test where this machine lacks it."""
    if level(choice).refusal:
        pytest.skip(level(choice).refusal)
    return choice


@pytest.fixture(params=LEVELS)
def bench(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """A shell, without a sandbox and with the preferred one."""
    bench = Bench(tmp_path, sandbox=_available(request.param))
    yield bench
    bench.system.stop()


@pytest.fixture(params=ENCLOSING)
def sandbox(request: pytest.FixtureRequest) -> str:
    """Each sandbox there is."""
    return _available(request.param)


@pytest.fixture
def jail(tmp_path: Path, sandbox: str) -> Iterator[Bench]:
    """A shell with each sandbox there is; its data root lies deeper than what the test may hide around it."""
    jail = Bench(tmp_path / "data", sandbox=sandbox)
    yield jail
    jail.system.stop()
