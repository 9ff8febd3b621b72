"""Threads that import at once everything which actors import late, in processes that stand where the agent's starts.

    python -m tests.messages.first_import PROCESSES

What the agent imports before it has a second thread is imported once; each process forked from it has eight threads
that import the rest in orders of their own: modules of actors, and by them discord.py, litellm, google-genai and others.
Prints JSON: the libraries that are there before, how many modules are left, and how each process ended.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import os
import random
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import actors.bootstrap
import actors.parts

THREADS = 8
FAILED, STUCK = 3, 9
"""Exit statuses of a process in which a thread raised, or did not end."""
PATIENCE_S = 240.0
_ROOMS = Path(actors.parts.__file__).parent
_LIBRARIES = ("litellm", "google", "openai", "ray")
"""Imported by `_load_libraries` as actors do it, never by another thread on its own."""
_NOT_IN_AN_AGENT = ("cli", "cluster", "hosting.py")
"""Rooms of which no actor of one process imports anything late."""


def late_modules() -> list[str]:
    """Modules that functions of actors import, as far as they are not there yet."""
    names: set[str] = set()
    for path in sorted(_ROOMS.rglob("*.py")):
        if path.relative_to(_ROOMS).parts[0] not in _NOT_IN_AN_AGENT:
            names.update(_late_in(ast.parse(path.read_text(encoding="utf-8"))))
    return sorted(name for name in names - sys.modules.keys() if name.partition(".")[0] not in _LIBRARIES)


def _late_in(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom) and node.module is not None:
                    yield node.module
                elif isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)


def _load_libraries() -> list[Callable[[], object]]:
    from actors.embedder.google import _import as google
    from actors.http_client.litellm_library import import_litellm
    from actors.model.provider import load

    return [google, import_litellm, lambda: load("openai/owl").result()]


def _import_all(names: list[str], seed: int) -> int:
    """Exit status of a process whose threads import all at once."""
    failed: list[str] = []
    barrier = threading.Barrier(THREADS)

    def run(mine: list[Callable[[], object]]) -> None:
        barrier.wait()
        for act in mine:
            try:
                with contextlib.suppress(ModuleNotFoundError):  # a library that is not always installed
                    act()
            except Exception as error:  # noqa: BLE001 - reported, whatever it is
                failed.append(repr(error))

    jobs: list[Callable[[], object]] = [lambda name=name: importlib.import_module(name) for name in names]  # type: ignore[misc]
    jobs += [lambda place=place: _load_libraries()[place]() for place in range(3)]  # type: ignore[misc]
    random.Random(seed).shuffle(jobs)
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=run, args=(jobs[place::THREADS],), daemon=True) for place in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    sys.stderr.write("".join(f"{line}\n" for line in failed[:3]))
    return STUCK if any(thread.is_alive() for thread in threads) else FAILED if failed else 0


def main(processes: int) -> None:
    """Print how the processes ended."""
    before = sorted(name for name in sys.modules if "." not in name)
    names = late_modules()
    ends: Counter[str] = Counter()
    for seed in range(processes):
        if (child := os.fork()) == 0:
            os._exit(_import_all(names, seed))
        ends[str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))] += 1
    sys.stdout.write(json.dumps({"before": before, "late": len(names), "ends": ends}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]))
