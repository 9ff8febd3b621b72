"""Trouble of the index: what cannot be done is refused with a reason, said once, and over when its cause is."""

from __future__ import annotations

import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.facts.index.audit import audit
from messages.base import Message, flaw_of
from messages.facts import (
    ChangeRows,
    EntryRole,
    FetchRows,
    FindRows,
    IndexBegun,
    LoadRows,
    RowsChanged,
    RowsFetched,
    RowsFound,
    RowsLoaded,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.facts.index.rig import MODEL, IndexRig, row, unit
from tests.actors.facts.index.victim import ROWS, content
from tests.actors.memory.derived.rig import limit_file_size, list_warnings, open_beside

X = unit(1, 0, 0)
KILLS = 12
DAMAGES = 60


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[IndexRig]:
    rig = IndexRig(tmp_path)
    yield rig
    rig.stop()


def put(rig: IndexRig, name: str, **changed: Any) -> Message:
    return rig.ask(ChangeRows, model=MODEL, put=(row(name, X, **changed),))


def aside(rig: IndexRig) -> list[Path]:
    """Files that were moved out of the way."""
    return [path for path in rig.path.parent.glob("index.sqlite.unusable-*") if path.suffix.startswith(".unusable")]


def test_a_locked_index_refuses_is_said_once_and_goes_on(rig: IndexRig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    rig.put(row("a", X))
    with open_beside(rig.path) as other:
        list(other.execute("BEGIN EXCLUSIVE"))
        took = []
        for _ in range(4):
            before = time.monotonic()
            reply = put(rig, "b")
            took.append(time.monotonic() - before)
            assert isinstance(reply, Refused)
            assert "cannot be used: " in reply.reason
            assert "locked" in reply.reason
        assert min(took) < 1.0
        assert rig.names(X) == ["a"]  # who only reads need not wait
        assert len(list_warnings(caplog)) == 1
        assert isinstance(put(rig, "b"), Refused)
        list(other.execute("ROLLBACK"))
    rig.put(row("b", X))
    assert rig.names(X) == ["a", "b"]
    assert caplog.records[-1].getMessage() == "the facts' index can be used again"
    assert rig.told == []


def test_a_full_disk_refuses_is_said_once_and_goes_on(rig: IndexRig, caplog: pytest.LogCaptureFixture) -> None:
    rig.put(row("a", X))
    assert rig.names(X) == ["a"]
    long = random.Random(1).randbytes(90_000).hex()
    with limit_file_size(100_000):  # more than what SQLite needs to open it
        for _ in range(2):
            reply = put(rig, "b", content=long)
            assert isinstance(reply, Refused)
            assert "cannot be used" in reply.reason
        assert len(list_warnings(caplog)) == 1
        assert rig.names(X) == ["a"]
    rig.put(row("b", X, content=long))

    assert rig.names(X) == ["a", "b"]
    assert rig.content("b") == [long]
    assert rig.told == []  # the same file, so nothing has to be made again
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_what_is_refused_for_a_sender_s_mistake_begins_no_trouble_and_ends_one(
    rig: IndexRig, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert "multiple of 4" in rig.refusal(ChangeRows, model=MODEL, put=(row("a", b"abc"),))
    assert list_warnings(caplog) == []
    with open_beside(rig.path) as other:
        list(other.execute("BEGIN EXCLUSIVE"))
        assert isinstance(put(rig, "a"), Refused)
    rig.refusal(ChangeRows, model=MODEL, put=(row("a", b"abc"),))
    assert caplog.records[-1].getMessage() == "the facts' index can be used again"


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"", b"SQLite format 3\0" + b"\xff" * 5_000])
def test_what_is_no_index_is_moved_aside_and_one_is_begun_anew(
    rig: IndexRig, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    rig.path.parent.mkdir(mode=0o700)
    rig.path.write_bytes(damage)
    rig.put(row("a", X))

    (moved,) = aside(rig)
    assert moved.read_bytes() == damage or not damage  # SQLite makes a database of nothing
    assert len(list_warnings(caplog)) == 1
    assert "rebuilt from the files" in list_warnings(caplog)[0]
    assert rig.told == []  # nobody was told anything of it before
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


@pytest.mark.parametrize("kind", ["folder", "link", "link to nothing", "pipe"])
def test_what_is_no_regular_file_is_moved_aside_and_nothing_outside_is_made(
    rig: IndexRig, tmp_path: Path, kind: str
) -> None:
    rig.path.parent.mkdir(mode=0o700)
    if kind == "folder":
        rig.path.mkdir()
    elif kind == "pipe":
        os.mkfifo(rig.path)
    else:
        rig.path.symlink_to(tmp_path / "elsewhere")
    if kind == "link":
        (tmp_path / "elsewhere").write_bytes(b"theirs")
    rig.put(row("a", X))

    assert len(aside(rig)) == 1
    assert rig.path.is_file()
    assert not rig.path.is_symlink()
    assert (tmp_path / "elsewhere").exists() is (kind == "link")
    if kind == "link":
        assert (tmp_path / "elsewhere").read_bytes() == b"theirs"


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA user_version = 2",
        "PRAGMA application_id = 7",
        "DROP TABLE entries",
        "DROP INDEX entries_by_conversation",
        "ALTER TABLE entries DROP COLUMN digest",
        "ALTER TABLE entries ADD COLUMN more TEXT",
    ],
)
def test_an_index_of_another_shape_or_version_is_begun_anew(rig: IndexRig, statement: str) -> None:
    rig.put(row("a", X))
    rig.stop()
    with open_beside(rig.path) as other:
        list(other.execute(statement))
    rig.start()

    assert rig.known_rows() == {}
    assert len(aside(rig)) == 1
    rig.put(row("a", X))
    rig.live_again()
    assert rig.names(X) == ["a"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("role", "'memori'"),
        ("created_at", "9223372036854775807"),
        ("digest", "cast(x'ff' AS TEXT)"),
        ("content", "cast(x'ff' AS TEXT)"),
        ("vector", "x'0000803f0000803f0000803f'"),
        ("vector", "x'0000c07f0000c07f0000c07f'"),
    ],
)
def test_a_row_that_cannot_be_what_was_put_is_refused_and_then_all_is_begun_anew(
    rig: IndexRig, caplog: pytest.LogCaptureFixture, column: str, value: str
) -> None:
    rig.put(row("a", X), row("b", X))
    rig.stop()
    with open_beside(rig.path) as other:
        list(other.execute(f"UPDATE entries SET {column} = {value} WHERE id = 'b'"))
    rig.start()
    replies = [
        *(rig.ask(LoadRows), rig.ask(FetchRows, ids=("a", "b"))),
        rig.ask(FindRows, model=MODEL, vector=X, scopes=("c",), roles=tuple(EntryRole), per_scope=5),
        rig.ask(LoadRows),
    ]

    (refused,) = [reply for reply in replies if isinstance(reply, Refused)]
    assert "it is damaged" in refused.reason
    assert rig.known_rows() == {}
    assert len(aside(rig)) == 1
    assert rig.told == [IndexBegun()]
    assert len(list_warnings(caplog)) == 2


