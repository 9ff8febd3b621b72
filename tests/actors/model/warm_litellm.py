"""litellm, imported once for many questions: each is answered by a fork of a process that has imported it.

A fork runs `litellm_child`'s own `main`, from the question to the answer; what is spared is the import, of seconds. That
a new process answers as well is tried by those tests that do not ask for this one.
"""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Lock

PROGRAM = "from tests.actors.model.warm_litellm import serve; serve()"
CHECKOUT = Path(__file__).parents[3]


class WarmLitellm:
    """The process, which answers one question after the other."""

    def __init__(self) -> None:
        self._asking = Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            env={"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(CHECKOUT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    async def said(self, question: bytes) -> bytes:
        """What `routes._said` gives."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._asking:  # each question has a thread and a loop of its own
            self._process.stdin.write(json.dumps(question.decode()) + "\n")
            self._process.stdin.flush()
            answer: str = json.loads(self._process.stdout.readline())
        return answer.encode()

    def end(self) -> None:
        """End it."""
        with self._process as process:
            process.kill()


def serve() -> None:
    """Answer questions, a line each, by a line each, until there are no more."""
    from actors.model.provider import ENVIRONMENT

    os.environ.update(ENVIRONMENT)
    import litellm  # noqa: F401

    threads = len(os.listdir("/proc/self/task")) if Path("/proc/self/task").exists() else 1  # noqa: PTH208
    if threads != 1:
        raise RuntimeError(f"{threads} threads run before the first fork: what they hold would never be let go")
    gc.collect()
    gc.freeze()  # or the collections of each fork would copy all that was imported
    for line in sys.stdin:
        source, sink = os.pipe()
        if not os.fork():
            os.close(source)
            _answer(json.loads(line).encode(), sink)
        os.close(sink)
        with os.fdopen(source) as answer:
            said = answer.read()
        os.wait()
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


def _answer(question: bytes, sink: int) -> None:
    from actors.model.litellm_child import main

    sys.stdin = io.TextIOWrapper(io.BytesIO(question))
    sys.stdout = os.fdopen(sink, "w")
    sys.argv = ["-c", "", str(os.getppid())]
    try:
        main()  # which ends the process
    finally:
        os._exit(1)
