"""Program that keeps rounds until it is killed, and says which have been answered; its argument is a data root."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.actors.memory.objects.rig import StoreRig


def main() -> None:
    """Keep rounds for ever."""
    rig = StoreRig(Path(sys.argv[1]))
    number = rig.go_on()
    while True:
        number += 1
        rig.kept(
            [rig.version(f"f{number}", f"text {number} " * 300)],
            entries=b"%d" % number,
            snapshot=b"%d" % number if number % 16 == 0 else b"",
            outputs=(rig.output(number),),
        )
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
