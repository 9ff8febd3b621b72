"""Machine and moment of a measurement."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from actors.kernel import SystemClock

Facts = dict[str, object]


def machine() -> Facts:
    """Facts of the machine and the time, for `json.dumps`."""
    return {
        "cpu": cpu(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "at": SystemClock().now().isoformat(timespec="seconds"),
        "load": os.getloadavg()[0],
    }


def machine_line(facts: Facts) -> str:
    """The same in a line."""
    return "{cpu}, {cores} cores, Python {python}, {at}, load {load:.1f}".format_map(facts)


def cpu() -> str:
    """The processor's name, as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:  # another system than Linux
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def cache_folder() -> Path:
    """Folder of sets and vectors kept between benchmark runs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "remembrancer" / "bench"
