"""A window's files say nothing of forgotten turns; what they say of other turns stays or is made anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actors.workspace.channel import HISTORY, MEMORY, SESSION
from actors.workspace.upkeep.forgetting import OWN_LINES
from messages.base import EventId, RequestId
from messages.forget import DerivedForgotten, ForgetDerived, ForgottenEvent
from messages.turn import SpokenTurn
from tests.actors.workspace.rig import ON, STATE, WorkspaceRig, reply_of

SECRET = "quagmire"


def consolidation(text: str) -> dict[str, Any]:
    """Answer of a worker that consolidates."""
    return {"entries": [{"section": "Decisions", "text": text, "confidence": 0.9}], "history": f"About: {text}."}


def forget(rig: WorkspaceRig, *turns: SpokenTurn, whole: bool = False) -> DerivedForgotten:
    """Have turns forgotten, of which the window's log tells nothing any more."""
    for turn in turns:
        rig.logs[turn.path] = [each for each in rig.logs[turn.path] if each != turn]
    events = tuple(
        ForgottenEvent(window=rig.window, path=turn.path, line=turn.line, event_id=EventId(turn.turn_id))
        for turn in turns
    )
    request = ForgetDerived(
        request_id=RequestId("f"),
        reply_to=rig.asker.address,
        forget_id="f1",
        window=rig.window,
        events=events,
        whole_window=whole,
    )
    rig.tell(request)
    rig.settle(3.0)
    return rig.reply(DerivedForgotten, RequestId("f"))


