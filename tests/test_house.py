from __future__ import annotations

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests import schedule
from tests.patience import PATIENCE_S
from tests.test_imports import PACKAGES, roots_imported_by

ROOT = Path(__file__).parent.parent
COMMANDS = ("agent", "agent-cli", "agent-load", "lock", "test")
READ_BY_ANY_PYTHON_3 = (*COMMANDS, "_checkout.py", "_launch.py")
SAID_TO_SH = [
    "IFS=: found= && set -f",
    "for folder in $PATH; do case $folder in /*) found=$found:$folder ;; esac; done",
    "PATH=${found#:} && PATH=${PATH:-/usr/bin:/bin}",
    "unset BASH_ENV ENV",
    'exec python3 -I "$0" "$@"',
]
LOCKS = ("requirements.lock", "requirements-dev.lock")
ELSEWHERE = {
    "dbos": {"lab/bench/durable/dbos_peer.py"},
    "durabl": {"lab/bench/durable/durabl_peer.py"},
    "matplotlib": {"lab/load/plot.py"},
    "onnxruntime": {"actors/facts/reranking/cross_encoder.py"},
    "opentelemetry": {"actors/observer/tracing/exporting.py"},
    "ray": {"actors/cluster/ray_pool.py"},
    "xllamacpp": {"actors/local_model/child.py", "lab/bench/encoder_engine.py"},
}
"""Libraries of extras (a reranker, plots, traces, hosts, local models), and of a benchmark's peers."""
RUNTIME_FOLDERS = (
    "approvals/",
    "attachments/",
    "logs/",
    "views/",
    "redacted/",
    "memory/",
    "work/",
    "output/",
    "sockets/",
    "reminders/",
    "skills/",
    "codes/",
)
"""Of the data root, which faces name as well."""
STARTUP_FILES = {"distutils-precedence.pth"}
"""Files that run at every start of Python, each known: setuptools', which Python 3.11 puts into every new .venv."""


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def locked_lines(lock: str) -> list[str]:
    """The requirements of `lock`, each with its options on one line."""
    text = re.sub(r"\\\n\s*", "", (ROOT / lock).read_text())
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def installed_names(lines: list[str], python: str) -> list[str]:
    """Names of what is installed from `lines` on this machine if its Python were `python`, e.g. `3.11.0`."""
    requirements = [Requirement(line.split(" --hash")[0].strip()) for line in lines]
    place = {"python_full_version": python, "python_version": ".".join(python.split(".")[:2])}
    return [wanted.name for wanted in requirements if wanted.marker is None or wanted.marker.evaluate(place)]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_one_version_on_each_python_and_its_hashes(lock: str) -> None:
    lines = locked_lines(lock)

    pinned = re.compile(r"[a-z0-9-]+==\S+( ; .+?)?\s*(--hash=sha256:[0-9a-f]{64}\s*)+")
    assert [line[:60] for line in lines if not pinned.fullmatch(line)] == []
    for python in ("3.11.0", "3.11.9", "3.12.0", "3.13.1", "3.14.0"):
        names = installed_names(lines, python)
        assert len(names) == len(set(names)) > 10, python


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_index_and_no_path_of_the_machine_that_wrote_them(lock: str) -> None:
    text = (ROOT / lock).read_text()

    assert [word for word in ("://", "--index-url", "--find-links", "file:", "/home", "/root") if word in text] == []


def modules_of(requirement: str) -> set[str]:
    """Top-level modules of an installed package; none of a missing package."""
    try:
        installed = distribution(Requirement(requirement).name)
    except PackageNotFoundError:
        return set()
    if modules := (installed.read_text("top_level.txt") or "").split():
        return set(modules)
    return {file.parts[0].partition(".")[0] for file in installed.files or () if file.suffix in (".py", ".so")}


def undeclared_packages(folders: tuple[str, ...], requirements: list[str]) -> dict[str, set[str]]:
    """Packages that `folders` import and `requirements` do not name -> the files that import them."""
    declared = set[str]().union(*map(modules_of, requirements))
    return {
        module: files
        for module, files in roots_imported_by(*folders).items()
        if module not in {*sys.stdlib_module_names, *PACKAGES, "tests", *declared}
    }


@pytest.mark.req("C-02")
@pytest.mark.slow
def test_every_package_that_is_imported_is_declared() -> None:
    project, dev = pyproject()["project"], pyproject()["dependency-groups"]["dev"]
    run = [
        *project["dependencies"],
        *project["optional-dependencies"]["local"],
    ]

    missing = undeclared_packages(PACKAGES, run)
    assert {name: files for name, files in missing.items() if files != ELSEWHERE.get(name)} == {}
    assert undeclared_packages(("tests",), run + dev) == {}


def test_the_locks_are_refreshed_with_a_week_of_delay() -> None:
    assert '"--exclude-newer", "7 days"' in (ROOT / "bin" / "lock").read_text()


