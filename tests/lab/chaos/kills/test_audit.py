"""Audit of a data root: doctored logs, a doctored index, a command that ran twice."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

import apsw
import pytest

from actors.context.log.file import WindowLog
from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.log.parser import parse
from domain.log.redaction import Tombstone, tombstone_meta
from domain.log.window_folders import attachments_folder
from domain.memory.remembered import Remembered, entry_of_event
from lab.chaos.kills.audit import compare_index, count_commands, newest_log, read_deliveries, read_logs
from lab.chaos.kills.ledger import Tally
from messages.base import EventId, Surface, Window

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ID = 910000000000000077
THREAD = Window(surface=Surface.DISCORD_THREAD, id=str(ID))
_TABLES = (
    "CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT); "
    "CREATE TABLE turns(file INTEGER, line INTEGER, event TEXT, hash BLOB)"
)


def user_event(number: int, text: str) -> Event:
    return event(f"user{number}", NOW, Kind.USER, text, {"author": "you", "message_id": str(number)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log with three messages, of which the second was left when people began anew, and the third for another reason."""
    log = WindowLog.create(tmp_path, THREAD, NOW, opened_by="you")
    log.append(user_event(1, "one"), user_event(2, "two"), user_event(3, "three"))
    ended = {"turn": "user2", "what": "aborted"}
    log.append(event("sys2", NOW, Kind.SYSTEM, "unanswered: a new window was started by you", ended))
    log.append(event("sys3", NOW, Kind.SYSTEM, "unanswered: stopped by you", {"turn": "user3", "what": "aborted"}))
    log.append(event("agent1", NOW, Kind.AGENT, "an answer", {"turn": "user1"}))
    log.append(event("deliv1", NOW, Kind.DELIVERY, "", {"event": "agent1", "message_ids": ["101", "102"]}))
    log.close()
    newest = newest_log(tmp_path, ID)
    assert newest is not None
    return newest


def rows_of(data_root: Path, path: Path) -> list[tuple[str, int, str, bytes]]:
    relative = str(path.relative_to(data_root))
    rows: list[tuple[str, int, str, bytes]] = []
    for logged in parse(path.read_bytes()).events:
        each = logged.event
        entry = entry_of_event(
            path=relative,
            line=logged.line,
            event_id=each.id,
            kind=each.kind,
            at=each.at,
            text=each.content,
            meta_json=each.meta_json,
        )
        if isinstance(entry, Remembered):
            rows.append((relative, entry.line, entry.event_id, entry.hash))
    return rows


def write_index(data_root: Path, rows: Iterable[tuple[str, int, str, bytes]]) -> None:
    (data_root / "memory").mkdir(exist_ok=True)
    (data_root / "memory" / "index.sqlite").unlink(missing_ok=True)
    connection = apsw.Connection(str(data_root / "memory" / "index.sqlite"))
    connection.execute(_TABLES)
    for number, (path, *row) in enumerate(rows):
        connection.execute("INSERT INTO files VALUES (?, ?)", (number, path))
        connection.execute("INSERT INTO turns VALUES (?, ?, ?, ?)", (number, *row))
    connection.close()


def test_what_people_said_is_read_with_its_id_and_who_ended_its_turn(tmp_path: Path, path: Path) -> None:
    tally = Tally()
    read = read_logs(tmp_path, tally)
    assert path.name
    assert [(each.channel_id, each.message_id, each.text, each.is_taken_back) for each in read] == [
        (ID, 1, "one", False),
        (ID, 2, "two", True),
        (ID, 3, "three", False),
    ]
    assert tally.bad_logs == 0


def test_a_withdrawn_message_is_read_as_such_and_has_no_row(tmp_path: Path, path: Path) -> None:
    rows = rows_of(tmp_path, path)
    log, _ = WindowLog.open(tmp_path, PurePosixPath(path.relative_to(tmp_path)))
    line = next(each.line for each in parse(path.read_bytes()).events if each.event.id == "user3")
    gone = Tombstone(
        event_id=EventId("user3"), path=str(path.relative_to(tmp_path)), line=line, message_id="3", is_quote=False
    )
    log.append(event("tomb3", NOW, Kind.TOMBSTONE, "", tombstone_meta(gone, "deleted")))
    log.close()
    assert [(each.message_id, each.is_withdrawn) for each in read_logs(tmp_path, Tally())] == [
        (1, False),
        (2, False),
        (3, True),
    ]
    write_index(tmp_path, [row for row in rows if row[2] != "user3"])
    tally = Tally()
    compare_index(tmp_path, tally)
    assert tally.index_differences == 0


