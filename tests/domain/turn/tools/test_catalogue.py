"""Search and description of tools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.turn.tools.catalogue import LONGEST_LINE, Tool, describe_tool, nearest_names, search_tools

THINGS = ("issue", "branch", "invoice", "calendar event", "photo", "playlist", "contact", "server", "recipe", "flight")
ACTS = ("create", "delete", "list", "rename", "share", "archive", "export", "import", "count", "translate")
TWO_HUNDRED = [
    Tool(
        server=f"server{number}",
        name=f"{act}_{thing.replace(' ', '_')}",
        description=f"{act.capitalize()} a {thing} of the account {number}. Needs a name.",
    )
    for number in range(2)
    for act in ACTS
    for thing in THINGS
]


@pytest.mark.req("X-259")
def test_each_of_two_hundred_tools_is_found_by_words_in_one_search() -> None:
    assert len(TWO_HUNDRED) == 200
    for tool in TWO_HUNDRED:
        wanted = search_tools(TWO_HUNDRED, f"{tool.line.removesuffix('.')} please")[:2]
        assert tool.name in [each.name for each in wanted]


@pytest.mark.req("X-259")
def test_names_count_more_than_descriptions_and_rare_words_more_than_common_ones() -> None:
    tools = [
        Tool(server="a", name="other", description="Mentions an issue of yours."),
        Tool(server="a", name="createIssue", description="Opens one."),
        Tool(server="a", name="third", description="Nothing of that."),
    ]

    assert [tool.name for tool in search_tools(tools, "issues")] == ["createIssue", "other"]
    assert search_tools(tools, "zebra") == []


def test_a_line_is_the_first_sentence_and_short() -> None:
    assert Tool(server="a", name="b", description="Does this.\nAnd more.").line == "Does this."
    assert Tool(server="a", name="b", title="Title").line == "Title"
    assert len(Tool(server="a", name="b", description="x" * 1_000).line) == LONGEST_LINE


def test_a_description_has_the_schema_and_is_bounded() -> None:
    text = describe_tool(Tool(server="a", name="b", title="Bee", description="Hums.", schema_text="{}"))
    assert text == "a b (Bee)\n\nHums.\n\nArguments:\n{}"
    assert len(describe_tool(Tool(server="a", name="b", description="x" * 10**6, schema_text="y" * 10**6))) < 40_000


def test_near_names_are_offered_else_the_first_ones() -> None:
    assert nearest_names("serach", ["search", "find"]) == "did you mean search?"
    assert nearest_names("zzz", ["search", "find"]) == "there are search, find"
    assert nearest_names("zzz", []) == "there are none"
    assert nearest_names("zzz", [f"n{number}" for number in range(12)]).endswith("n9 and 2 more")


@given(st.text(max_size=50))
def test_any_words_may_be_searched_for(words: str) -> None:
    assert set(search_tools(TWO_HUNDRED[:10], words)) <= set(TWO_HUNDRED[:10])
