"""What the page is told of the bot beside it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from lab.playground.world.companion import Companion

ADDRESS = "http://127.0.0.1:8080/?token=abcdefghijkl2347"


def address_in(folder: Path, content: str) -> str:
    (folder / "observer.json").write_text(content, "utf-8")
    return Companion(folder, lambda: None).observer_address()


def test_the_observers_address_is_what_its_file_says(tmp_path: Path) -> None:
    assert address_in(tmp_path, json.dumps({"url": ADDRESS})) == ADDRESS


def test_no_page_is_led_elsewhere_by_it(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[object] = [
        "http://127.0.0.1:1@evil.example/?token=abcdefghijkl2347",
        "http://127.0.0.1:80.evil.example/?token=abcdefghijkl2347",
        f"{ADDRESS}\r\nX: y",
        f"{ADDRESS}\n",
        "javascript:alert(1)",
        "",
        7,
    ]
    for url in cases:
        with subtests.test(url=url):
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            assert address_in(folder, json.dumps({"url": url})) == ""


@pytest.mark.parametrize("content", ["", "[]", "{}", "null", "nonsense"])
def test_a_file_that_says_nothing_is_no_address(tmp_path: Path, content: str) -> None:
    assert address_in(tmp_path, content) == ""
    (tmp_path / "observer.json").unlink()
    assert Companion(tmp_path, lambda: None).observer_address() == ""
