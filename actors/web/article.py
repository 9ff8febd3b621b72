"""Article extraction: the main part of an HTML page as markdown, in bounded time and memory since it is hostile."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from bs4 import BeautifulSoup, ParserRejectedMarkup, Tag
from bs4.builder._htmlparser import BeautifulSoupHTMLParser, HTMLParserTreeBuilder
from markdownify import ATX, MarkdownConverter

MAX_HTML_CHARACTERS = 1_000_000
"""Most characters left without scripts, styles and comments; the rest is not read."""
MAX_MARKDOWN_CHARACTERS = 400_000
MAX_TITLE_CHARACTERS = 300
PARSE_S = 2.0
"""Seconds after which the parsed part counts as the page."""
CONVERT_S = 3.0
_PIECE = 8_192
_MOST_UNPARSED = 8 * _PIECE
_ENOUGH_CHARACTERS = 200
"""Least text in characters for a part likely to be the page's subject."""
_CLUTTER = ("nav", "footer", "aside", "button", "svg", "iframe", "noscript", "template", "dialog", "object")
_OPAQUE = re.compile(r"<!--|<(script|style|svg|template|noscript)\b", re.IGNORECASE)
_DATA_URI = re.compile(r"data:[^\s\"'<>]{64,}", re.IGNORECASE)
_LONG_GAP = re.compile(r"[\t \r\n]{20,}")
"""The converter's own expressions take the square of a gap's length, and all threads of the process wait meanwhile."""
_BEFORE_CODE = re.compile(r"^[ \n]*\n")
_BLANK_LINES = re.compile(r"\n{3,}")


class NoArticleError(Exception):
    """The page has no readable text, or none was found in time."""


@dataclass(frozen=True, slots=True)
class Article:
    """Content of a page."""

    title: str
    markdown: str


def extract(html: str, base_url: str, monotonic: Callable[[], float]) -> Article:
    """Title and main part of a page, links made absolute.

    The work takes at most about `PARSE_S` + `CONVERT_S` of computing, so it belongs into a separate thread.

    Raises:
        NoArticleError: no article was found.
    """
    soup = _parse(without_opaque_parts(html)[:MAX_HTML_CHARACTERS], _Deadline(PARSE_S, monotonic))
    title = _title(soup)
    for element in soup(_CLUTTER):
        if not element.decomposed:
            element.decompose()
    main = _main_part(soup)
    _make_links_absolute(main, base_url)
    try:
        markdown = _Converter(_Deadline(CONVERT_S, monotonic)).convert_soup(main)
    except (RecursionError, _TooLateError) as error:
        raise NoArticleError from error
    lines = "\n".join(line.rstrip() for line in markdown.splitlines())
    text = _BLANK_LINES.sub("\n\n", lines).strip()[:MAX_MARKDOWN_CHARACTERS]
    if not text:
        raise NoArticleError
    return Article(title, text)


def without_opaque_parts(html: str) -> str:
    """`html` without comments, scripts and the like, in one pass; an unclosed part ends the page, as in browsers.

    The parser could take minutes over a large unclosed part, since it starts over with each piece of input.
    """
    parts: list[str] = []
    position = 0
    while (opening := _OPAQUE.search(html, position)) is not None:
        parts.append(html[position : opening.start()])
        name = opening.group(1)
        end = re.compile(rf"</{name}[^>]*>?" if name else "-->", re.IGNORECASE).search(html, opening.end())
        if end is None:
            position = len(html)
            break
        position = end.end()
    parts.append(html[position:])
    return _DATA_URI.sub("data:", "".join(parts))


class _TooLateError(Exception):
    """Time is up."""


class _Deadline:
    def __init__(self, seconds: float, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._end = monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return self._monotonic() >= self._end


class _PieceByPieceBuilder(HTMLParserTreeBuilder):
    """Builder that feeds the parser little by little, for two reasons.

    The work can be stopped between pieces. And the parser's error recovery never gets much input: its time grows with
    the square of a malformed part (minutes for 50 KB of `<a <a <a` up to Python 3.11). So a tag not closed after
    `_MOST_UNPARSED` characters is dropped, like a tag not closed at the end.
    """

    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def feed(self, markup: Any, _parser_class: type[BeautifulSoupHTMLParser] = BeautifulSoupHTMLParser) -> None:
        arguments, options = self.parser_args
        assert self.soup is not None
        parser = _parser_class(self.soup, *arguments, **options)
        try:
            for start in range(0, len(markup), _PIECE):
                if self._deadline.is_over:
                    break
                parser.feed(markup[start : start + _PIECE])
                if len(parser.rawdata) > _MOST_UNPARSED:
                    parser.rawdata = ""
            parser.rawdata = parser.rawdata if "<" not in parser.rawdata else ""
            parser.close()
        except AssertionError as error:  # html.parser's way of giving up
            raise ParserRejectedMarkup(str(error)) from error
        parser.already_closed_empty_element = []


class _Converter(MarkdownConverter):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__(heading_style=ATX, bullets="-", table_infer_header=True, strip_pre=None)
        self._deadline = deadline

    def process_tag(self, node: Any, parent_tags: Any = None) -> Any:
        if self._deadline.is_over:
            raise _TooLateError
        return super().process_tag(node, parent_tags)  # type: ignore[misc]  # its type stub leaves it out

    def process_text(self, el: Any, parent_tags: Any = None) -> Any:
        if "pre" not in (parent_tags or ()) and _LONG_GAP.search(el):
            long, el = el, type(el)(_LONG_GAP.sub(_short_gap, el))
            long.replace_with(el)
        return super().process_text(el, parent_tags)  # type: ignore[misc]

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> Any:
        return super().convert_pre(el, _BEFORE_CODE.sub("", text).rstrip(" \n"), parent_tags)  # type: ignore[misc]


def _short_gap(gap: re.Match[str]) -> str:
    return "\n" if "\n" in gap[0] or "\r" in gap[0] else " "


def _parse(html: str, deadline: _Deadline) -> BeautifulSoup:
    try:
        return BeautifulSoup(html, builder=_PieceByPieceBuilder(deadline))
    except (ParserRejectedMarkup, RecursionError) as error:
        raise NoArticleError from error


def _title(soup: BeautifulSoup) -> str:
    element = soup.find("title") or soup.find("h1")
    text = element.get_text(" ") if element is not None else ""
    if element is not None and element.name == "title":
        element.decompose()
    return " ".join(text.split())[:MAX_TITLE_CHARACTERS]


def _main_part(soup: BeautifulSoup) -> Tag:
    """Only article, else the main part, else the body, else everything: the first with enough text."""
    articles = soup.find_all("article")
    candidates = [articles[0]] if len(articles) == 1 else []
    candidates += [part for part in (soup.find("main"), soup.find(role="main")) if part is not None]
    for candidate in candidates:
        if len(candidate.get_text(" ", strip=True)) >= _ENOUGH_CHARACTERS:
            return candidate
    return soup.find("body") or soup


def _make_links_absolute(part: Tag, base_url: str) -> None:
    for element in part.find_all(["a", "img"]):
        name = "href" if element.name == "a" else "src"
        value = element.get(name)
        if isinstance(value, str):
            try:
                element[name] = urljoin(base_url, value)
            except ValueError:
                del element[name]
