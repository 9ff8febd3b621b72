"""Fixtures of the commands' tests: checkouts that are set up."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.launch.checkout import CLI, CODES, DEADLINE_S, ENCODER, PYTEST, ROOT, Checkout, repack_wheel, write_wheel

Ends = list[tuple[int, str, str]]


@pytest.fixture(scope="package")
def first_two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, Ends]:
    """A clone in which two commands were started at once, and how each of them ended."""
    place = tmp_path_factory.mktemp("launch")
    checkout = Checkout(place / "clone", place / "wheels")
    checkout.wheels.mkdir()
    shutil.copytree(ROOT / "bin", checkout.root / "bin", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("actors/cli.py", "lab/commands.py"):  # what bin/agent-cli imports, and what bin/agent does
        (checkout.root / name).parent.mkdir()
        (checkout.root / name).write_text(CLI)
    checkout.lock(
        "requirements.lock",
        write_wheel(checkout.wheels, "tiny", "1.0", "VERSION = 1") + repack_wheel(checkout.wheels, "setuptools"),
    )
    checkout.lock("requirements-dev.lock", write_wheel(checkout.wheels, "pytest", "1.0", PYTEST))
    processes = [checkout.start("agent", "hello") for _ in range(2)]
    outputs = [process.communicate(timeout=DEADLINE_S) for process in processes]
    return checkout, [(process.returncode, *output) for process, output in zip(processes, outputs, strict=True)]


@pytest.fixture
def checkout(first_two: tuple[Checkout, Ends], tmp_path: Path) -> Checkout:
    """A clone that is set up; moving it does not undo that."""
    ready = first_two[0]
    shutil.copytree(ready.root, tmp_path / "clone", symlinks=True)
    shutil.copytree(ready.wheels, tmp_path / "wheels")
    return Checkout(tmp_path / "clone", tmp_path / "wheels")


@pytest.fixture
def with_scan(checkout: Checkout) -> Checkout:
    """A clone that has the memory's search and the local model's vectors to build."""
    for folder in (CODES, ENCODER):
        (checkout.root / folder).mkdir(parents=True)
        for source in (ROOT / folder).glob("*.[ch]"):
            shutil.copy(source, checkout.root / folder)
    shutil.copy(ROOT / "setup.py", checkout.root)
    (checkout.root / "pyproject.toml").write_text(
        '[project]\nname = "remembrancer"\nversion = "0"\n[tool.setuptools]\npackages = []\n'
    )
    return checkout
