"""The index says what the logs say, whatever either of them went through."""

from __future__ import annotations

import logging
import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

import pytest

from actors.context.log.file import WindowLog
from actors.memory.index.index import Index
from actors.memory.index.reconcile import Reconciliation, Tally
from actors.memory.index.seal import check_rows_after
from domain.log.event import Event, Kind, event
from domain.log.metadata import MetaValue
from domain.log.redaction import DELETED, Tombstone, tombstone_meta
from messages.base import EventId, Surface, Window
from tests.actors.context.rig import CHANNEL

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
BEGAN = datetime(2026, 1, 30, 14, 0, tzinfo=UTC)


def an_index(root: Path) -> Index:
    index, _ = Index.open(root / "memory" / "index.sqlite", NOW)
    index.use_space("test", 4)
    return index


def compare(root: Path, index: Index) -> Tally:
    run = Reconciliation(root, index, NOW)
    for _ in run.pieces():
        pass
    return run.tally


def write(root: Path, events: list[Event], window: Window = CHANNEL, at: datetime = BEGAN) -> Path:
    log = WindowLog.create(root, window, at, "test")
    log.append(*events)
    log.close()
    return log.path


def log_event(number: int, text: str = "", kind: str = "user", **meta: MetaValue) -> Event:
    fields: dict[str, MetaValue] = {
        "author": "Alice",
        "message_id": str(number),
        "audience": "1:2:everyone",
        "turn": "e0",
        **meta,
    }
    return event(f"e{number}", BEGAN + timedelta(minutes=number), kind, text or f"words {number}", fields)


def rows(index: Index) -> list[tuple[object, ...]]:
    """Everything that a row says but its number; episodes by the first line of each."""
    return list(
        index.connection.execute(
            "SELECT path, line, event, turn, timestamp, role, author, content, pinned, status, "
            "(SELECT min(timestamp) FROM turns AS other WHERE other.sitting = turns.sitting) "
            "FROM turns JOIN files ON files.id = turns.file ORDER BY path, line"
        )
    )


@pytest.mark.req("S0-51")
def test_people_and_the_agent_are_remembered_and_tools_are_not(tmp_path: Path) -> None:
    kinds = ["user", "agent", "tool-call", "tool-result", "agent", "delivery", "system"]
    write(tmp_path, [log_event(number, kind=kind) for number, kind in enumerate(kinds)])
    index = an_index(tmp_path)

    assert compare(tmp_path, index).added == 3
    assert [row[5] for row in rows(index)] == ["user", "agent", "agent"]
    index.close()


@pytest.mark.req("X-17")
def test_blank_turns_have_no_row(tmp_path: Path) -> None:
    write(tmp_path, [log_event(0, " \n"), log_event(1, "x")])
    index = an_index(tmp_path)

    assert compare(tmp_path, index).added == 1
    index.close()


@pytest.mark.req("S0-57")
def test_only_what_is_missing_or_failed_is_queued_again(tmp_path: Path) -> None:
    write(tmp_path, [log_event(number) for number in range(5)])
    index = an_index(tmp_path)
    compare(tmp_path, index)
    waiting = index.pending.due(NOW, 10)
    index.pending.store([(waiting[0], bytes(16)), (waiting[1], bytes(16))])
    index.pending.fail([waiting[2].id], NOW, is_permanent=True)
    index.forget([waiting[3].id, waiting[4].id])
    index.note_file(CHANNEL, index.known_files()[0], 0, 0, "")

    assert compare(tmp_path, index).added == 2
    index.pending.retry_failed(is_start=False)
    assert len(index.pending.due(NOW, 10)) == 3
    assert index.counts().ok == 2
    index.close()


@pytest.mark.parametrize("is_in_a_later_log", [True, False])
def test_words_taken_back_never_come_up_while_an_index_is_made_anew(tmp_path: Path, is_in_a_later_log: bool) -> None:
    secret = "the salary is 41000"
    first = write(tmp_path, [log_event(0, secret), *(log_event(number, turn="e9") for number in range(1, 50))])
    path = first.relative_to(tmp_path).as_posix()
    taken_back = Tombstone(event_id=EventId("e0"), path=path, line=5, message_id="0", is_quote=False)
    tombstone = event("t", BEGAN + timedelta(days=2), Kind.TOMBSTONE, "", tombstone_meta(taken_back, DELETED))
    if is_in_a_later_log:
        write(tmp_path, [log_event(60, turn="e9"), tombstone], at=BEGAN + timedelta(days=1))
    else:
        log, _ = WindowLog.open(tmp_path, PurePosixPath(path))
        log.append(tombstone)
        log.close()
    index = an_index(tmp_path)
    texts = set[object]()
    for _ in Reconciliation(tmp_path, index, NOW, piece_bytes=1_000).pieces():
        texts.update(row[7] for row in rows(index))
    assert "words 1" in texts
    assert secret not in texts
    index.close()


