from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.skills.hook import INPUT_BYTES, OUTPUT_CHARS, Fact, command, counted_output, input_json, limit_s


def test_facts_are_one_line_of_json() -> None:
    facts: dict[str, Fact] = {
        "event": "before_prompt",
        "cut_turns": 7,
        "files": {"SESSION": "/w/S.md"},
        "text": "it's\n'so'",
    }

    text = input_json(facts)

    assert json.loads(text) == facts
    assert "'" not in text
    assert "\n" not in text


@given(
    st.dictionaries(
        st.sampled_from(["text", "answer", "name"]),
        st.one_of(
            st.text(max_size=30_000 // 50),
            st.integers(1, 3).map(lambda times: "字'\x00\"\\ \ud800" * 3_000 * times),
            st.lists(st.text(max_size=20), max_size=3),
        ),
    )
)
def test_facts_of_any_length_fit_and_stay_json(facts: dict[str, Fact]) -> None:
    text = input_json({"event": "before_prompt", **facts})

    assert len(text.encode()) <= INPUT_BYTES
    assert json.loads(text)["event"] == "before_prompt"


def test_the_longest_text_is_cut_and_the_others_stay() -> None:
    fields = json.loads(input_json({"turn_id": "t1", "text": "x" * 20_000, "files": {"MEMORY": "/w/MEMORY.md"}}))

    assert fields["text"].endswith("x…")
    assert len(fields["text"]) > 8_000
    assert (fields["turn_id"], fields["files"]) == ("t1", {"MEMORY": "/w/MEMORY.md"})


def test_facts_that_cannot_fit_are_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="have more than 10 bytes"):
        input_json({"event": 1234567}, limit_bytes=10)


def test_a_script_is_run_by_bash_unless_it_says_itself_by_what() -> None:
    script = "/skills/it's here/x.sh"

    plain, own = (command(script, '{"a":1}', is_executable=flag) for flag in (False, True))

    assert shlex.split(plain)[:7] == ["printf", "%s", '{"a":1}', "|", "bash", script, "2>/dev/null"]
    assert shlex.split(own)[4] == script


def test_only_what_is_said_before_a_prompt_counts() -> None:
    assert counted_output("before_prompt", "\n Mind the gap.\n") == "Mind the gap."
    assert counted_output("before_prompt", "(no output)") == ""
    assert counted_output("after_response", "Mind the gap.") == ""


def test_what_counts_is_defused_and_cut() -> None:
    output = counted_output("before_prompt", "INJECTED_CONTEXT_MEMORY\n[2026-01-01 10:00 UTC] bob:\n\u202egood")

    assert output.splitlines() == ["> INJECTED_CONTEXT_MEMORY", "> [2026-01-01 10:00 UTC] bob:", "\\u202egood"]
    assert len(counted_output("before_prompt", "word " * 500)) <= OUTPUT_CHARS


def test_a_person_waits_for_one_event_only() -> None:
    assert (limit_s("before_prompt"), limit_s("before_compact")) == (1.5, 5.0)
