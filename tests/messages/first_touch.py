"""Threads that touch every struct for the first time at once, in processes that are forked before anything is touched.

    python -m tests.messages.first_touch PROCESSES
    python -m tests.messages.first_touch fresh

The modules are imported once, by a process of one thread; each process forked from it stands where a fresh one stands
after its imports. Prints JSON: how many structs there are, which are not ready, how many can be sampled, how each
process ended. With `fresh` the interpreter itself is the process, and the threads follow the imports.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pkgutil
import sys
import threading
import warnings
from collections import Counter
from typing import Any

import msgspec

import actors
import domain
import messages
from lab.bench.crashes.sample import sample
from messages.base import flaw_of

ROOMS = (messages, domain, actors)
THREADS = 8
FAILED = 3
"""Exit status of a process in which a thread raised what it must not."""


def structs() -> list[type[msgspec.Struct]]:
    """Every struct of the three rooms, by importing all their modules."""
    for room in ROOMS:
        for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            if info.name.rpartition(".")[2] not in (
                "__main__",
                "_scan",
                "_forward",
            ):  # two are compiled, without Python's interface
                importlib.import_module(info.name)
    names = {room.__name__ for room in ROOMS}
    return [kind for kind in _below(msgspec.Struct) if kind.__module__.partition(".")[0] in names]


def is_ready(kind: type) -> bool:
    """True if msgspec has built the description of `kind`, which the class then holds."""
    return any(type(referent).__name__ == "StructInfo" for referent in gc.get_referents(kind))


def _below(kind: type) -> list[type[msgspec.Struct]]:
    kinds: dict[type[msgspec.Struct], None] = {}
    below: type
    for below in type.__subclasses__(kind):
        kinds.update(dict.fromkeys([below, *_below(below)]))
    return list(kinds)


def _is_readable(kind: type) -> bool:
    """True if msgspec can decode `kind`; tried last, as a decoder builds missing descriptions."""
    try:
        msgspec.json.Decoder(kind)
    except (TypeError, NameError):
        return False
    return True


def _touch_all(kinds: list[type[msgspec.Struct]], samples: dict[type, Any]) -> int:
    """Number of threads that failed."""
    barrier = threading.Barrier(THREADS)
    failed: list[str] = []
    threading.excepthook = lambda raised: failed.append(repr(raised.exc_value))

    def touch() -> None:
        barrier.wait()
        for kind in kinds:
            value = samples.get(kind)
            if isinstance(value, messages.base.Message):
                flaw_of(value)
            with contextlib.suppress(ValueError, TypeError, NameError):  # lacks fields, breaks a rule, is not readable
                msgspec.convert({} if value is None else msgspec.to_builtins(value), kind)
            with contextlib.suppress(ValueError, TypeError, NameError):
                msgspec.json.decode(b"{}" if value is None else msgspec.json.encode(value), type=kind)

    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=touch) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stderr.write("".join(f"{line}\n" for line in failed[:3]))
    return len(failed)


def modules_without(kinds: list[type[msgspec.Struct]]) -> list[str]:
    """Modules that define structs and do not make them ready themselves: another module does, if it is imported."""
    ready = messages.base.make_ready
    return sorted({kind.__module__ for kind in kinds if vars(sys.modules[kind.__module__]).get("make_ready") != ready})


def _samples(kinds: list[type[msgspec.Struct]]) -> dict[type, Any]:
    samples = {}
    for kind in kinds:
        with contextlib.suppress(Exception):  # no plain value is known of a few; they are decoded all the same
            samples[kind] = sample(kind)  # type: ignore[type-var]
    return samples


def main_fresh() -> int:
    """Exit status of an interpreter that imports, starts its threads and touches."""
    kinds = structs()
    return FAILED if _touch_all(kinds, _samples(kinds)) else 0


def main(processes: int) -> None:
    """Print how the processes ended."""
    kinds = structs()
    samples = _samples(kinds)
    ends: Counter[str] = Counter()
    for _ in range(processes):
        if (child := os.fork()) == 0:
            os._exit(FAILED if _touch_all(kinds, samples) else 0)
        ends[str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))] += 1
    unready = [f"{kind.__module__}.{kind.__qualname__}" for kind in kinds if not is_ready(kind) and _is_readable(kind)]
    report = {"structs": len(kinds), "sampled": len(samples), "unready": unready, "without": modules_without(kinds)}
    sys.stdout.write(json.dumps({**report, "ends": ends}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "fresh":
        sys.exit(main_fresh())
    main(int(sys.argv[1]))