class CountingIndex(Index):
    looks = 0
    """Number of logs looked up."""

    def file_state(self, path: str) -> tuple[int, int, str] | None:
        self.looks += 1
        return super().file_state(path)


def test_a_piece_looks_at_few_logs_however_many_a_window_has(tmp_path: Path) -> None:
    """Questions to the memory are answered between two pieces."""
    for day in range(20):
        write(tmp_path, [log_event(day)], at=BEGAN + timedelta(days=day))
    index, _ = CountingIndex.open(tmp_path / "memory.db", NOW)
    assert isinstance(index, CountingIndex)
    before, most = 0, 0
    for _ in Reconciliation(tmp_path, index, NOW).pieces():
        before, most = index.looks, max(most, index.looks - before)
    assert before >= 40
    assert most <= 2
    index.close()


def test_what_no_log_has_is_dropped(tmp_path: Path) -> None:
    path = write(tmp_path, [log_event(0), log_event(1)])
    other = write(tmp_path, [log_event(2)], at=BEGAN + timedelta(days=1))
    index = an_index(tmp_path)
    compare(tmp_path, index)
    other.unlink()
    path.write_bytes(path.read_bytes().replace(b"words 1", b"words 7"))

    tally = compare(tmp_path, index)

    assert tally.dropped == 2
    assert [row[7] for row in rows(index)] == ["words 0"]
    index.close()


def test_a_damaged_log_is_named_once_and_counted_always(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path, [log_event(0), log_event(1), log_event(2)])
    path.write_bytes(path.read_bytes().replace(b"words 1", b"words 7"))
    index = an_index(tmp_path)
    with caplog.at_level(logging.WARNING):
        tallies = [compare(tmp_path, index) for _ in range(3)]
        path.touch()
        tallies.append(compare(tmp_path, index))

    assert [tally.damaged for tally in tallies] == [1, 1, 1, 1]
    assert len(caplog.records) == 1
    assert "line 12" in caplog.records[0].getMessage()
    assert [row[7] for row in rows(index)] == ["words 0", "words 2"]
    index.close()


def test_a_pipe_in_a_logs_place_is_passed_over_and_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    index = an_index(tmp_path)
    place = write(tmp_path, [log_event(1)])
    place.unlink()
    os.mkfifo(place)

    compare(tmp_path, index)
    assert "cannot be compared with the index: it is not a regular file" in caplog.text


def test_a_torn_end_is_nobodys_unfinished_write_after_a_minute(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path, [log_event(0), log_event(1)])
    path.write_bytes(path.read_bytes()[:-20])
    index = an_index(tmp_path)
    with caplog.at_level(logging.WARNING):
        Reconciliation(tmp_path, index, datetime.fromtimestamp(path.stat().st_mtime, UTC))
        fresh = Reconciliation(tmp_path, index, datetime.fromtimestamp(path.stat().st_mtime + 1, UTC))
        list(fresh.pieces())
        assert caplog.records == []
        path.touch()
        old = Reconciliation(tmp_path, index, datetime.fromtimestamp(path.stat().st_mtime + 61, UTC))
        list(old.pieces())

    assert len(caplog.records) == 1
    assert len(rows(index)) == 1
    index.close()


@pytest.mark.parametrize("piece", [64, 300, 1_000, 10**6])
def test_the_size_of_the_pieces_changes_nothing(tmp_path: Path, piece: int) -> None:
    dice = random.Random(5)
    events = [log_event(number, "x" * dice.choice([1, 50, 2_000]) + str(number)) for number in range(40)]
    path = write(tmp_path, events)
    path.write_bytes(path.read_bytes() + b"## torn")
    log, _ = WindowLog.open(tmp_path, path.relative_to(tmp_path))  # type: ignore[arg-type]
    log.append(*(log_event(number) for number in range(40, 60)))
    log.close()
    index = an_index(tmp_path)

    run = Reconciliation(tmp_path, index, NOW, piece_bytes=piece)
    list(run.pieces())

    assert (run.tally.added, run.tally.damaged) == (60, 0)
    assert [row[2] for row in rows(index)] == [f"e{number}" for number in range(60)]
    index.close()


