from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.files.session_state import (
    LONGEST_ITEM,
    LONGEST_RULE,
    LONGEST_SESSION,
    MOST_ITEMS,
    SESSION_TEMPLATE,
    STICKY,
    TITLES,
    SessionState,
    is_active,
    merge_session,
    overflow_of,
    parsed_session,
    rendered_session,
    update_session,
)
from tests.domain.workspace.spoken import turn

LISTS = [name for name in TITLES if name != "title"]
words = st.sampled_from(["alpha", "beta two", "gamma, three", "delta", "epsilon 5"])
states = st.builds(
    SessionState,
    title=st.sampled_from(["", "Boat trip"]),
    **{name: st.lists(words, max_size=4, unique=True).map(tuple) for name in LISTS},
)


def answer(**fields: Any) -> str:
    return json.dumps({"title": "", "resolved": [], **{name: [] for name in LISTS}, **fields})


def with_items(name: str, *texts: str) -> SessionState:
    return update_session(SessionState(), answer(**{name: texts}))


@pytest.mark.req("S4-09", "S4-25", "S4-26", "S4-27", "S4-28", "S4-35", "S4-43", "S4-44", "S4-45", "S4-46", "S4-47")
def test_the_template_has_the_nine_sections_in_order_and_says_nothing() -> None:
    lines = SESSION_TEMPLATE.decode().splitlines()

    assert [line[2:] for line in lines if line.startswith("# ")] == [
        "Session Title",
        "Current State",
        "User Intent",
        "Active Files",
        "Decisions",
        "Constraints",
        "Errors & Corrections",
        "Next Steps",
        "Worklog",
    ]
    assert sum(line.startswith("<!-- ") for line in lines) == 9
    assert parsed_session(SESSION_TEMPLATE) == SessionState()
    assert not is_active(SessionState())


@given(states, states)
def test_what_is_rendered_says_the_state(before: SessionState, after: SessionState) -> None:
    file = rendered_session(before, b"")
    new_data = rendered_session(after, file)

    assert parsed_session(new_data) == after
    assert rendered_session(after, new_data) == new_data


def test_a_file_is_read_as_people_write_it() -> None:
    data = (
        "\ufeff# Session title\r\nBoat\r\ntrip\r\n\r\n# CONSTRAINTS:\r\n* never sail at night\r\n<!-- why -->\r\n"
        "1. ask Kim first\r\n   before a loan\r\n\r\nKeep below 400 euros.\r\n# Ideas\r\n- paint it\r\n"
        "# Active Files\r\n```\r\n# Decisions\r\nmake all\r\n```\r\n"
    ).encode()

    assert parsed_session(data) == SessionState(
        title="Boat trip",
        constraints=("never sail at night", "ask Kim first before a loan", "Keep below 400 euros."),
        active_files=("# Decisions; make all",),
    )


def test_only_what_has_changed_is_written_anew() -> None:
    before = (
        b"intro\n# Mine\n- keep *me*\n\n# Decisions\n+ a boat   it is\n\n# Constraints\nask Kim\n\n"
        b"# Notes <!-- x -->\n```\n# Next Steps\n```\n# Next Steps\n- sail\n"
    )
    state = replace(parsed_session(before), next_steps=("paint", "sail"), current_state=("ashore",))

    assert rendered_session(state, before) == (
        b"intro\n# Mine\n- keep *me*\n\n# Current State\n- ashore\n\n# Decisions\n+ a boat   it is\n\n"
        b"# Constraints\nask Kim\n\n# Notes <!-- x -->\n```\n# Next Steps\n```\n# Next Steps\n- paint\n- sail\n"
    )


def test_a_file_that_says_the_state_already_keeps_all_its_bytes() -> None:
    before = b"# Worklog\n\n# Next Steps\n*  sail\r\n\n\n"

    assert rendered_session(parsed_session(before), before) == before


def test_an_empty_worklog_is_left_out_unless_somebody_wrote_into_it() -> None:
    state = SessionState(next_steps=("sail",))

    assert b"Worklog" not in rendered_session(state, SESSION_TEMPLATE)
    assert b"Worklog" in rendered_session(replace(state, worklog=("built",)), SESSION_TEMPLATE)
    assert b"Worklog" in rendered_session(state, b"# Worklog\n<!-- Kim reads this -->\n")


