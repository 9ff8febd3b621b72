#!/usr/bin/env -S python3 -I
"""Posts files of the working directory in the conversation that the command was run in."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import ask, run  # noqa: E402


def main():
    """Post the files in one message and print the result."""
    arguments = _parser().parse_args()
    path, *further = map(_below_home, arguments.file)
    answer = ask(
        "discord.attach",
        path=path,
        further=further or None,
        descriptions=arguments.alt,
        is_spoiler=arguments.spoiler or None,
        caption=arguments.caption,
    )
    sys.stdout.write(f"Posted {answer['filename']} ({answer['size_bytes']:,} bytes).\n")


def _below_home(file):
    """`file` relative to the working directory, the start folder and HOME of commands; links stay links."""
    home = os.environ.get("HOME") or os.getcwd()  # noqa: PTH109 - as it was given, not resolved
    wanted = os.path.normpath(os.path.join(os.getcwd(), file))  # noqa: PTH109, PTH118
    for base in (home, os.path.realpath(home)):
        if wanted.startswith(base.rstrip("/") + "/"):
            return os.path.relpath(wanted, base)
    return os.path.relpath(wanted, os.path.realpath(home))


def _parser():
    parser = argparse.ArgumentParser(description="Send files of the working directory to the people in Discord.")
    parser.add_argument("file", nargs="+", help="path of a file; at most ten")
    parser.add_argument("--alt", action="append", metavar="TEXT", help="description of a picture; once for each file")
    parser.add_argument("--spoiler", action="store_true", help="hide the files until a person presses them")
    parser.add_argument("--caption", help="words above the files")
    return parser


if __name__ == "__main__":
    run(main)
