"""Plan of a life in a campaign of kills, as a file that the forked process reads."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

FILE = "plan.json"


@dataclass(frozen=True, slots=True)
class LifePlan:
    """Course of a life."""

    number: int
    """No other life of the campaign has it."""
    is_last: bool = False
    """True for one that only finishes or notes what the others left, and ends in good order."""
    cut: int = 0
    """The life dies in its disk's call of that number; 0 for a kill from outside."""
    ends: bool = False
    """True for one that begins to end in good order and dies on that way at the latest."""

    @property
    def dies(self) -> bool:
        """True if the life kills itself."""
        return bool(self.cut) or self.ends

    def write(self, folder: Path) -> Path:
        """The file in the folder that says it."""
        path = folder / FILE
        path.write_text(json.dumps(asdict(self)))
        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        """Plan in a file."""
        return cls(**json.loads(path.read_text()))
