"""The wheel, built and installed by the commands of the image, and used where there is no checkout."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from http.cookiejar import CookieJar
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from tests.deploy.dockerfile import PLACE, ROOT, commands, stages
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * PATIENCE_S)]

PACKAGES = ("actors", "domain", "lab", "messages", "skills")
OF_THE_LAB = (
    "lab/__init__.py",
    "lab/discord_json.py",
    "lab/listener.py",
    "lab/loopback_speech/",
    "lab/playground/",
    "lab/py.typed",
)
COMPILED = {f"actors/{name}{EXTENSION_SUFFIXES[0]}" for name in ("embedder/encoder/_forward", "memory/codes/_scan")}
DOCUMENTS = ("docs/", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/remembrancer.service")
SHARE = "share/doc/remembrancer"
LOCKED = "-r /build/requirements.lock"


def tracked_files(*beginnings: str) -> set[str]:
    """Files that git knows and that are there."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return {name for name in listed.split("\0") if name.startswith(beginnings) and (ROOT / name).is_file()}


@dataclass(frozen=True)
class Installed:
    """An environment that has the wheel, and no file of the checkout's."""

    place: Path
    wheel: Path
    home: Path

    @property
    def packages(self) -> Path:
        version = "python{}.{}".format(*sys.version_info)
        return self.place / "lib" / version / "site-packages"

    def environment(self, *folders: Path) -> dict[str, str]:
        """That of a person with a home of their own; `folders` come first in PATH."""
        return {"HOME": str(self.home), "PATH": os.pathsep.join([*map(str, folders), os.defpath, "/usr/local/bin"])}

    def run(self, program: str, *arguments: str, code: int = 0, folders: tuple[Path, ...] = ()) -> str:
        """Words of a command of the wheel on stdout; `code` is its exit code."""
        done = subprocess.run(
            [self.place / "bin" / program, *arguments],
            cwd=self.home,
            env=self.environment(*folders),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    def state(self) -> dict[str, tuple[int, int]]:
        """Size and time of everything in the environment."""
        files = ((path, path.lstat()) for path in self.place.rglob("*"))
        return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in files}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Made as the image is, but that what requirements.lock names is taken from the tests' own environment."""
    top = tmp_path_factory.mktemp("wheel")
    place, source, made = top / "environment", top / "source", top / "dist"
    for name in tracked_files(""):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name)
    home = top / "home"
    home.mkdir()
    for name in ("actors", "discord", "json", "messages"):
        (home / f"{name}.py").write_text("raise SystemExit('a module of the folder that one stands in was imported')\n")
    places = {f"{PLACE}/bin/pip": f"{place}/bin/python -m pip", PLACE: place, "/build": source, "/dist": made}
    steps = [step for step in commands(stages()[0]) if re.match(rf"python |{PLACE}", step)]
    for step in steps:
        if step.endswith(LOCKED):
            theirs = sysconfig.get_path("purelib")
            (Installed(place, made, home).packages / "locked.pth").write_text(f"{theirs}\n")
            continue
        words = shlex.split(re.sub("|".join(map(re.escape, places)), lambda found: str(places[found[0]]), step))
        if words[:3] == ["python", "-m", "venv"]:
            words[:3] = [sys.executable, "-I", "-m", "venv", "--without-pip"]  # pip comes from the tests', too
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PIP_CONFIG_FILE": os.devnull}
        done = subprocess.run(
            words, cwd="/", env=environment, capture_output=True, text=True, check=False, timeout=2 * PATIENCE_S
        )
        assert done.returncode == 0, (step, done.stdout[-2000:], done.stderr[-2000:])
    (wheel,) = made.iterdir()
    return Installed(place, wheel, home)


@pytest.fixture
def fixed_installation(installation: Installed) -> Iterator[Installed]:
    """The installation; no use may change a file of it."""
    before = installation.state()
    yield installation
    after = installation.state()
    assert sorted(before.items() ^ after.items()) == []