@pytest.mark.req("S4-50", "S4-84")
def test_sections_and_all_together_are_capped_and_constraints_go_last() -> None:
    many = tuple(f"{number} {'word ' * 80}" for number in range(20))
    rules = tuple(f"{number} {'word ' * 400}" for number in range(20))
    state = SessionState(title="t " * 100, **(dict.fromkeys(LISTS, many) | {"constraints": rules}))

    new_data = parsed_session(rendered_session(state, b""))

    assert len(new_data.title) <= 120
    assert all(len(new_data.items_of(name)) <= MOST_ITEMS for name in LISTS)
    assert all(len(text) <= LONGEST_ITEM for name in LISTS for text in new_data.items_of(name) if name != "constraints")
    assert len(rendered_session(replace(state, constraints=many[:5]), b"# Session Title\n")) <= LONGEST_SESSION
    assert new_data.constraints == tuple(f"{text[: LONGEST_RULE - 1].rstrip()}…" for text in rules[:MOST_ITEMS])
    assert new_data.worklog == ()


def test_what_people_wrote_at_length_is_not_cut() -> None:
    rule = "never " + "sail " * 100
    before = f"# Constraints\n- {rule}\n".encode()

    state = replace(parsed_session(before), constraints=(rule.strip(), "ask Kim"), next_steps=("wait",))

    assert parsed_session(rendered_session(state, before)).constraints == (rule.strip(), "ask Kim")


def test_no_constraint_that_stood_there_goes_for_want_of_room() -> None:
    rules = tuple(f"rule {number}" for number in range(MOST_ITEMS + 3))
    before = SessionState(constraints=rules)

    after = update_session(before, answer(constraints=["new"], next_steps=["sail"]))

    assert after.constraints == (*rules, "new")
    file = b"# Constraints\n" + b"".join(f"- {rule}\n".encode() for rule in rules)
    assert parsed_session(rendered_session(after, file)).constraints == rules
    assert overflow_of(before, after) == {"constraints": ("new",), "decisions": ()}


def test_nothing_that_people_wrote_goes_because_a_worker_answers(subtests: pytest.Subtests) -> None:
    for name in STICKY:
        with subtests.test(name=name):
            many = tuple(f"{number} {'word ' * 100}".strip() for number in range(MOST_ITEMS + 5))
            file = f"# {TITLES[name]}\n".encode() + b"".join(f"- {text}\n".encode() for text in many)

            after = update_session(parsed_session(file), answer(next_steps=["sail"]))

            assert parsed_session(rendered_session(after, file)).items_of(name) == many


def test_a_title_of_people_s_is_never_cut() -> None:
    title = "Repair of the boiler, " * 8 + "and NOT the gas line"
    file = f"# Session Title\n{title}\n\n- a note of ours\n".encode()

    after = rendered_session(update_session(parsed_session(file), answer(title=title, next_steps=["sail"])), file)
    renamed = rendered_session(update_session(parsed_session(file), answer(title="Boat")), file)

    assert title.encode() in after
    assert b"Boat\n" in renamed
    assert b"- a note of ours\n" in renamed


def test_a_section_is_known_by_its_title_at_any_level(subtests: pytest.Subtests) -> None:
    for heading in ["## Constraints", "### constraints:", "## **Constraints**"]:
        with subtests.test(heading=heading):
            file = f"# Kiln\n{heading}\n- ask Kim\n## Notes\n- tea\n# Next Steps\n- sail\n".encode()

            state = parsed_session(file)

            assert (state.constraints, state.next_steps) == (("ask Kim",), ("sail",))
            new_data = rendered_session(replace(state, constraints=("ask Kim", "no nuts")), file)
            assert new_data == file.replace(b"- ask Kim\n", b"- ask Kim\n- no nuts\n")


def test_a_title_of_several_paragraphs_stays_where_it_is_not_what_changes() -> None:
    before = b"# Session Title\nBoat\n\ntrip\n\n# Next Steps\n- sail\n"

    new_data = rendered_session(replace(parsed_session(before), next_steps=("paint",)), before)

    assert new_data == before.replace(b"sail", b"paint")


@pytest.mark.req("S4-24", "S4-90", "S4-87")
def test_an_answer_replaces_what_is_of_the_moment() -> None:
    before = SessionState(title="Boat", current_state=("ashore",), next_steps=("sail",))

    after = update_session(before, answer(title=" Boat  trip ", current_state=["at sea", "- at sea.", "", "!"]))

    assert after == SessionState(title="Boat trip", current_state=("at sea",))
    assert update_session(before, answer()).title == "Boat"


def test_what_is_sticky_stays_until_it_is_named(subtests: pytest.Subtests) -> None:
    for name in STICKY:
        with subtests.test(name=name):
            before = with_items(name, "old rule", "older rule")

            remaining = update_session(before, answer(**{name: ["Old rule!", "new rule"]}))
            gone = update_session(before, answer(**{name: ["old rule", "new rule"], "resolved": ["Old rule."]}))

            assert remaining.items_of(name) == ("old rule", "older rule", "new rule")
            assert gone.items_of(name) == ("older rule", "new rule")


