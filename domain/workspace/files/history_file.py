"""History file: contents of HISTORY.md, additions, and the folding of older blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from domain.memory.block_json import block_json
from domain.text.lines import decode_text, encode_text
from domain.text.secret_look import looks_secret
from domain.workspace.answers.answer_json import quotation, without_fence
from domain.workspace.answers.guard import IsSecret, flaw_of, name_text
from domain.workspace.files.memory_file import mark_of, utc, with_block
from domain.workspace.files.outline import Section, new_line_of, sections

HISTORY_TEMPLATE = (
    b"# History\n<!-- What happened here, period by period, the newest last. The runtime writes it; MEMORY.md has what "
    b"holds. -->\n"
)
FOLDED = "Folded History Through "
"""Beginning of the heading of folded blocks."""
FOLD_CHARS = 8_000
FOLD_BLOCKS = 5
NEWEST = 3
"""Newest blocks, never folded."""
FOLDED_CHARS = 20_000
"""Characters of the blocks folded at a time, in the form shown to a worker."""
LONGEST_BLOCK = 2_400
"""Characters of one block's text."""
_LEAST_SHARE = 0.08
_MOST_SHARE = 0.8
_CARRIED_MARKS = 60
_MARK = re.compile(r"\bm:([0-9a-f]{12})\b")
_DATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z(?: to (\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z))?")


def appended_block(data: bytes, block: str, first_at: datetime, last_at: datetime, stretch: str) -> bytes:
    """The file with a period's block at the end; the same bytes if the stretch has a block already.

    Args:
        data: The file; empty without a file.
        block: Block checked by a guard: plain lines and bullets.
        first_at: Beginning of the stretch; aware.
        last_at: End of the stretch; aware, not before the beginning.
        stretch: Name of the log's stretch that the block describes.

    Raises:
        ValueError: the block is empty.
    """
    lines = block.strip().splitlines()
    if not lines:
        raise ValueError(f"block {block!r}: must have words")
    mark = mark_of(stretch, "")
    if mark in _MARK.findall(decode_text(data)):
        return data
    heading = f"## {utc(first_at)} to {utc(last_at)}"
    return with_block(data or HISTORY_TEMPLATE, [heading, *(line.rstrip() for line in lines), f"<!-- m:{mark} -->"])


def fold_is_due(data: bytes) -> bool:
    """True if the older blocks of a file are due for folding, by number or length of blocks."""
    parts = sections(data, 2)
    dated = sum(map(_is_dated, parts))
    is_long = dated > NEWEST and (dated >= FOLD_BLOCKS or len(decode_text(data)) >= FOLD_CHARS)
    return is_long and bool(_to_fold(parts))


def folding(data: bytes) -> tuple[bytes, str]:
    """The oldest blocks, without the newest: as in the file, for the archive, and in the form shown to a worker."""
    blocks = _to_fold(sections(data, 2))
    text = "\n\n".join(map(told_block, blocks))
    return encode_text(*(part.raw for part in blocks)), text


def told_block(part: Section) -> str:
    """A block in the form shown to a worker: heading, and visible text below."""
    return f"## {part.title}\n{part.text}"


def fold_blocks(base: bytes, answer: str, now: bytes, is_secret: IsSecret = looks_secret) -> bytes:
    """The file with one block in place of the blocks that `folding` chose from `base`; people's own sections stay.

    Args:
        base: The bytes shown to the worker.
        answer: The text of the block, in markdown without headings.
        now: The file's present content: later changes by other writers are repeated on the result.
        is_secret: Test for secrets.

    Raises:
        ValueError: the answer has forbidden content, or says too little or too much; the error has the value and the
            rule.
    """
    parts = sections(base, 2)
    blocks = _to_fold(parts)
    if not blocks:
        raise ValueError(f"file with {sum(map(_is_dated, parts))} dated blocks: must have more than {NEWEST} to fold")
    text = history_text(_without_heading(without_fence(answer)), is_secret)
    was = sum(len(part.text) for part in blocks)
    if not was * _LEAST_SHARE <= len(text) <= max(was * _MOST_SHARE, 400):
        raise ValueError(
            f"answer of {len(text):,} characters: must have {_LEAST_SHARE:.0%} to {_MOST_SHARE:.0%} of {was:,}"
        )
    old, there = {part.raw.strip() for part in blocks}, sections(now, 2)
    if old - {part.raw.strip() for part in there}:
        raise ValueError(
            f"file whose block {quotation(blocks[0].title)} or a later one: has changed since a worker read it"
        )
    new_line = new_line_of(now)
    marks = list(dict.fromkeys(mark for part in blocks for mark in _MARK.findall(part.raw)))[-_CARRIED_MARKS:]
    lines = [f"## {FOLDED}{_end_of(blocks[-1])}", *text.splitlines()]
    if marks:
        lines.append(f"<!--{''.join(f' m:{mark}' for mark in marks)} -->")
    block = "".join(f"{line}{new_line}" for line in (*lines, ""))
    first = next(number for number, part in enumerate(there) if part.raw.strip() in old)
    raws = ("" if part.raw.strip() in old else part.raw for part in there[first:])
    return encode_text(*(part.raw for part in there[:first]), block, *raws)


