from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from actors.embedder import google
from actors.http_client.litellm_library import import_litellm
from tests.actors.embedder.loopback import LoopbackEmbeddings
from tests.actors.embedder.rig import Rig


def pytest_itemcollected(item: pytest.Item) -> None:
    """Take pydantic's remarks about litellm's types for no error; litellm makes such types whenever it likes.

    pytest calls this for the tests below this folder only.
    """
    item.add_marker(pytest.mark.filterwarnings("ignore:.* `ReadOnly` qualifier:UserWarning"))


@pytest.fixture(scope="session")
def google_genai() -> None:
    """Google's client, imported before the first test that calls it, so that no test's patience is spent on it."""
    google._import()


@pytest.fixture(scope="session")
def litellm() -> None:
    """litellm, imported likewise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_litellm()


@pytest.fixture
def server() -> Iterator[LoopbackEmbeddings]:
    with LoopbackEmbeddings() as server:
        yield server


@pytest.fixture
def make_rig(google_genai: None) -> Iterator[Callable[..., Rig]]:
    """Rigs, each before a server of its own, stopped at the end."""
    with ExitStack() as opened:

        def make(**settings: object) -> Rig:
            rig = Rig(opened.enter_context(LoopbackEmbeddings()), **settings)  # type: ignore[arg-type]
            opened.callback(rig.system.stop)
            return rig

        yield make


@pytest.fixture
def rig(make_rig: Callable[..., Rig]) -> Rig:
    return make_rig()
