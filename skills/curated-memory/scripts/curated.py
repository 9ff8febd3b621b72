#!/usr/bin/env -S python3 -I
"""Adds, fixes, removes, archives and moves facts of curated memory; prints each and the file where it stands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import ask, run  # noqa: E402

SCOPES = ("global", "project")


def main():
    """Run the command of the first argument."""
    arguments = vars(_parser().parse_args())
    return arguments.pop("act")(arguments)


def write(arguments):
    """Change one fact."""
    verb = arguments.pop("verb")
    answer = ask(f"curated.{verb}", **arguments)
    sys.stdout.write(f"{answer['done']}: {answer['text']}\nin {answer['path']}\n")
    if answer["note"]:
        sys.stdout.write(f"note: {answer['note']}\n")


def recall(arguments):
    """Print the matching facts."""
    answer = ask("curated.recall", query=arguments["query"], scope=arguments["scope"])
    sys.stdout.write(f"{answer['code']}: {answer['reason']}\n")
    for scope, page in answer["facts"]:
        sys.stdout.write(f"{scope} {_page(page)}\n")
    return 0 if answer["code"] in ("ok", "no_match", "unavailable") else 1


def pages(arguments):
    """Print every fact with its id."""
    del arguments
    for scope in ask("curated.pages")["scopes"]:
        for page in scope["pages"]:
            sys.stdout.write(f"{scope['scope']} {_page(page)}\n")


def status(arguments):
    """Print the folders, and their permission to write from here."""
    del arguments
    for scope in ask("curated.status")["scopes"]:
        writable = scope["writable"] or "yes"
        sys.stdout.write(f"{scope['scope']}: {scope['folder']}\n    may be written from here: {writable}\n")
        for file in scope["files"]:
            sys.stdout.write(f"    {file['name']}: {file['bytes']} bytes\n")


def _page(page):
    return f"{page['id']} {page['kind']} {page['file']}:{page['line']} {page['text']}"


def _parser():
    parser = argparse.ArgumentParser(
        description="Keep facts in the memory files that people edit too, one line a fact.",
        epilog='Example: curated.py add global "Answers are in British spelling" --section Style. Arguments: '
        "curated.py add --help. global is shown in every conversation, project is the repository's, read by its team.",
    )
    verbs = parser.add_subparsers(required=True, metavar="ACTION", title="actions")
    adding = _verb(verbs, "add", "add a fact")
    adding.add_argument("text", help="the fact, in one line of at most 500 characters")
    adding.add_argument("--section", help="heading that it belongs below (default Remembered)")
    fixing = _verb(verbs, "fix", "replace the text of a fact")
    fixing.add_argument("fact", help="id of the fact, or words of this fact only")
    fixing.add_argument("text", help="new text of the fact")
    for name, what in (
        ("remove", "delete a wrong fact"),
        ("archive", "move a stale fact into archive/"),
        ("confirm", "confirm a fact, with today's date"),
    ):
        _verb(verbs, name, what).add_argument("fact", help="id of the fact, or words of this fact only")
    moving = _verb(verbs, "move", "move a fact into a topic file, and leave a line that points there")
    moving.add_argument("fact", help="id of the fact, or words of this fact only")
    moving.add_argument("--topic", required=True, help="name of the file, such as build.md")
    moving.add_argument("--title", required=True, help="title of the pointer")
    moving.add_argument("--gist", default="", help="further text of the pointer")
    finding = verbs.add_parser("recall", help="find facts by their words")
    finding.add_argument("query", help="words to look for")
    finding.add_argument("--scope", choices=SCOPES, help="only there")
    finding.set_defaults(act=recall)
    verbs.add_parser("pages", help="print every fact with its id").set_defaults(act=pages)
    verbs.add_parser("status", help="print the folders and their files").set_defaults(act=status)
    return parser


def _verb(verbs, name, what):
    parser = verbs.add_parser(name, help=what)
    parser.add_argument("scope", choices=SCOPES, help="global: of all projects; project: of this repository")
    parser.set_defaults(act=write, verb=name)
    return parser


if __name__ == "__main__":
    run(main)
