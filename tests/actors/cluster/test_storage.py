from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.cluster import storage
from actors.cluster.storage import NOTE_BYTES, Note, new_word, read_note, refusal, write_note
from actors.context.log.data_root import HOSTS_LOCK_NAME, LOCK_NAME, DataRoot
from actors.hosting import HostConfig, HostProcess
from tests.actors.cluster.test_part import settings


@pytest.fixture
def head_root(tmp_path: Path) -> Iterator[Path]:
    """A data root that a head holds."""
    root = DataRoot(tmp_path / "data")
    root.hold()
    write_note(root.path, Note("ours", "/tmp/agent-ray-1"))
    yield root.path
    root.release()


def test_the_heads_storage_is_not_refused(head_root: Path) -> None:
    assert storage.AGENT_LOCK == LOCK_NAME
    assert refusal(head_root, "ours") == ""


def test_a_folder_whose_lock_nobody_holds_is_not_the_heads_whatever_stands_in_it(
    head_root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in (LOCK_NAME, HOSTS_LOCK_NAME):
        (other / name).write_bytes((head_root / name).read_bytes())

    assert refusal(other, "ours").startswith("not the head's data root: ")
    assert refusal(other, "ours").endswith("no process holds agent.lock here, as the head does there")
    free = DataRoot(other)
    free.hold()
    free.release()


def test_a_folder_that_another_agent_holds_is_not_the_heads(head_root: Path) -> None:
    assert refusal(head_root, new_word()).endswith("hosts.lock here is of another run")


def test_a_folder_without_the_lock_is_no_data_root(tmp_path: Path) -> None:
    assert refusal(tmp_path, "ours") == (
        f"no data root: {tmp_path} must be the same storage on all machines, "
        "and agent.lock there cannot be opened: No such file or directory"
    )


def test_a_later_note_takes_the_place_of_a_longer_one(tmp_path: Path) -> None:
    assert read_note(tmp_path) == Note("", "")
    (tmp_path / HOSTS_LOCK_NAME).touch()
    assert read_note(tmp_path) == Note("", "")
    write_note(tmp_path, Note("one", "/tmp/agent-ray-" + "x" * 50))
    write_note(tmp_path, Note("two", ""))

    assert read_note(tmp_path) == Note("two", "")
    assert (tmp_path / HOSTS_LOCK_NAME).stat().st_size == NOTE_BYTES


def test_a_host_refuses_storage_that_is_not_the_heads_before_it_writes_anything(tmp_path: Path) -> None:
    here = settings(tmp_path, **{"discord.channels": ["910000000000000101"]})
    here.data_root.mkdir()
    (here.data_root / LOCK_NAME).touch()
    refused = HostProcess().begin(HostConfig.of(here, {}, 1, 20).to_bytes(), "h1", "e1")

    assert refused.startswith("host h1: not the head's data root: ")
    assert [path.name for path in here.data_root.iterdir()] == [LOCK_NAME]
