from __future__ import annotations

from pathlib import Path

import pytest

from actors.shell.log_visibility import LogVisibility
from domain.policy.audience import NO_VIEW
from tests.actors.shell.bench import CLI, window

AUDIENCE = "1:2:channel"
OWN = f"logs/discord-thread/{window().id}"


def test_globally_all_logs_are_shown(tmp_path: Path) -> None:
    logs = LogVisibility(tmp_path, "global", can_overlay=True).mounts_for(window(), AUDIENCE)
    assert logs.at == tmp_path / "logs"
    assert logs.mounts == ((str(tmp_path / "logs"), str(tmp_path / "logs")),)


@pytest.mark.parametrize("can_overlay", [True, False])
def test_in_its_context_a_windows_own_logs_are_shown(tmp_path: Path, can_overlay: bool) -> None:
    logs = LogVisibility(tmp_path, "context", can_overlay=can_overlay).mounts_for(window(), AUDIENCE)
    assert logs.at == tmp_path / "logs"
    assert logs.mounts == ((str(tmp_path / OWN), str(tmp_path / OWN)),)


def test_an_audiences_view_is_shown_at_the_logs_with_its_own_over_it(tmp_path: Path) -> None:
    view = tmp_path / "views" / "1-2"
    view.mkdir(parents=True)
    logs = LogVisibility(tmp_path, "audience", can_overlay=True).mounts_for(window(), AUDIENCE)
    assert logs.at == tmp_path / "logs"
    assert logs.mounts == ((str(view), str(tmp_path / "logs")), (str(tmp_path / OWN), str(tmp_path / OWN)))
    assert (view / "discord-thread" / window().id).is_dir()


def test_where_nothing_can_be_laid_over_it_a_link_leads_from_the_view_to_its_own_logs(tmp_path: Path) -> None:
    view = tmp_path / "views" / "1-2"
    view.mkdir(parents=True)
    visibility = LogVisibility(tmp_path, "audience", can_overlay=False)
    for _ in range(2):
        logs = visibility.mounts_for(window(), AUDIENCE)
        assert logs.at == view
        assert (view / "discord-thread" / window().id).readlink() == tmp_path / OWN
    assert LogVisibility(tmp_path, "audience", can_overlay=True).mounts_for(window(), AUDIENCE).at == tmp_path / "logs"
    assert not (view / "discord-thread" / window().id).is_symlink()


@pytest.mark.parametrize("label", ["", AUDIENCE, "no audience"])
def test_without_a_view_only_its_own_logs_are_shown(tmp_path: Path, label: str) -> None:
    logs = LogVisibility(tmp_path, "audience", can_overlay=True).mounts_for(window(), label)
    assert logs.mounts == ((str(tmp_path / OWN), str(tmp_path / OWN)),)
    assert NO_VIEW not in [path.name for path in tmp_path.rglob("*")]


def test_the_command_line_sees_all_logs_or_none(tmp_path: Path) -> None:
    assert LogVisibility(tmp_path, "global", can_overlay=True).mounts_for(CLI, "").mounts != ()
    assert LogVisibility(tmp_path, "audience", can_overlay=True).mounts_for(CLI, "").mounts == ()


def test_a_scope_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="scope 'all': must be one of global, context, audience"):
        LogVisibility(tmp_path, "all", can_overlay=True)
