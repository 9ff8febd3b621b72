"""Signatures of files, by which a change is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.linux.signature import SETTLED_NS, is_settled, signature


def test_it_is_the_files_own_and_changes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    before = signature(file)
    assert before is not None
    assert signature(file) == before
    file.write_text("22")
    after = signature(file)
    assert after is not None
    assert (after[0], after[1]) == (before[0], 2)
    (tmp_path / "link").symlink_to(file)
    assert signature(tmp_path / "link") != after
    assert signature(tmp_path / "none") is None


def test_a_file_that_was_changed_a_moment_ago_is_not_settled(subtests: pytest.Subtests) -> None:
    for later_ns, expected in [(SETTLED_NS, False), (SETTLED_NS + 1, True), (-SETTLED_NS - 1, True)]:
        with subtests.test(later_ns=later_ns, expected=expected):
            assert is_settled((1, 2, 1_000, 5_000), 5_000 + later_ns) is expected


def test_what_is_not_there_is_settled() -> None:
    assert is_settled(None, 0)
