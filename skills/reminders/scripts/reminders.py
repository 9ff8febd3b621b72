#!/usr/bin/env -S python3 -I
"""Creates, modifies, deletes and lists reminders; prints every line exactly as it stands in the file."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import ask, run  # noqa: E402

RECURRENCES = ("none", "daily", "weekly", "monthly")
FIELDS = ("msg", "date", "time", "recur", "at", "in_minutes")
MOST = 1000
ABOUT = {"a", "about", "cancel", "change", "delete", "for", "move", "my", "reminder", "remove", "the", "to"}
"""Words that name no reminder."""


def main():
    """Run the command of the first argument."""
    arguments = vars(_parser().parse_args())
    arguments.pop("act")(arguments)


def create(arguments):
    """Add a line."""
    arguments["msg"] = _read_value(arguments, "msg", 'create --msg "stand-up" --time 09:30')
    answer = ask("reminders.create", **_fields(arguments))
    _print("created", answer)


def modify(arguments):
    """Change the named parts of a line."""
    if arguments["id"] is None and arguments["msg"]:  # what is meant is named by its message, and that stays
        arguments["id"], arguments["msg"] = re.sub(r"\b\d{1,2}:\d\d\b", "", arguments["msg"]), None
    named = _read_value(arguments, "id", 'modify "call Bob" --time 15:00')
    answer = ask("reminders.modify", id=_id(named), **_fields(arguments))
    same = answer["line"] == answer["old_line"]
    _print("unchanged" if same else "changed", answer)


def delete(arguments):
    """Take a line out."""
    answer = ask("reminders.delete", id=_id(_read_value(arguments, "id", 'delete "call Bob"')))
    sys.stdout.write(f"deleted: {answer['line']}\n")


def show(arguments):
    """Print the reminders of the file."""
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


def _read_value(arguments, name, example):
    """Value on the command line, or else on stdin, as in `echo "stand-up" | reminders.py create --time 09:30`."""
    value = arguments[name]
    if value is None and not sys.stdin.isatty():
        value = " ".join(sys.stdin.read().split()) or None
    if value is None:
        sys.stderr.write(f"error: the {name} is missing, as in: {sys.argv[0]} {example}\n")
        raise SystemExit(2)
    return value


def _id(named):
    """The named id, or the id of the only reminder whose message has the words."""
    if named.startswith("rid_"):
        return named
    reminders = ask("reminders.list", limit=MOST)["reminders"]
    if any(each["id"] == named for each in reminders):
        return named
    words = [word for word in re.findall(r"[\w'-]+", named.casefold()) if word not in ABOUT]
    matches = [each for each in reminders if words and all(word in each["msg"].casefold() for word in words)]
    if len(matches) == 1 and matches[0]["id"]:
        return matches[0]["id"]
    lines = "".join(f"\n    {each['line']}" for each in matches or reminders)
    hint = "\nRun the command again with words of one of these, or with its id." if lines else ""
    raise SystemExit(
        f"error: {named!r} names {len(matches)} reminders, and must name one; nothing was changed{lines}{hint}"
    )


def _next_of(reminder):
    """Next time of a reminder, in words."""
    if reminder["failed"]:
        return "never: it could not be said in its conversation; a new time opens it again"
    return reminder["next_local"] or "due now"


def _print(what, answer):
    """Print the exact line, the next time, and remarks."""
    sys.stdout.write(f"{what}: {answer['line']}\n")
    for name, text in (("next", answer["next_due"]), ("note", answer["note"])):
        if text:
            sys.stdout.write(f"{name}: {text}\n")


def _fields(arguments):
    """Fields of a reminder on the command line."""
    return {name: arguments[name] for name in FIELDS if arguments[name] is not None}


def _parser():
    parser = argparse.ArgumentParser(description="Keep reminders; times are those of London's clocks.")
    verbs = parser.add_subparsers(required=True, metavar="create | modify | delete | list")
    adding = verbs.add_parser("create", help="add a reminder")
    _add_fields(adding, is_new=True)
    adding.set_defaults(act=create)
    changing = verbs.add_parser("modify", help="change a reminder")
    changing.add_argument("id", nargs="?", help="its id, such as rid_ABCDEFGHIJKL, or words of its message")
    _add_fields(changing, is_new=False)
    changing.set_defaults(act=modify)
    dropping = verbs.add_parser("delete", help="delete a reminder")
    dropping.add_argument("id", nargs="?", help="its id, or words of its message")
    dropping.set_defaults(act=delete)
    listing = verbs.add_parser("list", help="print all reminders, soonest first")
    listing.add_argument("-n", dest="limit", type=_count, default=200, help=f"how many, 1 to {MOST} (default 200)")
    listing.add_argument("--invalid", action="store_true", help="also print lines that are no reminders, with why")
    listing.set_defaults(act=show)
    return parser


def _add_fields(parser, is_new):
    parser.add_argument("--msg", help="what is said, on one line")
    parser.add_argument("--date", help="YYYY-MM-DD, today or tomorrow")
    parser.add_argument("--time", type=_clock, help="HH:MM")
    parser.add_argument("--recur", choices=RECURRENCES, help="how often" + (" (default none)" if is_new else ""))
    parser.add_argument("--at", help="date and time in one, such as 2026-12-01T14:00, in place of --date and --time")
    parser.add_argument("--in-minutes", type=int, help="minutes from now, in their place")


def _clock(text):
    """Time of day as `HH:MM`, also from a text without the colon or the first 0; any other text unchanged."""
    time = re.fullmatch(r"(\d{1,2}):?(\d\d)", text)
    return f"{time[1]:0>2}:{time[2]}" if time else text


def _count(text):
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r}: must be a number from 1 to {MOST}")
    return int(text)


if __name__ == "__main__":
    run(main)
