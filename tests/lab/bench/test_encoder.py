from __future__ import annotations

import re
from pathlib import Path

import pytest

from actors.embedder.local import LocalModel
from lab.bench import encoder, encoder_engine


def test_each_size_has_a_line_and_near_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts").write_text("When is the train?\n\nAt nine.\n")

    encoder.main([str(tmp_path / "texts")], ((2, 1), (8, 2)), 1)

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["tokens", "texts"], ["2", "1"], ["8", "2"], ["2", "texts:"]]
    cosines = [float(number) for number in re.findall(r"[01]\.\d{5}", lines[-1])]
    assert len(cosines) == 2
    assert min(cosines) > 0.99


def test_a_size_is_that_of_its_tokens() -> None:
    model = LocalModel.load()
    assert [len(model.token_vectors([encoder.WORD * (tokens - 2)])[0]) for tokens in (2, 8, 256)] == [2, 8, 256]


@pytest.mark.slow
@pytest.mark.req("X-229")
def test_the_engine_gets_the_same_model_and_both_are_measured() -> None:
    """llama.cpp#17203 and #14280: vectors of the engine that differ from those of the same model elsewhere."""
    figures = encoder_engine.compare(((8, 1),), 2)

    assert {name: list(row["cpu_ms"]) for name, row in figures.items()} == {
        "compiled": ["8 x 1"],
        "llama.cpp": ["8 x 1"],
    }
    assert min(min(row["cpu_ms"].values()) for row in figures.values()) > 0
    assert figures["llama.cpp"]["mib"] > 20  # its weights alone have 24
    assert 0.99 < figures["llama.cpp"]["cosine"] < figures["compiled"]["cosine"]
