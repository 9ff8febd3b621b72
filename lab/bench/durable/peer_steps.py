"""Steps of a peer's turn, with Python's standard library alone: ask the model, run a command, post an answer."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEAD_LETTERS = "dead-letters"


@dataclass(frozen=True)
class Steps:
    """Addresses needed by the steps."""

    folder: str
    """Folder of the peer's database."""
    work: str
    """Folder in which commands run."""
    model_url: str
    post_url: str
    token: str
    """The bot's."""
    mode: str = ""
    """Configuration of the peer, for a peer with several."""

    def ask(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """Answer of the model, as a message."""
        tools = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
        answer = _post(self.model_url, {"model": "loopback", "messages": messages, "tools": tools}, {})
        message: dict[str, Any] = answer["choices"][0]["message"]
        return message

    def run(self, command: str) -> str:
        """Output of a command."""
        return subprocess.run(["bash", "-c", command], cwd=self.work, capture_output=True, text=True).stdout

    def post(self, text: str, nonce: str) -> str:
        """Id of the posted message; a nonce known to Discord causes no second post."""
        payload = {"content": text, "nonce": nonce, "enforce_nonce": True}
        identifier: str = _post(self.post_url, payload, {"Authorization": f"Bot {self.token}"})["id"]
        return identifier

    def report_ready(self) -> None:
        """Report readiness for turns to the benchmark."""
        sys.stdout.write("ready\n")
        sys.stdout.flush()

    def report_dead_letter(self, turn: int) -> None:
        """Report to the benchmark a turn that the peer will not continue without help."""
        with Path(self.folder, DEAD_LETTERS).open("a") as file:
            file.write(f"{turn}\n")


def steps_of_arguments() -> Steps:
    """Steps with the addresses of the last argument."""
    return Steps(**json.loads(sys.argv[-1]))


def turns() -> Iterator[int]:
    """Numbers of the turns, in the order of the messages."""
    return map(int, sys.stdin)


def first_message(turn: int) -> dict[str, Any]:
    """Message of the person."""
    return {"role": "user", "content": f"turn {turn}"}


def result_message(call: dict[str, Any], output: str) -> dict[str, Any]:
    """Result of a call, for the model."""
    return {"role": "tool", "tool_call_id": call["id"], "content": output}


def command_of(call: dict[str, Any]) -> str:
    """Command in the model's call."""
    command: str = json.loads(call["function"]["arguments"])["command"]
    return command


def _post(url: str, payload: dict[str, Any], headers: dict[str, str]) -> Any:
    head = {"Content-Type": "application/json", "User-Agent": "DiscordBot (peer, 1)", **headers}
    request = urllib.request.Request(url, json.dumps(payload).encode(), head)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