def test_any_history_of_an_index_ends_where_a_new_one_begins(tmp_path: Path) -> None:
    dice = random.Random(11)
    windows = [Window(surface=Surface.DISCORD_THREAD, id=f"91000000000000000{number}") for number in range(3)]
    logs = {window: WindowLog.create(tmp_path, window, BEGAN, "test") for window in windows}
    index = an_index(tmp_path)
    number = 0
    for _ in range(30):
        window = dice.choice(windows)
        for _ in range(dice.randint(1, 8)):
            number += dice.choice([1, 1, 1, 90])
            logs[window].append(log_event(number, dice.choice(["", " ", "long " * 30]), dice.choice(["user", "agent"])))
        match dice.randint(0, 3):
            case 0:
                compare(tmp_path, index)
            case 1:
                index.forget([row.id for row in index.pending.due(NOW, 100) if dice.random() < 0.3])
                for path in index.known_files():
                    index.note_file(Window.from_key("/".join(path.split("/")[1:3])), path, 0, 0, "")
            case _:
                continue
    for log in logs.values():
        log.close()
    compare(tmp_path, index)
    found = rows(index)
    index.close()
    (tmp_path / "memory" / "index.sqlite").unlink()
    index = an_index(tmp_path)
    compare(tmp_path, index)

    assert found == rows(index)
    assert len(found) > 50
    index.close()


@pytest.mark.req("X-20")
def test_pins_come_from_the_logs_too(tmp_path: Path) -> None:
    path = write(tmp_path, [log_event(0), log_event(1)])
    at = path.relative_to(tmp_path).as_posix()
    pins = [
        event("p1", NOW, "pin", "", {"action": "pin", "event": "e0", "path": at, "line": 5}),
        event("p2", NOW, "pin", "my own words", {"action": "pin", "author": "Bob"}),
        event("p3", NOW, "pin", "taken back", {"action": "pin", "author": "Bob"}),
    ]
    log, parsed = WindowLog.open(tmp_path, path.relative_to(tmp_path))  # type: ignore[arg-type]
    places = log.append(*pins)
    back: dict[str, MetaValue] = {"action": "unpin", "event": "p3", "path": at, "line": places[2].line}
    log.append(event("p4", NOW, "pin", "", back))
    log.close()
    index = an_index(tmp_path)
    compare(tmp_path, index)

    assert parsed.events[0].line == 5
    assert [(row[7], row[8]) for row in rows(index)] == [("words 0", 1), ("words 1", 0), ("my own words", 1)]
    index.note_file(CHANNEL, at, 0, 0, "")
    assert compare(tmp_path, index).added == 0
    index.close()


@pytest.mark.req("X-20")
@pytest.mark.parametrize("is_in_next_log", [False, True])
def test_the_last_pin_event_in_the_logs_counts_whatever_the_clock_said(tmp_path: Path, is_in_next_log: bool) -> None:
    path = write(tmp_path, [log_event(0), log_event(1)])
    target: dict[str, MetaValue] = {"event": "e0", "path": path.relative_to(tmp_path).as_posix(), "line": 5}
    log, _ = WindowLog.open(tmp_path, path.relative_to(tmp_path))  # type: ignore[arg-type]
    log.append(event("p1", NOW, "pin", "", {"action": "pin", **target}))
    if is_in_next_log:
        log.close()
        log = WindowLog.create(tmp_path, CHANNEL, BEGAN, "test")
    log.append(event("p2", NOW - timedelta(minutes=10), "pin", "", {"action": "unpin", **target}))
    log.close()
    index = an_index(tmp_path)
    compare(tmp_path, index)

    assert [(row[7], row[8]) for row in rows(index)] == [("words 0", 0), ("words 1", 0)]
    check_rows_after(index.connection, 0, 10)
    index.close()


@pytest.mark.req("S0-53")
def test_the_minimum_fields_are_there_and_only_the_vector_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path, [log_event(0)])
    index = an_index(tmp_path)
    compare(tmp_path, index)

    cursor = index.connection.execute("SELECT embedding, path, line, timestamp, role, context_id, pinned FROM memories")
    ((vector, *others),) = list(cursor)

    assert vector is None
    assert None not in others
    assert others[4] == CHANNEL.id
    (waiting,) = index.pending.due(NOW, 10)
    index.pending.store([(waiting, bytes(16))])
    assert list(index.connection.execute("SELECT embedding FROM memories")) == [(bytes(16),)]
    index.close()


@pytest.mark.req("S0-55")
def test_a_turn_is_pending_ok_or_failed_and_nothing_else(tmp_path: Path) -> None:
    import apsw

    write(tmp_path, [log_event(0)])
    index = an_index(tmp_path)
    compare(tmp_path, index)

    with pytest.raises(apsw.ConstraintError):
        list(index.connection.execute("UPDATE turns SET status = 'perhaps'"))
    index.close()
