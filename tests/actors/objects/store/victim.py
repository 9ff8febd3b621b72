"""Program that keeps rounds until it is killed, and says which have been answered; its argument is a data root.

Round n has the text of a file of its own, an output, and version n of a file that all rounds change. So little is kept
that in most rounds texts go.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from tests.actors.objects.store.rig import StoreRig, edit_text, long_text

CHANGED = "f1000000"
WINDOW_BYTES = 60_000


def text_of(number: int) -> str:
    """Content of the file that all rounds change, after one round."""
    return edit_text(long_text(number // 30, 100), number)


def main() -> None:
    """Keep rounds for ever."""
    rig = StoreRig(Path(sys.argv[1]), window_bytes=WINDOW_BYTES)
    begun = rig.clock.now()
    number = rig.go_on()
    while True:
        number += 1
        at = begun + timedelta(seconds=number)
        rig.store_round(
            [
                rig.version(f"f{number}", f"text {number} " * 300),
                rig.version(CHANGED, text_of(number), no=number, valid_from=at),
            ],
            entries=b"%d" % number,
            snapshot=b"%d" % number if number % 16 == 0 else b"",
            outputs=(rig.output(number),),
        )
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
