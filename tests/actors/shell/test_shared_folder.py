"""Contributors' folders as commands see them: visible parts, writable parts, and nothing around them."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from actors.shell.quota import Quota
from actors.shell.sandbox.caller_folder import CallerFolder
from actors.shell.starting import EnclosedStarter
from messages.shell import SharedFolder
from tests.actors.shell.bench import CLI, Bench, window
from tests.actors.shell.test_quota import Clock, StillDisk


def python(script: str) -> str:
    """A command that runs `script`."""
    return f"python3 -I -S -c {shlex.quote(script)}"


def share(path: Path, *kept: str, may_write: bool = True, **files: Any) -> SharedFolder:
    """A folder with `files` that is to be shared."""
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / name).write_text(text)
    return SharedFolder(path=str(path), may_write=may_write, kept=kept)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_one_is_read_and_changed_and_another_only_read(jail: Bench, tmp_path: Path) -> None:
    mine = share(tmp_path / "layer" / "mine", a="1")
    theirs = share(tmp_path / "layer" / "theirs", may_write=False, b="2")
    command = f"cat {mine.path}/a {theirs.path}/b; echo new > {mine.path}/n; echo x > {theirs.path}/b"
    got = jail.run(f"{command}; touch {theirs.path}/n", folders=(mine, theirs))
    assert got.text.startswith("12")
    assert got.text.count("Read-only file system") == 2
    assert (tmp_path / "layer" / "mine" / "n").read_text() == "new\n"
    assert names(tmp_path / "layer" / "theirs") == ["b"]
    assert jail.run(f"ls {mine.path} {theirs.path} {tmp_path}/layer").text.count("No such file") == 3, "one turn only"


def test_one_that_is_not_there_is_left_out(jail: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    absent = SharedFolder(path=str(tmp_path / "absent"), may_write=True, kept=("a",))
    assert jail.run(f"ls {absent.path} 2> /dev/null || echo ran", folders=(absent,)).text == "ran"
    assert not Path(absent.path).exists()
    assert caplog.text == ""


def test_folders_around_one_are_empty_and_cannot_be_changed(
    jail: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    places = [tmp_path / "home" / "vault" / "tasks", jail.root / "tasks" / "mine", tmp_path / "deep" / "x" / "y"]
    folders = tuple(share(place, a="1") for place in places)
    for secret in (tmp_path / "home" / ".bashrc", jail.root / "index.db", tmp_path / "deep" / "note"):
        secret.write_text("t0ken")
    for place in places:
        assert jail.run(f"ls -A {place.parent}", folders=folders).text == place.name
        for attempt in (
            f"touch {place.parent}/new",
            f"mkdir {place.parent.parent}/new",
            f"mv {place.parent} {place.parent}-moved",
            f"mv {place.parent} .",
            f"mv {place} {place}-moved",
            f"rmdir {place}",
            f"chmod 777 {place.parent}",
            f"cd / && mv /{place.parts[1]}/{place.parts[2]} /{place.parts[1]}/moved",
        ):
            assert jail.run(attempt, folders=folders).is_error, attempt
        assert jail.run(f"echo 2 > {place}/a; cat {place}/a", folders=folders).text == "2"
    listed = jail.run(f"ls -AR {tmp_path / 'home'} {jail.root} {tmp_path / 'deep'}", folders=folders).text
    for name in ("index.db", ".bashrc", "note"):
        assert name not in listed


def test_what_is_kept_stays_whatever_is_tried(jail: Bench, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, attempt in enumerate(
        [
            "echo x > kept",
            "echo x >> kept",
            "rm -f kept",
            "mv kept moved",
            "mv other kept",
            "ln -f other kept",
            "ln -sf other kept",
            "ln kept twin",
            "chmod 777 kept",
            "truncate -s 0 kept",
            "touch -d 2020-01-01 kept",
            "exec 3< kept; echo x > /proc/self/fd/3",
            "umount kept",
            "mount -o remount,rw kept",
            "touch inner/new",
            "rm inner/file",
            "mv inner moved",
            "rmdir inner",
            "mv inner/file moved",
            "cd ..; rm -rf mine",
            "cd ..; mv mine moved",
            "umount .",
            "unshare -Urm umount .",
            "ln other ~/stolen",
            python("import ctypes, sys; sys.exit(ctypes.CDLL(None).renameat2(-100, b'other', -100, b'kept', 2) != 0)"),
            python("import os; os.fchmod(os.open('kept', os.O_RDONLY), 0)"),
        ]
    ):
        with subtests.test(attempt=attempt):
            mine = tmp_path / str(number) / "mine"
            folder = share(mine, "kept", "inner", "absent", kept="word", other="1")
            (mine / "inner").mkdir()
            (mine / "inner" / "file").write_text("word")
            assert jail.run(f"cd {mine} && {attempt}", folders=(folder,)).is_error
            assert ((mine / "kept").read_text(), (mine / "inner" / "file").read_text()) == ("word", "word")
            assert (mine / "kept").stat().st_nlink == 1
            assert jail.run(
                f"cd {mine}; mv other renamed 2> /dev/null; rm -rf * 2> /dev/null; ls", folders=(folder,)
            ).text == ("inner\nkept")


def test_one_in_the_callers_folder_is_changed_and_what_is_around_it_as_before(
    tmp_path: Path, sandbox: str, subtests: pytest.Subtests
) -> None:
    for number, may_write in enumerate([False, True]):
        with subtests.test(may_write=may_write):
            root = tmp_path / str(number)
            root.mkdir()
            here = root / "here"
            tasks, data = here / "a" / "tasks", here / "data"
            folders = (
                share(tasks, "kept", kept="word", note="1"),
                share(data / "layer" / "mine", b="2"),
                share(here / ".secrets" / "x", c="3"),
                share(here / ".ssh", d="4"),
            )
            (tasks / ".env").write_text("t0ken")
            (tasks / "sub").mkdir()
            (tasks / "sub" / "id_rsa").write_text("t0ken")
            (data / "index.db").write_text("t0ken")
            (here / ".secrets" / "y").write_text("t0ken")
            (here / "own").write_text("mine")
            caller = CallerFolder(may_write=may_write, private=(data,))
            jail = Bench(data, sandbox=sandbox, cli_workdir=here, caller=caller)
            got = jail.run("for f in a/tasks/note data/layer/mine/b .secrets/x/c .ssh/d; do echo 5 >> $f; cat $f; done", of=CLI, folders=folders)  # fmt: skip

            assert not got.is_error
            for attempt in (
                "mv a moved",
                "mv a/tasks moved",
                "mv a/tasks/sub moved",
                "cd a/tasks && mv sub moved",
                "cd a/tasks && mv sub/id_rsa moved",
                "echo x > a/tasks/kept",
                "mv data/layer moved",
                "touch data/new",
                "touch data/layer/new",
                "mv .secrets moved",
                "touch .secrets/new",
                "mv .ssh moved",
                "cat data/index.db",
                "cat .secrets/y",
            ):
                assert jail.run(attempt, of=CLI, folders=folders).is_error, attempt
            assert jail.run("echo changed > own", of=CLI, folders=folders).is_error != may_write
            assert "t0ken" not in jail.run("grep -rs . .", of=CLI, folders=folders).text
            jail.system.stop()
            assert (tasks / "sub" / "id_rsa").read_text() == "t0ken"


def test_the_callers_folder_keeps_its_rules_inside_one_that_is_shared(tmp_path: Path, sandbox: str) -> None:
    vault = share(tmp_path / "vault", a="1")
    here = tmp_path / "vault" / "here"
    (here / "deep").mkdir(parents=True)
    (here / "deep" / ".env").write_text("t0ken")
    for may_write in (False, True):
        jail = Bench(tmp_path / "data", sandbox=sandbox, cli_workdir=here, caller=CallerFolder(may_write=may_write))
        assert jail.run("touch new", of=CLI, folders=(vault,)).is_error != may_write
        for attempt in ("cat deep/.env | grep .", "mv deep moved", "mv ../here ../moved", "cd ..; rm -r here"):
            assert jail.run(attempt, of=CLI, folders=(vault,)).is_error, attempt
        assert jail.run("echo 2 > ../a", of=CLI, folders=(vault,)).exit_code == 0
        jail.system.stop()
    same = SharedFolder(path=str(here), may_write=True)
    jail = Bench(tmp_path / "data", sandbox=sandbox, cli_workdir=here)
    assert jail.run("touch ../here/other", of=CLI, folders=(same,)).is_error
    jail.system.stop()


def test_one_inside_another_has_a_permission_of_its_own_and_stays(jail: Bench, tmp_path: Path) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "between" / "inner"
    for outer_changes in (False, True):
        folders = (share(inner, may_write=not outer_changes, a="1"), share(outer, may_write=outer_changes, b="1"))
        assert jail.run(f"echo 2 > {outer}/b", folders=folders).is_error != outer_changes
        assert jail.run(f"echo 2 > {inner}/a", folders=folders).is_error == outer_changes
        for attempt in (f"mv {outer}/between {outer}/moved", f"mv {inner} {outer}/moved", f"rm -r {outer}/between"):
            assert jail.run(attempt, folders=folders).is_error, attempt
        assert inner.is_dir()


def test_links_in_one_lead_to_what_the_command_sees_and_nowhere_else(jail: Bench, tmp_path: Path) -> None:
    folder = share(tmp_path / "layer" / "mine")
    secret = tmp_path / "secret"
    secret.write_text("t0ken")
    jail.run(f"cd {folder.path}; ln -s {secret} link; ln -s / root; ln -s {tmp_path} up", folders=(folder,))
    got = jail.run(f"cd {folder.path}; cat link root{secret} up/secret; echo x > link", folders=(folder,))
    assert "t0ken" not in got.text
    assert secret.read_text() == "t0ken"
    link = SharedFolder(path=f"{folder.path}/up", may_write=True)
    assert jail.run(f"cat {tmp_path}/secret", folders=(link,)).is_error


def test_one_that_must_not_be_shown_is_named_in_the_log_and_the_command_runs(
    jail: Bench, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    jail.run("true", of=window(2))
    (jail.root / "logs").mkdir()
    for path in (jail.root, tmp_path, jail.root / "logs", jail.workdir(window(2)), Path("/"), Path("/etc")):
        folder = SharedFolder(path=str(path), may_write=True)
        assert jail.run(f"ls {jail.root}/work/discord-thread/{window(2).id}", folders=(folder,)).is_error, path
        assert repr(str(path)) in caplog.records[-1].getMessage()


def test_what_the_agent_obeys_is_not_changed_in_one_and_what_is_secret_not_shown(tmp_path: Path, sandbox: str) -> None:
    layer = tmp_path / "layer"
    folder = share(layer, a="1")
    for caller, shown in (
        (CallerFolder(unchanging=(layer / "a",)), True),
        (CallerFolder(private=(layer / "a",)), False),
    ):
        jail = Bench(tmp_path / "data", sandbox=sandbox, caller=caller)
        assert (jail.run(f"cat {layer}/a", folders=(folder,)).text == "1") == shown
        assert jail.run(f"touch {layer}/new", folders=(folder,)).is_error
        jail.system.stop()


def test_one_that_is_filled_ends_the_command_and_is_only_read_from_then_on(
    tmp_path: Path, sandbox: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = share(tmp_path / "layer", a="1")
    disk = StillDisk(tmp_path)  # so that a measurement would hold
    quota = Quota(Clock(), least_free_bytes=0, statvfs=disk.statvfs)
    jail = Bench(tmp_path / "data", sandbox=sandbox, quota=quota)
    assert jail.run("true", folders=(folder,)).exit_code == 0
    got = jail.run(f"cd {folder.path}; head -c 80000000 /dev/zero > big; sleep 50", folders=(folder,))
    assert f"Killed: the folder {folder.path} grew to more than 64 MiB, which is the most it may hold" in got.text
    assert jail.run(f"cat {folder.path}/a", folders=(folder,)).text == "1"
    assert jail.run(f"rm {folder.path}/big", folders=(folder,)).is_error
    assert "MiB; at most 64.0 MiB may be there" in caplog.text
    (tmp_path / "layer" / "big").unlink()
    jail.system.stop()
    jail = Bench(tmp_path / "data", sandbox=sandbox)
    got = jail.run(f"cd {folder.path}; touch {{1..10005}}; sleep 50", folders=(folder,))
    assert f"the folder {folder.path} got more than 10,000 files" in got.text
    jail.system.stop()


def test_one_that_a_command_has_shut_is_open_to_the_next_and_what_is_kept_is_kept(jail: Bench, tmp_path: Path) -> None:
    folder = share(tmp_path / "layer", "kept", kept="word")
    assert jail.run(f"chmod 0 {folder.path}", folders=(folder,)).exit_code == 0
    assert jail.run(f"echo x > {folder.path}/kept", folders=(folder,)).is_error
    assert jail.run(f"touch {folder.path}/new", folders=(folder,)).exit_code == 0
    assert os.stat(folder.path).st_mode & 0o700 == 0o700  # noqa: PTH116


def test_without_a_sandbox_nothing_is_to_be_done(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "data", sandbox="none")
    folder = share(tmp_path / "layer", may_write=False, a="1")
    assert bench.run(f"cat {folder.path}/a", folders=(folder, SharedFolder(path="nonsense"))).text == "1"
    bench.system.stop()


def test_a_command_without_any_is_not_looked_at(jail: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EnclosedStarter, "_share", lambda *_: pytest.fail("looked"))
    assert jail.run("echo ran").text == "ran"


def test_what_is_hidden_in_one_is_neither_read_nor_changed_nor_moved(
    jail: Bench, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for may_write in [True, False]:
        with subtests.test(may_write=may_write):
            path = tmp_path / "layer"
            share(path, secret="t0ken", a="1")
            folder = SharedFolder(path=str(path), may_write=may_write, hidden=("secret", "absent", "../x"))
            attempts = "cat secret; echo x > secret; mv secret b; rm -f secret; ln secret c; cat b c"
            got = jail.run(f"cd {path}; {attempts}; cat a", folders=(folder,))
            assert "t0ken" not in got.text
            assert got.text.endswith("1")
            assert (path / "secret").read_text() == "t0ken"
            assert not (path / "absent").exists()


def test_a_folder_is_hidden_and_what_is_shared_in_it_is_shown_with_a_hidden_folder_of_its_own(
    jail: Bench, tmp_path: Path
) -> None:
    """The layout of a workspace: people's files, and of the windows' folders one, without its bookkeeping."""
    shared = share(tmp_path / "workspace", may_write=False, note="shared")
    mine = share(tmp_path / "workspace" / "channels" / "discord-channel" / "1", state="mine")
    share(tmp_path / "workspace" / "channels" / "discord-channel" / "2", state="theirs")
    share(Path(mine.path) / ".agent", book="kept")
    folders = (
        SharedFolder(path=shared.path, hidden=("channels",)),
        SharedFolder(path=mine.path, may_write=True, hidden=(".agent",)),
    )

    seen = jail.run(f"cat {shared.path}/note {mine.path}/state; ls -A {shared.path}/channels/*", folders=folders).text
    assert (seen.startswith("sharedmine"), seen.endswith("1")) == (True, True)
    assert jail.run(f"ls -A {mine.path}/.agent", folders=folders).text == "(no output)"
    for attempt in (
        f"echo x > {mine.path}/.agent/book",
        f"mv {mine.path}/.agent {mine.path}/moved",
        f"rm -r {mine.path}/.agent",
        f"cat {shared.path}/channels/discord-channel/2/state",
        f"touch {shared.path}/new",
        f"touch {shared.path}/channels/new",
        f"mv {shared.path}/channels/discord-channel /tmp/x",
    ):
        assert jail.run(attempt, folders=folders).is_error, attempt
    assert not jail.run(f"echo 2 > {mine.path}/state", folders=folders).is_error
    assert (Path(mine.path, "state").read_text(), Path(mine.path, ".agent", "book").read_text()) == ("2\n", "kept")
