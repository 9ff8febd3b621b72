"""Reading of deploy/Dockerfile: its instructions, and the commands that it runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PLACE = "/opt/remembrancer"
"""Where the files of deploy/ take the agent to be: a checkout, or an environment with its wheel."""


def instructions() -> list[tuple[str, str]]:
    """(word, rest) of each, in order."""
    text = re.sub(r"\\\n\s*", "", (DEPLOY / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each image that is built; the last is the one that stays."""
    found: list[list[tuple[str, str]]] = []
    for instruction in instructions():
        if instruction[0] == "FROM":
            found.append([])
        found[-1].append(instruction)
    return found


def commands(stage: list[tuple[str, str]]) -> list[str]:
    """What a stage runs, one command each."""
    return [command for word, rest in stage if word == "RUN" for command in rest.split(" && ")]
