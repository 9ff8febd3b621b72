"""Content of a backup, and refused places."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from actors.backup import copying, sums
from actors.backup.copying import Source, make_backup
from actors.backup.sums import BackupError
from actors.context.log.data_root import DataRoot
from actors.context.log.file import WindowLog
from actors.linux.disk import RealDisk
from tests.actors.backup.roots import (
    CHANNEL,
    NOW,
    REMINDER,
    THREAD,
    back_up,
    lasting_files,
    make_root,
    spoken_event,
    write_log,
)
from tests.actors.facts.index.rig import IndexRig, row, unit
from tests.ordinary_user import as_ordinary_user


def test_everything_that_lasts_is_in_it_and_nothing_else(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    made = back_up(root, tmp_path / "backup")
    assert lasting_files(tmp_path / "backup" / "root") == lasting_files(root)
    assert {path.name for path in (tmp_path / "backup" / "root").iterdir()} == {
        *("attachments", "logs", "reminders", "reminders.md", "skills", "watermarks", "work")
    }
    assert made.files == len(sums.read(tmp_path / "backup")) == 9
    assert made.left_out == []


def test_the_facts_files_are_in_it_and_the_index_that_is_made_of_them_is_not(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    rig = IndexRig(root)
    rig.put(row("a", unit(1, 0)))
    (root / "facts" / "index.sqlite.unusable-20261126T120000Z").write_text("damaged")
    for folder in ("memory_db", "facts"):  # `facts.memory_path` may be either
        (root / folder / "entries").mkdir(parents=True)
        (root / folder / "entries" / "fact.md").write_text("a fact")
    made = back_up(root, tmp_path / "backup")
    rig.stop()
    copied = tmp_path / "backup" / "root"

    assert made.left_out == []
    assert [path.name for path in (copied / "facts").iterdir()] == ["entries"]
    for folder in ("memory_db", "facts"):
        assert (copied / folder / "entries" / "fact.md").read_text() == "a fact"


def test_what_litellm_says_of_models_is_asked_again_after_a_restore(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    (root / "routes").mkdir()
    back_up(root, tmp_path / "backup")

    assert not (tmp_path / "backup" / "root" / "routes").exists()


def test_a_folder_of_the_data_root_that_lies_on_another_disk_is_in_it(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    before = lasting_files(root)
    for name in ("logs", "work", "attachments"):
        (root / name).rename(tmp_path / name)
        (root / name).symlink_to(tmp_path / name)
    made = back_up(root, tmp_path / "backup")
    assert lasting_files(tmp_path / "backup" / "root") == before
    assert made.files == 9


def test_where_a_pipe_or_a_link_to_nothing_stands_for_a_folder_there_is_no_backup(tmp_path: Path) -> None:
    for name, plant in (("logs", lambda place: place.symlink_to("nowhere")), ("attachments", os.mkfifo)):
        root = make_root(tmp_path / name)
        shutil.rmtree(root / name)
        plant(root / name)
        with pytest.raises(BackupError, match=f"{root / name}: must be a folder"):
            back_up(root, tmp_path / "backup")
        assert not (tmp_path / "backup").exists()


def test_nobody_else_can_read_a_backup(tmp_path: Path) -> None:
    made = back_up(make_root(tmp_path / "data"), tmp_path / "backup")
    assert made.folder.stat().st_mode & 0o777 == 0o700


def test_secrets_are_never_copied_whatever_they_are_called(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    (root / "tokens").write_text("secret")
    source = Source(root=root, reminders=None, settings=None, private=(root / "tokens",))
    make_backup(source, tmp_path / "backup", lambda _s: None)
    assert not (tmp_path / "backup" / "root" / "tokens").exists()
    text = b"".join(path.read_bytes() for path in (tmp_path / "backup").rglob("*") if path.is_file())
    assert b"not for others" not in text


class Interloper:
    """Does something to the data root at the moment at which a file of it is copied."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._before: dict[str, Callable[[], object]] = {}
        real = copying._Copier._copy_file

        def copy_file(copier: object, parent: int | None, name: str, path: str, **how: bool) -> None:
            self._before.pop(path, lambda: None)()
            real(copier, parent, name, path, **how)  # type: ignore[arg-type]

        monkeypatch.setattr(copying._Copier, "_copy_file", copy_file)

    def before(self, path: str, act: Callable[[], object]) -> None:
        self._before[path] = act


