"""What the operator lets commands have, and what happens where it cannot be had."""

from __future__ import annotations

import shlex
import socket
from pathlib import Path

import pytest

from actors.shell.config import ShellConfig
from messages.base import Address, RequestId
from messages.socket import DoorOpen, OpenDoor, Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.shell.bench import CLI, SHELL, Bench, level, window
from tests.patience import PATIENCE_S


def python(script: str) -> str:
    """A command that runs `script`."""
    return f"python3 -I -S -c {shlex.quote(script)}"


def test_a_wrapper_that_vanishes_is_a_refusal_and_never_a_bare_command(tmp_path: Path) -> None:
    if level("bwrap").refusal:
        pytest.skip(level("bwrap").refusal)
    binary = tmp_path / "bwrap"
    binary.symlink_to("/usr/bin/bwrap")
    jail = Bench(tmp_path / "data", sandbox="bwrap", bwrap=str(binary))
    assert jail.run("echo ran").text == "ran"
    binary.unlink()
    reason = jail.refusal(jail.ask("touch ran"))
    assert "The sandbox cannot be started, so nothing was run" in reason
    binary.write_text("#!/bin/sh\necho bwrap: no user namespaces; exit 1\n")
    binary.chmod(0o755)
    assert "bwrap: no user namespaces" in jail.refusal(jail.ask("touch ran"))
    assert not (jail.workdir() / "ran").exists()
    jail.system.stop()


def test_where_no_sandbox_works_every_command_is_refused_with_the_reason(tmp_path: Path) -> None:
    jail = Bench(tmp_path, sandbox="bwrap", bwrap="no-such-bwrap")
    for _ in range(2):
        assert "no sandbox works here: bubblewrap is not installed" in jail.refusal(jail.ask("touch ran"))
    assert not (jail.workdir() / "ran").exists()
    jail.system.stop()


def test_without_bubblewrap_landlock_does_it_and_says_why(tmp_path: Path) -> None:
    if level("landlock").refusal:
        pytest.skip(level("landlock").refusal)
    jail = Bench(tmp_path, sandbox="auto", bwrap="no-such-bwrap")
    jail.system.tell(SHELL, DescribeYourself(request_id=RequestId("d"), reply_to=jail.edge.address))
    said = jail.edge.receive(PATIENCE_S)
    assert isinstance(said, SelfDescription)
    figures = dict(said.figures)
    assert str(figures["sandbox"]).startswith("Landlock ABI ")
    assert str(figures["sandbox"]).endswith(": bubblewrap is not installed")
    assert (figures["network"], figures["commands_running"], figures["commands_waiting"]) == ("off", 0, 0)
    jail.system.stop()


def test_the_control_socket_is_the_one_way_out(tmp_path: Path, sandbox: str) -> None:
    path = tmp_path / "doors" / "unguessable.sock"
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        jail = Bench(tmp_path / "data", sandbox=sandbox, door=Address("edge", "door"))
        door = jail.system.edge("door")
        ask = "import os, socket; s = socket.socket(1); s.connect(os.environ['AGENT_SOCKET']); s.send(b'hello'); print(s.recv(9))"
        request_id = jail.ask(python(ask))
        request = door.receive(PATIENCE_S)
        assert isinstance(request, OpenDoor)
        assert request.window == window()
        jail.system.tell(request.reply_to, DoorOpen(request_id=request.request_id, path=str(path), open_s=0.0))
        server.settimeout(20)
        end, _ = server.accept()
        with end:
            assert end.recv(9) == b"hello"
            end.send(b"welcome")
        assert jail.result(request_id).text == "b'welcome'"
        jail.system.stop()


@pytest.mark.slow
def test_without_a_door_the_command_runs_all_the_same(tmp_path: Path, sandbox: str) -> None:
    jail = Bench(tmp_path / "data", sandbox=sandbox, door=Address("edge", "door"))
    door = jail.system.edge("door")
    refused = jail.ask("echo ${AGENT_SOCKET-unset}")
    request = door.receive(PATIENCE_S)
    assert isinstance(request, OpenDoor)
    jail.system.tell(request.reply_to, Refused(request_id=request.request_id, reason="no"))
    assert jail.result(refused).text == "unset"
    unanswered = jail.ask("echo ${AGENT_SOCKET-unset}")
    assert jail.result(unanswered).text == "unset"
    jail.system.stop()


