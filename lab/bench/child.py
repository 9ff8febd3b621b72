"""Measuring process of the kernel's benchmark: names and sizes come as arguments, figures go to stdout as JSON."""

from __future__ import annotations

import json
import os
import sys
from types import ModuleType

from lab.bench.kernel import asyncio_peer, ours, pykka_peer
from lab.bench.measure import silence_log

SYSTEMS: dict[str, ModuleType] = {"remembrancer": ours, "pykka": pykka_peer, "asyncio": asyncio_peer}


def main() -> None:
    """Measure `argv[2]` of the system `argv[1]` with the sizes in `argv[3]`, and end the process at once."""
    system, name, sizes = sys.argv[1:]
    silence_log()
    figures = getattr(SYSTEMS[system], name)(**json.loads(sizes))
    sys.stdout.write(json.dumps(figures))
    sys.stdout.flush()
    os._exit(0)  # plain pykka takes minutes to stop ten thousand actors
