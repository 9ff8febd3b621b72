"""The page as a browser shows it, after a conversation; needs Chromium, which is no dependency."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import pytest

from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.browser import CHROMIUM, picture
from tests.e2e.stage import Stage

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here, and it is no dependency of the project")


def distinct_rows(png: bytes) -> int:
    """How many different rows of pixels a PNG has: few for a blank page, many for one with text."""
    body, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            body += png[at + 8 : at + 8 + length]
        at += 12 + length
    (height,) = struct.unpack(">I", png[20:24])
    raw = zlib.decompress(body)
    stride = len(raw) // height
    return len({raw[row * stride : (row + 1) * stride] for row in range(height)})


@pytest.mark.slow
def test_the_page_shows_what_was_said_and_answered(stage: Stage, tmp_path: Path) -> None:
    stage.ask("hello")
    assert "62710561" in stage.ask("run: echo $((7919*7919))")
    thread = stage.server.create_thread(GENERAL_ID, "a side thread")
    stage.ask("run: echo only here", thread)
    texts = (
        "run: echo $((7919*7919))",
        "I am the offline model",
        "(exit code 0)",
        "a side thread",
        "Remembrancer is online",
    )
    png = picture(stage.server.page_url, tmp_path / "profile", texts)
    assert distinct_rows(png) > 100
    if keep := os.environ.get("PAGE_PICTURE"):
        Path(keep).write_bytes(png)
