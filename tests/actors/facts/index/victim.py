"""Program that changes rows until it is killed, and says which changes have been answered; its argument is a data root.

Change n gives each of ten rows a content and a vector of its own, drops one, and puts one more.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.actors.facts.index.rig import IndexRig, row, unit

ROWS = 10


def main() -> None:
    """Change rows for ever."""
    rig = IndexRig(Path(sys.argv[1]))
    number = max((int(each.digest) for each in rig.known_rows().values()), default=0)
    while True:
        number += 1
        again = (row(f"r{n}", unit(1, number), digest=str(number), content=content(number)) for n in range(ROWS))
        rig.put(*again, row(f"only {number}", unit(1, 1), digest=str(number)), drop=(f"only {number - 1}",))
        if number % 7 == 0:
            rig.clock.advance(3.0)
            rig.system.run()
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def content(number: int) -> str:
    """Row after a change."""
    return f"{number} " * 2_000


if __name__ == "__main__":
    main()
