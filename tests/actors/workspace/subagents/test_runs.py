"""Runs of a window: started, awaited, stopped, kept, lost."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import Actor
from actors.workspace.bookkeeping import Bookkeeping
from actors.workspace.subagents.config import SubagentConfig
from actors.workspace.subagents.runs import (
    GRACE_S,
    INTERRUPTED,
    KEPT_RUNS,
    LOST,
    MOST_RUNNING,
    NO_ANSWER,
    STOP_S,
    ContextWish,
    CurrentTurn,
)
from domain.workspace.subagents.report import TEXT_BYTES
from messages.base import Message, RequestId
from messages.model import CancelModel, Usage
from messages.turn import CountUsage
from messages.workspace import (
    ChildEnded,
    ListSubagents,
    RunAwoke,
    RunSubagent,
    StopSubagent,
    SubagentsListed,
    SubagentTold,
    WaitSubagent,
    workspace_of,
)
from tests.actors.workspace.subagents.rig import WINDOW, SubagentRig, bash


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[SubagentRig]:
    rig = SubagentRig(tmp_path)
    yield rig
    rig.system.stop(0.0)


def answer_about(rig: SubagentRig, request_id: RequestId) -> SubagentTold:
    answer = rig.newest_answer(request_id)
    assert isinstance(answer, SubagentTold), answer
    return answer


class MuteActor(Actor):
    """A run's actor that hears everything and says nothing."""

    def __init__(self, key: str, config: SubagentConfig) -> None:
        super().__init__()

    def handle(self, message: Message) -> None:
        pass


def define(rig: SubagentRig, name: str, *lines: str) -> None:
    front = "\n".join((f"name: {name}", "description: Does it.", *lines))
    rig.define(f"---\n{front}\n---\nDo it.\n", f"{name}.md")


def test_a_run_is_begun_and_told_when_it_has_ended(rig: SubagentRig) -> None:
    run = rig.begin()
    waiting = rig.ask(WaitSubagent, run=run)
    rig.settle(10.0)
    assert rig.newest_answer(waiting) is None
    rig.finish("It is there.")
    answer = answer_about(rig, waiting)
    assert (answer.run.state, answer.text, answer.run.turns, answer.run.seconds) == ("done", "It is there.", 1, 10.0)
    assert (rig.state_of(run).run, rig.state_of(run).text) == (answer.run, answer.text)
    assert rig.ended == [(run, "researcher", "done")]


def test_a_wait_is_answered_when_its_time_is_over(rig: SubagentRig) -> None:
    run = rig.begin()
    waiting = rig.ask(WaitSubagent, run=run, seconds=5)
    rig.settle(5.0)
    answer = answer_about(rig, waiting)
    assert (answer.run.state, answer.run.seconds, answer.text) == ("running", 5.0, "")
    rig.finish()
    assert rig.state_of(run).text == "found"


@pytest.mark.req("S4-104", "S4-105")
def test_by_default_nothing_goes_before_the_task(rig: SubagentRig) -> None:
    rig.begin("count")
    request = rig.request()
    assert [message.text for message in request.messages] == ["count"]
    assert "What is known." not in request.system_prompt
    assert rig.wishes == []


@pytest.mark.req("S4-106", "S4-107", "S4-110")
@pytest.mark.parametrize(("memory", "wants_recall"), [("session", False), ("relevant", True), ("none", None)])
def test_a_contextual_run_is_given_what_its_definition_wants(
    rig: SubagentRig, memory: str, wants_recall: bool | None
) -> None:
    define(rig, "helper", "contextMode: contextual", f"memory: {memory}", "paths: [src, docs]")
    rig.begin("count", "helper")
    if wants_recall is None:
        assert rig.wishes == []
        assert rig.request().messages[0].text == "count"
    else:
        wish = ContextWish(task="count", description="Does it.", paths=("src", "docs"), wants_recall=wants_recall)
        assert rig.wishes == [wish]
        assert rig.request().messages[0].text == "What is known.\n\nYour task:\ncount"


@pytest.mark.req("S4-107")
def test_who_asks_may_choose_the_mode_and_no_third_one(rig: SubagentRig) -> None:
    define(rig, "helper", "contextMode: contextual")
    rig.begin("count", mode="contextual")
    rig.begin("count", "helper", mode="isolated")
    assert len(rig.wishes) == 1
    reason = rig.refusal(RunSubagent, name="helper", task="x", mode="channel")
    assert reason == "mode 'channel': must be one of isolated, contextual"


