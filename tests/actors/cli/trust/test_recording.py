"""The list of trusted files is changed whole or not at all, and never lost."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors.cli.trust.recording import change_trust_list
from actors.settings.trust import TrustError, digest_of, read_trust_list, trust_path

DIGEST = digest_of(b"")


def add(environ: dict[str, str], *paths: str) -> None:
    change_trust_list(environ, lambda known: known.with_files(dict.fromkeys(paths, DIGEST)))


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def test_the_folder_and_the_list_are_closed_to_others_whatever_the_umask(environ: dict[str, str]) -> None:
    before = os.umask(0)
    try:
        add(environ, "/a/agent.toml")
    finally:
        os.umask(before)

    path = trust_path(environ)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path.parents[1], path.parent, path)] == [0o700, 0o700, 0o600]
    assert [each.name for each in path.parent.iterdir()] == ["trusted.json"]


def test_the_list_survives_a_power_loss(environ: dict[str, str], system_syncs: list[tuple[str, str]]) -> None:
    add(environ, "/a/agent.toml")
    assert system_syncs[-1] == ("fsync", str(trust_path(environ).parent))


def test_of_writers_at_the_same_time_each_is_in_the_list(environ: dict[str, str]) -> None:
    paths = [f"/{number}/agent.toml" for number in range(40)]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda path: add(environ, path), paths))

    assert set(read_trust_list(trust_path(environ)).digests) == set(paths)


@pytest.mark.parametrize("content", [b"{", b"\xff", b'{"version": 9, "files": {"/a/agent.toml": ""}}'])
def test_a_damaged_list_is_refused_and_stays_as_it_is(environ: dict[str, str], content: bytes) -> None:
    add(environ, "/a/agent.toml")
    trust_path(environ).write_bytes(content)

    with pytest.raises(TrustError, match=r"trusted\.json: is damaged: .*; mend it, or move it away and trust again"):
        add(environ, "/b/agent.toml")

    assert trust_path(environ).read_bytes() == content


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").touch()

    with pytest.raises(TrustError, match=r"state/remembrancer/trusted\.json: cannot be written: "):
        add({"XDG_STATE_HOME": str(tmp_path / "state")}, "/a/agent.toml")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give folders away")
def test_root_with_the_home_of_another_user_records_nothing_there(tmp_path: Path) -> None:
    """As `sudo` leaves it: a list of root's in that home would be one that its owner cannot read."""
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 12_345, -1)

    with pytest.raises(TrustError, match="belongs to user 12345, and this is user 0"):
        add({"HOME": str(home)}, "/a/agent.toml")

    assert list(home.iterdir()) == []
