from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from domain.text.markdown.lines import LineKind, MarkdownLine, markdown_lines
from tests.pace import paced_s

SIGNS = {
    LineKind.TEXT: ".",
    LineKind.CODE: "c",
    LineKind.MATH: "m",
    LineKind.COMMENT: "#",
    LineKind.FRONT_MATTER: "f",
}
X = "- [ ] x"


def raws_of(text: str) -> list[str]:
    return [f"{line}\n" for line in text.split("\n")]


def read(text: str, *, whole_note: bool = True) -> list[MarkdownLine]:
    """Every line, those of plain text too."""
    raws = raws_of(text)
    special = markdown_lines(raws, whole_note=whole_note)
    return [
        special.get(number, MarkdownLine(LineKind.TEXT, raw.rstrip("\r\n"), number)) for number, raw in enumerate(raws)
    ]


def kinds(text: str, *, whole_note: bool = True) -> str:
    """A sign for each line: `.` text, `c` code, `m` math, `#` comment, `f` front matter."""
    return "".join(SIGNS[line.kind] for line in read(text, whole_note=whole_note))


def test_code_is_where_commonmark_has_it(subtests: pytest.Subtests) -> None:
    for text, expected in [
        (f"```\n{X}\n```\n{X}", "ccc."),
        (f"~~~ sh `a` b\n{X}\n```\n~~~\n{X}", "cccc."),
        (f"``` a`b\n{X}", ".."),
        (f"````\n```\n{X}\n`````\n{X}", "cccc."),
        (f"```\n``` sh\n{X}\n```", "cccc"),
        (f"```\n    ```\n{X}", "ccc"),
        (f"   ```\n{X}\n  ```  \n{X}", "ccc."),
        (f"```\n{X}", "cc"),
        (f"``\n{X}", ".."),
        (f"a\n```\n{X}\n```\n{X}", ".ccc."),
        (f"- ```\n  {X}\n  ```\n{X}", "ccc."),
        (f"- ```\n  {X}\n{X}", "cc."),
        (f"1. a\n\n   ```\n   {X}\n   ```\n{X}", "..ccc."),
        (f"> ```\n> {X}\n{X}", "cc."),
        (f"> - ```\n>   {X}\n>   ```\n{X}", "ccc."),
        (f"a\n\n    {X}\n\n{X}", "..c.."),
        (f"a\n    {X}", ".."),
        (f"- a\n    {X}", ".."),
        (f"- a\n\n    {X}", "..."),
        (f"- a\n\n      {X}", "..c"),
        (f"\t{X}", "c"),
        (f"# a\n    {X}", ".c"),
        (f"<pre>\n\n{X}\n</pre>\n{X}", "cccc."),
        (f"<?php\n{X}\n\n{X}\n?>\n{X}", "ccccc."),
        (f"  <![CDATA[\n{X}\n]]> a\n{X}", "ccc."),
        (f"<!DOCTYPE x [\n{X}\n]>\n{X}", "ccc."),
        (f"<?a?>\n<!a>\n<![CDATA[]]>\n{X}", "ccc."),
        (f"> <?\n{X}", "c."),
        (f"<? a\n{X}", "cc"),
        (f"a\n<!A\n{X}", ".cc"),
        (f"<3\n<!\n<!1\n<![a\n    <?\n{X}", "......"),
        (f"<div>\n{X}\n</div>", "..."),
    ]:
        with subtests.test(text=text):
            assert kinds(text) == kinds(text.replace("\n", "\r\n")) == expected


@pytest.mark.req("X-206")
def test_math_is_between_marks_of_which_the_first_begins_a_line() -> None:
    failures = []
    for text, expected in [
        (f"$$\n{X}\n$$\n{X}", "mmm."),
        (f"a\n$$ x\n{X}\ny $$\n{X}", ".mmm."),
        (f"- a\n  $$\n  {X}\n  $$\n{X}", ".mmm."),
        (f"> [!note]\n> $$\n> {X}\n> $$\n{X}", ".mmm."),
        (f"> $$\n> x\n{X}\n$$", "...."),
        (f"$$x$$\n{X}\n$$", "..."),
        (f"$$\n{X}", ".."),
        (f"costs $$ and\n{X}\n$$ more", "..."),
        (f"```\n$$\n```\n{X}\n$$", "ccc.."),
        (f"$$\n```\n$$\n{X}", "mmm."),
        (f"    $$\n{X}\n$$", "c.."),
    ]:
        if kinds(text) != expected:
            failures.append((text, expected, kinds(text)))
    for text, expected in [(f"$$\n{X}\n$$\n{X}", "ccc."), (f"$$\n{X}\n", "..."), (f"a $$\n{X}\n$$ b", "...")]:
        if kinds(text, whole_note=False) != expected:
            failures.append((text, expected, kinds(text, whole_note=False)))
    assert not failures


