"""The commands in bin/, in checkouts whose locks name one tiny package each, served from a folder."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CLI = """
import sys
import tiny

def agent(prog_name):
    print(prog_name, tiny.VERSION, *sys.argv[1:])
"""
CODES = Path("actors", "memory", "codes")
PYTEST = "import os, sys; print(os.getcwd(), *sys.argv[1:])"

DEADLINE_S = 120
"""For one set-up of .venv: 4 s on an idle machine, mostly the copying of pip, but 20 s were seen on a busy one."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * DEADLINE_S)]


def write_wheel(folder: Path, name: str, version: str, source: str) -> str:
    """The locked requirement for a new wheel of one module."""
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    contents = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for file, text in contents.items():
            archive.writestr(zipfile.ZipInfo(file), text)  # without today's date, so that the hash is the content's
    return requirement(name, version, wheel)


def repack_wheel(folder: Path, name: str) -> str:
    """The locked requirement for a wheel of what is installed here under that name."""
    installed = metadata.distribution(name)
    wheel = folder / f"{name}-{installed.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in installed.files or ():
            if ".." not in file.parts and file.suffix != ".pyc" and file.name not in ("INSTALLER", "REQUESTED"):
                archive.write(file.locate(), str(file))
    return requirement(name, installed.version, wheel)