def holding(root: Path) -> list[str]:
    """Files with the words in their bytes."""
    return [path.name for path in root.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.fixture
def rig(tmp_path: Path) -> WorkspaceRig:
    return WorkspaceRig(tmp_path, **ON)


def write_down(rig: WorkspaceRig) -> tuple[SpokenTurn, SpokenTurn]:
    """A turn with a secret and a later one, each cut off and written down by itself."""
    first = rig.turn(f"My word is {SECRET}, always.")
    rig.begin_cut([first])
    rig.work("session", {**STATE, "decisions": [f"The word is {SECRET}"]})
    rig.work("consolidate", consolidation(f"The word is {SECRET}"))
    second = rig.turn("The kiln is blue, always.")
    rig.begin_cut([second], first_kept="later")
    rig.work("session", {**STATE, "decisions": [f"The word is {SECRET}", "The kiln is blue"]})
    rig.work("consolidate", consolidation("The kiln is blue"))
    rig.asker.drain()
    return first, second


def answer_all(rig: WorkspaceRig, text: str) -> None:
    """Answer each worker that is asked."""
    while requests := rig.requests():
        for request in requests:
            is_session = request.purpose == "workspace.session"
            rig.answer(request, json.dumps(STATE if is_session else consolidation(text)))


@pytest.mark.req("X-249")
def test_no_file_of_a_window_says_what_a_forgotten_turn_led_to(rig: WorkspaceRig) -> None:
    first, _ = write_down(rig)
    people = rig.text(MEMORY).replace("## Decisions\n", "## Decisions\n- Mona decides about tea\n")
    rig.write(MEMORY, people)
    rig.write(".agent/before/MEMORY-1.md", SECRET)
    rig.write(".agent/refused-sweep.txt", SECRET)
    rig.write(".agent/runs/r9.json", SECRET)
    assert {SESSION, MEMORY, HISTORY, "state.json", "SESSION.before.md", "r9.json"} <= set(holding(rig.folder))

    answer = forget(rig, first)

    assert (answer.room, answer.count, answer.note) == ("workspace", 3, OWN_LINES)
    assert holding(rig.folder) == []
    assert "The kiln is blue <!-- m:" in rig.text(MEMORY)
    assert "- Mona decides about tea" in rig.text(MEMORY)
    assert "About: The kiln is blue." in rig.text(HISTORY)
    rig.live_again()
    assert SECRET not in rig.head(first_kept="later")
    assert holding(rig.folder) == []


def test_session_is_made_anew_of_the_rest_of_the_log(rig: WorkspaceRig) -> None:
    first, second = write_down(rig)
    forget(rig, first)

    assert "blue" not in rig.text(SESSION)
    assert json.loads((rig.agent / "state.json").read_text())["dirty"] == [second.turn_id]


def test_the_other_turns_of_a_stretch_are_written_down_anew(rig: WorkspaceRig) -> None:
    turns = [rig.turn(f"My word is {SECRET}, always."), rig.turn("The kiln is blue, always.")]
    rig.begin_cut(turns)
    answer_all(rig, f"The kiln is blue, and the word is {SECRET}")
    rig.asker.drain()
    assert SECRET in rig.text(HISTORY)

    forget(rig, turns[0])
    assert holding(rig.folder) == []
    for _ in range(6):
        rig.say("Go on, please.")
        answer_all(rig, "The kiln is blue")

    assert "The kiln is blue" in rig.text(MEMORY)
    assert "About: The kiln is blue." in rig.text(HISTORY)


def test_what_a_sweep_and_a_fold_made_goes_with_any_turn_that_was_written_down(rig: WorkspaceRig) -> None:
    first, _ = write_down(rig)
    mark = "<!-- m:0123456789ab -->"
    rig.write(MEMORY, rig.text(MEMORY).replace("## Decisions\n", f"## Decisions\n- A {SECRET} in other words {mark}\n"))
    rig.write(HISTORY, rig.text(HISTORY) + f"\n## Folded History Through 2026-01-01T00:00Z\nLong ago, {SECRET}.\n")
    rig.write("HISTORY.archive.md", f"## 2026-01-01T00:00Z\n{SECRET}\n{mark}\n")

    forget(rig, first)

    assert holding(rig.folder) == []
    assert "The kiln is blue" in rig.text(MEMORY)


def test_an_archive_that_a_fold_is_about_to_make_gets_no_forgotten_word(rig: WorkspaceRig) -> None:
    first, _ = write_down(rig)
    talk = "Much was talked about shelves. " * 12
    blocks = "".join(f"\n## 2026-11-2{day}T09:00:00Z\n{talk}\n" for day in range(6, 10))
    rig.write(HISTORY, rig.text(HISTORY) + blocks)
    rig.begin_cut([rig.turn("The shelves are oak.")], first_kept="last")
    rig.work("session", STATE)
    rig.work("consolidate", consolidation("The shelves are oak"))
    (request,) = rig.requests()
    assert request.purpose == "workspace.fold"

    rig.tell(reply_of(request, "Shelves were talked about for days, and in the end oak was taken for all. " * 3))
    forget(rig, first)
    rig.settle(120.0)

    assert holding(rig.folder) == []


def test_a_turn_that_nothing_was_written_of_changes_no_entry(rig: WorkspaceRig) -> None:
    write_down(rig)
    memory, history = rig.text(MEMORY), rig.text(HISTORY)
    third = rig.turn("Nothing of this is written down.")

    assert forget(rig, third).note == ""
    assert (rig.text(MEMORY), rig.text(HISTORY)) == (memory, history)


def test_a_whole_window_leaves_the_files_as_they_begin(rig: WorkspaceRig) -> None:
    turns = write_down(rig)
    fresh = WorkspaceRig(rig.root.parent / "other", **ON)
    fresh.turn("hello")
    rig.write(MEMORY, rig.text(MEMORY) + f"\n- a line of a person's about {SECRET}\n")

    forget(rig, *turns, whole=True)

    assert rig.texts == fresh.texts
    assert holding(rig.folder) == []


def test_a_worker_that_was_told_of_a_forgotten_turn_writes_nothing(rig: WorkspaceRig) -> None:
    turn = rig.turn(f"My word is {SECRET}, always.")
    rig.begin_cut([turn])
    (asked,) = rig.requests()

    forget(rig, turn)
    rig.answer(asked, json.dumps({**STATE, "decisions": [f"The word is {SECRET}"]}))
    answer_all(rig, f"The word is {SECRET}")

    assert holding(rig.folder) == []


def test_a_change_of_two_files_that_is_under_way_goes_no_further(rig: WorkspaceRig) -> None:
    turn = rig.turn(f"My word is {SECRET}, always.")
    rig.begin_cut([turn])
    rig.work("session", STATE)
    (asked,) = rig.requests()
    rig.tell(reply_of(asked, json.dumps(consolidation(f"The word is {SECRET}"))))
    rig.system.run()

    forget(rig, turn)

    assert holding(rig.folder) == []
    rig.live_again()
    rig.settle(5.0)
    assert holding(rig.folder) == []
