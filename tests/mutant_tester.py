"""Process that tests mutants, started by `lab/mutation/tester.py`; it has what every test loads, and nothing of the agent.

It forks itself for each mutant, so that each child loads the faulty module. It reads a request from each line of its
input, and answers it with a line of its output: the exit code of pytest, or -1 if it took too long.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

from lab.mutation.loading import install
from lab.mutation.tester import PROFILE, TOO_LONG

_WARM = ("hypothesis.strategies", "msgspec", "pykka", "aiohttp", "discord", "numpy", "dateutil.tz", "yaml")
_OPTIONS = ("-q", "-x", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-seed=0")
_WARNINGS = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


def serve(project: str) -> None:
    """Answer each line of the input until it ends, or nobody is there to be answered."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks ends, and so does the input
    for name in _WARM:
        import_module(name)
    settings.register_profile(
        PROFILE,
        max_examples=50,
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),  # none that looks for a shorter example
        suppress_health_check=list(HealthCheck),
    )
    for line in sys.stdin:
        answer = b"%d\n" % _result(project, json.loads(line))
        try:
            os.write(1, answer)
        except BrokenPipeError:
            return


def _result(project: str, request: dict[str, Any]) -> int:
    child = os.fork()
    if not child:
        _be_tested(project, request)
    ended = os.pidfd_open(child)
    try:
        is_over = select.select([ended], [], [], request["timeout_s"])[0]
        if not is_over:
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        os.close(ended)
    return os.waitstatus_to_exitcode(status) if is_over else TOO_LONG


def _be_tested(project: str, request: dict[str, Any]) -> None:
    """Be the process of one mutant, and end."""
    code = int(pytest.ExitCode.INTERNAL_ERROR)
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        if request["number"] is not None:
            install(request["module"], request["number"], Path(project))
        code = pytest.main([*_OPTIONS, *_WARNINGS, f"--timeout={request['each_s']}", *request["paths"]])
    finally:
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
