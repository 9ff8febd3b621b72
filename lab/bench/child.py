"""Entry point of a measuring process: its name and sizes come as arguments, its figures go to stdout as JSON."""

from __future__ import annotations

import json
import os
import sys

from lab.bench.measure import silence_log
from lab.bench.measurement import SYSTEMS


def main() -> None:
    """Measure `argv[2]` of the system `argv[1]` with the sizes in `argv[3]`, and end the process at once."""
    system, name, sizes = sys.argv[1:]
    silence_log()
    figures = SYSTEMS[system][name](**json.loads(sizes))
    sys.stdout.write(json.dumps(figures))
    sys.stdout.flush()
    os._exit(0)  # plain pykka takes minutes to stop ten thousand actors
