"""The memory's compiled search, built by the first command."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tests.launch.checkout import CODES, DEADLINE_S, Checkout

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * DEADLINE_S)]


def libraries(checkout: Checkout) -> list[tuple[str, int]]:
    return [(file.name, file.stat().st_mtime_ns) for file in (checkout.root / CODES).glob("_scan*")]


def test_the_search_is_built_once_and_anew_when_its_source_changes(with_scan: Checkout) -> None:
    source = with_scan.root / CODES / "scan.c"
    built = []
    for change in ("", "", "/* changed */"):
        source.write_text(source.read_text() + change)
        processes = [with_scan.start("agent") for _ in range(2)]
        outputs = [process.communicate(timeout=DEADLINE_S) for process in processes]
        assert [(process.returncode, stdout) for process, (stdout, _) in zip(processes, outputs, strict=True)] == [
            (0, "agent 1\n")
        ] * 2
        built.append(libraries(with_scan))
        assert len(built[-1]) <= 1
        is_said = "was not compiled" in "".join(stderr for _, stderr in outputs)
        assert bool(built[-1]) or is_said == (change != "" or len(built) == 1)
    assert built[0] == built[1]
    if built[0]:
        assert built[1] != built[2]
        library = ctypes.CDLL(str(with_scan.root / CODES / built[2][0][0]))
        assert library.scan_interface() == 1


def test_a_search_that_was_taken_away_is_built_again(with_scan: Checkout) -> None:
    with_scan.run("agent")
    before = libraries(with_scan)
    for name, _ in before:
        (with_scan.root / CODES / name).unlink()
    with_scan.run("agent")
    assert [name for name, _ in libraries(with_scan)] == [name for name, _ in before]


def test_without_a_compiler_all_is_set_up_and_it_is_said_once(with_scan: Checkout, tmp_path: Path) -> None:
    first, second = (with_scan.run("agent", PATH=str(tmp_path / "nowhere")) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert "was not compiled" in first.stderr
    assert "cc" in first.stderr
    assert second.stderr == ""
    assert libraries(with_scan) == []
