"""Edits of an index or topic file, one fact at a time; everything else stays byte for byte.

Each edit is idempotent, since an edit is made anew whenever another writer was faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from domain.curated.document import Document, parse_document
from domain.curated.page import Page, PageKind, with_date, without_date
from domain.edit.lines import EditRefusedError, line_end
from domain.text.lines import encode_text, lines_of, one_line
from domain.text.lookalike import normalize
from domain.text.markdown.lines import heading_words

SECTION = "Remembered"
"""Heading of facts without another heading."""
_QUOTE_CHARS = 80
_LINE_BYTES = 100
"""Additional cost of a line, in bytes."""


def cost(data: bytes) -> int:
    """Cost of one edit of a file, in bytes to read; some ten million a second."""
    return 1 + len(data) + data.count(b"\n") * _LINE_BYTES


def with_fact(data: bytes, text: str, section: str = "", day: str = "") -> bytes:
    """File with a bullet added at the end of a section; a missing section is made.

    Args:
        data: The file.
        text: The fact, in one line.
        section: Words of the heading; empty for the usual heading.
        day: Day of the confirmation, `YYYY-MM-DD`; empty without a confirmation.
    """
    return with_facts(data, [(text, section)], day)


def with_facts(data: bytes, facts: Iterable[tuple[str, str]], day: str = "") -> bytes:
    """File with many facts added, equal to adding each alone, in the time of one edit.

    Args:
        data: The file.
        facts: Text and section of each, as in `with_fact`.
        day: As in `with_fact`.
    """
    document = parse_document(data)
    known = {normalize("NFC", page.text) for page in document.facts}
    bullets: list[tuple[str, str]] = []
    for text, section in facts:
        bullet = f"- {text}"
        words = normalize("NFC", Page(PageKind.FACT, bullet, 0, "").text)
        if words not in known:
            known.add(words)
            bullets.append((with_date(bullet, day), section))
    return _with_bullets(document, bullets, line_end(data).decode()) if bullets else data


def with_page(data: bytes, page: Page, section: str = "") -> bytes:
    """File with a fact of another file, line by line as written there, at the end of a section.

    Raises:
        EditRefusedError: an unclosed code block would enclose the fact, or would enclose other facts with the fact.
    """
    document, end = parse_document(data), line_end(data).decode()
    if any(normalize("NFC", each.text) == normalize("NFC", page.text) for each in document.facts):
        return data
    edited = _with_bullets(document, [(_split(page.raw, end)[0].rstrip("\r\n"), section)], end)
    before, after = (Counter(each.text for each in some.facts) for some in (document, parse_document(edited)))
    if after != before + Counter([page.text]):
        raise EditRefusedError(
            f"{page.text[:_QUOTE_CHARS]!r}: its code block and one that is open in the file it goes to would "
            "run together; close that one first"
        )
    return edited


def _key(words: str) -> str:
    """Key for comparison of words, equal for any letter composition and any case."""
    return normalize("NFC", normalize("NFC", words).casefold())


def _with_bullets(document: Document, bullets: Iterable[tuple[str, str]], end: str) -> bytes:
    """File with each bullet at the end of the bullet's section."""
    pages = document.pages
    last: dict[str, int] = {}
    heading_above = ""
    for number, page in enumerate(pages):
        words = heading_words(page.first_line) if page.kind is PageKind.SECTION else None
        if words is not None:
            heading_above = _key(words) if _is_of_level_two(page) else ""
        if heading_above:
            last[heading_above] = number
    inside: dict[int, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for bullet, heading in bullets:
        section = heading_words(f"## {heading}") or SECTION
        place = last.get(_key(section))
        if place is not None:
            inside.setdefault(place, []).append(f"{bullet}{end}")
            continue
        begun = missing.setdefault(_key(section), [f"## {section}{end}{end}"])
        begun.append(f"{bullet}{end}")
    parts: list[str] = []
    for number, page in enumerate(pages):
        if number not in inside:
            parts.append(page.raw)
            continue
        body, blank = _split(page.raw, end)
        parts += [body, end if page.kind is PageKind.SECTION else "", *inside[number], blank]
    if missing:
        body, blank = _split("".join(parts), end)
        parts = [body, _end_line(blank, end) or end * bool(body), end.join("".join(each) for each in missing.values())]
    return encode_text(document.mark, *parts)


def without_fact(data: bytes, page: Page) -> bytes:
    """File without a fact; blank lines behind the fact stay between the text before and a heading."""
    document = parse_document(data)
    number = _place(document, page)
    if number is None:
        return data
    pages, (_, blank) = document.pages, _split(document.pages[number].raw, "")
    parts = number + 1 < len(pages) and pages[number + 1].kind is PageKind.SECTION
    keeps_blank = parts and not (number and _split(pages[number - 1].raw, "")[1])
    return encode_text(document.mark, _raw(pages[:number]), blank if keeps_blank else "", _raw(pages[number + 1 :]))


def without_texts(data: bytes, texts: Collection[str]) -> bytes:
    """File without each fact whose text is in `texts`."""
    while page := next((page for page in parse_document(data).facts if page.text in texts), None):
        data = without_fact(data, page)
    return data


def fix_fact(data: bytes, page: Page, text: str, day: str = "") -> bytes:
    """File with other words, in one line, in place of a fact's words; `day` is the day of confirmation."""
    document = parse_document(data)
    number = _place(document, page)
    if number is None:
        return data
    pages, raw = document.pages, document.pages[number].raw
    _, blank = _split(raw, "")
    first = lines_of(raw)[0]
    end = first[len(first.rstrip("\r\n")) :]
    bullet = with_date(f"{raw[0]} {text}", day)
    return encode_text(document.mark, _raw(pages[:number]), bullet, end, blank, _raw(pages[number + 1 :]))


def confirm_fact(data: bytes, page: Page, day: str) -> bytes:
    """The file with the day in a fact's first line; the other lines of the fact stay as they are."""
    document = parse_document(data)
    number = _place(document, page)
    if number is None:
        return data
    pages = document.pages
    first, *rest = lines_of(without_date(pages[number].raw))
    bare = first.rstrip("\r\n")
    return encode_text(
        document.mark,
        _raw(pages[:number]),
        with_date(bare, day),
        first[len(bare) :],
        *rest,
        _raw(pages[number + 1 :]),
    )


def the_fact(document: Document, words: str) -> Page:
    """Fact named by `words`: by all of the fact's words, by id, or by words unique to the fact.

    Raises:
        EditRefusedError: no fact or several facts match; the text names the case.
    """
    wanted = one_line(words)
    if not wanted:
        raise EditRefusedError("no words: name the fact by its id or by words of its text")
    facts = document.facts
    for candidates in (
        [page for page in facts if page.text == wanted],
        [page for page in facts if page.id == wanted],
        [page for page in facts if normalize("NFC", page.text) == normalize("NFC", wanted)],
        [page for page in facts if _key(wanted) in _key(page.text)],
    ):
        if len({page.text for page in candidates}) == 1:
            return candidates[0]
        if candidates:
            examples = "; ".join(f"{page.id} {page.text[:_QUOTE_CHARS]}" for page in candidates[:3])
            raise EditRefusedError(
                f"{wanted[:_QUOTE_CHARS]!r}: {len(candidates)} facts have these words, such as "
                f"{examples}; name one by its id"
            )
    raise EditRefusedError(
        f"{wanted[:_QUOTE_CHARS]!r}: no fact has these words; `pages` lists all facts with their ids"
    )


def sections(document: Document) -> tuple[str, ...]:
    """Words of the headings of level two, in order."""
    heads = [page for page in document.pages if page.kind is PageKind.SECTION and _is_of_level_two(page)]
    return tuple(dict.fromkeys(words for page in heads if (words := heading_words(page.first_line))))


def _is_of_level_two(page: Page) -> bool:
    return page.raw.startswith("##") and page.raw[2:3] != "#"


def _place(document: Document, page: Page) -> int | None:
    """Index of the fact with equal words; of several, the fact in the given page's section."""
    pages = document.pages
    places = [n for n, each in enumerate(pages) if each.kind is not PageKind.SECTION and each.text == page.text]
    near = [number for number in places if pages[number].section == page.section]
    return next(iter((*near, *places)), None)


def _split(raw: str, end: str) -> tuple[str, str]:
    """Lines up to the last non-blank line, ended by `end` if without a line end, and the blank lines behind."""
    lines = lines_of(raw)
    count = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    words, blank = "".join(lines[:count]), "".join(lines[count:])
    return _end_line(words, end), blank


def _end_line(lines: str, end: str) -> str:
    return lines if not lines or lines.endswith("\n") else lines + end


def _raw(pages: tuple[Page, ...]) -> str:
    return "".join(page.raw for page in pages)
