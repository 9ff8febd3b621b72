"""Reminders' files with code, comments and front matter, of which no edit changes a byte."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from domain.edit.lines import BOM, EditRefusedError
from domain.reminder.document import (
    add_ids,
    append,
    change_lines,
    failed_line,
    hidden_reminders,
    holds,
    remove,
    remove_line,
    replace,
    scan,
)
from domain.reminder.file_lines import FileLines
from domain.text.markdown.lines import LineKind

A = '- [ ] date=2026-01-31 time=09:05 recur=none msg="a" id=rid_A'
B = '- [ ] date=2026-01-31 time=09:05 recur=none msg="b" id=rid_B'
BARE = '- [ ] date=2026-01-31 time=09:05 recur=none msg="c"'
MARKS = '- [ ] date=2026-01-31 time=09:05 recur=none msg="<!-- 100%% --> ```" id=rid_M'


def ids(text: str) -> list[str]:
    return [entry.reminder.id for entry in scan(text.encode()).entries]


@pytest.mark.req("X-206")
def test_what_stands_in_code_a_comment_or_front_matter_is_no_reminder_and_no_fault(subtests: pytest.Subtests) -> None:
    for text in [
        f"```\n{A}\n```\n",  # uphy/obsidian-reminder#338: examples in code blocks were said
        f"~~~markdown\n{A}\n~~~\n",  # HeroBlackInk/ultimate-todoist-sync-for-obsidian#23: a how-to became tasks
        f"````\n```\n{A}\n```\n````\n",  # block/coplan#138: a reader of its own took the inner fence for the end
        f"```\n{A}\n",
        f"- note\n  ```\n  {A}\n  ```\n",
        f"<!--\n{A}\n-->\n",
        f"<!-- off for now\n\n{A}\n\n-->\n",
        f"text <!--\n{A}\n-->\n",
        f"%%\n{A}\n%%\n",  # scross01/obsidian-todoseq#2: tasks in a block between percent signs were collected
        f"%% {A} %%\n",  # larslockefeer/obsidian-plugin-todo#54: the same within a line
        f"---\nnote: x\n{A}\n---\n",
        f"+++\n{A}\n+++\n",
        f"<pre>\n{A}\n</pre>\n",
        f"$$\n{A}\n$$\n",
        f"<?example\n{A}\n?>\n",
        f"<![CDATA[\n{A}\n]]>\n",
        f"<!DOCTYPE x [\n{A}\n]>\n",
        f"\ufeff---\n{A}\n---\n",
        f"    {A}\n",
        f"\t{A}\n",
    ]:
        with subtests.test(text=text):
            for data in (text, text.replace("\n", "\r\n"), text.replace("\n", "\r")):
                document = scan(data.encode())
                assert (document.entries, document.faults) == ((), ())
                assert add_ids(data.replace(" id=rid_A", "").encode()) == data.replace(" id=rid_A", "").encode()
                assert change_lines(data.encode(), {A.encode(): (None,)}) == data.encode()


def test_what_only_looks_like_code_or_a_comment_hides_no_reminder(subtests: pytest.Subtests) -> None:
    for text in [
        f"```\nx\n```\n{A}\n",
        f"- ```\n{A}\n",
        f"> ```\n> x\n{A}\n",
        f"a `<!--` b\n{A}\n",
        f"<!-- a -->\n{A}\n",
        f"<div>\n{A}\n</div>\n",  # obsidian-tasks-group/obsidian-tasks#3780: a task below `<div>` was passed over
        f"---\n{A}\n",
        f"a\n---\n{A}\n---\n",
        f"> [!todo]\n> ```\n{A}\n",
        f"{A}\n    ```\n",
        f"a ```\n{A}\n",
        f"100%% sure\n\n{A}\n\n100%% sure\n",
        f"for %%i in (*)\n{A}\n",
        f"\ufeff{A}\n",
        f"\ufeff\ufeff{A}\n",
        f"x\r{A}\r",
    ]:
        with subtests.test(text=text):
            assert ids(text) == ["rid_A"]


def test_marks_of_comments_and_code_in_the_words_of_a_reminder_hide_none() -> None:
    opening = MARKS.replace(" -->", "")
    assert ids(f"{opening}\n{A}\n-->\n{B}\n%%\n") == ["rid_M", "rid_A", "rid_B"]
    assert ids(f"{opening.replace('<!-- ', '')}\n{A}\n{opening}\n") == ["rid_M", "rid_A", "rid_M"]


def test_a_nested_line_is_named_and_an_indented_block_of_code_is_not() -> None:
    nested, code = scan(f"- x\n    {A}\n".encode()), scan(f"x\n\n    {A}\n".encode())

    assert [fault.reason.split(":")[0] for fault in nested.faults] == ["is indented"]
    assert code.faults == ()


def test_a_comment_beside_a_reminder_is_named() -> None:
    (fault,) = scan(f"{A} <!-- mine -->\n".encode()).faults

    assert fault.reason == "has a comment beside it: put the comment on a line of its own"


def test_reminders_that_are_hidden_can_be_listed_with_what_hides_them() -> None:
    data = f"```\n{A}\n- [ ] milk\n```\n{B}\n<!--\n{B}\n".encode()

    assert [(note.number, note.reason) for note in hidden_reminders(data)] == [
        (2, "stands in a code block that begins in line 1, so it is not a reminder"),
        (7, "stands in a comment that begins in line 6, which nothing closes, so it is not a reminder"),
    ]


@pytest.mark.req("X-206")
def test_a_reminder_in_a_quote_is_listed_with_what_it_stands_in() -> None:
    quoted = f"> [!todo] later\n> {A}\n>> {B}\n> - [ ] milk\n> ```\n> {A}\n"
    assert scan(quoted.encode()).entries == ()
    assert [(note.number, note.reason) for note in hidden_reminders(quoted.encode())] == [
        (2, "stands in a quote, so it is not a reminder"),
        (3, "stands in a quote, so it is not a reminder"),
    ]


@pytest.mark.req("X-206")
def test_a_carriage_return_within_a_line_is_told_and_no_byte_changes() -> None:
    for text, number in [(f"{A}\r{B}\nend\n", 1), (f"x\n# H\r{A}\ny\n", 2)]:
        data = text.encode()
        (fault,) = scan(data).faults
        assert (fault.number, scan(data).entries) == (number, ())
        assert fault.reason.startswith("has a carriage return within")
        assert add_ids(data) == data
    assert scan(f"a\rb\n{A}\r\r\n".encode()).faults == ()


def test_a_new_line_goes_last_or_above_what_nothing_closes(subtests: pytest.Subtests) -> None:
    for text, expected in [
        ("x\n```\ny\n", f"x\n{A}\n```\ny\n"),
        ("x\n```\ny", f"x\n{A}\n```\ny"),
        ("```\ny\n", f"{A}\n```\ny\n"),
        ("x\r\n<!--\r\ny\r\n", f"x\r\n{A}\r\n<!--\r\ny\r\n"),
        ("x\r%%\ry\r", f"x\r{A}\r%%\ry\r"),
        ("- ```\n  y\n", f"- ```\n  y\n{A}\n"),
        ("```\ny\n```\n", f"```\ny\n```\n{A}\n"),
        ("x\r", f"x\r{A}\r"),
        ("x\ry", f"x\ry\r{A}"),
        (f"```\n{A}\n```\n", f"```\n{A}\n```\n{A}\n"),
    ]:
        with subtests.test(text=text):
            data = append(text.encode(), A)

            assert data == expected.encode()
            assert ids(data.decode()) == ["rid_A"]


def test_where_no_place_leaves_the_code_alone_a_new_line_is_refused_with_the_block_named() -> None:
    with pytest.raises(EditRefusedError, match="ends in a code block that begins in line 2, where no reminder is read"):
        append(f"x\n  ```\n{A}\n".encode(), B)


def test_only_the_line_of_text_is_removed_where_code_says_the_same() -> None:
    # discourse/discourse-checklist#17: a box that was ticked had its likeness in a code block changed as well.
    data = f"```\n{A}\n```\n{A}\n".encode()

    assert remove_line(data, A.encode()) == f"```\n{A}\n```\n".encode()
    assert change_lines(data, {A.encode(): (failed_line(A.encode()), None)}).startswith(
        f"```\n{A}\n```\n- [!]".encode()
    )
    assert not holds(f"```\n{A}\n```\n".encode(), A)


@pytest.mark.parametrize("text", [f"{A}\n  ```\n{B}\n", f"{A}\n---\n{B}\n---\n"])
def test_of_a_line_on_which_it_depends_what_others_are_the_bullet_stays(text: str) -> None:
    assert remove_line(text.encode(), A.encode()) == text.replace(A, "- …", 1).encode()


def test_a_change_that_would_close_a_comment_of_others_is_refused() -> None:
    with pytest.raises(EditRefusedError, match="remove its comment marks"):
        replace(f"see <!-- this\n{A}\n{B}\n".encode(), 2, A.replace('"a"', '"a --> b"').encode())


def test_in_a_file_that_ends_its_lines_with_carriage_returns_every_edit_keeps_them() -> None:
    data = f"# x\r{BARE}\r{A}\r{B}\r".encode()

    assert re.sub(rb" id=rid_[A-Z2-7]{12}", b"", add_ids(data)) == data
    assert remove(data, 3) == f"# x\r{BARE}\r{B}\r".encode()
    assert replace(data, 3, b"z") == f"# x\r{BARE}\rz\r{B}\r".encode()


PARTS = (A, B, BARE, MARKS, f"  {A}", f"    {A}", "", "text", "```", "~~~ x", "  ```", "````", "- ```", "  more", "- x")
MORE = (
    "<!--",
    "-->",
    "<!-- x -->",
    "a <!-- b",
    "%%",
    "50%% a",
    "---",
    "+++",
    "`<!--`",
    "<pre>",
    "</pre>",
    "> ```",
    "<?",
    "?>",
    "]]>",
    "<![CDATA[",
)
parts = st.sampled_from((*PARTS, *MORE, "\tcode"))
documents = st.builds(
    lambda bom, lines, end, last: bom + end.join(lines).encode() + (end.encode() if last else b""),
    st.sampled_from([b"", BOM]),
    st.lists(parts, max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)


def hidden_lines(data: bytes) -> list[bytes]:
    """Lines of code, comments and front matter, in order; the end of the file's last one may have been missing."""
    file = FileLines(data)
    return [
        file.lines[index].rstrip(b"\r")
        for index in file.hidden_indices()
        if index < len(file.lines) - 1 or file.lines[index]
    ]


