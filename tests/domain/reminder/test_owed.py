"""Evidence in the file about an edit that took place, or did not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from domain.reminder.document import add_ids
from domain.reminder.owed import OwedConfirmation
from messages.base import RequestId, Surface, Window

LINE = '- [ ] date=2026-04-01 time=09:00 recur=none msg="tëa" id=rid_A'

BARE = LINE.removesuffix(" id=rid_A")
NAMED = add_ids(BARE.encode()).decode()


def test_the_exact_line_tells(subtests: pytest.Subtests) -> None:
    for line, is_gone, data, has_happened in [
        (LINE, False, f"# Mine\n{LINE}\n", True),
        (LINE, False, f"# Mine\r\n{LINE}\r\n", True),
        (LINE, False, LINE, True),
        (LINE, False, f"\ufeff{LINE}\n", True),
        (LINE, False, f"{LINE}\r\r\n", True),
        (LINE, False, f"{LINE} \n", False),
        (LINE, False, f"{LINE.replace('tëa', 'coffee')}\n", False),
        (LINE, False, "# Mine\n", False),
        (LINE, False, "", None),
        (LINE, True, f"# Mine\n{LINE}\r\n", False),
        (LINE, True, f"\ufeff{LINE}\n", False),
        (LINE, True, f"{LINE}\r\r\n", False),
        (LINE, True, "# Mine\n", True),
        (LINE, True, "", True),
        (LINE, True, f"{LINE.replace('09:00', '11:00')}\n", False),
        (LINE, True, f"```\n{LINE}\n```\n", True),
        (NAMED, True, f"{BARE}\r\n", False),
        (NAMED, True, f"{BARE.replace('09:00', '11:00')}\n", True),
        ("prose", True, "# Mine\n", True),
        ("", False, "", True),
        ("", False, "# Mine\n", True),
    ]:
        with subtests.test(line=line):
            assert owed(line, is_gone=is_gone).has_happened(data.encode()) is has_happened


@pytest.mark.parametrize("is_gone", [False, True])
def test_of_what_happened_no_file_says_that_it_did_not(is_gone: bool) -> None:
    known = owed(LINE, is_gone=is_gone).of_what_happened()
    assert [known.has_happened(data.encode()) for data in ("", LINE, "# Mine\n")] == [True] * 3


def owed(line: str, *, is_gone: bool) -> OwedConfirmation:
    return OwedConfirmation(
        request_id=RequestId("confirm-r1"),
        window=Window(surface=Surface.DISCORD_THREAD, id="910000000000000099"),
        text="words",
        nonce="n",
        at=datetime(2026, 3, 28, 12, tzinfo=UTC),
        line=line,
        is_gone=is_gone,
    )
