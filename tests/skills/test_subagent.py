"""The script that gives tasks to sub-agents, as a command runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from actors.kernel import Actor
from actors.part import SHIPPED_SKILLS
from messages.base import Message
from messages.socket import Refused
from messages.workspace import (
    ListSubagents,
    RunSubagent,
    StopSubagent,
    SubagentOffered,
    SubagentRun,
    SubagentsListed,
    SubagentTold,
    WaitSubagent,
)
from tests.skills.sandboxed import door_with, run_script

SCRIPT = SHIPPED_SKILLS / "subagent" / "scripts" / "subagent.py"
VERBS: dict[str, type[Message]] = {
    "subagent.run": RunSubagent,
    "subagent.wait": WaitSubagent,
    "subagent.stop": StopSubagent,
    "subagent.list": ListSubagents,
}
Run = Callable[[str], CompletedProcess[str]]


def run_in(state: str, note: str = "") -> SubagentRun:
    return SubagentRun(
        run="r1",
        name="researcher",
        state=state,
        began_at=datetime(2026, 11, 25, tzinfo=UTC),
        turns=2,
        calls=1,
        seconds=3.2,
        note=note,
    )


class StandInWorkspace(Actor):
    """Tells a run to be running for so many waits, then what became of it."""

    def __init__(self, messages: list[Message], waits: int, end: SubagentRun, text: str) -> None:
        super().__init__()
        self._messages = messages
        self._waits = waits
        self._end = end
        self._text = text

    def handle(self, message: RunSubagent | WaitSubagent | StopSubagent | ListSubagents) -> None:
        self._messages.append(message)
        match message:
            case RunSubagent(name="nobody"):
                self.tell(message.reply_to, Refused(request_id=message.request_id, reason="sub-agent 'nobody': no"))
            case ListSubagents():
                listed = SubagentsListed(
                    request_id=message.request_id,
                    offered=(SubagentOffered(name="researcher", description="Looks.", mode="isolated"),),
                    runs=(self._end,),
                    faults=("bad.md: no",),
                )
                self.tell(message.reply_to, listed)
            case WaitSubagent() if len(self._messages) <= self._waits or not self._waits:
                self.tell(message.reply_to, SubagentTold(request_id=message.request_id, run=run_in("running")))
            case RunSubagent():
                self.tell(message.reply_to, SubagentTold(request_id=message.request_id, run=run_in("running")))
            case _:
                reply = SubagentTold(request_id=message.request_id, run=self._end, text=self._text)
                self.tell(message.reply_to, reply)


@contextmanager
def scripts(
    tmp_path: Path, messages: list[Message], waits: int = 3, end: SubagentRun | None = None, text: str = "It is there."
) -> Iterator[Run]:
    with door_with(lambda: StandInWorkspace(messages, waits, end or run_in("done"), text), VERBS) as door:
        yield lambda command: run_script(SCRIPT, command, door, tmp_path)


@pytest.mark.req("X-64", "X-106")
def test_a_run_is_begun_and_waited_for_until_its_report(tmp_path: Path) -> None:
    messages: list[Message] = []
    with scripts(tmp_path, messages) as run:
        done = run("$S run researcher find the 'kiln room' --mode contextual")
    assert (done.stdout, done.returncode) == (
        "[r1 of researcher: done, 2 answers, 1 commands, 3 s]\nIt is there.\n",
        0,
    )
    begun = messages[0]
    assert isinstance(begun, RunSubagent)
    assert (begun.name, begun.task, begun.mode) == ("researcher", "find the kiln room", "contextual")
    waits = [each.seconds for each in messages[1:] if isinstance(each, WaitSubagent)]
    assert waits == [55, 55, 55]


def test_a_run_that_goes_on_is_named_with_how_to_wait_for_it(tmp_path: Path) -> None:
    messages: list[Message] = []
    with scripts(tmp_path, messages, waits=0) as run:
        soon = run("echo 'a task' | $S run researcher - --for 0")
        at_once = run("$S run researcher x --no-wait")
        waited = run("$S wait r1 --for 0")
    for done in (soon, at_once, waited):
        assert (done.stdout, done.returncode) == (f"r1 of researcher goes on. Its report: {SCRIPT} wait r1\n", 0)
    assert isinstance(messages[0], RunSubagent)
    assert messages[0].task == "a task"


def test_the_end_says_why(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, int]] = [("failed", 1), ("stopped", 0)]
    for number, (state, code) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(state=state, code=code):
            with scripts(place, [], end=run_in(state, "it was so"), text="") as run:
                done = run("$S stop r1")
            assert (
                done.stdout
                == f"[r1 of researcher: {state}, 2 answers, 1 commands, 3 s, it was so]\n(it said nothing)\n"
            )
            assert done.returncode == code


def test_below_a_long_report_the_end_is_said_again(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, bool]] = [
        ("a\n" * 100, False),
        ("a\n" * 101, True),
        ("a" * 8_000, False),
        ("a" * 8_001, True),
    ]
    for number, (text, is_long) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(text=text, is_long=is_long):
            head = "r1 of researcher: stopped, 2 answers, 1 commands, 3 s, it was so"
            with scripts(place, [], end=run_in("stopped", "it was so"), text=text) as run:
                done = run("$S stop r1")
            first, *_, last = done.stdout.splitlines()
            assert first == f"[{head}]"
            assert (last == f"[end of {head}]") is is_long


def test_a_time_that_is_none_is_refused_before_anything_is_begun(tmp_path: Path, subtests: pytest.Subtests) -> None:
    messages: list[Message] = []
    with scripts(tmp_path, messages) as run:
        for seconds in ("nan", "inf", "-inf", "1e999", "-1", "x", ""):
            for verb in ("run researcher x", "wait r1"):
                with subtests.test(verb=verb, seconds=seconds):
                    done = run(f"$S {verb} --for={seconds!r}")
                    assert done.returncode == 2
                    assert "must be a number of seconds, 0 or more" in done.stderr
                    assert "Traceback" not in done.stderr
    assert messages == []


def test_what_is_not_utf_8_is_refused_before_it_is_sent(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("printf 'a\\xff' | $S run researcher -", "the task is not UTF-8, from byte 1 on"),
        ("$S run researcher $'a\\xff'", "the task is not UTF-8, from character 1 on"),
        ("$S run $'a\\xff' x", "the name is not UTF-8"),
        ("$S wait $'a\\xff'", "the run is not UTF-8"),
        ("$S stop $'a\\xff'", "the run is not UTF-8"),
    ]
    for number, (command, stdin) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(command=command, said=stdin):
            messages: list[Message] = []
            with scripts(place, messages) as run:
                done = run(command)
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith(f"error: {stdin}")
            assert messages == []


def test_a_task_from_a_file_may_be_of_any_words(tmp_path: Path) -> None:
    messages: list[Message] = []
    with scripts(tmp_path, messages, waits=0) as run:
        run("printf 'grün\\r\\n日本' | $S run researcher - --no-wait")
    assert isinstance(messages[0], RunSubagent)
    assert messages[0].task == "grün\n日本"


def test_whom_there_is_and_what_was_is_listed(tmp_path: Path) -> None:
    with scripts(tmp_path, []) as run:
        done = run("$S list")
    assert done.stdout.splitlines() == [
        "researcher (isolated): Looks.",
        "r1 of researcher: done, 2 answers, 1 commands, 3 s",
    ]
    assert done.stderr == "not used: bad.md: no\n"


def test_what_cannot_be_done_is_said(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, int, str]] = [
        ("$S run nobody x", 1, "error: sub-agent 'nobody': no"),
        ("$S run researcher - < /dev/null", 1, "error: the task is empty"),
        ("head -c 12001 /dev/zero | tr '\\0' x | $S run researcher -", 1, "error: the task has 12001 characters"),
        ("$S run researcher x --mode channel", 2, "invalid choice: 'channel'"),
        ("$S", 2, "ACTION"),
        ("AGENT_SOCKET= $S list", 3, "AGENT_SOCKET is not set"),
    ]
    for number, (command, code, stdin) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(command=command, code=code):
            with scripts(place, []) as run:
                done = run(command)
            assert done.returncode == code
            assert stdin in done.stderr
