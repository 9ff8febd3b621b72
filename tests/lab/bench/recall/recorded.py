"""Facts and summaries of the tiny conversation, in the form that the set is released in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def sample() -> dict[str, Any]:
    """Two sessions of it."""
    return {
        "session_1_date_time": "10:00 am on 5 January, 2026",
        "session_1_observation": {
            "Ana": [["Ana adopted a greyhound called Pixel.", "t2"]],
            "Ben": [["Ben did not sleep for the rooster.", ["t0", "t1"]]],
        },
        "session_1_summary": "They talked about animals.",
        "session_2_date_time": " 7:30 pm on 11 February, 2026",
        "session_2_observation": {"Ben": [["Ben booked the ferry\nto Tallinn.", "t3"], ["It takes two hours.", "t9"]]},
    }


def write(folder: Path, content: Any = None, name: str = "tiny") -> Path:
    """It, as a file in `folder`."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(content or sample()), encoding="utf-8")
    return file
