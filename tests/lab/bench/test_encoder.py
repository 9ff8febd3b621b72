from __future__ import annotations

import re
from pathlib import Path

import pytest

from actors.embedder.local import LocalModel
from lab.bench import encoder


def test_each_size_has_a_line_and_near_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "texts").write_text("When is the train?\n\nAt nine.\n")

    encoder.main([str(tmp_path / "texts")], ((2, 1), (8, 2)), 1)

    said = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in said] == [["tokens", "texts"], ["2", "1"], ["8", "2"], ["2", "texts:"]]
    cosines = [float(number) for number in re.findall(r"[01]\.\d{5}", said[-1])]
    assert len(cosines) == 2
    assert min(cosines) > 0.99


def test_a_size_is_that_of_its_tokens() -> None:
    model = LocalModel.load()
    assert [len(model.token_vectors([encoder.WORD * (tokens - 2)])[0]) for tokens in (2, 8, 256)] == [2, 8, 256]
