#!/usr/bin/env -S python3 -I
"""Says which files and outputs the model is shown, and prints older versions of them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import ask, run  # noqa: E402

SWITCHES = {
    "activate": ("active", "show an object's text in the next request"),
    "deactivate": ("inactive", "show its reference only"),
    "pin": ("pinned", "show its text in all requests until it is unpinned"),
    "unpin": ("unpinned", "let it age like any other object"),
}


def main():
    """Do what the first argument says."""
    arguments = vars(_parser().parse_args())
    return arguments.pop("act")(arguments)


def read(arguments):
    """Index a file and activate it."""
    _print_lines(ask("objects.read", path=os.path.normpath(Path.cwd() / arguments["path"]))["steps"])


def switch(arguments):
    """Say what an object is to be."""
    _print_lines(ask("objects.switch", id=arguments["id"], to=arguments["to"])["steps"])


def list_objects(arguments):
    """Print one object a line."""
    kind = next((kind for kind in ("files", "outputs", "active") if arguments[kind]), "all")
    answer = ask("objects.list", kind=kind, after=arguments["after"])
    for each in answer["objects"]:
        size = f" {each['chars']} characters" if each["kind"] in ("file", "output") else ""
        _print_lines([f"{each['id']} {each['state']} {each['kind']}{size} {each['about']}".rstrip()])
    if not answer["is_all"]:
        _print_lines([f"there are more: list --after {answer['objects'][-1]['id']}"])


def history(arguments):
    """Print one version a line, the oldest first."""
    versions, after, note = [], 0, ""
    while True:
        answer = ask("objects.history", id=arguments["id"], after=after)
        versions, note = versions + answer["versions"], answer["note"]
        if answer["is_all"]:
            break
        after = answer["versions"][-1]["version"]["no"]
    if arguments["json"]:
        _print_lines([json.dumps({"id": arguments["id"], "versions": versions, "note": note})])
        return
    for each in versions:
        version = each["version"]
        text_state = "kept" if each["is_kept"] else "text not kept"
        words = [
            f"version {version['no']}",
            version["valid_from"],
            version["status"],
            f"{version['size']} bytes",
            text_state,
        ]
        words += [f"shown {each['shown']} times", version["content_hash"][:12], json.dumps(version["path"])]
        _print_lines([" ".join(word for word in words if word)])
    if note:
        _print_lines([note])


def show(arguments):
    """Print a text."""
    choice = {"version": arguments["version"], "hash": arguments["hash"], "at": arguments["at"]}
    _print_text(ask("objects.show", id=arguments["id"] or "", **choice))


def diff(arguments):
    """Print what differs between two versions."""
    _print_text(ask("objects.diff", id=arguments["id"], old=arguments["old"], new=arguments["new"]))


def _print_text(answer):
    _print_lines([f"[{answer['head']}]", answer["text"]])


def _print_lines(lines):
    for line in lines:
        sys.stdout.write(line if line.endswith("\n") else f"{line}\n")


def _parser():
    parser = argparse.ArgumentParser(
        description="Say which files and outputs you see: f1, f2 ... are files, t1, t2 ... outputs of commands.",
        epilog="Example: objects.py read src/app.py. Arguments of a command: objects.py show --help.",
    )
    verbs = parser.add_subparsers(required=True, metavar="ACTION", title="actions")
    reading = verbs.add_parser("read", help="know a file, and show its text in the next request")
    reading.add_argument("path", help="a file of your folder")
    reading.set_defaults(act=read)
    for name, (to, what) in SWITCHES.items():
        switching = verbs.add_parser(name, help=what)
        switching.add_argument("id", help="of the object, such as f2 or t3")
        switching.set_defaults(act=switch, to=to)
    listing = verbs.add_parser("list", help="print one object a line")
    kinds = listing.add_mutually_exclusive_group()
    for kind in ("files", "outputs", "active"):
        kinds.add_argument(f"--{kind}", action="store_true", help=f"only {kind}")
    listing.add_argument("--after", metavar="ID", default="", help="go on after this object")
    listing.set_defaults(act=list_objects)
    telling = verbs.add_parser("history", help="print the versions of a file")
    telling.add_argument("id", help="of the object")
    telling.add_argument("--json", action="store_true", help="as one JSON document")
    telling.set_defaults(act=history)
    showing = verbs.add_parser("show", help="print a text once")
    showing.add_argument("id", nargs="?", help="of the object, or chat; may be left out with --hash")
    which = showing.add_mutually_exclusive_group()
    which.add_argument("--at", metavar="TIME", default="", help="as it was then, such as 2026-03-01T10:00 (UTC)")
    which.add_argument("--version", type=int, default=0, metavar="N", help="that version (default the newest)")
    which.add_argument("--hash", default="", help="the version with this SHA-256, or its first 8 characters")
    showing.set_defaults(act=show)
    comparing = verbs.add_parser("diff", help="print the difference between two versions")
    comparing.add_argument("id", help="of the file")
    comparing.add_argument("old", nargs="?", type=int, default=0, help="version (default the one before)")
    comparing.add_argument("new", nargs="?", type=int, default=0, help="version (default the newest)")
    comparing.set_defaults(act=diff)
    return parser


if __name__ == "__main__":
    run(main)
