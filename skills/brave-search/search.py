#!/usr/bin/env -S python3 -I
"""Searches the web through the agent and prints what was found."""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True

from door import RefusedError, UnreachableError, ask, run  # noqa: E402

MOST_RESULTS = 20
NO_KEY = "BRAVE_API_KEY"
KEY_PLACE = "https://api-dashboard.search.brave.com/app/keys"
HEAD = re.compile(r"[^\w\-\u2010-\u2015]{0,50}[-\u2010-\u2015]{2,50}\W{0,50}Result\W+\d", re.IGNORECASE)
USAGE = """\
Usage: search.py <query> [-n <number>] [--content] [--country <code>] [--freshness <when>]

  -n <number>         results, at most 20 (default 5)
  --content           also read each page, as markdown
  --country <code>    two letters (default US)
  --freshness <when>  pd, pw, pm, py, or YYYY-MM-DDtoYYYY-MM-DD

Examples:
  search.py "python asyncio timeout"
  search.py "rust async traits" -n 10
  search.py "climate report" --content --freshness pm
"""


def main():
    """Do what the command line says; the exit code."""
    words = sys.argv[1:]
    content = take_flag(words, "--content")
    count = take_value(words, "-n", "5")
    country = take_value(words, "--country", "US").upper()
    freshness = take_value(words, "--freshness", "")
    query = " ".join(words).strip()
    if not query:
        sys.stdout.write(USAGE)
        return 1
    if not count.isdecimal():
        return fail(f"-n {count}: a number from 1 to {MOST_RESULTS} is required")
    wanted = min(int(count), MOST_RESULTS)
    try:
        answer = ask("web.search", query=query, count=wanted, country=country, freshness=freshness, content=content)
    except (RefusedError, UnreachableError) as error:
        return fail(str(error))
    if not answer["results"]:
        sys.stderr.write("No results found.\n")
        return 0
    for number, result in enumerate(answer["results"], start=1):
        sys.stdout.write(render_result(number, result))
    return 0


def take_flag(words, name):
    """True if `name` is among `words`; takes it out."""
    if name not in words:
        return False
    words.remove(name)
    return True


def take_value(words, name, default):
    """The word after `name`, both taken out; `default` if there is none."""
    if name not in words[:-1]:
        return default
    place = words.index(name)
    value = words[place + 1]
    del words[place : place + 2]
    return value


def render_result(number, result):
    """One result as text."""
    lines = [f"--- Result {number} ---", f"Title: {result['title']}", f"Link: {result['link']}"]
    if result["age"]:
        lines.append(f"Age: {result['age']}")
    lines.append(f"Snippet: {result['snippet']}")
    if result["content"]:
        lines += ["Content:", *map(mark_line, result["content"].splitlines())]
    return "\n".join(lines) + "\n\n"


def mark_line(line):
    """A line of a page, with a mark if the line looks like the head of a result."""
    return f"> {line}" if HEAD.match(line) else line


def fail(reason):
    """Print the reason of a failure on stderr; return the exit code."""
    sys.stderr.write(f"Error: {reason}\n")
    if reason.startswith(NO_KEY):
        sys.stderr.write(f"The operator can get one at {KEY_PLACE} and put it into the agent's secrets.\n")
    return 1


if __name__ == "__main__":
    run(main)
