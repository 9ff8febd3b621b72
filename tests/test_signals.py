"""Signals that a shell ignored: children of the tests have their default action."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.signals import SENT, heed_ignored

IGNORED = (
    "import re, pathlib; print(re.findall('SigIgn:.([0-9a-f]+)', pathlib.Path('/proc/self/status').read_text())[0])"
)


def is_ignored_by_a_child(number: signal.Signals) -> bool:
    done = subprocess.run([sys.executable, "-I", "-c", IGNORED], capture_output=True, text=True, check=True)
    return bool(int(done.stdout, 16) >> (number - 1) & 1)


@pytest.mark.parametrize("number", SENT)
def test_a_child_minds_what_a_shell_had_ignored_and_this_process_does_not(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_IGN)
    try:
        assert is_ignored_by_a_child(number)
        heed_ignored()
        assert not is_ignored_by_a_child(number)
        signal.raise_signal(number)
    finally:
        signal.signal(number, before)


def test_what_is_handled_stays_handled() -> None:
    before = [signal.getsignal(number) for number in SENT]
    heed_ignored()
    assert [signal.getsignal(number) for number in SENT] == before
