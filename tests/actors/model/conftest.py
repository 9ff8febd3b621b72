from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest

from actors.model.kept_routes import keep
from actors.model.litellm_child import listing_of
from actors.model.provider import load
from lab.loopback_model.server import LoopbackModel
from tests.actors.model.bench import Bench
from tests.actors.model.listings import MODELS
from tests.patience import PATIENCE_S


def pytest_itemcollected(item: pytest.Item) -> None:
    """Take pydantic's remarks about litellm's types for no error; litellm makes such types whenever it likes.

    pytest calls this for the tests below this folder only.
    """
    item.add_marker(pytest.mark.filterwarnings("ignore:.* `ReadOnly` qualifier:UserWarning"))


@pytest.fixture(scope="session")
def litellm() -> None:
    """litellm, imported before the first test that calls it, so that no test's patience is spent on it.

    Its listings of the models that tests name are kept, so that no process is started for each.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load("openai/test").result(PATIENCE_S)
        library = load("hosted_vllm/test").result(PATIENCE_S)
        for model in MODELS:
            keep(model, listing_of(library, model), None)


@pytest.fixture
def server() -> Iterator[LoopbackModel]:
    with LoopbackModel() as server:
        yield server


@pytest.fixture
def make_bench(litellm: None, server: LoopbackModel) -> Iterator[Callable[..., Bench]]:
    """Benches before the same server, stopped at the end."""
    benches: list[Bench] = []

    def make(**settings: object) -> Bench:
        benches.append(Bench(server, **settings))  # type: ignore[arg-type]
        return benches[-1]

    yield make
    for bench in benches:
        bench.system.stop()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