def free(data: bytes) -> list[bytes]:
    """Lines of text that are no reminders."""
    file, own = FileLines(data), {entry.number - 1 for entry in scan(data).entries}
    return [
        line.rstrip(b"\r")
        for index, line in enumerate(file.lines)
        if file.is_text(index) and index not in own and line.strip() and line.rstrip(b"\r") != "- …".encode()
    ]


def edits(data: bytes, pick: int) -> list[bytes]:
    """Files after each edit of the agent's, without refused edits."""
    numbers = [entry.number for entry in scan(data).entries]
    raw = {entry.number: entry.raw for entry in scan(data).entries}
    versions = [add_ids(data)]
    acts: list[Callable[[], bytes]] = [
        lambda: append(data, A.replace("rid_A", "rid_fresh")),
        lambda: append(data, MARKS.replace("rid_M", "rid_N")),
    ]
    if numbers:
        number = numbers[pick % len(numbers)]
        line = raw[number]
        acts += [
            lambda: remove(data, number),
            lambda: remove_line(data, line),
            lambda: change_lines(data, {line: (failed_line(line),)}),
            lambda: replace(data, number, A.replace('"a"', '"x --> y %%"').encode()),
            lambda: change_lines(data, {line: (None,), B.encode(): (None, None)}),
        ]
    for act in acts:
        try:
            versions.append(act())
        except EditRefusedError:
            continue
    return versions


