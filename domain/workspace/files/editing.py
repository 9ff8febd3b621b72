"""Editing of a markdown file's items and sections that keeps all other bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence

from domain.edit.lines import BOM
from domain.text.lines import encode_text, lines_of
from domain.workspace.files.outline import BULLET, Item, Section, items, new_line_of, read_lines, sections
from domain.workspace.files.wording import title_key

_BOM = "\ufeff"


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
    """A file whose sections have exactly the wanted items; existing items and all other text keep their bytes.

    Args:
        data: The file.
        level: Level of new headings.
        wanted: Title -> items in one line each, of sections of any level; a missing section comes in before the
            next existing wanted section, or else after the last.
        prose: As of `items`.
        ordered: True if the order of items matters.
        line: Function that returns the line of a new item, without its end.
        plain: Titles below which a new item is a line of its own words.
    """
    new_line, parts = new_line_of(data), sections(data, level, wanted)
    texts = [part.raw for part in parts]
    line_in = {title: str if title in plain else line for title in wanted}
    last = {title_key(part.title): number for number, part in enumerate(parts) if part.title}
    for title, texts_wanted in wanted.items():
        rest = list(texts_wanted)
        for number, part in enumerate(parts):
            if part.title and title_key(part.title) == title_key(title):
                mine = rest
                if number != last[title_key(title)]:
                    left = {*rest}
                    mine = [*dict.fromkeys(item.text for item in items(part, prose=prose) if item.text in left)]
                    own_texts = {*mine}
                    rest = [text for text in rest if text not in own_texts]
                texts[number] = _edit_section(
                    part, mine, new_line, prose=prose, ordered=ordered, line_of=line_in[title]
                )
    before = _fresh_sections(wanted, last, len(parts), line_in, new_line, level)
    whole = ""
    for number, text in enumerate([*texts, ""]):
        for fresh in before.get(number, ()):
            whole = _end_paragraph(whole, new_line) + fresh
        whole = (_end_paragraph(whole, new_line) if number in before and text else whole) + text
    if data.startswith(BOM) and not whole.startswith(_BOM):
        whole = _BOM + whole.replace(_BOM, "", 1)
    return encode_text(whole)


def without_sections(data: bytes, level: int, is_doomed: Callable[[Section], bool]) -> bytes:
    """The file without the doomed sections; a file without its old end ends in one line's end."""
    parts = sections(data, level)
    doomed = [bool(part.title) and is_doomed(part) for part in parts]
    if not any(doomed):
        return data
    text = "".join(part.raw for part, is_gone in zip(parts, doomed, strict=True) if not is_gone)
    return encode_text(text.rstrip("\r\n"), new_line_of(data)) if doomed[-1] else encode_text(text)


def _fresh_sections(
    wanted: Mapping[str, Sequence[str]],
    last: Mapping[str, int],
    count: int,
    line_in: Mapping[str, Callable[[str], str]],
    new_line: str,
    level: int,
) -> dict[int, list[str]]:
    """Number of a section -> new sections that come before this section."""
    titles = list(wanted)
    before: dict[int, list[str]] = {}
    for place, title in enumerate(titles):
        if title_key(title) not in last and wanted[title]:
            following = [last[title_key(other)] for other in titles[place + 1 :] if title_key(other) in last]
            preceding = [last[title_key(other)] + 1 for other in titles[:place] if title_key(other) in last]
            at = min(following, default=max(preceding, default=count))
            body = "".join(f"{line_in[title](text)}{new_line}" for text in wanted[title])
            before.setdefault(at, []).append(f"{'#' * level} {title}{new_line}{body}")
    return before


def _edit_section(
    section: Section,
    wanted: Sequence[str],
    new_line: str,
    *,
    prose: bool,
    ordered: bool,
    line_of: Callable[[str], str],
) -> str:
    """A section with the wanted items; as few items as possible are moved or, as a last resort, all written anew."""
    there = items(section, prose=prose)
    firsts = {item.text: number for number, item in reversed([*enumerate(there)])}
    known = [firsts[text] for text in wanted if text in firsts]
    plain = {text: line_of(text) for text in wanted}
    moved = plain | {text: _outdent_item(there[firsts[text]].raw) for text in wanted if text in firsts}
    edited = ""
    none = set[int]()
    ways = (({*_rising(known)} if ordered else {*known}, moved), (none, moved), (none, plain), (none, plain))
    for number, (staying, fresh) in enumerate(ways, 1):
        is_last = number == len(ways)  # below words that would swallow what comes before them
        places = (
            {_last_place(section): wanted} if is_last else _places(section, there, staying, wanted, ordered=ordered)
        )
        edited = _compose_section(section, there, staying, places, fresh, new_line)
        stay = [there[number].text for number in sorted(staying)]
        expected = [*wanted] if ordered else [*dict.fromkeys([*stay, *wanted])]
        again = Section(section.title, read_lines(encode_text(edited)))
        if [item.text for item in items(again, prose=prose)] == expected:
            break
    return edited


