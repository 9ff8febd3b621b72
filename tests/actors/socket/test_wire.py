"""Lines of the control sockets."""

from __future__ import annotations

import msgspec

from actors.socket.wire import success
from messages.curated_view import FileSize


def test_an_answer_with_bytes_that_are_no_text_is_one_all_the_same() -> None:
    line = success("a", (FileSize(name="\udcff.md", bytes=1), {"\udcfe": None, "b": True}))
    assert msgspec.json.decode(line)["result"] == [{"name": "\\udcff.md", "bytes": 1}, {"\\udcfe": None, "b": True}]
