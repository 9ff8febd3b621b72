"""Facts and summaries of recorded conversations, in the files that a good consolidator could have written.

The set is LoCoMo's own release: a JSON file for each conversation (`26.json`), or a list of all in one file. For a
session the set has `session_1_date_time`, `session_1_observation` (by speaker, statements with the ids of their turns)
and `session_1_summary`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

_TIME = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile(r"session_(\d+)_(observation|summary)")


@dataclass(frozen=True, slots=True)
class Files:
    """MEMORY and HISTORY of a conversation, and the source turns of each line of MEMORY."""

    memory: str
    history: str
    turns: Mapping[int, frozenset[str]]
    """Line of `memory`, from 1 -> ids of turns."""


def read(path: Path) -> dict[str, Files]:
    """Name of a conversation -> its files.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file has no observations.
    """
    files: dict[str, Files] = {}
    for file in [path] if path.is_file() else sorted(path.glob("*.json")):
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
            for one in document if isinstance(document, list) else [document]:
                files[str(one.get("sample_id", f"conv-{file.stem}"))] = _files(_flat(one))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{file}: no facts of a conversation ({type(error).__name__}: {error})") from error
    return files


def _flat(sample: dict[str, Any]) -> dict[str, Any]:
    """All parts of a conversation on the same level, since the two forms of the set differ in nesting."""
    return {
        **sample,
        **sample.get("conversation", {}),
        **sample.get("observation", {}),
        **sample.get("session_summary", {}),
    }


def _files(sample: Mapping[str, Any]) -> Files:
    numbers = sorted({int(match[1]) for key in sample if (match := _SESSION.fullmatch(key))})
    if not numbers:
        raise ValueError("it has no session_1_observation and no session_1_summary, nor any other session's")
    memory, turns = ["# Channel Memory"], dict[int, frozenset[str]]()
    history = ["# Channel History"]
    for number in numbers:
        day = f"{datetime.strptime(sample[f'session_{number}_date_time'].strip(), _TIME):%Y-%m-%dT%H:%M:%SZ}"  # noqa: DTZ007
        memory += ["", f"## Update {day}"]
        for facts in sample.get(f"session_{number}_observation", {}).values():
            for fact, ids in facts:
                memory.append(f"- {' '.join(fact.split())}")
                turns[len(memory)] = frozenset([ids] if isinstance(ids, str) else ids)
        if summary := sample.get(f"session_{number}_summary"):
            history += ["", f"## {day} to {day}", " ".join(summary.split())]
    return Files("\n".join(memory) + "\n", "\n".join(history) + "\n", turns)
