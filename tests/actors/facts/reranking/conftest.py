from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed `onnxruntime` of no content, which suffices where no model is run."""
    place = tmp_path_factory.mktemp("libraries")
    (place / "onnxruntime").mkdir()
    (place / "onnxruntime" / "__init__.py").touch()
    monkeypatch.syspath_prepend(place)
    return place
