"""A data root that was made of a backup, and backups that are refused."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.backup.restoring import Restored, restore_backup
from actors.backup.sums import BackupError
from actors.context.log.data_root import UNFINISHED_RESTORE, DataRoot, DataRootError
from actors.context.log.redactions import Redactions
from actors.linux.disk import RealDisk
from domain.log.event import Kind, event
from domain.log.redaction import tombstone_meta, tombstones_in
from tests.actors.backup.roots import NOW, REMINDER, THREAD, back_up, lasting_files, make_root, spoken_event, write_log
from tests.ordinary_user import as_ordinary_user


def restore(
    source: Path, root: Path, reminders: Path | None = None, *, replace: bool = False, **given: Any
) -> Restored:
    return restore_backup(source, root, reminders, NOW, replace=replace, **given)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    root = make_root(tmp_path / "data")
    (root / "work/discord-thread/223456789012345678/link").symlink_to("../../..")
    (root / "work/discord-thread/223456789012345678/run.sh").write_text("echo")
    (root / "work/discord-thread/223456789012345678/run.sh").chmod(0o755)
    return back_up(root, tmp_path / "backup").folder


def test_what_is_restored_is_what_was_there(tmp_path: Path, backup: Path) -> None:
    restored = restore(backup, tmp_path / "new" / "root")
    assert lasting_files(restored.root) == lasting_files(tmp_path / "data")
    log = next((restored.root / "logs").glob("*/*/*.md"))
    before = tmp_path / "data" / log.relative_to(restored.root)
    assert log.stat().st_mtime_ns == before.stat().st_mtime_ns, "the memory knows a log by its time"
    DataRoot(restored.root).hold()


def test_it_may_be_restored_into_an_empty_root_and_one_that_was_only_held(tmp_path: Path, backup: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert restore(backup, tmp_path / "empty").files
    held = DataRoot(tmp_path / "held")
    held.hold()
    held.release()
    assert restore(backup, held.path).files
    assert lasting_files(held.path) == lasting_files(tmp_path / "data")


def test_a_root_that_is_held_is_refused(tmp_path: Path, backup: Path) -> None:
    holder = DataRoot(tmp_path / "root")
    holder.hold()
    with pytest.raises(BackupError, match="another agent uses it"):
        restore(backup, holder.path, replace=True)
    holder.release()


def test_nobody_can_start_an_agent_on_it_meanwhile(tmp_path: Path, backup: Path) -> None:
    tried: list[int] = []

    def try_to_start(_doing: str, done: int) -> None:
        if (tmp_path / "root" / UNFINISHED_RESTORE).exists():
            with pytest.raises(DataRootError, match="another agent"):
                DataRoot(tmp_path / "root").hold()
            tried.append(done)

    restore(backup, tmp_path / "root", progress=try_to_start)
    assert tried


def test_a_root_that_holds_something_is_refused_unless_it_may_be_moved_aside(tmp_path: Path, backup: Path) -> None:
    other = make_root(tmp_path / "other")
    write_log(other, THREAD, spoken_event(77, "only here"))
    before = lasting_files(other)
    with pytest.raises(BackupError, match=r"is not empty .*--replace"):
        restore(backup, other)
    assert lasting_files(other) == before
    restored = restore(backup, other, replace=True)
    assert lasting_files(other) == lasting_files(tmp_path / "data")
    assert restored.replaced is not None
    assert lasting_files(restored.replaced) == before


def test_each_step_of_a_restore_is_on_the_disk_before_the_next(tmp_path: Path, backup: Path) -> None:
    root = make_root(tmp_path / "other")
    (root / "old").write_text("of before")
    stage = root / UNFINISHED_RESTORE
    steps: list[tuple[object, ...]] = []

    class NotingDisk(RealDisk):
        def sync_all(self) -> None:
            staged = sorted(path.name for path in stage.iterdir()) if stage.exists() else None
            steps.append((bool(staged), stage.exists(), (root / "old").exists(), (root / "logs").is_dir()))

    restore(backup, root, replace=True, disk=NotingDisk())
    written, moved, finished = (True, True, True, True), (False, True, False, True), (False, False, False, True)
    assert steps == [written, moved, finished]


def damage(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


def test_any_byte_that_changed_is_noticed_and_nothing_is_restored(tmp_path: Path, backup: Path) -> None:
    files = sorted(path for path in backup.rglob("*") if path.is_file() and not path.is_symlink())
    files = [path for path in files if path.stat().st_size]
    chance = random.Random(14)
    for _ in range(60):
        path = chance.choice(files)
        at = chance.randrange(path.stat().st_size)
        damage(path, at)
        with pytest.raises(BackupError):
            restore(backup, tmp_path / "root")
        damage(path, at)
        assert not list((tmp_path / "root").glob("[!.]*")) if (tmp_path / "root").exists() else True
    assert restore(backup, tmp_path / "root").files


def put_a_link_in_its_place(folder: Path) -> None:
    (folder / "root/watermarks").unlink()
    (folder / "root/watermarks").symlink_to("/etc/passwd")


def put_a_pipe_in_its_place(folder: Path) -> None:
    (folder / "root/watermarks").unlink()
    os.mkfifo(folder / "root/watermarks")


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "SHA256SUMS").unlink(),
        lambda folder: (folder / "SHA256SUMS").write_bytes((folder / "SHA256SUMS").read_bytes()[:-90]),
        lambda folder: (folder / "root/watermarks").unlink(),
        lambda folder: (folder / "root/watermarks").write_text("longer than it was\n"),
        lambda folder: (folder / "root/more").touch(),
        put_a_link_in_its_place,
        put_a_pipe_in_its_place,
    ],
    ids=["no sums", "a sum less", "a file gone", "a file longer", "a file more", "a link instead", "a pipe instead"],
)
def test_a_backup_that_is_not_whole_is_refused(tmp_path: Path, backup: Path, harm: Callable[[Path], object]) -> None:
    harm(backup)
    with pytest.raises(BackupError):
        restore(backup, tmp_path / "root")
    assert not (tmp_path / "root").exists()


def test_a_restore_that_was_cut_short_is_no_data_root_and_can_be_made_again(tmp_path: Path, backup: Path) -> None:
    class Killed(BaseException):
        pass

    class KillingDisk(RealDisk):
        def sync_all(self) -> None:
            raise Killed

    with pytest.raises(Killed):
        restore(backup, tmp_path / "root", disk=KillingDisk())
    with pytest.raises(DataRootError, match="restore was cut short"):
        DataRoot(tmp_path / "root").hold()
    assert restore(backup, tmp_path / "root").files
    assert lasting_files(tmp_path / "root") == lasting_files(tmp_path / "data")
    DataRoot(tmp_path / "root").hold()


def test_a_file_that_the_disk_alters_while_it_is_restored_is_noticed(tmp_path: Path, backup: Path) -> None:
    def alter(_doing: str, done: int) -> None:
        for copy in (tmp_path / "root" / UNFINISHED_RESTORE).rglob("cat.png"):
            if done == 1:
                copy.write_bytes(b"!" + copy.read_bytes()[1:])

    with pytest.raises(BackupError, match=r"cat\.png.*is not what was copied"):
        restore(backup, tmp_path / "root", progress=alter)
    assert [path.name for path in (tmp_path / "root").iterdir()] == ["agent.lock"]


def test_a_disk_without_room_is_said_before_anything_is_written(tmp_path: Path, backup: Path) -> None:
    with pytest.raises(BackupError, match="MB are needed and"):
        restore(backup, tmp_path / "root", margin_bytes=10**18)
    assert [path.name for path in (tmp_path / "root").iterdir()] == ["agent.lock"]


def test_it_cannot_be_restored_into_itself(backup: Path) -> None:
    with pytest.raises(BackupError, match="lies in the backup"):
        restore(backup, backup / "root")


def test_words_that_were_taken_back_stay_hidden_from_commands(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    path = write_log(
        root, THREAD, spoken_event(1, "a secret recipe"), spoken_event(2), started_at=NOW.replace(year=2027)
    )
    relative = path.relative_to(root).as_posix()
    gone = event("x", NOW, Kind.TOMBSTONE, "", {"event": "e1", "path": relative, "line": 5, "message_id": "1"})
    (tombstone,) = tombstones_in([gone])
    write_log(
        root,
        THREAD,
        event("x1", NOW, Kind.TOMBSTONE, "", tombstone_meta(tombstone, "deleted")),
        started_at=NOW.replace(year=2028),
    )
    Redactions(root).take_back([tombstone])
    back_up(root, tmp_path / "b")
    restored = restore(tmp_path / "b", tmp_path / "root").root
    copy = restored / "redacted" / path.relative_to(root / "logs")
    assert copy.read_bytes() == (root / "redacted" / path.relative_to(root / "logs")).read_bytes()
    assert b"secret recipe" not in copy.read_bytes()


def test_reminders_are_on_the_disk_before_they_have_their_name(tmp_path: Path) -> None:
    root, vault = make_root(tmp_path / "data"), tmp_path / "vault.md"
    vault.write_text(REMINDER)
    backup = back_up(root, tmp_path / "b", reminders=vault).folder
    vault.unlink()
    drafts: list[list[str]] = []

    class NotingDisk(RealDisk):
        def sync_all(self) -> None:
            drafts.append([path.name for path in tmp_path.glob(".vault*")])

    restore(backup, tmp_path / "root", vault, disk=NotingDisk())
    assert [".vault.md" + UNFINISHED_RESTORE] in drafts


def test_reminders_that_lay_elsewhere_go_where_the_settings_want_them_but_over_nothing(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    vault = tmp_path / "vault.md"
    vault.write_text("from the backup\n")
    backup = back_up(root, tmp_path / "b", reminders=vault).folder
    assert restore(backup, tmp_path / "same", vault).reminders == vault
    vault.write_text("written since\n")
    kept_beside = restore(backup, tmp_path / "one", vault).reminders
    assert vault.read_text() == "written since\n"
    assert kept_beside is not None
    assert kept_beside.read_text() == "from the backup\n"
    vault.unlink()
    assert restore(backup, tmp_path / "two", vault).reminders == vault
    assert vault.read_text() == "from the backup\n"


def test_a_restore_that_was_cut_short_leaves_no_half_of_the_reminders_and_no_data_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def be_killed(_source: Path, place: Path, **_options: object) -> None:
        place.write_text("- [ ] date=2030-")
        raise Killed

    root, vault = make_root(tmp_path / "data"), tmp_path / "vault.md"
    vault.write_text(REMINDER)
    backup = back_up(root, tmp_path / "b", reminders=vault).folder
    vault.unlink()
    copy = shutil.copyfile

    def kill_at_the_reminders(source: Path, place: Path, **options: bool) -> None:
        (be_killed if Path(source).parent.name == "apart" else copy)(source, place, **options)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", kill_at_the_reminders)
        with pytest.raises(Killed):
            restore(backup, tmp_path / "root", vault)
    assert not vault.exists()
    with pytest.raises(DataRootError, match="restore was cut short"):
        DataRoot(tmp_path / "root").hold()
    (tmp_path / ".vault.md.restoring").write_text("- [ ] date=2030-")  # as after a kill, when nothing is tidied up
    assert restore(backup, tmp_path / "root", vault, replace=True).reminders == vault
    assert vault.read_text() == REMINDER
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b", "data", "root", "vault.md"]


def test_reminders_that_cannot_lie_where_the_settings_want_them_go_into_the_data_root_beside_earlier_ones(
    tmp_path: Path,
) -> None:
    root, vault = make_root(tmp_path / "data"), tmp_path / "shut" / "vault.md"
    vault.parent.mkdir()
    vault.write_text(REMINDER)
    (root / "reminders.restored.md").write_text("of an earlier restore\n")
    backup = back_up(root, tmp_path / "b", reminders=vault).folder
    vault.unlink()
    vault.parent.chmod(0o500)
    with as_ordinary_user():
        restored = restore(backup, tmp_path / "root", vault)
    assert restored.reminders is not None
    assert restored.reminders.read_text() == REMINDER
    assert (tmp_path / "root" / "reminders.restored.md").read_text() == "of an earlier restore\n"
    DataRoot(tmp_path / "root").hold()


def test_a_restore_that_was_cut_short_is_made_again_though_folders_are_for_reading_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_root(tmp_path / "data")
    cache = root / "work/discord-thread/223456789012345678/cache"
    cache.mkdir()
    (cache / "module").touch()
    cache.chmod(0o500)
    backup = back_up(root, tmp_path / "b").folder
    shutil.copytree(root, tmp_path / "root" / UNFINISHED_RESTORE)
    with as_ordinary_user():
        assert restore(backup, tmp_path / "root").files
    assert lasting_files(tmp_path / "root") == lasting_files(root)
