from __future__ import annotations

import stat
from pathlib import Path

import pytest

from actors.gateway.own_key import OwnKey, OwnKeyError, own_key
from actors.linux.disk import GATEWAY_KEY


def tells_nothing(_address: str, _uid: int) -> bool:
    return False


def make_key(root: Path) -> OwnKey:
    key = own_key(root, "127.0.0.1", has_keys=False, tells=tells_nothing)
    assert key is not None
    return key


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_no_key_is_made_where_the_kernel_tells_who_connects(tmp_path: Path, address: str) -> None:
    assert own_key(tmp_path, address, has_keys=False) is None
    assert list(tmp_path.iterdir()) == []


def test_no_key_is_made_beside_those_of_the_settings(tmp_path: Path) -> None:
    assert own_key(tmp_path, "127.0.0.1", has_keys=True, tells=tells_nothing) is None


@pytest.mark.parametrize("address", ["192.0.2.1", "0.0.0.0", "::", "memory.test"])
def test_no_key_is_made_for_an_address_that_takes_keys_of_the_operator(tmp_path: Path, address: str) -> None:
    assert own_key(tmp_path, address, has_keys=False, tells=tells_nothing) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("X-203")
def test_a_key_is_made_once_kept_for_its_user_alone_and_told_with_its_use(
    tmp_path: Path, system_syncs: list[tuple[str, str]]
) -> None:
    first, second = make_key(tmp_path / "data"), make_key(tmp_path / "data")

    assert system_syncs[-1] == ("fsync", str(tmp_path / "data"))

    assert (first.key, first.is_new) == (second.key, not second.is_new)
    assert len(first.key) == 32
    assert stat.S_IMODE(first.path.stat().st_mode) == 0o600
    assert f"the key {first.key} (Authorization: Bearer" in first.sentence(shows_key=True)
    assert first.key not in first.sentence(shows_key=False)
    assert str(first.path) in first.sentence(shows_key=False)
    assert first.key not in repr(first)


@pytest.mark.parametrize(("content", "mode"), [("k" * 40, 0o644), ("short", 0o600), ("", 0o600)])
def test_a_file_that_is_no_safe_key_is_refused_and_left_as_it_is(tmp_path: Path, content: str, mode: int) -> None:
    (tmp_path / GATEWAY_KEY).write_text(content)
    (tmp_path / GATEWAY_KEY).chmod(mode)

    with pytest.raises(OwnKeyError, match=GATEWAY_KEY):
        make_key(tmp_path)
    assert (tmp_path / GATEWAY_KEY).read_text() == content


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("k" * 40)
    (tmp_path / GATEWAY_KEY).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OwnKeyError, match=GATEWAY_KEY):
        make_key(tmp_path)


def test_a_root_that_takes_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    with pytest.raises(OwnKeyError, match="data"):
        make_key(tmp_path / "data")
