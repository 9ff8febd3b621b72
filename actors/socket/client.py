"""Client of the operator's socket, by which commands ask the running agent; quick to import and free of event loops."""

from __future__ import annotations

import errno
import json
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any

from actors.linux.disk import OPERATOR_KEY
from actors.linux.regular_file import open_regular
from actors.socket.paths import OPERATOR_SOCKET, reachable

ANSWER_S = 70.0
"""Longest wait in seconds: longer than the agent's usual limit of a request, so the agent's own message arrives first.
"""

_CREDENTIALS = struct.Struct("3i")
"""Id, user and group of the process at a socket's other end."""


class AgentNotRunningError(Exception):
    """No agent holds the data root, or the agent does not answer; the text says so."""


class AgentSilentError(AgentNotRunningError):
    """An agent was reached and has not answered; the request may still be carried out."""


class RefusalError(Exception):
    """The agent refused the request, with the reason."""


def ask_operator(data_root: Path, verb: str, answer_s: float = ANSWER_S, /, **arguments: object) -> dict[str, Any]:
    """Ask the agent that runs on `data_root`; return the answer to `verb`.

    Args:
        data_root: Of the settings.
        verb: Verb of the operator's socket; `help` lists all verbs.
        answer_s: Longest wait, in seconds; longer than the agent's own for that verb.
        arguments: Values for JSON; None values are left out.

    Raises:
        AgentNotRunningError: no agent answers; an `AgentSilentError` if the request may have arrived all the same.
        RefusalError: the agent refused.
    """
    named = {name: value for name, value in arguments.items() if value is not None}
    try:
        key, owner = _key(data_root / OPERATOR_KEY)
        line = json.dumps({"id": 1, "verb": verb, "arguments": named, "key": key})
        answer = _answer(_exchange(data_root / OPERATOR_SOCKET, owner, line.encode("ascii") + b"\n", answer_s))
    except (FileNotFoundError, ConnectionRefusedError):
        raise AgentNotRunningError(f"no agent is running on the data root {data_root}") from None
    except TimeoutError:
        raise AgentSilentError(f"the agent on {data_root} did not answer within {answer_s:g} s") from None
    except OSError as error:
        raise AgentNotRunningError(f"the agent on {data_root} cannot be asked: {error.strerror}") from None
    except ValueError:
        raise AgentSilentError(f"the agent on {data_root} ended before it answered") from None
    if not answer["ok"]:
        raise RefusalError(answer["error"])
    result: dict[str, Any] = answer["result"]
    return result


def _answer(line: bytes) -> dict[str, Any]:
    """Decode an answer line of the agent.

    Raises:
        ValueError: the line is no answer, or incomplete.
    """
    answer = json.loads(line)
    if not (isinstance(answer, dict) and "ok" in answer and ("result" if answer["ok"] else "error") in answer):
        raise ValueError("the answer is not an agent's")
    return answer


def _key(path: Path) -> tuple[str, int]:
    """Operator's key and the owner of its file; a link is not followed.

    Raises:
        OSError: the key cannot be read.
    """
    with os.fdopen(open_regular(path, os.O_RDONLY | os.O_NOFOLLOW), encoding="ascii", errors="replace") as file:
        return file.read(), os.fstat(file.fileno()).st_uid


def _exchange(path: Path, owner: int, line: bytes, answer_s: float) -> bytes:
    """Send a line; return the answer, empty or cut short if the connection ends behind the line.

    Args:
        path: Of the socket.
        owner: User who must run the server: in a folder of another person, the key may be a file of the caller's.
        line: Line to send, once the user is verified.
        answer_s: Longest wait.

    Raises:
        OSError: no process answers, or another user's process listens.
    """
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(answer_s)
        with reachable(path) as address:
            door.connect(address)
        user = _CREDENTIALS.unpack(door.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[1]
        if user != owner or os.geteuid() not in (user, 0):
            raise PermissionError(errno.EPERM, f"it is run by user {user}, and the key is of user {owner}")
        door.sendall(line)
        with suppress(ConnectionError), door.makefile("rb") as answers:
            return answers.readline()
    return b""
