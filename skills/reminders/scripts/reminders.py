#!/usr/bin/env -S python3 -I
"""Creates, modifies, deletes and lists reminders; prints every line exactly as it stands in the file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import ask, run  # noqa: E402

RECURRENCES = ("none", "daily", "weekly", "monthly")
FIELDS = ("msg", "date", "time", "recur", "at", "in_minutes")
MOST = 1000


def main():
    """Do what the first argument says."""
    arguments = vars(_parser().parse_args())
    arguments.pop("act")(arguments)


def create(arguments):
    """Add a line."""
    answer = ask("reminders.create", **_given(arguments))
    _print("created", answer)


def modify(arguments):
    """Change what is named of a line."""
    answer = ask("reminders.modify", id=arguments["id"], **_given(arguments))
    same = answer["line"] == answer["old_line"]
    _print("unchanged" if same else "changed", answer)


def delete(arguments):
    """Take a line out."""
    answer = ask("reminders.delete", id=arguments["id"])
    sys.stdout.write(f"deleted: {answer['line']}\n")


def show(arguments):
    """Print what the file holds."""
    answer = ask("reminders.list", limit=arguments["limit"])
    for reminder in answer["reminders"]:
        sys.stdout.write(f"{reminder['line']}\n    next: {_next_of(reminder)}\n")
    if not answer["reminders"]:
        sys.stdout.write("There are no reminders.\n")
    if answer["left_out"]:
        sys.stdout.write(f"... and {answer['left_out']} more; -n shows more of them\n")
    if arguments["invalid"]:
        for line in answer["invalid"]:
            sys.stdout.write(f"no reminder: {line['reason']}\n    {line['line']}\n")
    elif answer["invalid"]:
        sys.stderr.write(f"note: {len(answer['invalid'])} lines need mending; --invalid shows them\n")


def _next_of(reminder):
    """When it is said next, in words."""
    if reminder["failed"]:
        return "never: it could not be said where it was asked for; a new time opens it again"
    return reminder["next_local"] or "due now"


def _print(what, answer):
    """The exact line, when it is due, and what is to be known about that."""
    sys.stdout.write(f"{what}: {answer['line']}\n")
    for name, text in (("next", answer["next_due"]), ("note", answer["note"])):
        if text:
            sys.stdout.write(f"{name}: {text}\n")


def _given(arguments):
    """What the command line names of a reminder; the rest is left out."""
    return {name: arguments[name] for name in FIELDS if arguments[name] is not None}


def _parser():
    parser = argparse.ArgumentParser(description="Keep reminders; times are those of London's clocks.")
    verbs = parser.add_subparsers(required=True, metavar="create | modify | delete | list")
    adding = verbs.add_parser("create", help="add a reminder")
    _add_fields(adding, is_new=True)
    adding.set_defaults(act=create)
    changing = verbs.add_parser("modify", help="change a reminder")
    changing.add_argument("id", help="its id, such as rid_ABCDEFGHIJKL")
    _add_fields(changing, is_new=False)
    changing.set_defaults(act=modify)
    dropping = verbs.add_parser("delete", help="delete a reminder")
    dropping.add_argument("id", help="its id")
    dropping.set_defaults(act=delete)
    listing = verbs.add_parser("list", help="print all reminders, soonest first")
    listing.add_argument("-n", dest="limit", type=_count, default=200, help=f"how many, 1 to {MOST} (default 200)")
    listing.add_argument("--invalid", action="store_true", help="also print lines that are no reminders, with why")
    listing.set_defaults(act=show)
    return parser


def _add_fields(parser, is_new):
    parser.add_argument("--msg", required=is_new, help="what is said, on one line")
    parser.add_argument("--date", help="YYYY-MM-DD, today or tomorrow")
    parser.add_argument("--time", help="HH:MM")
    parser.add_argument("--recur", choices=RECURRENCES, help="how often" + (" (default none)" if is_new else ""))
    parser.add_argument("--at", help="date and time in one, such as 2026-12-01T14:00, in place of --date and --time")
    parser.add_argument("--in-minutes", type=int, help="minutes from now, in their place")


def _count(text):
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number from 1 to {MOST}")
    return int(text)


if __name__ == "__main__":
    run(main)
