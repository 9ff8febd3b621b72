from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from actors.shell.launch import (
    DEFAULT_PATH,
    Launch,
    bash_launch,
    command_environment,
    probe_bash,
    start,
)
from actors.shell.refused import RefusedError
from actors.shell.workplace import Workplace
from tests.actors.shell.bench import Bench, window

SECRETS = {
    "DISCORD_BOT_TOKEN": "t0ken",
    "GEMINI_API_KEY": "k1",
    "ANTHROPIC_API_KEY": "k2",
    "BRAVE_API_KEY": "k3",
    "BASH_ENV": "/tmp/x",
    "ENV": "/tmp/x",
    "LD_PRELOAD": "/tmp/x.so",
    "PYTHONPATH": "/tmp",
    "HOME": "/root",
    "SSH_AUTH_SOCK": "/tmp/agent",
}


def place(cwd: Path, home: Path) -> Workplace:
    return Workplace(cwd=cwd, home=home, output=home / "output")


def environment(tmp_path: Path, **inherited: str) -> dict[str, str]:
    workplace = place(tmp_path / "cwd", tmp_path / "home")
    return command_environment(inherited, workplace=workplace, window=window(), data_root=tmp_path)


def test_the_environment_holds_what_is_listed_here_and_nothing_else(tmp_path: Path) -> None:
    assert environment(tmp_path, PATH="/usr/bin:/bin", TZ="Europe/Vienna", **SECRETS) == {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "PWD": str(tmp_path / "cwd"),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "TZ": "Europe/Vienna",
        "AGENT_DATA_ROOT": str(tmp_path),
        "AGENT_WINDOW": f"discord-thread/{window().id}",
    }


def test_no_program_is_looked_for_relative_to_the_working_directory(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, path in enumerate(["", ".", ".:bin:", "::"]):
        with subtests.test(path=path):
            root = tmp_path / str(number)
            root.mkdir()
            assert environment(root, PATH=path)["PATH"] == DEFAULT_PATH
            assert environment(root, PATH=f"{path}:/bin:x")["PATH"] == "/bin"


@pytest.mark.req("X-139")
def test_a_command_sees_no_secret_of_the_agent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    names = {line.partition("=")[0] for line in bench.run("env").text.splitlines()}
    allowed = {"PATH", "HOME", "PWD", "LANG", "TERM", "NO_COLOR", "TZ", "AGENT_DATA_ROOT", "AGENT_WINDOW"}
    assert names - allowed == {"SHLVL", "_"}


def test_no_start_up_file_is_read(bench: Bench) -> None:
    bench.run("for f in .bashrc .bash_profile .profile .bash_login; do echo 'echo planted' > $f; done")
    assert bench.run("echo $0 $-; test $HOME = $PWD && echo at home").text.endswith("hBc\nat home")


def test_a_command_inherits_no_open_file_of_the_agent(bench: Bench, tmp_path: Path) -> None:
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        # Not by bash, which keeps some of its own.
        look = "import os\nfor n in range(1000):\n try: os.fstat(n)\n except OSError: continue\n print(n)"
        assert bench.run(f"exec python3 -I -S -c {shlex.quote(look)}").text.split() == ["0", "1", "2"]


def test_bash_gets_the_command_as_one_argument(tmp_path: Path) -> None:
    launch = bash_launch("/bin/bash", "echo 'a b'; $(x)", place(tmp_path, tmp_path), {})
    assert launch.argv == ("/bin/bash", "--noprofile", "--norc", "-c", "echo 'a b'; $(x)")


def test_a_missing_directory_is_told_apart_from_a_missing_program(tmp_path: Path) -> None:
    gone = Launch(argv=("/bin/bash",), environment={}, cwd=tmp_path / "gone")
    with pytest.raises(RefusedError, match=f"^Working directory does not exist: {tmp_path / 'gone'}$"):
        start(gone, 1)
    with pytest.raises(RefusedError, match=r"could not be started.*No such file"):
        start(Launch(argv=("/no/bash",), environment={}, cwd=tmp_path), 1)


def test_a_bash_that_runs_is_found() -> None:
    found = probe_bash()
    assert found is not None
    assert Path(found).name == "bash"


def test_what_is_missing_is_no_program_or_is_no_bash_is_not_found(tmp_path: Path) -> None:
    fake = tmp_path / "fake"
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    broken = tmp_path / "broken"
    broken.write_text("#!/no/interpreter\n")
    broken.chmod(0o755)
    plain = tmp_path / "plain"
    plain.touch()
    assert probe_bash(("/no/bash", "no-such-bash", str(tmp_path), str(plain), str(fake), str(broken))) is None
    assert probe_bash((str(fake), "bash")) == probe_bash(("bash",)) is not None
