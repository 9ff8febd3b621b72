from __future__ import annotations

import itertools
from contextlib import suppress

import pytest

from actors.web.article import MAX_MARKDOWN_CHARACTERS, NoArticleError, extract, without_opaque_parts
from tests.pace import paced_s

BASE = "https://example.com/a/b"
PARAGRAPH = "<p>" + "Owls see at night and hear mice under snow. " * 8 + "</p>"


def still() -> float:
    """A clock that stands."""
    return 0.0


def markdown(html: str) -> str:
    return extract(html, BASE, still).markdown


def test_headings_lists_code_tables_and_quotes_become_markdown() -> None:
    text = markdown(
        "<h2>Two</h2><ul><li>a</li><li>b</li></ul><pre>x = 1\ny</pre><blockquote>q</blockquote>"
        "<table><tr><th>h</th></tr><tr><td>d</td></tr></table>"
    )

    assert "## Two" in text
    assert "- a\n- b" in text
    assert "```\nx = 1\ny\n```" in text
    assert "> q" in text
    assert "| h |\n| --- |\n| d |" in text


def test_the_main_part_is_taken_when_it_has_enough_to_say(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["article", "main", 'div role="main"']
    for part in cases:
        with subtests.test(part=part):
            html = f"<body><p>Around.</p><{part}>{PARAGRAPH}</{part.split()[0]}><p>Below.</p></body>"

            assert markdown(html).startswith("Owls see")
            assert "Below" not in markdown(html)


def test_a_main_part_with_next_to_nothing_is_not_what_the_page_is_about() -> None:
    assert "Owls see" in markdown(f"<body><article>Teaser</article>{PARAGRAPH}</body>")


def test_several_articles_are_a_list_and_all_are_shown() -> None:
    text = markdown(f"<body><article>One{PARAGRAPH}</article><article>Two{PARAGRAPH}</article></body>")

    assert "One" in text
    assert "Two" in text


def test_what_is_not_content_is_left_out(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["nav", "script", "style", "noscript", "footer", "svg", "template", "iframe"]
    for tag in cases:
        with subtests.test(tag=tag):
            assert markdown(f"<p>kept</p><{tag}>gone</{tag}><!-- gone -->") == "kept"


def test_a_page_without_a_title_is_named_by_its_first_heading() -> None:
    assert extract("<h1>Owls <i>here</i></h1><p>x", BASE, still).title == "Owls here"


def test_links_and_pictures_are_made_absolute_and_broken_ones_lose_their_address() -> None:
    text = markdown('<a href="../c">up</a> <img src="p.png" alt="p"> <a href="http://[x">bad</a>')

    assert "[up](https://example.com/c)" in text
    assert "![p](https://example.com/a/p.png)" in text
    assert "[x" not in text


def test_pictures_in_the_page_itself_are_not_carried_along() -> None:
    assert "QUFB" not in markdown(f'<p>x <img src="data:image/png;base64,{"QUFB" * 99}">')


def test_opaque_parts_are_cut_out_and_what_is_never_closed_ends_the_page() -> None:
    html = "a<!-- 1 -->b<SCRIPT x>2</Script >c<style>3</style>d<!-- 4"

    assert without_opaque_parts(html) == "abcd"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<a " * 60_000, id="open tags"),
        pytest.param("<a b='" * 30_000, id="open values"),
        pytest.param("<!--" * 45_000, id="open comments"),
        pytest.param("<![CDATA[" * 20_000, id="open sections"),
        pytest.param("<script>" + "</scrip" * 25_000, id="open script"),
        pytest.param("<?" * 90_000, id="open instructions"),
        pytest.param("</a " * 45_000, id="open ends"),
        pytest.param("&#" * 90_000, id="references"),
    ],
)
def test_malformed_pages_take_no_time_that_grows_with_the_square_of_their_size(html: str) -> None:
    def extracted() -> None:
        with suppress(NoArticleError):
            extract("<title>x</title>" + html, BASE, still)

    assert paced_s(extracted) < 8, "html.parser alone takes minutes"


def test_gaps_of_any_length_take_no_time_that_grows_with_the_square_of_it(subtests: pytest.Subtests) -> None:
    wide = 300_000
    pages = {
        f"<p>a{' ' * wide}b": "a b",
        f"<p>a{'&#32;' * 60_000}b": "a b",
        f"<p>a{' ' * wide}\r\n{' ' * wide}b": "a\nb",
        f"<pre>a{' ' * wide}b</pre>": f"```\na{' ' * wide}b\n```",
        "<pre>\n \n  a\n    b\n \n</pre>": "```\n  a\n    b\n```",
    }
    for html, markdown in pages.items():
        with subtests.test(html=html[:20]):
            assert extract(html, BASE, still).markdown == markdown


def test_tags_nested_without_end_are_a_page_without_content_and_no_crash(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["div", "blockquote", "ul><li", "table><tr><td", "b"]
    for tag in cases:
        with subtests.test(tag=tag), pytest.raises(NoArticleError):
            markdown(f"<{tag}>" * 3_000 + "x")


def test_parsing_stops_in_time_and_what_was_parsed_is_the_page() -> None:
    ticks = itertools.chain([0.0, 0.0, 0.0], itertools.repeat(2.5))

    text = extract("<p>first</p>" + "<p>more</p>" * 50_000, BASE, lambda: next(ticks)).markdown

    assert text.startswith("first")
    assert len(text) < 20_000


def test_converting_stops_in_time() -> None:
    ticks = itertools.chain([0.0] * 20, itertools.repeat(100.0))

    with pytest.raises(NoArticleError):
        extract("<p>x</p>" * 1_000, BASE, lambda: next(ticks))


def test_markdown_has_a_limit() -> None:
    assert len(markdown("<pre>" + "x" * 900_000 + "</pre>")) == MAX_MARKDOWN_CHARACTERS