def test_comments_hide_what_is_in_them_and_no_more(subtests: pytest.Subtests) -> None:
    for text, expected in [
        (f"<!--\n{X}\n\n{X}\n-->\n{X}", "#####."),
        (f"a <!--\n{X}\n--> b\n{X}", ".##."),
        (f"<!-- {X} -->\n{X}", "#."),
        (f"{X} <!-- a -->\n{X}", ".."),
        (f"%%\n{X}\n%%\n{X}", "###."),
        (f"%% {X} %%\n{X}", "#."),
        (f"`<!--`\n{X}\n`-->`", "..."),
        (f"<!--\n```\n-->\n{X}\n```\n{X}", "###.cc"),
        (f"```\n<!--\n```\n{X}\n-->", "ccc.."),
        (f"    <!--\n{X}\n-->", "c.."),
        (f"<!--\n{X}", "##"),
        (f"a <!--\n{X}", ".."),
        (f"- <!--\n{X}", ".."),
        (f"%%\n{X}", "##"),
        (f"100%% sure\n\n{X}\n\n100%% sure", "....."),
    ]:
        with subtests.test(text=text):
            assert kinds(text) == expected


def test_front_matter_begins_in_the_first_line_and_is_closed(subtests: pytest.Subtests) -> None:
    for text, expected in [
        (f"---\na: b\n{X}\n---\n{X}", "ffff."),
        (f"---\n{X}\n...\n{X}", "fff."),
        (f"+++\n{X}\n+++\n{X}", "fff."),
        (f"---\n{X}", ".."),
        (f"a\n---\n{X}\n---", "...."),
        (f"---\n```\n---\n{X}", "fff."),
    ]:
        with subtests.test(text=text):
            assert kinds(text) == kinds(text, whole_note=False) == expected


def test_in_a_file_of_memory_one_stray_mark_hides_nothing(subtests: pytest.Subtests) -> None:
    for text, expected in [
        (f"```\n{X}\n    ```\n{X}", "ccc."),
        (f"```\n{X}", ".."),
        (f"<!--\n{X}", ".."),
        (f"%%\n{X}\n%%", "..."),
        (f"a\n\n    {X}", "..."),
    ]:
        with subtests.test(text=text):
            assert kinds(text, whole_note=False) == expected


def test_a_line_whose_words_are_its_own_opens_no_comment() -> None:
    raws = raws_of(f"{X} <!--\n{X}\n-->")

    assert not markdown_lines(raws, whole_note=True, opens_nothing=lambda line: "<!--" in line)
    assert len(markdown_lines(raws, whole_note=True)) == 3


def test_a_hidden_line_names_the_line_that_hides_it_and_whether_that_is_closed() -> None:
    lines = read("a\n<!--\nb\n-->\n```\nc")

    assert [(line.first, line.is_open) for line in lines] == [(0, False), *[(1, False)] * 3, *[(4, True)] * 2]


# markdown-it goes on with a quote whose mark is indented by four columns or more, and takes a fence that is indented by
# four but by less than the item above it; CommonMark has neither, so no item here has its text beyond the fourth.
PIECES = st.builds(
    lambda begin, words: begin + words,
    st.one_of(
        st.sampled_from(["", "", " ", "  ", "   ", "    ", "      ", "\t", "  \t"]),
        st.sampled_from(
            ["- ", " - ", "  - ", "-\t", "-      ", "1. ", " 2) ", "> ", ">", "   > ", "> - ", "- - ", "- > "]
        ),
    ),
    st.sampled_from(
        [
            "",
            "a",
            "```",
            "~~~",
            "````",
            "``` x",
            "~~~ `x`",
            "``` `",
            "# h",
            "---",
            "***",
            "===",
            "<pre>",
            "<?",
            "?>",
            "<!A",
            ">",
            "<![CDATA[",
            "]]>",
            "-",
        ]
    ),
)


def code_lines(text: str) -> set[int]:
    """Lines of code as markdown-it has them; of indented blocks without the empty lines between."""
    lines, numbers = text.split("\n"), set[int]()
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in ("fence", "code_block") or (
            token.type == "html_block" and token.content.lstrip().startswith(("<pre", "<?", "<!"))
        ):
            begin, end = token.map or (0, 0)
            is_indented = token.type == "code_block"
            numbers.update(at for at in range(begin, end) if not is_indented or lines[at].strip("> \t-+*123.)"))
    return numbers


@given(st.lists(PIECES, max_size=9).map("\n".join))
def test_code_is_where_another_reader_of_commonmark_has_it(text: str) -> None:
    if "f" in kinds(text):
        text = "\n" + text
    lines = text.split("\n")
    blank = {at for at, line in enumerate(lines) if not line.strip("> \t-+*123.)")}

    assert {at for at, sign in enumerate(kinds(text)) if sign == "c"} - blank == code_lines(text) - blank


def test_lines_that_were_written_to_cost_time_cost_little(subtests: pytest.Subtests) -> None:
    for line in ["> " * 20_000 + "\n", "- " * 2_000 + "a\n", "~~~x\n", "- ```\n", "<!-- `%% ", "<pre>\n"]:
        with subtests.test(line=line):
            raws = (line * (50_000 // len(line))).splitlines(keepends=True) + ["\n"] * 2_000

            assert paced_s(partial(markdown_lines, raws, whole_note=True), enough_s=1.0) < 1.0
