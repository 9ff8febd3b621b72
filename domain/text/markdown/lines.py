"""Lines of a markdown file: which are text, and which are code, math, comment or front matter, where nothing is read.

Everything that reads people's markdown files line by line asks here. A note is read as an editor of notes shows it:
`whole_note`. A file of memory, which models write to as well, is read so that one stray mark hides nothing: there a
fence or comment that nothing closes is a line like any other, and fences count however far they are indented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from heapq import merge
from itertools import accumulate
from typing import NamedTuple

from domain.text.markdown.code_blocks import CodeBlock, CodeBlocks
from domain.text.markdown.code_fences import CodeFences
from domain.text.markdown.comments import Comment, Comments

_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}
"""First line of a file -> the lines that end its front matter: YAML's, TOML's."""
_DEEPEST = 6
"""Level of a heading."""


class LineKind(Enum):
    """Meaning of a line."""

    TEXT = "text"
    CODE = "a code block"
    MATH = "a block of math"
    COMMENT = "a comment"
    FRONT_MATTER = "the front matter"


class MarkdownLine(NamedTuple):
    """One line of the text, with its kind."""

    kind: LineKind
    """COMMENT for one whose beginning is in a comment."""
    text: str
    """Its words without its end; of text without comments, of comments and front matter empty."""
    first: int
    """Number, from 0, of the first line of the block, comment or front matter that it is in; its own for text."""
    is_open: bool = False
    """True if it is in a block or comment that nothing closes."""


def markdown_lines(
    raws: Sequence[str],
    *,
    whole_note: bool = False,
    bullets_open_code: bool = True,
    opens_nothing: Callable[[str], bool] = lambda _: False,
) -> Mapping[int, MarkdownLine]:
    """Lines that are not plain text, by number from 0: code, math, comments, front matter, text with comments in it.

    Args:
        raws: Lines with their ends; a byte order mark is not part of the first.
        whole_note: True to read as an editor of notes does: also indented code and `%%`, and what nothing closes goes
            on to the end.
        bullets_open_code: False where a bullet's first line is never the fence of a code block; of a note it may be.
        opens_nothing: True for a line in whose middle no comment opens, whatever it says.
    """
    bares = [raw.rstrip("\r\n") for raw in raws]
    blocks = CodeBlocks(bares) if whole_note else CodeFences(bares, behind_bullets=bullets_open_code)
    return _Reading(raws, bares, blocks, opens_nothing).read()


def heading_words(line: str) -> str | None:
    """The words of a heading; None for a line that is none."""
    rest = line.lstrip("#")
    if not 1 <= len(line) - len(rest) <= _DEEPEST or (rest and rest[0] not in " \t\r\n"):
        return None
    words = rest.strip()
    bare = words.rstrip("#")
    return bare.strip() if bare[-1:] in ("", " ", "\t") else words


class _Reading:
    """Pass over the lines of one text."""

    def __init__(
        self,
        raws: Sequence[str],
        bares: Sequence[str],
        blocks: CodeBlocks | CodeFences,
        opens_nothing: Callable[[str], bool],
    ) -> None:
        self._raws = raws
        self._bares = bares
        self._blocks = blocks
        self._comments = Comments("".join(raws), whole_note=isinstance(blocks, CodeBlocks))
        self._opens_nothing = opens_nothing
        self._lines_by_number: dict[int, MarkdownLine] = {}
        self._starts = [0, *accumulate(map(len, raws))]
        """Index of each line's beginning in the text."""
        self._comment = Comment(0, 0, False)
        """The last comment that was met."""
        self._comment_first = 0
        """Number of the line in which it opens."""

    def read(self) -> Mapping[int, MarkdownLine]:
        """Lines that are not plain text."""
        number = self._take(0, _front_matter_size(self._bares), LineKind.FRONT_MATTER)
        upcoming = self._remarkable()
        while number < len(self._raws):
            is_free = self._comment.end <= self._starts[number]
            if is_free:
                at = number
                for number in upcoming:
                    if number >= at:
                        break
                else:
                    number = len(self._raws)
            if number == len(self._raws):
                break
            block = self._block(number) if is_free else None
            if block is not None:
                kind = LineKind.MATH if block.is_math else LineKind.CODE
                number = self._take(number, block.last + 1, kind, is_open=block.is_open)
            else:
                self._take_text(number)
                number += 1
        return self._lines_by_number

    def _remarkable(self) -> Iterator[int]:
        """Numbers, in order, of the lines to look at: of a note all, of a file of memory those that have a mark."""
        if isinstance(self._blocks, CodeBlocks):
            return iter(range(len(self._bares)))
        comments = [number for number, words in enumerate(self._bares) if "<!--" in words]
        return merge(self._blocks.marked_lines(), comments) if comments else self._blocks.marked_lines()

    def _block(self, number: int) -> CodeBlock | None:
        if isinstance(self._blocks, CodeBlocks):
            return self._blocks.at(number)
        last = self._blocks.last_of(number)
        return None if last is None else CodeBlock(last)

    def _take(self, first: int, stop: int, kind: LineKind, *, is_open: bool = False) -> int:
        """Take the lines from number `first` up to `stop` as one block, and give `stop`."""
        bares, lines, is_code = self._bares, self._lines_by_number, kind is LineKind.CODE
        for number in range(first, stop):
            lines[number] = MarkdownLine(kind, bares[number] if is_code else "", first, is_open)
        return stop

    def _take_text(self, number: int) -> None:
        """Take a line that is no code, or of which a part is in a comment."""
        at, words = self._starts[number], self._bares[number]
        end = at + len(words)
        begun_in = self._comment if self._comment.end > at else None
        if begun_in is None and not self._may_open(words):
            return
        first = self._comment_first if begun_in is not None else number
        block_at = self._blocks.block_at if isinstance(self._blocks, CodeBlocks) else -1
        block_at += at if block_at >= 0 else 0
        visible, place = list[str](), min(end, max(at, self._comment.end))
        if begun_in is not None and self._comment.end >= self._starts[number + 1]:
            place = end
        while place < end:
            comment = self._comments.first(place, end, block_at)
            visible.append(words[place - at : comment.begin - at if comment is not None else None])
            if comment is None:
                break
            self._comment, self._comment_first = comment, number
            begun_in = comment if begun_in is None and comment.begin == at else begun_in
            place = comment.end
        kind = LineKind.TEXT if begun_in is None else LineKind.COMMENT
        self._lines_by_number[number] = MarkdownLine(
            kind, "".join(visible), first, begun_in is not None and begun_in.is_open
        )

    def _may_open(self, words: str) -> bool:
        return ("<!--" in words or "%%" in words) and not self._opens_nothing(words)


def _front_matter_size(bares: Sequence[str]) -> int:
    """Lines of the front matter, its marks included; 0 if there is none."""
    ends = _FRONT_MATTER.get(bares[0].rstrip(" \t")) if bares else None
    if ends is None:
        return 0
    return next((number for number, bare in enumerate(bares[1:], 2) if bare.rstrip(" \t") in ends), 0)
