"""Memory file: the content of MEMORY.md, additions, and the adoption of a worker's tidied version."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from domain.text.lines import decode_text, encode_text, one_line
from domain.text.secret_look import looks_secret
from domain.workspace.answers.answer_json import quotation, without_fence
from domain.workspace.answers.guard import IsSecret, flaw_of, name_text
from domain.workspace.files.editing import bullet, with_items, without_sections
from domain.workspace.files.outline import Section, items, new_line_of, sections
from domain.workspace.files.wording import same_words, title_key, unique

SECTIONS = ("Identity / Participants", "Preferences", "Ongoing Work", "Constraints", "Decisions", "Open Loops")
CONSTRAINTS = "Constraints"
DECISIONS = "Decisions"
UPDATE = "Update "
"""Beginning of the heading of an added block."""
SWEEP_CHARS = 5_000
SWEEP_UPDATES = 4
_LEAST_SHARE = 0.4
"""Least share of the entries' characters left by a sweep."""
_MOST_SHARE = 1.1
_CARRIED_MARKS = 60
_PURPOSES = (
    "Who takes part, and what this place is for.",
    "How people like things to be done.",
    "What is going on for longer than a few days.",
    "Rules and limits that hold until somebody lifts them.",
    "What was settled, and why.",
    "What is still owed or open.",
)
_MARK = re.compile(r"\bm:([0-9a-f]{12})\b")
_MARK_COMMENT = re.compile(r"<!--(?: m:[0-9a-f]{12})+ -->")
_FENCE = re.compile(r"(?m)^\s*(?:```|~~~)")
_LABEL = re.compile(rf"({'|'.join(map(re.escape, SECTIONS))}): (?=\S)", re.IGNORECASE)


def _template() -> bytes:
    """A file without entries."""
    parts = (f"## {title}\n<!-- {purpose} -->\n" for title, purpose in zip(SECTIONS, _PURPOSES, strict=True))
    return ("# Memory\n\n" + "\n".join(parts)).encode()


MEMORY_TEMPLATE = _template()


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """Lasting knowledge."""

    section: str
    """Section from `SECTIONS`."""
    text: str
    """In one line."""


@dataclass(frozen=True, slots=True)
class KeptEntry:
    """An entry as stored in the file."""

    section: str
    """Name from `SECTIONS`; for people's own sections the heading, empty above all headings."""
    text: str
    mark: str
    """Mark of an entry added by the runtime; empty for people's entries."""
    is_swept: bool
    """True if the entry stands in a section of the file, and not in a block that was added since the last sweep."""


def entries_of(data: bytes) -> tuple[KeptEntry, ...]:
    """All bullets of a file, in order, including people's own sections."""
    return tuple(entry for part in _sections(data) for entry in _entries(part))


def constraints_of(data: bytes) -> tuple[str, ...]:
    """Constraints of a file, including text outside of bullets, each once."""
    return _texts_of(data, CONSTRAINTS)


def decisions_of(data: bytes) -> tuple[str, ...]:
    """Decisions of a file, in the same form."""
    return _texts_of(data, DECISIONS)


def append_entries(data: bytes, entries: Sequence[MemoryEntry], at: datetime, stretch: str) -> bytes:
    """The file with missing entries added in one block at the end; the same bytes without a missing entry.

    Args:
        data: The file; empty without a file.
        entries: Entries checked by a guard.
        at: Aware.
        stretch: Name of the log's stretch with the entries' source: entries of the same stretch are added only once.

    Raises:
        ValueError: an entry has an unknown section, or no text in one line.
    """
    marks = set(_MARK.findall(decode_text(data)))
    known = {same_words(entry.text) for entry in entries_of(data)}
    fresh = list[str]()
    for entry in entries:
        if entry.section not in SECTIONS:
            raise ValueError(f"section {quotation(entry.section)}: must be one of {', '.join(SECTIONS)}")
        if one_line(entry.text) != entry.text or not any(map(str.isalnum, entry.text)):
            raise ValueError(f"entry {quotation(entry.text)}: must have words in one line and no bullet")
        mark, key = mark_of(stretch, entry.text), same_words(entry.text)
        if mark not in marks and key not in known:
            marks.add(mark)
            known.add(key)
            fresh.append(f"- {entry.section}: {entry.text} <!-- m:{mark} -->")
    if not fresh:
        return data
    return with_block(data or MEMORY_TEMPLATE, [f"## {UPDATE}{utc(at)}", *fresh])


def with_block(data: bytes, lines: Sequence[str]) -> bytes:
    """The file with lines added at the end, after an empty line."""
    new_line = new_line_of(data)
    text = decode_text(data)
    gap = "" if not text or text.endswith(("\n\n", "\n\r\n")) else new_line if text.endswith("\n") else new_line * 2
    return data + encode_text(gap, *(f"{line}{new_line}" for line in lines))


def mark_of(stretch: str, text: str) -> str:
    """Mark for a text about a stretch."""
    seen = f"{stretch}\0{same_words(text)}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(seen, digest_size=6).hexdigest()