def test_a_watermark_is_never_newer_than_the_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_root(tmp_path / "data")
    log = next((root / "logs/discord-thread").glob("*/*.md"))

    def message() -> None:
        WindowLog.open(root, log.relative_to(root))[0].append(spoken_event(9, "just logged"))  # type: ignore[arg-type]
        (root / "watermarks").write_text("channel 9\n")

    Interloper(monkeypatch).before(f"root/{log.relative_to(root)}", message)
    back_up(root, tmp_path / "backup")
    assert b"just logged" in (tmp_path / "backup" / "root" / log.relative_to(root)).read_bytes()
    assert (tmp_path / "backup/root/watermarks").read_text() == "channel 1\n"


def test_the_position_of_an_import_is_never_newer_than_the_logs(tmp_path: Path) -> None:
    """A batch is imported, and noted, while the logs are copied."""
    root, copied = make_root(tmp_path / "data"), tmp_path / "backup" / "root"
    position = root / "imports" / "discord.jsonl"
    position.parent.mkdir()
    position.write_text("before 9\n")

    def go_on(_doing: str, _done: int) -> None:
        if (copied / "logs/discord-channel").is_dir():
            position.write_text("before 5\n")

    back_up(root, tmp_path / "backup", progress=go_on)
    assert (copied / "imports/discord.jsonl").read_text() == "before 9\n"


def test_a_forget_request_is_never_newer_than_the_logs(tmp_path: Path) -> None:
    """The words leave the logs while the logs are copied; the restored agent then takes the words out itself."""
    root, copied = make_root(tmp_path / "data"), tmp_path / "backup" / "root"
    request = root / "forget" / "f1.json"
    request.parent.mkdir()
    request.write_text("resolved\n")

    def go_on(_doing: str, _done: int) -> None:
        if (copied / "logs/discord-channel").is_dir():
            request.write_text("done\n")

    back_up(root, tmp_path / "backup", progress=go_on)
    assert (copied / "forget/f1.json").read_text() == "resolved\n"


