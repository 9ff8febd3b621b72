"""What of the pool needs no Ray: its folder, and the end of a Ray that does not end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from actors.cluster import ray_pool
from actors.cluster.pool import PoolError
from actors.cluster.ray_pool import RayPool, remove_leftovers
from actors.cluster.storage import Note, read_note, write_note
from tests.patience import PATIENCE_S


@pytest.fixture
def ray_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(ray_pool, "_MOST_PLACE", 4096)
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.setenv(name, "")
    return folder


def test_each_run_has_a_private_folder_of_another_name(ray_place: Path, tmp_path: Path) -> None:
    pools = [RayPool(object, b"", tmp_path) for _ in range(2)]
    for pool in pools:
        pool._make_folder()
    made = list(ray_place.iterdir())

    assert len(made) == 2
    assert {folder.stat().st_mode & 0o777 for folder in made} == {0o700}
    for pool in pools:
        pool.close()
    assert list(ray_place.iterdir()) == []


def test_where_no_socket_would_have_room_the_folder_is_made_and_removed_elsewhere(
    ray_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_pool, "_MOST_PLACE", 23)
    pool = RayPool(object, b"", tmp_path)
    pool._make_folder()
    made = pool._folder
    assert made is not None
    write_note(tmp_path, Note("w", str(made)))
    assert list(ray_place.iterdir()) == []
    assert len(f"{made}/r/session_2026-11-26_19-59-38_421922_1234567/sockets/plasma_store") <= 107
    remove_leftovers(tmp_path)

    assert not made.exists()


def test_what_a_killed_run_left_is_removed(ray_place: Path, tmp_path: Path) -> None:
    left = ray_place / "agent-ray-abc"
    (left / "r").mkdir(parents=True)
    write_note(tmp_path, Note("w", str(left)))
    remove_leftovers(tmp_path)

    assert list(ray_place.iterdir()) == []


def test_nothing_is_removed_that_is_not_the_agents(
    ray_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = ray_place / "other"
    (target / "kept").mkdir(parents=True)
    (ray_place / "agent-ray-link").symlink_to(target)
    for name in ("other", "agent-ray-link", "agent-ray-gone"):
        write_note(tmp_path, Note("w", str(ray_place / name)))
        remove_leftovers(tmp_path)
    assert (target / "kept").exists()
    elsewhere = tmp_path / "agent-ray-elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    for noted in ("", ".", "agent-ray-elsewhere", str(elsewhere), f"{ray_place}/agent-ray-x/../../agent-ray-elsewhere"):
        write_note(tmp_path, Note("w", noted))
        remove_leftovers(tmp_path)
    assert elsewhere.exists()
    foreign = ray_place / "agent-ray-foreign"
    foreign.mkdir()
    write_note(tmp_path, Note("w", str(foreign)))
    monkeypatch.setattr("os.getuid", lambda: foreign.stat().st_uid + 1)
    remove_leftovers(tmp_path)

    assert foreign.exists()


def test_a_temporary_folder_that_cannot_be_made_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    monkeypatch.setattr(ray_pool, "_MOST_PLACE", 4096)
    monkeypatch.setattr("os.environ", dict(os.environ))
    with pytest.raises(PoolError, match=r"^no place for the hosts' files: .*No such file or directory"):
        RayPool(object, b"", tmp_path).open()
    assert read_note(tmp_path) == Note("", "")


def test_a_ray_that_does_not_end_by_itself_is_killed_and_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        processes = {"raylet": [SimpleNamespace(process=child)]}
        worker = SimpleNamespace(_global_node=SimpleNamespace(all_processes=processes))
        pool = RayPool(object, b"", tmp_path)
        pool._ray = SimpleNamespace(_private=SimpleNamespace(worker=worker), shutdown=lambda: release.wait(PATIENCE_S))
        monkeypatch.setattr(ray_pool, "_CLOSE_S", 0.05)
        pool.close()

        assert not release.is_set()
        assert child.wait(PATIENCE_S) == -9
        release.set()