def test_nothing_unlisted_runs_at_every_start_of_python() -> None:
    folders = {Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")}
    files = {file.name for folder in folders for file in folder.glob("*.pth")}

    assert files - STARTUP_FILES == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_executable_and_asks_for_any_python_3_that_is_isolated(name: str) -> None:
    command = ROOT / "bin" / name
    said_to_sh = command.read_text().split("\n\n")[1].removesuffix('\n"""').splitlines()

    assert os.access(command, os.X_OK)
    assert command.read_text().startswith('#!/bin/sh\n""":" # ')
    assert [line.partition(" # ")[0] for line in said_to_sh] == SAID_TO_SH


@pytest.mark.req("C-21", "X-137")
def test_every_file_in_bin_is_known_here() -> None:
    files = {path.name for path in (ROOT / "bin").iterdir() if path.is_file()}

    assert files == {
        *READ_BY_ANY_PYTHON_3,
        "_environment.py",
        "_extension.py",
        "_stamp.py",
        "_terminal.py",
        "overrides.txt",
    }


def test_commands_can_be_read_by_a_python_that_is_too_old_to_run_them(subtests: pytest.Subtests) -> None:
    for name in READ_BY_ANY_PYTHON_3:
        with subtests.test(name=name):
            tree = ast.parse((ROOT / "bin" / name).read_text(), feature_version=(3, 6))

            annotations = [node.annotation for node in ast.walk(tree) if isinstance(node, ast.arg | ast.AnnAssign)]
            returns = [node.returns for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
            unquoted = [
                ast.unparse(node) for node in (*annotations, *returns) if isinstance(node, ast.Subscript | ast.BinOp)
            ]
            futures = [
                node.module
                for node in ast.walk(tree)
                if isinstance(node, ast.ImportFrom)
                if node.module == "__future__"
            ]
            assert unquoted == []
            assert futures == [], "Python 3.6 knows no future annotations"


@pytest.mark.req("S0-151")
@pytest.mark.parametrize("path", ["/.venv", "/data/", "__pycache__/", ".env", "agent.toml"])
def test_git_ignores_what_is_made_or_secret(path: str) -> None:
    assert path in (ROOT / ".gitignore").read_text().splitlines()


@pytest.mark.req("C-15", "X-126")
def test_setup_cfg_holds_import_contracts_and_nothing_else() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / "setup.cfg")

    assert [name for name in contracts.sections() if name.split(":")[0] != "importlinter"] == []
    assert "importlinter" not in pyproject()["tool"]


def test_ci_runs_every_check(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "ruff check",
        "ruff format --check",
        "-m mypy",
        "lint_imports_command()",
        "bin/agent simulate",
        "bin/lock --check",
        "bin/test",
    ]
    for step in cases:
        with subtests.test(step=step):
            lines = (ROOT / ".ci" / "suite").read_text().splitlines()

            assert [line for line in lines if step in line and not line.startswith(("#", "printf"))] != []


def test_faces_name_files_that_exist() -> None:
    """A name in a package's docstring such as `x.py` or `x/` lies in it, or is named from the root or its parent."""
    lost = []
    for face in sorted(ROOT.glob("*/**/__init__.py")):
        if face.relative_to(ROOT).parts[0] not in PACKAGES:
            continue
        text = ast.get_docstring(ast.parse(face.read_text())) or ""
        for name in re.findall(r"`([\w/]+(?:\.py|/))`", text):
            bases = (face.parent, face.parent.parent, ROOT)
            if not any((base / name).exists() for base in bases) and not name.startswith(RUNTIME_FOLDERS):
                lost.append(f"{face.relative_to(ROOT)}: {name}")
    assert lost == []


@pytest.mark.req("C-14")
def test_pytest_is_as_strict_as_the_house_says() -> None:
    options = pyproject()["tool"]["pytest"]["ini_options"]

    assert options["filterwarnings"][0] == "error"
    assert "--strict-markers" in options["addopts"]
    assert options["empty_parameter_set_mark"] == "fail_at_collect", "or a test without a case is skipped unseen"
    assert "no:randomly" not in str(options["addopts"])
    assert 2 * PATIENCE_S <= options["timeout"] <= 600, "beyond every wait of a test: a busy machine is slow, not wrong"


def test_mypy_checks_every_package_strictly() -> None:
    mypy = pyproject()["tool"]["mypy"]

    assert mypy["strict"] is True
    assert {"actors", "domain", "messages", "tests"} <= set(mypy["files"])
    assert [override["module"] for override in mypy["overrides"] if "ignore_errors" in override] == []


def test_what_tells_the_tests_apart_names_files_that_are_there() -> None:
    assert [
        place
        for place in (*schedule.UNITS, *schedule.WHOLE, *schedule.IN_MEMORY, *schedule.REAL)
        if not (ROOT / place).exists()
    ] == []
    assert set(schedule.FIRST) - {place for place in schedule.FIRST if (ROOT / place).exists()} <= {
        *schedule.UNITS.values()
    }


@pytest.mark.req("C-17", "C-20")
def test_tests_mirror_the_tree() -> None:
    """The tests of a room stand in the folder of its name."""
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}

    rooms = [folder for folder in folders if folder.parts and folder.parts[0] in PACKAGES]
    assert len(rooms) > 20
    assert [str(folder) for folder in rooms if not (ROOT / folder).is_dir()] == []


@pytest.mark.req("C-16")
def test_the_project_can_be_installed(tmp_path: Path) -> None:
    """Its metadata is what pip asks for first; to build it whole takes a compiler and a minute."""
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".*", "data", "tests", "docs", "__pycache__"))
    code = "from setuptools import build_meta; print(build_meta.prepare_metadata_for_build_wheel('made'))"
    (checkout / "made").mkdir()
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    metadata = (checkout / "made" / done.stdout.splitlines()[-1] / "METADATA").read_text("utf-8")
    assert "Name: remembrancer\n" in metadata
    assert "Requires-Dist: pykka" in metadata