def test_a_new_log_is_never_copied_without_the_end_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person speaks and asks for a new window while the first log of it is copied."""
    root = make_root(tmp_path / "data")
    older, newer = sorted((root / "logs/discord-channel").glob("*/*.md"))

    def go_on() -> None:
        log, _ = WindowLog.open(root, newer.relative_to(root))  # type: ignore[arg-type]
        log.append(spoken_event(9, "last words"))
        log.end_window()
        write_log(root, CHANNEL, spoken_event(10), started_at=NOW + timedelta(hours=2))

    def older_grows() -> None:
        older.chmod(0o600)
        WindowLog.open(root, older.relative_to(root))[0].append(spoken_event(8, "the older one's end"))  # type: ignore[arg-type]

    interloper = Interloper(monkeypatch)
    interloper.before(f"root/{newer.relative_to(root)}", older_grows)
    interloper.before(f"root/{older.relative_to(root)}", go_on)
    back_up(root, tmp_path / "backup")
    logs = sorted((tmp_path / "backup/root/logs/discord-channel").glob("*/*.md"))
    assert [log.name for log in logs] == [older.name, newer.name]
    assert b"the older one's end" in logs[0].read_bytes(), "the newer was copied first, so the older one is whole"


def test_a_reminder_that_a_log_knows_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_root(tmp_path / "data")
    log = next((root / "logs/discord-thread").glob("*/*.md"))
    later = REMINDER.replace("tea", "cake")
    interloper = Interloper(monkeypatch)
    interloper.before(f"root/{log.relative_to(root)}", lambda: (root / "reminders.md").write_text(REMINDER + later))
    back_up(root, tmp_path / "backup")
    assert (tmp_path / "backup/root/reminders.md").read_text() == REMINDER + later


def test_a_file_that_a_log_names_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_root(tmp_path / "data")
    log = next((root / "logs/discord-thread").glob("*/*.md"))
    file = root / "attachments/discord-thread/1/dog.png"
    Interloper(monkeypatch).before(f"root/{log.relative_to(root)}", lambda: file.write_bytes(b"dog"))
    back_up(root, tmp_path / "backup")
    assert (tmp_path / "backup/root" / file.relative_to(root)).read_bytes() == b"dog"


def test_no_record_is_copied_while_it_is_written(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    log = next((root / "logs/discord-thread").glob("*/*.md"))
    whole = log.read_bytes()
    log.write_bytes(whole[:-30])
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            log.write_bytes(whole)

    make_backup(Source(root=root, reminders=None, settings=None), tmp_path / "backup", pause)
    assert (tmp_path / "backup/root" / log.relative_to(root)).read_bytes() == whole
    assert len(pauses) == 3


def test_what_a_crash_cut_short_is_copied_as_it_is(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    log = next((root / "logs/discord-thread").glob("*/*.md"))
    log.write_bytes(torn := log.read_bytes()[:-30])
    back_up(root, tmp_path / "backup")
    assert (tmp_path / "backup/root" / log.relative_to(root)).read_bytes() == torn


def test_the_reminders_are_copied_when_no_edit_is_under_way(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    spare = root / f".reminders.md.{'0' * 32}.agent"
    spare.write_text("what a person wrote meanwhile")

    def pause(_seconds: float) -> None:
        if spare.exists():
            spare.unlink()
            (root / "reminders.md").write_text("both together\n")

    make_backup(Source(root=root, reminders=root / "reminders.md", settings=None), tmp_path / "b", pause)
    assert (tmp_path / "b/root/reminders.md").read_text() == "both together\n"
    assert not (tmp_path / "b/root" / spare.name).exists()


def test_an_edit_of_the_reminders_that_was_cut_short_is_copied_with_all_its_parts(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    spare = root / f".reminders.md.{'0' * 32}.agent"
    spare.write_text("displaced")
    back_up(root, tmp_path / "b")
    assert (tmp_path / "b/root" / spare.name).read_text() == "displaced"
    assert (tmp_path / "b/root/reminders.md").read_text() == REMINDER


def test_reminders_that_lie_elsewhere_are_in_it(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    vault = tmp_path / "vault.md"
    vault.write_text("vault\n")
    back_up(root, tmp_path / "b", reminders=vault)
    assert (tmp_path / "b/apart/reminders.md").read_text() == "vault\n"


def test_the_settings_file_is_in_it(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    (tmp_path / "agent.toml").write_text("x = 1\n")
    source = Source(root=root, reminders=None, settings=tmp_path / "agent.toml")
    make_backup(source, tmp_path / "b", lambda _s: None)
    assert (tmp_path / "b/apart/agent.toml").read_text() == "x = 1\n"


def test_what_commands_put_into_their_folder_blocks_nothing_and_leads_nowhere(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    cases: list[str] = ["work/discord-thread", "workspace/channels/discord-thread"]
    for number, folder_of in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(folder_of=folder_of):
            root = make_root(place / "data")
            work = root / folder_of / "223456789012345678"
            work.mkdir(parents=True, exist_ok=True)
            (place / "elsewhere").mkdir()
            (place / "elsewhere" / "private").write_text("private")
            os.mkfifo(work / "pipe")
            (work / "link").symlink_to(place / "elsewhere")
            (work / "dangling").symlink_to("nowhere\n\x1b[31m")
            (work / "shut").mkdir()
            (work / "shut" / "file").write_text("shut")
            (work / "shut").chmod(0)
            for name in (
                b"-rf",
                b"new\nline",
                b"back\\slash",
                b"\xff\xfe",
                b"a" * 255,
                b"\x1b]0;title\x07",
                "‮".encode(),
            ):
                (work / os.fsdecode(name)).write_bytes(name)
            folder = os.open(work, os.O_RDONLY)
            with socket.socket(socket.AF_UNIX) as door:
                door.bind(f"/proc/self/fd/{folder}/door")
            os.close(folder)
            made = back_up(root, place / "b")
            copied = place / "b/root" / work.relative_to(root)
            assert (copied / "link").readlink() == place / "elsewhere"
            assert os.readlink(copied / "dangling") == "nowhere\n\x1b[31m"  # noqa: PTH115 - a target is text, not a path
            listed = {path.rpartition("/")[2] for path in sums.read(place / "b")}
            assert {"-rf", "new\nline", "a" * 255, os.fsdecode(b"\xff\xfe"), "back\\slash"} <= listed
            assert "private" not in listed
            assert (copied / "shut" / "file").read_text() == "shut"
            assert sorted(line.rpartition("/")[2] for line in made.left_out) == [
                "door': is no file",
                "pipe': is no file",
            ]


def test_folders_that_are_nested_too_deep_are_named_and_the_rest_is_copied(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    work = os.open(root / "work/discord-thread/223456789012345678", os.O_RDONLY)
    for _ in range(150):
        os.mkdir("d", dir_fd=work)
        inner = os.open("d", os.O_RDONLY, dir_fd=work)
        os.close(work)
        work = inner
    os.close(work)
    made = back_up(root, tmp_path / "b")
    assert len(made.left_out) == 1
    assert "lies too deep" in made.left_out[0]


def test_the_work_that_is_being_thrown_away_is_not_copied(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    (root / "work/.emptied/old").mkdir(parents=True)
    back_up(root, tmp_path / "b")
    assert not (tmp_path / "b/root/work/.emptied").exists()


def test_a_file_that_goes_meanwhile_is_left_out_unless_it_is_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_root(tmp_path / "data")
    interloper = Interloper(monkeypatch)
    notes = root / "work/discord-thread/223456789012345678/notes.txt"
    interloper.before(f"root/{notes.relative_to(root)}", notes.unlink)
    back_up(root, tmp_path / "b")
    log = next((root / "logs/discord-thread").glob("*/*.md"))
    interloper.before(f"root/{log.relative_to(root)}", log.unlink)
    with pytest.raises(BackupError, match="No such file"):
        back_up(root, tmp_path / "c")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("name", [".new", ".imported-123456789012345679-123456789012345680.md.new"])
def test_a_log_that_gets_its_name_meanwhile_fails_no_backup(tmp_path: Path, name: str) -> None:
    root, copied = make_root(tmp_path / "data"), tmp_path / "b" / "root"
    draft = next((root / "logs/discord-channel").glob("*")) / name
    draft.write_text("a beginning")

    def go_on(_doing: str, _done: int) -> None:
        if (copied / draft.relative_to(root)).parent.is_dir():
            draft.unlink(missing_ok=True)

    assert back_up(root, tmp_path / "b", progress=go_on).left_out == []
    assert lasting_files(copied) == lasting_files(root)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="there is no sha256sum here")
def test_any_machine_can_verify_a_backup(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    for name in (b"new\nline", b"back\\slash", b"\xff"):
        (root / "skills/x" / os.fsdecode(name)).write_bytes(name)
    made = back_up(root, tmp_path / "b")
    command = ["sha256sum", "--check", "--strict", "--quiet", sums.NAME]
    assert subprocess.run(command, cwd=made.folder, check=False).returncode == 0
    (made.folder / "root/watermarks").write_text("altered")
    assert subprocess.run(command, cwd=made.folder, capture_output=True, check=False).returncode == 1


class FullAtTheEnd(RealDisk):
    def sync_all(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_what_may_not_be_changed_is_copied_and_taken_away_again_where_a_backup_fails(
    tmp_path: Path,
) -> None:
    root = make_root(tmp_path / "data")
    cache = root / "work/discord-thread/223456789012345678/cache"
    cache.mkdir()
    (cache / "module").touch()
    cache.chmod(0o500)
    with as_ordinary_user():
        made = back_up(root, tmp_path / "b")
        assert lasting_files(made.folder / "root") == lasting_files(root)
        with pytest.raises(BackupError, match="No space left"):
            back_up(root, tmp_path / "c", disk=FullAtTheEnd())
    assert not (tmp_path / "c").exists()


def test_a_place_that_cannot_be_used_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    (tmp_path / "file").touch()
    (tmp_path / "broken").symlink_to("nowhere")
    (tmp_path / "half" / "root").mkdir(parents=True)
    (tmp_path / "into").symlink_to(root)
    for place, words in {
        "full": "is not empty",
        "half": "unfinished backup",
        "file": "Not a directory",
        "file/below": "Not a directory",
        "broken": "leads nowhere",
        "data": "in the data root",
        "data/logs": "in the data root",
        "into/backup": "in the data root",
    }.items():
        with pytest.raises(BackupError, match=words):
            back_up(root, tmp_path / place)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine"]
    with pytest.raises(BackupError, match="no such folder"):
        back_up(tmp_path / "nothing", tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_an_empty_folder_can_take_a_backup(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    assert back_up(make_root(tmp_path / "data"), tmp_path / "b").files


def test_reminders_at_rest_are_waited_for_by_nobody(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    waits: list[float] = []
    make_backup(Source(root=root, reminders=root / "reminders.md", settings=None), tmp_path / "b", waits.append)
    assert waits == []


def test_what_an_edit_begun_since_has_put_beside_the_reminders_is_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds more than the copy of the reminders does, and would be taken for an edit that was cut short."""
    root = make_root(tmp_path / "data")
    beside, elsewhere = root / ".reminders.md.1.agent", root / "skills/x/.reminders.md.1.agent"
    interloper = Interloper(monkeypatch)

    def begin() -> None:
        beside.write_text("new")
        elsewhere.write_text("of a skill")

    elsewhere.write_text("of a skill")
    interloper.before("root/reminders.md", begin)
    back_up(root, tmp_path / "b")
    assert not (tmp_path / "b/root" / beside.name).exists()
    assert (tmp_path / "b" / "root" / elsewhere.relative_to(root)).read_text() == "of a skill"


def test_a_backup_is_made_while_the_agent_holds_the_data_root(tmp_path: Path) -> None:
    root = make_root(tmp_path / "data")
    holder = DataRoot(root)
    holder.hold()
    try:
        assert back_up(root, tmp_path / "b").files
    finally:
        holder.release()
    assert THREAD.id in str(next((tmp_path / "b/root/logs/discord-thread").iterdir()))
