"""Texts of a load: secrets of threads, questions with the secret, and answers that report the model's context."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from domain.text.running_text import is_running
from lab.loopback_model.answers import Answer, Call, Received

COMMAND = "Run a command first."
"""Words of a message that asks its turn to run a command."""
_SECRET = r"rk-[0-9a-f]{16}"
_SECRETS = re.compile(_SECRET)
_SECRETS_IN_BYTES = re.compile(_SECRET.encode())
_QUESTION = re.compile(rf"This is turn ([0-9]+) of ({_SECRET})\.(?P<command> {COMMAND})?")
_QUESTION_IN_BYTES = re.compile(_QUESTION.pattern.encode())
_ANSWER = re.compile(rf"You said turn ([0-9]+) of ({_SECRET}); I was shown ({_SECRET}(?: {_SECRET})*)\.")
_BEGINNING = "You said turn "
_MOST_SECRETS = 40
"""Most secrets named by an answer, to fit the answer into a message of Discord."""


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """Content of an answer."""

    turn: int
    """Turn of the request's newest message, from 1."""
    secret: str
    """Secret of the newest message's thread."""


def secret_of(seed: str, number: int) -> str:
    """The secret of thread `number`: the same for the same seed, and no other thread's."""
    return f"rk-{blake2b(f'{seed}/{number}'.encode(), digest_size=8).hexdigest()}"


def question(secret: str, turn: int, *, has_command: bool = False) -> str:
    """Message of a thread as its turn number `turn`, from 1."""
    command = f" {COMMAND}" if has_command else ""
    return f"This is turn {turn} of {secret}.{command} Which turn of which thread is it, and what else were you shown?"


def answer(request: Received) -> Answer:
    """Loopback model's answer: the newest message's turn and secret, and every secret in the whole request.

    The model knows only the request, so a secret carried by the agent from one window into another comes to light.
    """
    is_result = request.body["messages"][-1]["role"] == "tool"
    questions = (
        [tuple(part.decode() for part in parts) for parts in _QUESTION_IN_BYTES.findall(request.raw)]
        if is_result
        else _QUESTION.findall(request.last_text)
    )
    if not questions:
        return Answer(text="That was no question of the load tool's.")
    turn, secret, command = questions[-1]
    if command and not is_result and request.body.get("tools"):
        return Answer(calls=(Call("bash", f'{{"command": "echo {secret}"}}'),))
    secrets = sorted({secret.decode() for secret in _SECRETS_IN_BYTES.findall(request.raw)})[:_MOST_SECRETS]
    return Answer(text=f"{_BEGINNING}{turn} of {secret}; I was shown {' '.join(secrets)}.")


def read_answer(text: str) -> ParsedAnswer | None:
    """Content of a whole answer of the bot; None for other texts."""
    match = _ANSWER.fullmatch(text.strip())
    return ParsedAnswer(turn=int(match[1]), secret=match[2]) if match else None


def is_part_of_answer(text: str) -> bool:
    """True if a text that is no whole answer is an answer still being written, or reports the turn's progress."""
    return text.startswith(_BEGINNING) or is_running(text)


def secrets_in(text: str) -> set[str]:
    """Every secret in `text`."""
    return set(_SECRETS.findall(text))
