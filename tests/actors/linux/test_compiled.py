"""Loading of compiled libraries: the right one is taken, and of any other the log says what is wrong."""

from __future__ import annotations

import _ctypes
from pathlib import Path

import pytest

from actors.linux.compiled import library_path, load
from actors.memory.codes import scan

BUILT = library_path(scan.__file__, scan.NAME)
needs_a_library = pytest.mark.skipif(not BUILT.exists(), reason="the build found no C compiler")


def test_a_librarys_place_is_beside_its_module() -> None:
    assert BUILT.parent == Path(scan.__file__).parent
    assert BUILT.name.startswith("_scan.")
    assert BUILT.suffix == ".so"


@needs_a_library
def test_a_library_of_the_right_interface_is_taken(caplog: pytest.LogCaptureFixture) -> None:
    library = load(BUILT, "search", "scan", 2)
    assert library is not None
    assert library.scan_interface() == 2
    assert caplog.records == []


@needs_a_library
def test_one_of_another_version_is_not(caplog: pytest.LogCaptureFixture) -> None:
    assert load(BUILT, "search", "scan", 3) is None
    assert "the compiled search is of another version, so numpy is used: rebuild it" in caplog.text


def test_one_that_is_broken_or_something_else_is_not(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "broken.so").write_bytes(b"")
    assert load(tmp_path / "broken.so", "search", "scan", 1) is None
    assert load(Path(_ctypes.__file__), "search", "scan", 1) is None
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "the compiled search cannot be loaded, numpy does its work"
    ] * 2


def test_one_that_is_not_there_is_no_trouble(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert load(tmp_path / "none.so", "search", "scan", 1) is None
    assert caplog.records == []


@needs_a_library
def test_one_that_is_cut_short_is_refused_and_kills_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for number, share in enumerate([0.02, 0.1, 0.3, 0.9, 0.9999]):
        with subtests.test(share=share):
            root = tmp_path / str(number)
            root.mkdir()
            whole = BUILT.read_bytes()
            (root / "short.so").write_bytes(whole[: int(share * len(whole))])

            assert load(root / "short.so", "search", "scan", 1) is None

            assert "short.so is cut short at " in caplog.text
