"""Traces: one line for each decision, in a file that stays small."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from actors.curated.decisions import Decisions
from actors.linux.disk import RealDisk
from domain.curated.trace import LONGEST_LINE, MOST_LINES, Trace
from messages.curated import AddFact, RememberFact
from messages.curated_view import FaultsListed, ListFaults, ListTraces, ShowTrace, TracesListed
from tests.actors.curated.rig import GENERAL, OPERATOR, PRIVATE, CuratedRig


@pytest.mark.req("S1-72")
def test_ten_thousand_decisions_stay_within_the_limit_and_the_newest_are_kept(tmp_path: Path) -> None:
    traces = Decisions(RealDisk(), tmp_path / "own", str, datetime.now, are_kept=True)
    for number in range(10_000):
        traces.append(Trace(f"t{number}", "now", "discord-channel/1", "injected", ("why",), {"global": number}))
    kept = traces.all()
    assert len(kept) == MOST_LINES
    assert kept[-1] == Trace("t9999", "now", "discord-channel/1", "injected", ("why",), {"global": 9999})
    assert (tmp_path / "own" / "traces.jsonl").stat().st_size < MOST_LINES * LONGEST_LINE


@pytest.mark.req("S1-55")
def test_a_trace_is_listed_and_shown_by_its_id_with_context_decision_reasons_and_counts(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- one\n")
    rig.block()
    (trace,) = rig.answer(TracesListed, ListTraces).traces
    assert (trace.context, trace.decision) == (GENERAL.address.key, "injected")
    assert dict(trace.tokens)["global"] == 2
    assert trace.reasons
    assert rig.answer(TracesListed, ShowTrace, id=trace.id).traces == (trace,)
    assert "there is none of that id here" in rig.refusal(ShowTrace, id="nothing")


def test_what_a_flush_did_and_what_was_not_staged_is_a_trace_and_the_fault_names_the_words(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.flush()
    rig.remember("Tea at four")
    rig.refusal(RememberFact, scope="global", text="Tea <!-- at four")
    rig.flush()
    traces = rig.answer(TracesListed, ListTraces).traces
    assert [each.decision for each in traces] == ["staged", "rejected", "committed"]
    assert traces[-1].reasons == ("global: Tea at four",)
    (fault,) = rig.answer(FaultsListed, ListFaults).faults
    assert fault.detail.startswith("Tea <!-- at four: the text has a comment mark")


def test_one_window_is_told_nothing_of_another_and_the_operator_everything(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.block(PRIVATE)
    rig.refusal(AddFact, PRIVATE, scope="global", text="a plan")
    (injected, denied) = rig.answer(TracesListed, ListTraces, PRIVATE).traces
    assert (injected.decision, denied.decision) == ("injected", "denied")
    assert rig.answer(TracesListed, ListTraces, GENERAL).traces == ()
    assert "none of that id" in rig.refusal(ShowTrace, GENERAL, id=denied.id)
    assert len(rig.answer(TracesListed, ListTraces, OPERATOR).traces) == 2
    assert len(rig.answer(TracesListed, ListTraces, OPERATOR, about=GENERAL.address.key).traces) == 0


def test_a_folder_may_say_that_nothing_is_noted(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index('{"traceEnabled": false}', "config.json")
    rig.block()
    assert rig.answer(TracesListed, ListTraces).traces == ()
    assert not rig.own.exists()


def test_a_single_turn_of_the_command_line_notes_nothing(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, lives=False)
    rig.block()
    assert not rig.own.exists()


def test_a_file_of_traces_that_cannot_be_written_holds_no_turn_up(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.own.parent.mkdir()
    rig.own.write_text("in the way\n")
    assert rig.block().startswith("## Persistent memory")


def test_lines_that_somebody_spoilt_are_passed_over(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.block()
    path = rig.own / "traces.jsonl"
    path.write_bytes(b'\xff\n{"id": 1}\n[]\n' + path.read_bytes())
    assert len(rig.answer(TracesListed, ListTraces).traces) == 1
