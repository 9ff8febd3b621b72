#!/usr/bin/env -S python3 -I
"""Prints what was said in earlier conversations and bears on a question, best first."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import ask, run  # noqa: E402

LIMIT = 10
MOST = 200
NOTHING = (
    "Nothing was found that bears on this and may be shown here. Answer from this conversation or from what you know; "
    "to search files, use grep -r.\n"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def main():
    """Ask and print."""
    arguments = _parser().parse_args()
    answer = ask("memory.search", query=" ".join(arguments.query), limit=arguments.limit)
    entries = [_entry(memory) for memory in answer["memories"]]
    sys.stdout.write("".join(entries) or NOTHING)
    if answer.get("note"):
        sys.stderr.write(f"note: {answer['note']}\n")


def _entry(memory):
    """Lines of a memory, the excerpt set in."""
    lines = _CONTROL.sub(" ", memory["excerpt"]).split("\n")
    return "\n".join([_headline(memory), *(f"    {line}".rstrip() for line in lines)]) + "\n"


def _headline(memory):
    """Place, time and speaker of a memory."""
    author = " ".join(_CONTROL.sub(" ", memory["author"]).split())
    marks = [name for name, marked in (("pinned", memory["pinned"]), ("cut", memory.get("truncated"))) if marked]
    return "  ".join([f"{memory['path']}:{memory['line']}", _minute(memory["at"]), author, *marks])


def _minute(at):
    """The minute of an ISO 8601 time in UTC."""
    return f"{at[:10]} {at[11:16]} UTC"


def _parser():
    parser = argparse.ArgumentParser(description="Search everything that was said in earlier conversations.")
    parser.add_argument("query", nargs="+", help="what to look for, in words")
    parser.add_argument("-n", dest="limit", type=_count, default=LIMIT, help=f"how many, 1 to {MOST} (default {LIMIT})")
    return parser


def _count(text):
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number from 1 to {MOST}")
    return int(text)


if __name__ == "__main__":
    run(main)
