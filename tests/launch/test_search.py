"""What is compiled, the memory's search and the local model, built by the first command."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tests.launch.checkout import CODES, DEADLINE_S, ENCODER, Checkout

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * DEADLINE_S)]


SOURCES = [(CODES / "scan.c", "scan"), (ENCODER / "forward.c", "forward"), (ENCODER / "kernels.h", "forward")]


@pytest.fixture
def with_little(with_scan: Checkout) -> Checkout:
    """The same with sources of a line each: they take a twentieth of the time to compile, and are built no differently."""
    (with_scan.root / CODES / "scan.c").write_text("int scan_interface(void) { return 1; }\n")
    (with_scan.root / ENCODER / "kernels.h").write_text("/* nothing */\n")
    (with_scan.root / ENCODER / "forward.c").write_text(
        '#include "kernels.h"\nint forward_interface(void) { return 1; }\n'
    )
    return with_scan


def libraries(checkout: Checkout) -> list[tuple[str, int]]:
    files = [file for folder in (CODES, ENCODER) for file in (checkout.root / folder).glob("_*.so")]
    return [(file.name, file.stat().st_mtime_ns) for file in files]


@pytest.mark.parametrize(("changed", "name"), SOURCES, ids=[source.name for source, _ in SOURCES])
def test_all_is_built_once_and_anew_when_a_source_changes(with_little: Checkout, changed: Path, name: str) -> None:
    source = with_little.root / changed
    built = []
    for change in ("", "", "/* changed */"):
        source.write_text(source.read_text() + change)
        processes = [with_little.start("agent") for _ in range(2)]
        outputs = [process.communicate(timeout=DEADLINE_S) for process in processes]
        assert [(process.returncode, stdout) for process, (stdout, _) in zip(processes, outputs, strict=True)] == [
            (0, "agent 1\n")
        ] * 2
        built.append(libraries(with_little))
        assert len(built[-1]) <= 2
        is_said = "not compiled" in "".join(stderr for _, stderr in outputs)
        assert bool(built[-1]) or is_said == (change != "" or len(built) == 1)
    assert built[0] == built[1]
    if built[0]:
        assert not set(built[1]) & set(built[2])
        library = next((with_little.root / changed).parent.glob(f"_{name}.*.so"))
        assert ctypes.CDLL(str(library))[f"{name}_interface"]() == 1


def test_what_one_source_makes_is_built_though_another_cannot_be(with_scan: Checkout) -> None:
    (with_scan.root / ENCODER / "forward.c").write_text("this is no C\n")
    first, second = (with_scan.run("agent") for _ in range(2))
    assert (first.returncode, second.returncode, second.stderr) == (0, 0, "")
    built = libraries(with_scan)
    assert [name.partition(".")[0] for name, _ in built] == ["_scan"] * len(built)
    whose = "The local model was" if built else "The local model and the memory's search were"
    assert f"{whose} not compiled (" in first.stderr
    for library in (with_scan.root / CODES).glob("_scan.*.so"):
        assert ctypes.CDLL(str(library)).scan_interface() == 2


def test_what_was_taken_away_is_built_again(with_little: Checkout) -> None:
    with_little.run("agent")
    before = libraries(with_little)
    for folder in (CODES, ENCODER):
        for library in (with_little.root / folder).glob("_*.so"):
            library.unlink()
            with_little.run("agent")
            assert [name for name, _ in libraries(with_little)] == [name for name, _ in before]


def test_without_a_compiler_all_is_set_up_and_it_is_said_once(with_scan: Checkout, tmp_path: Path) -> None:
    first, second = (with_scan.run("agent", PATH=str(tmp_path / "nowhere")) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert "The local model and the memory's search were not compiled (" in first.stderr
    assert "cc" in first.stderr
    assert second.stderr == ""
    assert libraries(with_scan) == []
