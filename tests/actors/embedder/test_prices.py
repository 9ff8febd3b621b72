from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.embedder.prices import Price, price_of


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    price_of.cache_clear()
    yield
    price_of.cache_clear()


def test_the_list_that_comes_with_litellm_has_the_usual_models(subtests: pytest.Subtests) -> None:
    for model, others in [
        ("text-embedding-3-small", ("openai/text-embedding-3-small",)),
        ("gemini-embedding-001", ("gemini/gemini-embedding-001",)),
    ]:
        with subtests.test(model=model, others=others):
            price = price_of(model)

            assert 1e-9 < price.per_token < 1e-5
            assert price.per_call == 0
            assert [price_of(other) for other in others] == [price] * len(others)


def test_a_reranking_service_takes_so_much_a_search() -> None:
    assert price_of("cohere/rerank-v3.5").per_call > 0


def test_a_model_that_is_not_on_the_list_costs_nothing_that_is_known() -> None:
    assert price_of("hosted_vllm/nomic") == Price(0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ('{"m": {"input_cost_per_token": 2e-7}}', Price(2e-7, 0.0)),
        ('{"m": {"input_cost_per_token": -1, "input_cost_per_query": "much"}}', Price(0.0, 0.0)),
        ('{"m": {"input_cost_per_token": NaN, "input_cost_per_query": Infinity}}', Price(0.0, 0.0)),
        ('{"m": 5}', Price(0.0, 0.0)),
        ("[]", Price(0.0, 0.0)),
        ("{", Price(0.0, 0.0)),
        (None, Price(0.0, 0.0)),
    ],
)
def test_a_list_that_is_none_has_no_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, price: Price
) -> None:
    package = tmp_path / "litellm"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    if text is not None:
        (package / "model_prices_and_context_window_backup.json").write_text(text)

    assert price_of("m") == price


def test_litellm_is_not_imported_for_it() -> None:
    import subprocess
    import sys

    code = "import sys; from actors.embedder.prices import price_of; price_of('x'); print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.lower()) is False
