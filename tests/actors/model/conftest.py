from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest

from actors.model import routes
from actors.model.provider import load
from lab.loopback_model.server import LoopbackModel
from tests.actors.model.bench import Bench
from tests.actors.model.warm_litellm import WarmLitellm
from tests.patience import PATIENCE_S


def pytest_itemcollected(item: pytest.Item) -> None:
    """Take pydantic's remarks about litellm's types for no error; litellm makes such types whenever it likes.

    pytest calls this for the tests below this folder only.
    """
    item.add_marker(pytest.mark.filterwarnings("ignore:.* `ReadOnly` qualifier:UserWarning"))


@pytest.fixture(scope="session")
def litellm() -> None:
    """litellm, imported before the first test that calls it, so that no test's patience is spent on it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in ("openai/test", "hosted_vllm/test"):
            load(model).result(PATIENCE_S)


@pytest.fixture(scope="session")
def warm_process() -> Iterator[WarmLitellm]:
    made = WarmLitellm()
    yield made
    made.end()


@pytest.fixture(scope="module")
def warm_litellm(warm_process: WarmLitellm) -> Iterator[None]:
    """litellm answers questions about routes without being imported anew, from here to the end of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "_said", warm_process.said)
        yield


@pytest.fixture
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel() as server:
        yield server


@pytest.fixture
def make_bench(litellm: None, warm_litellm: None, server: LoopbackModel) -> Iterator[Callable[..., Bench]]:
    """Benches before the same server, stopped at the end."""
    made: list[Bench] = []

    def make(**settings: object) -> Bench:
        made.append(Bench(server, **settings))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for bench in made:
        bench.system.stop()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
