from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest

from actors.linux.folder import remove_tree
from actors.shell.refused import RefusedError
from actors.shell.workplace import Workplaces, workdir
from domain.log.window_folders import attachments_folder
from messages.base import Surface, Window
from tests.actors.linux.test_folder import nested_folders
from tests.actors.shell.bench import CLI, window
from tests.ordinary_user import as_ordinary_user
from tests.patience import PATIENCE_S


def wait_for_removals() -> None:
    """Return once nothing that was emptied is still being removed, by this test's agent or another's."""
    for thread in threading.enumerate():
        if thread.name == "shell-trash":
            thread.join(PATIENCE_S)


@pytest.fixture
def workplaces(tmp_path: Path) -> Workplaces:
    wait_for_removals()
    return Workplaces(work_root=tmp_path / "data" / "work", data_root=tmp_path / "data", cli_workdir=None)


def test_a_window_gets_a_directory_that_only_the_agent_may_enter(workplaces: Workplaces, tmp_path: Path) -> None:
    workplace = workplaces.open(window())
    assert workplace.cwd == workplace.home == workdir(tmp_path / "data" / "work", window())
    assert [
        path.stat().st_mode & 0o777 for path in (workplace.cwd, workplace.cwd.parent, workplace.cwd.parent.parent)
    ] == [0o700] * 3


def test_the_folder_of_kept_output_survives_a_power_loss(
    workplaces: Workplaces, tmp_path: Path, system_syncs: list[tuple[str, str]]
) -> None:
    output = workplaces.open(window()).output
    folders = [folder for folder in output.parents if folder.is_relative_to(tmp_path)]
    assert [path for _, path in system_syncs] == [str(folder) for folder in reversed(folders)]


@pytest.mark.req("S0-66", "X-03")
def test_pointers_into_the_logs_work_there(workplaces: Workplaces, tmp_path: Path) -> None:
    log = tmp_path / "data" / "logs" / "discord-thread" / "1.md"
    log.parent.mkdir(parents=True)
    log.write_text("said")
    assert (workplaces.open(window()).cwd / "logs" / "discord-thread" / "1.md").read_text() == "said"


@pytest.mark.req("X-212")
def test_a_windows_own_logs_are_there_under_a_short_name(workplaces: Workplaces, tmp_path: Path) -> None:
    log = tmp_path / "data" / "logs" / "discord-thread" / window().id / "1.md"
    log.parent.mkdir(parents=True)
    log.write_text("said")
    assert (workplaces.open(window()).cwd / ".log" / "1.md").read_text() == "said"
    assert not (workplaces.open(window(2)).cwd / ".log" / "1.md").exists()


def test_opening_again_keeps_what_is_there(workplaces: Workplaces) -> None:
    (workplaces.open(window()).cwd / "note").write_text("kept")
    assert (workplaces.open(window()).cwd / "note").read_text() == "kept"


def test_a_link_that_was_removed_or_points_elsewhere_is_put_right(workplaces: Workplaces, tmp_path: Path) -> None:
    logs = tmp_path / "data" / "logs"
    for name, target in (("logs", logs), (".log", logs / "discord-thread" / window().id)):
        link = workplaces.open(window()).cwd / name
        link.unlink()
        workplaces.open(window())
        assert link.readlink() == target
        link.unlink()
        link.symlink_to(tmp_path)
        workplaces.open(window())
        assert link.readlink() == target


def test_what_a_command_put_in_the_place_of_a_link_is_left_alone(workplaces: Workplaces) -> None:
    folder = workplaces.open(window()).cwd
    for name in ("logs", ".log"):
        link = folder / name
        link.unlink()
        link.mkdir()
        (link / "mine").touch()
        assert (workplaces.open(window()).cwd / name / "mine").exists()


def test_a_file_in_the_way_is_a_refusal(workplaces: Workplaces, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "work").touch()
    with pytest.raises(RefusedError, match="Working directory cannot be made"):
        workplaces.open(window())


def test_the_command_line_needs_a_directory(workplaces: Workplaces) -> None:
    with pytest.raises(RefusedError, match="No working directory was given"):
        workplaces.open(CLI)


def test_the_home_of_the_command_line_is_temporary_and_private(tmp_path: Path) -> None:
    workplaces = Workplaces(work_root=tmp_path / "work", data_root=tmp_path, cli_workdir=tmp_path)
    workplace = workplaces.open(CLI)
    assert workplace.cwd == tmp_path
    assert workplace.home.stat().st_mode & 0o777 == 0o700
    assert workplaces.open(CLI) == workplace
    workplaces.close()
    workplaces.close()
    assert not workplace.home.exists()


def test_only_a_snowflake_names_a_directory(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, name in enumerate(["", "..", "../../x", "1" * 14, "1" * 21, "１" * 18]):
        with subtests.test(name=name):
            root = tmp_path / str(number)
            root.mkdir()
            with pytest.raises(ValueError, match="15 to 20 decimal digits"):
                workdir(root, Window(surface=Surface.DISCORD_CHANNEL, id=name))


def test_the_command_line_has_no_directory_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="surface"):
        workdir(tmp_path, CLI)


