"""Folders with the logs for commands, and their limits to readers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from actors.memory.store import MemoryPlan, Store
from domain.policy.audience import view_key
from messages.base import Window
from messages.discord import ReadersListed
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.readers import readers_of
from tests.actors.memory.rig import MEMORY, PUBLIC, MemoryRig
from tests.actors.memory.test_memory_actor import PRIVATE, THREAD

CLOSED = PUBLIC.replace("everyone", "channel")


def linked_logs(root: Path, label: str) -> set[str]:
    """Logs of other windows visible in a window that `label` reads."""
    folder = root / "views" / view_key(label)
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*.md")}


def logs_of(root: Path, window: Window) -> set[str]:
    return {
        file.relative_to(root / "logs").as_posix()
        for file in (root / "logs" / window.surface.value / window.id).glob("*.md")
    }


def test_a_view_has_the_logs_that_its_readers_may_read_and_they_are_the_same_files(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for few", "ok", THREAD, audience=PRIVATE)

    assert linked_logs(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL)
    for name in linked_logs(tmp_path, PUBLIC):
        link = tmp_path / "views" / view_key(PUBLIC) / name
        assert link.samefile(tmp_path / "logs" / name)
    assert linked_logs(tmp_path, "") == set()
    assert (tmp_path / "views" / view_key("")).is_dir()
    rig.stop()


def test_a_view_is_there_before_a_turns_first_command(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.say("and you?", THREAD, audience="1:77:private")

    assert linked_logs(tmp_path, "1:77:private") == logs_of(tmp_path, CHANNEL)
    rig.stop()


def test_what_becomes_private_leaves_all_views(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for all", "ok", THREAD)
    rig.say("for few", THREAD, audience=PRIVATE)

    assert linked_logs(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL)
    rig.stop()


def test_what_becomes_public_is_seen(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for few", "ok", THREAD, audience=PRIVATE)
    rig.exchange("for all", "ok", THREAD)

    assert linked_logs(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL) | logs_of(tmp_path, THREAD)
    rig.stop()


def test_what_discord_lists_no_more_leaves_all_views_without_a_word_in_it(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for all", "ok", THREAD)
    rig.tell(MEMORY, ReadersListed(windows=(readers_of(CHANNEL, PUBLIC),)))

    assert linked_logs(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL)
    rig.stop()


def test_what_a_channel_opens_to_others_is_taken_out_of_its_own_view_as_well(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for few", "ok", audience=CLOSED)
    rig.exchange("for few", "ok", THREAD, audience=CLOSED)
    rig.hear_readers(CHANNEL, PUBLIC)
    rig.hear_readers(THREAD, CLOSED.replace("011", "012"))

    assert linked_logs(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL)
    rig.stop()


def test_a_new_life_begins_without_views_until_it_is_known_who_reads_what(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for all", "ok", THREAD)
    rig.system.stop()
    assert linked_logs(tmp_path, PUBLIC) == set()
    folder = tmp_path / "views" / view_key(PUBLIC)
    folder.mkdir(parents=True)
    (folder / "left-by-a-crash.md").touch()

    store = Store.open(MemoryPlan(tmp_path, "test", 64), rig.clock.now())
    store.open_view(CHANNEL)

    assert linked_logs(tmp_path, PUBLIC) == set()
    store.close()


def test_views_never_reach_through_a_link_to_real_logs(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for few", "ok", THREAD, audience=PRIVATE)
    own = tmp_path / "logs" / THREAD.address.key
    (tmp_path / "views" / view_key(PUBLIC) / THREAD.address.key).parent.mkdir(exist_ok=True)
    (tmp_path / "views" / view_key(PUBLIC) / THREAD.address.key).symlink_to(own)
    rig.hear_readers(THREAD, "")
    rig.advance(4000)

    assert logs_of(tmp_path, THREAD)
    rig.stop()


def test_the_next_start_mends_what_was_done_to_views(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for few", "ok", THREAD, audience=PRIVATE)
    rig.stop()
    view = tmp_path / "views" / view_key(PUBLIC)
    (private,) = logs_of(tmp_path, THREAD)
    (view / private).parent.mkdir(parents=True, exist_ok=True)
    (view / private).hardlink_to(tmp_path / "logs" / private)
    (public,) = logs_of(tmp_path, CHANNEL)
    assert not (view / public).exists()

    rig = MemoryRig(tmp_path, clock=rig.clock)
    rig.say("and now?")
    assert linked_logs(tmp_path, PUBLIC) == {public}
    rig.stop()


def test_no_views_are_kept_where_they_serve_nobody(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path, scope="global")
    rig.exchange("for all", "ok")

    assert not (tmp_path / "views").exists()
    rig.stop()


def test_what_another_person_put_in_the_place_of_the_views_is_taken_away_and_not_waited_for(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "log.md").write_text("precious")
    plant: dict[str, Callable[[Path], object]] = {
        "pipe": lambda place: os.mkfifo(place),
        "link": lambda place: place.symlink_to(outside),
        "broken link": lambda place: place.symlink_to(outside / "planted"),
        "file": lambda place: place.touch(),
        "folder": lambda place: place.mkdir(),
    }
    for kind, act in plant.items():
        root = tmp_path / kind
        root.mkdir(mode=0o700)
        act(root / "views")

        rig = MemoryRig(root)
        rig.exchange("for all", "ok")

        assert linked_logs(root, PUBLIC) == logs_of(root, CHANNEL) != set(), kind
        rig.stop()
    assert [path.name for path in outside.iterdir()] == ["log.md"]
