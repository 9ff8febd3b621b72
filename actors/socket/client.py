"""Client of the operator's socket, by which commands ask the running agent; quick to import and free of event loops."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

from actors.socket.paths import OPERATOR_KEY, OPERATOR_SOCKET, reachable

ANSWER_S = 70.0
"""Longer than the agent lets a request take unless its verb says otherwise, so that its own sentence arrives first."""


class AgentNotRunningError(Exception):
    """No agent holds the data root, or it does not answer; the text says so."""


class AgentSilentError(AgentNotRunningError):
    """One was reached and has not answered; what it was asked may be done yet."""


class RefusalError(Exception):
    """The agent answered that it did nothing, and why."""


def ask_operator(data_root: Path, verb: str, answer_s: float = ANSWER_S, /, **arguments: object) -> dict[str, Any]:
    """What the agent that runs on `data_root` answers to `verb`.

    Args:
        data_root: Of the settings.
        verb: One that the operator's door knows; `help` lists them.
        answer_s: Longest wait, in seconds; longer than the agent's own for that verb.
        arguments: What JSON can say; those that are None are left out.

    Raises:
        AgentNotRunningError: nobody answers; an `AgentSilentError` where somebody may have been asked all the same.
        RefusalError: the agent refused.
    """
    named = {name: value for name, value in arguments.items() if value is not None}
    try:
        key = (data_root / OPERATOR_KEY).read_text(encoding="ascii")
        line = json.dumps({"id": 1, "verb": verb, "arguments": named, "key": key})
        answer = _answer(_exchange(data_root / OPERATOR_SOCKET, line.encode("ascii") + b"\n", answer_s))
    except (FileNotFoundError, ConnectionRefusedError):
        raise AgentNotRunningError(f"no agent is running on the data root {data_root}") from None
    except TimeoutError:
        raise AgentSilentError(f"the agent on {data_root} did not answer within {answer_s:g} s") from None
    except OSError as error:
        raise AgentNotRunningError(f"the agent on {data_root} cannot be asked: {error.strerror}") from None
    except ValueError:
        raise AgentNotRunningError(f"the agent on {data_root} ended before it answered") from None
    if not answer["ok"]:
        raise RefusalError(answer["error"])
    result: dict[str, Any] = answer["result"]
    return result


def _answer(line: bytes) -> dict[str, Any]:
    """What a line of the agent's says.

    Raises:
        ValueError: it is none, or not whole.
    """
    answer = json.loads(line)
    if not (isinstance(answer, dict) and "ok" in answer and ("result" if answer["ok"] else "error") in answer):
        raise ValueError("it is no answer of an agent's")
    return answer


def _exchange(path: Path, line: bytes, answer_s: float) -> bytes:
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(answer_s)
        with reachable(path) as address:
            door.connect(address)
        door.sendall(line)
        with door.makefile("rb") as answers:
            return answers.readline()
