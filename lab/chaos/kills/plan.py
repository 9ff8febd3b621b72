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
    """Whether it only finishes or notes what the others left, ends in good order and is not killed at all."""

    def write(self, folder: Path) -> Path:
        """The file in the folder that says it."""
        path = folder / FILE
        path.write_text(json.dumps(asdict(self)))
        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        """What a file says."""
        return cls(**json.loads(path.read_text()))
