"""Words of a message written by the author."""

from __future__ import annotations

from collections.abc import Iterator

from domain.text.presentable import without_hidden

_FENCE = "```"


def own_lines(text: str) -> Iterator[str]:
    """People's own lines of a message: without code and quotations."""
    is_code = False
    for line in text.splitlines():
        bare = " ".join(without_hidden(line).split())
        if bare.startswith(_FENCE):
            is_code = not is_code
        elif bare and not is_code and not bare.startswith(">"):
            yield bare
