"""Outline of a markdown file: its lines as they are seen, its sections, its items, and edits that leave the rest alone.

What stands in a code block or a comment begins neither a section nor an item. A fence or a comment that nothing ends is
a line like any other, so that one stray mark hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from domain.curated.document import decoded, heading_words, joined, lines_of
from domain.edit.lines import line_end
from domain.workspace.files.comments import without_comments

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_BULLET = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_NOTHING = re.compile(r"[ \t]*(?:(?:[-*_][ \t]*){3,}|[-*+][ \t]*)")
"""A ruled line, or a bullet without words."""
_NESTED = 2
"""Columns by which a bullet stands deeper than the one that it belongs to."""
_NOWHERE = 1_000
"""Column of a paragraph, to which no bullet belongs."""
_SPOKEN_SIGNS = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file."""

    raw: str
    """With its end."""
    text: str
    """What is seen of it: without its end and without comments."""
    level: int = 0
    """Of the heading that it is; 0 for none."""
    title: str = ""
    """Words of that heading."""
    is_code: bool = False
    """Whether it is of a code block, its fences included."""


@dataclass(frozen=True, slots=True)
class Item:
    """One bullet with what belongs to it, one paragraph, or one code block."""

    text: str
    """In one line."""
    begin: int
    """Of its first line, among the section's."""
    end: int
    """Behind its last one."""
    raw: str
    """Its lines, comments included."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all that stands below it; the first of a file has none and may be empty."""

    title: str
    lines: tuple[Line, ...]

    @property
    def level(self) -> int:
        """Of its heading; 0 for none."""
        return self.lines[0].level if self.title else 0

    @property
    def raw(self) -> str:
        """All of it."""
        return "".join(line.raw for line in self.lines)

    @property
    def text(self) -> str:
        """What is seen below its heading."""
        body = self.lines[1:] if self.title else self.lines
        return "\n".join(line.text for line in body).strip()


def seen(data: bytes) -> tuple[Line, ...]:
    """The lines of a file; their `raw` together is the file."""
    text = decoded(data)
    raws = lines_of(text)
    code = _code(raws)
    bare_lines = _shown(raws, code)
    made = []
    for number, raw in enumerate(raws):
        bare = raw.rstrip("\r\n").removeprefix("\ufeff")
        shown = bare_lines[number]
        if code[number]:
            made.append(Line(raw, bare if shown else "", is_code=True))
            continue
        words = heading_words(shown) if shown.startswith("#") else None
        level = len(shown) - len(shown.lstrip("#")) if words is not None else 0
        made.append(Line(raw, shown, level, words or ""))
    return tuple(made)


def sections(data: bytes, level: int) -> tuple[Section, ...]:
    """A file cut before every heading of at most that level; the first section is what stands above them all."""
    made: list[Section] = []
    title, begun = "", list[Line]()
    for line in seen(data):
        if 1 <= line.level <= level:
            made.append(Section(title, tuple(begun)))
            title, begun = line.title or "#", []
        begun.append(line)
    return (*made, Section(title, tuple(begun)))


def items(section: Section, *, prose: bool = False) -> tuple[Item, ...]:
    """Its bullets, in order; with `prose` also its paragraphs and code blocks."""
    spans = list[tuple[int, int]]()
    is_open, is_parted, depth = False, False, 0
    for number, line in enumerate(section.lines):
        if (number == 0 and section.title) or line.level or (not line.is_code and _NOTHING.fullmatch(line.text)):
            is_open = False
            continue
        bullet = None if line.is_code else _BULLET.match(line.text)
        if not line.text.strip():
            is_parted = is_parted or not line.raw.strip()
            continue
        is_deeper = _columns(line.text[: -len(line.text.lstrip())]) >= depth + _NESTED
        is_open, is_parted = is_open and (is_deeper or not is_parted), False
        if line.is_code:
            is_open = False
            if prose and spans and spans[-1][1] == number and section.lines[number - 1].is_code:
                spans[-1] = (spans[-1][0], number + 1)
            elif prose:
                spans.append((number, number + 1))
        elif bullet and not (is_open and is_deeper):
            spans.append((number, number + 1))
            is_open, depth = True, _columns(bullet[1])
        elif is_open:
            spans[-1] = (spans[-1][0], number + 1)
        elif prose:
            spans.append((number, number + 1))
            is_open, depth = True, _NOWHERE
    found = (_item(section.lines, begin, end) for begin, end in spans)
    return tuple(item for item in found if item.text)


