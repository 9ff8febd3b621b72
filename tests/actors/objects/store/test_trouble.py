"""Trouble of the store: what cannot be done is refused with a reason, said once, and over when its cause is."""

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

import apsw
import pytest

from actors.objects.store.audit import audit
from actors.objects.store.store import ObjectStore
from messages.objects import CollectObjects, FetchText, ListOutputs, LoadObjects, OutputsListed, TextFetched
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.memory.derived.rig import alter_behind_tree, limit_file_size, list_warnings
from tests.actors.objects.store.rig import WINDOW, StoreRig, edit_text, long_text
from tests.actors.objects.store.victim import CHANGED, text_of

KILLS = 20


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[StoreRig]:
    rig = StoreRig(tmp_path)
    yield rig
    rig.stop()


def test_a_locked_store_refuses_is_said_once_and_goes_on(rig: StoreRig, caplog: pytest.LogCaptureFixture) -> None:
    rig.store_round()
    other = apsw.Connection(str(rig.path))
    list(other.execute("BEGIN EXCLUSIVE"))
    for _ in range(2):
        reply = rig.keep()
        assert isinstance(reply, Refused)
        assert "locked" in reply.reason
    assert len(list_warnings(caplog)) == 1
    list(other.execute("ROLLBACK"))
    other.close()
    rig.store_round()
    assert rig.load_objects().last_round == 2


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b""])
def test_what_is_no_store_is_moved_aside_and_versions_begin_anew(
    rig: StoreRig, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    rig.path.parent.mkdir(mode=0o700)
    rig.path.write_bytes(damage)
    rig.store_round([rig.version("f1", "text")])
    assert len(list(rig.path.parent.glob("objects.sqlite.unusable-*"))) == 1
    assert len(list_warnings(caplog)) == 1
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_a_store_that_is_damaged_in_the_middle_of_it_is_begun_anew(rig: StoreRig) -> None:
    for number in range(200):
        rig.store_round([rig.version("f1", f"{number}" * 3000)])
    rig.stop()
    data = bytearray(rig.path.read_bytes())
    for at in range(4096 * 3, len(data), 4096):
        data[at : at + 512] = b"\xff" * 512
    rig.path.write_bytes(bytes(data))
    rig.start()
    assert rig.load_objects().last_round == 0
    assert len(list(rig.path.parent.glob("objects.sqlite.unusable-*"))) == 1


def test_damage_that_is_met_with_later_is_refused_and_then_begun_anew(
    rig: StoreRig, caplog: pytest.LogCaptureFixture
) -> None:
    made = [random.Random(number).randbytes(90_000).hex() for number in range(60)]
    rig.store_round([rig.version(f"f{number}", text) for number, text in enumerate(made, 1)])
    rig.live_again()
    assert rig.load_objects().last_round == 1
    with rig.path.open("r+b") as file:
        for at in range(4096 * 20, rig.path.stat().st_size, 4096):
            file.seek(at)
            file.write(b"\xff" * 4096)
    answers = [rig.ask(FetchText, window=WINDOW, object=f"f{number}") for number in range(1, 61)]
    given_ = {answer.text for answer in answers if isinstance(answer, TextFetched)}
    assert given_ <= {*made, None}
    assert rig.load_objects().last_round == 0
    assert len(list(rig.path.parent.glob("objects.sqlite.unusable-*"))) == 1
    assert len(list_warnings(caplog)) == 2
    rig.store_round(number=1)
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_damage_that_only_an_index_has_is_found_once_it_was_met_with(rig: StoreRig) -> None:
    text = long_text(1, 20)
    rig.store_round([rig.version("f1", each) for each in (text, edit_text(text, 1), edit_text(text, 2))])
    rig.store_round()
    rig.stop()
    alter_behind_tree(rig.path, "texts_by_base", "UPDATE texts SET base = 1 WHERE id = 3")
    rig.start()
    assert rig.load_objects().last_round == 2
    rig.clock.advance(1.0)
    assert "it is damaged" in rig.refusal(CollectObjects, keep_days=0)
    assert rig.load_objects().last_round == 0
    assert len(list(rig.path.parent.glob("objects.sqlite.unusable-*"))) == 1


def test_a_store_of_another_version_is_moved_aside(rig: StoreRig) -> None:
    rig.store_round()
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("PRAGMA user_version = 77"))
    connection.close()
    rig.start()
    assert rig.load_objects().last_round == 0
    assert len(list(rig.path.parent.glob("objects.sqlite.unusable-*"))) == 1


