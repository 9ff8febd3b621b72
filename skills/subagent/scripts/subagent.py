#!/usr/bin/env -S python3 -I
"""Gives tasks to sub-agents and prints what they report."""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import RefusedError, ask, run  # noqa: E402

ONE_WAIT_S = 55
"""Longest wait of one request."""
USUAL_WAIT_S = 100
"""Below the usual time-out of a command."""
TASK_CHARS = 12_000
LONG_CHARS = 8_000
LONG_LINES = 100
"""Lines of a report; the top of a longer report may be cut off, so its head is repeated below."""
RUNNING = "running"


def main():
    """Run the command of the first argument."""
    arguments = vars(_parser().parse_args())
    return arguments.pop("act")(arguments)


def begin(arguments):
    """Begin a run, and wait for its report."""
    deadline = time.monotonic() + arguments["seconds"]
    words = arguments["task"]
    task = (_stdin() if words == ["-"] else _text(" ".join(words), "the task")).strip()
    if not task:
        raise RefusedError("the task is empty")
    if len(task) > TASK_CHARS:
        raise RefusedError(f"the task has {len(task)} characters, at most {TASK_CHARS} are allowed")
    answer = ask("subagent.run", name=_text(arguments["name"], "the name"), task=task, mode=arguments["mode"] or "")
    if arguments["no_wait"]:
        _print_goes_on(answer["run"])
        return 0
    return _wait(answer, deadline)


def wait(arguments):
    """Wait for a run's report."""
    deadline = time.monotonic() + arguments["seconds"]
    return _wait(ask("subagent.wait", run=_text(arguments["run"], "the run"), seconds=0), deadline)


def stop(arguments):
    """End a run and print its result."""
    return _print_told(ask("subagent.stop", run=_text(arguments["run"], "the run")))


def list_all(_arguments):
    """Print the sub-agents and the last runs."""
    answer = ask("subagent.list")
    for each in answer["offered"]:
        sys.stdout.write(f"{each['name']} ({each['mode']}): {each['description']}\n")
    if not answer["offered"]:
        sys.stdout.write("no sub-agent is defined\n")
    for each in answer["runs"]:
        sys.stdout.write(f"{_head(each)}\n")
    for fault in answer["faults"]:
        sys.stderr.write(f"not used: {fault}\n")


def _wait(answer, deadline):
    """Ask for a run's end again and again, until the deadline."""
    while answer["run"]["state"] == RUNNING:
        left = deadline - time.monotonic()
        if left <= 0:
            _print_goes_on(answer["run"])
            return 0
        seconds = max(1, min(ONE_WAIT_S, int(left)))
        answer = ask("subagent.wait", run=answer["run"]["run"], seconds=seconds)
    return _print_told(answer)


def _print_told(answer):
    """Print a report; 1 for a run that failed."""
    sys.stdout.write(f"[{_head(answer['run'])}]\n")
    if answer["run"]["state"] == RUNNING:
        _print_goes_on(answer["run"])
        return 0
    text = answer["text"] or "(it said nothing)"
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    if len(text) > LONG_CHARS or text.count("\n") > LONG_LINES:
        sys.stdout.write(f"[end of {_head(answer['run'])}]\n")
    return 1 if answer["run"]["state"] == "failed" else 0


def _print_goes_on(run):
    name = run["run"]
    sys.stdout.write(f"{name} of {run['name']} goes on. Its report: {sys.argv[0]} wait {name}\n")


def _head(run):
    words = [f"{run['run']} of {run['name']}: {run['state']}"]
    words.append(f"{run['turns']} answers, {run['calls']} commands, {run['seconds']:.0f} s")
    return ", ".join([*words, run["note"]] if run["note"] else words)


def _stdin():
    """Text of stdin."""
    try:
        return sys.stdin.buffer.read().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise RefusedError(f"the task is not UTF-8, from byte {error.start} on") from None


def _text(words, what):
    """Words of an argument, checked for sending."""
    try:
        words.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RefusedError(f"{what} is not UTF-8, from character {error.start} on") from None
    return words


def _seconds(words):
    """A time to wait."""
    try:
        seconds = float(words)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{words!r}: must be a number of seconds, 0 or more")
    return seconds


def _parser():
    parser = argparse.ArgumentParser(
        description="Give a task to a sub-agent, which works beside you and reports once.",
        epilog="Example: subagent.py run researcher 'Who calls encode(), and from where?'",
    )
    verbs = parser.add_subparsers(required=True, metavar="ACTION", title="actions")
    beginning = verbs.add_parser("run", help="begin a run and print its report")
    beginning.add_argument("name", help="of the sub-agent, as list prints it")
    beginning.add_argument("task", nargs="+", help="the whole task; - reads the task from stdin")
    beginning.add_argument("--mode", choices=("isolated", "contextual"), help="further context for the task")
    beginning.add_argument("--no-wait", action="store_true", help="print the run's name at once")
    beginning.set_defaults(act=begin)
    waiting = verbs.add_parser("wait", help="print the report of a run that goes on")
    waiting.add_argument("run", help="as run printed it")
    waiting.set_defaults(act=wait)
    for each in (beginning, waiting):
        each.add_argument(
            "--for",
            dest="seconds",
            type=_seconds,
            default=USUAL_WAIT_S,
            metavar="SECONDS",
            help=f"how long to wait (default {USUAL_WAIT_S}); keep it below your command's timeout",
        )
    stopping = verbs.add_parser("stop", help="end a run, and print its report so far")
    stopping.add_argument("run", help="as run printed it")
    stopping.set_defaults(act=stop)
    listing = verbs.add_parser("list", help="list the sub-agents, and the last runs with their outcome")
    listing.set_defaults(act=list_all)
    return parser


if __name__ == "__main__":
    run(main)