def _rising(numbers: Sequence[int]) -> list[int]:
    """The longest rising subsequence of numbers."""
    ends, before = list[int](), list[int | None]()
    """Place of the least end of a run of each length; and for each place the place before in the run."""
    for place, number in enumerate(numbers):
        length = bisect_left(ends, number, key=numbers.__getitem__)
        before.append(ends[length - 1] if length else None)
        ends[length : length + 1] = [place]
    run, at = list[int](), ends[-1] if ends else None
    while at is not None:
        run.append(numbers[at])
        at = before[at]
    return run[::-1]


def _places(
    section: Section, there: Sequence[Item], staying: Collection[int], wanted: Sequence[str], *, ordered: bool
) -> dict[int, list[str]]:
    """Line of the section -> items to insert before the line, in order."""
    stay = [there[number] for number in sorted(staying)]
    place = (
        (stay[0].begin if ordered else _behind_comments(section, stay[-1].end))
        if stay
        else _first_place(section, there)
    )
    ends = {item.text: _behind_comments(section, item.end) for item in stay}
    places: dict[int, list[str]] = {}
    for text in wanted:
        if text not in ends:
            places.setdefault(place, []).append(text)
        elif ordered:
            place = ends[text]
    return places


def _first_place(section: Section, there: Sequence[Item]) -> int:
    """Index of the first item, else the index behind the heading and the comments below the heading."""
    if there:
        return there[0].begin
    return _behind_comments(section, 1 if section.title else 0)


def _last_place(section: Section) -> int:
    """Place behind the last line that is not blank."""
    return max((place for place, line in enumerate(section.lines, 1) if line.raw.strip()), default=0)


def _behind_comments(section: Section, place: int) -> int:
    """The place itself, or the place behind directly following comments."""
    while place < len(section.lines) and section.lines[place].raw.strip() and not section.lines[place].text.strip():
        place += 1
    return place


def _compose_section(
    section: Section,
    there: Sequence[Item],
    staying: Collection[int],
    places: Mapping[int, Sequence[str]],
    fresh: Mapping[str, str],
    new_line: str,
) -> str:
    """The section's lines without removed items, and with fresh items."""
    doomed = {
        place for number, item in enumerate(there) if number not in staying for place in range(item.begin, item.end)
    }
    raws: list[str] = []
    head, is_seam = 1 if section.title else 0, False
    for at in range(len(section.lines) + 1):
        for text in places.get(at, ()):
            if raws and not raws[-1].endswith("\n"):
                raws[-1] += new_line
            if len(raws) > head and raws[-1].strip() and not _is_bullet(fresh[text]):
                raws.append(new_line)
            raws.append(fresh[text] if fresh[text].endswith("\n") else f"{fresh[text]}{new_line}")
            is_seam = True
        if at in doomed:
            is_seam = True
        elif at < len(section.lines):
            line = section.lines[at]
            is_joined = is_seam and len(raws) > head and bool(raws[-1].strip()) and bool(line.text.strip())
            if is_joined and not _is_bullet(line.text):
                raws.append(new_line)
            raws.append(line.raw)
            is_seam = False
    return "".join(raws)


def _is_bullet(text: str) -> bool:
    """True if a line begins a bullet, at any depth."""
    mark = BULLET.match(text)
    return mark is not None and mark[2] is None


def _outdent_item(raw: str) -> str:
    """The lines of an item, fit to stand below any other item: not deeper, and without a number that counts on."""
    lines = lines_of(raw)
    indent = len(lines[0]) - len(lines[0].lstrip(" \t"))
    bare = "".join(line[min(indent, len(line) - len(line.lstrip(" \t"))) :] for line in lines)
    mark = BULLET.match(bare)
    return f"1{bare[mark.end(2) :]}" if mark and mark[2] else bare


def _end_paragraph(text: str, new_line: str) -> str:
    """A text behind which a heading may stand."""
    if not text:
        return text
    if not text.endswith("\n"):
        text += new_line
    return text if text.endswith(("\n\n", "\n\r\n")) else text + new_line
