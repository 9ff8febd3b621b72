"""Systems under measurement: the start of each in front of a model's server, and the place of its files."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lab.bench.process import CHECKOUT

_NOT_INHERITED = re.compile(r"AGENT_.*|.*_API_KEY|.*_TOKEN|.*_PROXY|.*_BASE_URL", re.IGNORECASE)
_OURS = "from actors.cli import agent; agent(prog_name='agent')"
MOST_ENTRIES = 1_000_000
STORE = "memory_db"


@dataclass(frozen=True, slots=True)
class Start:
    """Start of a program: command and environment."""

    command: tuple[str, ...]
    environment: Mapping[str, str]


class System(Protocol):
    """System under measurement."""

    @property
    def name(self) -> str:
        """In tables."""

    def start(self, place: Path, port: int, base: str) -> Start:
        """Start of the system.

        Args:
            place: Separate folder, with the files of earlier starts.
            port: Port to listen on, on loopback.
            base: Base address of the model's server.
        """

    def store(self, place: Path) -> Path:
        """Folder that contains `entries`."""


class Ours:
    """`agent gateway` of this checkout."""

    name = "remembrancer"

    def __init__(self, turns_a_call: int | None = 1) -> None:
        """Begin without a process.

        Args:
            turns_a_call: Setting of the same name; 1 for each turn's facts at once, as in the peer; None for the
                default.
        """
        self._pace = "" if turns_a_call is None else f"turns_a_call = {turns_a_call}\n"

    def start(self, place: Path, port: int, base: str) -> Start:
        """With settings in `place`."""
        settings = place / "agent.toml"
        settings.write_text(
            f"data_root = {json.dumps(str(place / 'data'))}\n[facts]\nopenai_base_url = {json.dumps(base)}\n"
            f"gateway_port = {port}\nmax_entries = {MOST_ENTRIES}\n{self._pace}"
        )
        command = (sys.executable, "-P", "-c", _OURS, "gateway", "--config", str(settings))
        return Start(command, {**_environment(), "PYTHONPATH": str(CHECKOUT)})

    def store(self, place: Path) -> Path:
        """Below the data root."""
        return place / "data" / STORE


class Peer:
    """agent-cli 0.112.0, `memory proxy`, with options for equal behaviour and little logging.

    Its reranker is taken from $HF_HOME, or downloaded.
    """

    name = "agent-cli"

    def __init__(self, program: Path) -> None:
        """Begin without a process."""
        self._program = program

    def start(self, place: Path, port: int, base: str) -> Start:
        """With a store in `place`."""
        options = {
            "memory-path": str(self.store(place)),
            "openai-base-url": base,
            "max-entries": str(MOST_ENTRIES),
            "host": "127.0.0.1",
            "port": str(port),
            "log-level": "warning",
        }
        arguments = (part for name, value in options.items() for part in (f"--{name}", value))
        command = (str(self._program), "memory", "proxy", *arguments, "--no-git-versioning")
        return Start(command, {**_environment(), "OPENAI_API_KEY": "unused", "ANONYMIZED_TELEMETRY": "False"})

    def store(self, place: Path) -> Path:
        """Folder of the store below the place."""
        return place / STORE


def free_port() -> int:
    """A port without a listener now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment() -> dict[str, str]:
    """The environment without an operator's possible settings for a real agent."""
    return {name: value for name, value in os.environ.items() if not _NOT_INHERITED.fullmatch(name)}