def test_skills_can_be_read_and_run_and_nothing_else(tmp_path: Path, sandbox: str) -> None:
    skill = tmp_path / "skills" / "greet"
    skill.mkdir(parents=True)
    (skill / "greet.sh").write_text("#!/bin/bash\necho hello\n")
    (skill / "greet.sh").chmod(0o755)
    jail = Bench(tmp_path / "data", sandbox=sandbox, skill_roots=(tmp_path / "skills", tmp_path / "missing"))
    assert jail.run(f"{skill}/greet.sh; bash {skill}/greet.sh").text == "hello\nhello"
    assert jail.run(f"echo x >> {skill}/greet.sh").is_error
    assert jail.run(f"touch {skill}/new").is_error
    jail.system.stop()


@pytest.mark.parametrize("scope", ["context", "audience"])
def test_only_the_logs_that_a_window_may_read_are_there(tmp_path: Path, sandbox: str, scope: str) -> None:
    data = tmp_path / "data"
    for number in (0, 1, 2):
        folder = data / "logs" / "discord-thread" / window(number).id
        folder.mkdir(parents=True)
        (folder / "a.md").write_text(f"said in {number}\n")
    view = data / "views" / "1-2" / "discord-thread" / window(1).id
    view.mkdir(parents=True)
    (view / "a.md").hardlink_to(data / "logs" / "discord-thread" / window(1).id / "a.md")
    jail = Bench(data, sandbox=sandbox, scope=scope)
    look = " ".join(f"logs/discord-thread/{window(number).id}/a.md" for number in (0, 1, 2))
    result = jail.run(
        f"cat {look} 2> /dev/null; cat {data}/logs/discord-thread/{window(2).id}/a.md", audience="1:2:channel"
    )
    assert "said in 0" in result.text
    assert ("said in 1" in result.text) == (scope == "audience")
    assert "said in 2" not in result.text
    assert jail.run("echo x >> logs/discord-thread/*/a.md", audience="1:2:channel").is_error
    jail.system.stop()


def test_the_command_line_works_in_its_callers_folder_and_does_not_see_the_data_root_there(
    tmp_path: Path, sandbox: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "index.db").write_text("t0ken")
    (tmp_path / "note").write_text("mine")
    jail = Bench(tmp_path / "data", sandbox=sandbox, cli_workdir=tmp_path)
    request_id = jail.ask("cat note; ls data; echo changed > note", of=CLI)
    if sandbox == "bwrap":
        assert jail.result(request_id).text == "mine"
        assert (tmp_path / "note").read_text() == "changed\n"
    else:
        assert "the agent's data root is in it" in jail.refusal(request_id)
    jail.system.stop()


@pytest.mark.parametrize("place", ["/", "/usr", "/etc"])
def test_the_command_line_cannot_make_the_system_its_own(tmp_path: Path, sandbox: str, place: str) -> None:
    jail = Bench(tmp_path, sandbox=sandbox, cli_workdir=Path(place))
    assert f"Commands cannot be run in {place}" in jail.refusal(jail.ask("true", of=CLI))
    jail.system.stop()


def test_an_open_network_is_open(tmp_path: Path, sandbox: str) -> None:
    jail = Bench(tmp_path / "data", sandbox=sandbox, network="on")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        request_id = jail.ask(f"echo hello > /dev/tcp/127.0.0.1/{server.getsockname()[1]}")
        end, _ = server.accept()
        with end:
            assert end.recv(9) == b"hello\n"
        assert jail.result(request_id).exit_code == 0
    jail.system.stop()


def test_settings_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    for name in ("sandbox", "network", "scope"):
        with pytest.raises(ValueError, match=f"{name} 'docker': must be one of"):
            ShellConfig(work_root=tmp_path, data_root=tmp_path, **{name: "docker"})  # type: ignore[arg-type]
