#!/usr/bin/env -S python3 -I
"""Reads a public page through the agent and prints it as markdown."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import RefusedError, UnreachableError, ask, run  # noqa: E402

USAGE = """\
Usage: content.py <url>

Prints the readable part of a page as markdown.

Example:
  content.py https://example.com/article
"""


def main():
    """Do what the command line says; the exit code."""
    if len(sys.argv) < 2 or not sys.argv[1].strip():
        sys.stdout.write(USAGE)
        return 1
    try:
        page = ask("web.read", url=sys.argv[1])
    except (RefusedError, UnreachableError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    if page["title"]:
        sys.stdout.write(f"# {page['title']}\n\n")
    sys.stdout.write(page["markdown"] + "\n")
    return 0


if __name__ == "__main__":
    run(main)
