"""Audit of an agent's data root after the agent's end: content of logs, index and windows' folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any

import apsw

from actors.context.log.file import check_file
from domain.log.event import Event, Kind
from domain.log.parser import ParsedEvent, parse
from domain.log.window_folders import ATTACHMENTS_ROOT
from domain.memory.remembered import Remembered, TakenBack, entry_of_event
from lab.chaos.kills.ledger import Logged, Tally
from messages.base import EventId

_NEW_WINDOW = "a new window was started"
_INDEX = "memory/index.sqlite"
_ROWS = "SELECT files.path, turns.line, turns.event, turns.hash FROM turns JOIN files ON files.id = turns.file"
_MOST_DETAILS = 3


def read_logs(data_root: Path, tally: Tally) -> list[Logged]:
    """Messages of people, from the logs; logs with a failed check are counted."""
    logged: list[Logged] = []
    withdrawn = _withdrawn(data_root)
    for path in _logs(data_root):
        for problem in check_file(path):
            tally.note("bad_logs", f"{path.relative_to(data_root)}:{problem.line}: {problem.reason}")
        logged += _read(path, data_root, withdrawn)
    return logged


def read_deliveries(data_root: Path) -> dict[int, int]:
    """Bot's message -> answered message of a person, from the logs: not every answer has a reference in Discord."""
    answered: dict[int, int] = {}
    for _, paths in groupby(
        _logs(data_root), key=lambda path: path.parent
    ):  # A new window owes the answers of the old.
        metas = {event.id: (event, event.meta_dict()) for path in paths for event in _events(path)}
        for event, meta in metas.values():
            if event.kind is not Kind.DELIVERY:
                continue
            _, of = metas.get(EventId(str(meta.get("event", ""))), (None, {}))
            _, question_meta = metas.get(EventId(str(of.get("turn", ""))), (None, {}))
            answer_ids, question = meta.get("message_ids"), str(question_meta.get("message_id", ""))
            if isinstance(answer_ids, list) and question.isdecimal():
                answered |= {int(str(each)): int(question) for each in answer_ids}
    return answered


def compare_index(data_root: Path, tally: Tally) -> None:
    """Count the missing and the surplus rows of the index, compared with the logs."""
    wanted = Counter(_memory_rows(data_root))
    index = data_root / _INDEX
    index_rows = read_rows(index, _ROWS) if index.exists() else []
    rows = Counter((path, line, event, bytes(hash_)) for path, line, event, hash_ in index_rows)
    for what, difference in (("missing from the index", wanted - rows), ("too many in the index", rows - wanted)):
        if difference:
            named = ", ".join(f"{path}:{line}" for path, line, _, _ in sorted(difference)[:_MOST_DETAILS])
            tally.note("index_differences", f"{what}: {named}", difference.total())


def read_rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    """Rows of a database, read without the code under test."""
    with closing(apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return list(connection.execute(query))


def count_commands(data_root: Path, tally: Tally) -> None:
    """Count the commands begun, and the commands begun again."""
    for path in sorted((data_root / "work").rglob("ran")):
        for token, times in Counter(path.read_text(errors="replace").split()).items():
            tally.commands += 1
            if times > 1:
                tally.note("commands_twice", f"{token}, {times} times", times - 1)


def newest_log(data_root: Path, channel_id: int) -> Path | None:
    """Current log of a window; None without a log."""
    paths = sorted((data_root / "logs").glob(f"*/{channel_id}/*.md"))
    return paths[-1] if paths else None


def logs_size(data_root: Path) -> int:
    """Bytes of all logs."""
    return sum(path.stat().st_size for path in _logs(data_root))


def _logs(data_root: Path) -> list[Path]:
    return sorted((data_root / "logs").glob("*/*/*.md"))


def _events(path: Path) -> list[Event]:
    return [logged.event for logged in parse(path.read_bytes()).events]


def _read(path: Path, data_root: Path, withdrawn: Container[str]) -> Iterator[Logged]:
    metas = [(event, event.meta_dict()) for event in _events(path)]
    ended = {
        meta.get("turn")
        for event, meta in metas
        if event.kind is Kind.SYSTEM and meta.get("what") == "aborted" and _NEW_WINDOW in event.content
    }
    for event, meta in metas:
        if event.kind is Kind.USER:
            message_id = str(meta.get("message_id", ""))
            typed, files = meta.get("typed"), meta.get("attachments")
            file = _file(data_root, path, message_id, files[0] if isinstance(files, list) and files else {})
            yield Logged(
                channel_id=int(path.parent.name) if path.parent.name.isdecimal() else 0,
                message_id=int(message_id) if message_id.isdecimal() else 0,
                text=event.content[:typed] if isinstance(typed, int) else event.content,
                is_taken_back=event.id in ended,
                is_withdrawn=event.id in withdrawn,
                file=None if isinstance(file, bool) else file,
                is_file_lost=file is True,
            )


def _file(data_root: Path, log: Path, message_id: str, entry: Any) -> bytes | bool:
    """Content of a file named by a log; False for no file or one not kept; True for a missing file."""
    if not entry.get("path"):
        return False
    path = (
        data_root / ATTACHMENTS_ROOT / log.parent.parent.name / log.parent.name / message_id / Path(entry["path"]).name
    )
    return path.read_bytes() if path.exists() else True


def _memory_rows(data_root: Path) -> Iterator[tuple[str, int, str, bytes]]:
    """Rows for all turns in the logs, without withdrawn turns."""
    gone = _withdrawn(data_root)
    for relative, logged in _parse_logs(data_root):
        entry = _entry_of(relative, logged)
        if isinstance(entry, Remembered) and not entry.is_own_pin and gone.isdisjoint((entry.event_id, entry.turn_id)):
            yield relative, entry.line, entry.event_id, entry.hash


def _withdrawn(data_root: Path) -> set[str]:
    """Ids of events with withdrawn words."""
    entries = (_entry_of(relative, logged) for relative, logged in _parse_logs(data_root))
    return {
        entry.tombstone.event_id for entry in entries if isinstance(entry, TakenBack) and not entry.tombstone.is_quote
    }


def _parse_logs(data_root: Path) -> Iterator[tuple[str, ParsedEvent]]:
    for path in _logs(data_root):
        for logged in parse(path.read_bytes()).events:
            yield str(path.relative_to(data_root)), logged


def _entry_of(relative: str, logged: ParsedEvent) -> object:
    event = logged.event
    return entry_of_event(
        path=relative,
        line=logged.line,
        event_id=event.id,
        kind=event.kind,
        at=event.at,
        text=event.content,
        meta_json=event.meta_json,
    )
