"""The judge of histories sees what a window has in memory and its log does not say, and the other way round."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.context.actor import ContextActor
from domain.log.parser import parse
from lab.simulation.history import BEHIND, is_fold, unlike_their_logs
from tests.actors.context.retractions import exchange
from tests.actors.context.rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path)
    exchange(rig, "one", 1)
    exchange(rig, "two", 2)
    yield rig
    rig.stop()


def window(rig: Rig) -> ContextActor:
    (actor,) = (box.actor for box in rig.system.mailboxes() if isinstance(box.actor, ContextActor))
    return actor


def test_a_history_that_its_log_says_is_no_fault_and_any_other_is(rig: Rig) -> None:
    assert list(unlike_their_logs([window(rig), object()], rig.root)) == []

    window(rig).conversation.turns[-1].text += " and more"
    (fault,) = unlike_their_logs([window(rig)], rig.root)
    assert window(rig).window.address.key in fault


def test_a_log_may_be_ahead_by_what_was_being_written_and_by_no_more(rig: Rig) -> None:
    (path,) = rig.logs()
    log = [logged.event for logged in parse(path.read_bytes()).events]
    conversation = window(rig).conversation
    assert is_fold(conversation, log)
    assert not is_fold(conversation, log[:-1])
    before = copy.deepcopy(conversation)
    exchange(rig, "three", 3)
    longer = [logged.event for logged in parse(path.read_bytes()).events]
    assert is_fold(before, longer[: len(log) + BEHIND])
    assert not is_fold(before, longer)
    assert is_fold(conversation, longer)
