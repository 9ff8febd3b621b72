from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.objects.path import MOST_CHARACTERS, absolute, below, is_plain

ROOT = "/data/work/w"
PARTS = st.sampled_from(["a", "b.py", ".", "..", "", "w", "work", "a b", "x" * 200, "\n", "\0", "\ud800", "é"])
NAMES = st.lists(PARTS, max_size=6).map("/".join)


def test_a_path_below_a_folder_is_plain(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["a", "a/b.py", ".hidden/x", "a b", "日本/é.txt", "-", "a\\b", "x" * 300, "..a", "..."]
    for path in cases:
        with subtests.test(path=path):
            assert is_plain(path)


def test_what_leads_elsewhere_or_cannot_be_shown_is_not(subtests: pytest.Subtests) -> None:
    cases = ["", "/a", "a/", "a//b", ".", "./a", "a/.", "..", "../a", "a/../b", "x" * 301]
    cases += [f"a{unshown}b" for unshown in "\0\n\r\t\x1b\x7f\x85\u2028\u2029\ud800\udcff"]
    for path in cases:
        with subtests.test(path=path):
            assert not is_plain(path)


def test_a_name_becomes_a_path_below_the_folder_or_nothing(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        (ROOT, "a", "a"),
        (ROOT, "./a//b/", "a/b"),
        (ROOT, "a/../b", "b"),
        (ROOT, f"{ROOT}/a", "a"),
        (ROOT, f"/{ROOT}/a", "a"),
        (f"{ROOT}/src", "../a", "a"),
        (f"{ROOT}/src", "b", "src/b"),
        ("/data", "work/w/b", "b"),
        (ROOT, "", ""),
        (ROOT, ".", ""),
        (ROOT, "..", ""),
        (ROOT, "../a", ""),
        (ROOT, ROOT, ""),
        (ROOT, f"{ROOT}x/a", ""),
        (ROOT, "/etc/passwd", ""),
        (ROOT, "../../../../../../etc/passwd", ""),
        (ROOT, "a\0b", ""),
        (ROOT, "a\nb", ""),
        (ROOT, "x" * 301, ""),
        (ROOT, f"{ROOT}/{'x' * 300}", "x" * 300),
        ("/tmp", "a", ""),
    ]
    for here, name, path in cases:
        with subtests.test(here=here, name=name, path=path):
            assert below(ROOT, here, name) == path


def test_everything_lies_below_the_root_of_the_file_system() -> None:
    assert below("/", "/", "etc/x") == below("/", "/etc", "x") == "etc/x"
    assert below("/", "/", "..") == ""


def test_two_slashes_are_one() -> None:
    assert absolute("/", "//a/../b") == "/b"
    assert absolute("/", "a") == "/a"


@given(NAMES, NAMES)
def test_whatever_is_called_gives_a_plain_path_or_none(here: str, name: str) -> None:
    path = below(ROOT, absolute(ROOT, here), name)

    assert path == "" or is_plain(path)
    assert len(path) <= MOST_CHARACTERS
    assert path == "" or absolute(absolute(ROOT, here), name) == f"{ROOT}/{path}"
