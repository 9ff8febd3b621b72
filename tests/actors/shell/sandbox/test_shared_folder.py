from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from actors.shell.job import Limits
from actors.shell.quota import SHARED_MOST_BYTES, SHARED_MOST_FILES, Quota
from actors.shell.sandbox.shared_folder import Surroundings, bound_folders, shareable
from messages.shell import SharedFolder


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    (tmp_path / "layer").mkdir()
    return tmp_path / "layer"


def around(tmp_path: Path, **given: Any) -> Surroundings:
    (tmp_path / "data").mkdir(exist_ok=True)
    return Surroundings(data_root=str(tmp_path / "data"), **given)


def share(path: object, *kept: str, may_write: bool = True) -> SharedFolder:
    return SharedFolder(path=str(path), may_write=may_write, kept=kept)


def reason(tmp_path: Path, path: object, caplog: pytest.LogCaptureFixture, **given: tuple[str, ...]) -> str:
    """Why the folder at `path` is not shown."""
    caplog.clear()
    assert shareable((share(path),), around(tmp_path, **given)) == ()
    (record,) = caplog.records
    assert repr(str(path)) in record.getMessage()
    return record.getMessage().partition("command: ")[2]


def test_what_is_no_folder_of_a_contributors_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    for number, (path, why) in enumerate(
        [
            ("", "its path is not absolute"),
            ("usr", "its path is not absolute"),
            ("~", "its path is not absolute"),
            ("/x\0", "its path is not absolute"),
            ("/\ud800", "its path is not absolute"),
            ("/", "it belongs to the system"),
            ("/tmp", "it belongs to the system"),
            ("/var", "it belongs to the system"),
            ("/usr/bin", "it belongs to the system"),
            ("/etc", "it belongs to the system"),
            ("/proc/sys", "it belongs to the system"),
            ("/dev/shm", "it belongs to the system"),
            ("/usr/", "its path leads through a link"),
            ("/usr/../tmp", "its path leads through a link"),
            ("//tmp", "its path leads through a link"),
            ("/etc/passwd", "it is not a folder"),
        ]
    ):
        with subtests.test(path=path, why=why):
            root = tmp_path / str(number)
            root.mkdir()
            assert reason(root, path, caplog) == why