@pytest.mark.req("X-206")
@given(documents, st.integers(0, 20))
def test_no_edit_changes_a_byte_of_code_comments_front_matter_or_prose(data: bytes, pick: int) -> None:
    for versions in edits(data, pick):
        assert hidden_lines(versions) == hidden_lines(data)
        assert free(versions) == free(data)
        assert versions.startswith(BOM) == data.startswith(BOM)
        ends = (versions.count(b"\r\n"), versions.count(b"\r"), versions.count(b"\n"))
        assert b"\r\n" in data or not data.count(b"\n") or ends[1] == 0


@given(documents)
def test_a_line_that_was_appended_is_a_reminder_and_all_others_stay_what_they_were(data: bytes) -> None:
    line = A.replace("rid_A", "rid_fresh")
    try:
        versions = append(data, line)
    except EditRefusedError:
        assume(False)
    before, after = [entry.line for entry in scan(data).entries], [entry.line for entry in scan(versions).entries]

    assert sorted(after) == sorted([*before, line])
    assert append(versions, line) == versions


def test_kinds_of_ten_thousand_lines_cost_little() -> None:
    data = "".join(itertools.chain(["```\n```\n"], (f"{A}{number}\n" for number in range(10_000)))).encode()
    file = FileLines(data)

    assert [line.kind for line in file.special.values()] == [LineKind.CODE] * 2
