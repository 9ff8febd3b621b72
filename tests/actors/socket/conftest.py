from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.actors.socket.rig import Client, Rig


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def root(stack: ExitStack) -> Path:
    """A folder with a path so short that sockets fit in."""
    return Path(stack.enter_context(TemporaryDirectory(prefix="s-")))


@pytest.fixture
def make_rig(root: Path, stack: ExitStack) -> Callable[..., Rig]:
    def make(**options: Any) -> Rig:
        rig = Rig(root, **options)
        stack.callback(rig.system.stop)
        return rig

    return make


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    return make_rig()


@pytest.fixture
def keep(stack: ExitStack) -> Callable[[Client], Client]:
    """Closes a client at the end of the test."""

    def kept(client: Client) -> Client:
        stack.callback(client.close)
        return client

    return kept