def archive_blocks(archive: bytes, raw: bytes) -> bytes:
    """The archive with missing blocks added at the end; the same bytes without a missing block."""
    there = {_lines(part) for part in sections(archive, 2)}
    fresh = [lines for part in sections(raw, 2) if (lines := _lines(part)) and lines not in there]
    if not fresh:
        return archive
    first, *others = fresh
    return with_block(archive, [*first, *(line for lines in others for line in ("", *lines))])


def without_blocks(data: bytes, is_gone: Callable[[str], bool]) -> tuple[bytes, int]:
    """The file without the blocks with certain marks, and the number of removed blocks.

    Folded blocks go as well: one worker's words describe many periods, and old marks are not kept.

    Args:
        data: The file.
        is_gone: True for the mark of a block to remove.
    """
    parts = sections(data, 2)
    staying = [
        part.raw
        for part in parts
        if not part.title.startswith(FOLDED) and not any(map(is_gone, _MARK.findall(part.raw)))
    ]
    return (encode_text(*staying), len(parts) - len(staying)) if len(staying) < len(parts) else (data, 0)


def history_text(text: str, is_secret: IsSecret = looks_secret) -> str:
    """The text of a block fit to write, without text that markdown would read as a heading or a separate block.

    Raises:
        ValueError: the text is not allowed; the error has the value and the rule.
    """
    lines = [" ".join(line.split()) if not line.startswith((" ", "\t")) else line.rstrip() for line in text.split("\n")]
    bare = "\n".join(line for line in lines if line.strip())
    if not bare:
        raise ValueError(f"history {text!r}: must have words")
    if flaw := flaw_of(bare, is_secret=is_secret):
        raise ValueError(f"history {name_text(bare, flaw)}: {flaw}")
    return bare


def _lines(part: Section) -> tuple[str, ...]:
    """Lines of a section without their ends, and without empty lines at the top and bottom."""
    lines = [line.raw.removesuffix("\n").removesuffix("\r") for line in part.lines]
    numbers = [number for number, line in enumerate(lines) if line.strip()]
    return tuple(lines[numbers[0] : numbers[-1] + 1]) if numbers else ()


def _is_dated(part: Section) -> bool:
    return _DATED.fullmatch(part.title) is not None


def _to_fold(parts: Sequence[Section]) -> list[Section]:
    """Folded and dated blocks but the newest, as far as a worker has room; empty if only folded blocks are dated.

    A block too long for any worker, possible in people's blocks, stays unchanged.
    """
    older = {*[number for number, part in enumerate(parts) if _is_dated(part)][:-NEWEST]}
    blocks, left = list[Section](), FOLDED_CHARS
    for number, part in enumerate(parts):
        size = len(block_json(told_block(part))) if older and (number in older or part.title.startswith(FOLDED)) else 0
        if not size or size > FOLDED_CHARS:
            continue
        left -= size
        if left < 0:
            break
        blocks.append(part)
    return blocks if any(map(_is_dated, blocks)) else []


def _end_of(part: Section) -> str:
    match = _DATED.fullmatch(part.title)
    return (match[1] or match[0]) if match else part.title.removeprefix(FOLDED)


def _without_heading(text: str) -> str:
    """An answer without the heading that a worker often puts above the answer."""
    head, _, rest = text.partition("\n")
    return rest.strip() if head.startswith("#") else text