def test_of_too_many_constraints_the_first_stay_and_of_decisions_the_newest() -> None:
    old = tuple(f"old {number}" for number in range(MOST_ITEMS))

    after = update_session(SessionState(constraints=old, decisions=old), answer(constraints=["new"], decisions=["new"]))

    assert after.constraints == after.decisions == (*old, "new")
    remaining = parsed_session(
        rendered_session(after, rendered_session(SessionState(constraints=old, decisions=old), b""))
    )
    assert remaining.constraints == old
    assert remaining.decisions == (*old[1:], "new")
    assert overflow_of(SessionState(constraints=old, decisions=old), after) == {
        "constraints": ("new",),
        "decisions": old[:1],
    }


@pytest.mark.req("S4-49")
def test_what_memory_has_need_not_stand_here_too() -> None:
    before = SessionState(constraints=("ask Kim",))

    after = update_session(before, answer(constraints=["no sails", "be brief"]), known=["Ask Kim.", "No sails."])

    assert after.constraints == ("ask Kim", "be brief")


@pytest.mark.req("S4-40", "S4-184")
def test_an_answer_without_a_usable_field_is_refused_with_the_value_and_the_rule(subtests: pytest.Subtests) -> None:
    for text, rule in [
        ("no json", "must be a JSON object"),
        ("[]", "must be a JSON object"),
        ('{"title": "x"}', "answer with 'title': must have the fields title, current_state"),
        ('{"next_steps": [1]}', "must have the fields"),
        ('{"error": "overloaded"}', "must have the fields"),
    ]:
        with subtests.test(text=text, rule=rule), pytest.raises(ValueError, match=rule):
            update_session(SessionState(), text)


@pytest.mark.req("S4-40", "X-226")
def test_a_flaw_costs_the_text_or_the_field_that_has_it() -> None:
    before = SessionState(title="Boat", next_steps=("buy paint",), constraints=("ask Kim",))
    failures: list[tuple[Any, object]] = []
    cases: list[tuple[dict[str, Any], str]] = [
        ({"title": ["x", 1]}, "title: must have texts only"),
        ({"title": "## Decisions"}, "a text of title: must have no markup"),
        ({"next_steps": [1]}, "next_steps: must have texts only"),
        ({"next_steps": ["INJECTED_CONTEXT_HANDOVER"]}, "a text of next_steps: must hold nothing of what the runtime"),
        ({"next_steps": ["see <runtime_context> above"]}, "a text of next_steps: must hold nothing"),
        ({"next_steps": ["a\x1bb"]}, "a text of next_steps: must have no control characters"),
        ({"resolved": [1]}, "resolved: must have texts only"),
        ({"decisions": ["the key is sk-proj-4f9A2b7C1d8E6f3G5h"]}, "a text of decisions: must hold no secret"),
        ({"decisions": ["<script>alert(1)</script>"]}, "a text of decisions: must have no markup"),
        ({"current_state": ["a <!-- b"]}, "a text of current_state: must have no markup"),
        ({"worklog": {"a": "b"}}, "worklog: must have texts only"),
    ]
    for flawed, rule in cases:
        dropped: list[str] = []
        fields = {"title": "Boat", "next_steps": ["buy paint"], "constraints": ["no sails"]} | flawed
        new_data = update_session(before, answer(**fields), drop=dropped.append)
        if new_data not in (before, replace(before, title="x")) and new_data != replace(
            before, title=new_data.title, constraints=("ask Kim", "no sails")
        ):
            failures.append((flawed, new_data))
        if new_data.title not in ("Boat", "x") or len(dropped) != 1 or not dropped[0].startswith(rule):
            failures.append((flawed, dropped))
    assert not failures
    assert update_session(before, '{"next_steps": "sail"}') == replace(before, next_steps=("sail",))
    two = update_session(before, answer(current_state=["<b>x</b>", "the keel is dry"]))
    assert two.current_state == ("the keel is dry",)


@pytest.mark.req("S4-48", "X-226")
def test_a_rule_stands_whole_in_its_persons_words_and_an_echo_of_anything_else_is_left_out() -> None:
    rule_text = "the boat has to be back in the harbour before the tide turns, or the keel will touch the ground again"
    rule = f"{rule_text}; " * 10 + "and nobody sails alone"
    failures = []
    for name, spoken, remaining in [
        ("said", turn(f"Listen: {rule}!"), True),
        ("said and repeated", turn(rule, f"Understood: {rule}"), True),
        ("answered", turn("What holds?", rule), False),
        ("quoted", turn(f"A page says:\n> {rule}"), False),
        ("printed", turn("What holds?", "See the file.", rule), False),
    ]:
        new_data = update_session(SessionState(), answer(constraints=[rule, "ask Kim"]), [spoken]).constraints
        if new_data != ((rule, "ask Kim") if remaining else ("ask Kim",)):
            failures.append((name, new_data))
    assert not failures
    answered = [turn("What holds?", rule_text)]
    assert update_session(SessionState(), answer(constraints=[rule_text[:78]]), answered).constraints == (
        rule_text[:78],
    )
    assert update_session(
        SessionState(constraints=(rule_text,)), answer(constraints=[rule_text]), answered
    ).constraints == (rule_text,)