def test_attachments_are_shown_and_what_stands_in_their_way_is_moved_aside(tmp_path: Path) -> None:
    overlaid = Workplaces(work_root=tmp_path / "work", data_root=tmp_path, cli_workdir=None, can_overlay=True)
    folder = workdir(tmp_path / "work", window())
    folder.mkdir(parents=True)
    (folder / "attachments").symlink_to("/etc")
    workplace = overlaid.open(window())
    own = tmp_path / "attachments" / "discord-thread" / window().id
    assert (str(own), str(folder / "attachments")) in workplace.mounts
    assert (folder / "attachments").is_dir()
    assert not (folder / "attachments").is_symlink()
    assert [path.is_symlink() for path in folder.glob("attachments.moved-*")] == [True]
    assert overlaid.open(window()) == workplace


def test_a_folder_that_a_command_shut_is_opened_up(workplaces: Workplaces) -> None:
    folder = workplaces.open(window()).cwd
    folder.chmod(0)
    assert workplaces.open(window()).cwd.stat().st_mode & 0o777 == 0o700


def test_an_emptied_folder_is_empty_at_once_and_what_was_in_it_goes(workplaces: Workplaces, tmp_path: Path) -> None:
    folder = workplaces.open(window()).cwd
    (folder / "shut").mkdir(mode=0)
    other = workplaces.open(window(2)).cwd / "kept"
    other.touch()

    with nested_folders(folder, 1_500):
        assert workplaces.empty(window()) == folder
        assert list(folder.iterdir()) == []

        wait_for_removals()
        assert list((tmp_path / "data" / "work" / ".emptied").iterdir()) == []
    assert other.exists()


def test_kept_output_is_emptied_with_the_folder_and_attachments_stay(workplaces: Workplaces, tmp_path: Path) -> None:
    mine, other = workplaces.open(window()), workplaces.open(window(2))
    attached = tmp_path / "data" / attachments_folder(window()) / "7" / "a.txt"
    attached.parent.mkdir()
    for place in (mine.output / "a.log", other.output / "b.log", attached):
        place.touch()
    for _ in range(2):
        workplaces.empty(window())
    assert attached.exists()
    assert (other.output / "b.log").exists()
    assert not mine.output.exists()
    assert list(workplaces.open(window()).output.iterdir()) == []


def test_a_folder_is_emptied_though_the_disk_has_no_room_for_another_one(
    workplaces: Workplaces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = workplaces.open(window()).cwd
    (folder / "large").touch()

    def make_private(made: Path) -> None:
        if not made.is_dir():
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("actors.shell.workplace.make_private", make_private)
        workplaces.empty(window())
        wait_for_removals()
        assert list((tmp_path / "data" / "work" / ".emptied").iterdir()) == []

    assert not (workplaces.open(window()).cwd / "large").exists()


def test_what_an_agent_before_had_emptied_goes_too(workplaces: Workplaces, tmp_path: Path) -> None:
    left = tmp_path / "data" / "work" / ".emptied" / "1-1-0"
    (left / "deep").mkdir(parents=True)
    workplaces.remove_trash()
    wait_for_removals()
    assert not left.exists()


def test_what_is_emptied_while_something_is_being_removed_goes_too(
    workplaces: Workplaces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One thread removes everything: two would meet in a folder, and each would give up there."""
    may_go_on, removing = threading.Event(), threading.Event()
    at_once: list[int] = []

    def slow(name: str, parent: int) -> None:
        if threading.current_thread().name != "shell-trash":  # kept output, which is small
            remove_tree(name, parent)
            return
        at_once.append(sum(thread.name == "shell-trash" for thread in threading.enumerate()))
        removing.set()
        assert may_go_on.wait(PATIENCE_S)
        remove_tree(name, parent)

    monkeypatch.setattr("actors.shell.workplace.remove_tree", slow)
    for number in range(3):
        (workplaces.open(window(number)).cwd / "file").touch()
        workplaces.empty(window(number))
        assert removing.wait(PATIENCE_S)
    may_go_on.set()
    wait_for_removals()
    assert list((tmp_path / "data" / "work" / ".emptied").iterdir()) == []
    assert (set(at_once), len(at_once), caplog.messages) == ({1}, 3, [])


def test_the_folder_of_the_command_line_is_nobodys_to_empty(workplaces: Workplaces) -> None:
    with pytest.raises(RefusedError, match="surface"):
        workplaces.empty(CLI)


@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_folder_that_a_command_has_shut_is_emptied_all_the_same(
    workplaces: Workplaces, tmp_path: Path, mode: int
) -> None:
    """As tools protect their downloads: module caches are for reading only."""
    folder = workplaces.open(window()).cwd
    (folder / "cache" / "module").mkdir(parents=True)
    (folder / "cache" / "module" / "file").touch()
    for each in (folder / "cache" / "module", folder / "cache", folder):
        each.chmod(mode)
    with as_ordinary_user():
        workplaces.empty(window())
        wait_for_removals()
        assert list((tmp_path / "data" / "work" / ".emptied").iterdir()) == []
        assert list(folder.iterdir()) == []
