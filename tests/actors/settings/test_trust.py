"""The list of trusted files is the user's own: nothing that another person can write is taken for it."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.settings.trust import TrustError, UserTrust, digest_of, place_of, read_trust_list, trust_path
from domain.policy.folder_trust import Standing, TrustList

CONTENT = b"[shell]\n"


def listed(folder: Path, path: Path, content: bytes | None = CONTENT) -> dict[str, str]:
    """An environment in whose state folder `path` is trusted with `content`."""
    environ = {"XDG_STATE_HOME": str(folder)}
    file = trust_path(environ)
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_text(TrustList({place_of(path): digest_of(content)}).render())
    file.chmod(0o600)
    return environ


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_link(path: Path) -> None:
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def test_the_list_lies_in_the_users_state_folder() -> None:
    assert trust_path({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == Path("/s/remembrancer/trusted.json")
    assert trust_path({"HOME": "/h"}) == Path("/h/.local/state/remembrancer/trusted.json")


@pytest.mark.parametrize(
    "environ", [{"HOME": "."}, {"XDG_STATE_HOME": "state", "HOME": ""}, {"XDG_STATE_HOME": ""}, {}]
)
def test_no_variable_has_the_list_looked_for_in_the_folder_one_stands_in(
    environ: dict[str, str],
) -> None:
    home = pwd.getpwuid(0).pw_dir

    assert trust_path(environ, user=0) == Path(home) / ".local/state/remembrancer/trusted.json"


def test_a_user_without_a_home_folder_trusts_nothing(tmp_path: Path) -> None:
    trust = UserTrust({}, user=987_654)

    assert trust.standing(tmp_path / "agent.toml", digest_of(CONTENT)) is Standing.UNKNOWN
    assert "set HOME or XDG_STATE_HOME" in trust.trouble


def test_without_a_list_nothing_is_trusted_and_nothing_is_wrong(tmp_path: Path) -> None:
    trust = UserTrust({"XDG_STATE_HOME": str(tmp_path)})

    assert trust.standing(tmp_path / "agent.toml", digest_of(CONTENT)) is Standing.UNKNOWN
    assert trust.trouble == ""


def test_a_folder_is_the_same_by_whatever_path_it_is_reached(tmp_path: Path) -> None:
    """microsoft/vscode#126746: a trusted folder that was opened by a link was not recognised."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    trust = UserTrust(listed(tmp_path / "state", tmp_path / "real" / "agent.toml"))

    for path in ("real/agent.toml", "link/agent.toml", "real/../link/agent.toml"):
        assert trust.standing(tmp_path / path, digest_of(CONTENT)) is Standing.TRUSTED


def test_a_link_to_a_trusted_file_makes_no_other_folder_trusted(tmp_path: Path) -> None:
    """microsoft/vscode#132210: where a link leads must not lend trust to the place in which the link was put."""
    for name in ("own", "hostile"):
        (tmp_path / name).mkdir()
    (tmp_path / "own" / "agent.toml").write_bytes(CONTENT)
    (tmp_path / "hostile" / "agent.toml").symlink_to(tmp_path / "own" / "agent.toml")
    trust = UserTrust(listed(tmp_path / "state", tmp_path / "own" / "agent.toml"))

    assert trust.standing(tmp_path / "hostile" / "agent.toml", digest_of(CONTENT)) is Standing.UNKNOWN


def test_a_list_that_cannot_be_believed_trusts_nothing_and_is_named(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[Callable[[Path], object], str]] = [
        (lambda path: path.write_text("{"), "is damaged: must be JSON"),
        (lambda path: path.write_bytes(b"\xff"), "is damaged: must be ASCII"),
        (lambda path: path.chmod(0o644), "mode is 0644"),
        (lambda path: path.chmod(0o602), "mode is 0602"),
        (lambda path: path.parent.chmod(0o777), "mode is 0777"),
        (make_folder, "must be a file"),
        (make_pipe, "must be a file"),
        (make_link, "cannot be read"),
        (lambda path: path.write_bytes(b" " * (16 * 1024 * 1024 + 1)), "must have at most"),
    ]
    for number, (spoil, told) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(spoil=spoil, told=told):
            environ = listed(place / "state", place / "agent.toml")
            spoil(trust_path(environ))
            trust = UserTrust(environ)

            assert trust.standing(place / "agent.toml", digest_of(CONTENT)) is Standing.UNKNOWN
            assert str(trust_path(environ).parent) in trust.trouble
            assert told in trust.trouble


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_list_of_another_user_is_not_believed(tmp_path: Path) -> None:
    """As with `sudo`, which keeps HOME: root does not obey what a user has trusted for himself (CVE-2022-24765 of git)."""
    environ = listed(tmp_path / "state", tmp_path / "agent.toml")
    os.chown(trust_path(environ), 12_345, -1)

    with pytest.raises(TrustError, match="belongs to user 12345"):
        read_trust_list(trust_path(environ))
