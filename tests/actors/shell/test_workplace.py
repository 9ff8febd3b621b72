from __future__ import annotations

from pathlib import Path

import pytest

from actors.shell.refused import RefusedError
from actors.shell.workplace import Workplaces, workdir
from messages.base import Surface, Window
from tests.actors.shell.bench import CLI, window


@pytest.fixture
def places(tmp_path: Path) -> Workplaces:
    return Workplaces(work_root=tmp_path / "data" / "work", data_root=tmp_path / "data", cli_workdir=None)


def test_a_window_gets_a_directory_that_only_the_agent_may_enter(places: Workplaces, tmp_path: Path) -> None:
    place = places.open(window())
    assert place.cwd == place.home == workdir(tmp_path / "data" / "work", window())
    assert [path.stat().st_mode & 0o777 for path in (place.cwd, place.cwd.parent, place.cwd.parent.parent)] == [
        0o700
    ] * 3


def test_pointers_into_the_logs_work_there(places: Workplaces, tmp_path: Path) -> None:
    log = tmp_path / "data" / "logs" / "discord-thread" / "1.md"
    log.parent.mkdir(parents=True)
    log.write_text("said")
    assert (places.open(window()).cwd / "logs" / "discord-thread" / "1.md").read_text() == "said"


def test_opening_again_keeps_what_is_there(places: Workplaces) -> None:
    (places.open(window()).cwd / "note").write_text("kept")
    assert (places.open(window()).cwd / "note").read_text() == "kept"


def test_a_link_that_points_elsewhere_is_put_right(places: Workplaces, tmp_path: Path) -> None:
    link = places.open(window()).cwd / "logs"
    link.unlink()
    link.symlink_to(tmp_path)
    places.open(window())
    assert link.readlink() == tmp_path / "data" / "logs"


def test_a_directory_that_a_command_put_in_the_place_of_the_link_is_left_alone(places: Workplaces) -> None:
    link = places.open(window()).cwd / "logs"
    link.unlink()
    link.mkdir()
    (link / "mine").touch()
    assert (places.open(window()).cwd / "logs" / "mine").exists()


def test_a_file_in_the_way_is_a_refusal(places: Workplaces, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "work").touch()
    with pytest.raises(RefusedError, match="Working directory cannot be made"):
        places.open(window())


def test_the_command_line_needs_a_directory(places: Workplaces) -> None:
    with pytest.raises(RefusedError, match="No working directory was given"):
        places.open(CLI)


def test_the_home_of_the_command_line_is_temporary_and_private(tmp_path: Path) -> None:
    places = Workplaces(work_root=tmp_path / "work", data_root=tmp_path, cli_workdir=tmp_path)
    place = places.open(CLI)
    assert place.cwd == tmp_path
    assert place.home.stat().st_mode & 0o777 == 0o700
    assert places.open(CLI) == place
    places.close()
    places.close()
    assert not place.home.exists()


@pytest.mark.parametrize("name", ["", "..", "../../x", "1" * 14, "1" * 21, "１" * 18])
def test_only_a_snowflake_names_a_directory(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="15 to 20 decimal digits"):
        workdir(tmp_path, Window(surface=Surface.DISCORD_CHANNEL, id=name))


def test_the_command_line_has_no_directory_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="surface"):
        workdir(tmp_path, CLI)
