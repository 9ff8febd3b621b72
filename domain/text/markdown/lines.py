"""Lines of a markdown file: text, or code, math, comment and front matter, where the runtime reads no content.

All line-by-line reading of people's markdown files uses this module. A note is read as a note editor shows it:
`whole_note`. A file of memory is also written by models, so one stray mark must hide no content: there a
fence or comment without a closing mark is a normal line, and fences count at any indentation.
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
    """COMMENT for a line with its beginning in a comment."""
    text: str
    """Words without the line's end; comments removed from text lines; empty for comments and front matter."""
    first: int
    """Number, from 0, of the first line of the block, comment or front matter around the line; its own for text."""
    is_open: bool = False
    """True if the line is in a block or comment without a closing mark."""


def markdown_lines(
    raws: Sequence[str],
    *,
    whole_note: bool = False,
    bullets_open_code: bool = True,
    opens_nothing: Callable[[str], bool] = lambda _: False,
) -> Mapping[int, MarkdownLine]:
    """Lines that are not plain text, by number from 0: code, math, comments, front matter, text with comments.

    Args:
        raws: Lines with their ends; a byte order mark is not part of the first line.
        whole_note: True to read as a note editor does: also indented code and `%%`, and unclosed blocks go
            on to the end.
        bullets_open_code: False if a bullet's first line is never the fence of a code block; in a note it may be.
        opens_nothing: True for a line in whose middle no comment opens, independent of the content.
    """
    bares = [raw.rstrip("\r\n") for raw in raws]
    blocks = CodeBlocks(bares) if whole_note else CodeFences(bares, behind_bullets=bullets_open_code)
    return _Reading(raws, bares, blocks, opens_nothing).read()


def heading_words(line: str) -> str | None:
    """The words of a heading; None for other lines."""
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
        """The latest comment found."""
        self._comment_first = 0
        """Number of the comment's first line."""

    def read(self) -> Mapping[int, MarkdownLine]:
        """All lines except plain text."""
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
        """Numbers, in order, of the lines to examine: of a note all, of a file of memory the lines with a mark."""
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
        """Take the lines from number `first` up to `stop` as one block, and return `stop`."""
        bares, lines, is_code = self._bares, self._lines_by_number, kind is LineKind.CODE
        for number in range(first, stop):
            lines[number] = MarkdownLine(kind, bares[number] if is_code else "", first, is_open)
        return stop

    def _take_text(self, number: int) -> None:
        """Take a line that is not code, or a line partly in a comment."""
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
    """Number of lines of the front matter, including its marks; 0 without front matter."""
    ends = _FRONT_MATTER.get(bares[0].rstrip(" \t")) if bares else None
    if ends is None:
        return 0
    return next((number for number, bare in enumerate(bares[1:], 2) if bare.rstrip(" \t") in ends), 0)
