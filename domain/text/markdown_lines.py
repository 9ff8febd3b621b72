"""Lines of a markdown file: which are text, and which are code, comment or front matter, which nothing is read from.

Everything that reads people's markdown files line by line asks here. A note is read as an editor of notes shows it:
`whole_note`. A file of memory, which models write to as well, is read so that one stray mark hides nothing: there a
fence or comment that nothing closes is a line like any other, and fences count however far they are indented.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from domain.text.code_blocks import CodeBlock, CodeBlocks
from domain.text.code_fences import CodeFences
from domain.text.comments import Comment, Comments

_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}
"""First line of a file -> the lines that end its front matter: YAML's, TOML's."""


class LineKind(Enum):
    """Meaning of a line."""

    TEXT = "text"
    CODE = "a code block"
    COMMENT = "a comment"
    FRONT_MATTER = "the front matter"


class MarkdownLine(NamedTuple):
    """One line as it is read."""

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
) -> list[MarkdownLine]:
    """Kind and words of each line.

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
        self._made: list[MarkdownLine] = []
        self._at = 0
        """Index of the line's beginning in the text."""
        self._comment = Comment(0, 0, False)
        """The last one that was met."""
        self._comment_first = 0
        """Number of the line in which it opens."""

    def read(self) -> list[MarkdownLine]:
        """All lines."""
        self._take(_front_matter_size(self._bares), LineKind.FRONT_MATTER)
        while (number := len(self._made)) < len(self._raws):
            block = self._block(number) if self._comment.end <= self._at else None
            if block is not None:
                self._take(block.last + 1, LineKind.CODE, is_open=block.is_open)
            else:
                self._take_text(number)
        return self._made

    def _block(self, number: int) -> CodeBlock | None:
        if isinstance(self._blocks, CodeBlocks):
            return self._blocks.at(number)
        last = self._blocks.last_of(number)
        return None if last is None else CodeBlock(last)

    def _take(self, stop: int, kind: LineKind, *, is_open: bool = False) -> None:
        """Take the lines up to number `stop` as one block."""
        first = len(self._made)
        for number in range(first, stop):
            words = self._bares[number] if kind is LineKind.CODE else ""
            self._made.append(MarkdownLine(kind, words, first, is_open))
            self._at += len(self._raws[number])

    def _take_text(self, number: int) -> None:
        """Take a line that is no code, or of which a part is in a comment."""
        at, words = self._at, self._bares[number]
        end = at + len(words)
        self._at += len(self._raws[number])
        begun_in = self._comment if self._comment.end > at else None
        if begun_in is None and not self._may_open(words):
            self._made.append(MarkdownLine(LineKind.TEXT, words, number))
            return
        first = self._comment_first if begun_in is not None else number
        block_at = self._blocks.block_at if isinstance(self._blocks, CodeBlocks) else -1
        block_at += at if block_at >= 0 else 0
        shown, place = list[str](), min(end, max(at, self._comment.end))
        if begun_in is not None and self._comment.end >= self._at:
            place = end
        while place < end:
            comment = self._comments.first(place, end, block_at)
            shown.append(words[place - at : comment.begin - at if comment is not None else None])
            if comment is None:
                break
            self._comment, self._comment_first = comment, number
            begun_in = comment if begun_in is None and comment.begin == at else begun_in
            place = comment.end
        kind = LineKind.TEXT if begun_in is None else LineKind.COMMENT
        self._made.append(MarkdownLine(kind, "".join(shown), first, begun_in is not None and begun_in.is_open))

    def _may_open(self, words: str) -> bool:
        return ("<!--" in words or "%%" in words) and not self._opens_nothing(words)


def _front_matter_size(bares: Sequence[str]) -> int:
    """Lines of the front matter, its marks included; 0 if there is none."""
    ends = _FRONT_MATTER.get(bares[0].rstrip(" \t")) if bares else None
    if ends is None:
        return 0
    return next((number for number, bare in enumerate(bares[1:], 2) if bare.rstrip(" \t") in ends), 0)
