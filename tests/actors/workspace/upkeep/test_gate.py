"""Gate before a cut: X-103's table, its order, and workers that hang or fail."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.workspace.upkeep.gate import NOT_STORED
from messages.model import ModelFailed
from messages.turn import CompactionReady
from tests.actors.workspace.rig import FOUND, ON, RULE, STATE, WorkspaceRig, reply_of

GARBAGE = "I would rather not."


def refuse_writes(call: str, _data: bytes) -> None:
    """A full disk."""
    if call == "write":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def rig(tmp_path: Path) -> WorkspaceRig:
    return WorkspaceRig(tmp_path, **ON)


@pytest.mark.req("S4-166", "S4-168", "S4-169", "X-103")
def test_before_a_cut_session_then_memory_and_history_then_the_handover(rig: WorkspaceRig) -> None:
    request = rig.prepare_compaction([rig.add_turn("The gas budget is four hundred.")])
    assert "workspace.session" in {each.purpose for each in [rig.work("session", STATE)]}
    assert "Ask Mona first" in rig.text("SESSION.md")
    assert not rig.is_answered(request)
    rig.work("consolidate", FOUND)
    ready = rig.reply(CompactionReady, request)
    assert ready.cut
    assert "Ask Mona first" in ready.handover
    assert "The gas budget is 400 euros" in ready.handover
    assert "The kiln was planned." in rig.text("HISTORY.md")
    assert rig.requests() == []
    assert len(rig.counted) == 2


@pytest.mark.req("S4-95", "S4-97", "S4-98", "S4-170", "X-103")
@pytest.mark.parametrize("session", ["fresh", "stale", "none"])
@pytest.mark.parametrize("consolidation", ["ok", "failed", "garbage"])
def test_table(rig: WorkspaceRig, session: str, consolidation: str) -> None:
    if session == "stale":
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
    request = rig.prepare_compaction([rig.add_turn(RULE)])
    rig.work("session", STATE if session == "fresh" else None)
    rig.work("consolidate", {"ok": FOUND, "failed": None, "garbage": GARBAGE}[consolidation])
    ready = rig.reply(CompactionReady, request)
    assert ready.cut == (consolidation == "ok" or session != "none")
    assert bool(ready.trouble) == (consolidation != "ok"), "why not, or what is written later"
    if consolidation != "ok":
        assert RULE in ready.handover, "what is in no file stands there as it was said"
    if session == "stale":
        assert "No trains" in ready.handover


class TestAWorkerThatHangs:
    @pytest.mark.req("S4-99")
    @pytest.mark.parametrize("switches", [ON, {**ON, "session": False}], ids=["both", "consolidation only"])
    def test_it_delays_one_cut_of_at_most_sixty_seconds_and_none_after_it(
        self, tmp_path: Path, switches: dict[str, Any]
    ) -> None:
        rig = WorkspaceRig(tmp_path, **switches)
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        first = rig.prepare_compaction([rig.add_turn(RULE)])
        rig.settle(60.0)
        assert rig.reply(CompactionReady, first).cut
        for _ in range(3):
            assert rig.cut([rig.add_turn("more")]).cut, "at once"

    @pytest.mark.req("S4-99")
    def test_behind_other_work_that_hangs_a_cut_waits_no_longer_than_that(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        rig.turn("one", calls=4)
        rig.settle(1.0)
        request = rig.prepare_compaction([rig.add_turn(RULE)])
        rig.settle(28.5)
        assert not rig.is_answered(request)
        rig.settle(0.5)
        assert rig.reply(CompactionReady, request).cut, "the two workers of the cut are not tried any more"

    def test_one_that_hung_in_the_background_delays_no_cut(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        rig.turn("one", calls=4)
        rig.settle(31.0)
        assert rig.cut([rig.add_turn("more")]).cut

    def test_once_a_worker_has_answered_cuts_wait_again(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        rig.prepare_compaction([rig.add_turn(RULE)])
        rig.settle(60.0)
        rig.requests()
        rig.turn("two")
        rig.work("consolidate", FOUND)
        request = rig.prepare_compaction([rig.add_turn("more")])
        assert not rig.is_answered(request)

    def test_an_answer_that_comes_late_changes_nothing(self, rig: WorkspaceRig) -> None:
        rig.prepare_compaction([rig.add_turn(RULE)])
        (request,) = rig.requests()
        rig.settle(60.0)
        before = rig.texts
        rig.tell(reply_of(request, "{}"))
        rig.settle(3.0)
        assert rig.texts == before


class TestWhatIsOwed:
    def test_a_stretch_that_was_cut_unwritten_is_written_later_once(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        turns = [rig.add_turn("one"), rig.add_turn("two")]
        rig.prepare_compaction(turns)
        rig.work("session", STATE)
        rig.work("consolidate", None)
        rig.turn("three")
        request = rig.work("consolidate", FOUND)
        assert "one" in request.messages[0].text
        assert "three" not in request.messages[0].text
        assert rig.text("HISTORY.md").count("The kiln was planned.") == 1
        rig.live_again()
        for _ in range(20):
            rig.turn("more")
        assert {each.purpose for each in rig.requests()} == {"workspace.session"}

    def test_it_outlives_a_kill(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        rig.prepare_compaction([rig.add_turn("one")])
        rig.work("session", STATE)
        rig.work("consolidate", None)
        rig.die()
        rig.turn("two")
        rig.work("consolidate", FOUND)
        assert "The kiln was planned." in rig.text("HISTORY.md")

    def test_a_cut_waits_for_a_disk_that_takes_the_debt(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        turn = rig.add_turn(RULE)
        request = rig.prepare_compaction([turn])
        rig.work("session", STATE)
        rig.disk.before = refuse_writes
        rig.work("consolidate", None)
        ready = rig.reply(CompactionReady, request)
        assert (ready.cut, ready.trouble) == (False, NOT_STORED)
        assert RULE in ready.handover

        rig.disk.before = lambda _call, _data: None
        assert rig.cut([turn]).cut
        rig.die()
        assert RULE in rig.head(kept_from="kept")
        rig.turn("two")
        rig.work("consolidate", FOUND)
        assert "The kiln was planned." in rig.text("HISTORY.md")

    def test_it_is_owed_still_where_the_window_cannot_tell_it_now(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        rig.prepare_compaction([rig.add_turn("one")])
        rig.work("session", STATE)
        rig.work("consolidate", None)
        rig.refusal = "the disk is full"
        for _ in range(5):
            rig.turn("more", outcome="failed")
        rig.refusal = ""
        rig.requests()
        rig.live_again()
        rig.turn("more")
        rig.work("consolidate", FOUND)

    def test_a_window_that_never_answers_stops_no_later_work(self, rig: WorkspaceRig) -> None:
        rig.is_mute = True
        rig.turn("one", calls=4)
        assert rig.requests() == []
        rig.settle(120.0)
        rig.is_mute = False
        for number in range(6):
            rig.turn(f"more {number}")
        assert rig.requests()

    def test_one_that_can_never_be_written_does_not_hold_up_the_others(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        for text, first_kept in (("one", "k1"), ("two", "k2")):
            rig.prepare_compaction([rig.add_turn(text)], first_kept=first_kept)
            if text == "one":
                rig.work("session", STATE)
                rig.work("consolidate", None)
            assert rig.requests() == [], "after the failure no cut waits"
        inputs: set[str] = set()
        for _ in range(40):
            rig.turn("more")
            rig.settle(400.0)
            for request in rig.requests():
                inputs.add(request.purpose + ("one" if "one" in request.messages[0].text else "two"))
        assert {"workspace.consolidateone", "workspace.consolidatetwo"} <= inputs

    def test_many_cuts_that_no_worker_was_asked_about_are_made_up_for_by_few_calls(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        rig.prepare_compaction([rig.add_turn("said 0.")], first_kept="k0")
        rig.work("session", STATE)
        rig.work("consolidate", None)
        for number in range(1, 60):
            rig.prepare_compaction([rig.add_turn(f"said {number}.")], first_kept=f"k{number}")
            assert rig.requests() == [], "after the failure no cut waits"
        inputs: list[set[int]] = []
        for _ in range(60):
            rig.turn("more", outcome="failed")
            for request in rig.requests():
                is_filing = request.purpose == "workspace.consolidate"
                if is_filing:
                    inputs.append({int(each) for each in re.findall(r"said (\d+)\.", request.messages[0].text)})
                rig.tell(reply_of(request, json.dumps(FOUND if is_filing else STATE)))
                rig.settle(3.0)
        assert set().union(*inputs) == set(range(60))
        assert sum(map(len, inputs)) == 60, "each once"
        assert len(inputs) <= 5

    def test_what_was_not_cut_is_not_written_again_with_more(self, rig: WorkspaceRig) -> None:
        one, two = rig.add_turn("one"), rig.add_turn("two")
        request = rig.prepare_compaction([one])
        rig.work("session", None)
        rig.work("consolidate", None)
        assert not rig.reply(CompactionReady, request).cut
        rig.tell(rig.end_report(rig.add_turn("three")))
        rig.settle()
        rig.work("consolidate", FOUND)
        rig.prepare_compaction([one, two])
        rig.work("session", STATE)
        call = rig.work("consolidate", {"entries": [], "history": "Then two was said."})
        assert '"one"' not in call.messages[0].text
        rig.turn("four")
        assert not [each for each in rig.requests() if each.purpose == "workspace.consolidate"]

    def test_the_same_cut_asked_about_again_after_a_kill_is_not_written_twice(self, rig: WorkspaceRig) -> None:
        turns = [rig.add_turn("one")]
        rig.prepare_compaction(turns)
        rig.work("session", STATE)
        rig.work("consolidate", FOUND)
        memory, history = rig.texts[1:]
        rig.die()
        request = rig.prepare_compaction(turns)
        rig.work("session", STATE)
        assert rig.reply(CompactionReady, request).cut
        assert rig.requests() == []
        assert rig.texts[1:] == (memory, history)


@pytest.mark.req("X-103")
def test_without_a_model_the_handover_is_the_files_and_the_rules_that_were_said(tmp_path: Path) -> None:
    rig = WorkspaceRig(tmp_path, compaction=True)
    rig.write("MEMORY.md", "## Constraints\n- No trains\n")
    ready = rig.cut([rig.add_turn(RULE)])
    assert ready.cut
    assert RULE in ready.handover
    assert "No trains" in ready.handover
    assert rig.requests() == []


class TestTakenBack:
    def test_a_rule_that_was_taken_back_stands_in_no_handover(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        turn = rig.add_turn(RULE)
        assert RULE in rig.cut([turn, rig.add_turn("Always wear gloves.")]).handover
        rig.take_back(turn)
        head = rig.head(kept_from="kept")
        assert RULE not in head
        assert "gloves" in head
        assert not [path for path in rig.agent.rglob("*.json") if RULE in path.read_text()]

    @pytest.mark.parametrize("is_new_life", [False, True])
    def test_a_retraction_that_is_told_again_changes_no_head_and_reads_no_log(
        self, tmp_path: Path, *, is_new_life: bool
    ) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        turns = [rig.add_turn("Always wear gloves."), rig.add_turn(RULE)]
        rig.cut(turns)
        rig.take_back(turns[1])
        head, count = rig.head(kept_from="kept"), len(rig.asked)
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        if is_new_life:
            rig.live_again()
        rig.take_back(turns[1])

        assert rig.head(kept_from="kept") == head
        assert len(rig.asked) == count

    def test_a_handover_that_the_disk_refused_is_made_anew_when_a_retraction_is_told_again(
        self, tmp_path: Path
    ) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        turn = rig.add_turn(RULE)
        rig.cut([turn, rig.add_turn("Always wear gloves.")])

        def refuse_handover(call: str, data: bytes) -> None:
            if b'"block"' in data:
                refuse_writes(call, data)

        rig.disk.before = refuse_handover
        rig.take_back(turn)
        rig.disk.before = lambda _call, _data: None
        rig.take_back(turn)
        rig.die()

        assert RULE not in rig.head(kept_from="kept")

    def test_one_of_a_message_that_joined_a_turn_neither(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        turn = rig.add_turn(f"Always wear gloves.\n\n{RULE}")
        rig.cut([turn, rig.add_turn("Never cook eggs here.")])
        rig.logs[rig.log][0:0] = [msgspec.structs.replace(turn, text="Always wear gloves.")]
        rig.take_back(turn, event="joined")
        head = rig.head(kept_from="kept")
        assert RULE not in head
        assert "eggs" in head
        assert "gloves" in rig.cut([rig.add_turn("more")], first_kept="later").handover

    def test_words_that_are_taken_back_while_workers_are_told_of_them_are_not_written(self, rig: WorkspaceRig) -> None:
        rig.write("SESSION.md", "# Constraints\n- No trains\n")
        turn, other = rig.add_turn(RULE), rig.add_turn("The kiln is blue.")
        rig.agent.mkdir(parents=True, exist_ok=True)
        (rig.agent / "refused-session.txt").write_text(RULE)
        request = rig.prepare_compaction([turn, other])
        rig.take_back(turn)
        inputs = [each.messages[0].text for each in rig.requests()]
        rig.settle(60.0)
        inputs = [each.messages[0].text for each in rig.requests()] + inputs[1:]
        assert not [text for text in inputs if RULE in text]
        assert RULE not in rig.reply(CompactionReady, request).handover
        assert not [path for path in rig.agent.rglob("*.*") if path.is_file() and RULE in path.read_text()]


class TestNewWindow:
    def test_rules_of_the_log_before_stand_at_the_head_however_quick_the_first_message(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.head()
        rig.add_turn(RULE)
        rig.begin_window()
        assert RULE in rig.head()

    def test_with_a_model_that_has_not_written_them_down_yet_too(self, rig: WorkspaceRig) -> None:
        rig.head()
        rig.turn(RULE)
        rig.begin_window()
        assert RULE in rig.head()

    def test_a_kill_before_the_workspace_hears_of_the_new_window_takes_none(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.head()
        rig.add_turn(RULE)
        rig.log = "logs/b.md"
        rig.die()
        assert RULE in rig.head()
        rig.log = "logs/c.md"
        assert RULE in rig.head()

    def test_a_log_that_was_not_read_in_time_is_read_by_the_next_life(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.head()
        rig.add_turn(RULE)
        rig.is_mute = True
        rig.begin_window()
        rig.settle(31.0)
        rig.is_mute = False
        rig.die()
        assert RULE in rig.head()
        assert len(rig.asked) == 2

    def test_a_log_that_was_not_read_in_time_is_read_for_the_next_question(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.head()
        rig.add_turn(RULE)
        rig.is_mute = True
        rig.begin_window()
        rig.settle(31.0)
        rig.is_mute = False
        assert RULE not in rig.head()
        assert RULE in rig.head()
        rig.die()
        assert RULE in rig.head()
        assert len(rig.asked) == 2

    @pytest.mark.parametrize("has_head", [False, True])
    def test_a_log_that_was_not_read_in_time_is_read_before_a_cut(self, tmp_path: Path, *, has_head: bool) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.head()
        rig.add_turn(RULE)
        rig.is_mute = True
        rig.begin_window()
        rig.settle(31.0)
        rig.is_mute = False
        if has_head:
            assert RULE not in rig.head()
        assert RULE in rig.cut([rig.add_turn("Always wear gloves.")]).handover
        assert RULE in rig.cut([rig.add_turn("more")], kept_from="kept", first_kept="later").handover
        assert len(rig.asked) == 2

    def test_a_log_that_cannot_be_read_delays_no_cut(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.head()
        rig.add_turn(RULE)
        rig.refusal = "the log cannot be read"
        rig.begin_window()
        rig.settle()
        assert rig.cut([rig.add_turn("Always wear gloves.")]).cut

    def test_a_log_is_read_once(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.head()
        rig.add_turn(RULE)
        rig.begin_window()
        rig.settle()
        rig.begin_window("logs/c.md")
        rig.die()
        rig.head()
        assert [request.log for request in rig.asked] == ["logs/a.md"]

    def test_a_window_that_cannot_tell_delays_the_head_for_a_moment_only(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.write("MEMORY.md", "## Constraints\n- No trains\n")
        rig.is_mute = True
        rig.begin_window()
        request = rig.prepare_compaction()
        rig.settle(31.0)
        assert "No trains" in rig.reply(CompactionReady, request).handover


class TestHead:
    def test_it_is_the_same_until_the_next_cut_whatever_the_files_say(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.write("MEMORY.md", "## Constraints\n- No trains\n")
        head = rig.cut([rig.add_turn("one")]).handover
        rig.write("MEMORY.md", "## Constraints\n- No buses\n")
        rig.live_again()
        assert rig.head(kept_from="kept") == head
        assert "No buses" in rig.cut([rig.add_turn("two")], first_kept="later").handover

    def test_its_file_is_lost_and_nothing_breaks(self, tmp_path: Path) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rule = rig.add_turn(RULE)
        rig.cut([rule])
        rig.add_turn("kept")
        shutil.rmtree(rig.agent)
        rig.die()
        assert RULE in rig.head(kept_from="t0002")

    @pytest.mark.parametrize("block", ["", "hi", "[2026-01-30 14:00 UTC] Alice: hi", "INJECTED_CONTEXT_X\n{}\nmore"])
    def test_one_that_is_none_is_made_anew(self, tmp_path: Path, block: str) -> None:
        rig = WorkspaceRig(tmp_path, compaction=True)
        rig.write("MEMORY.md", "## Constraints\n- No trains\n")
        rig.cut([rig.add_turn("one")])
        (path,) = rig.agent.glob("handover-*")
        path.write_text(json.dumps({"block": block, "turns": 5}))
        head = rig.head(kept_from="kept")
        assert "No trains" in head or not block


def test_two_questions_at_once_are_answered_one_after_the_other(rig: WorkspaceRig) -> None:
    turns = [rig.add_turn("one")]
    first, second = rig.prepare_compaction(turns), rig.prepare_compaction(turns, first_kept="later")
    rig.work("session", STATE)
    rig.work("consolidate", FOUND)
    assert rig.reply(CompactionReady, first).cut
    rig.work("session", STATE)
    assert rig.reply(CompactionReady, second).cut
    assert rig.text("HISTORY.md").count("The kiln was planned.") == 1


def test_a_question_that_is_asked_again_while_workers_are_asked_is_answered_with_the_first(rig: WorkspaceRig) -> None:
    turns = [rig.add_turn("one")]
    stopped, again = rig.prepare_compaction(turns), rig.prepare_compaction(turns)
    rig.work("session", STATE)
    rig.work("consolidate", FOUND)
    handover = rig.reply(CompactionReady, stopped).handover
    assert rig.reply(CompactionReady, again).handover == handover != ""
    assert rig.requests() == []


def test_a_wish_with_words_of_its_own_is_another_question(rig: WorkspaceRig) -> None:
    turns = [rig.add_turn("one")]
    first, second = rig.prepare_compaction(turns), rig.prepare_compaction(turns, words="keep the oak in mind")
    rig.work("session", STATE)
    rig.work("consolidate", FOUND)
    assert rig.reply(CompactionReady, first).cut
    assert "keep the oak in mind" in rig.work("session", STATE).messages[0].text
    assert rig.reply(CompactionReady, second).cut


def test_an_end_while_workers_are_asked_asks_no_others(rig: WorkspaceRig) -> None:
    rig.prepare_compaction([rig.add_turn("one")])
    (first,) = rig.requests()
    model = rig.model
    rig.stop()
    rest = model.drain()
    assert [type(each).__name__ for each in rest] == ["CancelModel"]
    assert rest[0].request_id == first.request_id  # type: ignore[attr-defined]


class TestNoTurnWaitsForUpkeepTwice:
    """Modes of workers: seconds that each cut of a conversation of eight cuts waits."""

    def waits(self, rig: WorkspaceRig, mode: str) -> list[float]:
        waited = []
        for number in range(8):
            for each in range(3):
                rig.turn(f"talk {number}.{each}", calls=4)
                self.serve(rig, mode)
            request = rig.prepare_compaction([rig.add_turn(f"{RULE} {number}")], first_kept=f"k{number}")
            began, ready = rig.clock.monotonic(), rig.ready(request)
            while ready is None:
                self.serve(rig, mode)
                rig.settle(0.5)
                ready = rig.ready(request)
            waited.append(rig.clock.monotonic() - began)
            assert RULE in ready.handover, "people's own words are in every handover"
            if number == 4:
                rig.die()
        return waited

    def serve(self, rig: WorkspaceRig, mode: str) -> None:
        for request in rig.requests():
            seconds = {"slow": 12.0, "failing at last": 29.0, "429": 20.0}.get(mode, 0.0)
            rig.settle(seconds)
            if mode in ("failing at once", "failing at last", "429"):
                rig.tell(ModelFailed(request_id=request.request_id, reason="429 Retry-After: 60", attempts=4))
            elif mode == "garbage":
                rig.tell(reply_of(request, GARBAGE))
            elif mode != "hanging":
                session = "session" in request.purpose
                rig.tell(reply_of(request, json.dumps(STATE if session else FOUND)))
            rig.settle()

    @pytest.mark.parametrize("mode", ["failing at once", "failing at last", "429", "garbage", "hanging", "slow"])
    def test_after_the_first_wait_none_is_longer_than_two_seconds(self, rig: WorkspaceRig, mode: str) -> None:
        waited = self.waits(rig, mode)
        long = [seconds for seconds in waited if seconds > 2.0]
        assert len(long) <= 1, waited
        assert max(waited) <= 60.0, waited
        if mode != "slow":
            assert long == [] or waited.index(long[0]) == 0, waited
        last = rig.prepare_compaction([rig.add_turn("the last")], first_kept="last")
        assert rig.ready(last) is not None, waited


@pytest.mark.req("X-226")
def test_where_no_state_is_kept_turns_are_left_out_once_and_then_cut_with_peoples_words(rig: WorkspaceRig) -> None:
    request = rig.prepare_compaction([rig.add_turn(RULE)])
    rig.work("session", None)
    rig.work("consolidate", None)
    first = rig.reply(CompactionReady, request)
    again = rig.cut(rig.logs[rig.log])
    assert (first.cut, again.cut) == (False, True)
    assert first.handover == again.handover, "the head of the request stays byte for byte"
    assert RULE in again.handover
    assert "later" in again.trouble