def utc(at: datetime) -> str:
    """A time as a heading has it: `2026-11-22T16:20:00Z`."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"


def sweep_is_due(data: bytes) -> bool:
    """True if additions have grown a file so much that a sweep is due."""
    blocks = (part for part in _sections(data) if part.title.startswith(UPDATE))
    updates = sum(any(entry.section in SECTIONS for entry in _entries(part)) for part in blocks)
    return updates >= SWEEP_UPDATES or (updates > 0 and len(decode_text(data)) >= SWEEP_CHARS)


def sweep_text(data: bytes) -> str:
    """Text for a worker to tidy: the entries of the six sections, with the entries of added blocks, without marks."""
    entries = [entry for entry in entries_of(data) if entry.section in SECTIONS]
    return "\n".join(
        "\n".join([f"## {title}", *(f"- {entry.text}" for entry in entries if entry.section == title), ""])
        for title in SECTIONS
    )


def sweep_entries(base: bytes, answer: str, now: bytes, is_secret: IsSecret = looks_secret) -> bytes:
    """The file with the entries of the six sections by a worker's answer; all other lines stay.

    Args:
        base: The bytes shown to the worker.
        answer: Markdown with the six headings and bullets below the headings.
        now: The file's present content: later changes by other writers are repeated on the result.
        is_secret: Test for secrets.

    Raises:
        ValueError: the answer would lose or add too much, or has forbidden content; the error has the value and the
            rule.
    """
    before = [entry for entry in entries_of(base) if entry.section in SECTIONS]
    answered = _parse_answer(answer)
    texts = [text for section in answered.values() for text in section]
    _check_amount(before, texts)
    known = {entry.text for entry in before}
    for text in texts:
        if text not in known and (flaw := flaw_of(text, is_secret=is_secret)):
            raise ValueError(f"entry {name_text(text, flaw)}: {flaw}")
    left = {same_words(text) for text in answered[CONSTRAINTS]}
    for entry in before:
        if entry.section == CONSTRAINTS and not entry.mark and same_words(entry.text) not in left:
            raise ValueError(f"constraint {quotation(entry.text)}: people's own must stay in its section")
    _check_base(base, now)
    return _rewrite_file(now, base, before, {**answered, CONSTRAINTS: _still_binding(before, answered[CONSTRAINTS])})


def marks_of(entries: Iterable[MemoryEntry], stretch: str) -> tuple[str, ...]:
    """Marks of all texts about a stretch: of the entries, and of the block of history."""
    return (mark_of(stretch, ""), *(mark_of(stretch, entry.text) for entry in entries))


def without_entries(data: bytes, is_gone: Callable[[str], bool]) -> tuple[bytes, int]:
    """The file without the runtime's entries with certain marks, and their number; people's entries stay.

    Args:
        data: The file.
        is_gone: True for the mark of an entry to remove.
    """
    gone, parts = list[str](), list[str]()
    for part in _sections(data):
        numbers = set[int]()
        for item, entry in zip(items(part), _entries(part), strict=True):
            if entry.mark and is_gone(entry.mark):
                numbers.update(range(item.begin, item.end))
                gone.append(entry.mark)
        parts.append("".join(line.raw for number, line in enumerate(part.lines) if number not in numbers))
    if not gone:
        return data, 0
    bare = without_sections(encode_text(*parts), 2, _is_empty_update)
    lost = [mark for mark in _MARK.findall(decode_text(bare)) if not is_gone(mark)]
    return _with_marks(bare, lost), len(gone)


def _sections(data: bytes) -> tuple[Section, ...]:
    return sections(data, 2, SECTIONS)


def _texts_of(data: bytes, title: str) -> tuple[str, ...]:
    texts = list[str]()
    for part in _sections(data):
        if title_key(part.title) == title_key(title):
            texts += (item.text for item in items(part, prose=True))
        else:
            texts += (entry.text for entry in _entries(part) if entry.section == title)
    return tuple(unique(texts))


def _entries(part: Section) -> list[KeptEntry]:
    names = {title_key(title): title for title in SECTIONS}
    is_update = part.title.startswith(UPDATE)
    own = names.get(title_key(part.title), part.title)
    entries = []
    for item in items(part):
        label = _LABEL.match(item.text) if is_update else None
        section = _section(label) if label else own
        text = item.text[label.end() :] if label else item.text
        marks = _MARK.findall(item.raw)
        entries.append(KeptEntry(section, text, marks[0] if marks else "", not is_update))
    return entries


def _section(label: re.Match[str]) -> str:
    """The section named by a label."""
    return next(title for title in SECTIONS if title_key(title) == title_key(label[1]))


def _parse_answer(answer: str) -> Mapping[str, tuple[str, ...]]:
    """Section -> entries in an answer."""
    text = without_fence(answer)
    if _FENCE.search(text):
        raise ValueError(f"answer {quotation(text)}: must have no code block")
    entries: dict[str, list[str]] = {}
    names = {title_key(title): title for title in SECTIONS}
    for part in sections(text.encode("utf-8", "surrogateescape"), 2):
        if part.title and (name := names.get(title_key(part.title))):
            entries.setdefault(name, []).extend(item.text for item in items(part))
        elif part.title and items(part):
            raise ValueError(f"heading {quotation(part.title)}: must be one of {', '.join(SECTIONS)}")
    missing = [title for title in SECTIONS if title not in entries]
    if missing:
        raise ValueError(f"answer {quotation(text)}: must have the headings {', '.join(missing)}")
    return {title: tuple(unique(one_line(text) for text in entries[title])) for title in SECTIONS}


def _still_binding(before: Sequence[KeptEntry], constraints: Sequence[str]) -> tuple[str, ...]:
    """Constraints in force after a sweep: all earlier constraints, and no new wording."""
    known = {same_words(entry.text): entry.text for entry in before}
    binding = (entry.text for entry in before if entry.section == CONSTRAINTS)
    return tuple(unique([*(known[key] for text in constraints if (key := same_words(text)) in known), *binding]))


def _check_amount(before: Sequence[KeptEntry], texts: Sequence[str]) -> None:
    distinct = unique(entry.text for entry in before)
    size, was = sum(map(len, texts)), sum(map(len, distinct))
    if size < was * _LEAST_SHARE:
        raise ValueError(f"answer of {size:,} characters in entries: must leave {_LEAST_SHARE:.0%} of {was:,}")
    if len(texts) * 2 < len(distinct):
        raise ValueError(f"answer of {len(texts)} entries: must leave half of {len(distinct)}")
    whole = sum(len(entry.text) for entry in before)
    if size > whole * _MOST_SHARE:
        raise ValueError(f"answer of {size:,} characters in entries: must have at most {_MOST_SHARE:.0%} of {whole:,}")


def _check_base(base: bytes, now: bytes) -> None:
    was, there = entries_of(base), {same_words(entry.text) for entry in entries_of(now)}
    gone = sum(same_words(entry.text) not in there for entry in was)
    if gone * 2 > len(was):
        raise ValueError(f"file without {gone} of {len(was)} entries: has changed too much since a worker read it")


def _rewrite_file(now: bytes, base: bytes, before: Sequence[KeptEntry], answered: Mapping[str, Sequence[str]]) -> bytes:
    """The file with the answer's changes; entries changed, added or removed by other writers stay as they are."""
    marks = {entry.text: entry.mark for entry in before if entry.mark}
    peoples = {entry.text for entry in before if not entry.mark}
    there = {entry.text for entry in entries_of(now)}
    gone = {entry.text for entry in before} - there
    known = {(entry.section, entry.text) for entry in before}
    parts = (_without_known(part, known) if part.title.startswith(UPDATE) else part.raw for part in _sections(now))
    bare = without_sections(encode_text(*parts), 2, _is_empty_update)
    swept_there = [entry for entry in entries_of(bare) if entry.is_swept]
    wanted = {}
    for title in SECTIONS:
        left = dict.fromkeys(entry.text for entry in swept_there if entry.section == title)
        ours = dict.fromkeys(answered[title])
        wanted[title] = [
            *(text for text in left if text in ours or (title, text) not in known),
            *(text for text in ours if text not in left and text not in gone),
        ]

    def line(entry: str) -> str:
        mark = "" if entry in peoples else marks.get(entry) or mark_of("sweep", entry)
        return bullet(f"{entry} <!-- m:{mark} -->" if mark else entry)

    rewritten = with_items(bare, 2, wanted, ordered=False, line=line)
    return _with_marks(rewritten, _MARK.findall(decode_text(base)) + _MARK.findall(decode_text(now)))


