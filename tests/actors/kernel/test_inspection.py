from __future__ import annotations

import io
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.kernel import ActorSystem, ManualClock
from actors.kernel.dead_letters import DeadLetter
from actors.kernel.inspection import (
    MailboxView,
    ThreadView,
    at_work,
    dump,
    mailboxes,
    render_crashes,
    render_dead_letters,
    render_mailboxes,
    render_threads,
)
from actors.kernel.supervisor import Crash
from messages.base import Address
from messages.status import DescribeYourself
from tests.actors.kernel.players import Player, Say, Stage, failing
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]
CHILD = "from tests.actors.kernel.dump_child import main; main()"


def test_threads_are_rendered_with_what_they_run_and_where() -> None:
    views = [
        ThreadView("main", "", "  at home\n"),
        ThreadView("worker-1", "shell has been handling RunBash", "  in it\n"),
    ]

    assert render_threads(views) == (
        "== 2 threads\n-- main\n  at home\n-- worker-1: shell has been handling RunBash\n  in it\n"
    )


def test_crashes_are_rendered_a_line_each() -> None:
    at = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)

    assert render_crashes([Crash(Address("context", "a"), "handle", "ValueError: no", at)]) == (
        "== last 1 crashes\n2026-01-30T14:23:55Z context/a in handle: ValueError: no\n"
    )


def test_of_many_dead_letters_the_last_are_rendered_by_sort_and_reason_and_never_by_their_text() -> None:
    at = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)
    letters = [
        DeadLetter(Address("shell"), f"secret {number}", f"reason {number}", "  trace\n", at) for number in range(30)
    ]

    text = render_dead_letters(letters)

    assert text.startswith(
        "== last 20 dead letters\n2026-01-30T14:23:55Z str to shell: reason 10\n  trace\n2026-01-30T14:23:55Z str"
    )
    assert "reason 29" in text
    assert "secret" not in text


@pytest.mark.crashes
def test_a_dump_tells_of_crashes_before_the_mailboxes(system: ActorSystem) -> None:
    Stage(system, failing(7)).run(7)
    text = io.StringIO()
    dump(system, text)

    assert " player in handle: Boom: number 7\n== last 0 dead letters\n== 1 mailboxes" in text.getvalue()


def test_mailboxes_are_rendered_with_their_depth_and_all_that_is_counted() -> None:
    views = [MailboxView(Address("context", "a"), 12, resting=True), MailboxView(Address("model"), 1, resting=False)]

    assert render_mailboxes(views, {"crashes": {"model": 2, "context": 1}, "stuck": {}}) == (
        "== 2 mailboxes hold 13 messages\n"
        "      12 context/a (rests)\n"
        "       1 model\n"
        "== counters\n"
        "crashes: context 1, model 2\n"
        "stuck: none\n"
    )


def test_a_long_list_of_mailboxes_is_cut_and_says_so() -> None:
    views = [MailboxView(Address("context", str(n)), 1, resting=False) for n in range(1003)]
    text = render_mailboxes(views, {})

    assert text.startswith("== 1003 mailboxes hold 1003 messages\n")
    assert "context/999\n     ... and 3 more\n" in text
    assert "context/1000\n" not in text


@pytest.mark.crashes
def test_the_fullest_mailbox_comes_first_and_a_resting_one_is_marked(system: ActorSystem, clock: ManualClock) -> None:
    stage = Stage(system, failing(7))
    stage.tell(7, 8, 9, key="rests")
    system.run()
    stage.tell(1, key="waits")
    stage.tell(1, 2, 3, 4, key="full")

    assert mailboxes(system) == (
        MailboxView(Address("player", "full"), 4, resting=False),
        MailboxView(Address("player", "rests"), 3, resting=True),
        MailboxView(Address("player", "waits"), 1, resting=False),
    )


@pytest.mark.req("X-242")
def test_who_has_work_in_hand_or_a_question_is_at_work_and_who_only_waits_is_not(system: ActorSystem) -> None:
    def play(player: Player, message: Say) -> None:
        player.in_progress = message.n == 1
        if message.n == 2:
            player.ask(Address("nobody"), DescribeYourself, 5.0, lambda _: None)
        elif message.n == 3:
            player.wait(5.0, lambda: None)

    stage = Stage(system, play)
    stage.run(1, key="busy")
    stage.run(2, key="curious")
    stage.run(3, key="patient")
    stage.tell(4, key="told")
    assert [address.key for address in at_work(system)] == ["busy", "curious", "told"]
    system.run()
    assert [address.key for address in at_work(system)] == ["busy", "curious"]


def test_a_dump_names_who_hangs_with_its_stack_and_how_much_waits_behind_it(live_system: ActorSystem) -> None:
    hung, over = threading.Event(), threading.Event()

    def play(player: Player, message: Say) -> None:
        hung.set()
        assert over.wait(PATIENCE_S)

    Stage(live_system, play).tell(1, 2, 3, key="stuck")
    assert hung.wait(PATIENCE_S)
    text = io.StringIO()
    dump(live_system, text)
    over.set()

    assert ": player/stuck has been handling Say for 0.0 s on worker-" in text.getvalue()
    assert "assert over.wait(PATIENCE_S)" in text.getvalue()
    assert "\n       2 player/stuck\n" in text.getvalue()
    assert "living: mailboxes 1, workers 2\n" in text.getvalue()


@contextmanager
def child(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process:
        yield process
        process.stdin.close()


def read_dump(process: subprocess.Popen[str]) -> str:
    """Text on stderr up to the last line of a dump."""
    assert process.stderr
    lines: list[str] = []
    while not lines or not lines[-1].startswith("dead letters: "):
        lines.append(process.stderr.readline())
        assert lines[-1], "".join(lines)
    return "".join(lines)


def test_sigusr2_makes_a_process_write_its_dump_and_go_on() -> None:
    with child() as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        dumps = []
        for _ in range(2):
            process.send_signal(signal.SIGUSR2)
            dumps.append(read_dump(process))

    assert process.returncode == 0
    for text in dumps:
        assert "-- MainThread\n" in text
        assert "hanging/window has been handling Say" in text
        assert "never.wait()" in text
        assert "\n       3 hanging/window\n" in text


def test_a_signal_in_the_midst_of_the_kernels_own_locks_hangs_nothing() -> None:
    with child("locked") as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        text = read_dump(process)

    assert process.returncode == 0
    assert "\n       3 hanging/window\n" in text
