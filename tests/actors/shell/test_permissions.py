"""Permissions of commands, and the outcome if a permission cannot be given."""

from __future__ import annotations

import os
import shlex
import socket
from pathlib import Path

import pytest

from actors.shell.config import ShellConfig
from actors.shell.sandbox.binary import bundled_binary
from actors.shell.sandbox.caller_folder import CallerFolder
from actors.shell.sandbox.scope import has_scopes
from domain.policy.foreign_skill.record import FILE_NAME
from messages.base import Address, RequestId
from messages.socket import DoorOpen, OpenDoor, Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.shell.bench import CLI, SHELL, Bench, level, window
from tests.actors.skill_files.test_folders import write
from tests.actors.skill_files.test_installed import record
from tests.patience import PATIENCE_S


def python(script: str) -> str:
    """A command that runs `script`."""
    return f"python3 -I -S -c {shlex.quote(script)}"


def test_a_wrapper_that_vanishes_is_a_refusal_and_never_a_bare_command(tmp_path: Path) -> None:
    if level("bundled").refusal:
        pytest.skip(level("bundled").refusal)
    binary = tmp_path / "bwrap"
    binary.symlink_to(bundled_binary().path)
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
        reason = jail.refusal(jail.ask("touch ran"))
        assert "no sandbox works here: bubblewrap is not installed. Install bubblewrap" in reason
    assert not (jail.workdir() / "ran").exists()
    jail.system.stop()


def test_without_an_installed_bubblewrap_the_agents_own_does_it_and_says_why(tmp_path: Path) -> None:
    if level("bundled").refusal:
        pytest.skip(level("bundled").refusal)
    jail = Bench(tmp_path, sandbox="auto", bwrap="no-such-bwrap")
    jail.system.tell(SHELL, DescribeYourself(request_id=RequestId("d"), reply_to=jail.edge.address))
    said = jail.edge.receive(PATIENCE_S)
    assert isinstance(said, SelfDescription)
    figures = dict(said.figures)
    assert figures["sandbox"] == "the agent's own bubblewrap 0.11.0 (bubblewrap is not installed)"
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


@pytest.mark.req("X-267")
def test_a_skill_whose_files_are_not_the_accepted_ones_is_seen_by_no_command(tmp_path: Path, sandbox: str) -> None:
    skills = tmp_path / "data" / "skills"
    for name in ("tea", "coffee"):
        write(skills / name)
        (skills / name / "run.sh").write_text("echo accepted\n")
    record(skills, "tea")
    jail = Bench(tmp_path / "data", sandbox=sandbox, skill_roots=(skills,))
    assert jail.run(f"sh {skills}/tea/run.sh; sh {skills}/coffee/run.sh").text == "accepted\naccepted"

    (skills / "tea" / "run.sh").write_text("echo changed\n")
    assert jail.run(f"sh {skills}/coffee/run.sh; ls -A {skills}/tea; ls {skills}").text == "accepted\ncoffee\ntea"
    (skills / "tea" / "run.sh").write_text("echo accepted\n")
    assert jail.run(f"sh {skills}/tea/run.sh").text == "accepted"

    (skills / FILE_NAME).write_text("{")
    assert "No such file" in jail.run(f"sh {skills}/coffee/run.sh; ls {skills}").text
    jail.system.stop()


def test_what_is_the_agents_own_is_not_shown_with_programs_beside_which_it_lies(tmp_path: Path, sandbox: str) -> None:
    """As with an agent in /usr/local, or with its data in a folder of skills."""
    programs = tmp_path / "programs"
    data, secrets = programs / "data", programs / "secrets.env"
    for private in (secrets, data / "work" / "discord-channel" / "1" / "private", data / "agent.key"):
        private.parent.mkdir(parents=True, exist_ok=True)
        private.write_text("TOKEN=word")
    (programs / "tool").write_text("echo ran")
    caller = CallerFolder(private=(secrets,))
    bench = Bench(data, sandbox=sandbox, skill_roots=(programs,), caller=caller)
    try:
        result = bench.run(f"bash '{programs}/tool'; echo kept > own; cat own; grep -rs TOKEN '{programs}'; true")
        assert result.text.strip() == "ran\nkept"
    finally:
        bench.system.stop()


def test_only_the_logs_that_a_window_may_read_are_there(
    tmp_path: Path, sandbox: str, subtests: pytest.Subtests
) -> None:
    for number, scope in enumerate(["context", "audience"]):
        with subtests.test(scope=scope):
            root = tmp_path / str(number)
            root.mkdir()
            data = root / "data"
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