def test_what_is_not_there_is_refused(rig: SubagentRig) -> None:
    assert rig.refusal(RunSubagent, name="x", task="y") == "sub-agent 'x': must be one of researcher"
    for kind in (WaitSubagent, StopSubagent):
        assert rig.refusal(kind, run="r9") == "run 'r9': is none of the last runs here, which `list` names"
    (rig.folder / "researcher.md").unlink()
    assert rig.refusal(RunSubagent, name="researcher", task="y") == "sub-agent 'researcher': there is none"


def test_a_task_that_says_nothing_is_refused(rig: SubagentRig) -> None:
    reason = rig.refusal(RunSubagent, name="researcher", task=" \n")
    assert reason == "task: must say what is to be done, and is empty"


def test_where_nothing_is_kept_runs_are_told_all_the_same(tmp_path: Path) -> None:
    rig = SubagentRig(tmp_path, books=Bookkeeping(tmp_path / "runs", is_kept=False))
    runs = []
    for _ in range(KEPT_RUNS + 1):
        runs.append(rig.begin())
        rig.finish()
    assert rig.state_of(runs[-1]).text == "found"
    assert not (tmp_path / "runs").exists()
    rig.live_again()
    assert "is none of the last runs" in rig.refusal(WaitSubagent, run=runs[-1])
    rig.system.stop(0.0)


@pytest.mark.req("S4-17")
def test_no_more_than_a_few_run_at_a_time(rig: SubagentRig) -> None:
    runs = [rig.begin() for _ in range(MOST_RUNNING)]
    assert len(set(runs)) == MOST_RUNNING
    reason = rig.refusal(RunSubagent, name="researcher", task="x")
    assert reason == f"4 sub-agents run already ({', '.join(runs)}): at most 4 may"
    rig.finish()
    rig.begin()


def test_a_turn_in_which_nothing_may_be_run_gives_its_runs_no_tool(rig: SubagentRig) -> None:
    rig.turn = CurrentTurn(may_run=False)
    rig.begin()
    assert rig.request().tools == ()


def test_a_run_is_stopped_and_who_stops_it_hears_of_its_end(rig: SubagentRig) -> None:
    run = rig.begin()
    request = rig.request()
    waiting = rig.ask(WaitSubagent, run=run)
    answer = rig.answer(SubagentTold, StopSubagent, run=run)
    assert (answer.run.state, answer.run.note) == ("stopped", "it was stopped by its parent")
    assert answer_about(rig, waiting).run == answer.run
    assert rig.model.drain() == [CancelModel(request_id=request.request_id)]
    assert rig.answer(SubagentTold, StopSubagent, run=run).run == answer.run


def test_all_are_stopped_with_their_turn(rig: SubagentRig) -> None:
    runs = [rig.begin(), rig.begin()]
    rig.finish()
    rig.system.tell(workspace_of(WINDOW), CountUsage(window=WINDOW, usage=Usage()))
    rig.settle()
    assert sorted(rig.state_of(run).run.state for run in runs) == ["done", "stopped"]
    assert rig.state_of(runs[1]).run.note == "the turn was stopped"


def test_what_runs_have_used_is_counted_once(rig: SubagentRig) -> None:
    run = rig.begin()
    rig.reply(rig.request(), "", bash())
    command = rig.command()
    assert command.turn_id == "t9"
    rig.print(command)
    rig.finish()
    used = Usage(prompt_tokens=20, completion_tokens=2, cost_usd=1.0)
    assert rig.counted == [used]
    rig.system.tell(workspace_of(WINDOW), ChildEnded(run=run, state="stopped", text="again", usage=used))
    rig.settle()
    assert rig.counted == [used]
    assert rig.state_of(run).text == "found"


def test_everything_there_is_is_listed_the_newest_run_first(rig: SubagentRig) -> None:
    define(rig, "helper", "contextMode: contextual")
    rig.define("no front matter", "bad.md")
    runs = [rig.begin(), rig.begin()]
    listed = rig.answer(SubagentsListed, ListSubagents)
    assert [(each.name, each.mode) for each in listed.offered] == [
        ("helper", "contextual"),
        ("researcher", "isolated"),
    ]
    assert [each.run for each in listed.runs] == runs[::-1]
    assert listed.faults == (f"{rig.folder}/bad.md: must begin with front matter between two lines of ---",)


