"""The commands in folders that others have filled, with variables that others have set."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from tests.launch.checkout import BY_PYTHON, DEADLINE_S, ROOT, WITH_THIS_PYTHON, Checkout
from tests.trusted import write_settings

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * DEADLINE_S)]


PROGRAMS = (
    *("as", "bash", "bwrap", "cc", "cc1", "clang", "collect2", "gcc", "git", "ld", "python", "python3"),
    *("python3.11", "python3.12", "python3.13", "python3.14", "sh"),
)
COMMANDS = ("agent", "agent-cli", "agent-load", "lock", "test")
PIP_SETTINGS = ("pip.conf", "pip/pip.conf", "home/.config/pip/pip.conf", "home/.pip/pip.conf")


@cache
def installed() -> frozenset[str]:
    """Names of all that is installed here, which takes half a second to list."""
    return frozenset(metadata.packages_distributions())


@dataclass
class Trap:
    """A folder in which everything that Python or a set-up might look for would leave its name in `marker`."""

    folder: Path
    marker: Path

    def set(self) -> None:
        self.folder.mkdir()
        libraries = {"conftest", "sitecustomize", "usercustomize", "tiny", *installed()}
        packages = {"actors", "domain", "lab", "messages", "skills", "tests"}
        for name in sorted(sys.stdlib_module_names | libraries | packages):
            if "/" not in name:
                source = f"with open({str(self.marker)!r}, 'a') as marker: marker.write(__name__ + ' ')\n"
                (self.folder / f"{name}.py").write_text(source)
        for name in (*PROGRAMS, "keyring", "evil"):
            program = self.folder / name
            program.write_text(f"#!/bin/sh\necho {name} >> '{self.marker}'\n")
            program.chmod(0o755)
        for name in PIP_SETTINGS:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(f"[global]\npython = {self.folder}/evil\n")
        (self.folder / "home" / ".pydistutils.cfg").write_text("[build_ext]\nlink_objects = /nowhere/evil.o\n")
        os.mkfifo(self.folder / "openssl.cnf")  # who reads it waits in vain
        (self.folder / "pytest.ini").write_text("[pytest]\naddopts = -p antigravity\n")
        (self.folder / "setup.cfg").write_text("[easy_install]\nfind_links = /nowhere\n")

    def sprung(self) -> str:
        """What ran."""
        return self.marker.read_text() if self.marker.exists() else ""

    def environment(self) -> dict[str, str]:
        """What leads Python, pip and the search for programs into the folder."""
        here = str(self.folder)
        python = {"PYTHONPATH": f":{here}", "PYTHONSTARTUP": f"{here}/abc.py", "PYTHONUSERBASE": here}
        itself = {"PYTHONEXECUTABLE": f"{here}/python3", "__PYVENV_LAUNCHER__": f"{here}/python3"}
        caches = {"PYTHONPYCACHEPREFIX": here, "PYTHONINSPECT": "1", "PYTHONBREAKPOINT": "antigravity.x"}
        loose = {"PIP_REQUIRE_HASHES": "0", "PIP_NO_BINARY": ":all:", "PIP_NO_DEPS": "0", "PIP_USER": "1"}
        aimed = {"PIP_TARGET": f"{here}/target", "PIP_PREFIX": f"{here}/prefix", "PIP_LOG": f"{here}/pip.log"}
        settings = {
            "PIP_CONFIG_FILE": f"{here}/pip.conf",
            "XDG_CONFIG_HOME": here,
            "XDG_CONFIG_DIRS": here,
            "HOME": f"{here}/home",
        }
        keyring = {"PIP_KEYRING_PROVIDER": "subprocess", "PIP_PYTHON": f"{here}/evil", "PIP_NO_CACHE_DIR": "1"}
        compiler = {
            "CC": f"{here}/evil",
            "LDSHARED": f"{here}/evil",
            "COMPILER_PATH": here,
            "GCC_EXEC_PREFIX": f"{here}/",
        }
        flags = dict.fromkeys(("CFLAGS", "CPPFLAGS", "LDFLAGS"), f"-B{here}")
        libraries = {"OPENSSL_CONF": f"{here}/openssl.cnf", "OPENSSL_MODULES": here, "GCONV_PATH": here}
        programs = {"PATH": f".::{WITH_THIS_PYTHON['PATH']}:trap:", "BASH_ENV": f"{here}/evil"}
        return {
            **python, **itself, **caches, **loose, **aimed, **settings, **keyring, **compiler, **flags, **libraries, **programs
        }  # fmt: skip


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    made = Trap(tmp_path / "trap", tmp_path / "marker")
    made.set()
    return made


def test_the_trap_works(trap: Trap) -> None:
    (trap.folder / "importlib.py").unlink()  # which -m itself needs, as it does contextlib
    for command in (["-m", "venv"], ["-c", "import json"]):
        subprocess.run([sys.executable, *command], cwd=trap.folder, check=False, timeout=DEADLINE_S)

    assert {"contextlib", "json"} <= set(trap.sprung().split())


@pytest.mark.parametrize("python", [(), BY_PYTHON], ids=["bin/agent", "python3 bin/agent"])
def test_a_first_start_from_a_folder_full_of_modules_runs_none_of_them(
    with_scan: Checkout, trap: Trap, python: tuple[str, ...]
) -> None:
    shutil.rmtree(with_scan.root / ".venv")

    started = with_scan.run("agent", cwd=trap.folder, python=python, **WITH_THIS_PYTHON)
    tested = with_scan.run("test", cwd=trap.folder, python=python, **WITH_THIS_PYTHON)

    assert (started.returncode, started.stdout) == (0, "agent 1\n"), started.stderr
    assert tested.returncode == 0, tested.stderr
    assert trap.sprung() == ""


def test_no_variable_leads_a_first_start_to_code_of_a_folder(with_scan: Checkout, trap: Trap) -> None:
    shutil.rmtree(with_scan.root / ".venv")
    before = sorted(trap.folder.iterdir())

    started = with_scan.run("agent", cwd=trap.folder, python=(), **trap.environment())
    again = with_scan.run("agent", cwd=trap.folder, python=(), **trap.environment())

    assert (started.returncode, started.stdout) == (0, "agent 1\n"), started.stderr
    assert (again.returncode, again.stdout, again.stderr) == (0, "agent 1\n", "")
    assert ("not compiled" in started.stderr) == (shutil.which("cc") is None)
    assert trap.sprung() == ""
    assert sorted(trap.folder.iterdir()) == before


@pytest.mark.parametrize("path", [":", "{folder}:/usr/bin", ".:", "", "sub/..:."], ids=ascii)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_looks_for_python_where_the_user_stands(trap: Trap, tmp_path: Path, path: str, command: str) -> None:
    """What the system has is found then, and the folder's own only where PATH names it in full."""
    shutil.copytree(ROOT / "bin", tmp_path / "bin")
    (tmp_path / "bin" / "_launch.py").write_text("raise SystemExit(0)")
    (trap.folder / "sub").mkdir()
    Checkout(tmp_path, tmp_path).run(command, cwd=trap.folder, python=(), PATH=path.format(folder=trap.folder))

    assert (trap.sprung() != "") == path.startswith("{folder}")


