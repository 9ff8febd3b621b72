"""Workers' model, scripted: answers as a good model would, from the request alone.

Besides the request, the model knows the wording of constraints in files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

from lab.bench.workspace.constraints import Constraint
from lab.bench.workspace.reach import holds
from messages.model import ModelRequest

SESSION, CONSOLIDATE, SWEEP, FOLD = (
    "workspace.session",
    "workspace.consolidate",
    "workspace.sweep",
    "workspace.fold",
)
_BULLET = re.compile(r"^\s*[-*] +(.*\S)", re.MULTILINE)
_MARKER = re.compile(r"<!--.*?-->")


class ScriptedWorkers:
    """Model of all workers."""

    def __init__(
        self,
        constraints: Iterable[Constraint],
        *,
        name: str = "",
        files: Callable[[str], Iterable[str]] = lambda _text: (),
    ) -> None:
        """Create a model without requests so far.

        Args:
            constraints: Constraints that the model recognises.
            name: Name in the reports, to make all reports differ.
            files: Further lines to file, from the messages.
        """
        self._wordings = {each.key: each.fact for each in constraints}
        self._files = files
        self._name = name
        self._numbers = count(1)
        self.purposes: list[str] = []
        """Purposes, in order."""

    def answer(self, request: ModelRequest) -> str:
        """Answer to a worker's request; empty for an unknown purpose."""
        self.purposes.append(request.purpose)
        data = _data(request)
        match request.purpose:
            case "workspace.session":
                return json.dumps(self._session(data), ensure_ascii=False)
            case "workspace.consolidate":
                return json.dumps(self._consolidation(data), ensure_ascii=False)
            case "workspace.sweep":
                return _sweep_list(str(data.get("memory", "")))
            case "workspace.fold":
                return f"- Folded report {self._number}: other matters, and what is filed in the list of facts."
            case _:
                return ""

    @property
    def _number(self) -> str:
        return f"{self._name}{next(self._numbers)}"

    def _session(self, data: Mapping[str, Any]) -> dict[str, object]:
        return {
            "title": "Work in hand",
            "current_state": [f"Report {self._number}: talk of other matters; the work goes on when somebody says so."],
            "user_intent": ["Bring the piece of work to its end."],
            "active_files": [],
            "decisions": [],
            "constraints": self._constraints(_words(data, ("notes", "said"))),
            "errors": [],
            "next_steps": ["Go on with the piece of work."],
            "worklog": [],
            "resolved": [],
        }

    def _consolidation(self, data: Mapping[str, Any]) -> dict[str, object]:
        spoken, memory = _words(data, ("said",)), str(data.get("memory", ""))
        rules = [text for text in self._constraints(spoken) if text not in memory]
        facts = [fact for fact in self._files(spoken) if fact not in memory]
        entries = [{"section": "Constraints", "text": text, "confidence": 0.95} for text in rules]
        entries += [{"section": "Ongoing Work", "text": text, "confidence": 0.95} for text in facts]
        return {
            "entries": entries,
            "history": f"- Report {self._number}: talk of other matters, nothing of it was decided.",
        }

    def _constraints(self, words: str) -> list[str]:
        return [fact for key, fact in self._wordings.items() if holds(words, key)]


def _data(request: ModelRequest) -> Mapping[str, Any]:
    """JSON object in the request; empty without an object."""
    text = request.messages[-1].text
    begin = text.find("{")
    if begin < 0:
        return {}
    data = json.JSONDecoder(strict=False).raw_decode(text, begin)[0]
    return data if isinstance(data, dict) else {}


def _words(data: Mapping[str, Any], names: Iterable[str]) -> str:
    return json.dumps([data.get(name, "") for name in names], ensure_ascii=False)


def _sweep_list(memory: str) -> str:
    """Same list, each bullet once, below the headings wanted by a sweep; bullets below other headings stay last."""
    from domain.workspace.files.memory_file import SECTIONS  # what a sweep wants may change; the rest of this file not

    lists: dict[str, list[str]] = {name: [] for name in SECTIONS}
    section = next(iter(lists))
    for line in memory.splitlines():
        if line.startswith("## "):
            section = line[3:].strip() if line[3:].strip() in lists else section
        elif bullet := _BULLET.match(line):
            text = _MARKER.sub("", bullet[1]).strip()
            label, _, rest = text.partition(": ")
            place, text = (label, rest) if label in lists else (section, text)
            if text and not any(text in texts for texts in lists.values()):
                lists[place].append(text)
    return "\n".join(f"## {name}\n\n" + "".join(f"- {text}\n" for text in texts) for name, texts in lists.items())
