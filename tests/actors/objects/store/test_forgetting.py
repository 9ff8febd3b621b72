"""The store's file has no byte of forgotten turns, and the window goes on with all other objects."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from actors.objects.store import texts
from actors.objects.store.audit import audit
from actors.objects.store.database import SCHEMA
from messages.base import EventId, RequestId, TurnId
from messages.forget import DerivedForgotten, ForgetDerived, ForgottenEvent
from messages.objects import OBJECT_STORE, ListObjects, ObjectsListed
from tests.actors.objects.rig import OTHER, WINDOW, ObjectsRig

SECRET = "quagmire"


def read_all(root: Path) -> bytes:
    """Every byte below the store's folder, and every text that the store can still give."""
    path = SCHEMA.path(root)
    files = b"".join(each.read_bytes() for each in path.parent.iterdir())
    connection = apsw.Connection(str(path))
    every = [texts.read(connection, int(str(number))) for (number,) in connection.execute("SELECT id FROM texts")]
    connection.close()
    return files + "\n".join(every).encode()


def forget(rig: ObjectsRig, turn: TurnId, *, whole: bool = False) -> DerivedForgotten:
    """Have a turn forgotten, which the window shows no more."""
    events = tuple(
        ForgottenEvent(window=rig.window, path=rig.log, line=1, event_id=EventId(name), turn_id=turn)
        for name in (turn, *(call.event for call in rig.turns.pop(turn)))
    )
    request = ForgetDerived(
        request_id=RequestId("f"),
        reply_to=rig.asker.address,
        forget_id="f1",
        window=rig.window,
        events=events,
        whole_window=whole,
    )
    rig.system.tell(OBJECT_STORE, request)
    rig.settle(1.0)
    answer = rig.asker.receive(0, lambda heard: getattr(heard, "request_id", None) == "f")
    assert isinstance(answer, DerivedForgotten), answer
    return answer


def with_turns(root: Path, rounds: int = 1) -> tuple[ObjectsRig, TurnId]:
    """A window with a turn about a secret file, and one about another."""
    rig = ObjectsRig(root, has_store=True)
    first = rig.turn()
    rig.write("a.txt", f"the word is {SECRET}\n")
    rig.cat("a.txt")
    rig.ran(f"echo {SECRET}", f"{SECRET}\n")
    rig.word()
    rig.turn()
    rig.write("b.txt", "the kiln is blue\n")
    rig.cat("b.txt")
    for number in range(rounds):
        rig.ran(f"echo {number}", f"{number}\n")
        rig.word()
    return rig, first


@pytest.mark.req("X-249")
@pytest.mark.parametrize("rounds", [1, 70], ids=["rounds", "snapshot"])
def test_the_store_has_no_word_of_a_forgotten_turn_and_gives_all_others_as_before(tmp_path: Path, rounds: int) -> None:
    rig, first = with_turns(tmp_path, rounds)
    assert SECRET.encode() in read_all(tmp_path)
    newest = rig.turns[next(reversed(rig.turns))][0].event
    shown = dict(rig.word().results)[newest]

    answer = forget(rig, first)

    assert (answer.room, answer.count) == ("object-store", 3)
    assert SECRET.encode() not in read_all(tmp_path)
    assert dict(rig.word().results)[newest] == shown
    listed = rig.answer(ObjectsListed, ListObjects)
    assert SECRET not in repr(listed)
    rig.word()
    assert SECRET.encode() not in read_all(tmp_path)
    rig.live_again()
    assert dict(rig.word().results)[newest] == shown
    rig.stop()
    assert SECRET.encode() not in read_all(tmp_path)
    assert audit(SCHEMA.path(tmp_path)) == []


def test_a_whole_window_leaves_nothing_and_another_window_keeps_all(tmp_path: Path) -> None:
    rig, first = with_turns(tmp_path)
    rig.stop()
    other = ObjectsRig(tmp_path, OTHER, has_store=True)
    other.turn()
    other.write("c.txt", "tea at four\n")
    other.cat("c.txt")
    other.word()
    other.stop()
    rig.start()

    forget(rig, first, whole=True)

    data = read_all(tmp_path)
    assert SECRET.encode() not in data
    assert b"blue" not in data
    assert b"tea at four" in data
    rig.word()
    rig.stop()
    assert audit(SCHEMA.path(tmp_path)) == []


def test_a_window_of_which_nothing_is_kept_is_answered(tmp_path: Path) -> None:
    rig = ObjectsRig(tmp_path, WINDOW, has_store=True)
    turn = rig.turn()

    assert forget(rig, turn).count == 0
    rig.stop()


@pytest.mark.req("X-249")
@pytest.mark.parametrize("meanwhile", ["nothing", "other requests", "another file"])
def test_a_request_that_waited_while_its_turn_was_forgotten_brings_no_word_back(tmp_path: Path, meanwhile: str) -> None:
    rig, first = with_turns(tmp_path)
    late = {turn: [*calls] for turn, calls in rig.turns.items()}

    forget(rig, first)
    if meanwhile == "other requests":
        for _ in range(20):
            forget(rig, rig.turn())
    elif meanwhile == "another file":
        (rig.folder / "a.txt").unlink()  # a store without versions takes in the present files
        for path in SCHEMA.path(tmp_path).parent.iterdir():
            path.unlink()

    present, rig.turns = rig.turns, late
    rig.ran(f"echo {SECRET}", "done\n")
    late[first].append(late[next(reversed(late))].pop())
    rig.word()
    assert SECRET.encode() not in read_all(tmp_path)
    rig.turns = present
    rig.word()
    rig.live_again()
    rig.word()
    rig.stop()
    assert SECRET.encode() not in read_all(tmp_path)
    assert audit(SCHEMA.path(tmp_path)) == []


@pytest.mark.req("X-249")
def test_what_the_store_had_not_got_when_its_turn_was_forgotten_goes_in_no_more(tmp_path: Path) -> None:
    rig = ObjectsRig(tmp_path, has_store=True)
    way = SCHEMA.path(tmp_path).parent
    way.write_text("in the way")
    turn = rig.turn()
    rig.ran(f"echo {SECRET}", f"{SECRET}\n")
    assert [rig.refused_word() for _ in range(2)] == [True, True]
    rig.word()
    way.unlink()

    assert forget(rig, turn).count == 0

    rig.settle(6.0)
    assert SECRET.encode() not in read_all(tmp_path)
    rig.turn()
    rig.ran("echo kiln", "kiln\n")
    assert "kiln" in rig.words()
    rig.stop()
    assert SECRET.encode() not in read_all(tmp_path)
    assert audit(SCHEMA.path(tmp_path)) == []