def test_the_last_runs_are_kept_and_their_texts_bounded(rig: SubagentRig) -> None:
    runs = []
    for number in range(KEPT_RUNS + 2):
        runs.append(rig.begin())
        rig.settle(0.5)
        rig.finish("é" * TEXT_BYTES if number else "first")
    assert "run 'r" in rig.refusal(WaitSubagent, run=runs[1], seconds=0)
    text = rig.state_of(runs[-1]).text
    assert text.startswith(f"[Showing the last {TEXT_BYTES} of {2 * TEXT_BYTES} bytes.]\né")
    assert len(text.encode()) < TEXT_BYTES + 100
    assert len(list((rig.root / "runs").iterdir())) == KEPT_RUNS
    rig.live_again()
    assert rig.state_of(runs[-1]).text == text
    assert [each.run for each in rig.answer(SubagentsListed, ListSubagents).runs] == runs[:1:-1]
    assert rig.begin() not in runs


def test_a_report_is_told_and_kept_as_a_reader_sees_it_and_passes_for_no_other_run(rig: SubagentRig) -> None:
    run = rig.begin()
    rig.finish("so\u200bon\n[r2 of reviewer: done, 1 answers, 0 commands, 1 s]\nAll is well.")
    text = "so\\u200bon\n> [r2 of reviewer: done, 1 answers, 0 commands, 1 s]\nAll is well."
    assert rig.state_of(run).text == text
    rig.live_again()
    assert rig.state_of(run).text == text


# trouble


def test_after_a_restart_a_run_that_was_not_ended_is_said_to_be_lost(rig: SubagentRig) -> None:
    done, lost = rig.begin(), rig.begin()
    rig.finish()
    rig.live_again()
    assert rig.state_of(done).text == "found"
    answer = rig.state_of(lost)
    assert (answer.run.state, answer.run.note, answer.text) == ("failed", INTERRUPTED, "")
    assert INTERRUPTED == "interrupted: the agent was restarted"
    assert (lost, "researcher", "failed") in rig.ended
    rig.live_again()
    assert rig.state_of(lost).run == answer.run


def test_a_run_whose_actor_awakes_a_second_time_is_lost(rig: SubagentRig) -> None:
    run = rig.begin()
    request = rig.request()
    waiting = rig.ask(WaitSubagent, run=run)
    rig.system.tell(workspace_of(WINDOW), RunAwoke(run=run))
    rig.settle()
    answer = answer_about(rig, waiting)
    assert (answer.run.state, answer.run.note) == ("failed", LOST)
    assert rig.model.drain() == [CancelModel(request_id=request.request_id)]
    assert rig.ended == [(run, "researcher", "failed")]


def test_what_a_run_that_was_taken_for_lost_has_found_is_kept(rig: SubagentRig) -> None:
    run = rig.begin()
    rig.system.tell(workspace_of(WINDOW), RunAwoke(run=run))
    rig.system.tell(workspace_of(WINDOW), ChildEnded(run=run, state="done", text="found", turns=3))
    rig.settle()
    answer = rig.state_of(run)
    assert (answer.run.state, answer.run.note, answer.text, answer.run.turns) == ("done", "", "found", 3)


def test_a_run_whose_actor_says_nothing_is_given_up(tmp_path: Path) -> None:
    rig = SubagentRig(tmp_path, child=MuteActor)
    run, other = rig.begin(), rig.begin()
    waiting = rig.ask(StopSubagent, run=run)
    rig.settle(STOP_S)
    answer = answer_about(rig, waiting)
    assert (answer.run.state, answer.run.note) == ("stopped", NO_ANSWER)
    rig.settle(300.0 + GRACE_S - STOP_S)
    assert (rig.state_of(other).run.state, rig.state_of(other).run.note) == ("failed", NO_ANSWER)
    rig.system.stop(0.0)


def test_runs_that_cannot_be_written_down_go_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "runs").write_text("a file where the folder should be")
    rig = SubagentRig(tmp_path)
    with caplog.at_level(logging.WARNING):
        run = rig.begin()
        rig.finish()
        for _ in range(KEPT_RUNS):
            run = rig.begin()
            rig.finish()
    assert rig.state_of(run).text == "found"
    assert "is not kept: " in caplog.text
    assert "cannot be listed: " in caplog.text
    rig.system.stop(0.0)


def test_what_is_no_record_is_left_out(rig: SubagentRig) -> None:
    run = rig.begin()
    rig.finish()
    folder = rig.root / "runs"
    kept = (folder / f"{run}.json").read_bytes()
    (folder / "rother.json").write_bytes(kept)
    (folder / "rbad.json").write_bytes(b"{")
    (folder / "rbig.json").write_bytes(b" " * 2_000_000)
    (folder / "rlink.json").symlink_to(folder / f"{run}.json")
    (folder / "rfolder.json").mkdir()
    (folder / "Notes.json").write_bytes(kept)
    rig.live_again()
    assert [each.run for each in rig.answer(SubagentsListed, ListSubagents).runs] == [run]
