"""Tester of mutants: a process that is warm with what every test loads, and forks itself for each mutant.

It loads nothing of the agent, so that each child loads the faulty module. It reads a request from each line of its
input, and answers it with a line of its output: the exit code of pytest, or -1 if it took too long.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

TOO_LONG = -1
_WARM = ("pytest", "hypothesis.strategies", "msgspec", "pykka", "aiohttp", "discord", "numpy", "dateutil.tz", "yaml")
_OPTIONS = ("-q", "-x", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-seed=0")
_WARNINGS = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
_LOOK_EVERY_S = 0.02
_PROFILE = "mutant"
"""Of hypothesis, which looks for no shorter example when it has found one; `tests/conftest.py` loads it."""


class Tester:
    """Another process, which tests one mutant after the other."""

    def __init__(self, project: str) -> None:
        """The process is there.

        Args:
            project: Its folder.
        """
        own = {"PYTHONPATH": project, "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": _PROFILE}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lab.mutation.tester", project],
            cwd=project,
            env=os.environ | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def test(self, module: str, number: int | None, paths: tuple[str, ...], timeout_s: float, each_s: float) -> int:
        """Exit code of pytest with a mutant, or without if `number` is None; `TOO_LONG` if it had to be killed.

        Args:
            module: Path below the project.
            number: Of the mutant.
            paths: Of the tests.
            timeout_s: After that the tests are killed.
            each_s: After that one of them has failed.

        Raises:
            RuntimeError: the process is gone.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"module": module, "number": number, "paths": paths, "timeout_s": timeout_s, "each_s": each_s}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError("the process that tests mutants has ended")
        return int(answer)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(project: str) -> None:
    """Answer each line of the input until it ends, or nobody is there to be answered."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks ends, and so does the input
    for name in _WARM:
        __import__(name)
    _register_profile()
    for line in sys.stdin:
        request = json.loads(line)
        answer = b"%d\n" % _result(project, request)
        try:
            os.write(1, answer)
        except BrokenPipeError:
            return


def _register_profile() -> None:
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        _PROFILE,
        max_examples=50,
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


def _result(project: str, request: dict[str, object]) -> int:
    begin_s = time.monotonic()
    child = os.fork()
    if not child:
        _run(project, request)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() - begin_s > float(str(request["timeout_s"])):
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return TOO_LONG
        time.sleep(_LOOK_EVERY_S)


def _run(project: str, request: dict[str, object]) -> None:
    """Be the process of one mutant, and end."""
    code: int = 3
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        code = _tested(project, request)
    finally:
        os._exit(code)


def _tested(project: str, request: dict[str, object]) -> int:
    from pathlib import Path

    import pytest

    from lab.mutation.loading import install

    paths = request["paths"]
    assert isinstance(paths, list)
    if request["number"] is not None:
        install(str(request["module"]), int(str(request["number"])), Path(project))
    return int(pytest.main([*_OPTIONS, *_WARNINGS, f"--timeout={request['each_s']}", *paths]))


if __name__ == "__main__":
    serve(sys.argv[1])
