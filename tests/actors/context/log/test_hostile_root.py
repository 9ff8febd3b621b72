"""A first start in a data root that another person has filled with the names that the agent makes there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from actors.context.log import reserve
from actors.context.log.data_root import HOSTS_LOCK_NAME, LOCK_NAME, UNFINISHED_RESTORE, DataRoot, DataRootError
from actors.linux.disk import SECRET_FILES, draft_path, put_secret

PRECIOUS = "precious\n" * (reserve.RESERVE_BYTES // 9 + 9)
"""As long as a whole reserve, so that it may be taken for one."""
OF_THE_ROOT = (LOCK_NAME, HOSTS_LOCK_NAME, reserve.NAME, UNFINISHED_RESTORE)
FILES = (*OF_THE_ROOT, *SECRET_FILES, *(draft_path(Path(name)).name for name in SECRET_FILES))
KINDS: Mapping[str, Callable[[Path, Path], object]] = {
    "a link": lambda place, outside: place.symlink_to(outside / "file"),
    "a link to nothing": lambda place, outside: place.symlink_to(outside / "planted"),
    "a link to a folder": lambda place, outside: place.symlink_to(outside),
    "another name": lambda place, outside: place.hardlink_to(outside / "file"),
    "a pipe": lambda place, _outside: os.mkfifo(place),
    "a folder": lambda place, _outside: place.mkdir(),
}


@pytest.mark.timeout(60)  # for all: a pipe is waited for by nobody
def test_what_is_planted_in_a_data_root_leads_nowhere_and_holds_up_nobody(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, (kind, name) in enumerate((kind, name) for kind in KINDS for name in FILES):
        with subtests.test(kind=kind, name=name):
            outside, root = tmp_path / f"outside-{number}", tmp_path / str(number)
            for folder in (outside, root):
                folder.mkdir(mode=0o700)
            (outside / "file").write_text(PRECIOUS)
            KINDS[kind](root / name, outside)

            with suppress(OSError):
                for secret in SECRET_FILES:
                    put_secret(root, secret, "a token", is_durable=False)
            with suppress(DataRootError):
                made = DataRoot(root, hosts_wait_s=0.2)
                made.hold()
                reserve.spend(root)
                reserve.renew(root)
                made.release()

            assert [path.name for path in outside.iterdir()] == ["file"]
            assert (outside / "file").read_text() == PRECIOUS
            (outside / "file").unlink()


def test_what_is_no_lock_is_named(tmp_path: Path) -> None:
    for name in (LOCK_NAME, HOSTS_LOCK_NAME):
        root = tmp_path / f"root-{name}"
        (root / name).mkdir(parents=True)
        with pytest.raises(DataRootError, match=f"{name} cannot be written: Is a directory"):
            DataRoot(root).hold()


def test_copies_of_a_data_root_by_hard_links_do_not_change_one_another(tmp_path: Path) -> None:
    first = DataRoot(tmp_path / "data")
    first.hold()
    for copy in ("one", "other"):
        (tmp_path / copy).mkdir()
        for name in (LOCK_NAME, reserve.NAME):
            (tmp_path / copy / name).hardlink_to(tmp_path / "data" / name)
    first.release()
    (tmp_path / "data" / LOCK_NAME).write_text("the process before")

    second = DataRoot(tmp_path / "one")
    second.hold()
    assert reserve.spend(tmp_path / "one")
    second.release()

    assert (tmp_path / "other" / reserve.NAME).stat().st_size == reserve.RESERVE_BYTES
    assert (tmp_path / "other" / LOCK_NAME).read_text() == "the process before"
