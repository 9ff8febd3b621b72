from __future__ import annotations

from pathlib import Path

import pytest

from actors.shell.log_visibility import LogVisibility
from domain.policy.audience import NO_VIEW
from tests.actors.shell.bench import CLI, window

AUDIENCE = "1:2:channel"
OWN = f"logs/discord-thread/{window().id}"


def test_globally_all_logs_are_shown(tmp_path: Path) -> None:
    logs = LogVisibility(tmp_path, "global").mounts_for(window(), AUDIENCE)
    assert logs.at == tmp_path / "logs"
    assert logs.mounts == ((str(tmp_path / "logs"), str(tmp_path / "logs")),)


def test_in_its_context_a_windows_own_logs_are_shown(tmp_path: Path) -> None:
    logs = LogVisibility(tmp_path, "context").mounts_for(window(), AUDIENCE)
    assert logs.at == tmp_path / "logs"
    assert logs.mounts == ((str(tmp_path / OWN), str(tmp_path / OWN)),)


def test_an_audiences_view_is_shown_at_the_logs_with_its_own_over_it(tmp_path: Path) -> None:
    view = tmp_path / "views" / "1-2"
    view.mkdir(parents=True)
    logs = LogVisibility(tmp_path, "audience").mounts_for(window(), AUDIENCE)
    assert logs.at == tmp_path / "logs"
    assert logs.mounts == ((str(view), str(tmp_path / "logs")), (str(tmp_path / OWN), str(tmp_path / OWN)))
    assert (view / "discord-thread" / window().id).is_dir()


def test_a_link_in_the_place_of_the_mount_point_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "views" / "1-2" / "discord-thread" / window().id
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path)
    LogVisibility(tmp_path, "audience").mounts_for(window(), AUDIENCE)
    assert place.is_dir()
    assert not place.is_symlink()


def test_without_a_view_only_its_own_logs_are_shown(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, label in enumerate(["", AUDIENCE, "no audience"]):
        with subtests.test(label=label):
            root = tmp_path / str(number)
            root.mkdir()
            logs = LogVisibility(root, "audience").mounts_for(window(), label)
            assert logs.mounts == ((str(root / OWN), str(root / OWN)),)
            assert NO_VIEW not in [path.name for path in root.rglob("*")]


def test_the_command_line_reads_all_logs_as_the_memory_shows_it_all(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, scope in enumerate(["global", "context", "audience"]):
        with subtests.test(scope=scope):
            root = tmp_path / str(number)
            root.mkdir()
            logs = str(root / "logs")
            assert LogVisibility(root, scope).mounts_for(CLI, "").mounts == ((logs, logs),)


def test_a_scope_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="scope 'all': must be one of global, context, audience"):
        LogVisibility(tmp_path, "all")


def test_over_a_log_from_which_words_were_taken_back_lies_its_copy(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, scope in enumerate(["global", "context", "audience"]):
        with subtests.test(scope=scope):
            root = tmp_path / str(number)
            root.mkdir()
            copy = root / "redacted" / "discord-thread" / window().id / "20260130T142355Z_0001.md"
            copy.parent.mkdir(parents=True)
            copy.touch()
            (root / "views" / "1-2").mkdir(parents=True)

            mounts = LogVisibility(root, scope).mounts_for(window(), AUDIENCE).mounts
            assert mounts[-1] == (str(copy), str(root / OWN / copy.name))
