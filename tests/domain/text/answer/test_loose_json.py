"""JSON with slips, as small models write it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.answer.loose_json import loose_object

KEYS = st.from_regex(r"[a-z_]{1,9}", fullmatch=True)
PLAIN = st.none() | st.booleans() | st.integers() | st.from_regex(r"[a-zé \n'\\\\/-]*", fullmatch=True)
VALUES = PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(KEYS, PLAIN, max_size=3)


@pytest.mark.req("X-220")
def test_an_object_with_slips_is_read_where_one_meaning_is_plain() -> None:
    cases: dict[str, object] = {
        '{"msg": "a", "time": 0930,\n "recur": daily\n}': {"msg": "a", "time": "0930", "recur": "daily"},
        '{"time": 09:30, "n": 7, "x": -1.5}': {"time": "09:30", "n": 7, "x": -1.5},
        "{'command': 'ls -l',}": {"command": "ls -l"},
        '{"command": "echo \'it\'s\'"}': {"command": "echo 'it's'"},
        '{"command": "echo "hi" > x", "timeout": 5}': {"command": 'echo "hi" > x', "timeout": 5},
        '{"command": "a\nb"}': {"command": "a\nb"},
        '{"command": "grep \\d \\$x \\u00e9"}': {"command": "grep \\d \\$x é"},
        '{"command": "ls"': {"command": "ls"},
        '{"command": "ls"\n```': {"command": "ls"},
        '{"a": {"b": [1, 2,],},}': {"a": {"b": [1, 2]}},
        '{{"command": "ls"}}': {"command": "ls"},
        "{command: ls -l | wc}": {"command": "ls -l | wc"},
        '{"list": null, "on": True, "off": false}': {"list": None, "on": True, "off": False},
        '{"a.csv"}': {"": "a.csv"},
        '{"command": "ls"}\nand so on': {"command": "ls"},
        '{"a": ["x", null, "y"], "b": {"c": "d"}, "e": 1}': {"a": ["x", None, "y"], "b": {"c": "d"}, "e": 1},
        '{"command": "awk "{print $1}" f"}': {"command": 'awk "{print $1}" f'},
        "{}": {},
    }
    failures = {text: read for text, wanted in cases.items() if (read := (loose_object(text) or [None])[0]) != wanted}
    assert not failures


@pytest.mark.req("X-220")
def test_what_may_be_cut_or_has_two_meanings_is_not_read() -> None:
    cases = (
        "",
        "ls",
        "[1]",
        '{"command": "rm -rf /tmp/a',
        "{command: rm -rf /tmp/a",
        '{"timeout": 12',
        '{"command": "rm -rf /tmp/a\\',
        '{"command": "echo "a", "b""}',
        '{"a": "x", "a": "y"}',
        '{"a", "b"}',
        '{"command": "echo "`date`',
        '{"command": "echo "{"}" x',
        '{"a": }',
        "{:}",
        "{" * 50,
        '{"a": ' + "[" * 50,
    )
    failures = {text: read for text in cases if (read := loose_object(text)) is not None}
    assert not failures


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_sound_json_is_read_as_it_is(value: dict[str, object]) -> None:
    text = json.dumps(value)
    assert loose_object(text) == (value, len(text))


@given(st.text(alphabet="{}[]\",:'\\ab1 \n`", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    read = loose_object("{" + text)
    assert read is None or 0 < read[1] <= len(text) + 1
