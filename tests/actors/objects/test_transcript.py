"""The transcript in the layer's page is what requests show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.actors.objects.transcript import FILES, transcript

PAGE = Path(__file__).parents[3] / "docs" / "layers" / "objects.md"


@pytest.mark.req("S3-61", "S3-65", "X-101")
def test_the_page_shows_a_piece_of_work_over_eight_files_as_it_is() -> None:
    made = transcript()
    assert len(FILES) == 8
    assert f"```\n{made}```" in PAGE.read_text("utf-8"), "run: python -m tests.actors.objects.transcript"