def test_a_row_that_somebody_else_took_away_is_refused_and_then_all_is_begun_anew(rig: IndexRig) -> None:
    rig.put(row("a", X))
    assert rig.names(X) == ["a"]
    with open_beside(rig.path) as other:
        list(other.execute("DELETE FROM entries"))

    asked = {"model": MODEL, "vector": X, "scopes": ("c",), "roles": tuple(EntryRole), "per_scope": 5}
    assert "it is damaged" in rig.refusal(FindRows, **asked)
    assert rig.names(X) == []
    assert rig.told == [IndexBegun()]


def test_whatever_bytes_are_damaged_each_request_is_answered_and_at_last_all_is_well(tmp_path: Path) -> None:
    rig = IndexRig(tmp_path / "whole")
    rows = [row(f"r{n}", unit(1, n), content=f"content {n} " * (40 if n % 9 else 900)) for n in range(60)]
    rig.put(*rows)
    rig.stop()
    whole = rig.path.read_bytes()
    asked = {"model": MODEL, "vector": unit(1, 0), "scopes": ("c",), "roles": tuple(EntryRole), "per_scope": 100}
    answers: set[type[Message]] = set()
    for seed in range(DAMAGES):
        chance, data = random.Random(seed), bytearray(whole)
        for _ in range(chance.choice((1, 30, 1_000))):
            at = chance.randrange(len(data))
            data[at : at + 8] = chance.randbytes(8)
        rig = IndexRig(tmp_path / str(seed))
        rig.path.parent.mkdir(parents=True)
        rig.path.write_bytes(bytes(data))
        replies: list[Message] = []
        for _ in range(3):
            replies += [
                rig.ask(LoadRows),
                rig.ask(FindRows, **asked),
                rig.ask(FetchRows, ids=tuple(f"r{n}" for n in range(60))),
                rig.ask(ChangeRows, model=MODEL, put=(row("r1", unit(1, 1)),)),
            ]
        assert [flaw_of(reply) for reply in replies] == [""] * 12
        assert [type(reply) for reply in replies[-4:]] == [RowsLoaded, RowsFound, RowsFetched, RowsChanged]
        answers |= {type(reply) for reply in replies}
        rig.stop()
        assert len(aside(rig)) <= 2
    assert answers == {RowsLoaded, RowsFound, RowsFetched, RowsChanged, Refused}


