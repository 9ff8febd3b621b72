"""Commands that are run beside a window's own: places, folder and door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.part import Verb
from actors.shell.sandbox.bubblewrap import DOOR
from messages.base import RequestId
from messages.shell import BashOutcome, EmptyFolder, FolderEmptied
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from tests.actors.shell.bench import ENCLOSING, SHELL, Bench, level, window
from tests.actors.shell.test_door_cache import House
from tests.actors.socket.rig import OWNER, Look
from tests.patience import PATIENCE_S


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[Bench]:
    """A shell that runs one command at a time."""
    bench = Bench(tmp_path, commands_at_once=1)
    yield bench
    bench.system.stop()


def test_a_command_that_waits_for_what_a_lane_does_takes_no_place_from_it(narrow: Bench) -> None:
    narrow.fifo("met")
    waits = narrow.ask("cat met")
    does = narrow.ask("echo child > met; pwd", lane="subagent r1")
    assert narrow.result(waits).text == "child"
    assert narrow.result(does).text == str(narrow.workdir())


def test_commands_of_one_lane_follow_one_another_and_lanes_take_turns(tmp_path: Path) -> None:
    bench = Bench(tmp_path, commands_at_once=2)
    gate = bench.fifo("gate")
    first = bench.ask("cat gate; echo 1 >> order", lane="x")
    rest = [bench.ask(f"echo {name} >> order", lane=lane) for name, lane in (("2", "x"), ("y", "y"))]
    bench.system.tell(SHELL, DescribeYourself(request_id=RequestId("d"), reply_to=bench.edge.address))
    told = bench.edge.receive(PATIENCE_S, lambda message: isinstance(message, SelfDescription))
    assert isinstance(told, SelfDescription)
    figures = dict(told.figures)
    assert (figures["commands_running"], figures["lanes_running"], figures["lanes_waiting"]) == (0, 1, 2)
    gate.write_text("go")
    for request_id in (first, *rest):
        assert bench.result(request_id).outcome is BashOutcome.EXITED
    assert (bench.workdir() / "order").read_text().split() == ["1", "y", "2"]
    bench.system.stop()


def test_a_lanes_commands_are_cancelled_as_any(narrow: Bench) -> None:
    runs = narrow.ask("sleep 60", lane="x")
    waits = narrow.ask("true", lane="x")
    for request_id in (waits, runs):
        narrow.cancel(request_id)
        assert narrow.result(request_id).outcome is BashOutcome.ABORTED


def test_a_folder_is_emptied_when_the_lanes_commands_in_it_have_ended(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    gate, other = bench.fifo("gate"), bench.fifo("other")
    runs = [bench.ask(f"cat {name}; touch left-{name}", lane=name) for name in ("gate", "other")]
    empty = EmptyFolder(request_id=RequestId("empty"), reply_to=bench.edge.address, window=window())
    bench.system.tell(SHELL, empty)
    for place, run in zip((gate, other), runs, strict=True):
        place.write_text("go")
        assert bench.result(run).exit_code == 0
    reply = bench.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == empty.request_id)
    assert isinstance(reply, FolderEmptied)
    assert bench.run("ls").text == "attachments\nlogs"
    bench.system.stop()


def test_whoever_waits_for_a_folder_to_be_emptied_is_told_of_the_end(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    begun = bench.fifo("begun")
    run = bench.ask("echo > begun; sleep 60", lane="x")
    begun.read_text()
    empty = EmptyFolder(request_id=RequestId("empty"), reply_to=bench.edge.address, window=window())
    bench.system.tell(SHELL, empty)
    assert bench.run("true", of=window(2)).exit_code == 0
    bench.system.stop()
    assert bench.result(run).outcome is BashOutcome.ABORTED
    assert isinstance(bench.edge.receive(PATIENCE_S, lambda message: isinstance(message, Refused)), Refused)


_ASK = """
import json, os, socket, stat
with socket.socket(socket.AF_UNIX) as s:
    s.connect(os.environ["AGENT_SOCKET"])
    s.sendall(json.dumps({"id": 1, "verb": "only", "arguments": {"query": "x"}}).encode() + bytes([10]))
    print(json.loads(s.makefile().readline())["ok"])
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if name not in ("proc", "usr")]
    for path in (os.path.join(folder, name) for name in files):
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            print(path)
"""
ASK = f"python3 -I -S -c '{_ASK}'"
"""Prints whether `only` is answered, and all sockets that the command sees."""


@pytest.mark.parametrize("sandbox", ENCLOSING)
def test_at_the_door_of_a_lane_less_is_answered_and_no_other_door_is_seen(tmp_path: Path, sandbox: str) -> None:
    if level(sandbox).refusal:
        pytest.skip(level(sandbox).refusal)
    house = House(tmp_path, sandbox, verbs={"only": Verb(OWNER, Look, in_lanes=False)})
    try:
        assert house.run(ASK).split() == ["True", DOOR]
        assert house.run(ASK, lane="subagent r1").split() == ["False", DOOR]
        assert house.run(ASK, lane="subagent r2").split() == ["False", DOOR]
        assert house.questions == [window(), window()]
    finally:
        house.system.stop()