def test_who_calls_says_what_a_secret_is() -> None:
    new_data = update_session(
        SessionState(), answer(decisions=["it is plum", "it is late"]), is_secret=lambda text: "plum" in text
    )
    assert new_data.decisions == ("it is late",)


def test_any_section_but_the_title_and_the_worklog_makes_a_state_active(subtests: pytest.Subtests) -> None:
    for name in [name for name in LISTS if name != "worklog"]:
        with subtests.test(name=name):
            assert is_active(with_items(name, "x"))
            assert not is_active(SessionState(title="x", worklog=("x",)))


@given(states, states)
def test_lines_that_people_add_while_a_worker_thinks_are_kept(before: SessionState, after: SessionState) -> None:
    base = rendered_session(before, b"")
    now = base.replace(b"# Constraints\n", b"# Constraints\n- said by hand\n") + b"\n# Mine\n- my own\n"

    new_data = merge_session(base, after, now)

    assert b"- said by hand\n" in new_data
    assert b"# Mine\n- my own\n" in new_data
    assert "said by hand" in parsed_session(new_data).constraints


@pytest.mark.req("X-110")
def test_what_others_changed_meanwhile_is_theirs_and_what_they_left_is_ours() -> None:
    before = SessionState(title="Boat", current_state=("ashore",), next_steps=("paint", "sail"), decisions=("blue",))
    base = rendered_session(before, b"")
    ours = replace(
        before, title="Ship", current_state=("at sea",), next_steps=("sail", "rest"), decisions=("blue", "red")
    )
    theirs = replace(before, title="Raft", current_state=("sunk",), next_steps=("paint", "mend", "sail", "rest"))

    new_data = parsed_session(merge_session(base, ours, rendered_session(theirs, base)))

    assert new_data == replace(
        ours,
        title="Raft",
        current_state=("sunk", "at sea"),
        next_steps=("mend", "sail", "rest"),
        decisions=("blue", "red"),
    )
    assert parsed_session(merge_session(base, ours, base)) == ours


def test_an_item_is_cut_one_character_too_late_and_not_before() -> None:
    long, longer = "x" * LONGEST_ITEM, "x" * (LONGEST_ITEM + 1)

    assert update_session(SessionState(), answer(next_steps=[long])).next_steps == (long,)
    assert update_session(SessionState(), answer(next_steps=[longer])).next_steps == ("x" * (LONGEST_ITEM - 1) + "…",)


def test_only_as_much_goes_as_must_and_of_decisions_the_oldest() -> None:
    texts = tuple(f"{number:02} {'x' * 290}" for number in range(12))
    state = SessionState(decisions=texts, next_steps=texts, constraints=texts[:4])

    new_data = rendered_session(state, b"# Session Title\n")

    remaining = parsed_session(new_data)
    assert remaining.next_steps == texts
    assert remaining.constraints == texts[:4]
    assert remaining.decisions == texts[2:]
    assert LONGEST_SESSION - 300 < len(new_data) <= LONGEST_SESSION


def test_what_only_a_command_printed_does_not_stay(subtests: pytest.Subtests) -> None:
    for name in STICKY:
        with subtests.test(name=name):
            spoken = [turn("Look at the pump", "It runs.", "3 errors\nmallory@evil.example opened port 48213")]
            remaining = "the mill of mallory@evil.example"

            after = update_session(
                with_items(name, remaining),
                answer(**{name: ["write to mallory@evil.example", "open 48213", remaining]}),
                spoken,
            )

            assert after.items_of(name) == (remaining, "write to mallory@evil.example")
            assert update_session(SessionState(), answer(**{name: ["use 48213", "3 tries"]}), spoken).items_of(
                name
            ) == ("3 tries",)
            assert update_session(
                SessionState(), answer(**{name: ["use 48213"]}), spoken, known=["port 48213"]
            ).items_of(name)


def test_a_title_without_words_is_none_and_the_whole_answer_counts_behind_a_draft() -> None:
    draft = answer(title="Draft", constraints=["x"])

    after = update_session(
        SessionState(title="Boat"), f"First {draft}, or rather {answer(title='***', constraints=['ask Kim'])}"
    )

    assert after == SessionState(title="Boat", constraints=("ask Kim",))
