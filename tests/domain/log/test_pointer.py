from __future__ import annotations

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.pointer import beneath

ROOT = PurePath("attachments")


def test_a_pointer_leads_into_a_folder_or_elsewhere(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str | None]] = [
        ("attachments/1/a.png", "1/a.png"),
        ("./attachments//1/./a.png", "1/a.png"),
        ("plots/../attachments/1/a.png", "1/a.png"),
        ("attachments/1/../2/a.png", "2/a.png"),
        ("attachments", None),
        ("attachments/..", None),
        ("attachments/../a.png", None),
        ("../attachments/1/a.png", None),
        ("attachments/../../attachments/1/a.png", None),
        ("/attachments/1/a.png", None),
        ("attachments2/1/a.png", None),
        ("Attachments/1/a.png", None),
        ("logs/attachments/a.png", None),
        ("", None),
        ("..", None),
    ]
    for pointer, rest in cases:
        with subtests.test(pointer=pointer, rest=rest):
            assert beneath(ROOT, pointer) == rest


@given(st.lists(st.sampled_from(["attachments", "..", ".", "", "a", "/", "...", "\0"]), max_size=8))
def test_the_rest_never_leads_up_and_never_starts_anew(parts: list[str]) -> None:
    rest = beneath(ROOT, "/".join(parts))
    assert rest is None or (not rest.startswith("/") and ".." not in rest.split("/"))