def test_the_wheel_has_what_git_has_of_its_packages_and_of_the_lab_only_what_try_needs(installation: Installed) -> None:
    names = zipfile.ZipFile(installation.wheel).namelist()
    info = installation.wheel.name.partition("-cp")[0]
    code = {name for name in names if not name.startswith(f"{info}.")}
    documents = {name.partition(f"{SHARE}/")[2] for name in names if name.startswith(f"{info}.data/")}

    others = (f"{package}/" for package in PACKAGES if package != "lab")
    assert code - COMPILED == tracked_files(*others, *OF_THE_LAB)
    assert (code & COMPILED == COMPILED) or shutil.which("cc") is None
    assert documents == tracked_files(*DOCUMENTS)


def test_types_are_there_for_who_imports_it(installation: Installed) -> None:
    assert [name for name in PACKAGES[:4] if not (installation.packages / name / "py.typed").is_file()] == []


@pytest.mark.req("X-193")
def test_its_commands_start_anywhere_and_answer(fixed_installation: Installed) -> None:
    script = fixed_installation.packages / "skills" / "reminders" / "scripts" / "reminders.py"

    assert fixed_installation.run("agent", "--version") == "remembrancer, version 0.1.0\n"
    tried = fixed_installation.run("agent", "try", "--say", "hello", "--say", f"run: python3 -I {script} list")
    assert "I have read “hello”" in tried
    assert "There are no reminders." in tried
    assert "I have read “hello”" in fixed_installation.run("agent-cli", "--model", "offline", "hello")
    fixed_installation.run("agent", "bench", "kernel", code=2)
    assert not (fixed_installation.place / "bin" / "agent-load").exists()
    assert fixed_installation.run("agent", "setup", "--help").startswith("Usage: agent setup ")
    assert "model.name" in fixed_installation.run("agent", "config")
    fixed_installation.run("agent", "status", code=1)
    assert (fixed_installation.home / "data" / "playground" / "logs").is_dir()


def test_doctor_finds_the_skills_that_came_with_it_and_names_the_command_as_it_was_started(
    fixed_installation: Installed,
) -> None:
    shutil.rmtree(fixed_installation.home / "data", ignore_errors=True)
    (fixed_installation.home / "data").mkdir(mode=0o700)
    checks = {row["name"]: row for row in json.loads(fixed_installation.run("agent", "doctor", "--json"))["checks"]}
    by_path = fixed_installation.run("agent", "doctor")
    by_name = fixed_installation.run("agent", "doctor", folders=(fixed_installation.place / "bin",))
    shutil.rmtree(fixed_installation.home / "data")  # another test's agent makes its own

    assert str(fixed_installation.packages / "skills" / "memory-search") in checks["skills"]["detail"]
    if shutil.which("cc") is not None:
        assert checks["search"]["detail"].startswith("compiled")
    assert f"(`{fixed_installation.place}/bin/agent doctor --fix` does it)" in by_path
    assert "(`agent doctor --fix` does it)" in by_name


def test_both_pages_are_served_whole(fixed_installation: Installed) -> None:
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
    )
    with subprocess.Popen(
        [fixed_installation.place / "bin" / "agent", "try", "--port", "0", "--no-browser"],
        cwd=fixed_installation.home,
        env=fixed_installation.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[1]
            for url, room in ((address, "lab/playground"), (f"{address.partition('?')[0]}observer", "actors/observer")):
                with opener.open(url, timeout=PATIENCE_S) as answer:
                    assert answer.read() == (ROOT / room / "page" / "index.html").read_bytes()
                    place = answer.url.partition("?")[0]
                for name in tracked_files(f"{room}/page/"):
                    if not name.endswith(".html"):
                        with opener.open(f"{place}page/{Path(name).name}", timeout=PATIENCE_S) as answer:
                            assert answer.read() == (ROOT / name).read_bytes()
        finally:
            process.terminate()
            assert process.wait(PATIENCE_S) == 0