def test_the_command_line_reads_its_callers_folder_and_does_not_see_the_data_root_there(
    tmp_path: Path, sandbox: str
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "index.db").write_text("t0ken")
    (tmp_path / "note").write_text("mine")
    caller = CallerFolder(private=(tmp_path / "data",))
    jail = Bench(tmp_path / "data", sandbox=sandbox, cli_workdir=tmp_path, caller=caller)
    got = jail.run("cat note; ls data; echo changed > note; echo kept > ~/scratch", of=CLI)
    assert got.text.startswith("mine")
    assert "Read-only file system" in got.text
    assert "t0ken" not in got.text
    assert (tmp_path / "note").read_text() == "mine"
    assert jail.run("cat ~/scratch", of=CLI).text == "kept"
    jail.system.stop()


def test_the_command_line_writes_where_it_was_let_but_not_to_what_programs_obey(tmp_path: Path, sandbox: str) -> None:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "work" / ".env").write_text("t0ken")
    jail = Bench(tmp_path / "data", sandbox=sandbox, cli_workdir=tmp_path / "work", caller=CallerFolder(may_write=True))
    got = jail.run(
        "echo mine > note; cat .env; for f in .git/hook agent.toml secrets.env; do echo x > $f; done", of=CLI
    )
    assert (tmp_path / "work" / "note").read_text() == "mine\n"
    assert "t0ken" not in got.text
    assert got.text.count("Read-only file system") == 3
    jail.system.stop()
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == [".env", ".git", "note"]
    assert (tmp_path / "work" / ".env").read_text() == "t0ken"


def test_no_folder_above_what_is_kept_can_be_moved_away_with_it(tmp_path: Path, sandbox: str) -> None:
    conf = tmp_path / "work" / "a" / "conf"
    (conf / ".git").mkdir(parents=True)
    (conf / "secrets.env").write_text("t0ken")
    (conf / "settings").write_text("mine")
    caller = CallerFolder(may_write=True, private=(conf / "secrets.env",), unchanging=(conf / "settings",))
    jail = Bench(tmp_path / "data", sandbox=sandbox, cli_workdir=tmp_path / "work", caller=caller)
    for moved in ("a", "a/conf", "a/conf/.git", "a/conf/settings", "a/conf/secrets.env"):
        assert jail.run(f"mv {moved} moved || rm -rf {moved} || rmdir {moved}", of=CLI).is_error, moved
        assert "t0ken" not in jail.run("grep -rs . .", of=CLI).text
    assert jail.run("mkdir a/new; echo 1 > a/new/x; mkdir .hg; echo x > .hg/hgrc; cat a/new/x", of=CLI).text == "1"
    assert jail.run("echo y > .hg/hgrc", of=CLI).is_error, "what a command made is protected from the next one"
    jail.system.stop()
    assert (conf / "secrets.env").read_text() == "t0ken"
    assert (conf / "settings").read_text() == "mine"


def test_the_command_line_cannot_make_the_system_its_own(
    tmp_path: Path, sandbox: str, subtests: pytest.Subtests
) -> None:
    for number, place in enumerate(["/", "/usr", "/etc"]):
        with subtests.test(place=place):
            root = tmp_path / str(number)
            root.mkdir()
            jail = Bench(root, sandbox=sandbox, cli_workdir=Path(place))
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


def test_an_open_network_has_no_way_to_abstract_sockets_outside(tmp_path: Path, sandbox: str) -> None:
    if not has_scopes():
        pytest.skip("this kernel has no Landlock scopes (Linux 6.12)")
    jail = Bench(tmp_path / "data", sandbox=sandbox, network="on")
    with socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0remembrancer-test-open-{os.getpid()}")
        abstract.listen()
        connect = f"import socket; socket.socket(socket.AF_UNIX).connect('\\0remembrancer-test-open-{os.getpid()}')"
        got = jail.run(python(connect))
        assert "Operation not permitted" in got.text
        abstract.setblocking(False)
        with pytest.raises(BlockingIOError):
            abstract.accept()
    own = "import socket; a = socket.socket(1); a.bind('\\0own'); a.listen(); b = socket.socket(1); b.connect('\\0own'); print(1)"
    assert jail.run(python(own)).text == "1"
    jail.system.stop()


def test_settings_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    for name in ("sandbox", "network", "scope"):
        with pytest.raises(ValueError, match=f"{name} 'docker': must be one of"):
            ShellConfig(work_root=tmp_path, data_root=tmp_path, **{name: "docker"})  # type: ignore[arg-type]
