"""Lines on stderr of a set-up: what other programs said in them cannot steer the terminal."""

from __future__ import annotations

import sys
from typing import NoReturn


def say(text: str) -> None:
    """Write `text`; what is neither printable nor the end of a line is shown escaped."""
    printable = "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)
    print(printable, file=sys.stderr, flush=True)


def leave(text: str) -> NoReturn:
    """Write `text`, and end with status 1."""
    say(text)
    sys.exit(1)