def bullet(text: str) -> str:
    """The line of a bullet."""
    return f"- {text}"


def with_items(
    data: bytes,
    level: int,
    wanted: Mapping[str, Sequence[str]],
    *,
    prose: bool = False,
    ordered: bool = True,
    line: Callable[[str], str] = bullet,
    plain: Collection[str] = (),
) -> bytes:
    """A file whose sections have exactly those items; what is there already keeps its bytes, and so does all else.

    Args:
        data: The file.
        level: Of the headings.
        wanted: Title -> items in one line each; a section that the file lacks comes in before the next of them, or else
            after the last, that it has.
        prose: As of `items`.
        ordered: Whether the order of items matters.
        line: The line of a new item, without its end.
        plain: Titles below which a new item is a line of its own words.
    """
    new_line, parts = new_line_of(data), sections(data, level)
    texts = [part.raw for part in parts]
    last = {title_key(part.title): number for number, part in enumerate(parts) if part.title}
    for title, texts_wanted in wanted.items():
        line_of = str if title in plain else line
        rest = list(texts_wanted)
        for number, part in enumerate(parts):
            if part.title and title_key(part.title) == title_key(title):
                mine = rest
                if number != last[title_key(title)]:
                    mine = list(dict.fromkeys(item.text for item in items(part, prose=prose) if item.text in rest))
                    rest = [text for text in rest if text not in mine]
                texts[number] = _edited(part, mine, new_line, prose=prose, ordered=ordered, line_of=line_of)
    titles = list(wanted)
    before: dict[int, list[str]] = {}
    for place, title in enumerate(titles):
        if title_key(title) not in last and wanted[title]:
            following = [last[title_key(other)] for other in titles[place + 1 :] if title_key(other) in last]
            preceding = [last[title_key(other)] + 1 for other in titles[:place] if title_key(other) in last]
            at = min(following, default=max(preceding, default=len(parts)))
            line_of = str if title in plain else line
            body = "".join(f"{line_of(text)}{new_line}" for text in wanted[title])
            before.setdefault(at, []).append(f"{'#' * level} {title}{new_line}{body}")
    made = ""
    for number, text in enumerate([*texts, ""]):
        for fresh in before.get(number, ()):
            made = _ended(made, new_line) + fresh
        made = (_ended(made, new_line) if number in before and text else made) + text
    return joined(made)


def title_key(title: str) -> str:
    """A form in which two headings are equal if they mean the same section."""
    return " ".join(title.casefold().strip(" :*_").split())


def without_sections(data: bytes, level: int, is_doomed: Callable[[Section], bool]) -> bytes:
    """The file without some sections; where its end is gone, it ends in one line's end."""
    parts = sections(data, level)
    doomed = [bool(part.title) and is_doomed(part) for part in parts]
    if not any(doomed):
        return data
    made = "".join(part.raw for part, is_gone in zip(parts, doomed, strict=True) if not is_gone)
    return joined(made.rstrip("\r\n"), new_line_of(data)) if doomed[-1] else joined(made)


def new_line_of(data: bytes) -> str:
    """What most of its lines end with."""
    return line_end(data).decode()


def same_words(text: str) -> str:
    """A form in which two texts are equal if they differ in case, blanks and signs only."""
    bare = _SPOKEN_SIGNS.sub(" ", text.casefold()).strip()
    return bare or " ".join(text.split())


def unique(texts: Iterable[str], known: Iterable[str] = ()) -> list[str]:
    """Texts without those that say the same as an earlier one, or as one of `known`."""
    met = {same_words(text) for text in known}
    made = []
    for text in texts:
        if (key := same_words(text)) not in met:
            met.add(key)
            made.append(text)
    return made


