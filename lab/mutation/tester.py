"""Tester of mutants: another process, warm with what every test loads, which forks itself for each mutant."""

from __future__ import annotations

import json
import os
import subprocess
import sys

TOO_LONG = -1
"""In place of an exit code of pytest."""
PROFILE = "mutant"
"""Of hypothesis; `tests/conftest.py` loads it."""


class Tester:
    """Another process, which tests one mutant after the other."""

    def __init__(self, project: str) -> None:
        """The process is there.

        Args:
            project: Its folder.
        """
        own = {"PYTHONPATH": project, "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": PROFILE}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.mutant_tester", project],
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