def test_a_kept_file_is_read_and_one_that_is_gone_is_lost(tmp_path: Path, path: Path) -> None:
    log, _ = WindowLog.open(tmp_path, PurePosixPath(path.relative_to(tmp_path)))
    for number, attached in (
        (4, {"path": "attachments/4/a.bin"}),
        (5, {"path": "x/b.bin"}),
        (6, {"note": "too large"}),
    ):
        meta: dict[str, MetaValue] = {"message_id": str(number), "attachments": [{**attached}], "typed": 4}
        log.append(event(f"user{number}", NOW, Kind.USER, "text and the rest", meta))
    log.close()
    attachment = tmp_path / attachments_folder(THREAD) / "4"
    attachment.mkdir(parents=True)
    (attachment / "a.bin").write_bytes(b"file")
    read = {each.message_id: (each.text, each.file, each.is_file_lost) for each in read_logs(tmp_path, Tally())}
    assert [read[number] for number in (4, 5, 6)] == [
        ("text", b"file", False),
        ("text", None, True),
        ("text", None, False),
    ]


def test_deliveries_tell_what_was_answered(tmp_path: Path, path: Path) -> None:
    assert path.exists()
    assert read_deliveries(tmp_path) == {101: 1, 102: 1}


def test_a_notice_that_a_new_window_owed_tells_what_was_answered(tmp_path: Path, path: Path) -> None:
    """Campaign of kills, seed 48, batch 283."""
    log, _ = WindowLog.open(tmp_path, PurePosixPath(path.relative_to(tmp_path)))
    log.append(event("notice1", NOW, Kind.SYSTEM, "not answered", {"turn": "user3", "what": "failed"}))
    log.close()
    log = WindowLog.create(tmp_path, THREAD, NOW + timedelta(minutes=1), opened_by="you")
    log.append(event("deliv2", NOW, Kind.DELIVERY, "", {"event": "notice1", "message_ids": ["103"]}))
    log.close()

    assert read_deliveries(tmp_path) == {101: 1, 102: 1, 103: 3}


def test_a_changed_byte_and_a_torn_end_are_bad_logs(tmp_path: Path, path: Path) -> None:
    whole = path.read_bytes()
    for doctored in (whole.replace(b"three", b"thr3e"), whole + b"## 2026-01-01T00:00:00.000Z us"):
        path.chmod(0o600)
        path.write_bytes(doctored)
        tally = Tally()
        read_logs(tmp_path, tally)
        assert tally.bad_logs >= 1


def test_rows_that_are_missing_or_too_many_or_altered_are_counted(tmp_path: Path, path: Path) -> None:
    rows = rows_of(tmp_path, path)
    assert len(rows) >= 2
    doctored = {
        "sound": (rows, 0),
        "missing": (rows[1:], 1),
        "twice": ([*rows, rows[0]], 1),
        "altered": ([(*rows[0][:3], b"another hash"), *rows[1:]], 2),
        "empty": ([], len(rows)),
    }
    tally = Tally()
    compare_index(tmp_path, tally)
    assert tally.index_differences == len(rows), "no index"
    for harm, (written, differences) in doctored.items():
        write_index(tmp_path, written)
        tally = Tally()
        compare_index(tmp_path, tally)
        assert tally.index_differences == differences, harm


def test_a_command_that_was_begun_twice_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "work" / "discord-thread" / "77"
    folder.mkdir(parents=True)
    (folder / "ran").write_text("q-a\nq-b\nq-a\nq-a\n")
    tally = Tally()
    count_commands(tmp_path, tally)
    assert (tally.commands, tally.commands_twice) == (2, 2)
