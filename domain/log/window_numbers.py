"""Table of windows: a number for each by its key, as ids in columns where a dict keeps every key as text."""

from __future__ import annotations

from collections.abc import Iterator

from domain.log.id_table import IdTable

_DIGITS = 19
"""Of every such decimal the value is below 2^64."""


class WindowNumbers:
    """Map from windows' keys to numbers, 0 to 2^32 - 2; any key may be in it, a decimal id takes least."""

    __slots__ = ("_ids", "_others")

    def __init__(self) -> None:
        self._ids: dict[str, IdTable] = {}
        """Text before the slash -> the ids behind it."""
        self._others: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._others) + sum(map(len, self._ids.values()))

    def __contains__(self, key: str) -> bool:
        return self.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        """All keys, in no order."""
        for surface, ids in self._ids.items():
            for id_ in ids:
                yield f"{surface}/{id_}"
        yield from self._others

    def numbers(self) -> Iterator[int]:
        """All numbers, one for each key."""
        for ids in self._ids.values():
            for _, number in ids.pairs():
                yield number
        yield from self._others.values()

    def get(self, key: str) -> int | None:
        """The number of a key; None of one that is not there."""
        surface, id_ = _parts(key)
        if id_ is None:
            return self._others.get(key)
        ids = self._ids.get(surface)
        return None if ids is None else ids.get(id_)

    def put(self, key: str, number: int) -> None:
        """Give a key a number, whether or not it has one."""
        surface, id_ = _parts(key)
        if id_ is None:
            self._others[key] = number
        else:
            self._ids.setdefault(surface, IdTable()).put(id_, number)

    def pop(self, key: str) -> None:
        """Take a key out, if it is there."""
        surface, id_ = _parts(key)
        if id_ is None:
            self._others.pop(key, None)
        elif (ids := self._ids.get(surface)) is not None:
            ids.pop(id_)

    def clear(self) -> None:
        """Take all out."""
        self._ids.clear()
        self._others.clear()


def _parts(key: str) -> tuple[str, int | None]:
    """Text before a key's slash, and the id behind it; None where the id's number does not spell the same."""
    surface, _, name = key.partition("/")
    is_id = name.isascii() and name.isdecimal() and len(name) <= _DIGITS and (name[0] != "0" or name == "0")
    return surface, int(name) if is_id else None