def test_what_holds_or_is_in_the_agents_own_is_refused_but_not_what_lies_among_its_data(
    tmp_path: Path, layer: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert reason(tmp_path, tmp_path, caplog) == "it is or holds the agent's data"
    assert reason(tmp_path, tmp_path / "data", caplog) == "it is or holds the agent's data"
    private = "it overlaps a private folder of the agent"
    for each in (layer, layer / "secrets.env", layer.parent):
        assert private == reason(tmp_path, layer, caplog, private=(str(each),))
    monkeypatch.setenv("HOME", str(layer / "home"))
    assert reason(tmp_path, layer, caplog) == "it is or holds a home directory"
    (layer / "link").symlink_to(layer)
    assert reason(tmp_path, layer / "link", caplog) == "its path leads through a link"
    (tmp_path / "data" / "tasks").mkdir()
    tasks = share(tmp_path / "data" / "tasks")
    assert shareable((tasks,), around(tmp_path)) == (tasks,)


def test_data_among_the_systems_programs_can_be_shared(tmp_path: Path) -> None:
    (tmp_path / "data" / "tasks").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    folders = (share(tmp_path / "data" / "tasks"), share(tmp_path / "other"))
    assert shareable(folders, around(tmp_path, system=(str(tmp_path),))) == folders[:1]


def test_of_two_with_one_path_the_narrower_permission_holds(tmp_path: Path, layer: Path) -> None:
    for name in "ab":
        (layer / name).touch()
    reading = share(layer, may_write=False)
    for folders in ((share(layer), reading), (reading, share(layer))):
        assert shareable(folders, around(tmp_path)) == (reading,)
    both = shareable((share(layer, "a"), share(layer, "b", "a")), around(tmp_path))
    assert both == (share(layer, "a", "b"),)


def test_what_another_keeps_is_not_changed(tmp_path: Path, layer: Path) -> None:
    (layer / "inner" / "deep").mkdir(parents=True)
    inner = tuple(share(layer / name) for name in ("inner", "inner/deep"))
    shown = shareable((*inner, share(layer, "inner")), around(tmp_path))
    assert [folder.may_write for folder in shown] == [False, False, True]


def test_what_is_shown_for_reading_anyway_is_not_changed(tmp_path: Path, layer: Path) -> None:
    assert not shareable((share(layer),), around(tmp_path, read=(str(layer),)))[0].may_write


def test_what_the_running_agent_obeys_is_not_changed_but_its_data_may_lie_there(
    tmp_path: Path, layer: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for each in (layer / "agent.toml", layer, layer.parent):
        assert not shareable((share(layer),), around(tmp_path, unchanging=(str(each),)))[0].may_write
        assert f"the running agent obeys {each}" in caplog.text
    (tmp_path / "data" / "tasks").mkdir()
    assert shareable((share(tmp_path / "data" / "tasks"),), around(tmp_path, unchanging=(str(tmp_path),)))[0].may_write


def test_names_that_are_none_or_not_there_are_not_kept(
    tmp_path: Path, layer: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (layer / "kept").touch()
    kept = ("kept", "absent", "", ".", "..", "a/b", "/etc", "x\0", "\ud800")
    assert shareable((share(layer, *kept),), around(tmp_path)) == (share(layer, "kept"),)
    assert len(caplog.records) == len(kept) - 2


@pytest.mark.parametrize("kind", ["link", "twin", "too long"])
def test_where_a_name_cannot_be_kept_nothing_is_changed(
    tmp_path: Path, layer: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    (layer / "other").touch()
    name = "n" * 300 if kind == "too long" else "kept"
    if kind == "link":
        (layer / "kept").symlink_to("other")
    elif kind == "twin":
        (layer / "kept").hardlink_to(layer / "other")
    assert shareable((share(layer, name),), around(tmp_path)) == (share(layer, may_write=False),)
    assert "for reading only" in caplog.text


def test_a_folder_that_was_shut_is_opened_where_it_may_be_changed(tmp_path: Path, layer: Path) -> None:
    layer.chmod(0o040)
    shareable((share(layer, may_write=False),), around(tmp_path))
    assert layer.stat().st_mode & 0o777 == 0o040
    shareable((share(layer),), around(tmp_path))
    assert layer.stat().st_mode & 0o777 == 0o740


def test_there_is_an_end_to_what_is_mounted(tmp_path: Path, layer: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in "abc":
        (layer / name).mkdir()
    shown = shareable((share(layer, "a", "b"), share(layer / "c")), around(tmp_path, most_mounts=3))
    assert shown == (share(layer, "a", "b"),)
    assert f"{str(layer / 'c')!r} is not shown to a command: there are too many" in caplog.text


def test_one_that_may_be_changed_is_bounded_as_a_working_directory_and_smaller(tmp_path: Path, layer: Path) -> None:
    (layer / "a").write_bytes(bytes(10_000))
    quota = Quota(lambda: 0.0).for_shared()
    own = Limits(folder=str(tmp_path))
    reading = share(tmp_path, may_write=False)
    shown, (limits,) = bound_folders((share(layer), reading), quota, own)
    assert shown == (share(layer), reading)
    assert (limits.folder, limits.used_files, limits.used_bytes >= 8192) == (str(layer), 1, True)
    assert (limits.most_bytes, limits.most_files) == (SHARED_MOST_BYTES, SHARED_MOST_FILES) == (64 * 1024**2, 10_000)
    assert (limits.least_free_bytes, limits.least_free_names) == (0, 0), "the working directory's bound looks there"
    if os.stat("/dev/shm").st_dev != os.stat(layer).st_dev:  # noqa: PTH116
        _, (apart,) = bound_folders((share(layer),), quota, Limits(folder="/dev/shm"))
        assert apart.least_free_bytes > 0


@pytest.mark.parametrize(
    "full", [{"most_bytes": 4096, "least_free_bytes": 0}, {"most_files": 1}, {"least_free_bytes": 2**62}]
)
def test_one_that_is_too_full_is_only_read(
    tmp_path: Path, layer: Path, full: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    for name in "ab":
        (layer / name).write_bytes(bytes(5_000))
    quota = Quota(lambda: 0.0, **full).for_shared()
    shown, limits = bound_folders((share(layer),), quota, Limits(folder=str(tmp_path)))
    assert (shown, limits) == ((share(layer, may_write=False),), ())
    assert "for reading only" in caplog.text
    assert "/empty in this channel" not in caplog.text


def test_one_that_vanishes_is_only_read_if_it_comes_back(tmp_path: Path, layer: Path) -> None:
    layer.rmdir()
    shown, limits = bound_folders((share(layer),), Quota(lambda: 0.0).for_shared(), Limits(folder=str(tmp_path)))
    assert (shown, limits) == ((share(layer, may_write=False),), ())
