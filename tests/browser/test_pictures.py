"""Pictures of the documentation: there, named by it, and of the pages as they are."""

from __future__ import annotations

import json
import re

import pytest

from tests.browser.pictures import DIGESTS, DOCS, ROOT, SHOWN, digest


@pytest.mark.parametrize("picture", SHOWN)
def test_a_picture_shows_what_is_there_now(picture: str) -> None:
    taken = json.loads(DIGESTS.read_text())
    assert taken[picture] == digest(picture), "run: python -m tests.browser.pictures"
    assert (DOCS / picture).read_bytes().startswith(b"\x89PNG")
    pages = [(ROOT / "README.md").read_text(), *(page.read_text() for page in DOCS.glob("*.md"))]
    assert any(re.search(rf"\]\((docs/)?{re.escape(picture)}\)", page) for page in pages)
