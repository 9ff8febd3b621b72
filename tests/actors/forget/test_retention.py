"""Retention: once a day each window is asked, one at a time, and words that have expired go as by a request."""

from __future__ import annotations

import shutil
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from actors.forget.retention import DAY_S, FIRST_S, LOOKED_AT, WINDOW_S
from actors.kernel import ManualClock
from messages.base import CONTEXT_KIND, Message, RequestId
from messages.forget import FORGET, ExpiredForgotten, ForgetExpired, ScopeKind
from messages.socket import Refused
from tests.actors.forget.rig import ANNE, AT, BOB, HERE, THERE, Household, Rig, event

WEEK = timedelta(days=7)
OLD = AT - timedelta(days=9)


@pytest.fixture
def house(tmp_path: Path) -> Household:
    for window in (HERE, THERE):
        folder = tmp_path / "logs" / window.address.key
        folder.mkdir(parents=True)
        (folder / "20250101T000000Z_0001.md").write_text("old")
    old_here, old_there = replace(event(1, ANNE, "an owl"), at=OLD), replace(event(11, BOB, "a fox", THERE), at=OLD)
    return Household(events={HERE: [old_here, event(2, BOB, "a cat")], THERE: [old_there]})


def start(folder: Path, house: Household, shortest: timedelta | None = WEEK) -> Rig:
    return Rig(folder, house, ManualClock(AT), shortest=shortest)


def expire(rig: Rig) -> Message:
    """Answer to the operator's command."""
    make = partial(ForgetExpired, window=HERE)
    request_id = rig.ask(make)
    for _ in range(10):
        rig.advance(1)
    return rig.answer(request_id)


def texts(house: Household) -> list[str]:
    return [each.text for events in house.events.values() for each in events]


@pytest.mark.req("X-253")
def test_expired_words_go_once_a_day_from_every_window_and_the_record_says_why(
    tmp_path: Path, house: Household
) -> None:
    rig = start(tmp_path, house)
    rig.advance(FIRST_S - 1)
    assert "an owl" in texts(house)
    for _ in range(10):
        rig.advance(1)
    assert texts(house) == ["a cat"]
    records = rig.list_records().forgets
    assert {(each.by, each.kind, each.window) for each in records} == {
        ("retention", ScopeKind.EXPIRED, window.address.key) for window in (HERE, THERE)
    }
    house.events[HERE].append(replace(event(3, ANNE, "an old hen"), at=OLD))
    rig.advance(DAY_S)
    for _ in range(10):
        rig.advance(1)
    assert texts(house) == ["a cat"]
    rig.system.stop()


@pytest.mark.req("X-253")
def test_the_operator_has_it_done_at_once_and_reads_how_much_went(tmp_path: Path, house: Household) -> None:
    rig = start(tmp_path, house)
    reply = expire(rig)
    assert isinstance(reply, ExpiredForgotten)
    assert (reply.windows, reply.events, reply.failed) == (2, 2, ())
    again = expire(rig)
    assert isinstance(again, ExpiredForgotten)
    assert (again.windows, again.events) == (0, 0)
    rig.system.stop()


@pytest.mark.req("X-253")
def test_without_a_number_of_days_nothing_expires(tmp_path: Path, house: Household) -> None:
    rig = start(tmp_path, house, None)
    rig.advance(FIRST_S + DAY_S)
    assert "an owl" in texts(house)
    assert isinstance(expire(rig), Refused)
    rig.system.stop()


@pytest.mark.req("X-253")
def test_a_window_that_is_too_young_is_not_asked(tmp_path: Path, house: Household) -> None:
    (log,) = (tmp_path / "logs" / HERE.address.key).iterdir()
    log.rename(log.with_name("20261128T000000Z_0001.md"))
    rig = start(tmp_path, house)
    assert isinstance(expire(rig), ExpiredForgotten)
    assert "an owl" in texts(house)
    assert "a fox" not in texts(house)
    rig.system.stop()


@pytest.mark.req("X-253")
def test_a_window_that_does_not_answer_twice_is_named_and_asked_the_next_day(tmp_path: Path, house: Household) -> None:
    rig = start(tmp_path, house)
    house.silent.add(CONTEXT_KIND)
    make = partial(ForgetExpired, window=HERE)
    request_id = rig.ask(make)
    for _ in range(10):
        rig.advance(WINDOW_S)
    reply = rig.answer(request_id)
    assert isinstance(reply, ExpiredForgotten)
    assert set(reply.failed) == {HERE.address.key, THERE.address.key}
    house.silent.clear()
    assert isinstance(expire(rig), ExpiredForgotten)
    assert texts(house) == ["a cat"]
    rig.system.stop()


@pytest.mark.req("X-253")
def test_folders_of_many_windows_are_looked_at_in_steps_and_one_that_cannot_be_read_is_passed_over(
    tmp_path: Path, house: Household
) -> None:
    logs = tmp_path / "logs"
    shutil.rmtree(logs / HERE.address.key)
    names = [f"{10**17 + number}" for number in range(2 * LOOKED_AT)]
    for name in names:
        (logs / "discord-channel" / name).mkdir(parents=True)
        (logs / "discord-channel" / name / "20261128T000000Z_0001.md").touch()
    (logs / "discord-channel" / f"{10**17 - 1}").touch()
    rig = start(tmp_path, house)
    request = ForgetExpired(request_id=RequestId("all"), reply_to=rig.person.address, window=HERE)

    rig.system.tell(FORGET, request)
    rig.system.run()
    assert "a fox" in texts(house), "behind all these windows, and others are answered in between"
    for _ in range(10):
        rig.advance(1)

    reply = rig.answer(RequestId("all"))
    assert isinstance(reply, ExpiredForgotten)
    assert (reply.windows, reply.events, reply.failed) == (1, 1, ())
    rig.system.stop()
