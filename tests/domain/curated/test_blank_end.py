from __future__ import annotations

import pytest

from domain.curated.edits import with_fact


@pytest.mark.parametrize("blank", [b" \t ", b"\r"])
def test_a_blank_last_line_without_an_end_gets_none_where_nothing_comes_behind_it(blank: bytes) -> None:
    assert with_fact(b"## Build\n- a\n" + blank, "b", "Build") == b"## Build\n- a\n- b\n" + blank


def test_a_blank_last_line_without_an_end_gets_one_where_a_heading_comes_behind_it() -> None:
    assert with_fact(b"- a\n \t ", "b", "Build") == b"- a\n \t \n## Build\n\n- b\n"
