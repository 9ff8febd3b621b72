from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from actors.cluster.watch import CallWatch, ProcessWatch
from tests.patience import PATIENCE_S, eventually


def child(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)


def test_a_child_that_was_killed_is_trouble_and_said_by_name() -> None:
    with child("input()") as one, child("input()") as other:
        watch = ProcessWatch({"gcs_server": one, "raylet": other})
        assert watch.trouble() == ""
        other.send_signal(signal.SIGKILL)
        eventually(lambda: bool(watch.trouble()))

        assert watch.trouble() == f"Ray's raylet (process {other.pid}) was ended by signal 9"
        one.kill()


def test_a_child_that_ended_by_itself_is_trouble_whatever_its_exit_code() -> None:
    with child("raise SystemExit(0)") as one:
        one.wait(PATIENCE_S)

        assert ProcessWatch({"raylet": one}).trouble() == f"Ray's raylet (process {one.pid}) ended with exit code 0"


def test_a_call_that_never_comes_back_is_trouble_after_so_many_looks_and_is_made_once() -> None:
    release, calls = threading.Event(), list[int]()

    def hang() -> str:
        calls.append(1)
        release.wait(PATIENCE_S)
        return ""

    watch = CallWatch(hang, looks=3)
    said = [watch.trouble() for _ in range(4)]
    release.set()

    assert said == ["", "", "", "the Ray cluster has not answered for 3 s"]
    assert calls == [1]


def test_a_call_that_fails_is_no_answer_and_why_is_said() -> None:
    def fail() -> str:
        raise ConnectionError("refused")

    watch = CallWatch(fail, looks=1)
    assert watch.trouble() == ""
    eventually(lambda: watch.trouble().endswith(": refused"))


def test_a_call_for_which_there_is_no_thread_is_made_at_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    watch = CallWatch(lambda: "the node is gone", looks=3)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        assert watch.trouble() == ""
    assert watch.trouble() == ""
    eventually(lambda: watch.trouble() == "the node is gone")


def test_a_call_that_answers_now_and_then_is_no_trouble_and_one_that_tells_of_some_is() -> None:
    answers = ["", "", ""]
    asked = threading.Semaphore(0)

    def answer() -> str:
        asked.release()
        return answers.pop(0) if answers else "the node is gone"

    watch = CallWatch(answer, looks=2)
    for _ in range(3):
        assert watch.trouble() == ""
        assert asked.acquire(timeout=PATIENCE_S)
        eventually(lambda: not watch.is_waiting)
    assert watch.trouble() == ""
    eventually(lambda: watch.trouble() == "the node is gone")