def test_a_python_that_is_a_script_runs_no_file_that_a_variable_names(trap: Trap, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bin", tmp_path / "bin")
    (tmp_path / "shims").mkdir()
    (tmp_path / "shims" / "python3").write_text(f'#!/bin/bash\nexec {sys.executable} "$@"\n')
    (tmp_path / "shims" / "python3").chmod(0o755)
    (tmp_path / "bin" / "_launch.py").write_text("raise SystemExit(0)")
    path = f"{tmp_path}/shims:{os.environ['PATH']}"
    for command in COMMANDS:
        environment = {"PATH": path, "BASH_ENV": f"{trap.folder}/evil", "ENV": f"{trap.folder}/evil"}
        Checkout(tmp_path, tmp_path).run(command, cwd=trap.folder, python=(), **environment)

    assert trap.sprung() == ""


def test_a_set_up_that_python_itself_starts_imports_nothing_from_pythonpath(checkout: Checkout, trap: Trap) -> None:
    ours = {"argparse", "contextlib", "hashlib", "pip", "shlex", "shutil", "subprocess", "tempfile", "venv"}
    for module in trap.folder.glob("*.py"):
        if module.stem not in ours:  # Python imports some before any line of ours
            module.unlink()
    shutil.rmtree(checkout.root / ".venv")

    started = checkout.run("agent", cwd=trap.folder, PYTHONPATH=str(trap.folder))

    assert (started.returncode, started.stdout) == (0, "agent 1\n"), started.stderr
    assert trap.sprung() == ""


@pytest.mark.parametrize(
    "command",
    [
        ("agent", "--version"),
        ("agent", "doctor"),
        ("agent", "config"),
        ("agent", "logs", "check", "."),
        ("agent", "reminders", "list"),
        ("agent", "memory", "search", "x"),
        ("agent", "run"),
        ("agent", "try", "--say", "run: echo $((7919*7919))"),
        ("agent", "bench", "shell", "--help"),
        ("agent-cli", "run: echo $((7919*7919))"),
        ("agent-load", "--threads", "1", "--turns", "1", "--model-latency-ms", "0"),
        ("test", "--version"),
    ],
    ids=" ".join,
)
def test_the_agent_runs_nothing_of_the_folder_that_it_is_started_in(
    trap: Trap, tmp_path: Path, command: tuple[str, ...]
) -> None:
    write_settings(tmp_path, "[shell]\nsandbox = 'none'\n")
    home = {"AGENT_HOME": str(tmp_path / "data"), "AGENT_CONFIG": str(tmp_path / "agent.toml")}
    real = Checkout(ROOT, tmp_path)

    done = real.run(*command, cwd=trap.folder, python=(), **(trap.environment() | home))

    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert trap.sprung() == ""
    assert ("62710561" in done.stdout) == ("$((7919*7919))" in command[-1])
