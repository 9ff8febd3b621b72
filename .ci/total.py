"""Sum of pytest's last lines over the parts of a CI run; fails if one of the parts has none."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

SUMMARY = re.compile(r"^=*\s*(?=\d+ \w)[^\n]*? in [\d.]+s\b.*$", re.MULTILINE)
COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b")
ALWAYS = ("passed", "failed", "skipped")


def counts(output: str) -> Counter[str] | None:
    """Counts of the last summary in `output`; None without a summary."""
    lines = SUMMARY.findall(output)
    return Counter({kind: int(number) for number, kind in COUNT.findall(lines[-1])}) if lines else None


def in_words(counted: Counter[str]) -> str:
    """Counts as pytest words them."""
    return ", ".join(f"{counted[kind]} {kind}" for kind in dict.fromkeys((*ALWAYS, *sorted(counted))))


def main(folder: Path) -> int:
    """Print a line a part and the sum; the exit code."""
    total, is_whole = Counter[str](), True
    for part in sorted(folder.iterdir(), key=lambda path: path.stat().st_ctime_ns):
        counted = counts(part.read_text(errors="replace"))
        print(f"{part.name}: {'no tests ran' if counted is None else in_words(counted)}")
        is_whole = is_whole and counted is not None
        total += counted or Counter()
    print(in_words(total))
    return int(not is_whole or total["failed"] + total["error"] + total["errors"] > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
