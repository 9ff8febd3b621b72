"""The folders through which commands see logs, and that they show nobody anything new."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from actors.memory.search.visibility import Visibility, parsed_label
from domain.policy.audience import Audience, Reach, in_view, may_show, view_key
from messages.base import Surface, Window
from tests.actors.context.rig import CHANNEL
from tests.actors.memory.rig import PUBLIC, MemoryRig
from tests.actors.memory.test_memory_actor import PRIVATE, THREAD

GUILDS = 10_000


def linked(root: Path, label: str) -> set[str]:
    """What a window that `label` reads sees of others."""
    folder = root / "views" / view_key(CHANNEL, label)
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

    assert linked(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL)
    for name in linked(tmp_path, PUBLIC):
        link = tmp_path / "views" / view_key(CHANNEL, PUBLIC) / name
        assert link.samefile(tmp_path / "logs" / name)
    assert linked(tmp_path, "") == set()
    assert (tmp_path / "views" / view_key(CHANNEL, "")).is_dir()
    rig.stop()


def test_a_view_is_there_before_a_turns_first_command(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.say("and you?", THREAD, audience="1:77:private")

    assert linked(tmp_path, "1:77:private") == logs_of(tmp_path, CHANNEL)
    rig.stop()


def test_what_becomes_private_leaves_all_views(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for all", "ok", THREAD)
    rig.say("for few", THREAD, audience=PRIVATE)

    assert linked(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL)
    rig.stop()


def test_what_becomes_public_is_seen(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for few", "ok", THREAD, audience=PRIVATE)
    rig.exchange("for all", "ok", THREAD)

    assert linked(tmp_path, PUBLIC) == logs_of(tmp_path, CHANNEL) | logs_of(tmp_path, THREAD)
    rig.stop()


def test_the_next_start_mends_what_was_done_to_views(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("for all", "ok")
    rig.exchange("for few", "ok", THREAD, audience=PRIVATE)
    rig.stop()
    view = tmp_path / "views" / view_key(CHANNEL, PUBLIC)
    (private,) = logs_of(tmp_path, THREAD)
    (view / private).parent.mkdir(parents=True)
    (view / private).hardlink_to(tmp_path / "logs" / private)
    (public,) = logs_of(tmp_path, CHANNEL)
    (view / public).unlink()

    rig = MemoryRig(tmp_path, clock=rig.clock)
    assert linked(tmp_path, PUBLIC) == {public}
    rig.stop()


def test_no_views_are_kept_where_they_serve_nobody(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path, scope="global")
    rig.exchange("for all", "ok")

    assert not (tmp_path / "views").exists()
    rig.stop()


def guild(dice: random.Random) -> dict[Window, tuple[str, frozenset[int]]]:
    """Windows of one or two servers with their labels and real readers."""
    found: dict[Window, tuple[str, frozenset[int]]] = {}
    number = 0
    for server in range(1, dice.randint(2, 3)):
        members = [server * 100 + member for member in range(dice.randint(1, 6))]
        for channel in range(1, dice.randint(2, 4)):
            is_open = dice.random() < 0.5
            readers = frozenset(members if is_open else (m for m in members if dice.random() < 0.5))
            reach = Reach.EVERYONE if is_open else Reach.CHANNEL
            for who, how in ((readers, reach), (readers, reach), (frozenset(dice.sample(members, 1)), Reach.PRIVATE)):
                number += 1
                invited = who if how is not Reach.PRIVATE else who & readers
                window = Window(surface=Surface.DISCORD_THREAD, id=str(910000000000000000 + number))
                label = str(Audience(str(server), str(channel), how)) if dice.random() < 0.95 else ""
                found[window] = (label, invited)
    return found


@pytest.mark.slow
def test_in_ten_thousand_servers_no_row_and_no_log_is_shown_to_a_new_reader() -> None:
    shown = 0
    for seed in range(GUILDS):
        windows = guild(random.Random(seed))
        visibility = Visibility("audience")
        for number, (label, _) in enumerate(windows.values(), 1):
            visibility.hear(number, label)
            visibility.add(np.array([number * 10]), number)
        for target_number, (target, (target_label, target_readers)) in enumerate(windows.items(), 1):
            rows = visibility.mask(target, target_number, target_label)
            key = view_key(target, target_label)
            for number, (source, (label, readers)) in enumerate(windows.items(), 1):
                is_shown = bool(rows[number * 10])
                is_seen = in_view(parsed_label(label), key)
                assert (is_seen or source == target) == is_shown, (seed, source, target)
                if seed % 20 == 0:
                    assert is_shown == visibility.may_show_label(label, source.address.key, target, target_label)
                    assert is_shown == may_show(source, parsed_label(label), target, parsed_label(target_label))
                if is_shown and source != target:
                    shown += 1
                    assert target_readers <= readers, (seed, source, target)
    assert shown > GUILDS
