#!/usr/bin/env -S python3 -I
"""Prints what is said in an audio file of the working directory, as the agent has it written down."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), "/run/agent"]  # of door.py: without a sandbox, and in one
sys.dont_write_bytecode = True
os.environ["AGENT_ANSWER_S"] = str(max(1_000.0, float(os.environ.get("AGENT_ANSWER_S", "0"))))  # a long recording

from door import ask, run  # noqa: E402


def main():
    """Print the words of the file."""
    parser = argparse.ArgumentParser(description="Write down what is said in an audio file of the working directory.")
    parser.add_argument("file", help="its path")
    answer = ask("transcribe.file", path=_below_workdir(parser.parse_args().file))
    if answer["text"]:
        sys.stdout.write(f"{answer['text']}\n")
    else:
        sys.stderr.write("no words were heard\n")


def _below_workdir(file):
    """`file` relative to the working directory, the start folder of commands; links stay links.

    The directory is HOME, except in a turn of the command line: there commands work in the caller's folder.
    """
    here = os.getcwd()  # noqa: PTH109 - as it was given, not resolved
    home = os.environ.get("HOME") or here
    wanted = os.path.normpath(os.path.join(here, file))  # noqa: PTH118
    for base in (home, os.path.realpath(home)):
        if f"{here}/".startswith(base.rstrip("/") + "/"):
            return os.path.relpath(wanted, base)
    return os.path.relpath(wanted, here)


if __name__ == "__main__":
    run(main)