def _edited(
    section: Section,
    wanted: Sequence[str],
    new_line: str,
    *,
    prose: bool,
    ordered: bool,
    line_of: Callable[[str], str],
) -> str:
    there = items(section, prose=prose)
    firsts = {item.text: number for number, item in reversed([*enumerate(there)])}
    kept = _in_order(there, wanted) if ordered else {firsts[text] for text in wanted if text in firsts}
    stay = {there[number].text for number in kept}
    doomed = {place for number, item in enumerate(there) if number not in kept for place in range(item.begin, item.end)}
    lines = [line.raw for number, line in enumerate(section.lines) if number not in doomed]
    place = _place(section, [there[number] for number in sorted(kept)], doomed)
    fresh = [f"{line_of(text)}{new_line}" for text in wanted if text not in stay]
    if not fresh:
        return "".join(lines)
    if place and not lines[place - 1].endswith("\n"):
        lines[place - 1] += new_line
    if place < len(lines) and lines[place].strip():
        fresh.append(new_line)
    return "".join([*lines[:place], *fresh, *lines[place:]])


def _in_order(there: Sequence[Item], wanted: Sequence[str]) -> set[int]:
    """Which items stay: the first of `wanted`, as far as they stand there in order; none if others come too late."""
    kept, at = set[int](), 0
    for place, text in enumerate(wanted):
        found = next((number for number in range(at, len(there)) if there[number].text == text), None)
        if found is None:
            late = set(wanted[place:]) & {item.text for item in there}
            return set() if late else kept
        kept.add(found)
        at = found + 1
    return kept


def _place(section: Section, kept: Sequence[Item], doomed: set[int]) -> int:
    """Among the lines that stay: behind the last item, else behind the heading and the comments below it."""
    if kept:
        place = kept[-1].end
    else:
        place = min(doomed, default=0)
        head = 1 if section.title else 0
        if not place:
            while (
                head < len(section.lines) and section.lines[head].raw.strip() and not section.lines[head].text.strip()
            ):
                head += 1
            place = head
    return place - sum(number < place for number in doomed)


def _item(lines: Sequence[Line], begin: int, end: int) -> Item:
    words = list[str]()
    for line in lines[begin:end]:
        mark = None if line.is_code else _BULLET.match(line.text)
        bare = line.text[mark.end() :] if mark else line.text
        text = " ".join(bare.split())
        if text and not (line.is_code and _FENCE.match(line.text)):
            is_own = line.is_code or mark
            joint = "; " if is_own and words and not words[-1].endswith((":", ";")) else " "
            words.append((joint if words else "") + text)
    return Item("".join(words), begin, end, "".join(line.raw for line in lines[begin:end]))


def _columns(blanks: str) -> int:
    return len(blanks.expandtabs(4))


def _ended(text: str, new_line: str) -> str:
    """A text behind which a heading may stand."""
    if not text:
        return text
    if not text.endswith("\n"):
        text += new_line
    return text if text.endswith(("\n\n", "\n\r\n")) else text + new_line


def _code(raws: Sequence[str]) -> list[bool]:
    """For each line whether it is of a code block."""
    code = [False] * len(raws)
    marks = [(number, match) for number, raw in enumerate(raws) if (match := _FENCE.match(raw.rstrip("\r\n")))]
    endless = {"`": 1 << 30, "~": 1 << 30}
    at = 0
    while at < len(marks):
        begin, match = marks[at]
        sign, size = match[1][0], len(match[1])
        at += 1
        if size >= endless[sign] or (sign == "`" and sign in match[2]):
            continue
        end = next((n for n in range(at, len(marks)) if _closes(marks[n][1], sign, size)), None)
        if end is None:
            endless[sign] = size
            continue
        code[begin : marks[end][0] + 1] = [True] * (marks[end][0] + 1 - begin)
        at = end + 1
    return code


def _closes(match: re.Match[str], sign: str, size: int) -> bool:
    return match[1][0] == sign and len(match[1]) >= size and not match[2].strip()


def _shown(raws: Sequence[str], code: Sequence[bool]) -> list[str]:
    """What is seen of each line; of a line of code something as long as it is seen at all."""
    bare = (raw.rstrip("\r\n").removeprefix("\ufeff") for raw in raws)
    masked = "\n".join("x" if is_code else line for line, is_code in zip(bare, code, strict=True))
    return without_comments(masked) if raws else []
