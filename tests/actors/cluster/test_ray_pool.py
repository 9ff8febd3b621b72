"""Parts of the pool that need no Ray: its folder, and the end of a Ray that does not end."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from actors.cluster.pool import PoolError
from actors.cluster.ray_folder import RayFolder
from actors.cluster.ray_pool import LOOPBACK_ONLY, SETTINGS, RayPool, end_ray
from actors.cluster.storage import Note, read_note, write_note
from tests.patience import PATIENCE_S

LONG = 4096
"""Characters of a path that no folder of a test exceeds."""


@pytest.fixture
def ray_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.setenv(name, "")
    return folder


def test_each_run_has_a_private_folder_of_another_name(ray_place: Path, tmp_path: Path) -> None:
    folders = [RayFolder(tmp_path, ray_place, LONG) for _ in range(2)]
    for each in folders:
        each.make()
    made = list(ray_place.iterdir())

    assert len(made) == 2
    assert {folder.stat().st_mode & 0o777 for folder in made} == {0o700}
    for each in folders:
        RayPool(object, b"", each).close()
    assert list(ray_place.iterdir()) == []


def test_where_no_socket_would_have_room_the_folder_is_made_and_removed_elsewhere(
    ray_place: Path, tmp_path: Path
) -> None:
    made = RayFolder(tmp_path, ray_place).make()
    write_note(tmp_path, Note("w", str(made)))
    assert list(ray_place.iterdir()) == []
    assert len(f"{made}/r/session_2026-11-26_19-59-38_421922_1234567/sockets/plasma_store") <= 107
    RayFolder(tmp_path, ray_place).remove_leftovers()

    assert not made.exists()


def test_what_a_killed_run_left_is_removed(ray_place: Path, tmp_path: Path) -> None:
    left = ray_place / "agent-ray-abc"
    (left / "r").mkdir(parents=True)
    write_note(tmp_path, Note("w", str(left)))
    RayFolder(tmp_path, ray_place, LONG).remove_leftovers()

    assert list(ray_place.iterdir()) == []


def test_nothing_is_removed_that_is_not_the_agents(
    ray_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = ray_place / "other"
    (target / "kept").mkdir(parents=True)
    (ray_place / "agent-ray-link").symlink_to(target)
    for name in ("other", "agent-ray-link", "agent-ray-gone"):
        write_note(tmp_path, Note("w", str(ray_place / name)))
        RayFolder(tmp_path, ray_place, LONG).remove_leftovers()
    assert (target / "kept").exists()
    elsewhere = tmp_path / "agent-ray-elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    for noted in ("", ".", "agent-ray-elsewhere", str(elsewhere), f"{ray_place}/agent-ray-x/../../agent-ray-elsewhere"):
        write_note(tmp_path, Note("w", noted))
        RayFolder(tmp_path, ray_place, LONG).remove_leftovers()
    assert elsewhere.exists()
    foreign = ray_place / "agent-ray-foreign"
    foreign.mkdir()
    write_note(tmp_path, Note("w", str(foreign)))
    RayFolder(tmp_path, ray_place, LONG, user=foreign.stat().st_uid + 1).remove_leftovers()

    assert foreign.exists()


def test_a_temporary_folder_that_cannot_be_made_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**SETTINGS, LOOPBACK_ONLY: "0"}.items():  # which stay in the environment
        monkeypatch.setenv(name, value)
    with pytest.raises(PoolError, match=r"^no place for the hosts' files: .*No such file or directory"):
        RayPool(object, b"", RayFolder(tmp_path, tmp_path / "missing", LONG)).open()
    assert read_note(tmp_path) == Note("", "")


def test_a_ray_that_does_not_end_by_itself_is_killed_and_holds_nobody_up() -> None:
    release = threading.Event()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        processes = {"raylet": [SimpleNamespace(process=child)]}
        worker = SimpleNamespace(_global_node=SimpleNamespace(all_processes=processes))
        ray = SimpleNamespace(_private=SimpleNamespace(worker=worker), shutdown=lambda: release.wait(PATIENCE_S))
        end_ray(ray, 0.05)

        assert not release.is_set()
        assert child.wait(PATIENCE_S) == -9
        release.set()
