"""Client of the agent's socket, for scripts of skills: the agent does work beyond a command's rights.

All skills share this file, beside the folders of the skills; in a sandbox the path is /run/agent/door.py. Exit codes of
scripts with `run`: 0 done, 1 the agent refused, 2 wrong usage (argparse's), 3 the agent cannot be reached.
"""

from __future__ import annotations

import json
import os
import socket
import sys

ANSWER_S = float(os.environ.get("AGENT_ANSWER_S", "70"))
"""Longer than any request takes the agent, so the agent's own sentence arrives first; the agent names more if a
person is asked before the answer.
"""
LONGEST_LINE_BYTES = 64 * 1024


class RefusedError(Exception):
    """A refusal of the agent, with the reason."""

    exit_code = 1


class UnreachableError(Exception):
    """The agent cannot be reached; the text says why."""

    exit_code = 3


def ask(verb, answer_s=ANSWER_S, /, **arguments):
    """Answer of the agent to one request, a dict, within `answer_s` seconds; arguments of None are left out.

    Raises:
        RefusedError: the agent refused.
        UnreachableError: there is no agent to ask.
    """
    path = os.environ.get("AGENT_SOCKET")
    if not path:
        raise UnreachableError("AGENT_SOCKET is not set: this script works only in commands that the agent runs")
    values = {name: value for name, value in arguments.items() if value is not None}
    line = json.dumps({"id": 1, "verb": verb, "arguments": values}).encode("ascii") + b"\n"
    if len(line) > LONGEST_LINE_BYTES:
        raise RefusedError(f"the request has {len(line)} bytes, at most {LONGEST_LINE_BYTES} are allowed")
    try:
        answer = json.loads(_exchange(path, line, answer_s))
    except OSError as error:
        raise UnreachableError(f"the agent cannot be reached at {path}: {error.strerror or error}") from None
    except ValueError:
        reason = f"the agent closed the connection before it answered {verb!r}; it may still be done"
        raise UnreachableError(reason) from None
    if not answer["ok"]:
        raise RefusedError(answer["error"])
    return answer["result"]


def run(main):
    """End the program with the exit code from `main()` (None is 0), or with an error's text on stderr and code."""
    try:
        code = main() or 0
        sys.stdout.flush()
    except (RefusedError, UnreachableError) as error:
        sys.stderr.write(f"error: {error}\n")
        code = error.exit_code
    except BrokenPipeError:  # whoever read the output has seen enough, e.g. `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def _exchange(path, line, answer_s):
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(answer_s)
        door.connect(path)
        door.sendall(line)
        with door.makefile("rb") as answers:
            return answers.readline()