def test_damage_that_is_met_with_while_it_is_open_is_refused_and_then_begun_anew(rig: IndexRig) -> None:
    made = [random.Random(number).randbytes(60_000).hex() for number in range(40)]
    rig.put(*(row(f"r{number}", X, content=text) for number, text in enumerate(made)))
    rig.live_again()
    assert len(rig.known_rows()) == 40
    with rig.path.open("r+b") as file:
        for at in range(4096 * 20, rig.path.stat().st_size, 4096):
            file.seek(at)
            file.write(b"\xff" * 4096)
    replies = [rig.ask(FetchRows, ids=(f"r{number}",)) for number in range(40)]

    assert any(isinstance(reply, Refused) and "it is damaged" in reply.reason for reply in replies)
    given = {each.content for reply in replies if isinstance(reply, RowsFetched) for each in reply.rows}
    assert given <= set(made)
    assert rig.known_rows() == {}
    assert rig.told == [IndexBegun()]


def test_a_file_that_goes_away_is_begun_anew_and_the_facts_are_told(
    rig: IndexRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.put(row("a", X))
    assert rig.names(X) == ["a"]
    for each in rig.path.parent.iterdir():
        each.unlink()

    assert rig.names(X) == []
    assert rig.told == [IndexBegun()]
    assert "removed or replaced" in list_warnings(caplog)[0]
    rig.put(row("b", X))
    assert rig.names(X) == ["b"]
    assert rig.told == [IndexBegun()]


@pytest.mark.parametrize("has_wal", [False, True])
def test_another_file_in_its_place_is_opened_as_it_is(rig: IndexRig, tmp_path: Path, *, has_wal: bool) -> None:
    rig.put(row("saved", X))
    if not has_wal:
        rig.live_again()
        rig.known_rows()
    sides = ("", "-wal") if has_wal else ("",)
    for side in sides:
        shutil.copy(f"{rig.path}{side}", tmp_path / f"saved{side}")
    rig.put(row("later", X))
    assert rig.names(X) == ["later", "saved"]
    for side in reversed(sides):
        (tmp_path / f"saved{side}").replace(f"{rig.path}{side}")

    assert rig.names(X) == ["saved"]
    assert set(rig.known_rows()) == {"saved"}
    assert rig.told == [IndexBegun()]
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_a_folder_that_cannot_be_made_is_a_reason_and_no_crash(rig: IndexRig) -> None:
    rig.path.parent.write_text("in the way")
    for _ in range(2):
        assert "cannot be used" in rig.refusal(LoadRows)
    rig.path.parent.unlink()
    rig.put(row("a", X))
    assert rig.told == []


def test_it_says_what_is_the_matter_to_the_operator_only(rig: IndexRig, caplog: pytest.LogCaptureFixture) -> None:
    rig.path.parent.write_text("in the way")
    for _ in range(2):
        description = rig.answer(SelfDescription, DescribeYourself)
        assert description.figures == (("state", "in trouble"),)
        assert str(rig.path.parent) in str(dict(description.operator_figures)["trouble"])
    assert len(list_warnings(caplog)) == 1
    rig.path.parent.unlink()
    rig.put(row("a", X))
    description = rig.answer(SelfDescription, DescribeYourself)
    assert description.figures == (("state", "ready"),)
    assert dict(description.operator_figures)["trouble"] == "none"


def test_a_kill_at_any_moment_loses_no_change_that_was_answered_and_leaves_no_half_of_one(tmp_path: Path) -> None:
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-m", "tests.actors.facts.index.victim", str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path.cwd(),
        ) as child:
            assert child.stdout is not None
            for _ in range(8):
                answered = int(child.stdout.readline())
            os.kill(child.pid, signal.SIGKILL)
            rest = child.stdout.read().split()
            answered = int(rest[-1]) if rest else answered
        rig = IndexRig(tmp_path)
        known = rig.known_rows()
        (last,) = {int(each.digest) for each in known.values()}
        assert answered <= last <= answered + 1
        assert set(known) == {f"only {last}", *(f"r{n}" for n in range(ROWS))}
        assert rig.content("r0", f"r{ROWS - 1}") == [content(last)] * 2
        assert len(rig.find(unit(1, last), per_scope=100)) == ROWS + 1
        assert aside(rig) == []
        rig.stop()
        assert audit(rig.path) == []