def requirement(name: str, version: str, wheel: Path) -> str:
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@dataclass
class Checkout:
    """A clone with the real bin/ and made-up locks; `wheels` is all the internet it has."""

    root: Path
    wheels: Path

    def lock(self, name: str, requirement: str) -> None:
        (self.root / name).write_text(requirement)

    def start(self, command: str, *arguments: str, cwd: Path | None = None, **environ: str) -> subprocess.Popen[str]:
        offline = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels)}
        return subprocess.Popen(
            [sys.executable, self.root / "bin" / command, *arguments],
            cwd=cwd or self.root,
            env={**os.environ, **offline, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(
        self, command: str, *arguments: str, cwd: Path | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        with self.start(command, *arguments, cwd=cwd, **environ) as process:
            stdout, stderr = process.communicate(timeout=DEADLINE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


@pytest.fixture(scope="module")
def first_two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, list[tuple[int, str, str]]]:
    """A clone in which two commands were started at once, and how each of them ended."""
    place = tmp_path_factory.mktemp("launch")
    checkout = Checkout(place / "clone", place / "wheels")
    checkout.wheels.mkdir()
    shutil.copytree(ROOT / "bin", checkout.root / "bin", ignore=shutil.ignore_patterns("__pycache__"))
    (checkout.root / "actors").mkdir()
    (checkout.root / "actors" / "cli.py").write_text(CLI)
    checkout.lock(
        "requirements.lock",
        write_wheel(checkout.wheels, "tiny", "1.0", "VERSION = 1") + repack_wheel(checkout.wheels, "setuptools"),
    )
    checkout.lock("requirements-dev.lock", write_wheel(checkout.wheels, "pytest", "1.0", PYTEST))
    processes = [checkout.start("agent", "hello") for _ in range(2)]
    outputs = [process.communicate(timeout=DEADLINE_S) for process in processes]
    return checkout, [(process.returncode, *output) for process, output in zip(processes, outputs, strict=True)]


@pytest.fixture
def checkout(first_two: tuple[Checkout, list[tuple[int, str, str]]], tmp_path: Path) -> Checkout:
    """A clone that is set up; moving it does not undo that."""
    ready = first_two[0]
    shutil.copytree(ready.root, tmp_path / "clone", symlinks=True)
    shutil.copytree(ready.wheels, tmp_path / "wheels")
    return Checkout(tmp_path / "clone", tmp_path / "wheels")


def test_two_commands_started_at_once_set_up_once_and_both_do_their_work(
    first_two: tuple[Checkout, list[tuple[int, str, str]]],
) -> None:
    ends = first_two[1]

    assert [(status, stdout) for status, stdout, _ in ends] == [(0, "agent 1 hello\n")] * 2
    assert "".join(stderr for _, _, stderr in ends).count("Setting up .venv") == 1


def test_a_checkout_that_is_set_up_starts_without_a_word(checkout: Checkout) -> None:
    done = checkout.run("agent", "a b", "--c")

    assert (done.returncode, done.stdout, done.stderr) == (0, "agent 1 a b --c\n", "")


def test_a_lock_that_was_only_touched_costs_no_set_up(checkout: Checkout) -> None:
    os.utime(checkout.root / "requirements.lock")

    done = checkout.run("agent")

    assert (done.stdout, done.stderr) == ("agent 1\n", "")


def test_modules_of_the_users_own_are_not_taken_for_ours(checkout: Checkout, tmp_path: Path) -> None:
    for name in ("tiny.py", "actors.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")

    done = checkout.run("agent", cwd=tmp_path, PYTHONPATH=str(tmp_path), PYTHONSAFEPATH="1")

    assert (done.stdout, done.stderr) == ("agent 1\n", "")


def test_a_command_works_through_a_symbolic_link_from_anywhere(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "agent").symlink_to(checkout.root / "bin" / "agent")
    linked = Checkout(tmp_path, checkout.wheels)
    (tmp_path / "bin").symlink_to(tmp_path / "elsewhere")

    assert linked.run("agent", cwd=Path("/")).stdout == "agent 1\n"


def test_a_changed_lock_is_installed_anew_but_never_from_packages_that_are_not_the_locked_ones(
    checkout: Checkout,
) -> None:
    checkout.lock("requirements.lock", write_wheel(checkout.wheels, "tiny", "2.0", "VERSION = 2"))
    left_over = next(checkout.root.glob(".venv/lib/*/site-packages")) / "left_over.py"
    left_over.touch()

    write_wheel(checkout.wheels, "tiny", "2.0", "VERSION = 'poisoned'")
    refused = checkout.run("agent")
    write_wheel(checkout.wheels, "tiny", "2.0", "VERSION = 2")
    mended = checkout.run("agent")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in refused.stderr
    assert "-m pip --disable-pip-version-check install" in refused.stderr.splitlines()[-2]
    assert (mended.returncode, mended.stdout) == (0, "agent 2\n")
    assert not left_over.exists()


def test_the_tests_add_their_lock_and_are_told_paths_from_where_the_user_stands(checkout: Checkout) -> None:
    (checkout.root / "tests").mkdir()
    (checkout.root / "tests" / "test_x.py").touch()

    first = checkout.run("test", "test_x.py::test_y", "-k", "tests", cwd=checkout.root / "tests")
    second = checkout.run("test", "-n", "0", cwd=Path("/"))

    assert first.stdout == f"{checkout.root} {checkout.root}/tests/test_x.py::test_y -k tests\n"
    assert "requirements-dev.lock" in first.stderr
    assert (second.stdout, second.stderr) == (f"{checkout.root} -n 0\n", "")


@pytest.mark.parametrize("given", [(), ("tests",), ("-k", "word")])
def test_the_tests_use_one_process_more_than_there_are_cores(checkout: Checkout, given: tuple[str, ...]) -> None:
    done = checkout.run("test", *given)

    workers = f"-n {len(os.sched_getaffinity(0)) + 1} --no-loadscope-reorder"
    assert done.stdout == " ".join([str(checkout.root), workers, *given]) + "\n"


@pytest.mark.parametrize(
    "given", [("tests/x.py",), ("tests/x.py::test",), ("-n0",), ("-n", "7"), ("-p", "no:xdist"), ("--pdb",)]
)
def test_who_names_files_or_looks_into_the_process_gets_no_others(checkout: Checkout, given: tuple[str, ...]) -> None:
    done = checkout.run("test", *given)

    assert done.stdout == " ".join([str(checkout.root), *given]) + "\n"


def test_a_set_up_that_was_cut_short_is_done_again(checkout: Checkout) -> None:
    (checkout.root / ".venv" / "unfinished").touch()

    done = checkout.run("test")

    assert "Setting up .venv" in done.stderr
    assert done.returncode == 0
    assert not (checkout.root / ".venv" / "unfinished").exists()


def pretend_old_python(checkout: Checkout, path: Path) -> subprocess.CompletedProcess[str]:
    """What `bin/agent` says on a clone without .venv when Python says it is 3.8 and PATH is `path` alone."""
    shutil.rmtree(checkout.root / ".venv")
    script = (
        "import runpy, sys; sys.version_info = (3, 8, 1); sys.argv = [sys.argv[1]];"
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-c", script, checkout.root / "bin" / "agent"],
        capture_output=True,
        check=False,
        env={"PATH": str(path)},
        text=True,
        timeout=DEADLINE_S,
    )


def test_a_python_that_is_too_old_says_what_is_needed_and_where_it_stands(checkout: Checkout, tmp_path: Path) -> None:
    done = pretend_old_python(checkout, path=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith(f"agent needs Python 3.11 or newer, found 3.8 at {sys.executable}.")


def test_a_python_that_is_too_old_hands_over_to_a_newer_one_on_the_path(checkout: Checkout, tmp_path: Path) -> None:
    checkout.lock("requirements.lock", "")
    newer = tmp_path / "path" / "python3.12"
    newer.parent.mkdir()
    newer.write_text('#!/bin/sh\necho "handed over: $*"\n[ "$1" != -c ] || exit 0\n')
    newer.chmod(0o755)
    (newer.parent / "python3.14").symlink_to("/nowhere")

    done = pretend_old_python(checkout, path=newer.parent)

    assert (done.returncode, done.stdout) == (0, f"handed over: {checkout.root}/bin/agent\n")


@pytest.fixture
def with_scan(checkout: Checkout) -> Checkout:
    """A clone that has the memory's search to build."""
    (checkout.root / CODES).mkdir(parents=True)
    shutil.copy(ROOT / CODES / "scan.c", checkout.root / CODES)
    shutil.copy(ROOT / "setup.py", checkout.root)
    (checkout.root / "pyproject.toml").write_text('[project]\nname = "remembrancer"\nversion = "0"\n')
    return checkout


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


def test_without_a_compiler_all_is_set_up_and_it_is_said_once(with_scan: Checkout) -> None:
    first, second = (with_scan.run("agent", CC="/nowhere/cc") for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert "was not compiled" in first.stderr
    assert "/nowhere/cc" in first.stderr
    assert second.stderr == ""
    assert libraries(with_scan) == []
