"""Three-way merge: other people's edits, found by comparing two versions of a file and made again in a third."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from domain.edit.encoding import as_utf8, encoding_flaw
from domain.edit.lines import padding, separator, without_mark
from domain.text.patience import match_lines


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of changed lines; lines are without line ends."""

    anchors: tuple[bytes, ...]
    """Lines before the place, nearest first."""
    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]
    counts: tuple[tuple[bytes, int], ...]
    """Number of times each of the lines, and each line with the key of one, stood in the whole new version."""
    key_counts: tuple[tuple[bytes, int], ...]
    """Number of lines in the whole new version with the key of each of the lines."""


LineKey = Callable[[bytes], bytes]
"""Gives a line without the marks that an edit of the agent's own may add to it, as an id."""


def same_line(line: bytes) -> bytes:
    """Key of a line in a file where the agent adds no marks to lines of people."""
    return line


_ANCHORS = 8
"""Lines remembered before a place to find the place again."""
_EQUAL_LINES = 64
"""Most equal lines to tell apart by the lines before."""


def changes(old: bytes, new: bytes, key: LineKey = same_line) -> tuple[Hunk, ...]:
    """Edits that turn `old` into `new`, place by place, in order; in UTF-8, whatever the versions' encoding.

    A byte order mark is part of no line: the mark that comes or goes is no edit.
    """
    if encoding_flaw(new):
        old, new = as_utf8(old), as_utf8(new)
    before, after = _bare_lines(without_mark(old)), _bare_lines(without_mark(new))
    totals, key_totals = Counter(after), Counter(map(key, after))
    marked = _marked_lines(after, key)
    hunks = []
    for i1, i2, j1, j2 in _differences(before, after):
        removed, added = before[i1:i2], after[j1:j2]
        lines = {*removed, *added}
        keys = {*map(key, lines)}
        twins = {line for each in keys if each in marked for line in marked[each]}
        hunks.append(
            Hunk(
                anchors=tuple(reversed(before[max(0, i1 - _ANCHORS) : i1])),
                removed=tuple(removed),
                added=tuple(added),
                counts=tuple((line, totals[line]) for line in lines | twins),
                key_counts=tuple((each, key_totals[each]) for each in keys),
            )
        )
    return tuple(hunks)


def apply(hunks: tuple[Hunk, ...], data: bytes, key: LineKey = same_line) -> bytes:
    """`data` with the missing changes made; no added line is ever left out.

    Args:
        hunks: Result of `changes` with the same `key`.
        data: Version of the file, perhaps with some of the changes.
        key: Tells which lines are the same: an added line that got an id since is not added again, and a removed line
            that got an id since is removed with the id.
    """
    if not hunks:
        return data
    body = without_mark(data)
    draft = _Draft(body, key)
    for hunk in hunks:
        draft.make(hunk)
    return data[: len(data) - len(body)] + draft.separator.join(draft.lines)


def additions(hunks: tuple[Hunk, ...]) -> tuple[Hunk, ...]:
    """The same changes without removals."""
    return tuple(replace(hunk, removed=()) for hunk in hunks if hunk.added)


class _Draft:
    """Lines during a change."""

    def __init__(self, data: bytes, key: LineKey) -> None:
        self.separator = separator(data)
        self.lines = data.split(self.separator)
        self._carriage_return = padding(data)
        self._bare = _bare_lines(data)
        self._there = Counter(self._bare)
        self._key = key
        self._keys_there = Counter(map(key, self._bare))
        self._marked = _marked_lines(self._bare, key)

    def make(self, hunk: Hunk) -> None:
        """Make a hunk's removals and additions, each as often as the hunk's version differs in count."""
        counts, there = dict(hunk.counts), self._there
        key_counts = dict(hunk.key_counts)

        def has(line: bytes) -> bool:
            """True if an added line is there as often as in the hunk's version, as it is or with marks."""
            key = self._key(line)
            return there[line] >= counts[line] or self._keys_there[key] >= key_counts[key]

        def surplus(line: bytes) -> bytes | None:
            """Removed line as in the file, perhaps with marks that came since; None if the file has none too many."""
            if there[line] > counts[line]:
                return line
            if self._key(line) != line or self._keys_there[line] <= key_counts[line]:
                return None
            return next((each for each in self._marked.get(line, ()) if there[each] > counts.get(each, 0)), None)

        is_doomed = any(line.strip() and surplus(line) is not None for line in hunk.removed)
        if not is_doomed and all(map(has, hunk.added)):
            return
        place = self._place(hunk)
        for line in filter(bytes.strip, hunk.removed):
            doomed = surplus(line)
            if doomed is not None:
                place = self._index(doomed, hunk.anchors)
                del self.lines[place], self._bare[place]
                self._count(doomed, -1)
        missing = []
        for line in hunk.added:
            if not has(line):
                missing.append(line)
                self._count(line, 1)
        if missing:
            self._insert(place, missing)

    def _count(self, line: bytes, change: int) -> None:
        self._there[line] += change
        self._keys_there[self._key(line)] += change

    def _place(self, hunk: Hunk) -> int:
        """Index for added lines: after the nearest line that stood before, else at the end."""
        for number, anchor in enumerate(hunk.anchors):
            if anchor.strip() and self._there[anchor]:
                return self._index(anchor, hunk.anchors[number + 1 :]) + 1
        return len(self._bare)

    def _index(self, line: bytes, anchors: tuple[bytes, ...]) -> int:
        """Index of an existing line: of equal lines the first with the most anchors before."""
        best, most = self._bare.index(line), -1
        at = best
        for _ in range(min(self._there[line], _EQUAL_LINES)):
            before = self._bare[max(0, at - len(anchors)) : at][::-1]
            count = next(
                (n for n, (one, other) in enumerate(zip(before, anchors, strict=False)) if one != other), len(before)
            )
            if count > most:
                best, most = at, count
            try:
                at = self._bare.index(line, at + 1)
            except ValueError:
                break
        return best

    def _insert(self, place: int, added: list[bytes]) -> None:
        """Put lines before index `place`; text after the last line end is not a line."""
        lines, carriage_return = self.lines, self._carriage_return
        fresh = [line + carriage_return for line in added]
        if place >= len(lines) and lines[-1:] == [b""]:
            place = len(lines) - 1
        if place >= len(lines):
            if lines:
                lines[-1] += carriage_return
            fresh[-1] = added[-1]
        lines[place:place] = fresh
        self._bare[place:place] = added


def _marked_lines(lines: list[bytes], key: LineKey) -> dict[bytes, dict[bytes, None]]:
    """Key -> lines with the key that are not the key, in order."""
    marked = defaultdict[bytes, dict[bytes, None]](dict)
    for line in lines:
        if (bare := key(line)) != line:
            marked[bare][line] = None
    return marked


def _differences(old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int, int, int]]:
    """Differences between two versions: lines `i1` to `i2` of the old version are `j1` to `j2` of the new."""
    i1 = j1 = 0
    for i2, j2, size in match_lines(old, new):
        if i1 < i2 or j1 < j2:
            yield i1, i2, j1, j2
        i1, j1 = i2 + size, j2 + size


def _bare_lines(data: bytes) -> list[bytes]:
    lines = data.split(separator(data))
    return [line.removesuffix(b"\r") for line in lines] if b"\r" in data else lines
