"""Real processes at the doors: as the sandbox runs them, and as another user."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.actors.socket.rig import BOB, Client, Rig
from tests.patience import PATIENCE_S

BWRAP = shutil.which("bwrap") or ""
DOOR = Path(__file__).parents[3] / "skills" / "door.py"
ASK = """
import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
import door
door.run(lambda: print(door.ask("look", query="tea", limit=1)))
"""
UNSHARED = [f"--unshare-{what}" for what in ("user", "pid", "net", "ipc", "uts")]
SANDBOX = [*UNSHARED, "--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv"]
VIEW = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"]


def works(*options: str) -> bool:
    return bool(BWRAP) and subprocess.run([BWRAP, *SANDBOX, *VIEW, *options, "--", "true"], check=False).returncode == 0


def run(argv: list[str], environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def in_bwrap(rig: Rig, door: Path, *argv: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run Python in a sandbox that sees one door and nothing else of the agent's."""
    hidden = ["--tmpfs", str(rig.root)]
    scripts = ["--ro-bind", str(DOOR), "/run/agent/door.py"]
    bound = ["--bind", str(door), "/run/agent.sock", "--setenv", "AGENT_SOCKET", "/run/agent.sock"]
    return run([BWRAP, *SANDBOX, *options, *VIEW, *hidden, *scripts, *bound, "--", sys.executable, "-Ic", *argv])


@pytest.mark.skipif(not works(), reason="bubblewrap does not work here")
@pytest.mark.parametrize("options", [(), ("--uid", "65534", "--gid", "65534"), ("--disable-userns",)])
def test_a_script_in_the_sandbox_gets_its_answer_whatever_uid_it_has_there(rig: Rig, options: tuple[str, ...]) -> None:
    done = in_bwrap(rig, rig.door(), ASK, "/run/agent", options=options)

    assert done.stderr == ""
    assert "'items': ['one']" in done.stdout
    assert done.returncode == 0


@pytest.mark.skipif(not works(), reason="bubblewrap does not work here")
def test_a_script_in_the_sandbox_reaches_no_other_door(rig: Rig) -> None:
    mine, others = rig.door(), rig.door(BOB)
    connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"

    done = in_bwrap(rig, mine, connect, str(others))

    assert "FileNotFoundError" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("name", ["door", "operator"])
def test_a_process_of_another_user_is_turned_away_even_if_the_file_system_lets_it_in(
    rig: Rig, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = rig.door() if name == "door" else rig.root / "agent.sock"
    for each in (path, path.parent, rig.root):
        each.chmod(0o777)
    stranger = (
        "import os, socket, sys\n"
        "os.setgid(12345); os.setuid(12345)\n"
        "door = socket.socket(socket.AF_UNIX); door.connect(sys.argv[1])\n"
        "try: print(door.recv(100))\n"
        "except ConnectionResetError: print(b'')\n"
    )

    done = run([sys.executable, "-Ic", stranger, str(path)])

    assert done.stdout == "b''\n", done.stderr
    assert "a process of uid 12345 connected to a control socket and was turned away" in caplog.text


BROKEN = "error: the agent closed the connection before it answered 'look'; it may still be done\n"


@pytest.mark.parametrize(
    ("answer", "code", "error"),
    [
        (b'{"id": 1, "ok": false, "error": "no such thing"}\n', 1, "error: no such thing\n"),
        (b"", 3, BROKEN),
        (b'{"id": 1, "ok": tr', 3, BROKEN),
    ],
)
def test_scripts_say_what_went_wrong(root: Path, answer: bytes, code: int, error: str) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(root / "a.sock"))
        listening.listen()
        script = subprocess.Popen(
            [sys.executable, "-I", "-c", ASK, str(DOOR.parent)],
            env={"AGENT_SOCKET": str(root / "a.sock")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        connection, _ = listening.accept()
        connection.recv(1000)
        connection.sendall(answer)
        connection.close()
        _, words = script.communicate(timeout=PATIENCE_S)

    assert (script.returncode, words) == (code, error)


def test_scripts_without_an_agent_say_so(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], str]] = [
        ({}, "error: AGENT_SOCKET is not set: this script works only in commands that the agent runs\n"),
        ({"AGENT_SOCKET": "/nowhere"}, "error: the agent cannot be reached at /nowhere: No such file or directory\n"),
    ]
    for environment, error in cases:
        with subtests.test(environment=environment, error=error):
            done = run([sys.executable, "-I", "-c", ASK, str(DOOR.parent)], environment)

            assert (done.returncode, done.stderr) == (3, error)


def test_the_rigs_client_and_the_scripts_speak_the_same_protocol(rig: Rig, keep: Callable[[Client], Client]) -> None:
    path = rig.door()

    done = run([sys.executable, "-I", "-c", ASK, str(DOOR.parent)], {"AGENT_SOCKET": str(path)})

    assert done.stdout.strip() == str(keep(Client(path)).ask("look", {"query": "tea", "limit": 1})["result"])