def _is_empty_update(part: Section) -> bool:
    """True if an added block holds only the runtime's marks."""
    lines = (line.raw.strip() for line in part.lines[1:])
    return part.title.startswith(UPDATE) and not any(line and not _MARK_COMMENT.fullmatch(line) for line in lines)


def _without_known(part: Section, known: Collection[tuple[str, str]]) -> str:
    """An added block without the entries shown to a worker; people's text below the block stays."""
    labels = [(item, _LABEL.match(item.text)) for item in items(part)]
    ours = {
        number
        for item, label in labels
        if label and (_section(label), item.text[label.end() :]) in known
        for number in range(item.begin, item.end)
    }
    return "".join(line.raw for number, line in enumerate(part.lines) if number not in ours)


def _with_marks(data: bytes, marks: Collection[str]) -> bytes:
    """The file with the newest missing marks in a comment at the end, so that no entry is added again."""
    text = decode_text(data)
    lines = [line for line in text.splitlines(keepends=True) if not _MARK_COMMENT.fullmatch(line.strip())]
    there = set(_MARK.findall("".join(lines)))
    lost = [mark for mark in dict.fromkeys(marks) if mark not in there][-_CARRIED_MARKS:]
    bare = encode_text(*lines)
    if not lost:
        return bare
    new_line = new_line_of(data)
    body = decode_text(bare).rstrip("\r\n")
    return encode_text(body, new_line * 2, f"<!--{''.join(f' m:{mark}' for mark in lost)} -->", new_line)