def test_a_disk_that_is_full_refuses_is_said_once_and_goes_on(rig: StoreRig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    rig.store_round([rig.version("f1", "one")])
    text = random.Random(1).randbytes(90_000).hex()
    version = rig.version("f2", text)
    with limit_file_size(rig.path.stat().st_size + 4096):
        for _ in range(2):
            reply = rig.keep([version])
            assert isinstance(reply, Refused)
            assert "cannot be used" in reply.reason
        assert len(list_warnings(caplog)) == 1
    rig.store_round([version])
    assert [record.getMessage() for record in caplog.records].count("the object store can be used again") == 1
    assert (rig.text("f1"), rig.text("f2")) == ("one", text)
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_what_is_refused_for_a_sender_s_mistake_begins_no_trouble_and_ends_one(
    rig: StoreRig, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    rig.store_round(outputs=(rig.output(1),))
    reply = rig.keep(outputs=(rig.output(1),))
    assert isinstance(reply, Refused)
    assert "output t1" in reply.reason
    assert list_warnings(caplog) == []
    other = apsw.Connection(str(rig.path))
    list(other.execute("BEGIN EXCLUSIVE"))
    assert isinstance(rig.keep(), Refused)
    other.close()
    assert isinstance(rig.keep(number=9), Refused)
    assert caplog.records[-1].getMessage() == "the object store can be used again"


def test_a_lock_does_not_make_it_compare_its_file_again(rig: StoreRig, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[ObjectStore] = []

    def open_counted(*given: Any, **named: Any) -> ObjectStore:
        opened.append(ObjectStore(*given, **named))
        return opened[-1]

    monkeypatch.setattr("actors.objects.store.actor.ObjectStore", open_counted)
    rig.store_round()
    other = apsw.Connection(str(rig.path))
    list(other.execute("BEGIN EXCLUSIVE"))
    assert isinstance(rig.keep(), Refused)
    other.close()
    rig.store_round()
    assert len(opened) == 1


def test_a_lock_is_waited_for_less_than_half_a_second(rig: StoreRig) -> None:
    rig.store_round()
    other = apsw.Connection(str(rig.path))

    def refused_after_s() -> float:
        before = time.monotonic()
        assert isinstance(rig.keep(), Refused)
        return time.monotonic() - before

    as_it_is_opened, as_it_is_open = [], []
    for _ in range(4):
        list(other.execute("BEGIN EXCLUSIVE"))
        rig.live_again()
        as_it_is_opened.append(refused_after_s())
        list(other.execute("ROLLBACK"))
        rig.load_objects()
        list(other.execute("BEGIN EXCLUSIVE"))
        as_it_is_open.append(refused_after_s())
        list(other.execute("ROLLBACK"))
    assert min(as_it_is_opened) < 0.5
    assert min(as_it_is_open) < 0.5
    other.close()


@pytest.mark.parametrize("has_wal", [False, True])
def test_another_file_in_its_place_is_opened_as_it_is(rig: StoreRig, tmp_path: Path, *, has_wal: bool) -> None:
    rig.store_round([rig.version("f1", "saved")])
    if not has_wal:
        rig.live_again()
        rig.load_objects()
    sides = ("", "-wal") if has_wal else ("",)
    for side in sides:
        shutil.copy(f"{rig.path}{side}", tmp_path / f"saved{side}")
    rig.store_round([rig.version("f2", "later")])
    for side in reversed(sides):
        (tmp_path / f"saved{side}").replace(f"{rig.path}{side}")
    assert rig.load_objects().last_round == 1
    assert rig.text("f1") == "saved"
    assert isinstance(rig.ask(FetchText, window=WINDOW, object="f2"), Refused)
    rig.stop()
    assert audit(rig.path) == []
    rig.start()


def test_a_store_whose_file_goes_away_is_begun_anew(rig: StoreRig, caplog: pytest.LogCaptureFixture) -> None:
    rig.store_round()
    for each in rig.path.parent.iterdir():
        each.unlink()
    assert rig.load_objects().last_round == 0
    assert "removed or replaced" in list_warnings(caplog)[0]


def test_a_folder_that_cannot_be_made_is_a_reason_and_no_crash(rig: StoreRig) -> None:
    rig.path.parent.write_text("in the way")
    assert isinstance(rig.ask(LoadObjects, window=WINDOW), Refused)
    rig.path.parent.unlink()
    rig.store_round()
    assert rig.load_objects().last_round == 1


def test_it_says_how_it_is_and_what_is_the_matter_to_the_operator_only(
    rig: StoreRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.path.parent.write_text("in the way")
    for _ in range(2):
        description = rig.answer(SelfDescription, DescribeYourself)
        assert description.figures == (("state", "in trouble"),)
        assert str(rig.path.parent) in str(dict(description.operator_figures)["trouble"])
    assert isinstance(rig.ask(LoadObjects, window=WINDOW), Refused)
    assert len(list_warnings(caplog)) == 1
    rig.path.parent.unlink()
    rig.store_round([rig.version("f1", "text")], outputs=(rig.output(1),))
    description = rig.answer(SelfDescription, DescribeYourself)
    assert description.figures == (("state", "ready"),)
    figures = dict(description.operator_figures)
    assert [figures[name] for name in ("windows", "versions", "texts", "outputs", "trouble")] == [1, 1, 1, 1, "none"]
    assert int(figures["kept_bytes"]) > 0


def test_its_folder_and_file_are_nobody_elses(rig: StoreRig) -> None:
    rig.store_round()
    assert (rig.path.parent.stat().st_mode & 0o777, rig.path.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_kill_at_any_moment_loses_no_round_that_was_answered_and_doubles_none(tmp_path: Path) -> None:
    answered = 0
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-m", "tests.actors.objects.store.victim", str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path.cwd(),
        ) as child:
            assert child.stdout is not None
            for _ in range(7):
                answered = int(child.stdout.readline())
            os.kill(child.pid, signal.SIGKILL)
            rest = child.stdout.read().split()
            answered = int(rest[-1]) if rest else answered
        rig = StoreRig(tmp_path)
        loaded = rig.load_objects()
        assert rig.text(CHANGED) == text_of(loaded.last_round)
        assert rig.text(CHANGED, no=answered) in (text_of(answered), None)
        (output,) = rig.answer(OutputsListed, ListOutputs, window=WINDOW, after=loaded.last_round - 1).outputs
        assert output.object == f"t{loaded.last_round}"
        rig.stop()
        assert audit(rig.path) == []
        assert answered <= loaded.last_round <= answered + 1
        kept = [int(each) for each in ((loaded.snapshot,) if loaded.snapshot else ()) + loaded.rounds]
        first = kept[0] if kept else 1
        assert kept == list(range(first, loaded.last_round + 1))


def test_a_moment_after_a_round_the_wal_is_empty(rig: StoreRig) -> None:
    rig.store_round([rig.version("f1", "text " * 3_000)])
    wal = rig.path.with_name(f"{rig.path.name}-wal")
    assert wal.stat().st_size > 0
    rig.clock.advance(3.0)
    rig.system.run()
    assert wal.stat().st_size == 0
    assert rig.text("f1") == "text " * 3_000
